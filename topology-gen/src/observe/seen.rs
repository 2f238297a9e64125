//! What nodes have answered.

/// The answers of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub nodes: Vec<Node>,
    /// Nodes that did not answer: the address and the reason.
    pub silent: Vec<(String, String)>,
    /// Further warnings.
    pub notes: Vec<String>,
}

/// A node that answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub id: String,
    pub name: String,
    /// Its addresses: where it was asked, and its public URL.
    pub origins: Vec<String>,
    pub feeds: Vec<Described>,
}

/// A feed as its node describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Described {
    pub name: String,
    pub keywords: Vec<String>,
    /// What it reads directly.
    pub reads: Vec<Read>,
}

/// Something that a feed reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// Another feed of the same node.
    Own(String),
    /// A feed of another node.
    Peer {
        url: String,
        /// The id of that node, if it is known.
        node: Option<String>,
        feed: String,
        /// Whether it is known to be a node. Otherwise only the URL has the form of one.
        certain: bool,
    },
    /// Anything else.
    Source {
        url: String,
        /// The name that the reading node gives it.
        title: Option<String>,
    },
}

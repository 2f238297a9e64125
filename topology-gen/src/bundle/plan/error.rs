//! Why a mesh cannot be put on nodes.

/// The most nodes of a bundle.
pub(super) const MOST_NODES: usize = 1_000;
/// The most keywords of one source of a newsroom.
pub(super) const MOST_KEYWORDS: usize = 128;
/// The most items that one source of a newsroom publishes per day.
pub(super) const MOST_ITEMS: f64 = 86_400_000.0;
/// The longest label of a host name.
pub(super) const LONGEST_LABEL: usize = 63;

/// Why a mesh cannot be put on nodes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error(
        "source `{name}` has no `url`, so no node can read it; give it one, or use --newsroom, which \
         publishes for all sources"
    )]
    NoAddress { name: String },
    #[error("source `{name}` has the url `{url}`, which is no http:// or https:// address")]
    BadAddress { name: String, url: String },
    #[error(
        "source `{name}` has {given} keywords, but a source of a newsroom can have at most {MOST_KEYWORDS}"
    )]
    Keywords { name: String, given: usize },
    #[error(
        "source `{name}` publishes {given} items a day; give it a number from 0 to {MOST_ITEMS}"
    )]
    Rate { name: String, given: f64 },
    #[error("{0}")]
    Query(String),
    #[error(
        "node `{name}` cannot be a host's name; use letters, digits and `-`, beginning with a letter, \
         at most {LONGEST_LABEL} of them"
    )]
    BadHost { name: String },
    #[error("nodes `{one}` and `{other}` would both be the host `{host}`; rename one of them")]
    SameHost { one: String, other: String, host: String },
    #[error("node `{name}` would have the host name of the newsroom; rename it")]
    NamedNewsroom { name: String },
    #[error("node `{name}` hosts no feed; give it one, or leave it out of `nodes`")]
    Idle { name: String },
    #[error(
        "{nodes} nodes are too many for a bundle; the most is {MOST_NODES} (--nodes sets how many \
         nodes share the feeds)"
    )]
    TooMany { nodes: usize },
    #[error("--publish names `{name}`, which is not one of the nodes{hint}")]
    UnknownNode { name: String, hint: String },
    #[error("--port is {port}, but {nodes} nodes need ports up to {}", *port as usize + nodes)]
    Ports { port: u16, nodes: usize },
    #[error("--refreshes-per-hour is {0}, but it must be a number above 0, up to 100000")]
    Refreshes(f64),
    #[error("--speed is {0}, but it must be a number above 0, up to 100000")]
    Speed(f64),
    #[error("--speed {0} needs --local and --newsroom, because all clocks must agree")]
    SpeedElsewhere(f64),
    #[error(
        "`{0}` cannot be a namespace; use lower-case letters, digits and `-`, at most {LONGEST_LABEL} \
         of them"
    )]
    Namespace(String),
    #[error("--image must not be empty or contain spaces")]
    Image,
}

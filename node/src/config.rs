//! The node's configuration: read loosely from a file and the environment, checked once, then trusted.

mod crawl;
mod hosts;
mod node;
mod private;
mod queries;
mod schedule;
mod secret;
mod sources;
mod store;

pub use crawl::Crawl;
pub use hosts::{HostRule, Hosts};
pub use node::{Api, Feeds, Log, LogFormat, Node};
pub use private::PrivateException;
pub use queries::DeclaredFeed;
pub use schedule::{Budget, BudgetRule, Choice, Schedule};
pub use secret::Secret;
pub use sources::Source;
pub use store::{Backend, Store};

/// Everything the node was told, checked and complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Who and where the node is.
    pub node: Node,
    /// Where items are kept, and for how long.
    pub store: Store,
    /// What refreshing may cost.
    pub budget: Budget,
    /// How the budget is spent.
    pub schedule: Schedule,
    /// How sources are fetched.
    pub crawl: Crawl,
    /// Other manners for single hosts.
    pub hosts: Hosts,
    /// How feeds are published.
    pub feeds: Feeds,
    /// Who may change the node.
    pub api: Api,
    /// What is logged.
    pub log: Log,
    /// What is read from the start.
    pub sources: Vec<Source>,
    /// What is published from the start.
    pub declared: Vec<DeclaredFeed>,
}

//! The node's configuration: read loosely from a file and the environment, checked once, then trusted.
//!
//! The way of a value: `file` and `raw` collect what was set and where; `reader` gives
//! it the meaning that its section asks for; [`Config`] holds what came out, complete. A node must never
//! start with a configuration of which a part was not understood, and a secret must never be printed.

mod clock;
mod crawl;
mod file;
mod find;
mod hosts;
mod keys;
mod node;
mod peers;
mod private;
mod problem;
mod queries;
mod raw;
mod reader;
mod readers;
mod reload;
mod schedule;
mod secret;
mod show;
mod sources;
mod store;
#[cfg(test)]
mod tests;
mod tls;
mod units;
mod values;
mod warnings;
mod websub;

use std::collections::BTreeMap;
use std::path::Path;

pub use clock::Clock;
pub use crawl::Crawl;
pub use find::{environment, find_file};
pub use hosts::{HostCredentials, HostRule, Hosts};
pub use node::{Api, Feeds, Log, LogFormat, Node};
pub use peers::{Limits, Peers};
pub use pergola_manners::budget::BudgetRule;
pub use private::PrivateException;
pub use problem::{ConfigError, Place, Problem};
pub use queries::DeclaredFeed;
pub use readers::{Fingerprint, Reader};
pub use reload::Reload;
pub use schedule::{Budget, Choice, Schedule};
pub use secret::Secret;
pub use sources::Source;
pub use store::Store;
pub use tls::{Clients, Tls};
pub use websub::WebSub;

use file::File;
use raw::Raw;
use reader::Reader as Section;

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
    /// News that is pushed.
    pub websub: WebSub,
    /// Who may change the node.
    pub api: Api,
    /// How the node's own port is secured, if it is.
    pub tls: Option<Tls>,
    /// How other nodes are read, and what those who read from it may take.
    pub peers: Peers,
    /// Who may read feeds that are not for anybody.
    pub readers: Vec<Reader>,
    /// How fast time passes.
    pub clock: Clock,
    /// What is logged.
    pub log: Log,
    /// What is read from the start.
    pub sources: Vec<Source>,
    /// What is published from the start.
    pub declared: Vec<DeclaredFeed>,
    /// Where each key and table was set.
    origins: BTreeMap<String, Place>,
}

impl Default for Config {
    /// What holds without a file and without variables.
    fn default() -> Self {
        Self::load(None, []).expect("the defaults are allowed")
    }
}

impl Config {
    /// Reads the file, if there is one, lays the environment over it and checks everything.
    ///
    /// # Errors
    /// When the file cannot be read, or with everything that is wrong in it and in the environment.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let Some(path) = file else { return Self::from_text(None, environment) };
        let text = std::fs::read_to_string(path)
            .map_err(|reason| ConfigError::Unreadable { path: path.to_path_buf(), reason })?;
        Self::from_text(Some(&File::new(path, &text)), environment)
    }

    fn from_text(
        file: Option<&File<'_>>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut raw = Raw::empty();
        let mut problems = Vec::new();
        if let Some(file) = file {
            raw.add_file(file, &mut problems).map_err(ConfigError::Invalid)?;
        }
        raw.add_environment(environment, &mut problems);
        let config = Self::check(&raw, &mut problems);
        problems.extend(config.too_many_feeds());
        if problems.is_empty() {
            return Ok(config);
        }
        problems.sort();
        Err(ConfigError::Invalid(problems))
    }

    /// The same with a budget that was set while the node runs, so that no file or variable gives it.
    pub fn with_budget(&self, budget: Budget) -> Self {
        let mut config = Self { budget, ..self.clone() };
        config.origins.retain(|key, _| !key.starts_with("budget.") || key == "budget.burst");
        config
    }

    /// How a host is to be treated.
    pub fn rule_for(&self, host: &str) -> HostRule {
        self.hosts.rule_for(host, &self.crawl)
    }

    fn too_many_feeds(&self) -> Option<Problem> {
        let (declared, most) = (self.declared.len(), self.feeds.most);
        let place = self.origins.get("feeds.most").cloned().unwrap_or(Place::Default);
        let message =
            format!("`feeds.most` = {most} ({place}): must be at least the {declared} of [[feed]]");
        (declared > most).then_some(Problem { place, message })
    }

    /// What is meant by what was set; to be thrown away if there are problems.
    fn check(raw: &Raw, problems: &mut Vec<Problem>) -> Self {
        let crawl = Crawl::read(&mut Section::new(raw.section("crawl"), problems));
        let tls = Tls::read(&mut Section::new(raw.section("tls"), problems));
        let api = Api::read(&mut Section::new(raw.section("api"), problems));
        let peers = Peers::read(&mut Section::new(raw.section("peers"), problems));
        let readers = Reader::read_all(&raw.readers, &peers.limits, &api, problems);
        Self {
            node: Node::read(&mut Section::new(raw.section("node"), problems), tls.is_some()),
            store: Store::read(&mut Section::new(raw.section("store"), problems)),
            budget: Budget::read(&mut Section::new(raw.section("budget"), problems)),
            schedule: Schedule::read(&mut Section::new(raw.section("schedule"), problems)),
            hosts: Hosts::read(&raw.hosts, &crawl, problems),
            crawl,
            feeds: Feeds::read(&mut Section::new(raw.section("feeds"), problems)),
            websub: WebSub::read(&mut Section::new(raw.section("websub"), problems)),
            api,
            tls,
            peers,
            clock: Clock::read(&mut Section::new(raw.section("clock"), problems)),
            log: Log::read(&mut Section::new(raw.section("log"), problems)),
            sources: Source::read_all(&raw.sources, problems),
            declared: DeclaredFeed::read_all(&raw.feeds, &readers, problems),
            readers,
            origins: raw.origins(),
        }
    }
}

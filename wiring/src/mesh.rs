//! What is to be wired: sources, feeds with their interests, and the nodes that host them.

mod file;
mod join;

use std::collections::HashMap;

use crate::profile::{Dictionary, Profile};

pub(crate) use file::body_of;
pub use file::{FileError, read};

/// Everything that is to be wired.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The keywords of all profiles.
    pub dictionary: Dictionary,
    /// Where items come from.
    pub sources: Vec<Source>,
    /// Who wants which of them.
    pub feeds: Vec<Feed>,
    /// The nodes, if they are given; else each feed has its own.
    pub nodes: Vec<String>,
}

/// A feed that no node of the mesh publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name, unique among sources and feeds.
    pub name: String,
    /// Where it is.
    pub url: Option<String>,
    /// What it publishes about.
    pub profile: Profile,
    /// Items a day, if known.
    pub items_per_day: Option<f64>,
    /// It is a feed of a node that could not be asked, so what is behind it is not known.
    pub unknown: bool,
}

/// A feed that a node of the mesh publishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    /// Its name, unique among sources and feeds.
    pub name: String,
    /// What it is interested in.
    pub profile: Profile,
    /// The query it filters by, if that says more than the keywords: `CREATE FEED …` or a condition.
    pub query: Option<String>,
    /// The node that hosts it, if that was said.
    pub node: Option<String>,
}

/// What makes a mesh impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum MeshError {
    #[error(
        "`{name}` is the name of two {kinds}; every source and every feed needs a name of its own"
    )]
    DuplicateName { name: String, kinds: &'static str },
    #[error(
        "`{name}` cannot be a name: use letters, digits, `-`, `_` and `.`, at most 100 of them"
    )]
    BadName { name: String },
    #[error(
        "{kind} `{name}` has no keywords; without any it resembles nothing and cannot be wired"
    )]
    NoKeywords { kind: &'static str, name: String },
    #[error("there are no sources; nothing could flow")]
    NoSources,
    #[error("there are no feeds; nothing is to be wired")]
    NoFeeds,
    #[error("feed `{feed}` is hosted by `{node}`, which is not one of the nodes{}", hint(.nearest))]
    UnknownNode { feed: String, node: String, nearest: Option<String> },
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

impl Mesh {
    /// Whether it can be wired at all.
    ///
    /// # Errors
    /// The first thing that makes it impossible.
    pub fn check(&self) -> Result<(), MeshError> {
        if self.sources.is_empty() {
            return Err(MeshError::NoSources);
        }
        if self.feeds.is_empty() {
            return Err(MeshError::NoFeeds);
        }
        self.check_names()?;
        let sources = self.sources.iter().map(|source| ("source", &source.name, &source.profile));
        let feeds = self.feeds.iter().map(|feed| ("feed", &feed.name, &feed.profile));
        if let Some((kind, name, _)) = sources.chain(feeds).find(|(_, _, words)| words.is_empty()) {
            return Err(MeshError::NoKeywords { kind, name: name.clone() });
        }
        self.check_nodes()
    }

    /// Whether every name can be one and is there once.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_names(&self) -> Result<(), MeshError> {
        let sources = self.sources.iter().map(|source| ("source", &source.name));
        let feeds = self.feeds.iter().map(|feed| ("feed", &feed.name));
        let mut seen: HashMap<&str, &str> = HashMap::new();
        for (kind, name) in sources.chain(feeds) {
            if !is_name(name) {
                return Err(MeshError::BadName { name: name.clone() });
            }
            if let Some(before) = seen.insert(name, kind) {
                let kinds = match (before, kind) {
                    ("source", "source") => "sources",
                    ("feed", _) => "feeds",
                    _ => "things, a source and a feed",
                };
                return Err(MeshError::DuplicateName { name: name.clone(), kinds });
            }
        }
        let hosts = self.feeds.iter().filter_map(|feed| feed.node.as_ref());
        match hosts.into_iter().find(|name| !is_name(name)) {
            Some(name) => Err(MeshError::BadName { name: name.clone() }),
            None => Ok(()),
        }
    }

    fn check_nodes(&self) -> Result<(), MeshError> {
        let mut seen: HashMap<&str, ()> = HashMap::new();
        for name in &self.nodes {
            if !is_name(name) {
                return Err(MeshError::BadName { name: name.clone() });
            }
            if seen.insert(name, ()).is_some() {
                return Err(MeshError::DuplicateName { name: name.clone(), kinds: "nodes" });
            }
        }
        for feed in &self.feeds {
            if let Some(node) = &feed.node
                && !self.nodes.is_empty()
                && !seen.contains_key(node.as_str())
            {
                let nearest = nearest(node, self.nodes.iter().map(String::as_str));
                return Err(MeshError::UnknownNode {
                    feed: feed.name.clone(),
                    node: node.clone(),
                    nearest,
                });
            }
        }
        Ok(())
    }

    /// The feeds in the order in which trees are grown: the largest profile first, ties by name. All
    /// trees share it, so every edge leads forward.
    pub fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.feeds.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (&self.feeds[a as usize], &self.feeds[b as usize]);
            b.profile.len().cmp(&a.profile.len()).then_with(|| a.name.cmp(&b.name))
        });
        order
    }
}

/// Whether a text can be the name of a source, feed or node everywhere it will be written.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=100).contains(&text.len()) && text.chars().all(plain)
}

/// The name most like one that does not exist.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let scored = names.map(|name| (strsim::jaro_winkler(name, wanted), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
    best.filter(|(score, _)| *score > 0.7).map(|(_, name)| name.to_owned())
}

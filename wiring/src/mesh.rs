//! What is to be wired: sources, feeds with their interests, and the nodes that host the feeds.

use std::collections::HashMap;

use crate::profile::{Dictionary, Profile};

/// The longest name of a source, feed or node.
pub const LONGEST_NAME: usize = 100;

/// Everything that is to be wired.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The keywords of all profiles.
    pub dictionary: Dictionary,
    pub sources: Vec<Source>,
    pub feeds: Vec<Feed>,
    /// The nodes that may host feeds. If there are none, every feed without a node gets one of its own.
    pub nodes: Vec<String>,
}

/// A feed from outside the mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// Unique among sources and feeds.
    pub name: String,
    pub url: Option<String>,
    /// What it publishes about.
    pub profile: Profile,
    pub items_per_day: Option<f64>,
    /// It is a feed of a node that did not answer, so it is not known what that feed reads.
    pub unknown: bool,
}

/// A feed that a node of the mesh publishes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feed {
    /// Unique among sources and feeds.
    pub name: String,
    /// What it wants.
    pub profile: Profile,
    /// The query it filters by, if that says more than the keywords: `CREATE FEED …` or a condition.
    pub query: Option<String>,
    /// The node that hosts it, if that is given.
    pub node: Option<String>,
}

/// Why a mesh cannot be wired.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    #[error("`{name}` is the name of two {kinds}; rename one of them")]
    DuplicateName { name: String, kinds: &'static str },
    #[error(
        "`{name}` cannot be a name: use letters, digits, `-`, `_` and `.`, at most {LONGEST_NAME} of them"
    )]
    BadName { name: String },
    #[error("{kind} `{name}` has no keywords, so it is similar to nothing and cannot be wired")]
    NoKeywords { kind: &'static str, name: String },
    #[error("the mesh has no sources; add at least one")]
    NoSources,
    #[error("the mesh has no feeds; add at least one")]
    NoFeeds,
}

impl Mesh {
    /// Checks that the mesh can be wired.
    ///
    /// # Errors
    /// The first problem found.
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
        match sources.chain(feeds).find(|(_, _, words)| words.is_empty()) {
            Some((kind, name, _)) => Err(MeshError::NoKeywords { kind, name: name.clone() }),
            None => Ok(()),
        }
    }

    /// Checks that all names are valid, that no two sources or feeds share one, and that no two nodes do.
    ///
    /// # Errors
    /// The first name that is wrong.
    pub fn check_names(&self) -> Result<(), MeshError> {
        let sources = self.sources.iter().map(|source| ("source", &source.name));
        let feeds = self.feeds.iter().map(|feed| ("feed", &feed.name));
        check_unique(sources.chain(feeds))?;
        check_unique(self.nodes.iter().map(|node| ("node", node)))?;
        let mut hosts = self.feeds.iter().filter_map(|feed| feed.node.as_ref());
        match hosts.find(|name| !is_name(name)) {
            Some(name) => Err(MeshError::BadName { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// The feeds in the order in which they join the trees: the largest profile first, ties by name. All
    /// trees use this order, so every edge leads forward.
    pub fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.feeds.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (&self.feeds[a as usize], &self.feeds[b as usize]);
            b.profile.len().cmp(&a.profile.len()).then_with(|| a.name.cmp(&b.name))
        });
        order
    }
}

/// Checks names, each given with its kind.
fn check_unique<'a>(
    names: impl Iterator<Item = (&'static str, &'a String)>,
) -> Result<(), MeshError> {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for (kind, name) in names {
        if !is_name(name) {
            return Err(MeshError::BadName { name: name.clone() });
        }
        if let Some(before) = seen.insert(name, kind) {
            let kinds = match (before, kind) {
                ("source", "source") => "sources",
                ("feed", "feed") => "feeds",
                ("node", "node") => "nodes",
                _ => "things, a source and a feed",
            };
            return Err(MeshError::DuplicateName { name: name.clone(), kinds });
        }
    }
    Ok(())
}

/// Whether a text can be the name of a source, feed or node. Such a name needs no escaping in JSON,
/// DOT, file names and shell commands.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=LONGEST_NAME).contains(&text.len()) && text.chars().all(plain)
}

/// `count` names with numbers of equal length: `node-00` to `node-99`.
pub fn numbered_names(kind: &str, count: usize) -> impl Iterator<Item = String> {
    let digits = count.saturating_sub(1).max(1).ilog10() as usize + 1;
    (0..count).map(move |number| format!("{kind}{number:0digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_have_equal_length() {
        let names = |count| numbered_names("node-", count).collect::<Vec<_>>();
        assert_eq!(names(1), ["node-0"]);
        assert_eq!(names(10).last().unwrap(), "node-9");
        assert_eq!(names(11).first().unwrap(), "node-00");
    }

    #[test]
    fn nodes_need_valid_and_different_names() {
        let with = |nodes: &[&str]| {
            let nodes = nodes.iter().map(|&node| node.to_owned()).collect();
            Mesh { nodes, ..Mesh::default() }.check_names()
        };
        assert_eq!(with(&["a", "b"]), Ok(()));
        let twice = MeshError::DuplicateName { name: "a".to_owned(), kinds: "nodes" };
        assert_eq!(with(&["a", "a"]), Err(twice));
        assert_eq!(with(&["a b"]), Err(MeshError::BadName { name: "a b".to_owned() }));
    }
}

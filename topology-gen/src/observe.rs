//! The graph of a mesh that runs, from what its nodes say of themselves.
//!
//! `ask` asks nodes and follows them to those they read from; [`Seen`] is what they said;
//! [`Seen::graph`] makes the graph of it, in the form that `generate` has: who reads from whom, and what comes
//! over it. A feed that reads another gets whatever that one has, so an edge stands here for every source that
//! comes over a subscription, also where the generator meant another way for it; the subscriptions are the
//! same. A node that cannot be asked is where the view ends: its feeds stand among the sources, as unknown.

mod ask;
mod line;
mod names;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pergola_query::syntax::{SourceRef, Statement};
use url::Url;

use crate::graph::{Edge, Graph, Vertex};
use crate::mesh::{Feed, Mesh, Source};
use crate::profile::{Dictionary, Profile};
use names::Names;

pub use ask::{AskError, Asking, ask};
pub use line::TrustError;

/// What nodes have said.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Those that have answered.
    pub nodes: Vec<Node>,
    /// Those that have not: where, and why.
    pub silent: Vec<(String, String)>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// A node that has answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// What it is known by among nodes.
    pub id: String,
    /// Its name, for people.
    pub name: String,
    /// The addresses at which it is known: where it was asked, and where it says it is.
    pub origins: Vec<String>,
    /// Its feeds.
    pub feeds: Vec<Described>,
}

/// A feed as its node describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Described {
    /// Its name at its node.
    pub name: String,
    /// What it asks for.
    pub keywords: Vec<String>,
    /// What it reads, directly.
    pub reads: Vec<Read>,
}

/// Something that a feed reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// Another feed of the same node.
    Own(String),
    /// A feed of another node, or what looks like one.
    Peer {
        /// Its address.
        url: String,
        /// The node's id, if that was told.
        node: Option<String>,
        /// The feed's name there.
        feed: String,
        /// It is known to be a node, not only by the look of its address.
        certain: bool,
    },
    /// Anything else.
    Source {
        /// Its address.
        url: String,
        /// What its reader calls it.
        title: Option<String>,
    },
}

/// What a node tells of something that it crawls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Upstream {
    /// Its address.
    pub url: String,
    /// The id of the node that publishes it, if it is one.
    pub node: String,
    /// The feed's name there.
    pub feed: String,
    /// What the node calls it.
    pub title: String,
}

/// What a feed reads directly, by its statement; lists are told by what they have come to.
pub(crate) fn reads(statement: &str, upstreams: &[Upstream]) -> Vec<Read> {
    let known = |url: &str| upstreams.iter().find(|upstream| upstream.url == url);
    let crawled = |url: &str| {
        let told = known(url);
        if let Some(Upstream { node, feed, .. }) = told.filter(|told| !told.node.is_empty()) {
            let (node, feed) = (Some(node.clone()), feed.clone());
            return Read::Peer { url: url.to_owned(), node, feed, certain: true };
        }
        match feed_at(url) {
            Some(feed) => Read::Peer { url: url.to_owned(), node: None, feed, certain: false },
            None => {
                let title = told.map(|told| told.title.clone()).filter(|title| !title.is_empty());
                Read::Source { url: url.to_owned(), title }
            }
        }
    };
    let script = pergola_query::parse(statement);
    let body = script.ok().and_then(|script| match script.statements.into_iter().next()?.value {
        Statement::Create(feed) => Some(feed.body),
        _ => None,
    });
    let everything = || upstreams.iter().map(|upstream| crawled(&upstream.url)).collect::<Vec<_>>();
    let Some(body) = body else { return everything() };
    let mut found = BTreeSet::new();
    for clause in body.sources {
        match clause.source.value {
            SourceRef::Url(url) => _ = found.insert(crawled(&url)),
            SourceRef::Feed(name) => _ = found.insert(Read::Own(name)),
            SourceRef::Peer { node, feed } => {
                let url = format!("{}/feeds/{feed}.atom", node.trim_end_matches('/'));
                let node = known(&url).map(|told| told.node.clone()).filter(|id| !id.is_empty());
                found.insert(Read::Peer { url, node, feed, certain: true });
            }
            SourceRef::Opml(_) => found.extend(everything()),
        }
    }
    found.into_iter().collect()
}

/// The name of the feed that an address would be of, were it a node's.
fn feed_at(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let name = url.path().rsplit_once("/feeds/")?.1;
    let name =
        [".atom", ".rss", ".json"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    (!name.is_empty() && !name.contains('/') && url.query().is_none()).then(|| name.to_owned())
}

/// Where a node is that publishes at this address: what comes before its feeds.
pub(crate) fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let origin = url.origin().ascii_serialization();
    let path = url.path().rsplit_once("/feeds/").map_or(url.path(), |(before, _)| before);
    Some(format!("{origin}{}", path.trim_end_matches('/')))
}

impl Seen {
    /// The graph that was seen.
    pub fn graph(&self) -> (Mesh, Graph) {
        let mut names = Names::default();
        let mut mesh = Mesh::default();
        let mut numbers: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        for (place, feed) in self.feeds() {
            let node = names::plain(&self.nodes[place].name);
            numbers.insert((place, &feed.name), mesh.feeds.len() as u32);
            mesh.feeds.push(Feed {
                name: names.feed(&feed.name, &node, self.is_ambiguous(&feed.name)),
                profile: profile(&mut mesh.dictionary, &feed.keywords),
                query: None,
                node: Some(node),
            });
        }
        let mut sources: BTreeMap<String, u32> = BTreeMap::new();
        let mut links: BTreeSet<(Vertex, u32)> = BTreeSet::new();
        for (place, feed) in self.feeds() {
            let to = numbers[&(place, feed.name.as_str())];
            for read in &feed.reads {
                let own = match read {
                    Read::Own(name) => numbers.get(&(place, name.as_str())),
                    Read::Peer { .. } => self.find(read).and_then(|found| numbers.get(&found)),
                    Read::Source { .. } => None,
                };
                let from = match own {
                    Some(&number) => Vertex::Feed(number),
                    None => {
                        let source = self.source_of(read);
                        let key = source.url.clone().unwrap_or_else(|| source.name.clone());
                        Vertex::Source(*sources.entry(key).or_insert_with(|| {
                            let name = names.source(&source.name);
                            mesh.sources.push(Source { name, ..source });
                            mesh.sources.len() as u32 - 1
                        }))
                    }
                };
                if from != Vertex::Feed(to) {
                    links.insert((from, to));
                }
            }
        }
        self.anchor(&mut mesh, &mut names, &mut links);
        let graph =
            Graph { edges: flow(&mesh, &links), order: (0..mesh.feeds.len() as u32).collect() };
        (mesh, graph)
    }

    fn feeds(&self) -> impl Iterator<Item = (usize, &Described)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(place, node)| node.feeds.iter().map(move |feed| (place, feed)))
    }

    fn is_ambiguous(&self, name: &str) -> bool {
        self.feeds().filter(|(_, feed)| feed.name == name).count() > 1
    }

    /// The node and the feed there that is read, if they were seen.
    fn find<'a>(&'a self, read: &'a Read) -> Option<(usize, &'a str)> {
        let Read::Peer { url, node: id, feed, .. } = read else { return None };
        let at = origin(url);
        let is_it = |node: &Node| match id {
            Some(id) => node.id == *id,
            None => at.as_ref().is_some_and(|at| node.origins.contains(at)),
        };
        Some((self.nodes.iter().position(is_it)?, feed.as_str()))
    }

    /// What is read, as where the view ends.
    fn source_of(&self, read: &Read) -> Source {
        let (name, url, unknown) = match read {
            Read::Own(name) => (name.clone(), None, true),
            Read::Peer { url, feed, certain, .. } => {
                // What only looked like a node and is none is a source like any.
                let unknown = *certain || self.find(read).is_some();
                let name = if unknown { feed.clone() } else { names::of_url(url) };
                (name, Some(url.clone()), unknown)
            }
            Read::Source { url, title } => {
                let title = title.as_deref().map(names::plain).filter(|title| !title.is_empty());
                (title.unwrap_or_else(|| names::of_url(url)), Some(url.clone()), false)
            }
        };
        Source { name, url, profile: Profile::default(), items_per_day: None, unknown }
    }

    /// Whoever is reached from no source hangs below the unknown.
    fn anchor(&self, mesh: &mut Mesh, names: &mut Names, links: &mut BTreeSet<(Vertex, u32)>) {
        let mut nowhere = None;
        let mut reached = reached(mesh, links);
        for feed in 0..mesh.feeds.len() as u32 {
            if reached[feed as usize] {
                continue;
            }
            let source = *nowhere.get_or_insert_with(|| {
                let name = names.source("unknown");
                let profile = Profile::default();
                let unknown = true;
                mesh.sources.push(Source {
                    name,
                    url: None,
                    profile,
                    items_per_day: None,
                    unknown,
                });
                mesh.sources.len() as u32 - 1
            });
            links.insert((Vertex::Source(source), feed));
            reached = self::reached(mesh, links);
        }
    }
}

fn profile(dictionary: &mut Dictionary, keywords: &[String]) -> Profile {
    Profile::new(keywords.iter().map(|word| dictionary.add(word)).collect())
}

/// Which feeds anything comes to.
fn reached(mesh: &Mesh, links: &BTreeSet<(Vertex, u32)>) -> Vec<bool> {
    let sources = 0..mesh.sources.len() as u32;
    let mut reached = vec![false; mesh.feeds.len()];
    for source in sources {
        for (feed, hops) in hops_from(source, mesh, links).into_iter().enumerate() {
            reached[feed] |= hops.is_some();
        }
    }
    reached
}

/// Hops from a source to every feed that it comes to, by the shortest way.
fn hops_from(source: u32, mesh: &Mesh, links: &BTreeSet<(Vertex, u32)>) -> Vec<Option<u32>> {
    let mut hops: Vec<Option<u32>> = vec![None; mesh.feeds.len()];
    let mut next = VecDeque::from([(Vertex::Source(source), 0)]);
    while let Some((at, steps)) = next.pop_front() {
        for &(_, to) in links.range((at, 0)..=(at, u32::MAX)) {
            if hops[to as usize].is_none() {
                hops[to as usize] = Some(steps + 1);
                next.push_back((Vertex::Feed(to), steps + 1));
            }
        }
    }
    hops
}

/// An edge for every source that comes over every link; tree by tree, parents before their children.
fn flow(mesh: &Mesh, links: &BTreeSet<(Vertex, u32)>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for source in 0..mesh.sources.len() as u32 {
        let hops = hops_from(source, mesh, links);
        let mut tree: Vec<Edge> = links
            .iter()
            .filter_map(|&(from, to)| {
                let above = match from {
                    Vertex::Source(other) => (other == source).then_some(0)?,
                    Vertex::Feed(feed) => hops[feed as usize]?,
                };
                Some(Edge { from, to, source, hops: above + 1 })
            })
            .collect();
        tree.sort_by_key(|edge| (edge.hops, edge.to, edge.from));
        edges.extend(tree);
    }
    edges
}

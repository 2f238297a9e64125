//! Makes a graph of what nodes have answered.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pergola_wiring::graph::{Edge, Graph, Vertex};
use pergola_wiring::mesh::{Feed, Mesh, Source};

use super::names::{self, Names};
use super::reads::origin;
use super::seen::{Described, Node, Read, Seen};

/// Subscriptions: what is read, and the feed that reads.
type Links = BTreeSet<(Vertex, u32)>;

impl Seen {
    /// The graph of all nodes that answered.
    pub fn graph(&self) -> (Mesh, Graph) {
        let mut names = Names::default();
        let mut mesh = Mesh::default();
        let mut numbers: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        for (place, feed) in self.feeds() {
            let node = names::plain(&self.nodes[place].name);
            numbers.insert((place, &feed.name), mesh.feeds.len() as u32);
            mesh.feeds.push(Feed {
                name: names.feed(&feed.name, &node, self.is_ambiguous(&feed.name)),
                profile: mesh.dictionary.profile(feed.keywords.iter().map(String::as_str)),
                query: None,
                node: Some(node),
            });
        }
        let mut sources: BTreeMap<String, u32> = BTreeMap::new();
        let mut links = Links::new();
        for (place, feed) in self.feeds() {
            let to = numbers[&(place, feed.name.as_str())];
            for read in &feed.reads {
                let feed = match read {
                    Read::Own(name) => numbers.get(&(place, name.as_str())),
                    Read::Peer { .. } => self.find(read).and_then(|found| numbers.get(&found)),
                    Read::Source { .. } => None,
                };
                let from = match feed {
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
        anchor(&mut mesh, &mut names, &mut links);
        let order = (0..mesh.feeds.len() as u32).collect();
        let graph = Graph { edges: edges(&mesh, &links), order };
        (mesh, graph)
    }

    /// All feeds, each with the place of its node.
    fn feeds(&self) -> impl Iterator<Item = (usize, &Described)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.flat_map(|(place, node)| node.feeds.iter().map(move |feed| (place, feed)))
    }

    fn is_ambiguous(&self, name: &str) -> bool {
        self.feeds().filter(|(_, feed)| feed.name == name).count() > 1
    }

    /// The node that publishes what is read, and the name of the feed there, if that node answered.
    fn find<'a>(&'a self, read: &'a Read) -> Option<(usize, &'a str)> {
        let Read::Peer { url, node: id, feed, .. } = read else { return None };
        let at = origin(url);
        let publishes = |node: &Node| match id {
            Some(id) => node.id == *id,
            None => at.as_ref().is_some_and(|at| node.origins.contains(at)),
        };
        Some((self.nodes.iter().position(publishes)?, feed.as_str()))
    }

    /// What is read, as a source of the graph.
    fn source_of(&self, read: &Read) -> Source {
        let (name, url, unknown) = match read {
            Read::Own(name) => (name.clone(), None, true),
            Read::Peer { url, feed, certain, .. } => {
                // If only the URL has the form of a node's, and no node is there, it is an ordinary source.
                let unknown = *certain || self.find(read).is_some();
                let name = if unknown { feed.clone() } else { names::of_url(url) };
                (name, Some(url.clone()), unknown)
            }
            Read::Source { url, title } => {
                let title = title.as_deref().map(names::plain).filter(|title| !title.is_empty());
                (title.unwrap_or_else(|| names::of_url(url)), Some(url.clone()), false)
            }
        };
        Source { name, url, unknown, ..Source::default() }
    }
}

/// Connects feeds that no source leads to with a source marked as unknown.
fn anchor(mesh: &mut Mesh, names: &mut Names, links: &mut Links) {
    let mut nowhere = None;
    let mut reached = reached(mesh, links);
    for feed in 0..mesh.feeds.len() as u32 {
        if reached[feed as usize] {
            continue;
        }
        let source = *nowhere.get_or_insert_with(|| {
            let name = names.source("unknown");
            mesh.sources.push(Source { name, unknown: true, ..Source::default() });
            mesh.sources.len() as u32 - 1
        });
        links.insert((Vertex::Source(source), feed));
        reached = self::reached(mesh, links);
    }
}

/// Which feeds a source leads to.
fn reached(mesh: &Mesh, links: &Links) -> Vec<bool> {
    let mut reached = vec![false; mesh.feeds.len()];
    for source in 0..mesh.sources.len() as u32 {
        for (feed, hops) in hops_from(source, mesh, links).into_iter().enumerate() {
            reached[feed] |= hops.is_some();
        }
    }
    reached
}

/// Hops from a source to every feed that it leads to, by the shortest path.
fn hops_from(source: u32, mesh: &Mesh, links: &Links) -> Vec<Option<u32>> {
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

/// An edge for every source whose items a subscription can carry. Tree by tree, parents before children.
fn edges(mesh: &Mesh, links: &Links) -> Vec<Edge> {
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

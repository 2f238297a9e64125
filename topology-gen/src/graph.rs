//! Who subscribes to whom: the union of all trees.

use std::fmt::Write;

use serde::Serialize;

use crate::mesh::Mesh;

/// Where an edge begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Vertex {
    /// A source, by its number in the mesh.
    Source(u32),
    /// A feed, by its number in the mesh.
    Feed(u32),
}

/// A feed reads from another feed, or from a source, what comes from one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What is read.
    pub from: Vertex,
    /// The feed that reads.
    pub to: u32,
    /// The source whose tree this edge belongs to.
    pub source: u32,
    /// Hops from that source to the feed that reads.
    pub hops: u32,
}

/// All trees together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Tree after tree, in the order in which feeds have joined.
    pub edges: Vec<Edge>,
    /// All feeds in the order in which trees were grown.
    pub order: Vec<u32>,
}

impl Graph {
    /// What each feed subscribes to, each once: the union of the trees, by feed.
    pub fn subscriptions(&self, feeds: usize) -> Vec<Vec<Vertex>> {
        let mut parents = vec![Vec::new(); feeds];
        for edge in &self.edges {
            parents[edge.to as usize].push(edge.from);
        }
        for list in &mut parents {
            list.sort_unstable();
            list.dedup();
        }
        parents
    }

    /// Whether items can never run in a circle. True by construction; this looks at the edges alone, by
    /// taking away again and again what nothing leads to.
    pub fn check(&self, feeds: usize) -> bool {
        let parents = self.subscriptions(feeds);
        let mut children = vec![Vec::new(); feeds];
        let mut waiting = vec![0_u32; feeds];
        for (feed, list) in parents.iter().enumerate() {
            for parent in list {
                if let Vertex::Feed(parent) = parent {
                    children[*parent as usize].push(feed);
                    waiting[feed] += 1;
                }
            }
        }
        let mut free: Vec<usize> = (0..feeds).filter(|&feed| waiting[feed] == 0).collect();
        let mut taken = 0;
        while let Some(feed) = free.pop() {
            taken += 1;
            for &child in &children[feed] {
                waiting[child] -= 1;
                if waiting[child] == 0 {
                    free.push(child);
                }
            }
        }
        taken == feeds
    }

    /// As programs read it: sources, feeds and edges by name.
    pub fn to_json(&self, mesh: &Mesh) -> GraphJson {
        let words = |profile: &crate::profile::Profile| {
            profile.keywords().iter().map(|&word| mesh.dictionary.word(word).to_owned()).collect()
        };
        GraphJson {
            sources: mesh
                .sources
                .iter()
                .map(|source| VertexJson {
                    name: source.name.clone(),
                    keywords: words(&source.profile),
                })
                .collect(),
            feeds: mesh
                .feeds
                .iter()
                .map(|feed| VertexJson { name: feed.name.clone(), keywords: words(&feed.profile) })
                .collect(),
            edges: self
                .edges
                .iter()
                .map(|edge| EdgeJson {
                    from: mesh.name(edge.from).to_owned(),
                    to: mesh.feeds[edge.to as usize].name.clone(),
                    source: mesh.sources[edge.source as usize].name.clone(),
                    hops: edge.hops,
                })
                .collect(),
        }
    }

    /// In the language of Graphviz: one edge per subscription, labelled by how many sources come over it.
    pub fn to_dot(&self, mesh: &Mesh) -> String {
        let mut carried: std::collections::BTreeMap<(Vertex, u32), u32> = Default::default();
        for edge in &self.edges {
            *carried.entry((edge.from, edge.to)).or_default() += 1;
        }
        let mut dot = String::from("digraph mesh {\n  rankdir=LR;\n  node [shape=ellipse];\n");
        for source in &mesh.sources {
            let _ = writeln!(dot, "  \"{}\" [shape=box];", source.name);
        }
        for feed in &mesh.feeds {
            let _ = writeln!(dot, "  \"{}\";", feed.name);
        }
        for ((from, to), count) in carried {
            let (from, to) = (mesh.name(from), &mesh.feeds[to as usize].name);
            let _ = writeln!(dot, "  \"{from}\" -> \"{to}\" [label={count}];");
        }
        dot + "}\n"
    }
}

impl Mesh {
    /// The name of a source or feed.
    pub fn name(&self, vertex: Vertex) -> &str {
        match vertex {
            Vertex::Source(source) => &self.sources[source as usize].name,
            Vertex::Feed(feed) => &self.feeds[feed as usize].name,
        }
    }
}

/// A graph as it is written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphJson {
    sources: Vec<VertexJson>,
    feeds: Vec<VertexJson>,
    edges: Vec<EdgeJson>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct VertexJson {
    name: String,
    keywords: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct EdgeJson {
    from: String,
    to: String,
    source: String,
    hops: u32,
}

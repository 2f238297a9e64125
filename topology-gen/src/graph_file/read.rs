//! Reads a graph that `generate` or `observe` wrote as JSON.

use std::collections::HashMap;
use std::path::Path;

use pergola_wiring::graph::{Edge, Graph, Vertex};
use pergola_wiring::mesh::{Feed, Mesh, Source};
use pergola_wiring::profile::{Dictionary, Profile};
use serde::Deserialize;

use crate::file::{self, FileError};
use crate::names::did_you_mean;

/// Why the edges of a file make no graph.
#[derive(Debug, thiserror::Error)]
enum Invalid {
    #[error("edge {number} names the {kind} `{name}`, which is not in the file{hint}")]
    UnknownName { number: usize, kind: &'static str, name: String, hint: String },
    #[error(
        "`{to}` reads from `{from}` what comes from `{source_name}`, which does not come to `{from}`"
    )]
    Detached { from: String, to: String, source_name: String },
    #[error("feed `{feed}` reads nothing: no edge leads to it")]
    ReadsNothing { feed: String },
    #[error(
        "feeds read each other in a cycle, `{feed}` among them; a graph with a cycle cannot be drawn or \
         measured"
    )]
    Cycle { feed: String },
}

#[derive(Deserialize)]
struct RawGraph {
    #[serde(default)]
    sources: Vec<RawVertex>,
    #[serde(default)]
    feeds: Vec<RawVertex>,
    /// Missing in a mesh that is not wired yet.
    edges: Option<Vec<RawEdge>>,
}

#[derive(Deserialize)]
struct RawVertex {
    name: String,
    #[serde(default)]
    keywords: Vec<String>,
    url: Option<String>,
    node: Option<String>,
    #[serde(default)]
    unknown: bool,
}

#[derive(Deserialize)]
struct RawEdge {
    from: String,
    to: String,
    source: String,
    hops: u32,
}

/// Reads a graph. `None` if the file is not JSON with edges.
///
/// # Errors
/// When the file cannot be read, or its parts do not fit together.
pub fn read(path: &Path) -> Result<Option<(Mesh, Graph)>, FileError> {
    if path.extension().is_none_or(|ending| ending != "json") {
        return Ok(None);
    }
    let text = file::read(path)?;
    let raw: RawGraph =
        serde_json::from_str(&text).map_err(|error| FileError::invalid(path, error))?;
    let RawGraph { sources, feeds, edges: Some(edges) } = raw else { return Ok(None) };
    let mesh = mesh(sources, feeds);
    mesh.check_names().map_err(|error| FileError::invalid(path, error))?;
    let graph = graph(&mesh, &edges).map_err(|error| FileError::invalid(path, error))?;
    Ok(Some((mesh, graph)))
}

fn mesh(sources: Vec<RawVertex>, feeds: Vec<RawVertex>) -> Mesh {
    let mut dictionary = Dictionary::default();
    let mut profile = |raw: &RawVertex| -> Profile {
        dictionary.profile(raw.keywords.iter().map(String::as_str))
    };
    let sources = sources.into_iter().map(|raw| Source {
        profile: profile(&raw),
        name: raw.name,
        url: raw.url,
        items_per_day: None,
        unknown: raw.unknown,
    });
    let sources = sources.collect();
    let feeds = feeds.into_iter().map(|raw| Feed {
        profile: profile(&raw),
        name: raw.name,
        query: None,
        node: raw.node,
    });
    let feeds = feeds.collect();
    Mesh { dictionary, sources, feeds, nodes: Vec::new() }
}

fn graph(mesh: &Mesh, raw: &[RawEdge]) -> Result<Graph, Invalid> {
    let names = Names::new(mesh);
    let mut edges = Vec::with_capacity(raw.len());
    for (number, edge) in (1..).zip(raw) {
        let source = |name: &str| names.sources.get(name).copied();
        let feed = |name: &str| names.feeds.get(name).copied();
        let from = source(&edge.from).map(Vertex::Source);
        let from = from.or_else(|| feed(&edge.from).map(Vertex::Feed));
        let unknown = |kind, name| unknown_name(mesh, number, kind, name);
        edges.push(Edge {
            from: from.ok_or_else(|| unknown("source or feed", &edge.from))?,
            to: feed(&edge.to).ok_or_else(|| unknown("feed", &edge.to))?,
            source: source(&edge.source).ok_or_else(|| unknown("source", &edge.source))?,
            hops: edge.hops,
        });
    }
    // Tree by tree, parents before their children.
    edges.sort_by_key(|edge| (edge.source, edge.hops));
    check_trees(mesh, &edges)?;
    let mut reads = vec![false; mesh.feeds.len()];
    edges.iter().for_each(|edge| reads[edge.to as usize] = true);
    let name = |feed: usize| mesh.feeds[feed].name.clone();
    if let Some(feed) = reads.iter().position(|reads| !reads) {
        return Err(Invalid::ReadsNothing { feed: name(feed) });
    }
    let graph = Graph { edges, order: (0..mesh.feeds.len() as u32).collect() };
    match graph.cycle(mesh.feeds.len()) {
        Some(feed) => Err(Invalid::Cycle { feed: name(feed as usize) }),
        None => Ok(graph),
    }
}

/// The numbers of sources and feeds by name.
struct Names<'a> {
    sources: HashMap<&'a str, u32>,
    feeds: HashMap<&'a str, u32>,
}

impl<'a> Names<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let sources = mesh.sources.iter().zip(0..).map(|(source, n)| (source.name.as_str(), n));
        let feeds = mesh.feeds.iter().zip(0..).map(|(feed, n)| (feed.name.as_str(), n));
        Self { sources: sources.collect(), feeds: feeds.collect() }
    }
}

/// Checks that the parent of every feed in a tree is in that tree, with fewer hops.
fn check_trees(mesh: &Mesh, edges: &[Edge]) -> Result<(), Invalid> {
    for tree in edges.chunk_by(|a, b| a.source == b.source) {
        let mut joined: HashMap<u32, u32> = HashMap::new();
        for edge in tree {
            if let Vertex::Feed(parent) = edge.from
                && joined.get(&parent).is_none_or(|&hops| hops >= edge.hops)
            {
                let name = |vertex| mesh.name(vertex).to_owned();
                return Err(Invalid::Detached {
                    from: name(edge.from),
                    to: name(Vertex::Feed(edge.to)),
                    source_name: name(Vertex::Source(edge.source)),
                });
            }
            joined.entry(edge.to).or_insert(edge.hops);
        }
    }
    Ok(())
}

fn unknown_name(mesh: &Mesh, number: usize, kind: &'static str, name: &str) -> Invalid {
    let sources = mesh.sources.iter().map(|source| source.name.as_str());
    let feeds = mesh.feeds.iter().map(|feed| feed.name.as_str());
    let hint = match kind {
        "source" => did_you_mean(name, sources),
        "feed" => did_you_mean(name, feeds),
        _ => did_you_mean(name, sources.chain(feeds)),
    };
    Invalid::UnknownName { number, kind, name: name.to_owned(), hint }
}

//! A graph that was written as JSON, by `generate` or by `observe`, read again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Edge, Graph, Vertex};
use crate::mesh::{Feed, Mesh, MeshError, Source, nearest};
use crate::profile::{Dictionary, Profile};

/// Why a file is no graph.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum ReadError {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{}: {reason}", path.display())]
    Syntax { path: PathBuf, reason: String },
    #[error("{}", path.display())]
    Mesh {
        path: PathBuf,
        #[source]
        source: MeshError,
    },
    #[error(
        "{}: edge {place} names the {kind} `{name}`, which is not in the file{hint}", path.display()
    )]
    UnknownName { path: PathBuf, place: usize, kind: &'static str, name: String, hint: String },
    #[error(
        "{}: `{to}` reads from `{from}` what comes from `{source_name}`, which does not come to `{from}`",
        path.display()
    )]
    Loose { path: PathBuf, from: String, to: String, source_name: String },
    #[error("{}: feed `{feed}` reads nothing: no edge leads to it", path.display())]
    ReadsNothing { path: PathBuf, feed: String },
    #[error(
        "{}: feeds read each other in a circle, `{feed}` among them; such a graph has no order to be \
         drawn or counted by", path.display()
    )]
    Circle { path: PathBuf, feed: String },
}

#[derive(Deserialize)]
struct RawGraph {
    #[serde(default)]
    sources: Vec<RawVertex>,
    #[serde(default)]
    feeds: Vec<RawVertex>,
    /// What a mesh that is still to be wired has not.
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

/// Reads a graph; nothing if the file is no JSON with edges in it.
///
/// # Errors
/// When it cannot be read, or its parts do not fit together.
pub fn read(path: &Path) -> Result<Option<(Mesh, Graph)>, ReadError> {
    if path.extension().is_none_or(|ending| ending != "json") {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path)
        .map_err(|source| ReadError::Unreadable { path: path.to_owned(), source })?;
    let raw: RawGraph = serde_json::from_str(&text)
        .map_err(|error| ReadError::Syntax { path: path.to_owned(), reason: error.to_string() })?;
    let RawGraph { sources, feeds, edges: Some(edges) } = raw else { return Ok(None) };
    let mesh = mesh(sources, feeds);
    mesh.check_names().map_err(|source| ReadError::Mesh { path: path.to_owned(), source })?;
    let graph = Reader { path, mesh: &mesh }.graph(&edges)?;
    Ok(Some((mesh, graph)))
}

fn mesh(sources: Vec<RawVertex>, feeds: Vec<RawVertex>) -> Mesh {
    let mut dictionary = Dictionary::default();
    let mut profile = |keywords: &[String]| {
        Profile::new(keywords.iter().map(|word| dictionary.add(word)).collect())
    };
    let source = |raw: RawVertex| (profile(&raw.keywords), raw);
    let sources: Vec<(Profile, RawVertex)> = sources.into_iter().map(source).collect();
    let sources = sources.into_iter().map(|(profile, raw)| {
        let RawVertex { name, url, unknown, .. } = raw;
        Source { name, url, profile, items_per_day: None, unknown }
    });
    let sources = sources.collect();
    let feed = |raw: RawVertex| Feed {
        profile: profile(&raw.keywords),
        name: raw.name,
        query: None,
        node: raw.node,
    };
    let feeds = feeds.into_iter().map(feed).collect();
    Mesh { dictionary, sources, feeds, nodes: Vec::new() }
}

struct Reader<'a> {
    path: &'a Path,
    mesh: &'a Mesh,
}

impl Reader<'_> {
    fn graph(&self, raw: &[RawEdge]) -> Result<Graph, ReadError> {
        let sources = self.mesh.sources.iter().zip(0..);
        let sources: HashMap<&str, u32> =
            sources.map(|(source, number)| (source.name.as_str(), number)).collect();
        let feeds: HashMap<&str, u32> =
            self.mesh.feeds.iter().zip(0..).map(|(feed, n)| (feed.name.as_str(), n)).collect();
        let mut edges = Vec::with_capacity(raw.len());
        for (place, edge) in raw.iter().enumerate() {
            let source = |name: &str| sources.get(name).copied();
            let feed = |name: &str| feeds.get(name).copied();
            let missing = |kind, name: &str| self.unknown(place, kind, name, &sources, &feeds);
            let from = source(&edge.from).map(Vertex::Source);
            let from = from.or_else(|| feed(&edge.from).map(Vertex::Feed));
            edges.push(Edge {
                from: from.ok_or_else(|| missing("source or feed", &edge.from))?,
                to: feed(&edge.to).ok_or_else(|| missing("feed", &edge.to))?,
                source: source(&edge.source).ok_or_else(|| missing("source", &edge.source))?,
                hops: edge.hops,
            });
        }
        // Tree by tree, parents before their children.
        edges.sort_by_key(|edge| (edge.source, edge.hops));
        self.check_trees(&edges)?;
        let mut read = vec![false; self.mesh.feeds.len()];
        edges.iter().for_each(|edge| read[edge.to as usize] = true);
        let name = |feed: usize| self.mesh.feeds[feed].name.clone();
        let path = || self.path.to_owned();
        if let Some(feed) = read.iter().position(|read| !read) {
            return Err(ReadError::ReadsNothing { path: path(), feed: name(feed) });
        }
        let graph = Graph { edges, order: (0..self.mesh.feeds.len() as u32).collect() };
        match graph.circle(self.mesh.feeds.len()) {
            Some(feed) => Err(ReadError::Circle { path: path(), feed: name(feed as usize) }),
            None => Ok(graph),
        }
    }

    /// Whether every feed in a tree hangs below one that has joined it by fewer hops.
    fn check_trees(&self, edges: &[Edge]) -> Result<(), ReadError> {
        for tree in edges.chunk_by(|a, b| a.source == b.source) {
            let mut joined: HashMap<u32, u32> = HashMap::new();
            for edge in tree {
                if let Vertex::Feed(parent) = edge.from
                    && joined.get(&parent).is_none_or(|&hops| hops >= edge.hops)
                {
                    let name = |vertex| self.mesh.name(vertex).to_owned();
                    return Err(ReadError::Loose {
                        path: self.path.to_owned(),
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

    fn unknown(
        &self,
        place: usize,
        kind: &'static str,
        name: &str,
        sources: &HashMap<&str, u32>,
        feeds: &HashMap<&str, u32>,
    ) -> ReadError {
        let near = match kind {
            "source" => nearest(name, sources.keys().copied()),
            "feed" => nearest(name, feeds.keys().copied()),
            _ => nearest(name, sources.keys().chain(feeds.keys()).copied()),
        };
        let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        ReadError::UnknownName {
            path: self.path.to_owned(),
            place: place + 1,
            kind,
            name: name.to_owned(),
            hint,
        }
    }
}

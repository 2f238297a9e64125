//! Reads `graph.json`, as topology-gen writes it, into a wiring with each feed on a node of its own.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::wiring::{Channel, Feed, Origin, Wiring};

/// Why a graph cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GraphError {
    #[error("cannot read the mesh {}: give chain:DEPTH, tree:FAN_OUTxDEPTH, diamond, or a graph.json", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{} is not a graph: {problem}; `topology-gen generate --output FOLDER` writes one to \
         FOLDER/graph.json",
        path.display()
    )]
    Malformed { path: PathBuf, problem: String },
}

#[derive(Deserialize)]
struct Document {
    sources: Vec<Named>,
    feeds: Vec<Named>,
    edges: Vec<Edge>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    keywords: Vec<String>,
}

#[derive(Deserialize)]
struct Edge {
    from: String,
    to: String,
}

/// Reads `graph.json`.
pub(crate) fn read(path: &Path) -> Result<Wiring, GraphError> {
    let unreadable = |source| GraphError::Unreadable { path: path.to_owned(), source };
    let malformed = |problem| GraphError::Malformed { path: path.to_owned(), problem };
    let file = File::open(path).map_err(unreadable)?;
    let document: Document = serde_json::from_reader(BufReader::new(file)).map_err(|error| {
        // A folder can be opened, but not read.
        match error.io_error_kind() {
            Some(kind) => unreadable(kind.into()),
            None => malformed(error.to_string()),
        }
    })?;
    wire(document).map_err(malformed)
}

fn wire(document: Document) -> Result<Wiring, String> {
    if document.sources.is_empty() || document.feeds.is_empty() {
        return Err("it has no sources or no feeds".to_owned());
    }
    let inputs = inputs(&document)?;
    let Document { sources, feeds, .. } = document;
    let order = forward(&inputs).map_err(|feed| {
        format!("items would run in a cycle through feed `{}`", feeds[feed].name)
    })?;
    let mut position = vec![0; feeds.len()];
    order.iter().zip(0..).for_each(|(&feed, at)| position[feed] = at);
    let mut topics = Topics::default();
    let mut wiring = Wiring::default();
    for Named { name, keywords } in sources {
        if keywords.is_empty() {
            return Err(format!("source `{name}` has no keywords"));
        }
        wiring.sources.push(Origin { name, topics: topics.of(keywords) });
    }
    let mut wanted: Vec<Option<Named>> = feeds.into_iter().map(Some).collect();
    for (node, feed) in order.into_iter().enumerate() {
        let Some(Named { name, keywords }) = wanted[feed].take() else { continue };
        let renumbered = |input: &Channel| match *input {
            Channel::Feed(feed) => Channel::Feed(position[feed as usize]),
            source @ Channel::Source(_) => source,
        };
        wiring.nodes.push(name);
        wiring.feeds.push(Feed {
            node: node as u32,
            inputs: inputs[feed].iter().map(renumbered).collect(),
            wants: Some(topics.of(keywords)),
            studied: true,
        });
    }
    Ok(wiring)
}

/// What each feed reads, by the edges.
fn inputs(document: &Document) -> Result<Vec<Vec<Channel>>, String> {
    let Document { sources, feeds, edges } = document;
    let mut channels: HashMap<&str, Channel> = HashMap::new();
    let numbered = (0..).map(Channel::Source).zip(sources);
    for (channel, named) in numbered.chain((0..).map(Channel::Feed).zip(feeds)) {
        if channels.insert(&named.name, channel).is_some() {
            return Err(format!("two sources or feeds are named `{}`", named.name));
        }
    }
    let known = |name: &str| {
        let channel = channels.get(name).copied();
        channel
            .ok_or_else(|| format!("an edge names `{name}`, but there is no such source or feed"))
    };
    let mut inputs: Vec<Vec<Channel>> = vec![Vec::new(); feeds.len()];
    for Edge { from, to } in edges {
        match (known(from)?, known(to)?) {
            (from, Channel::Feed(to)) => inputs[to as usize].push(from),
            (_, Channel::Source(_)) => return Err(format!("an edge leads to the source `{to}`")),
        }
    }
    for (list, feed) in inputs.iter_mut().zip(feeds) {
        list.sort_unstable();
        list.dedup();
        if list.is_empty() {
            return Err(format!("no edge leads to feed `{}`", feed.name));
        }
    }
    Ok(inputs)
}

/// Keywords as numbers.
#[derive(Default)]
struct Topics(HashMap<String, u32>);

impl Topics {
    fn of(&mut self, keywords: Vec<String>) -> Vec<u32> {
        let mut topics: Vec<u32> = keywords
            .into_iter()
            .map(|keyword| {
                let next = self.0.len() as u32;
                *self.0.entry(keyword).or_insert(next)
            })
            .collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }
}

/// The feeds, each after its inputs; or a feed that is part of a cycle.
fn forward(inputs: &[Vec<Channel>]) -> Result<Vec<usize>, usize> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); inputs.len()];
    let mut waiting = vec![0_usize; inputs.len()];
    for (reader, inputs) in inputs.iter().enumerate() {
        for input in inputs {
            if let Channel::Feed(feed) = input {
                readers[*feed as usize].push(reader);
                waiting[reader] += 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..inputs.len()).filter(|&feed| waiting[feed] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &reader in &readers[order[next]] {
            waiting[reader] -= 1;
            if waiting[reader] == 0 {
                order.push(reader);
            }
        }
        next += 1;
    }
    waiting.iter().position(|&inputs| inputs > 0).map_or(Ok(order), Err)
}

#[cfg(test)]
mod tests {
    use pergola_topology::graph_file::write_json;
    use pergola_wiring::grow::{Rules, grow};
    use pergola_wiring::synthetic::Synthetic;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn document(text: &str) -> Result<Wiring, String> {
        wire(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn what_topology_gen_writes_is_read_as_it_was_wired() {
        let size = Synthetic { sources: 5, feeds: 40, dictionary: 50, coverage: 0.2, radius: 0.9 };
        let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(3)).unwrap();
        let graph = grow(&mesh, &Rules::default()).unwrap();
        let mut bytes = Vec::new();
        write_json(&graph, &mesh, &mut bytes).unwrap();
        let read = wire(serde_json::from_slice(&bytes).unwrap()).unwrap();
        let wired = Wiring::of_graph(&mesh, &graph);
        // The order of the feeds differs, but each has the same inputs and receives the same.
        let told = |wiring: &Wiring| {
            let name = |channel: &Channel| match *channel {
                Channel::Source(source) => wiring.sources[source as usize].name.clone(),
                Channel::Feed(feed) => wiring.nodes[feed as usize].clone(),
            };
            let reach = wiring.reach();
            let mut all: Vec<_> = wiring
                .feeds
                .iter()
                .zip(&wiring.nodes)
                .zip(&reach)
                .map(|((feed, node), reached)| {
                    let mut inputs: Vec<String> = feed.inputs.iter().map(name).collect();
                    inputs.sort();
                    let topics = |reached: &super::super::wiring::Reached| {
                        reached.topics.iter().map(|bits| bits.count_ones()).sum::<u32>()
                    };
                    let reach: Vec<_> =
                        reached.iter().map(|r| (r.source, r.hops, topics(r))).collect();
                    (node.clone(), inputs, reach)
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(told(&read), told(&wired));
    }

    #[test]
    fn a_graph_that_cannot_be_used_is_refused_with_the_name_of_what_is_wrong() {
        let graph = |edges: &str| {
            format!(
                r#"{{"sources":[{{"name":"s","keywords":["k"]}}],
                    "feeds":[{{"name":"a","keywords":["k"]}},{{"name":"b","keywords":["k"]}}],
                    "edges":[{edges}]}}"#
            )
        };
        let edge = |from: &str, to: &str| format!(r#"{{"from":"{from}","to":"{to}"}}"#);
        let refused = |edges: &[String]| document(&graph(&edges.join(","))).unwrap_err();
        assert!(document(&graph(&[edge("s", "a"), edge("a", "b")].join(","))).is_ok());
        assert!(refused(&[edge("s", "a"), edge("a", "b"), edge("b", "a")]).contains("cycle"));
        assert!(refused(&[edge("s", "a"), edge("x", "b")]).contains("`x`"));
        assert!(refused(&[edge("s", "a")]).contains("no edge leads to feed `b`"));
        assert!(refused(&[edge("a", "s")]).contains("leads to the source `s`"));
    }
}

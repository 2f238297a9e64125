//! Who reads whom in the demonstration: five feeds that say what they want, wired by the generator of
//! meshes.
//!
//! The rules: only one node polls each source and passes its items on, and no node filters out what a node behind
//! it selects. So sources get few requests, and news comes to the last node by two
//! others.

use anyhow::Context;
use pergola_newsroom::serve::World;
use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::mesh::{Feed, Mesh, Source};
use pergola_wiring::profile::{Dictionary, Profile};

/// The feeds and what they want; the last one is where items have come farthest.
const FEEDS: [(&str, &[&str]); 5] = [
    (
        "World",
        &[
            "elections",
            "economy",
            "energy",
            "climate",
            "health",
            "oceans",
            "weather",
            "science",
            "football",
            "cycling",
            "sailing",
            "tennis",
            "travel",
            "volcano",
            "iceland",
            "wildlife",
            "farming",
            "privacy",
        ],
    ),
    (
        "Earth",
        &[
            "climate", "oceans", "weather", "volcano", "iceland", "wildlife", "energy", "sailing",
            "farming",
        ],
    ),
    ("Code", &["rust", "linux", "mathematics", "robots", "privacy"]),
    ("Sport", &["football", "tennis", "cycling", "sailing"]),
    ("Volcanoes", &["volcano", "iceland"]),
];

/// The feed whose node is shown first: it reads sources and a node, and others read it.
pub(super) const FIRST: usize = 1;

/// The folders of sources that write mostly about one thing; all others are news.
const FOLDERS: [(&str, &[&str]); 3] =
    [("Sport", FEEDS[3].1), ("Code", FEEDS[2].1), ("Earth", FEEDS[1].1)];

const RULES: Rules =
    Rules { radius: 0.9, alpha: 20.0, fan_out: Some(1), depth: None, keep_reach: true };

/// A wired mesh: one node for each feed.
pub(super) struct Wiring {
    pub(super) mesh: Mesh,
    pub(super) links: Vec<Link>,
    /// What each source is called.
    pub(super) titles: Vec<String>,
}

impl Wiring {
    /// Wires the five feeds to those sources that write about what they want.
    pub(super) fn new(world: &World) -> anyhow::Result<Self> {
        let mut mesh = Mesh::default();
        for (name, keywords) in FEEDS {
            let profile = profile(&mut mesh.dictionary, keywords);
            mesh.feeds.push(Feed { name: name.to_owned(), profile, query: None, node: None });
        }
        let mut titles = Vec::new();
        for (name, title, topics) in world.about() {
            let profile = profile(&mut mesh.dictionary, &topics);
            if mesh.feeds.iter().any(|feed| feed.profile.distance(&profile) <= RULES.radius) {
                let (url, items_per_day) = (None, None);
                let (name, unknown) = (name.to_owned(), false);
                mesh.sources.push(Source { name, url, profile, items_per_day, unknown });
                titles.push(title);
            }
        }
        let graph = grow(&mesh, &RULES).context("the demonstration's mesh cannot be wired")?;
        Ok(Self { links: graph.links(), mesh, titles })
    }

    /// The statement that makes a feed, given where everything is.
    pub(super) fn query(&self, feed: usize, address: impl Fn(Vertex) -> String) -> String {
        let read = self.links.iter().filter(|link| link.to as usize == feed);
        let sources: Vec<String> = read.map(|link| format!("\"{}\"", address(link.from))).collect();
        let words = self.words(feed).map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
        format!(
            "CREATE FEED {} AS RETURN {} WHERE ITEM CONTAINS {};",
            self.mesh.feeds[feed].name,
            sources.join(" | "),
            words.join(" OR ")
        )
    }

    /// What a feed wants.
    pub(super) fn words(&self, feed: usize) -> impl Iterator<Item = &str> {
        let numbers = self.mesh.feeds[feed].profile.keywords().iter();
        numbers.map(|&number| self.mesh.dictionary.word(number))
    }

    /// The folder of something that is read, by what it writes about most.
    pub(super) fn folder(&self, from: Vertex) -> &'static str {
        let Vertex::Source(source) = from else { return "Other nodes" };
        let topics = self.mesh.sources[source as usize].profile.keywords();
        let written = |words: &[&str]| {
            let named = |&topic: &u32| words.contains(&self.mesh.dictionary.word(topic));
            2 * topics.iter().filter(|topic| named(topic)).count() > topics.len()
        };
        FOLDERS.iter().find(|(_, words)| written(words)).map_or("News", |(folder, _)| folder)
    }

    /// Sources and feeds that a feed reads.
    pub(super) fn reads(&self, feed: usize) -> (usize, usize) {
        let read = || self.links.iter().filter(|link| link.to as usize == feed);
        let direct = read().filter(|link| matches!(link.from, Vertex::Source(_))).count();
        (direct, read().count() - direct)
    }
}

fn profile(dictionary: &mut Dictionary, words: &[&str]) -> Profile {
    Profile::new(words.iter().map(|word| dictionary.add(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_asked_by_one_node_and_news_of_volcanoes_comes_by_two_others() {
        let wiring = Wiring::new(&World::demo(1)).unwrap();
        let named = |vertex: Vertex| wiring.mesh.name(vertex).to_owned();
        for source in 0..wiring.mesh.sources.len() as u32 {
            let readers = wiring.links.iter().filter(|link| link.from == Vertex::Source(source));
            assert_eq!(readers.count(), 1, "{}", named(Vertex::Source(source)));
        }
        let parents = |feed: &str| -> Vec<String> {
            let read = wiring.links.iter().filter(|link| named(Vertex::Feed(link.to)) == feed);
            let peers = read.filter(|link| matches!(link.from, Vertex::Feed(_)));
            peers.map(|link| named(link.from)).collect()
        };
        assert_eq!(parents("World"), [""; 0]);
        assert_eq!(parents("Earth"), ["World"]);
        assert_eq!(parents("Volcanoes"), ["Earth"]);
        assert_eq!(parents("Sport"), ["World", "Earth"]);
        assert_eq!(wiring.reads(4), (0, 1));
        let query = wiring.query(4, |from| format!("http://{}/", named(from)));
        assert_eq!(
            query,
            "CREATE FEED Volcanoes AS RETURN \"http://Earth/\" WHERE ITEM CONTAINS \"volcano\" OR \
             \"iceland\";"
        );
    }
}

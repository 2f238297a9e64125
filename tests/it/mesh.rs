//! Nodes that read each other's feeds, as processes of their own, connected by wires that the test can cut.
//!
//! Every node publishes a feed `News` with a small window. The sources that the first node crawls have large windows,
//! so that items can only be lost between nodes.

mod looping;
mod losing;
mod surviving;
mod wire;

use std::collections::BTreeSet;

use crate::harness::{Home, Node, Press, eventually};
use wire::Wire;

/// Items that a node's feed shows.
const WINDOW: usize = 5;

/// One node of a mesh, and the wire by which others reach it.
struct Member {
    name: &'static str,
    // Dropped before its home, which holds the log that a failed test shows.
    node: Option<Node>,
    home: Home,
    wire: Wire,
}

impl Member {
    /// A node that publishes the items of `sources` about volcanoes.
    async fn start(name: &'static str, sources: &[String], configuration: &str) -> Self {
        Self::with_window(name, sources, configuration, WINDOW).await
    }

    async fn with_window(
        name: &'static str,
        sources: &[String],
        configuration: &str,
        window: usize,
    ) -> Self {
        let clauses: Vec<String> = sources.iter().map(|url| format!("\"{url}\"")).collect();
        let feed = format!(
            "[[feed]]\nquery = '''CREATE FEED News AS RETURN {} WHERE ITEM CONTAINS \"volcano\" \
             WINDOW {window}'''\n",
            clauses.join(" | ")
        );
        let home = Home::new(&format!("{configuration}\n{feed}"));
        let node = home.start().await;
        let wire = Wire::to(node.address()).await;
        Self { name, home, node: Some(node), wire }
    }

    /// The address of its feed for other nodes.
    fn feed(&self) -> String {
        format!("{}/feeds/News", self.wire.url())
    }

    fn node(&self) -> &Node {
        self.node.as_ref().expect("it runs")
    }

    /// The ids of everything that its feed holds.
    async fn ids(&self) -> Vec<String> {
        let archive = self.node().archive("News", 0).await.expect("it runs");
        archive.into_iter().map(|item| item.id).collect()
    }

    /// Waits until its feed holds exactly these items, each once.
    async fn holds(&self, wanted: &BTreeSet<String>) {
        eventually(&format!("every item at {}, exactly once", self.name), async || {
            let ids = self.ids().await;
            let held: BTreeSet<String> = ids.iter().cloned().collect();
            assert_eq!(held.len(), ids.len(), "{} holds an item twice: {ids:?}", self.name);
            match held == *wanted {
                true => Ok(()),
                false => Err(format!(
                    "{} of {}; missing {:?}; unasked {:?}",
                    held.len(),
                    wanted.len(),
                    wanted.difference(&held).collect::<Vec<_>>(),
                    held.difference(wanted).collect::<Vec<_>>()
                )),
            }
        })
        .await;
    }

    /// Waits until it reads the feeds of other nodes via `via`.
    async fn reads_via(&self, via: &str) {
        eventually(&format!("{} reading via {via}", self.name), async || {
            let sources = self.node().json("/api/v1/sources").await;
            let sources = sources["sources"].as_array().unwrap();
            let mut feeds =
                sources.iter().filter(|s| s["url"].as_str().unwrap().contains("/feeds/"));
            let fine = |s: &serde_json::Value| {
                s["via"] == via && (via == "http" || s["peer"]["node"].is_string())
            };
            if feeds.all(fine) { Ok(()) } else { Err(format!("{sources:?}")) }
        })
        .await;
    }

    async fn go(&mut self, away: Away) {
        match away {
            Away::Stopped => self.node.take().expect("it runs").stop().await,
            Away::Killed => self.node.take().expect("it runs").kill(),
            Away::CutOff => self.wire.cut(),
        }
    }

    async fn come_back(&mut self, away: Away) {
        match away {
            Away::Stopped | Away::Killed => {
                let node = self.home.start().await;
                self.wire.lead_to(node.address());
                self.node = Some(node);
            }
            Away::CutOff => self.wire.mend(),
        }
    }
}

/// How a node is taken down.
#[derive(Debug, Clone, Copy)]
enum Away {
    Stopped,
    Killed,
    CutOff,
}

/// Publishes `count` wanted items and as many others; returns the ids of all wanted items so far.
fn publish(press: &Press, count: usize) -> BTreeSet<String> {
    for number in 0..count {
        press.publish("origin", &format!("A volcano erupts, says item {number}"));
        press.publish("origin", &format!("Nothing erupts, says item {number}"));
    }
    relevant(press)
}

/// The ids of all wanted items that were published so far, as their publisher gave them.
fn relevant(press: &Press) -> BTreeSet<String> {
    let items = press.newsroom.truth("origin").unwrap().items.into_iter();
    items.filter(|item| item.title.contains("volcano")).map(|item| item.guid).collect()
}

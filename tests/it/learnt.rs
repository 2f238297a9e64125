//! Wires a mesh from what running nodes have learnt: `pergola profiles` and `topology-gen`, as a user runs them.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use pergola_newsroom::serve::Headline;
use serde_json::Value;
use tempfile::TempDir;

use crate::bundle::Graph;
use crate::harness::{Home, Node, Press, eventually, pergola, run, silent, topology_gen};

/// The two have no word in common, because in so few items each word counts.
const LAVA: [&str; 4] = [
    "Lava flows from crater",
    "Ash over volcano crater",
    "Volcano throws ash, lava",
    "Crater full of lava",
];
const CHESS: [&str; 3] =
    ["Chess opening explained", "Chess endgame studied", "Endgame after strange opening"];

/// Two nodes, the second of which reads a feed of the first.
struct Learnt {
    press: Press,
    alpha: (Home, Node),
    beta: (Home, Node),
}

impl Learnt {
    async fn start() -> Self {
        let press = Press::start([silent("volcano-wire"), silent("chess-club")]).await;
        for (source, titles, subject) in
            [("volcano-wire", &LAVA[..], "geology"), ("chess-club", &CHESS, "games")]
        {
            for title in titles {
                let headline = Headline::new(*title, &[subject]);
                press.newsroom.publish_headline(source, headline).unwrap();
            }
        }
        let (wire, club) = (press.url("volcano-wire"), press.url("chess-club"));
        let alpha = at_work().await;
        alpha.1.create_feed(&format!("CREATE FEED Lava AS RETURN \"{wire}\";")).await;
        let beta = at_work().await;
        let read = alpha.1.url("/feeds/Lava");
        let query = "WHERE ITEM CONTAINS \"ash\"";
        beta.1.create_feed(&format!("CREATE FEED Ash AS RETURN \"{read}\" {query};")).await;
        beta.1.create_feed(&format!("CREATE FEED Games AS RETURN \"{club}\";")).await;
        Self { press, alpha, beta }
    }

    /// The output of `pergola profiles` for both nodes as files, after everything was learnt.
    async fn files(&self, folder: &TempDir) -> [PathBuf; 2] {
        let mut files = Vec::new();
        for (number, node, sources, items) in [(0, &self.alpha.1, 1, 1), (1, &self.beta.1, 2, 2)] {
            let path = folder.path().join(format!("node-{number}.json"));
            eventually("everything to be learnt", async || {
                let mesh = profiles(node).await;
                let count = |list: &str| mesh[list].as_array().unwrap().len();
                let known = mesh["sources"].as_array().unwrap().iter();
                let peers = known.filter(|source| source["channel"].is_string()).count();
                let words = mesh["feeds"].as_array().unwrap().iter();
                let learnt = words.filter(|feed| feed["keywords"].as_array().unwrap().len() > 2);
                let seen = (count("sources"), learnt.count(), peers);
                if seen != (sources, items, number) {
                    return Err(mesh.to_string());
                }
                fs::write(&path, mesh.to_string()).unwrap();
                Ok(())
            })
            .await;
            files.push(path);
        }
        files.try_into().unwrap()
    }
}

async fn at_work() -> (Home, Node) {
    let home = Home::new("");
    let node = home.start().await;
    (home, node)
}

async fn profiles(node: &Node) -> Value {
    let mut command = pergola();
    command.args(["profiles", "--node", &node.url("")]);
    let output = run(command).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    serde_json::from_str(&output.stdout).unwrap()
}

async fn succeeds(command: Command) -> String {
    let output = run(command).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    output.stdout
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nodes_have_learnt_is_wired_as_it_is() {
    let learnt = Learnt::start().await;
    let folder = TempDir::new().unwrap();
    let files = learnt.files(&folder).await;
    let mut command = topology_gen();
    command.arg("generate").args(&files).arg("--json");
    let json = succeeds(command).await;
    let graph: Value = serde_json::from_str(&json).unwrap();
    let names = |list: &str, field: &str| -> BTreeSet<String> {
        let all = graph[list].as_array().unwrap().iter();
        all.map(|one| one[field].as_str().unwrap().to_owned()).collect()
    };
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    // The feed of alpha that beta reads is a feed of the mesh, not a source.
    let addresses = set(&[&learnt.press.url("volcano-wire"), &learnt.press.url("chess-club")]);
    assert_eq!(names("sources", "url"), addresses);
    assert_eq!(names("feeds", "name"), set(&["Ash", "Games", "Lava"]));
    assert_eq!(names("feeds", "node").len(), 2, "two nodes without names are two nodes: {graph}");
    let sources = graph["sources"].as_array().unwrap().iter();
    let source = |name: &str| {
        let url = learnt.press.url(name);
        let found = sources.clone().find(|source| source["url"] == url.as_str()).unwrap();
        (found["name"].as_str().unwrap().to_owned(), found["keywords"].to_string())
    };
    let ((wire, words), (club, _)) = (source("volcano-wire"), source("chess-club"));
    assert!(words.contains("\"lava\"") && words.contains("\"crater\""), "{words}");
    let links = Graph::read(&json).links;
    let link = |from: &str, to: &str| links.contains(&(from.to_owned(), to.to_owned()));
    assert!(link(&wire, "Lava") && link(&club, "Games"), "{links:?}");
    assert!(link(&wire, "Ash") || link("Lava", "Ash"), "{links:?}");
    assert!(!link(&club, "Lava") && !link(&club, "Ash") && !link(&wire, "Games"), "{links:?}");
    // For one node alone, the feed of the other is a source like any.
    let mut command = topology_gen();
    command.arg("generate").arg(&files[1]).arg("--json");
    let alone: Value = serde_json::from_str(&succeeds(command).await).unwrap();
    assert_eq!(alone["sources"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bundle_of_what_was_learnt_is_accepted_by_the_node() {
    let learnt = Learnt::start().await;
    let folder = TempDir::new().unwrap();
    let files = learnt.files(&folder).await;
    let bundle = folder.path().join("bundle");
    let mut command = topology_gen();
    command.arg("bundle").arg(&bundle).args(&files).args(["--local", "--keep-reach"]);
    succeeds(command).await;
    let mut nodes = 0;
    for file in fs::read_dir(bundle.join("nodes")).unwrap() {
        let file = file.unwrap().path();
        let mut command = pergola();
        command.args(["config", "check", "--config"]).arg(&file);
        succeeds(command).await;
        nodes += 1;
    }
    assert_eq!(nodes, 2);
}

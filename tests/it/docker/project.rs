//! A mesh that `topology-gen bundle` has written, as a project of `docker-compose`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::engine::{docker, own_name};
use super::image::Image;
use crate::harness::{Client, now, run, topology_gen, workspace};

/// Items a day of every source in the test: one in eight seconds. Windows show fifty, so that a node may be
/// away for minutes before anything is lost at the source.
const ITEMS_PER_DAY: u32 = 10_800;

/// The mesh of `deploy/mesh`, busier, with ports and names of its own. Everything of it is gone when it is
/// dropped.
pub(super) struct Project {
    pub(super) name: String,
    pub(super) feeds: Vec<Feed>,
    newsroom: Client,
    folder: TempDir,
    sources: Vec<String>,
    edges: BTreeSet<(String, String)>,
}

/// A feed of the mesh.
pub(super) struct Feed {
    pub(super) name: String,
    /// The service that publishes it.
    pub(super) node: String,
    pub(super) client: Client,
    keywords: BTreeSet<String>,
}

/// What there was to arrive at a feed.
#[derive(Debug, Default)]
pub(super) struct Truth {
    /// Published since the newsroom opened.
    pub(super) since: BTreeSet<String>,
    /// All of it, as far as it is remembered.
    pub(super) all: BTreeSet<String>,
}

impl Project {
    /// Writes the bundle.
    pub(super) async fn new(image: &Image) -> Self {
        let folder = TempDir::new().unwrap();
        let mesh = std::fs::read_to_string(workspace().join("deploy/mesh/mesh.toml")).unwrap();
        let busier: Vec<String> = mesh
            .lines()
            .map(|line| match line.starts_with("items_per_day") {
                true => format!("items_per_day = {ITEMS_PER_DAY}"),
                false => line.to_owned(),
            })
            .collect();
        let file = folder.path().join("mesh.toml");
        std::fs::write(&file, busier.join("\n")).unwrap();
        let bundle = folder.path().join("bundle");
        let port = free_ports(8);
        let mut command = topology_gen();
        command.arg("bundle").arg(&bundle).arg(&file).args(["--newsroom", "--keep-reach"]);
        command.args(["--looks-per-hour", "1200", "--image", &image.name]);
        command.args(["--port", &port.to_string()]);
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        begin_now(&bundle.join("newsroom.toml"));
        let graph = std::fs::read_to_string(bundle.join("graph.json")).unwrap();
        let graph: Value = serde_json::from_str(&graph).unwrap();
        let compose = std::fs::read_to_string(bundle.join("compose.yaml")).unwrap();
        let names = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|one| text(&one["name"])).collect()
        };
        let feed = |feed: &Value| {
            let node = text(&feed["node"]);
            let port = published_port(&compose, &node);
            Feed {
                name: text(&feed["name"]),
                client: Client::new(([127, 0, 0, 1], port).into()),
                keywords: feed["keywords"].as_array().unwrap().iter().map(text).collect(),
                node,
            }
        };
        let edge = |edge: &Value| (text(&edge["from"]), text(&edge["to"]));
        Self {
            name: own_name("mesh"),
            newsroom: Client::new(([127, 0, 0, 1], port).into()),
            folder,
            sources: names(&graph["sources"]),
            feeds: graph["feeds"].as_array().unwrap().iter().map(feed).collect(),
            edges: graph["edges"].as_array().unwrap().iter().map(edge).collect(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("bundle/compose.yaml")
    }

    fn compose(&self, args: &[&str]) -> Command {
        let mut command = Command::new("docker-compose");
        command.args(["--project-name", &self.name, "--file"]).arg(self.file()).args(args);
        command
    }

    /// What `docker-compose` says; it must succeed.
    pub(super) async fn run(&self, args: &[&str]) -> String {
        let output = run(self.compose(args)).await;
        assert_eq!(output.code, Some(0), "{args:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }

    /// The container of a service.
    pub(super) async fn container(&self, service: &str) -> String {
        self.run(&["ps", "--quiet", service]).await.trim().to_owned()
    }

    /// What each container is called and how it is, as the engine sees it.
    pub(super) async fn health(&self) -> BTreeMap<String, String> {
        let filter = format!("label=com.docker.compose.project={}", self.name);
        let format = "{{.Names}}\t{{.Status}}";
        let all = docker(&["ps", "--all", "--filter", &filter, "--format", format]).await;
        let pairs = all.lines().filter_map(|line| line.split_once('\t'));
        pairs.map(|(name, status)| (name.to_owned(), status.to_owned())).collect()
    }

    /// The feed that is farthest from the sources.
    pub(super) fn leaf(&self) -> &Feed {
        let depth = |feed: &Feed| self.depth(&feed.name, 0);
        self.feeds.iter().max_by_key(|feed| depth(feed)).expect("there are feeds")
    }

    /// Feeds that a feed reads.
    pub(super) fn read_by(&self, feed: &Feed) -> Vec<&Feed> {
        let read = |other: &&Feed| self.edges.contains(&(other.name.clone(), feed.name.clone()));
        self.feeds.iter().filter(read).collect()
    }

    fn depth(&self, feed: &str, above: usize) -> usize {
        assert!(above <= self.feeds.len(), "a circle");
        let parents = self.edges.iter().filter(|(_, to)| to == feed);
        parents.map(|(from, _)| self.depth(from, above + 1)).max().unwrap_or(above)
    }

    /// What there was to arrive at every feed until now: an item arrives if it is about something that the
    /// feed wants, and comes from a source or has arrived at a feed that it reads.
    pub(super) async fn truth(&self) -> BTreeMap<String, Truth> {
        let mut truths: BTreeMap<String, Truth> = BTreeMap::new();
        for source in &self.sources {
            let told = self.newsroom.json(&format!("/truth?source={source}")).await;
            let opening = told["before_opening"].as_u64().unwrap();
            for item in told["items"].as_array().unwrap() {
                let about: BTreeSet<String> =
                    item["keywords"].as_array().unwrap().iter().map(text).collect();
                for feed in self.arrives(source, &about) {
                    let truth = truths.entry(feed.to_owned()).or_default();
                    truth.all.insert(text(&item["guid"]));
                    if item["number"].as_u64().unwrap() >= opening {
                        truth.since.insert(text(&item["guid"]));
                    }
                }
            }
        }
        truths
    }

    fn arrives(&self, source: &str, about: &BTreeSet<String>) -> BTreeSet<&str> {
        let wants: Vec<&Feed> =
            self.feeds.iter().filter(|feed| !feed.keywords.is_disjoint(about)).collect();
        let mut at: BTreeSet<&str> = BTreeSet::from([source]);
        loop {
            let hears = |feed: &&&Feed| {
                self.edges.iter().any(|(from, to)| *to == feed.name && at.contains(from.as_str()))
            };
            let new: Vec<&str> =
                wants.iter().filter(hears).map(|feed| feed.name.as_str()).collect();
            let before = at.len();
            at.extend(new);
            if at.len() == before {
                break;
            }
        }
        at.remove(source);
        at
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let logs = self.compose(&["logs", "--no-color", "--tail", "15"]).output().unwrap();
            eprintln!("the ends of the logs:\n{}", String::from_utf8_lossy(&logs.stdout));
        }
        let down = ["down", "--volumes", "--remove-orphans", "--timeout", "10"];
        // It may never have been started.
        let _ = self.compose(&down).output();
    }
}

impl Feed {
    /// The ids of everything that it holds, none of them twice.
    pub(super) async fn ids(&self) -> Result<BTreeSet<String>, String> {
        let archive = self.client.archive(&self.name, 0).await;
        let items = archive.ok_or_else(|| format!("{} does not answer", self.node))?;
        let count = items.len();
        let ids: BTreeSet<String> = items.into_iter().map(|item| item.id).collect();
        assert_eq!(ids.len(), count, "{} holds an item twice", self.name);
        Ok(ids)
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The first of so many ports in a row that are free now.
fn free_ports(count: u16) -> u16 {
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    let start = 20_000 + (std::process::id() % 1_000) as u16 * 10;
    let mut candidates = (start..start + 1_000).step_by(10);
    candidates.find(|&port| (port..port + count).all(free)).expect("free ports")
}

/// The port of a service on this machine.
fn published_port(compose: &str, service: &str) -> u16 {
    let (_, own) = compose.split_once(&format!("\n  {service}:\n")).expect("the service is there");
    let (_, port) = own.split_once("\"127.0.0.1:").expect("it has a port");
    port.split(':').next().unwrap().parse().unwrap()
}

/// Lets a newsroom begin now, and not years ago: it would take a while to make up so many items.
fn begin_now(path: &Path) {
    let file = std::fs::read_to_string(path).unwrap();
    let opening = |line: &str| match line.starts_with("opening") {
        true => format!("opening = {:.0}", now()),
        false => line.to_owned(),
    };
    let changed: Vec<String> = file.lines().map(opening).collect();
    assert_ne!(changed.join("\n"), file.trim_end(), "the newsroom has no opening");
    std::fs::write(path, changed.join("\n")).unwrap();
}

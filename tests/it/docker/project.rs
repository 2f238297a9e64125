//! A mesh that `topology-gen bundle` has written, as a project of `docker-compose`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::engine::{docker, own_name};
use super::image::Image;
use crate::bundle::{Graph, free_ports, published};
use crate::harness::{Client, eventually, now, run, topology_gen, workspace};

/// Items a day of every source in the test: one in eight seconds. Windows show fifty items, so that a node may be
/// down for minutes before the source loses any.
const ITEMS_PER_DAY: u32 = 10_800;

/// The mesh of `deploy/mesh`, busier, with ports and names of its own. It is removed on drop.
pub(super) struct Project {
    pub(super) name: String,
    pub(super) feeds: Vec<Feed>,
    newsroom: Client,
    /// When all nodes had subscribed: every later item must arrive.
    subscribed: f64,
    folder: TempDir,
    graph: Graph,
}

/// A feed of the mesh.
pub(super) struct Feed {
    pub(super) name: String,
    /// The service that publishes it.
    pub(super) node: String,
    pub(super) client: Client,
}

/// What should arrive at a feed.
#[derive(Debug, Default)]
pub(super) struct Truth {
    /// Published since all nodes have subscribed.
    pub(super) since: BTreeSet<String>,
    /// Everything that the newsroom remembers.
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
        command.args(["--refreshes-per-hour", "1200", "--image", &image.name]);
        command.args(["--port", &port.to_string()]);
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{}{}", output.stdout, output.stderr);
        let graph = std::fs::read_to_string(bundle.join("graph.json")).unwrap();
        let compose = std::fs::read_to_string(bundle.join("compose.yaml")).unwrap();
        let feed = |feed: &Value| {
            let text = |key: &str| feed[key].as_str().expect("a text").to_owned();
            let port = published_port(&compose, &text("node"));
            let token = bundle.join(format!("secrets/{}.token", text("node")));
            let token = std::fs::read_to_string(token).unwrap();
            let client = Client::with_token(([127, 0, 0, 1], port).into(), token.trim());
            Feed { name: text("name"), node: text("node"), client }
        };
        let json: Value = serde_json::from_str(&graph).unwrap();
        Self {
            name: own_name("mesh"),
            newsroom: Client::new(([127, 0, 0, 1], port).into()),
            subscribed: f64::INFINITY,
            folder,
            feeds: json["feeds"].as_array().unwrap().iter().map(feed).collect(),
            graph: Graph::read(&graph),
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

    /// Runs `docker-compose`, which must succeed, and returns its output.
    pub(super) async fn run(&self, args: &[&str]) -> String {
        let output = run(self.compose(args)).await;
        assert_eq!(output.code, Some(0), "{args:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }

    /// Waits until every node has refreshed all its sources once.
    pub(super) async fn subscribe(&mut self) {
        for feed in &self.feeds {
            eventually(&format!("the first refreshes of {}", feed.node), async || {
                let told = feed.client.json("/api/v1/sources").await;
                let sources = told["sources"].as_array().unwrap();
                match sources.iter().all(|source| source["last_refresh"].is_string()) {
                    true if !sources.is_empty() => Ok(()),
                    _ => Err(told.to_string()),
                }
            })
            .await;
        }
        self.subscribed = now();
    }

    /// The container of a service.
    pub(super) async fn container(&self, service: &str) -> String {
        self.run(&["ps", "--quiet", service]).await.trim().to_owned()
    }

    /// The name and status of each container.
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
        let read =
            |other: &&Feed| self.graph.links.contains(&(other.name.clone(), feed.name.clone()));
        self.feeds.iter().filter(read).collect()
    }

    fn depth(&self, feed: &str, above: usize) -> usize {
        assert!(above <= self.feeds.len(), "the graph has a cycle");
        let parents = self.graph.links.iter().filter(|(_, to)| to == feed);
        parents.map(|(from, _)| self.depth(from, above + 1)).max().unwrap_or(above)
    }

    /// What should have arrived at every feed.
    pub(super) async fn truth(&self) -> BTreeMap<String, Truth> {
        let items = published(&self.newsroom).await;
        let truth = |feed: &Feed| {
            let mut truth = Truth::default();
            for item in items.iter().filter(|item| self.graph.arrives(item, &feed.name)) {
                truth.all.insert(item.id.clone());
                if item.at >= self.subscribed {
                    truth.since.insert(item.id.clone());
                }
            }
            (feed.name.clone(), truth)
        };
        self.feeds.iter().map(truth).collect()
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
    /// The ids of its items, none of them twice.
    pub(super) async fn ids(&self) -> Result<BTreeSet<String>, String> {
        let archive = self.client.archive(&self.name, 0).await;
        let items = archive.ok_or_else(|| format!("{} does not answer", self.node))?;
        let count = items.len();
        let ids: BTreeSet<String> = items.into_iter().map(|item| item.id).collect();
        assert_eq!(ids.len(), count, "{} holds an item twice", self.name);
        Ok(ids)
    }
}

/// The port of a service on this machine.
fn published_port(compose: &str, service: &str) -> u16 {
    let (_, own) = compose.split_once(&format!("\n  {service}:\n")).expect("the service is there");
    let (_, port) = own.split_once("\"127.0.0.1:").expect("it has a port");
    port.split(':').next().unwrap().parse().unwrap()
}

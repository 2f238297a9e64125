//! From a mesh file to running processes: `topology-gen bundle --local`, its script, and `topology-gen observe`.
//!
//! Time is accelerated: the newsroom publishes some relevant items a second, and the tests compare what has arrived
//! at the leaf with what it has published.

mod live;
mod observed;
mod script;
mod surviving;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{Client, Output, pergola, pergola_binary, run, topology_gen};

/// The example mesh of the project.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/mesh/mesh.toml");

/// A bundle of processes; they are killed on drop.
struct Bundle {
    folder: TempDir,
    port: u16,
}

impl Bundle {
    /// A bundle of this mesh, with a newsroom.
    async fn new(mesh: &str, options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let port = free_ports(10);
        let mut command = topology_gen();
        command.arg("bundle").arg(folder.path().join("mesh")).arg(mesh);
        command.args(["--local", "--newsroom", "--port", &port.to_string()]).args(options);
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        Self { folder, port }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("mesh")
    }

    /// Runs its script.
    async fn script(&self, arguments: &[&str]) -> Output {
        run(self.script_command(arguments)).await
    }

    fn script_command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path().join("mesh"));
        command.args(arguments).env("PERGOLA", pergola_binary());
        command
    }

    /// Runs its script, which must succeed.
    async fn does(&self, arguments: &[&str]) -> String {
        let output = self.script(arguments).await;
        assert_eq!(output.code, Some(0), "mesh {arguments:?}: {output:?}\n{}", self.logs());
        output.stdout
    }

    /// The ends of all logs.
    fn logs(&self) -> String {
        let names = self.names().into_iter().map(|name| {
            let log = self.path().join(format!("logs/{name}.log"));
            let text = fs::read_to_string(log).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("--- {name}\n{}\n", lines[lines.len().saturating_sub(8)..].join("\n"))
        });
        names.collect()
    }

    /// The names of its nodes.
    fn names(&self) -> Vec<String> {
        let files = fs::read_dir(self.path().join("nodes")).unwrap();
        let name =
            |file: fs::DirEntry| file.path().file_stem().unwrap().to_str().unwrap().to_owned();
        let mut names: Vec<String> = files.map(|file| name(file.unwrap())).collect();
        names.sort();
        names
    }

    fn newsroom(&self) -> Client {
        Client::new((Ipv4Addr::LOCALHOST, self.port).into())
    }

    fn client(&self, node: &str) -> Client {
        let config = fs::read_to_string(self.path().join(format!("nodes/{node}.toml"))).unwrap();
        let listen = config.split("listen = \"").nth(1).unwrap().split('"').next().unwrap();
        let token = fs::read_to_string(self.path().join(format!("secrets/{node}.token"))).unwrap();
        Client::with_token(listen.parse::<SocketAddr>().unwrap(), token.trim())
    }

    /// The process of a member.
    fn process(&self, name: &str) -> u32 {
        let text = fs::read_to_string(self.path().join(format!("run/{name}.pid"))).unwrap();
        text.trim().parse().unwrap()
    }

    /// All processes that have a file.
    fn processes(&self) -> Vec<u32> {
        let Ok(files) = fs::read_dir(self.path().join("run")) else { return Vec::new() };
        let process =
            |file: fs::DirEntry| fs::read_to_string(file.path()).ok()?.trim().parse().ok();
        files.filter_map(|file| process(file.ok()?)).collect()
    }

    fn graph(&self) -> Graph {
        Graph::read(&fs::read_to_string(self.path().join("graph.json")).unwrap())
    }

    /// Everything that the newsroom has published so far.
    async fn truth(&self) -> Vec<Published> {
        published(&self.newsroom()).await
    }

    /// The time of the newsroom's clock.
    async fn now(&self) -> f64 {
        self.newsroom().json("/truth").await["now"].as_f64().unwrap()
    }
}

impl Drop for Bundle {
    fn drop(&mut self) {
        for process in self.processes() {
            kill(process, "-KILL");
        }
    }
}

/// Sends a signal; returns whether the process exists.
fn kill(process: u32, signal: &str) -> bool {
    let mut command = Command::new("kill");
    let command = command.args([signal, &process.to_string()]);
    command.stderr(std::process::Stdio::null()).status().unwrap().success()
}

/// Whether a process runs; a zombie does not.
fn runs(process: u32) -> bool {
    let mut command = Command::new("ps");
    let output = command.args(["-o", "stat=", "-p", &process.to_string()]).output().unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// The first of so many free ports in a row, below the ephemeral ports.
pub(crate) fn free_ports(count: u16) -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = 12_000 + (std::process::id() % 600) as u16 * 30;
    for _ in 0..500 {
        let first = start + NEXT.fetch_add(count, Ordering::Relaxed) % 1_500;
        let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if (first..first + count).all(free) {
            return first;
        }
    }
    panic!("there are no {count} free ports in a row");
}

fn strings(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// An item in the truth of the newsroom.
pub(crate) struct Published {
    source: String,
    pub(crate) id: String,
    pub(crate) at: f64,
    keywords: BTreeSet<String>,
}

/// Everything that a newsroom has published so far.
pub(crate) async fn published(newsroom: &Client) -> Vec<Published> {
    let sources = newsroom.json("/truth").await;
    let mut all = Vec::new();
    for source in sources["sources"].as_array().unwrap() {
        let name = source["name"].as_str().unwrap();
        let truth = newsroom.json(&format!("/truth?source={name}")).await;
        let items = truth["sources"][0]["items"].as_array().unwrap();
        all.extend(items.iter().map(|item| Published {
            source: name.to_owned(),
            id: item["guid"].as_str().unwrap().to_owned(),
            at: item["at"].as_f64().unwrap(),
            keywords: strings(&item["keywords"]),
        }));
    }
    all
}

/// A graph, read from JSON.
pub(crate) struct Graph {
    /// The keywords of each feed.
    wanted: BTreeMap<String, BTreeSet<String>>,
    /// Pairs of what is read and the feed that reads it.
    pub(crate) links: BTreeSet<(String, String)>,
    /// Sources whose content is unknown.
    unknown: BTreeSet<String>,
}

impl Graph {
    pub(crate) fn read(json: &str) -> Self {
        let graph: Value = serde_json::from_str(json).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let feeds = graph["feeds"].as_array().unwrap().iter();
        let edges = graph["edges"].as_array().unwrap().iter();
        let unknown = graph["sources"].as_array().unwrap().iter();
        Self {
            wanted: feeds.map(|feed| (text(&feed["name"]), strings(&feed["keywords"]))).collect(),
            links: edges.map(|edge| (text(&edge["from"]), text(&edge["to"]))).collect(),
            unknown: unknown
                .filter(|source| source["unknown"] == true)
                .map(|source| text(&source["name"]))
                .collect(),
        }
    }

    /// Whether an item arrives at a feed: the feed and all feeds on a path to it want it.
    pub(crate) fn arrives(&self, item: &Published, feed: &str) -> bool {
        let read = self.links.iter().filter(|(_, to)| to == feed);
        !self.wanted[feed].is_disjoint(&item.keywords)
            && read.map(|(from, _)| from).any(|from| match self.wanted.contains_key(from) {
                true => self.arrives(item, from),
                false => *from == item.source,
            })
    }
}

/// A mesh of two nodes, for the tests of the script.
fn two_nodes(folder: &Path) -> String {
    let path = folder.join("two.toml");
    let mesh = r#"
        sources = [{ name = "wire", keywords = ["storm", "flood"], items_per_day = 14400 }]
        feeds = [
            { name = "Weather", keywords = ["storm", "flood"] },
            { name = "Storms", keywords = ["storm"] },
        ]
    "#;
    fs::write(&path, mesh).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_configuration_of_a_bundle_is_accepted_by_the_node() {
    let folder = TempDir::new().unwrap();
    for (place, options) in [
        ("local", &["--local", "--newsroom", "--speed", "60"][..]),
        ("outside", &["--local"][..]),
        ("containers", &["--newsroom", "--cooperate", "none"][..]),
    ] {
        let path = folder.path().join(place);
        let mut command = topology_gen();
        command.arg("bundle").arg(&path).arg(EXAMPLE).args(options);
        let output = run(command).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        for file in fs::read_dir(path.join("nodes")).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            let mut command = pergola();
            command.args(["config", "check", "--json", "--config"]).arg(&file);
            // In a container the token has another path.
            command.env("PERGOLA_API__TOKEN_FILE", path.join(format!("secrets/{name}.token")));
            let checked = run(command).await;
            assert_eq!(checked.code, Some(0), "{}: {checked:?}", file.display());
            let expected = if place == "local" { "clock.epoch" } else { "" };
            let said: Value = serde_json::from_str(&checked.stdout).unwrap();
            let warnings: Vec<&Value> = said["warnings"].as_array().unwrap().iter().collect();
            assert!(
                warnings.iter().all(|warning| {
                    !expected.is_empty() && warning.as_str().unwrap().contains(expected)
                }),
                "{place}/{name}: {warnings:?}"
            );
        }
    }
}

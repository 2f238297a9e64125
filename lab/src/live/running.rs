//! A running bundle: a copy, started by its own script, queried over HTTP, and stopped and removed on drop.
//!
//! Never: a changed file of the user; a process or a folder left behind, whatever goes wrong.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use pergola_api::Client;
use pergola_api::item::ItemRange;
use pergola_api::source::SourceFilter;
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use tokio::signal::unix::{Signal, SignalKind, signal};
use toml::{Table, Value};
use url::Url;

use super::answers::{Items, Sources, Truth};
use super::bundle::{Bundle, Node};
use crate::mesh::Cooperation;

/// What earlier runs have left in the folder.
const NOT_COPIED: [&str; 3] = ["data", "logs", "run"];
/// Items and sources per page.
const PAGE: usize = 1_000;
const SOURCES: usize = 500;
/// The timeout of a request.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often to check whether the script has ended.
const CHECK_EVERY: Duration = Duration::from_millis(50);

/// SIGINT and SIGTERM.
pub(super) struct Stopping(Signal, Signal);

impl Stopping {
    pub(super) fn new() -> Result<Self> {
        Ok(Self(signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?))
    }

    /// Runs `work`, or fails if a signal asks the program to end.
    pub(super) async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            done = work => Ok(done),
            _ = self.0.recv() => bail!("interrupted; all nodes are stopped"),
            _ = self.1.recv() => bail!("terminated; all nodes are stopped"),
        }
    }
}

/// A bundle whose nodes run.
pub(super) struct Running<'a> {
    bundle: &'a Bundle,
    folder: TempDir,
    program: PathBuf,
    http: reqwest::Client,
}

impl<'a> Running<'a> {
    /// Starts a copy of the bundle in this mode of cooperation.
    pub(super) async fn start(
        bundle: &'a Bundle,
        cooperation: Cooperation,
        program: &Path,
        stopping: &mut Stopping,
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("pergola-live-").tempdir()?;
        copy(&bundle.folder, folder.path())
            .with_context(|| format!("cannot copy {}", bundle.folder.display()))?;
        for node in &bundle.nodes {
            cooperate(&folder.path().join(format!("nodes/{}.toml", node.name)), cooperation)?;
        }
        // The client supports TLS and needs a provider, though no address here uses it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let running = Self { bundle, folder, program: program.to_owned(), http };
        let starting = running.script("start").stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut starting = starting.context("cannot run the script of the bundle")?;
        let ended = stopping
            .unless(async {
                loop {
                    match starting.try_wait() {
                        Ok(None) => tokio::time::sleep(CHECK_EVERY).await,
                        ended => break ended,
                    }
                }
            })
            .await;
        if ended.is_err() {
            // A node that is still starting would not be stopped.
            let _ = starting.wait();
        }
        let status = ended??;
        if !status.is_some_and(|status| status.success()) {
            let said = starting.stderr.take().map(io::read_to_string).transpose()?;
            let said = said.unwrap_or_default();
            bail!("the mesh did not start: {}", said.trim().trim_start_matches("error: "));
        }
        Ok(running)
    }

    fn script(&self, command: &str) -> Command {
        let mut script = Command::new(self.folder.path().join("mesh"));
        script.arg(command).env("PERGOLA", &self.program).stdin(Stdio::null());
        // Settings of the user's own node are not for these nodes.
        let set = std::env::vars_os().map(|(name, _)| name);
        for name in set.filter(|name| name.to_string_lossy().starts_with("PERGOLA_")) {
            script.env_remove(name);
        }
        script
    }

    /// An answer of the newsroom.
    async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        let request = self.http.get(url).send();
        let answer = request.await.with_context(|| format!("{url} does not answer"))?;
        let status = answer.status();
        let text = answer.text().await.with_context(|| url.to_owned())?;
        ensure!(status.is_success(), "{url} answers {status}: {text}");
        serde_json::from_str(&text).with_context(|| format!("{url}: unexpected answer"))
    }

    /// A client of a node.
    fn client(&self, node: &Node) -> Result<Client> {
        let base = Url::parse(&node.url).with_context(|| node.url.clone())?;
        Ok(Client::new(self.http.clone(), base, Some(&node.token))?)
    }

    /// The time of the nodes' clocks.
    pub(super) async fn now(&self) -> Result<f64> {
        let truth: Truth = self.get(&format!("{}/truth", self.bundle.newsroom)).await?;
        Ok(truth.now)
    }

    /// What the sources have published, in the order of the bundle.
    pub(super) async fn truths(&self) -> Result<Vec<Truth>> {
        let mut truths = Vec::new();
        for name in &self.bundle.sources {
            let url = format!("{}/truth?source={name}", self.bundle.newsroom);
            truths.push(self.get(&url).await?);
        }
        Ok(truths)
    }

    /// All items of a feed.
    pub(super) async fn items(&self, node: &Node, feed: &str) -> Result<Items> {
        let client = self.client(node)?;
        let mut all = Items::default();
        loop {
            let range = ItemRange { after: Some(all.next), limit: Some(PAGE), wait: None };
            let page = client.items(feed, &range).await.with_context(|| node.url.clone())?;
            let last = page.items.len() < PAGE;
            all.items.extend(page.items);
            all.next = page.next;
            if last {
                return Ok(all);
            }
        }
    }

    /// Every source of a node, in its present state.
    pub(super) async fn sources(&self, node: &Node) -> Result<Sources> {
        let client = self.client(node)?;
        let mut all = Sources::default();
        loop {
            let filter =
                SourceFilter { after: all.next, limit: Some(SOURCES), ..SourceFilter::default() };
            let page = client.sources(&filter).await.with_context(|| node.url.clone())?;
            all.sources.extend(page.sources);
            all.next = page.next;
            if all.next.is_none() {
                return Ok(all);
            }
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let stopped = self.script("stop").stdout(Stdio::null()).status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("cannot stop the mesh in {}", self.folder.path().display());
        }
    }
}

/// Copies a bundle, without what earlier runs have left.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if NOT_COPIED.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Sets the mode of cooperation in the configuration of a node.
fn cooperate(file: &Path, cooperation: Cooperation) -> Result<()> {
    let mut config: Table = fs::read_to_string(file)?.parse()?;
    let ways = match cooperation.to_string().as_str() {
        "none" => Vec::new(),
        ways => ways.split('+').map(|way| Value::from(way.to_owned())).collect(),
    };
    let peers = config.entry("peers").or_insert_with(|| Value::Table(Table::new()));
    let peers = peers.as_table_mut().context("`peers` is not a section")?;
    peers.insert("cooperate".to_owned(), Value::Array(ways));
    fs::write(file, toml::to_string(&config)?)?;
    Ok(())
}

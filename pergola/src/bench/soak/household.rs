//! The node of a soak: `pergola run` in a process of its own, on a data folder of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::Args;

/// How long a node may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks.
const GLANCE: Duration = Duration::from_millis(20);
/// How many days it keeps items: few enough that as much expires as comes before the second third begins.
const KEPT_DAYS: u32 = 2;
/// The cache of the store: small enough to be full before the second third begins, or the whole store fits into it and
/// memory grows with the store.
const CACHE: &str = "16 MiB";

/// A node at work.
pub(super) struct Household {
    process: Child,
    folder: PathBuf,
    address: String,
}

impl Household {
    /// Starts a node in a folder, whose clock showed the real time at the start.
    pub(super) async fn start(args: &Args, folder: &Path, start: f64) -> Result<Self> {
        fs::write(folder.join("pergola.toml"), configuration(args, folder, start))?;
        let log = File::create(folder.join("node.log"))?;
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["run", "--listen", "127.0.0.1:0", "--config"])
            .arg(folder.join("pergola.toml"))
            .arg("--port-file")
            .arg(folder.join("address"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        // Only the file counts.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PERGOLA_") {
                command.env_remove(name);
            }
        }
        let process = command.spawn().context("the node could not be started")?;
        let mut node = Self { process, folder: folder.to_owned(), address: String::new() };
        let started = tokio::time::timeout(PATIENCE, node.announced()).await;
        if !matches!(started, Ok(Ok(()))) {
            bail!("the node did not start: {}", node.last_words());
        }
        Ok(node)
    }

    /// Waits until it says where it listens.
    async fn announced(&mut self) -> Result<()> {
        while self.address.is_empty() {
            if let Some(end) = self.process.try_wait()? {
                bail!("it ended with {end}");
            }
            tokio::time::sleep(GLANCE).await;
            let told = fs::read_to_string(self.folder.join("address")).unwrap_or_default();
            self.address = told.trim().to_owned();
        }
        Ok(())
    }

    /// Its number.
    pub(super) fn process(&self) -> u32 {
        self.process.id()
    }

    /// Where it listens.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its data folder.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The end of its log.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.folder.join("node.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }

    /// Stops it gently. It must end well.
    pub(super) async fn stop(mut self) -> Result<()> {
        let process = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(process, rustix::process::Signal::TERM)?;
        let ended = async {
            loop {
                if let Some(end) = self.process.try_wait()? {
                    return anyhow::Ok(end);
                }
                tokio::time::sleep(GLANCE).await;
            }
        };
        let end =
            tokio::time::timeout(PATIENCE, ended).await.context("the node does not stop")??;
        ensure!(end.success(), "the node ended with {end}: {}", self.last_words());
        Ok(())
    }
}

impl Drop for Household {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// As it is by default, but for the clock, the budget, how long items are kept, the cache of the store, and that it may
/// crawl this machine. Timeouts are in real time.
fn configuration(args: &Args, folder: &Path, start: f64) -> String {
    let Args { speed, store, .. } = args;
    let budget = args.per_minute();
    let data = folder.join("data");
    format!(
        "[node]\nname = \"soak\"\ndata = {data:?}\n\n\
         [clock]\nspeed = {speed:?}\nepoch = {start:?}\n\n\
         [budget]\nrefreshes_per_minute = {budget:?}\n\n\
         [store]\nbackend = \"{store}\"\nkeep = \"{KEPT_DAYS} days\"\ncache = \"{CACHE}\"\n\n\
         [crawl]\ntimeout = \"5 s\"\nconnect_timeout = \"5 s\"\nallow_private = [\"127.0.0.0/8\"]\n\n\
         [log]\nlevel = \"warn\"\n"
    )
}

//! The folder of a node, and the node that runs in it.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::{Client, eventually, pergola, within};

/// The configuration of every node here: quick decisions, no courtesy towards this machine, loopback allowed.
const QUICK: &str = r#"
[node]
listen = "127.0.0.1:0"
data = "data"
[budget]
refreshes_per_minute = 60000
[schedule]
cycle = "50 ms"
[crawl]
timeout = "3 s"
[hosts."127.0.0.1"]
spacing = 0
floor = 0
private = true
per_domain = 8
"#;

/// A folder with a configuration, a data folder and a log; removed on drop.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    /// A folder with the usual configuration and more tables.
    pub(crate) fn new(more: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("pergola.toml"), format!("{QUICK}\n{more}\n")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// The log of all nodes that have run here.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }

    /// A command with the configuration of this node.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = pergola();
        command.arg("--config").arg(self.path().join("pergola.toml")).args(args);
        command.current_dir(self.path());
        command
    }

    /// Starts a node, without waiting for it.
    pub(crate) fn spawn(&self) -> Process {
        let port_file = self.path().join("port");
        // A killed node leaves it behind.
        let _ = fs::remove_file(&port_file);
        let log = File::options().create(true).append(true).open(self.path().join("log")).unwrap();
        let mut command = self.command(&["run"]);
        command.arg("--port-file").arg(&port_file);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Process { child: command.spawn().unwrap(), log: self.path().join("log") }
    }

    /// Starts a node and waits until it is ready.
    pub(crate) async fn start(&self) -> Node {
        let mut process = self.spawn();
        let port_file = self.path().join("port");
        let address: SocketAddr = eventually("the node's address", async || {
            if let Some(status) = process.child.try_wait().unwrap() {
                panic!("the node ended at its start: {status}");
            }
            let text = fs::read_to_string(&port_file).map_err(|error| error.to_string())?;
            text.trim().parse().map_err(|_| text)
        })
        .await;
        let client = Client::new(address);
        eventually("the node to be ready", async || match client.try_get("/readyz").await {
            Ok((200, _)) => Ok(()),
            other => Err(format!("{other:?}")),
        })
        .await;
        Node { process, client }
    }
}

/// A process; killed on drop.
pub(crate) struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// `kill -9`.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
        if std::thread::panicking() {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            let lines: Vec<&str> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(60)..];
            eprintln!("the end of the node's log:\n{}", last.join("\n"));
        }
    }
}

/// A node that is ready.
pub(crate) struct Node {
    process: Process,
    client: Client,
}

impl Node {
    /// `kill -9`.
    pub(crate) fn kill(self) {
        self.process.kill();
    }

    /// Sends SIGTERM and waits for the end, which must be a success.
    pub(crate) async fn stop(mut self) {
        let id = self.process.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let child = &mut self.process.child;
        let status = within(Duration::from_secs(60), "the node's end", async || {
            child.try_wait().unwrap().ok_or_else(|| "it still runs".to_owned())
        })
        .await;
        assert!(status.success(), "the node ended with {status}");
    }
}

impl Deref for Node {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

//! nginx with the same bytes in files: the document, and the document compressed beside it.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};

use super::stall::Stall;
use super::{Question, wrk};

/// A running nginx; it is stopped when this is dropped.
pub(super) struct Nginx {
    /// Where the document is.
    pub(super) url: String,
    /// Its entity tag there.
    pub(super) tag: String,
    process: Child,
    folder: PathBuf,
}

/// Whether there is an `nginx`.
pub(super) fn is_installed() -> bool {
    quietly(Command::new("nginx").arg("-v")).status().is_ok()
}

fn quietly(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

impl Nginx {
    /// Starts it on a free port, with everything it writes in a folder of its own.
    pub(super) async fn start(folder: &Path, stall: &Stall) -> anyhow::Result<Self> {
        let folder = folder.join("nginx");
        std::fs::create_dir_all(folder.join("files")).context("cannot make a folder for nginx")?;
        std::fs::write(folder.join("files/feed.atom"), &stall.plain)?;
        std::fs::write(folder.join("files/feed.atom.gz"), &stall.gzip)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        std::fs::write(folder.join("nginx.conf"), configuration(port))?;
        let process = Self::command(&folder).spawn().context("cannot start nginx")?;
        let url = format!("http://127.0.0.1:{port}/feed.atom");
        let mut nginx = Self { url, tag: String::new(), process, folder };
        nginx.tag = nginx.first_answer().await?;
        Ok(nginx)
    }

    /// Waits until it answers, and returns the entity tag.
    async fn first_answer(&mut self) -> anyhow::Result<String> {
        let question = Question { url: self.url.clone(), headers: Vec::new() };
        for _ in 0..200 {
            if let Some(status) = self.process.try_wait()? {
                let log = std::fs::read_to_string(self.folder.join("error.log"));
                bail!("nginx ended with {status}: {}", log.unwrap_or_default());
            }
            if let Ok(sent) = wrk::ask_once(&question) {
                return Ok(sent.tag);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("nginx does not answer at {}", self.url)
    }

    fn command(folder: &Path) -> Command {
        let mut command = Command::new("nginx");
        quietly(&mut command).arg("-p").arg(folder).arg("-e").arg("error.log");
        command.arg("-c").arg(folder.join("nginx.conf"));
        command
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Its workers end only if it is asked; killing it is for when that fails.
        let asked = Self::command(&self.folder).args(["-s", "stop"]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// As one would set it up to serve static files fast. Whoever is not root is told that `user` is
/// ignored, which is right.
fn configuration(port: u16) -> String {
    format!(
        "daemon off;
user root;
worker_processes 2;
pid nginx.pid;
error_log error.log error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    types {{ application/atom+xml atom; }}
    server {{
        listen 127.0.0.1:{port};
        root files;
        gzip_static on;
        add_header Cache-Control \"public, max-age=600\";
        add_header X-Content-Type-Options nosniff;
    }}
}}
"
    )
}

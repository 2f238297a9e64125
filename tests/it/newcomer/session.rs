//! A newcomer's shell: the commands of the session, run in a home folder of its own.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::mask::{Mask, NODE, SITE};
use super::site::Site;
use crate::harness::{Client, Output, eventually, pergola, run};

/// What the site on this machine needs: it is private, and courtesy would only take time.
const CONFIGURATION: &str = r#"[node]
name = "first-node"
listen = "127.0.0.1:0"
[schedule]
cycle = "100 ms"
[budget]
refreshes_per_minute = 6000
[crawl]
timeout = "2 s"
[hosts."127.0.0.1"]
private = true
spacing = 0
"#;

/// What another reader exported.
const SUBSCRIPTIONS: &str = r#"<opml version="2.0"><body>
  <outline text="Island news" xmlUrl="http://site.example:80/rss.xml"/>
  <outline text="Science">
    <outline text="Geology" xmlUrl="http://site.example:80/atom.xml"/>
    <outline text="Weather" xmlUrl="http://site.example:80/feed.json"/>
  </outline>
  <outline text="Broken" xmlUrl="http://site.example:80/broken.xml"/>
  <outline text="Empty" xmlUrl="http://site.example:80/empty.xml"/>
</body></opml>
"#;

/// A shell in the newcomer's home folder.
pub(super) struct Session {
    home: TempDir,
    /// Serves as long as the session lasts.
    _site: Site,
    node: Option<Running>,
    mask: Mask,
}

/// The node; killed on drop.
struct Running {
    child: Child,
    client: Client,
}

impl Session {
    pub(super) async fn start() -> Self {
        let (home, site) = (TempDir::new().unwrap(), Site::start().await);
        let mask = Mask::new([
            (site.address().to_string(), SITE),
            (home.path().display().to_string(), "~"),
        ]);
        let session = Self { home, _site: site, node: None, mask };
        session.write("pergola.toml", CONFIGURATION);
        session.write("subscriptions.opml", SUBSCRIPTIONS);
        session.write("password.txt", "secret\n");
        session
    }

    /// Runs a command of the transcript, and returns what it prints there.
    pub(super) async fn run(&mut self, command: &str) -> String {
        let words = words(&self.mask.lift(command));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (words, sieve) = match &words[..] {
            [words @ .., "|", "grep", text] => (words, *text),
            words => (words, ""),
        };
        let printed = match words {
            ["cat", file] => fs::read_to_string(self.home.path().join(file)).unwrap(),
            ["curl", url] => self.fetch(url).await,
            ["pergola", "run", "&"] => self.run_node().await,
            ["pergola", "feed", "tail", feed] => self.tail(feed).await,
            ["pergola", args @ ..] => shown(run(self.command(args)).await),
            _ => panic!("the newcomer does not know this command: {command}"),
        };
        self.rest().await;
        let lines = printed.lines().filter(|line| line.contains(sieve));
        let printed: String = lines.map(|line| format!("{line}\n")).collect();
        self.mask.cover(&printed)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.home.path().join(name), self.mask.lift(text)).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let home = self.home.path();
        let mut command = pergola();
        command.args(args).current_dir(home).env("HOME", home).env("COLUMNS", "");
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
            command.env_remove(name);
        }
        command
    }

    async fn run_node(&mut self) -> String {
        let port_file = self.home.path().join("port");
        let log = File::create(self.home.path().join("log")).unwrap();
        let mut command = self.command(&["run", "--port-file"]);
        command.arg(&port_file).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        let child = command.spawn().unwrap();
        let address: SocketAddr = eventually("the node's address", async || {
            let text = fs::read_to_string(&port_file).map_err(|error| error.to_string())?;
            text.trim().parse().map_err(|_| text)
        })
        .await;
        self.mask.add(address.to_string(), NODE);
        self.node = Some(Running { child, client: Client::new(address) });
        String::new()
    }

    fn client(&self) -> &Client {
        &self.node.as_ref().expect("the node runs").client
    }

    /// A document that the node publishes.
    async fn fetch(&self, url: &str) -> String {
        let path = url.strip_prefix(&self.client().url("")).expect("a page of the node");
        self.client().get(path).await.1
    }

    /// Follows a feed until all its items are printed.
    async fn tail(&self, feed: &str) -> String {
        let items =
            self.client().json(&format!("/api/v1/feeds/{feed}")).await["published"].as_u64();
        let file = self.home.path().join("tail");
        let mut command = self.command(&["feed", "tail", feed]);
        let mut child = command.stdout(File::create(&file).unwrap()).spawn().unwrap();
        let printed = eventually("all items", async || {
            let text = fs::read_to_string(&file).unwrap();
            if text.lines().count() as u64 == items.unwrap() { Ok(text) } else { Err(text) }
        })
        .await;
        child.kill().unwrap();
        child.wait().unwrap();
        printed
    }

    /// Waits until the node has nothing to do.
    async fn rest(&self) {
        let Some(node) = &self.node else { return };
        eventually("every source to be refreshed", async || {
            let page = node.client.json("/api/v1/sources?limit=500").await;
            let sources = page["sources"].as_array().unwrap();
            let mut busy =
                sources.iter().filter(|it| it["busy"] == true || it["last_refresh"].is_null());
            busy.next().map_or(Ok(()), |source| Err(source.to_string()))
        })
        .await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn shown(Output { code, stdout, stderr }: Output) -> String {
    let failed = match code {
        Some(0) => String::new(),
        code => format!("[exit code {}]\n", code.unwrap_or(-1)),
    };
    format!("{stdout}{stderr}{failed}")
}

/// The words of a command; single quotes keep words together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

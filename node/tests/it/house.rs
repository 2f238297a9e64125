//! A node and a newsroom on ports of their own, for tests that talk to a node as a client would.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pergola_config::{BudgetRule, Config};
use pergola_newsroom::Process;
use pergola_newsroom::serve::{Newsroom, Source};
use pergola_node::node::{Node, Running};
use pergola_outside::clock::Clock;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// Sources that publish only when told to.
pub(crate) struct Press {
    pub(crate) newsroom: Newsroom,
    address: SocketAddr,
}

impl Press {
    /// Sources by name, silent until [`Newsroom::publish_now`] or the like.
    pub(crate) async fn start(names: &[&str]) -> Self {
        let clock = Clock::real();
        let silent = |name: &&str| Source::new(*name, Process::Constant { rate: 0.0 }).window(10);
        let newsroom = Newsroom::builder(Arc::new(move || clock.now()))
            .sources(names.iter().map(silent))
            .build()
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = newsroom.clone();
        tokio::spawn(async move { serving.serve(listener, std::future::pending()).await });
        Self { newsroom, address }
    }

    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{}/sources/{name}", self.address)
    }
}

/// A node to which something happened or is about to, and whatever that takes.
pub(crate) type Scene = (House, Box<dyn Any>);
/// The store of the nodes here: the usual one, or the one that this variable names.
const STORE: &str = "PERGOLA_TEST_STORE";

/// A configuration for tests: quick cycles, no floors, loopback allowed.
pub(crate) fn quick_config(folder: &TempDir) -> Config {
    let hosts = "[hosts.\"127.0.0.1\"]\nspacing = 0\nper_domain = 8\nfloor = 0\nprivate = true\n";
    let file = folder.path().join("pergola.toml");
    std::fs::write(&file, hosts).unwrap();
    let mut config = Config::load(Some(&file), []).unwrap();
    config.node.data = folder.path().join("data");
    config.store.backend = std::env::var(STORE).ok().map(|name| name.parse().unwrap());
    config.schedule.cycle = Duration::from_millis(20);
    config.budget.rule = BudgetRule::Refreshes { per_minute: 6_000.0 };
    config
}

/// A node at work, with its folder.
pub(crate) struct House {
    pub(crate) running: Running,
    pub(crate) folder: TempDir,
    pub(crate) client: reqwest::Client,
}

impl House {
    pub(crate) async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let config = quick_config(&folder);
        Self::open(folder, config).await
    }

    pub(crate) async fn open(folder: TempDir, config: Config) -> Self {
        Self::open_at("127.0.0.1:0".parse().unwrap(), folder, config).await
    }

    /// On a port of its own choice, which is also what its documents say.
    pub(crate) async fn open_at(address: SocketAddr, folder: TempDir, mut config: Config) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        config.node.public_url = format!("http://{address}/").parse().unwrap();
        Self::open_with(folder, config, Clock::real(), listener).await
    }

    /// A node that listens where it is told to, by another clock if need be.
    pub(crate) async fn open_with(
        folder: TempDir,
        config: Config,
        clock: Clock,
        listener: TcpListener,
    ) -> Self {
        let node = Node::open_here(config, clock).await.unwrap();
        let running = node.start(listener).unwrap();
        let client = plain_client().build().unwrap();
        Self { running, folder, client }
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.running.node
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    /// Stops and starts again on the same folder.
    pub(crate) async fn restart(self) -> Self {
        let Self { running, folder, .. } = self;
        running.stop(Duration::from_secs(10)).await;
        let config = quick_config(&folder);
        Self::open(folder, config).await
    }

    /// What the node tells Prometheus of one of its counters.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let text = self.node().metrics_text();
        let wanted = format!("pergola_{name} ");
        let found = text.lines().find_map(|line| line.strip_prefix(&wanted)?.parse().ok());
        found.unwrap_or_else(|| panic!("there is no {name} in {text}"))
    }

    /// The titles that a feed shows as JSON Feed, newest first.
    pub(crate) async fn titles(&self, feed: &str) -> Vec<String> {
        let url = self.url(&format!("/feeds/{feed}.json"));
        let text = self.client.get(url).send().await.unwrap().text().await.unwrap();
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        let title = |item: &serde_json::Value| item["title"].as_str().unwrap_or("").to_owned();
        document["items"].as_array().unwrap().iter().map(title).collect()
    }
}

/// An instant in an answer, in seconds since 1970.
pub(crate) fn instant(value: &serde_json::Value) -> Option<f64> {
    let at: pergola_api::Instant = value.as_str()?.parse().unwrap();
    Some(at.unix())
}

/// A client for answers that come from this machine, without certificates.
pub(crate) fn plain_client() -> reqwest::ClientBuilder {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls)
}

/// Waits for a state and says what was last seen if it does not come.
pub(crate) async fn eventually<T>(
    what: &str,
    mut probe: impl AsyncFnMut() -> Result<T, String>,
) -> T {
    let mut last_seen = String::new();
    for _ in 0..400 {
        match probe().await {
            Ok(found) => return found,
            Err(seen) => last_seen = seen,
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("gave up waiting for {what}; last seen: {last_seen}");
}

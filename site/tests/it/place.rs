//! A node with its site, and a browser without scripts.

use std::sync::Arc;
use std::time::Duration;

use pergola_config::{BudgetRule, Config};
use pergola_node::node::{Node, Running};
use pergola_outside::clock::Clock;
use tempfile::TempDir;
use tokio::net::TcpListener;

/// A node with its site.
pub(crate) struct Place {
    pub(crate) running: Running,
    pub(crate) node: Arc<Node>,
    pub(crate) client: reqwest::Client,
    folder: TempDir,
}

impl Place {
    /// A node that anybody on this machine may manage, as after the first start.
    pub(crate) async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// … with other settings.
    pub(crate) async fn with(set: impl FnOnce(&mut Config)) -> Self {
        Self::opened(Clock::real(), set, false).await
    }

    /// … whose settings can be changed and stored.
    pub(crate) async fn with_file() -> Self {
        Self::opened(Clock::real(), |_| (), true).await
    }

    /// … by another clock.
    pub(crate) async fn at(clock: Clock, set: impl FnOnce(&mut Config)) -> Self {
        Self::opened(clock, set, false).await
    }

    async fn opened(clock: Clock, set: impl FnOnce(&mut Config), stores: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::at_home(TempDir::new().unwrap(), listener, clock, (set, stores)).await
    }

    /// The same node after a restart, with its data and its port and these settings.
    pub(crate) async fn restarted(self, set: impl FnOnce(&mut Config)) -> Self {
        let Self { running, node, folder, .. } = self;
        drop(node);
        let address = running.address();
        running.stop(Duration::from_secs(10)).await;
        let listener = TcpListener::bind(address).await.unwrap();
        Self::at_home(folder, listener, Clock::real(), (set, false)).await
    }

    async fn at_home(
        folder: TempDir,
        listener: TcpListener,
        clock: Clock,
        (set, stores): (impl FnOnce(&mut Config), bool),
    ) -> Self {
        let hosts =
            "[hosts.\"127.0.0.1\"]\nspacing = 0\nper_domain = 8\nfloor = 0\nprivate = true\n";
        let file = folder.path().join("pergola.toml");
        std::fs::write(&file, hosts).unwrap();
        let mut config = Config::load(Some(&file), []).unwrap();
        config.node.data = folder.path().join("data");
        config.schedule.cycle = Duration::from_millis(20);
        config.budget.rule = BudgetRule::Refreshes { per_minute: 6_000.0 };
        set(&mut config);
        let node = Node::open_here(config, clock).await.unwrap();
        if stores {
            let data = folder.path().join("data");
            node.reread_by(move |stored| {
                let mut config = Config::load_with(Some(&file), [], stored)?;
                config.node.data = data.clone();
                Ok(config)
            });
        }
        let running = pergola_site::start(Arc::clone(&node), listener).unwrap();
        let no_redirects = reqwest::redirect::Policy::none();
        let client = plain_client().redirect(no_redirects).build().unwrap();
        Self { running, node, client, folder }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.running.address())
    }

    /// A page, as a browser asks for it: status and text.
    pub(crate) async fn page(&self, path: &str) -> (u16, String) {
        let asked = self.client.get(self.url(path)).header("accept", "text/html");
        let answer = asked.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Sends a form: status, where it leads, and the text.
    pub(crate) async fn send(
        &self,
        path: &str,
        fields: &[(&str, &str)],
    ) -> (u16, Option<String>, String) {
        let body: String =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let sent = self
            .client
            .post(self.url(path))
            .header("accept", "text/html")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", self.url(""))
            .body(body);
        let answer = sent.send().await.unwrap();
        let leads = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        (answer.status().as_u16(), leads, answer.text().await.unwrap())
    }
}

/// A client for answers that come from this machine, without certificates.
fn plain_client() -> reqwest::ClientBuilder {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls)
}

/// What to put in a feed that a test serves.
pub(crate) fn rss(title: &str, items: &[(&str, &str)]) -> String {
    let items: String = items
        .iter()
        .map(|(id, title)| {
            let (id, title) = (escaped(id), escaped(title));
            format!("<item><guid isPermaLink=\"false\">{id}</guid><title>{title}</title></item>")
        })
        .collect();
    let title = escaped(title);
    format!("<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>")
}

/// Text as it stands in XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

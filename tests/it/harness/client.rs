//! An HTTP client of a node.

use std::net::SocketAddr;
use std::sync::Once;
use std::time::Duration;

use pergola_feed::{Document, ParseOptions, parse};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::eventually;

/// Items per page.
const PAGE: usize = 1_000;

/// A client of one node.
pub(crate) struct Client {
    address: SocketAddr,
    http: reqwest::Client,
}

/// An item in the archive of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archived {
    pub(crate) sequence: u64,
    pub(crate) id: String,
    pub(crate) title: String,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self::with_headers(address, HeaderMap::new())
    }

    /// A client with the token of the node.
    pub(crate) fn with_token(address: SocketAddr, token: &str) -> Self {
        let mut value: HeaderValue = format!("Bearer {token}").parse().unwrap();
        value.set_sensitive(true);
        Self::with_headers(address, HeaderMap::from_iter([(AUTHORIZATION, value)]))
    }

    /// A client that sends these with each request.
    pub(crate) fn with_headers(address: SocketAddr, headers: HeaderMap) -> Self {
        Self { address, http: http().default_headers(headers).build().unwrap() }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Status and text, or why there was no answer.
    pub(crate) async fn try_get(&self, path: &str) -> Result<(u16, String), String> {
        let asked = self.http.get(self.url(path)).send().await;
        let answer = asked.map_err(|error| format!("{error:?}"))?;
        let status = answer.status().as_u16();
        Ok((status, answer.text().await.map_err(|error| format!("{error:?}"))?))
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, String) {
        self.try_get(path).await.unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    /// The JSON of a path, which must answer 200.
    pub(crate) async fn json(&self, path: &str) -> Value {
        let (status, text) = self.get(path).await;
        assert_eq!(status, 200, "GET {path}: {text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("GET {path}: {error}: {text}"))
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let request = self.http.post(self.url(path)).header("content-type", "application/json");
        let answer = request.body(body.to_string()).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    /// Runs statements, which must succeed.
    pub(crate) async fn create_feed(&self, query: &str) {
        let (status, text) =
            self.post("/api/v1/feeds", &json!({ "query": query, "force": true })).await;
        assert_eq!(status, 200, "{query}: {text}");
    }

    /// A published document, parsed.
    pub(crate) async fn document(&self, path: &str) -> Document {
        let (status, text) = self.get(path).await;
        assert_eq!(status, 200, "GET {path}: {text}");
        parse(text.as_bytes(), &ParseOptions::default()).unwrap()
    }

    /// The titles that a feed shows, newest first.
    pub(crate) async fn titles(&self, feed: &str) -> Vec<String> {
        let document = self.document(&format!("/feeds/{feed}.json")).await;
        document.items.into_iter().map(|item| item.title.unwrap_or_default()).collect()
    }

    /// Waits until a feed shows a title.
    pub(crate) async fn shows(&self, feed: &str, title: &str) {
        eventually(&format!("`{title}` in {feed}"), async || {
            let titles = self.titles(feed).await;
            if titles.iter().any(|seen| seen == title) {
                Ok(())
            } else {
                Err(format!("{titles:?}"))
            }
        })
        .await;
    }

    /// The archive of a feed after a number; nothing if the node does not answer.
    pub(crate) async fn archive(&self, feed: &str, after: u64) -> Option<Vec<Archived>> {
        let (mut all, mut next) = (Vec::new(), after);
        loop {
            let path = format!("/api/v1/feeds/{feed}/items?after={next}&limit={PAGE}");
            let (status, text) = self.try_get(&path).await.ok()?;
            assert_eq!(status, 200, "{text}");
            let page: Value = serde_json::from_str(&text).unwrap();
            let items = page["items"].as_array().unwrap();
            all.extend(items.iter().map(Archived::from));
            next = page["next"].as_u64().unwrap();
            if items.len() < PAGE {
                return Some(all);
            }
        }
    }

    /// The state of a source, by its address.
    pub(crate) async fn source(&self, url: &str) -> Value {
        let sources = self.json("/api/v1/sources?limit=500").await;
        let mut all = sources["sources"].as_array().unwrap().iter();
        all.find(|source| source["url"] == url).cloned().unwrap_or(Value::Null)
    }

    /// The value of a metric with these labels, if it exists.
    pub(crate) async fn metric(&self, name: &str, labels: &[&str]) -> Option<f64> {
        let (_, text) = self.get("/metrics").await;
        let mut lines = text.lines().filter(|line| line.strip_prefix(name).is_some_and(starts));
        let line = lines.find(|line| labels.iter().all(|label| line.contains(label)))?;
        line.rsplit(' ').next()?.parse().ok()
    }
}

/// A client of something else on this machine.
pub(crate) fn http_client() -> reqwest::Client {
    http().build().unwrap()
}

fn http() -> reqwest::ClientBuilder {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        let provider = rustls::crypto::ring::default_provider();
        provider.install_default().expect("nobody else installs one");
    });
    reqwest::Client::builder().timeout(Duration::from_secs(60)).no_proxy()
}

/// Whether the name of a metric ends here.
fn starts(rest: &str) -> bool {
    rest.starts_with(['{', ' '])
}

impl From<&Value> for Archived {
    fn from(item: &Value) -> Self {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let sequence = item["sequence"].as_u64().unwrap();
        Self { sequence, id: text("id"), title: text("title") }
    }
}

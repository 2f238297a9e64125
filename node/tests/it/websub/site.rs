//! A site with a feed and a hub of its own, both of which do what a test tells them to.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use http::StatusCode;
use ring::hmac;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::{Url, form_urlencoded};

use crate::house::{House, eventually};

/// Where a feed names its hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    InHeader,
    InDocument,
    Nowhere,
}

struct Memory {
    items: Vec<String>,
    names: Names,
    refreshes: usize,
    asked: Vec<HashMap<String, String>>,
    /// How the hub answers.
    answer: (u16, Option<String>),
}

pub(super) struct Site {
    address: SocketAddr,
    memory: Arc<Mutex<Memory>>,
    serving: JoinHandle<()>,
    client: reqwest::Client,
}

/// A request as the hub received it.
#[derive(Debug, Clone)]
pub(super) struct Asked(HashMap<String, String>);

impl Asked {
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(&format!("hub.{name}")).map_or("", String::as_str)
    }
}

impl Site {
    pub(super) async fn start(house: &House, names: Names) -> Self {
        let memory = Memory {
            items: vec!["First".into()],
            names,
            refreshes: 0,
            asked: Vec::new(),
            answer: (202, None),
        };
        let memory = Arc::new(Mutex::new(memory));
        let router = Router::new()
            .route("/feed", get(feed))
            .route("/hub", post(hub))
            .route("/other", post(other))
            .with_state(Arc::clone(&memory));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, memory, serving, client: house.client.clone() }
    }

    pub(super) fn feed(&self) -> String {
        format!("http://{}/feed", self.address)
    }

    pub(super) fn hub(&self) -> String {
        format!("http://{}/hub", self.address)
    }

    /// What the document shows from now on.
    pub(super) fn shows(&self, items: &[&str]) {
        self.memory().items = items.iter().map(ToString::to_string).collect();
    }

    pub(super) fn names(&self, names: Names) {
        self.memory().names = names;
    }

    /// How the hub answers from now on.
    pub(super) fn hub_answers(&self, status: u16, location: Option<&str>) {
        self.memory().answer = (status, location.map(str::to_owned));
    }

    /// How often the feed was refreshed.
    pub(super) fn refreshes(&self) -> usize {
        self.memory().refreshes
    }

    pub(super) fn asked(&self) -> usize {
        self.memory().asked.len()
    }

    /// Waits until the hub was asked so many times; the last one.
    pub(super) async fn was_asked(&self, times: usize) -> Asked {
        eventually("the node to ask the hub", async || {
            let asked = self.memory().asked.clone();
            let last = asked.get(times - 1).cloned().map(Asked);
            last.ok_or_else(|| format!("{asked:?}"))
        })
        .await
    }

    /// Waits until the feed was refreshed once more.
    pub(super) async fn was_refreshed(&self) {
        let before = self.refreshes();
        eventually("another refresh", async || {
            let refreshes = self.refreshes();
            if refreshes > before { Ok(()) } else { Err(refreshes.to_string()) }
        })
        .await;
    }

    /// The hub asks a callback something: status, headers and body of its answer.
    pub(super) async fn asks(&self, callback: &str, fields: &[(&str, &str)]) -> Answered {
        let mut url = Url::parse(callback).unwrap();
        url.query_pairs_mut().extend_pairs(fields);
        let answer = self.client.get(url).send().await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        Answered { status, headers, body: answer.text().await.unwrap() }
    }

    /// The hub verifies what it was asked for.
    pub(super) async fn verifies(&self, asked: &Asked, lease: u32) -> Answered {
        let lease = lease.to_string();
        let fields = [
            ("hub.mode", asked.get("mode")),
            ("hub.topic", asked.get("topic")),
            ("hub.challenge", "prove-it"),
            ("hub.lease_seconds", &lease),
        ];
        self.asks(asked.get("callback"), &fields).await
    }

    /// The hub sends these items, signed as it should be.
    pub(super) async fn pushes(&self, asked: &Asked, items: &[&str]) -> StatusCode {
        let body = self.document(items);
        let key = hmac::Key::new(hmac::HMAC_SHA256, asked.get("secret").as_bytes());
        self.sends(asked, &body, Some(&signature("sha256", key, &body))).await
    }

    /// The hub sends something with some signature.
    pub(super) async fn sends(&self, asked: &Asked, body: &str, sign: Option<&str>) -> StatusCode {
        // Whoever still sends when the answer comes may lose the connection instead.
        eventually("an answer", async || {
            let request = self.delivery(asked, body, sign);
            request.send().await.map(|answer| answer.status()).map_err(|error| error.to_string())
        })
        .await
    }

    fn delivery(&self, asked: &Asked, body: &str, sign: Option<&str>) -> reqwest::RequestBuilder {
        let mut request = self
            .client
            .post(asked.get("callback"))
            .header("content-type", "application/atom+xml")
            .header(
                "link",
                format!("<{}>; rel=\"hub\", <{}>; rel=\"self\"", self.hub(), self.feed()),
            );
        if let Some(sign) = sign {
            request = request.header("x-hub-signature", sign);
        }
        request.body(body.to_owned())
    }

    /// A document with these items.
    pub(super) fn document(&self, items: &[&str]) -> String {
        let items: Vec<String> = items.iter().map(ToString::to_string).collect();
        document(&items, &self.address.to_string(), Names::InDocument)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }
}

pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) headers: http::HeaderMap,
    pub(super) body: String,
}

/// The value of `X-Hub-Signature`.
pub(super) fn signature(method: &str, key: hmac::Key, body: &str) -> String {
    let tag = hmac::sign(&key, body.as_bytes());
    let digits: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{method}={digits}")
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn document(items: &[String], host: &str, names: Names) -> String {
    let links = match names {
        Names::InDocument => format!(
            "<link rel=\"hub\" href=\"http://{host}/hub\"/>\
             <link rel=\"self\" href=\"http://{host}/feed\"/>"
        ),
        Names::InHeader | Names::Nowhere => String::new(),
    };
    let entries: String = items
        .iter()
        .map(|title| {
            format!(
                "<entry><id>tag:site.example,2026:{}</id><title>{title}</title>\
                 <updated>2026-01-01T00:00:00Z</updated></entry>",
                title.replace(' ', "-")
            )
        })
        .collect();
    format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>tag:site.example,2026:feed</id>\
         <title>Site</title><updated>2026-01-01T00:00:00Z</updated>{links}{entries}</feed>"
    )
}

async fn feed(State(memory): State<Arc<Mutex<Memory>>>, headers: http::HeaderMap) -> Response {
    let mut memory = memory.lock().unwrap();
    memory.refreshes += 1;
    let host = headers["host"].to_str().unwrap();
    let body = document(&memory.items, host, memory.names);
    let link = format!("</hub>; rel=\"hub\", <http://{host}/feed>; rel=self");
    match memory.names {
        Names::InHeader => ([("link", link)], body).into_response(),
        Names::InDocument | Names::Nowhere => body.into_response(),
    }
}

async fn hub(State(memory): State<Arc<Mutex<Memory>>>, form: Bytes) -> Response {
    let mut memory = memory.lock().unwrap();
    memory.asked.push(form_urlencoded::parse(&form).into_owned().collect());
    let (status, location) = memory.answer.clone();
    let location = location.unwrap_or_default();
    (StatusCode::from_u16(status).unwrap(), [("location", location)], "not today").into_response()
}

/// Another hub, to which the first one may refer.
async fn other(State(memory): State<Arc<Mutex<Memory>>>, form: Bytes) -> StatusCode {
    let mut fields: HashMap<String, String> = form_urlencoded::parse(&form).into_owned().collect();
    fields.insert("hub.other".into(), "yes".into());
    memory.lock().unwrap().asked.push(fields);
    StatusCode::ACCEPTED
}

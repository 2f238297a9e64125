//! A webhook: it takes what it is sent, or does not.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri};
use ring::hmac;
use serde_json::Value;
use tokio::net::TcpListener;

use crate::house::eventually;

/// What it was sent.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) path: String,
    pub(super) body: Bytes,
    headers: HeaderMap,
    status: u16,
}

impl Taken {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(super) fn is_signed_with(&self, secret: &str) -> bool {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), &self.body);
        let expected: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        self.header("x-pergola-signature") == format!("sha256={expected}")
    }
}

#[derive(Default)]
struct Memory {
    asked: Vec<Taken>,
    /// Statuses in turn; 200 when there are none left.
    answers: VecDeque<u16>,
    leads_to: Option<String>,
}

/// A web server of its own.
pub(super) struct Receiver {
    address: SocketAddr,
    memory: Arc<Mutex<Memory>>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let memory = Arc::new(Mutex::new(Memory::default()));
        let router = Router::new().route("/{*path}", post(take)).with_state(Arc::clone(&memory));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, memory }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn answers(&self, statuses: impl IntoIterator<Item = u16>) {
        self.memory().answers = statuses.into_iter().collect();
    }

    pub(super) fn leads_to(&self, url: &str) {
        self.memory().leads_to = Some(url.to_owned());
    }

    /// All that it was sent.
    pub(super) fn asked(&self) -> Vec<Taken> {
        self.memory().asked.clone()
    }

    /// What it took.
    pub(super) fn taken(&self) -> Vec<Taken> {
        self.asked().into_iter().filter(|taken| taken.status == 200).collect()
    }

    pub(super) async fn was_asked(&self, times: usize) -> Vec<Taken> {
        eventually("a delivery", async || {
            let asked = self.asked();
            if asked.len() >= times { Ok(asked) } else { Err(format!("{asked:?}")) }
        })
        .await
    }

    /// Waits until it took as many entries; they must be exactly these.
    pub(super) async fn has_titles(&self, expected: &[impl AsRef<str> + Debug]) {
        let titles = eventually("all entries", async || {
            let mut titles = Vec::new();
            for taken in self.taken() {
                let json = taken.json();
                let entries = json["entries"].as_array().unwrap();
                titles.extend(entries.iter().map(|it| it["title"].as_str().unwrap().to_owned()));
            }
            if titles.len() >= expected.len() { Ok(titles) } else { Err(format!("{titles:?}")) }
        })
        .await;
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        assert_eq!(titles, expected);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }
}

async fn take(
    State(memory): State<Arc<Mutex<Memory>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut memory = memory.lock().unwrap();
    let leads_to = memory.leads_to.clone();
    let next = memory.answers.pop_front().unwrap_or(200);
    let status = if leads_to.is_some() { 307 } else { next };
    memory.asked.push(Taken { path: uri.to_string(), body, headers, status });
    let status = StatusCode::from_u16(status).unwrap();
    match leads_to {
        Some(to) => (status, [("location", to)]).into_response(),
        None => status.into_response(),
    }
}

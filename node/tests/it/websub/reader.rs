//! A subscriber written from the text: it asks, confirms what it asked for, and takes what it is sent.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri};
use ring::hmac;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::form_urlencoded;

use crate::house::{House, eventually};

/// A document as it was sent to a callback.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Sent {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(super) fn contains(&self, text: &str) -> bool {
        std::str::from_utf8(&self.body).unwrap().contains(text)
    }

    /// Whether the signature is that of the body with this secret.
    pub(super) fn is_signed_with(&self, secret: &str) -> bool {
        let Some(digits) = self.header("x-hub-signature").strip_prefix("sha256=") else {
            return false;
        };
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, &self.body);
        let expected: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        digits == expected
    }
}

/// How it answers to being asked whether it wants something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirms {
    Yes,
    No,
    /// With another challenge.
    Wrongly,
    /// With the challenge, and a redirect.
    Elsewhere,
}

#[derive(Default)]
struct Memory {
    asked: Vec<HashMap<String, String>>,
    sent: Vec<Sent>,
    confirms: Option<Confirms>,
    /// Statuses for documents, in turn; 200 when there are none left.
    answers: VecDeque<u16>,
    silent: bool,
}

/// A web server of its own.
pub(super) struct Reader {
    address: SocketAddr,
    memory: Arc<Mutex<Memory>>,
    serving: JoinHandle<()>,
}

impl Reader {
    pub(super) async fn start() -> Self {
        let memory = Arc::new(Mutex::new(Memory::default()));
        let router =
            Router::new().route("/{*path}", get(asked).post(sent)).with_state(Arc::clone(&memory));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, memory, serving }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn confirms(&self, confirms: Confirms) {
        self.memory().confirms = Some(confirms);
    }

    /// Answers the next documents by these statuses.
    pub(super) fn answers(&self, statuses: impl IntoIterator<Item = u16>) {
        self.memory().answers = statuses.into_iter().collect();
    }

    /// Takes documents and never answers.
    pub(super) fn falls_silent(&self) {
        self.memory().silent = true;
    }

    /// What it was asked, in the order it came.
    pub(super) fn asked(&self) -> Vec<HashMap<String, String>> {
        self.memory().asked.clone()
    }

    /// What it was sent, in the order it came.
    pub(super) fn sent(&self) -> Vec<Sent> {
        self.memory().sent.clone()
    }

    /// Waits until it was asked so many times; the last one.
    pub(super) async fn was_asked(&self, times: usize) -> HashMap<String, String> {
        eventually("the hub to ask", async || {
            let asked = self.asked();
            if asked.len() >= times {
                Ok(asked[times - 1].clone())
            } else {
                Err(format!("{asked:?}"))
            }
        })
        .await
    }

    /// Waits for the n-th document.
    pub(super) async fn was_sent(&self, times: usize) -> Sent {
        eventually("a document", async || {
            let sent = self.sent();
            if sent.len() >= times {
                Ok(sent[times - 1].clone())
            } else {
                Err(sent.len().to_string())
            }
        })
        .await
    }

    /// Asks a node's hub for something.
    pub(super) async fn asks(
        &self,
        house: &House,
        fields: &[(&str, &str)],
    ) -> (StatusCode, String) {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        eventually("the hub to have room", async || {
            let request = house
                .client
                .post(house.url("/hub"))
                .header("content-type", "application/x-www-form-urlencoded")
                .body(form.clone());
            let answer = request.send().await.unwrap();
            match answer.status() {
                StatusCode::SERVICE_UNAVAILABLE => {
                    assert_eq!(answer.headers()["retry-after"], "1");
                    Err(answer.text().await.unwrap())
                }
                status => Ok((status, answer.text().await.unwrap())),
            }
        })
        .await
    }

    /// Subscribes to a feed and waits until the hub counts it.
    pub(super) async fn subscribes(&self, house: &House, path: &str, more: &[(&str, &str)]) {
        let before = super::metric(house, CONFIRMED).await;
        let (topic, callback) = (house.url("/feeds/News.atom"), self.url(path));
        let mut fields = vec![
            ("hub.mode", "subscribe"),
            ("hub.topic", topic.as_str()),
            ("hub.callback", callback.as_str()),
        ];
        fields.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
        fields.extend_from_slice(more);
        let (status, text) = self.asks(house, &fields).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{text}");
        super::eventually_counts(house, CONFIRMED, before + 1.0).await;
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }
}

const CONFIRMED: &str = "pergola_websub_verifications_total{outcome=\"subscribed\"}";

impl Drop for Reader {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn asked(State(memory): State<Arc<Mutex<Memory>>>, RawQuery(query): RawQuery) -> Response {
    let query: HashMap<String, String> =
        form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
    let mut memory = memory.lock().unwrap();
    memory.asked.push(query.clone());
    let challenge = query.get("hub.challenge").cloned().unwrap_or_default();
    match memory.confirms.unwrap_or(Confirms::Yes) {
        Confirms::Yes => challenge.into_response(),
        Confirms::No => StatusCode::NOT_FOUND.into_response(),
        Confirms::Wrongly => format!("{challenge}\n").into_response(),
        Confirms::Elsewhere => {
            (StatusCode::FOUND, [("location", "/elsewhere")], challenge).into_response()
        }
    }
}

async fn sent(
    State(memory): State<Arc<Mutex<Memory>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (answer, silent) = {
        let mut memory = memory.lock().unwrap();
        memory.sent.push(Sent { path: uri.to_string(), headers, body });
        (memory.answers.pop_front().unwrap_or(200), memory.silent)
    };
    if silent {
        std::future::pending::<()>().await;
    }
    (StatusCode::from_u16(answer).unwrap(), [("location", "/elsewhere")]).into_response()
}

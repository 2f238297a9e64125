//! The newsroom over real sockets: a real client, a server on a port of its own, a clock in the
//! test's hand.

#![expect(clippy::unwrap_used, reason = "a test's helpers fail as the test does")]

mod conditional;
mod documents;
mod knobs;
mod refusals;
mod truth;
mod worlds;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pergola_feed::{Document, ParseOptions};
use pergola_newsroom::Process;
use pergola_newsroom::serve::{Builder, Clock, Newsroom, Source};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response};
use tokio::net::TcpListener;

/// When every test begins: a Monday morning.
const OPENING: f64 = 1_790_000_000.0;

/// A clock that stands still until it is moved.
#[derive(Clone)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn new() -> Self {
        Self(Arc::new(AtomicU64::new(OPENING.to_bits())))
    }

    fn forward(&self, seconds: f64) {
        let now = f64::from_bits(self.0.load(Ordering::SeqCst));
        self.0.store((now + seconds).to_bits(), Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        let shown = Arc::clone(&self.0);
        Arc::new(move || f64::from_bits(shown.load(Ordering::SeqCst)))
    }
}

/// A newsroom that is served, and a client for it.
struct Stage {
    newsroom: Newsroom,
    hand: Hand,
    url: String,
    client: Client,
}

impl Stage {
    /// Serves what `shape` makes of an empty newsroom with seed 7.
    async fn open(shape: impl FnOnce(Builder) -> Builder) -> Self {
        let hand = Hand::new();
        let newsroom = shape(Newsroom::builder(hand.clock()).seed(7)).build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = newsroom.clone();
        tokio::spawn(async move { served.serve(listener, std::future::pending()).await.unwrap() });
        Self { newsroom, hand, url, client: client() }
    }

    /// Serves one source named `news` that publishes at these seconds after the opening.
    async fn with_times(times: &[f64], shape: impl FnOnce(Source) -> Source) -> Self {
        let source = Source::new("news", Process::Recorded(times.to_vec()))
            .topics(&["volcano", "chess"], 0.6)
            .window(5);
        Self::open(|builder| builder.source(shape(source))).await
    }

    async fn send(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, &[]).await
    }

    async fn text(&self, path: &str) -> (u16, String) {
        let response = self.get(path).await;
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn document(&self, path: &str) -> Document {
        let response = self.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        let bytes = response.bytes().await.unwrap();
        let document = pergola_feed::parse(&bytes, &ParseOptions::default()).unwrap();
        assert_eq!(document.warnings, Vec::<String>::new(), "{path}");
        document
    }
}

fn client() -> Client {
    // The client wants to know how to do TLS even where there is none; another test may have told it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap())
}

//! A scriptable origin: a web server on a port of its own that says what a test tells it to say, counts
//! its hits and remembers every request as it came in.
//!
//! ```ignore
//! let origin = Origin::builder().page("/feed.xml", Reply::ok("<rss/>").header("etag", "\"1\"")).start().await;
//! fetch(origin.url("/feed.xml")).await;
//! assert_eq!(origin.hits("/feed.xml"), 1);
//! origin.set("/feed.xml", Reply::status(410));
//! ```
//!
//! It speaks HTTP/1.1 by hand, byte by byte, because half of its purpose is to misbehave: bodies that
//! never end, that drip, that are no HTTP at all. Paths that nobody scripted answer 404. It ends when it
//! is dropped.

// Named, so that the end-to-end tests can share this file.
#[path = "origin/reply.rs"]
mod reply;

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use url::Url;

pub(crate) use reply::Reply;

/// The first byte of a TLS connection.
const TLS_HANDSHAKE: u8 = 0x16;

/// A running origin.
pub(crate) struct Origin {
    address: SocketAddr,
    script: Arc<Script>,
    serving: JoinHandle<()>,
}

/// An origin to be.
#[derive(Default)]
pub(crate) struct OriginBuilder {
    pages: HashMap<String, VecDeque<Reply>>,
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `GET` and the like.
    pub(crate) method: String,
    /// Path and query.
    pub(crate) path: String,
    /// Names in lower case, values byte for byte, in the order of the wire.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// Which connection it came by, counted from 1.
    pub(crate) connection: usize,
}

#[derive(Default)]
struct Script {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pages: HashMap<String, VecDeque<Reply>>,
    requests: Vec<Request>,
    connections: usize,
}

impl OriginBuilder {
    /// Answers `path` (with its query, if it has one) by `reply`, always.
    pub(crate) fn page(self, path: &str, reply: Reply) -> Self {
        self.script(path, [reply])
    }

    /// Answers `path` by these replies in turn; the last one stays.
    pub(crate) fn script(mut self, path: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.pages.insert(path.to_owned(), replies.into_iter().collect());
        self
    }

    /// Binds a free port of this machine and begins to answer.
    pub(crate) async fn start(self) -> Origin {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Script::default());
        script.state().pages = self.pages;
        let serving = tokio::spawn(serve(listener, Arc::clone(&script)));
        Origin { address, script, serving }
    }
}

impl Origin {
    /// An origin to be scripted and started.
    pub(crate) fn builder() -> OriginBuilder {
        OriginBuilder::default()
    }

    /// The address of a path.
    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    /// From now on answers `path` by `reply`.
    pub(crate) fn set(&self, path: &str, reply: Reply) {
        self.script.state().pages.insert(path.to_owned(), VecDeque::from([reply]));
    }

    /// How often `path` was asked for.
    pub(crate) fn hits(&self, path: &str) -> usize {
        self.requests(path).len()
    }

    /// The requests for `path`, in order.
    pub(crate) fn requests(&self, path: &str) -> Vec<Request> {
        self.script.state().requests.iter().filter(|seen| seen.path == path).cloned().collect()
    }

    /// How many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.script.state().connections
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Request {
    /// The value of a header, byte for byte, if it was sent.
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        let found = self.headers.iter().find(|(sent, _)| sent == name);
        found.map(|(_, value)| value.as_slice())
    }

    /// The value of a header as text; empty if it was not sent.
    pub(crate) fn text(&self, name: &str) -> &str {
        std::str::from_utf8(self.header(name).unwrap_or_default()).unwrap()
    }

    fn parse(head: &[u8], connection: usize) -> Option<Self> {
        let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        let first = String::from_utf8(lines.next()?.to_vec()).ok()?;
        let mut words = first.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers = lines.filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
            Some((name, line[colon + 1..].trim_ascii_start().to_vec()))
        });
        Some(Self { method, path, headers: headers.collect(), connection })
    }
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Remembers the request and says what to answer.
    fn reply(&self, request: Request) -> Reply {
        let mut state = self.state();
        let reply = match state.pages.get_mut(&request.path) {
            Some(replies) if replies.len() > 1 => replies.pop_front(),
            Some(replies) => replies.front().cloned(),
            None => None,
        };
        let reply = reply.unwrap_or_else(|| Reply::status(404)).for_request(&request);
        state.requests.push(request);
        reply
    }
}

async fn serve(listener: TcpListener, script: Arc<Script>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let connection = {
            let mut state = script.state();
            state.connections += 1;
            state.connections
        };
        connections.spawn(converse(stream, Arc::clone(&script), connection));
        while connections.try_join_next().is_some() {}
    }
}

/// Answers one connection until either side has had enough.
async fn converse(mut stream: TcpStream, script: Arc<Script>, connection: usize) {
    let mut received = Vec::new();
    loop {
        let end = received.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head: Vec<u8> = received.drain(..end + 4).collect();
            let Some(request) = Request::parse(&head[..end], connection) else { return };
            let reply = script.reply(request);
            if reply.send(&mut stream).await.is_err() || !reply.keeps_alive() {
                let _already_gone = stream.shutdown().await;
                return;
            }
            continue;
        }
        match stream.read_buf(&mut received).await {
            Ok(0) | Err(_) => return,
            // Somebody speaks TLS, which this origin does not.
            Ok(_) if received.first() == Some(&TLS_HANDSHAKE) => return,
            Ok(_) => {}
        }
    }
}

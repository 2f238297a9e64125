//! A scripted peer: a feed over HTTP with the header of a node, and the service of a node on the same
//! port, which behaves or does not, as a test tells it.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Item, Link, Timestamp};
use pergola_node::wire::{Delivered, entry_to_wire};
use pergola_proto::v1::syndication_server::{Syndication, SyndicationServer};
use pergola_proto::v1::*;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response as Answer, Status};

/// The window of its feed.
pub(super) const WINDOW: usize = 10;
/// Entries in one of its answers.
const PAGE: usize = 25;

/// How it behaves over gRPC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Manner {
    Honest,
    /// It knows no such service.
    Unimplemented,
    /// There is always more, and the cursor stands still.
    Stuck,
    /// Its numbers go backwards.
    Backwards,
    /// Another node answers, and claims to know the cursor.
    OtherNode,
    /// One message of 20 MB.
    Oversized,
    /// An entry without an item.
    Broken,
    /// It never answers.
    Mute,
    /// It wants quiet for so many seconds.
    Tired(u32),
    /// It does not know any cursor.
    Forgetful,
    /// It never says when it has news.
    Taciturn,
}

pub(super) struct Stranger {
    address: SocketAddr,
    script: Arc<Script>,
    serving: JoinHandle<()>,
}

struct Script {
    state: Mutex<State>,
    published: watch::Sender<usize>,
}

#[derive(Clone)]
struct State {
    published: usize,
    manner: Manner,
    version: &'static str,
    /// Seconds that its clock is ahead.
    ahead: f64,
    /// Over HTTP it answers this instead.
    http_status: u16,
    gets: usize,
    fetches: Vec<FetchRequest>,
    streams: usize,
}

/// The id of an item.
pub(super) fn id(number: usize) -> String {
    format!("https://stranger.example/{number:04}")
}

fn item(number: usize) -> Item {
    Item {
        guid: Some(id(number)),
        title: Some(format!("Item {number}")),
        link: Some(id(number)),
        published: Some(Timestamp::from_unix(1_700_000_000 + number as i64)),
        ..Item::new(id(number))
    }
}

impl Stranger {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = State {
            published: 0,
            manner: Manner::Honest,
            version: "v1",
            ahead: 0.0,
            http_status: 200,
            gets: 0,
            fetches: Vec::new(),
            streams: 0,
        };
        let script =
            Arc::new(Script { state: Mutex::new(state), published: watch::Sender::new(0) });
        let service = SyndicationServer::new(Service(Arc::clone(&script)));
        let router = tonic::service::Routes::new(service)
            .into_axum_router()
            .merge(Router::new().route("/feeds/F", get(document)).with_state(Arc::clone(&script)));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, script, serving }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/feeds/F", self.address)
    }

    pub(super) fn publish(&self, count: usize) {
        let published = {
            let mut state = self.state();
            state.published += count;
            state.published
        };
        self.script.published.send_replace(published);
    }

    pub(super) fn behave(&self, manner: Manner) {
        self.state().manner = manner;
    }

    pub(super) fn speak(&self, version: &'static str) {
        self.state().version = version;
    }

    pub(super) fn set_clock_ahead(&self, seconds: f64) {
        self.state().ahead = seconds;
    }

    pub(super) fn answer_http(&self, status: u16) {
        self.state().http_status = status;
    }

    /// Requests over HTTP so far.
    pub(super) fn gets(&self) -> usize {
        self.state().gets
    }

    /// Requests over gRPC so far.
    pub(super) fn fetches(&self) -> Vec<FetchRequest> {
        self.state().fetches.clone()
    }

    /// Streams that were opened so far.
    pub(super) fn streams(&self) -> usize {
        self.state().streams
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.script.state.lock().unwrap()
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn document(Shared(script): Shared<Arc<Script>>) -> Response {
    let state = {
        let mut state = script.state.lock().unwrap();
        state.gets += 1;
        state.clone()
    };
    if state.http_status != 200 {
        return http::StatusCode::from_u16(state.http_status).unwrap().into_response();
    }
    let mut shown = Document::new(Format::Atom);
    shown.title = Some("Strange".into());
    shown.links = vec![Link::new("self", "http://stranger.example/feeds/F")];
    let oldest = state.published.saturating_sub(WINDOW);
    shown.items = (oldest..state.published).rev().map(item).collect();
    let headers = [
        ("content-type", "application/atom+xml".to_owned()),
        ("etag", format!("\"{}\"", state.published)),
        ("pergola-feed", format!("{} F", state.version)),
    ];
    (headers, write_atom(&shown)).into_response()
}

struct Service(Arc<Script>);

fn cursor(next: usize) -> String {
    format!("c{next}")
}

fn entry(number: usize) -> Entry {
    let sequence = number as u64;
    let (published_at, edited, cut) = (0.0, false, false);
    entry_to_wire(Delivered { sequence, published_at, edited, cut, item: item(number) })
}

impl Service {
    fn page(&self, state: &State, request: &FetchRequest) -> Result<FetchResponse, Status> {
        let newest = if request.newest == 0 { WINDOW } else { request.newest as usize };
        let from: usize = match request.cursor.strip_prefix('c') {
            Some(_) if state.manner == Manner::Forgetful => {
                return Err(Status::invalid_argument("no cursor of ours"));
            }
            Some(number) => number.parse().map_err(|_| Status::invalid_argument("no cursor"))?,
            None => state.published.saturating_sub(newest),
        };
        let mut start = from;
        if !request.cursor.is_empty() && request.newest > 0 {
            start = start.max(state.published.saturating_sub(newest));
        }
        let end = state.published.min(start + PAGE.min(request.limit as usize));
        let now = pergola_outside::clock::Clock::real().now() + state.ahead;
        Ok(FetchResponse {
            entries: (start..end).map(entry).collect(),
            cursor: cursor(end),
            more: end < state.published,
            skipped: (start - from) as u64,
            hints: request.hints.then(|| Hints {
                items_per_day: Some(24.0),
                completeness: Some(0.5),
                freshness: Some(0.25),
                planned: vec![PlannedRefresh { at_ms: ((now + 60.0) * 1000.0) as i64, items: 1.0 }],
                now_ms: (now * 1000.0) as i64,
            }),
            node: Some(NodeInfo {
                id: "strange".into(),
                name: "Stranger".into(),
                ..NodeInfo::default()
            }),
            title: "Strange".into(),
            window: WINDOW as u32,
            ..FetchResponse::default()
        })
    }
}

#[tonic::async_trait]
impl Syndication for Service {
    async fn fetch(&self, request: Request<FetchRequest>) -> Result<Answer<FetchResponse>, Status> {
        let request = request.into_inner();
        let state = {
            let mut state = self.0.state.lock().unwrap();
            state.fetches.push(request.clone());
            state.clone()
        };
        let mut page = self.page(&state, &request)?;
        match state.manner {
            Manner::Honest | Manner::Forgetful | Manner::Taciturn => {}
            Manner::Unimplemented => return Err(Status::unimplemented("no such service")),
            Manner::Stuck => (page.more, page.cursor) = (true, request.cursor),
            Manner::Backwards => page.entries.push(entry(0)),
            Manner::OtherNode => page.node.as_mut().unwrap().id = "somebody else".into(),
            Manner::Oversized => page.title = "x".repeat(20_000_000),
            Manner::Broken => page.entries.push(Entry { sequence: 1 << 40, ..Entry::default() }),
            Manner::Mute => tokio::time::sleep(Duration::from_secs(60)).await,
            Manner::Tired(seconds) => {
                let mut status = Status::resource_exhausted("too often");
                let value = seconds.to_string().parse().unwrap();
                status.metadata_mut().insert("retry-after", value);
                return Err(status);
            }
        }
        Ok(Answer::new(page))
    }

    async fn search(
        &self,
        _: Request<pergola_proto::v1::SearchRequest>,
    ) -> Result<Answer<pergola_proto::v1::SearchResponse>, Status> {
        Err(Status::unimplemented("it does not search"))
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<WatchResponse, Status>> + Send>>;

    async fn watch(&self, _: Request<WatchRequest>) -> Result<Answer<Self::WatchStream>, Status> {
        {
            let mut state = self.0.state.lock().unwrap();
            if state.manner != Manner::Honest {
                return Err(Status::unimplemented("no such service"));
            }
            state.streams += 1;
        }
        let (sender, mut receiver) = mpsc::channel(1);
        let mut published = self.0.published.subscribe();
        published.mark_changed();
        tokio::spawn(async move {
            while published.changed().await.is_ok() {
                let head = cursor(*published.borrow_and_update());
                let news = WatchResponse { pending: 0, head, changed_at_ms: None };
                if sender.send(Ok(news)).await.is_err() {
                    break;
                }
            }
        });
        let stream = std::future::poll_fn(move |context| receiver.poll_recv(context));
        Ok(Answer::new(Box::pin(Polled(stream))))
    }

    async fn list_feeds(
        &self,
        _: Request<ListFeedsRequest>,
    ) -> Result<Answer<ListFeedsResponse>, Status> {
        Err(Status::unimplemented("nobody asks for it"))
    }

    async fn describe(
        &self,
        _: Request<DescribeRequest>,
    ) -> Result<Answer<DescribeResponse>, Status> {
        Err(Status::unimplemented("nobody asks for it"))
    }
}

/// A stream of whatever a future polled again and again gives.
struct Polled<F>(F);

impl<T, F: Future<Output = Option<T>> + Unpin> Stream for Polled<F> {
    type Item = T;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<T>> {
        Pin::new(&mut self.0).poll(context)
    }
}

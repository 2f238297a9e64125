//! Where the sources are: three hosts, each on an address of its own. One has very many sources, one has a single
//! document with very many items, and one publishes an item now and then.
//!
//! It notes when each request came and when it was answered, and judges the node's manners by that.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::Args;
use super::manners::{Manners, Visit, judge};
use crate::bench::roles;

/// Items of each of the many sources.
pub(super) const ITEMS_EACH: usize = 3;
/// Items that are there before anything happens.
pub(super) const FIRST_NEWS: usize = 20;
/// Items of news that the document shows at most.
const NEWS_WINDOW: usize = 1_000;

/// The three hosts.
const CROWD: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
const FLOOD: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 2);
const NEWS: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 3);

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Places {
    pub(super) crowd: String,
    pub(super) flood: String,
    pub(super) news: String,
    /// Bytes of the one large document.
    pub(super) flood_bytes: usize,
}

impl Places {
    /// One of the many sources.
    pub(super) fn source(&self, number: usize) -> String {
        format!("{}/{number}", self.crowd)
    }

    /// The host of an address.
    pub(super) fn host(address: &str) -> Result<String> {
        Ok(url::Url::parse(address)?.host_str().context("an address has a host")?.to_owned())
    }
}

/// What the items are called.
pub(super) fn flood_title(number: usize) -> String {
    format!("flood-{number}")
}

pub(super) fn crowd_title(source: usize, number: usize) -> String {
    format!("crowd-{source}-{number}")
}

pub(super) fn news_title(number: usize) -> String {
    format!("news-{number}")
}

#[derive(Default)]
struct Record {
    /// Every request, by host.
    visits: HashMap<Ipv4Addr, Vec<Visit>>,
    /// News so far.
    published: usize,
    /// When the storm began.
    mark: Option<f64>,
}

struct Origin {
    began: Instant,
    flood: Bytes,
    record: Mutex<Record>,
}

impl Origin {
    fn now(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers, and notes when.
    fn visited(&self, host: Ipv4Addr, path: usize, answer: impl FnOnce() -> Response) -> Response {
        let came = self.now();
        let answer = answer();
        let visit = Visit { path, came, answered: self.now() };
        self.record().visits.entry(host).or_default().push(visit);
        answer
    }
}

/// Serves, publishes as it is told, and judges.
pub(super) fn run(args: &Args) -> Result<()> {
    super::give_way();
    tokio::runtime::Runtime::new()?.block_on(async {
        let origin = Arc::new(Origin {
            began: Instant::now(),
            flood: flood(args),
            record: Mutex::new(Record { published: FIRST_NEWS, ..Record::default() }),
        });
        let (mut tasks, mut publishing) = (JoinSet::new(), None);
        let places = open(&origin, &mut tasks).await?;
        let pause = Duration::from_secs_f64(args.news_every);
        roles::answer(async |line| match line {
            "where" => Ok(serde_json::to_value(&places)?),
            "publish" => {
                let mark = origin.now();
                origin.record().mark = Some(mark);
                publishing = Some(tokio::spawn(publish(Arc::clone(&origin), pause)));
                Ok(serde_json::Value::Null)
            }
            "stop" => {
                if let Some(publishing) = publishing.take() {
                    publishing.abort();
                }
                Ok(serde_json::to_value(origin.record().published)?)
            }
            _ => Ok(serde_json::to_value(judged(args, &origin.record()))?),
        })
        .await
    })
}

fn judged(args: &Args, record: &Record) -> Manners {
    let of = |host| record.visits.get(&host).map(Vec::as_slice).unwrap_or_default();
    judge(args, of(CROWD), of(FLOOD), of(NEWS), record.mark.unwrap_or(0.0))
}

async fn publish(origin: Arc<Origin>, pause: Duration) {
    let mut ticks = tokio::time::interval(pause);
    loop {
        ticks.tick().await;
        origin.record().published += 1;
    }
}

async fn open(origin: &Arc<Origin>, tasks: &mut JoinSet<()>) -> Result<Places> {
    let crowd = Router::new().route("/{number}", get(one_of_many)).with_state(Arc::clone(origin));
    let flooding = Router::new().route("/flood", get(all_at_once)).with_state(Arc::clone(origin));
    let telling = Router::new().route("/latest", get(latest)).with_state(Arc::clone(origin));
    Ok(Places {
        crowd: serve(CROWD, crowd, tasks).await?,
        flood: format!("{}/flood", serve(FLOOD, flooding, tasks).await?),
        news: format!("{}/latest", serve(NEWS, telling, tasks).await?),
        flood_bytes: origin.flood.len(),
    })
}

/// Serves on an address of the loopback network; where that is.
pub(super) async fn serve(
    host: Ipv4Addr,
    router: Router,
    tasks: &mut JoinSet<()>,
) -> Result<String> {
    let listener = TcpListener::bind((host, 0)).await.with_context(|| {
        format!("this benchmark needs the address {host} of the loopback network, as Linux has it")
    })?;
    let base = format!("http://{}", listener.local_addr()?);
    tasks.spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "the benchmark's own server ended");
        }
    });
    Ok(base)
}

async fn one_of_many(State(origin): State<Arc<Origin>>, Path(number): Path<usize>) -> Response {
    origin.visited(CROWD, number, || {
        let items = (0..ITEMS_EACH).map(|item| crowd_title(number, item));
        document(&format!("Source {number}"), items, 200).into_response()
    })
}

async fn all_at_once(State(origin): State<Arc<Origin>>) -> Response {
    origin.visited(FLOOD, 0, || rss(origin.flood.clone()))
}

async fn latest(State(origin): State<Arc<Origin>>, headers: HeaderMap) -> Response {
    origin.visited(NEWS, 0, || {
        let published = origin.record().published;
        let tag = format!("\"{published}\"");
        if headers.get(IF_NONE_MATCH).is_some_and(|known| *known == *tag) {
            return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
        }
        let shown = (published.saturating_sub(NEWS_WINDOW)..published).rev();
        let mut response = document("News", shown.map(news_title), 200);
        if let Ok(tag) = tag.parse() {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    })
}

fn flood(args: &Args) -> Bytes {
    text("The flood", (0..args.items).map(flood_title), args.text).into()
}

fn document(title: &str, items: impl Iterator<Item = String>, bytes: usize) -> Response {
    rss(text(title, items, bytes).into())
}

fn rss(body: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/rss+xml")], body).into_response()
}

/// A document whose items have so many bytes of text each.
fn text(title: &str, items: impl Iterator<Item = String>, bytes: usize) -> String {
    let mut text = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>{title}</title>\
         <link>http://example.org/</link><description>{title}</description>"
    );
    let words = "what happened, where it happened and who was there to see it; ";
    let body: String = words.chars().cycle().take(bytes).collect();
    for item in items {
        text += &format!(
            "<item><guid isPermaLink=\"false\">{item}</guid><title>{item}</title>\
             <link>http://example.org/{item}</link><description>{item}: {body}</description></item>"
        );
    }
    text + "</channel></rss>"
}

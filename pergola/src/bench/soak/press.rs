//! The newsroom of a soak: many sources on several addresses of this machine, with faults and edits. It notes what
//! it has shown in good documents, because that is what a crawler must not lose.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_TYPE, DATE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
    LOCATION, RETRY_AFTER,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use pergola_newsroom::serve::{Format, Newsroom, Source, SourceTruth, TOPICS};
use pergola_newsroom::{Process, Rhythm};
use pergola_outside::clock::Clock;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::codegen::tokio_stream;

use super::Args;
use super::edits::{edited, items};
use super::faults::{Fault, draw};
use crate::bench::roles;

/// Sources that share an address.
const AT_ONE_ADDRESS: usize = 10;
/// Addresses at most.
const ADDRESSES: usize = 100;
/// A silent source keeps a crawler waiting for so long; the crawler gives up before.
const SILENCE: Duration = Duration::from_secs(7);
/// Seconds in a `Retry-After`.
const LATER: &str = "3600";
const DAY: f64 = 86_400.0;
/// How the names of sources begin that stay.
pub(super) const RESIDENT: &str = "source-";

/// What the newsroom tells of itself.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Account {
    /// Requests for sources.
    pub(super) requests: u64,
    /// Requests that met a fault.
    pub(super) faults: u64,
    /// What good documents have shown of each source: numbers of items, from and to before.
    pub(super) shown: BTreeMap<String, Vec<(u64, u64)>>,
    /// Items that the sources that stay have published, from the first one shown on.
    pub(super) published: u64,
}

/// The part `newsroom`: told when time began, it says where it is found; then it tells its account, or only the
/// requests.
pub(super) fn serve(args: &Args) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut tasks = JoinSet::new();
        let mut press = None::<Arc<Press>>;
        roles::answer(async |line| {
            Ok(match (line, &press) {
                ("account", Some(press)) => serde_json::to_value(press.account())?,
                ("requests", Some(press)) => press.noted().requests.into(),
                (start, _) => {
                    let (opened, addresses) = Press::open(args, start.parse()?, &mut tasks).await?;
                    press = Some(opened);
                    serde_json::to_value(addresses)?
                }
            })
        })
        .await
    })
}

/// The name of a source that stays, and of one that comes and goes.
pub(super) fn resident(number: usize) -> String {
    format!("{RESIDENT}{number:04}")
}

pub(super) fn guest(number: usize) -> String {
    format!("guest-{number:04}")
}

/// Where a source is found.
pub(super) fn url(addresses: &[String], number: usize, name: &str) -> String {
    format!("{}/sources/{name}", addresses[number % addresses.len()])
}

struct Press {
    seed: u64,
    clock: Clock,
    newsroom: Newsroom,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    requests: u64,
    faults: u64,
    shown: BTreeMap<String, BTreeSet<u64>>,
}

impl Press {
    async fn open(
        args: &Args,
        start: f64,
        tasks: &mut JoinSet<()>,
    ) -> Result<(Arc<Self>, Vec<String>)> {
        let clock = Clock::accelerated_since(start, args.speed);
        let ticking = clock.clone();
        let residents =
            (0..usize::from(args.sources)).map(|number| source(resident(number), number));
        let guests = (0..args.guests()).map(|number| source(guest(number), number));
        let newsroom = Newsroom::builder(Arc::new(move || ticking.now()))
            .seed(args.seed)
            .opening(start)
            .base_url("http://newsroom.example")
            .remember(1)
            .sources(residents.chain(guests))
            .build()?;
        let seed = args.seed;
        let press = Arc::new(Self { seed, clock, newsroom, noted: Mutex::default() });
        let mut addresses = Vec::new();
        for number in 1..=usize::from(args.sources).div_ceil(AT_ONE_ADDRESS).clamp(1, ADDRESSES) {
            let address = format!("127.0.0.{number}:0");
            let listener = TcpListener::bind(&address).await.with_context(|| {
                format!("cannot listen on {address}; a soak needs the loopback addresses of Linux")
            })?;
            addresses.push(format!("http://{}", listener.local_addr()?));
            let router = press.router();
            tasks.spawn(async move {
                if let Err(error) = axum::serve(listener, router).await {
                    tracing::error!(%error, "an address of the newsroom is gone");
                }
            });
        }
        Ok((press, addresses))
    }

    fn router(self: &Arc<Self>) -> axum::Router {
        let press = Arc::clone(self);
        self.newsroom.router().layer(middleware::from_fn(move |request: Request, next: Next| {
            Arc::clone(&press).answer(request, next)
        }))
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self) -> Account {
        let noted = self.noted();
        let shown = noted.shown.iter().map(|(name, numbers)| (name.clone(), ranges(numbers)));
        let since_shown = |truth: SourceTruth| {
            let first = *noted.shown.get(&truth.name)?.first()?;
            truth.name.starts_with(RESIDENT).then(|| truth.published - first)
        };
        Account {
            requests: noted.requests,
            faults: noted.faults,
            shown: shown.collect(),
            published: self.newsroom.truths().filter_map(since_shown).sum(),
        }
    }

    async fn answer(self: Arc<Self>, mut request: Request, next: Next) -> Response {
        let name = request.uri().path().strip_prefix("/sources/").map(str::to_owned);
        let Some(name) = name else { return next.run(request).await };
        let found_elsewhere = request.uri().query().is_some();
        let headers = request.headers_mut();
        let held = headers.remove(IF_NONE_MATCH);
        // Documents are edited here, so the newsroom must show them plainly and as a whole.
        headers.remove(IF_MODIFIED_SINCE);
        headers.remove(ACCEPT_ENCODING);
        let now = self.clock.now();
        let stays = name.starts_with(RESIDENT);
        let fault = Fault::of(self.seed, &name, now).filter(|_| stays);
        let fault = fault.filter(|fault| *fault != Fault::Elsewhere || !found_elsewhere);
        {
            let mut noted = self.noted();
            noted.requests += 1;
            noted.faults += u64::from(fault.is_some());
        }
        let (parts, body) = next.run(request).await.into_parts();
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let mut head = HeaderMap::new();
        // By the clock of the newsroom, and not by that of the server.
        head.extend(parts.headers.get(DATE).map(|date| (DATE, date.clone())));
        // A torn document is torn from what the source would show, with the edits in it.
        let document = edited(&String::from_utf8_lossy(&body), now);
        match fault {
            Some(fault) => instead(fault, &name, head, &Bytes::from(document)).await,
            None => {
                head.extend(parts.headers);
                self.well(&name, head, held, &document)
            }
        }
    }

    /// A good answer: the document, or word that nothing has changed.
    fn well(
        &self,
        name: &str,
        mut head: HeaderMap,
        held: Option<HeaderValue>,
        document: &str,
    ) -> Response {
        let tag = format!("\"{:016x}\"", draw(document));
        head.remove(LAST_MODIFIED);
        if let Ok(tag) = HeaderValue::try_from(&tag) {
            head.insert(ETAG, tag);
        }
        if held.is_some_and(|held| held.as_bytes() == tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, head).into_response();
        }
        let numbers = items(document).map(|item| item.number);
        self.noted().shown.entry(name.to_owned()).or_default().extend(numbers);
        (head, document.to_owned()).into_response()
    }
}

/// What a source with a fault answers.
async fn instead(fault: Fault, name: &str, mut head: HeaderMap, document: &Bytes) -> Response {
    let mut with = |key: HeaderName, value: &str| {
        head.extend(HeaderValue::try_from(value).ok().map(|value| (key, value)));
    };
    let half = document.slice(..document.len() / 2);
    let (status, body) = match fault {
        Fault::Broken => (StatusCode::INTERNAL_SERVER_ERROR, Body::from("something broke\n")),
        Fault::Missing => (StatusCode::NOT_FOUND, Body::from("not here\n")),
        Fault::TooMany => {
            with(RETRY_AFTER, LATER);
            (StatusCode::TOO_MANY_REQUESTS, Body::from("too many requests\n"))
        }
        Fault::Away => {
            with(RETRY_AFTER, LATER);
            (StatusCode::SERVICE_UNAVAILABLE, Body::from("back soon\n"))
        }
        Fault::CutOff => {
            with(CONTENT_TYPE, "application/xml");
            let broken = io::Error::from(io::ErrorKind::ConnectionReset);
            (StatusCode::OK, Body::from_stream(tokio_stream::iter([Ok(half), Err(broken)])))
        }
        Fault::Silent => {
            tokio::time::sleep(SILENCE).await;
            (StatusCode::GATEWAY_TIMEOUT, Body::empty())
        }
        Fault::Torn => {
            with(CONTENT_TYPE, "application/xml");
            (StatusCode::OK, Body::from(half))
        }
        Fault::Page => {
            with(CONTENT_TYPE, "text/html");
            (StatusCode::OK, Body::from("<!doctype html><title>Sorry</title><p>We are moving."))
        }
        Fault::Elsewhere => {
            with(LOCATION, &format!("/sources/{name}?found"));
            (StatusCode::FOUND, Body::empty())
        }
    };
    (status, head, body).into_response()
}

/// A source with a habit of its own: people by day, collectors round the clock, bursts, robots on the hour; from
/// an item a day to sixty.
fn source(name: String, number: usize) -> Source {
    let round = number / 4;
    // 1, 2, 4, … 32 and again.
    let scale = f64::from(1 << (round % 6));
    let process = match number % 4 {
        0 => Process::daily(Rhythm::Waves, 2.0 * scale, round * 5),
        1 => Process::Constant { rate: 2.0 * scale / DAY },
        2 => Process::Bursts { rate: 0.1 * scale / DAY, size: 10.0, spread: 900.0 },
        _ => Process::daily(Rhythm::Peaks, scale, round),
    };
    let format = [Format::Rss, Format::Rss, Format::Atom, Format::Json][round % 4];
    let topics: Vec<&str> = (0..4).map(|n| TOPICS[(number * 7 + n * 11) % TOPICS.len()]).collect();
    Source::new(name, process).window(20).format(format).topics(&topics, 0.3).text_bytes(800)
}

/// Numbers as ranges: from, and to before.
fn ranges(numbers: &BTreeSet<u64>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end == number => *end += 1,
            _ => ranges.push((number, number + 1)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_ranges() {
        assert_eq!(ranges(&BTreeSet::new()), []);
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12].into()), [(3, 6), (9, 10), (11, 13)]);
    }
}

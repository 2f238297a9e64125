//! Subscribers at the node's hub. Ten share a host; every other host confirms its subscriptions and then never
//! answers a delivery.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use super::origin::serve;
use super::{Args, FEED};
use crate::bench::{client, roles};

/// Callbacks on one host.
const TOGETHER: usize = 10;
/// The hub asks for so much patience when it is busy.
const AGAIN: Duration = Duration::from_secs(1);
/// Requests for a subscription at the same time.
const AT_ONCE: usize = 16;

/// One callback.
#[derive(Debug, Default)]
struct Callback {
    confirmed: bool,
    /// The news that it was sent.
    news: BTreeSet<usize>,
}

#[derive(Default)]
struct Board {
    callbacks: Vec<Mutex<Callback>>,
    delivered: AtomicU64,
    hanging: AtomicU64,
}

impl Board {
    fn with<T>(&self, number: usize, see: impl FnOnce(&mut Callback) -> T) -> Option<T> {
        let callback = self.callbacks.get(number)?;
        Some(see(&mut callback.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn count(&self, mut wanted: impl FnMut(&Callback) -> bool) -> usize {
        let all = 0..self.callbacks.len();
        all.filter(|number| self.with(*number, |one| wanted(one)) == Some(true)).count()
    }
}

/// What came to the callbacks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Callbacks that have confirmed their subscription.
    pub confirmed: usize,
    /// Callbacks that have all the news in question.
    pub complete: usize,
    /// Deliveries that were answered.
    pub delivered: u64,
    /// Deliveries that never were.
    pub hanging: u64,
}

/// Whether a callback never answers.
fn hangs(number: usize) -> bool {
    number / TOGETHER % 2 == 1
}

/// How many of so many do answer.
pub(super) fn answering(callbacks: usize) -> usize {
    (0..callbacks).filter(|number| !hangs(*number)).count()
}

/// Subscribes at `begin ADDRESS`; tells at `got FIRST END` who has all news from one number to before another.
pub(super) fn run(args: &Args) -> Result<()> {
    super::give_way();
    pergola_outside::open_files::raise();
    tokio::runtime::Runtime::new()?.block_on(async {
        let callbacks = (0..args.callbacks).map(|_| Mutex::default()).collect();
        let board = Arc::new(Board { callbacks, ..Board::default() });
        let mut tasks = JoinSet::new();
        roles::answer(async |line| {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["begin", node] => {
                    subscribe_all(node.parse()?, &board, &mut tasks).await?;
                    Ok(serde_json::Value::Null)
                }
                ["got", first, end] => {
                    let (first, end): (usize, usize) = (first.parse()?, end.parse()?);
                    let has_all = |one: &Callback| (first..end).all(|n| one.news.contains(&n));
                    Ok(serde_json::to_value(Told {
                        confirmed: board.count(|one| one.confirmed),
                        complete: board.count(has_all),
                        delivered: board.delivered.load(Relaxed),
                        hanging: board.hanging.load(Relaxed),
                    })?)
                }
                _ => bail!("an odd order: {line}"),
            }
        })
        .await
    })
}

async fn subscribe_all(
    node: SocketAddr,
    board: &Arc<Board>,
    tasks: &mut JoinSet<()>,
) -> Result<()> {
    let router =
        Router::new().route("/{number}", get(confirm).post(deliver)).with_state(Arc::clone(board));
    let mut addresses = Vec::new();
    for first in (0..board.callbacks.len()).step_by(TOGETHER) {
        let host = u8::try_from(first / TOGETHER + 1).ok().filter(|host| *host < 255);
        let host = host.context("at most 2540 callbacks: that many have addresses")?;
        let base = serve(Ipv4Addr::new(127, 0, 2, host), router.clone(), tasks).await?;
        let last = (first + TOGETHER).min(board.callbacks.len());
        addresses.extend((first..last).map(|number| format!("{base}/{number}")));
    }
    let client = client::plain()?;
    // By turns to different hosts: the hub verifies a few of each host at a time.
    let (turns, addresses) = (Arc::new(tokio::sync::Semaphore::new(AT_ONCE)), Arc::new(addresses));
    let order = (0..TOGETHER).flat_map(|turn| (turn..addresses.len()).step_by(TOGETHER));
    for number in order.collect::<Vec<_>>() {
        let (client, turns) = (client.clone(), Arc::clone(&turns));
        let (addresses, board) = (Arc::clone(&addresses), Arc::clone(board));
        tasks.spawn(async move {
            while board.with(number, |one| one.confirmed) == Some(false) {
                let turn = turns.acquire().await;
                // Whatever comes of it, the confirmation counts.
                let _ = subscribe(&client, node, &addresses[number]).await;
                drop(turn);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
    Ok(())
}

async fn subscribe(client: &reqwest::Client, node: SocketAddr, callback: &str) -> Result<()> {
    let topic = format!("http://{node}/feeds/{FEED}.atom");
    let form: String = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.topic", &topic)
        .append_pair("hub.callback", callback)
        .finish();
    let request = client.post(format!("http://{node}/hub")).body(form);
    let kind = "application/x-www-form-urlencoded";
    request.header("content-type", kind).send().await?.error_for_status()?;
    Ok(())
}

#[derive(Deserialize)]
struct Challenge {
    #[serde(rename = "hub.challenge")]
    challenge: Option<String>,
}

async fn confirm(
    State(board): State<Arc<Board>>,
    Path(number): Path<usize>,
    Query(asked): Query<Challenge>,
) -> Response {
    let Some(challenge) = asked.challenge else { return StatusCode::OK.into_response() };
    board.with(number, |one| one.confirmed = true);
    challenge.into_response()
}

async fn deliver(
    State(board): State<Arc<Board>>,
    Path(number): Path<usize>,
    body: Bytes,
) -> StatusCode {
    if hangs(number) {
        board.hanging.fetch_add(1, Relaxed);
        return std::future::pending().await;
    }
    let news = news_in(&body);
    board.with(number, |one| one.news.extend(news));
    board.delivered.fetch_add(1, Relaxed);
    StatusCode::OK
}

/// The numbers of the news in a document.
fn news_in(document: &[u8]) -> Vec<usize> {
    let text = String::from_utf8_lossy(document);
    let numbers = text.split("news-").skip(1).filter_map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse().ok()
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_host_hangs() {
        assert_eq!(answering(1_000), 500);
        assert_eq!(answering(20), 10);
        assert!(!hangs(9) && hangs(10));
    }

    #[test]
    fn news_are_found_by_their_numbers() {
        assert_eq!(news_in(b"<id>news-7</id> news-12: x news-y"), [7, 12]);
    }
}

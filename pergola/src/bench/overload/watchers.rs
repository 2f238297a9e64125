//! Readers that watch a feed over gRPC and fetch whatever is new, each with a cursor of its own.
//!
//! They have addresses of their own, fifty to each: that many ask a node as often as one address may.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::Result;
use pergola_node::wire::MESSAGE_BYTES;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};

use super::{Args, FEED};
use crate::bench::roles;

/// Watchers on one connection and address.
const TOGETHER: usize = 50;
/// Before somebody whose stream has ended comes back.
const AGAIN: Duration = Duration::from_secs(1);

/// Everybody who watches.
#[derive(Debug, Default)]
struct Audience {
    /// How many entries each has got, which is the number of the next one.
    next: Vec<AtomicU64>,
    /// Streams that are open.
    open: AtomicU64,
    /// Entries that were left out.
    gaps: AtomicU64,
    /// Entries that came again.
    repeats: AtomicU64,
    /// Streams that ended.
    broken: AtomicU64,
    /// Fetches that were told to come later, because too many came at once.
    delayed: AtomicU64,
}

/// What the watchers have seen so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Streams that are open.
    pub open: u64,
    /// Entries that everybody has.
    pub everybody: u64,
    /// Entries that came in all.
    pub entries: u64,
    /// Entries that were left out.
    pub gaps: u64,
    /// Entries that came again.
    pub repeats: u64,
    /// Streams that ended.
    pub broken: u64,
    /// Fetches that were told to come later, because too many came at once.
    pub delayed: u64,
}

impl Audience {
    fn seen(&self) -> Seen {
        let next = || self.next.iter().map(|next| next.load(Relaxed));
        Seen {
            open: self.open.load(Relaxed),
            everybody: next().min().unwrap_or(0),
            entries: next().sum(),
            gaps: self.gaps.load(Relaxed),
            repeats: self.repeats.load(Relaxed),
            broken: self.broken.load(Relaxed),
            delayed: self.delayed.load(Relaxed),
        }
    }
}

/// Watches from `begin ADDRESS` until the input ends; tells what was seen whenever it is asked.
pub(super) fn run(args: &Args) -> Result<()> {
    super::give_way();
    tokio::runtime::Runtime::new()?.block_on(async {
        let next = (0..args.watchers).map(|_| AtomicU64::new(0)).collect();
        let audience = Arc::new(Audience { next, ..Audience::default() });
        let mut tasks = JoinSet::new();
        roles::answer(async |line| {
            if let Some(address) = line.strip_prefix("begin ") {
                for first in (0..args.watchers).step_by(TOGETHER) {
                    let client = connect(&format!("http://{address}"), first / TOGETHER).await?;
                    for number in first..(first + TOGETHER).min(args.watchers) {
                        tasks.spawn(watch(client.clone(), number, Arc::clone(&audience)));
                    }
                }
            }
            Ok(serde_json::to_value(audience.seen())?)
        })
        .await
    })
}

/// A connection to a node, from an address of its own.
pub(super) async fn connect(node: &str, number: usize) -> Result<SyndicationClient<Channel>> {
    let from = Ipv4Addr::new(127, 0, 3, (number % 250 + 1) as u8);
    let endpoint = Endpoint::from_shared(node.to_owned())?.local_address(Some(IpAddr::from(from)));
    let client = SyndicationClient::new(endpoint.connect().await?);
    Ok(client.max_decoding_message_size(MESSAGE_BYTES))
}

async fn watch(mut client: SyndicationClient<Channel>, number: usize, audience: Arc<Audience>) {
    let mut cursor = String::new();
    loop {
        // A stream ends with the end of the feed or with an error; either way it is opened again.
        let _ended = follow(&mut client, number, &mut cursor, &audience).await;
        audience.broken.fetch_add(1, Relaxed);
        tokio::time::sleep(AGAIN).await;
    }
}

async fn follow(
    client: &mut SyndicationClient<Channel>,
    number: usize,
    cursor: &mut String,
    audience: &Audience,
) -> Result<(), Status> {
    let request = v1::WatchRequest { feed: FEED.into(), cursor: cursor.clone() };
    let mut stream = client.watch(request).await?.into_inner();
    audience.open.fetch_add(1, Relaxed);
    let told = async {
        while let Some(told) = stream.message().await? {
            if told.head != *cursor {
                fetch(client, number, cursor, audience).await?;
            }
        }
        Ok(())
    };
    let ended = told.await;
    audience.open.fetch_sub(1, Relaxed);
    ended
}

/// Fetches everything after the cursor.
async fn fetch(
    client: &mut SyndicationClient<Channel>,
    number: usize,
    cursor: &mut String,
    audience: &Audience,
) -> Result<(), Status> {
    loop {
        let answer = match client.fetch(question(FEED, cursor)).await {
            Ok(answer) => answer.into_inner(),
            Err(refused) => {
                let pause = pause(&refused, number).ok_or(refused)?;
                audience.delayed.fetch_add(1, Relaxed);
                tokio::time::sleep(pause).await;
                continue;
            }
        };
        let next = &audience.next[number];
        audience.gaps.fetch_add(answer.expired + answer.skipped, Relaxed);
        for entry in answer.entries.iter().filter(|entry| !entry.edited) {
            let expected = next.load(Relaxed);
            audience.gaps.fetch_add(entry.sequence.saturating_sub(expected), Relaxed);
            audience.repeats.fetch_add(u64::from(entry.sequence < expected), Relaxed);
            next.store(expected.max(entry.sequence + 1), Relaxed);
        }
        *cursor = answer.cursor;
        if !answer.more {
            return Ok(());
        }
    }
}

/// How long the node wants a caller to wait, if it does; not all come back at the same instant.
fn pause(refused: &Status, number: usize) -> Option<Duration> {
    let seconds: u64 = refused.metadata().get("retry-after")?.to_str().ok()?.parse().ok()?;
    let later = Duration::from_millis(number as u64 * 7 % 1_000);
    (refused.code() == Code::ResourceExhausted).then_some(Duration::from_secs(seconds) + later)
}

/// Everything of a feed after a cursor; all of it, if there is none yet.
pub(super) fn question(feed: &str, cursor: &str) -> v1::FetchRequest {
    let newest = if cursor.is_empty() { u32::MAX } else { 0 };
    v1::FetchRequest { feed: feed.into(), cursor: cursor.to_owned(), newest, ..Default::default() }
}

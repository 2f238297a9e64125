//! The crowd: connections that are kept and ask now and then, slow ones among them, and a storm of readers that
//! each come once.
//!
//! Slow clients are of three kinds: the head of a request that never ends, the body that never ends, and answers
//! that nobody takes. The node cuts each of them off in the end, and each comes back.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::line::{Answer, ask, client, connect, connect_narrow, request};
use super::{ALL, Args, FEED, FLOOD};
use crate::bench::roles;

/// Seconds between two requests on a connection that is kept, on average.
const EVERY: f64 = 10.0;
/// Connections that are being opened at the same time.
const OPENING: usize = 100;
/// A slow client sends one byte this often.
const DRIP: Duration = Duration::from_secs(2);
/// Before somebody who got no connection, or lost it, comes back. Who was too slow comes back at once.
const AGAIN: Duration = Duration::from_secs(1);
/// Readers of the storm that wait at the same time. If there were more, the others come later.
const WAITING: usize = 500;
/// The storm comes in so many parts a second.
const GUSTS: f64 = 100.0;
/// Answers that somebody asks for and does not take: more than fits into the buffers of the system.
const NOT_TAKEN: usize = 1_000;

/// What happened to the crowd.
#[derive(Debug, Default)]
struct Counts {
    open: AtomicI64,
    answered: AtomicU64,
    shed: AtomicU64,
    lost: AtomicU64,
    cut: AtomicU64,
    stormed: AtomicU64,
    storm_answered: AtomicU64,
    storm_shed: AtomicU64,
    storm_lost: AtomicU64,
}

/// What has happened to the crowd so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// Connections that are open now, without those of the storm.
    pub open: i64,
    /// Answers on connections that are kept.
    pub answered: u64,
    /// … that were 503.
    pub shed: u64,
    /// Connections that ended although nobody was slow.
    pub lost: u64,
    /// Slow clients that were cut off.
    pub cut: u64,
    /// Readers of the storm.
    pub stormed: u64,
    /// … that got their feed.
    pub storm_answered: u64,
    /// … that got 503.
    pub storm_shed: u64,
    /// … that got no answer.
    pub storm_lost: u64,
}

impl Counts {
    fn level(&self) -> Level {
        Level {
            open: self.open.load(Relaxed),
            answered: self.answered.load(Relaxed),
            shed: self.shed.load(Relaxed),
            lost: self.lost.load(Relaxed),
            cut: self.cut.load(Relaxed),
            stormed: self.stormed.load(Relaxed),
            storm_answered: self.storm_answered.load(Relaxed),
            storm_shed: self.storm_shed.load(Relaxed),
            storm_lost: self.storm_lost.load(Relaxed),
        }
    }
}

/// A connection that counts as long as it is there.
struct Open {
    stream: TcpStream,
    counts: Arc<Counts>,
}

impl Open {
    fn new(stream: TcpStream, counts: &Arc<Counts>) -> Self {
        counts.open.fetch_add(1, Relaxed);
        Self { stream, counts: Arc::clone(counts) }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Relaxed);
    }
}

/// Who comes where.
#[derive(Clone)]
struct Way {
    node: SocketAddr,
    counts: Arc<Counts>,
    opening: Arc<Semaphore>,
}

/// Comes at `begin ADDRESS` and stays until the input ends; tells how it stands whenever it is asked.
pub(super) fn run(args: &Args) -> Result<()> {
    super::give_way();
    pergola_outside::open_files::raise();
    tokio::runtime::Runtime::new()?.block_on(async {
        let counts = Arc::new(Counts::default());
        let mut tasks = JoinSet::new();
        roles::answer(async |line| {
            if let Some(address) = line.strip_prefix("begin ") {
                let node = address.parse().context("an address was expected")?;
                let opening = Arc::new(Semaphore::new(OPENING));
                come(args, &Way { node, counts: Arc::clone(&counts), opening }, &mut tasks);
            }
            if line == "end" {
                tasks.shutdown().await;
            }
            Ok(serde_json::to_value(counts.level())?)
        })
        .await
    })
}

fn come(args: &Args, way: &Way, tasks: &mut JoinSet<()>) {
    for number in 0..args.connections {
        let way = way.clone();
        // Slow ones come among the others.
        let slow =
            (number + 1) * args.slow / args.connections > number * args.slow / args.connections;
        match (slow, number % 3) {
            (false, _) => tasks.spawn(steady(way, number)),
            (true, 0) => tasks.spawn(slow_sender(way, number, endless_head())),
            (true, 1) => tasks.spawn(slow_sender(way, number, endless_body())),
            (true, _) => tasks.spawn(slow_taker(way, number)),
        };
    }
    if args.storm > 0.0 {
        tasks.spawn(storm(way.clone(), args.storm));
    }
}

/// A reader that keeps its connection and asks now and then.
async fn steady(way: Way, number: usize) {
    let request = request(&format!("/feeds/{FEED}.atom"));
    let mut asked = number;
    loop {
        let opening = way.opening.acquire().await;
        let Ok(stream) = connect(client(number), way.node).await else {
            way.counts.lost.fetch_add(1, Relaxed);
            tokio::time::sleep(AGAIN).await;
            continue;
        };
        let mut open = Open::new(stream, &way.counts);
        let mut first = ask(&mut open.stream, &request).await;
        drop(opening);
        while let Ok(Answer { status, closes }) = first {
            match status {
                200 => way.counts.answered.fetch_add(1, Relaxed),
                _ => way.counts.shed.fetch_add(1, Relaxed),
            };
            if closes {
                break;
            }
            asked += number + 1;
            tokio::time::sleep(pause(asked)).await;
            first = ask(&mut open.stream, &request).await;
        }
        if first.is_err() {
            way.counts.lost.fetch_add(1, Relaxed);
        }
        drop(open);
        tokio::time::sleep(AGAIN).await;
    }
}

/// From half the usual pause to one and a half, so that not all ask at once.
fn pause(asked: usize) -> Duration {
    let share = (asked * 7_919 % 1_000) as f64 / 1_000.0;
    Duration::from_secs_f64(EVERY * (0.5 + share))
}

fn endless_head() -> &'static [u8] {
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
}

fn endless_body() -> &'static [u8] {
    b"POST /hub HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n\
      Content-Length: 10000\r\n\r\n"
}

/// Begins a request and goes on byte by byte.
async fn slow_sender(way: Way, number: usize, begin: &'static [u8]) {
    loop {
        if let Some(mut open) = arrive(&way, number, begin, false).await {
            let mut answer = [0; 1024];
            loop {
                tokio::select! {
                    // It is told that it was too slow, or the connection ends.
                    _ = open.stream.read(&mut answer) => break,
                    () = tokio::time::sleep(DRIP) => {}
                }
                if open.stream.write_all(b"x").await.is_err() {
                    break;
                }
            }
            way.counts.cut.fetch_add(1, Relaxed);
        } else {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

/// Asks for a lot and takes nothing.
async fn slow_taker(way: Way, number: usize) {
    let begin = request(&format!("/feeds/{ALL}.atom"));
    loop {
        if let Some(mut open) = arrive(&way, number, &begin, true).await {
            // More questions until none fits, then again now and then: one day the connection is gone.
            let mut asked = 1;
            loop {
                let more = open.stream.write_all(&begin);
                match tokio::time::timeout(DRIP, more).await {
                    Ok(Err(_)) => break,
                    Ok(Ok(())) if asked < NOT_TAKEN => asked += 1,
                    _ => tokio::time::sleep(DRIP).await,
                }
            }
            way.counts.cut.fetch_add(1, Relaxed);
        } else {
            tokio::time::sleep(AGAIN).await;
        }
    }
}

async fn arrive(way: &Way, number: usize, begin: &[u8], narrow: bool) -> Option<Open> {
    let _opening = way.opening.acquire().await;
    let stream = match narrow {
        true => connect_narrow(client(number), way.node).await,
        false => connect(client(number), way.node).await,
    };
    let mut open = Open::new(stream.ok()?, &way.counts);
    open.stream.write_all(begin).await.ok()?;
    Some(open)
}

/// Readers that each come once, so many a second.
async fn storm(way: Way, per_second: f64) {
    let feeds = [ALL, FEED, FLOOD].map(|feed| request(&format!("/feeds/{feed}.atom")).into());
    let feeds: [Arc<[u8]>; 3] = feeds;
    let waiting = Arc::new(Semaphore::new(WAITING));
    let mut gusts = tokio::time::interval(Duration::from_secs_f64(1.0 / GUSTS));
    let (mut due, mut number, mut readers) = (0.0, 0_usize, JoinSet::new());
    loop {
        gusts.tick().await;
        due += per_second / GUSTS;
        while due >= 1.0 {
            due -= 1.0;
            number += 1;
            let Ok(place) = Arc::clone(&waiting).acquire_owned().await else { return };
            let (way, request) = (way.clone(), Arc::clone(&feeds[number % feeds.len()]));
            readers.spawn(async move {
                let _place = place;
                come_once(&way, number, &request).await;
            });
        }
        while readers.try_join_next().is_some() {}
    }
}

async fn come_once(way: &Way, number: usize, request: &[u8]) {
    let counts = &way.counts;
    counts.stormed.fetch_add(1, Relaxed);
    let asked = async {
        let mut stream = connect(client(number), way.node).await?;
        ask(&mut stream, request).await
    };
    match asked.await {
        Ok(Answer { status: 200, .. }) => counts.storm_answered.fetch_add(1, Relaxed),
        Ok(_) => counts.storm_shed.fetch_add(1, Relaxed),
        Err(_) => counts.storm_lost.fetch_add(1, Relaxed),
    };
}

//! The normal reader: asks for one feed at a steady pace, by turns on a new connection and on one that it keeps.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::line::{ask, connect, request};
use super::{Args, FEED};
use crate::bench::roles;

/// Whoever waits longer has got no answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Where it comes from.
const HERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);

/// How long answers took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Requests.
    pub asked: usize,
    /// … without the answer 200.
    pub failed: usize,
    /// Half of the answers took no longer, in milliseconds.
    pub median_ms: f64,
    /// 99 of a hundred took no longer.
    pub p99_ms: f64,
    /// None took longer.
    pub worst_ms: f64,
}

impl Latency {
    /// Of the seconds that each answer took.
    pub(super) fn of(mut seconds: Vec<f64>, failed: usize) -> Self {
        seconds.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (share * seconds.len() as f64).ceil() as usize;
            1e3 * seconds.get(place.saturating_sub(1)).copied().unwrap_or(f64::NAN)
        };
        let asked = seconds.len() + failed;
        Self { asked, failed, median_ms: at(0.5), p99_ms: at(0.99), worst_ms: at(1.0) }
    }
}

/// Asks from `begin ADDRESS` until `end`, as often as it is told to.
pub(super) fn run(args: &Args) -> Result<()> {
    let pause = Duration::from_secs_f64(1.0 / args.rate);
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut asking: Option<(CancellationToken, JoinHandle<Latency>)> = None;
        roles::answer(async |line| match line.split_once(' ') {
            Some(("begin", address)) => {
                let stop = CancellationToken::new();
                let task = tokio::spawn(read(address.parse()?, pause, stop.clone()));
                asking = Some((stop, task));
                Ok(serde_json::Value::Null)
            }
            _ => {
                let (stop, task) = asking.take().context("nothing was begun")?;
                stop.cancel();
                Ok(serde_json::to_value(task.await?)?)
            }
        })
        .await
    })
}

async fn read(node: SocketAddr, pause: Duration, stop: CancellationToken) -> Latency {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let request: Arc<[u8]> = request(&format!("/feeds/{FEED}.atom")).into();
    let (mut ticks, mut number) = (tokio::time::interval(pause), 0_u64);
    let mut asked = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            _ = ticks.tick() => {}
        }
        number += 1;
        let keeps = number % 2 == 0;
        let (kept, request) = (Arc::clone(&kept), Arc::clone(&request));
        asked.spawn(async move {
            let once = async {
                match keeps {
                    true => ask_kept(node, &request, &kept).await,
                    false => ask_anew(node, &request).await,
                }
            };
            tokio::time::timeout(PATIENCE, once).await.ok().flatten()
        });
    }
    let (mut seconds, mut failed) = (Vec::new(), 0);
    while let Some(ended) = asked.join_next().await {
        match ended.ok().flatten() {
            Some(took) => seconds.push(took),
            None => failed += 1,
        }
    }
    Latency::of(seconds, failed)
}

/// The seconds from connecting to the last byte, if the answer was 200.
async fn ask_anew(node: SocketAddr, request: &[u8]) -> Option<f64> {
    let start = Instant::now();
    let mut stream = connect(HERE, node).await.ok()?;
    let answer = ask(&mut stream, request).await.ok()?;
    (answer.status == 200).then(|| start.elapsed().as_secs_f64())
}

/// The same on a connection that was kept, if there is one.
async fn ask_kept(node: SocketAddr, request: &[u8], kept: &Mutex<Vec<TcpStream>>) -> Option<f64> {
    let known = kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut stream = match known {
        Some(stream) => stream,
        None => connect(HERE, node).await.ok()?,
    };
    let start = Instant::now();
    let answer = ask(&mut stream, request).await.ok()?;
    let took = start.elapsed().as_secs_f64();
    if !answer.closes {
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(stream);
    }
    (answer.status == 200).then_some(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_answer_of_a_hundred_is_not_the_99th_percentile() {
        let mut seconds = vec![0.001; 99];
        seconds.push(1.0);
        let latency = Latency::of(seconds, 2);
        assert_eq!((latency.asked, latency.failed), (102, 2));
        assert_eq!((latency.median_ms, latency.p99_ms, latency.worst_ms), (1.0, 1.0, 1_000.0));
    }
}

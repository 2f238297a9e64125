//! Watching peers: a stream for each source that asks for it, on which its peer notifies us of news. A
//! refresh follows without waiting for a cycle. As long as the stream is open, polling is only the safety
//! net; otherwise the source is polled as usual.
//!
//! Never: two streams for one source; a stream that is no longer wanted; a rush of readers to a peer that was
//! away (each retry waits longer, up to a minute, with jitter).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pergola_manners::backoff::backoff;
use pergola_manners::link::Link;
use pergola_store::archive::SourceId;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::crawl::driver::Crawler;
use pergola_peers::registry::notifications::{EndReason, Ended};

/// The wait after a stream has ended; it doubles …
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// … up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The wait after a peer said that it has no such stream, or too many already.
const REFUSED_WAIT: Duration = Duration::from_secs(600);
/// How often to check whether a peer that could not be read over gRPC can be again.
const GLANCE: Duration = Duration::from_secs(30);

/// Watches every peer that is to be watched, until told to stop.
pub(crate) async fn run(crawler: Arc<Crawler>, stop: CancellationToken) {
    let mut streams = JoinSet::new();
    let mut running: BTreeMap<SourceId, (Link, AbortHandle)> = BTreeMap::new();
    loop {
        let wanted = wanted(&crawler);
        running.retain(|id, (link, stream)| {
            let stays = !stream.is_finished()
                && wanted.get(id).is_some_and(|now| now.url == link.url && now.feed == link.feed);
            if !stays {
                stream.abort();
                unwatch(&crawler, *id);
            }
            stays
        });
        for (id, link) in wanted {
            running.entry(id).or_insert_with(|| {
                let stream = streams.spawn(follow(Arc::clone(&crawler), id));
                (link, stream)
            });
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = crawler.tools.peers.changed.notified() => {}
            () = tokio::time::sleep(GLANCE) => {}
            Some(ended) = streams.join_next(), if !streams.is_empty() => {
                if let Err(error) = ended && error.is_panic() {
                    tracing::error!(%error, "watching a peer panicked; it is restarted");
                }
            }
        }
    }
    streams.shutdown().await;
}

/// The peers to be watched now.
fn wanted(crawler: &Crawler) -> BTreeMap<SourceId, Link> {
    let peers = &crawler.tools.peers;
    let now = crawler.tools.clock.now();
    let mut wanted = BTreeMap::new();
    for id in peers.ids() {
        let Some(link) = peers.link(id) else { continue };
        if crawler.busy_and_next(id).is_some()
            && peers.cooperation(id).watch
            && !link.cursor.is_empty()
            && peers.is_usable(id, &link.url, now)
            && crawler.names_itself(id, &link.url)
        {
            wanted.insert(id, link);
        }
    }
    wanted
}

/// Watches one source for as long as that is wanted.
async fn follow(crawler: Arc<Crawler>, id: SourceId) {
    let mut tries = 0;
    while let Some(link) = crawler.tools.peers.link(id) {
        let ended = listen(&crawler, id, &link).await;
        tries = if crawler.tools.peers.is_watched(id) { 0 } else { tries + 1 };
        unwatch(&crawler, id);
        let wait = match ended.reason {
            EndReason::Refused => REFUSED_WAIT,
            // A refresh will meet the same problem, and deals with it.
            EndReason::NoSuchFeed => LONGEST_WAIT,
            EndReason::Lost => {
                FIRST_WAIT.mul_f64(backoff(1.0, 2.0, tries.min(10) + 1)).min(LONGEST_WAIT)
            }
        };
        tracing::debug!(source = id.0, reason = ?ended.reason, text = ended.message, ?wait, "a stream has ended");
        tokio::time::sleep(spread(wait, crawler.chance(id))).await;
    }
}

/// Listens until the stream ends; returns why it did.
async fn listen(crawler: &Crawler, id: SourceId, link: &Link) -> Ended {
    let peers = &crawler.tools.peers;
    let mut stream = match peers.watch(link, crawler.tools.clock.now()).await {
        Ok(stream) => stream,
        Err(ended) => return ended,
    };
    loop {
        match stream.next().await {
            Ok(head) => {
                if !peers.is_watched(id) {
                    crawler.set_watched(id, true);
                }
                crawler.notified(id, &head);
            }
            Err(ended) => return ended,
        }
    }
}

/// The source's peer no longer notifies us.
fn unwatch(crawler: &Crawler, id: SourceId) {
    if crawler.tools.peers.is_watched(id) {
        crawler.set_watched(id, false);
    }
}

/// Between half of a wait and all of it, so that many readers do not come back at once.
fn spread(wait: Duration, chance: f64) -> Duration {
    wait.mul_f64(0.5 + 0.5 * chance)
}

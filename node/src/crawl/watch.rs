//! Watching peers: a stream for each source that asks for it, on which its peer notifies us of news. A
//! refresh follows without waiting for a cycle. As long as the stream is open, polling is only the safety
//! net; otherwise the source is polled as usual.
//!
//! Never: two streams for one source; a stream that is no longer wanted; a rush of readers to a peer that was
//! away (each retry waits longer, up to a minute, with jitter).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pergola_manners::backoff::{backoff, share_of};
use pergola_manners::link::Link;
use pergola_proto::v1::WatchRequest;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_store::archive::SourceId;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use url::Url;

use crate::crawl::driver::Crawler;

/// Bytes of a notification.
const MESSAGE_BYTES: usize = 64 << 10;
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
    let mut running: HashMap<SourceId, (Link, AbortHandle)> = HashMap::new();
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
fn wanted(crawler: &Crawler) -> HashMap<SourceId, Link> {
    let peers = &crawler.tools.peers;
    let now = crawler.tools.clock.now();
    let mut wanted = HashMap::new();
    for id in peers.ids() {
        let Some(link) = peers.link(id) else { continue };
        if crawler.busy_and_next(id).is_some()
            && peers.cooperation(id).watch
            && !link.cursor.is_empty()
            && peers.is_usable(id, &link.url, now)
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
        let mut heard = false;
        let ended = listen(&crawler, id, &link, &mut heard).await;
        unwatch(&crawler, id);
        tries = if heard { 0 } else { tries + 1 };
        let wait = match ended.code() {
            Code::Unimplemented | Code::ResourceExhausted => REFUSED_WAIT,
            // A refresh will meet the same problem, and deals with it.
            Code::NotFound => LONGEST_WAIT,
            _ => FIRST_WAIT.mul_f64(backoff(1.0, 2.0, tries.min(10) + 1)).min(LONGEST_WAIT),
        };
        let text = ended.message();
        tracing::debug!(source = id.0, code = ?ended.code(), text, ?wait, "a stream has ended");
        tokio::time::sleep(spread(wait, id, crawler.tools.clock.now())).await;
    }
}

/// Listens until the stream ends; returns why it did.
async fn listen(crawler: &Crawler, id: SourceId, link: &Link, heard: &mut bool) -> Status {
    let Ok(url) = Url::parse(&link.url) else { return Status::not_found("no address") };
    let now = crawler.tools.clock.now();
    let channel = match crawler.tools.peers.connection(&url, now) {
        Ok(channel) => channel,
        Err(error) => return Status::unavailable(error.to_string()),
    };
    let mut client = SyndicationClient::new(channel).max_decoding_message_size(MESSAGE_BYTES);
    let request = WatchRequest { feed: link.feed.clone(), cursor: link.cursor.clone() };
    let mut stream = match client.watch(request).await {
        Ok(response) => response.into_inner(),
        Err(status) => return status,
    };
    loop {
        match stream.message().await {
            Ok(Some(news)) => {
                if !*heard {
                    *heard = true;
                    crawler.set_watched(id, true);
                }
                crawler.notified(id, &news.head);
            }
            Ok(None) => return Status::unavailable("the stream has ended"),
            Err(status) => return status,
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
fn spread(wait: Duration, id: SourceId, now: f64) -> Duration {
    wait.mul_f64(0.5 + 0.5 * share_of((id, now.to_bits(), std::process::id())))
}

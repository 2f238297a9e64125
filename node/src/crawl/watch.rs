//! Watching peers: a stream for each source that asks for it, on which its peer says at once when it has
//! news. A refresh follows without waiting for a cycle; as long as the stream lives, polling is only the
//! safety net, and while it is down, polling is as usual.
//!
//! Never: two streams for one source; a stream that outlives the wish for it; peers that are besieged
//! because they were away (each try waits longer, by chance, up to a minute).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use pergola_manners::link::Link;
use pergola_proto::v1::WatchRequest;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_store::archive::SourceId;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use url::Url;

use crate::crawl::driver::Crawler;

/// Bytes of a message in which a peer says how far it has come.
const MESSAGE_BYTES: usize = 64 << 10;
/// The wait after a stream has ended; it doubles …
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// … up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The wait after a peer said that it does not do this, or that there are too many already.
const REFUSED_WAIT: Duration = Duration::from_secs(600);
/// How often it is seen whether a peer that could not be read can be again.
const GLANCE: Duration = Duration::from_secs(30);

/// Watches whoever is to be watched, until told to stop.
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
            () = crawler.peers.changed.notified() => {}
            () = tokio::time::sleep(GLANCE) => {}
            Some(ended) = streams.join_next(), if !streams.is_empty() => {
                if let Err(error) = ended && error.is_panic() {
                    tracing::error!(%error, "watching a peer panicked; it is begun again");
                }
            }
        }
    }
    streams.shutdown().await;
}

/// Who is to be watched now.
fn wanted(crawler: &Crawler) -> HashMap<SourceId, Link> {
    let peers = &crawler.peers;
    let now = crawler.clock.now();
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

/// Watches one source for as long as somebody wants it.
async fn follow(crawler: Arc<Crawler>, id: SourceId) {
    let mut tries = 0;
    while let Some(link) = crawler.peers.link(id) {
        let mut heard = false;
        let ended = listen(&crawler, id, &link, &mut heard).await;
        unwatch(&crawler, id);
        tries = if heard { 0 } else { tries + 1 };
        let wait = match ended.code() {
            Code::Unimplemented | Code::ResourceExhausted => REFUSED_WAIT,
            // What went wrong will go wrong for a refresh, too, which knows what to do about it.
            Code::NotFound => LONGEST_WAIT,
            _ => FIRST_WAIT.saturating_mul(1 << tries.min(10)).min(LONGEST_WAIT),
        };
        let text = ended.message();
        tracing::debug!(source = id.0, code = ?ended.code(), text, ?wait, "a stream has ended");
        tokio::time::sleep(spread(wait, id, crawler.clock.now())).await;
    }
}

/// Listens until the stream ends; says why it did.
async fn listen(crawler: &Crawler, id: SourceId, link: &Link, heard: &mut bool) -> Status {
    let Ok(url) = Url::parse(&link.url) else { return Status::not_found("no address") };
    let now = crawler.clock.now();
    let channel = match crawler.peers.connection(&url, now) {
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

/// Nobody says any more when the source has news.
fn unwatch(crawler: &Crawler, id: SourceId) {
    if crawler.peers.is_watched(id) {
        crawler.set_watched(id, false);
    }
}

/// From half of a wait to all of it, so that many readers do not come back at once.
fn spread(wait: Duration, id: SourceId, now: f64) -> Duration {
    let mut hasher = DefaultHasher::new();
    (id, now.to_bits(), std::process::id()).hash(&mut hasher);
    let share = (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64;
    wait.mul_f64(0.5 + 0.5 * share)
}

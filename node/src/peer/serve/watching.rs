//! Watching a feed: a message whenever it has changed.
//!
//! A stream is pulled, not pushed: the next message is made when the connection has room for it, of how
//! far the feed has come by then. So a caller that does not read costs nothing but its place, and is told
//! once of whatever happened meanwhile.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pergola_proto::v1;
use pergola_store::archive::{FeedId, FeedTally};
use tonic::Status;
use tonic::codegen::tokio_stream::Stream;

use super::{Parts, changed_at, unreadable};
use crate::peer::caller::Caller;
use crate::publish::Follower;

/// The messages of one stream.
pub(in crate::peer) struct Watching {
    /// The next message on its way; nothing when the stream has ended.
    next: Option<Pin<Box<dyn Future<Output = Told> + Send>>>,
}

/// A message, and how to go on after it.
type Told = (Result<v1::WatchResponse, Status>, Option<Watcher>);

impl Watching {
    /// Tells at once how far the feed has come since `from`, and then of every change.
    pub(super) fn new(
        parts: Arc<Parts>,
        caller: Caller,
        feed: FeedId,
        from: u64,
        mut news: Follower<FeedTally>,
    ) -> Self {
        news.mark_changed();
        let watcher = Watcher { parts, caller, feed, from, news };
        Self { next: Some(Box::pin(watcher.next())) }
    }
}

impl Stream for Watching {
    type Item = Result<v1::WatchResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(next) = &mut self.next else { return Poll::Ready(None) };
        let (message, watcher) = ready!(next.as_mut().poll(context));
        self.next = watcher.map(|watcher| Box::pin(watcher.next()) as _);
        Poll::Ready(Some(message))
    }
}

struct Watcher {
    parts: Arc<Parts>,
    caller: Caller,
    feed: FeedId,
    from: u64,
    news: Follower<FeedTally>,
}

impl Watcher {
    async fn next(mut self) -> Told {
        tokio::select! {
            biased;
            () = self.parts.stop.cancelled() => {
                return (Err(Status::unavailable("the node is stopping")), None);
            }
            changed = self.news.changed() => if changed.is_err() {
                return (Err(Status::not_found("the feed was dropped")), None);
            }
        }
        if !self.caller.may_read(self.feed) {
            return (Err(Status::not_found("the feed is there no more")), None);
        }
        let tally = self.news.see();
        match self.parts.heads.head(self.feed, tally).await {
            Ok(head) => {
                let message = v1::WatchResponse {
                    pending: tally.next.saturating_sub(self.from),
                    head,
                    changed_at_ms: changed_at(&tally),
                };
                (Ok(message), Some(self))
            }
            Err(error) => (Err(unreadable(&error)), None),
        }
    }
}

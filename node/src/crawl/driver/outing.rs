//! One refresh, from the moment its lane is free until what it brought is durable.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_manners::lanes::LaneId;
use pergola_store::archive::{ArchiveError, SourceId, SourceKind};
use tokio::sync::oneshot;
use url::Url;

use super::conclusion::Exchange;
use super::{Crawler, Delivery};
use crate::crawl::conclude::Refreshed;
use crate::crawl::trail::Backlog;
use crate::fetch::Ask;
use crate::writer::{Committed, NotCommitted};

/// After a failure of our own a source is left alone this long.
const OUR_FAULT: f64 = 60.0;

impl Crawler {
    pub(super) async fn refresh_and_settle(self: Arc<Self>, id: SourceId, lane: LaneId) {
        let _alone = self.alone.with(id).await;
        let back_at = self.clock.now() + OUR_FAULT;
        let mut outing =
            Outing { crawler: &self, id, lane, lane_free: false, settled: false, back_at };
        match self.refresh(id, &mut outing).await {
            Ok((refreshed, committed)) => {
                outing.settled = true;
                self.settle(refreshed, committed);
            }
            Err(problem) => {
                if let Problem::Refused { next_at, .. } = problem {
                    outing.back_at = next_at;
                }
                tracing::error!(source = id.0, %problem, "a refresh could not be finished");
            }
        }
    }

    /// One refresh, from the archive to the archive.
    async fn refresh(
        self: &Arc<Self>,
        id: SourceId,
        outing: &mut Outing<'_>,
    ) -> Result<(Arc<Refreshed>, Committed), Problem> {
        let standing = self.standing(id)?.ok_or(Problem::Vanished)?;
        let url = Url::parse(&standing.record.url).map_err(|_| Problem::Vanished)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let readers = self.desk.readers_of(id).max(1);
        let validators = standing.state.courtesy.request(self.clock.now());
        let mut ask = Ask::new(url, validators, readers);
        // A difference may reach further back than the window, as archives do.
        let archive = self.peers.cooperation(id).archive;
        ask.delta = archive && standing.record.kind == SourceKind::Feed;
        let (answered, link, way) = self.ask(id, &ask).await;
        let exchange = Box::new(Exchange { ask, answered, link, way });
        // Archives may have to be followed before everything can be concluded from the same answer.
        let again = archive.then(|| exchange.again()).flatten();
        let mut refreshed = self.concluded(id, standing, exchange, Backlog::default()).await?;
        if let (Some(older), Some(exchange)) = (refreshed.older.clone(), again) {
            // Boxed, because it is rare and large.
            let following = Box::pin(self.follow(&refreshed, older, readers, outing.lane));
            let backlog = following.await?;
            if backlog.documents > 0 {
                let standing = self.standing(id)?.ok_or(Problem::Vanished)?;
                refreshed = self.concluded(id, standing, exchange, backlog).await?;
            }
        }
        self.count_host(&host, &refreshed);
        self.obey_pause(&host, &refreshed, outing.lane);
        // The site has done its part, and its wishes are known: the next one need not wait for ours.
        outing.free_lane();
        self.nudge.notify_one();
        match self.deliver(Arc::clone(&refreshed)).await {
            Ok(committed) => Ok((refreshed, committed)),
            Err(reason) => Err(Problem::Refused { reason, next_at: refreshed.state.next_at }),
        }
    }

    /// Hands on what a refresh has brought and waits until it is durable.
    pub(super) async fn deliver(
        &self,
        refreshed: Arc<Refreshed>,
    ) -> Result<Committed, NotCommitted> {
        let (done, committed) = oneshot::channel();
        let committed = match self.deliveries.send(Delivery { refreshed, done }).await {
            Ok(()) => committed.await.unwrap_or(Err(NotCommitted::Stopping)),
            Err(_) => Err(NotCommitted::Stopping),
        };
        committed.inspect_err(|_| self.stalled.store(true, Ordering::Relaxed))
    }
}

/// Puts a source back, however its refresh ends.
struct Outing<'a> {
    crawler: &'a Crawler,
    id: SourceId,
    lane: LaneId,
    /// The request is over.
    lane_free: bool,
    /// The refresh went its way, and the source is back already.
    settled: bool,
    /// When it may be asked again otherwise.
    back_at: f64,
}

impl Outing<'_> {
    fn free_lane(&mut self) {
        if !self.lane_free {
            self.lane_free = true;
            self.crawler.lanes.lock().finished(self.lane, self.crawler.clock.now());
        }
    }
}

impl Drop for Outing<'_> {
    fn drop(&mut self) {
        self.free_lane();
        if !self.settled {
            // Without an observation nothing can be refused.
            let _ = self.crawler.roster().settle(self.id, None, self.back_at);
            self.crawler.waiting.lock().remove(&self.id);
        }
    }
}

/// Why a refresh was not finished: our own trouble, never the source's.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// What was found could not be kept. The source is not to be asked before `next_at` all the same.
    #[error("{reason}")]
    Refused { reason: NotCommitted, next_at: f64 },
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
    #[error("the source is gone")]
    Vanished,
    #[error("reading the answer panicked")]
    Panicked,
}

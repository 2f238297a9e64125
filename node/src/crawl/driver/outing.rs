//! One refresh, from the moment its lane is free until its result is durable.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_manners::conclude::Subject;
use pergola_manners::lanes::LaneId;
use pergola_manners::refreshed::{HostVisit, Refreshed, Scheduling, SourceChange};
use pergola_store::archive::{ArchiveError, SourceId, SourceKind};
use tokio::sync::oneshot;

use super::following::Route;
use super::{Crawler, Delivery};
use crate::writer::{Committed, NotCommitted};
use pergola_outside::fetch::Ask;

/// After a failure of our own a source is left alone for so many seconds.
const OUR_FAULT: f64 = 60.0;

impl Crawler {
    pub(super) async fn refresh(self: Arc<Self>, id: SourceId, lane: LaneId) {
        let _alone = self.alone.with(id).await;
        let back_at = self.tools.clock.now() + OUR_FAULT;
        let mut outing =
            Outing { crawler: &self, id, lane, lane_free: false, settled: false, back_at };
        match self.go(id, &mut outing).await {
            Ok((refreshed, committed)) => {
                outing.settled = true;
                self.settle(*refreshed, committed);
            }
            Err(why) => {
                if let Unfinished::NotStored { next_at, quiet_until, .. } = why {
                    outing.back_at = next_at;
                    self.roster().keep_quiet(id, quiet_until);
                }
                tracing::error!(source = id.0, %why, "a refresh could not be finished");
            }
        }
    }

    /// From the store to the store.
    async fn go(
        self: &Arc<Self>,
        id: SourceId,
        outing: &mut Outing<'_>,
    ) -> Result<(Box<Refreshed>, Committed), Unfinished> {
        let subject = self.subject(id)?.ok_or(Unfinished::Vanished)?;
        let host = subject.url.host_str().unwrap_or_default().to_owned();
        let readers = self.tools.desk.readers_of(id).max(1);
        let archive = self.tools.peers.cooperation(id).archive;
        let ask = self.question(&subject, readers, archive)?;
        // Whatever goes wrong from here on, the site was asked: a failure of our own is no reason to ask it sooner.
        let floor = self.tools.manners().rules.rules_for(&subject.url).floor;
        outing.back_at = self.tools.clock.now() + floor.max(OUR_FAULT);
        let (received, asked) = match subject.record.kind {
            // Boxed, because few sources are pages.
            SourceKind::Page(_) => Box::pin(self.get_page(&ask, outing.lane)).await,
            SourceKind::Feed | SourceKind::List => (self.ask(&subject, &ask).await, true),
        };
        let Ask { credentials, mandate, .. } = ask;
        let route = archive.then_some(Route { lane: outing.lane, readers, credentials, mandate });
        let mut refreshed = self.concluded(subject, received, route).await?;
        refreshed.visit = refreshed.visit.filter(|_| asked);
        self.hold_back(&mut refreshed);
        if let Some(visit) = &refreshed.visit {
            self.count_visit(&host, visit);
            self.obey_pause(id, &host, visit, outing.lane);
        }
        // The site has done its part, and its wishes are known: the next source need not wait for our store.
        outing.free_lane();
        self.nudge.notify_one();
        match self.deliver(Arc::clone(&refreshed.change)).await {
            Ok(committed) => Ok((refreshed, committed)),
            Err(reason) => {
                let Scheduling { next_at, quiet_until, .. } = refreshed.schedule;
                Err(Unfinished::NotStored { reason, next_at, quiet_until })
            }
        }
    }

    /// What to ask a source for.
    fn question(
        &self,
        subject: &Subject,
        readers: u32,
        archive: bool,
    ) -> Result<Ask, ArchiveError> {
        let validators = subject.state.courtesy.request(self.tools.clock.now());
        let mut ask = Ask::new(subject.url.clone(), validators, readers);
        ask.credentials.clone_from(&subject.record.credentials);
        if !subject.record.is_at_its_name() {
            ask.mandate = self.mandate(&subject.record)?;
        }
        // A difference may reach further back than the window, as archives do.
        ask.delta = archive && subject.record.kind == SourceKind::Feed;
        Ok(ask)
    }

    /// Counts what was done to a host; saved with the next sample.
    pub(super) fn count_visit(&self, host: &str, visit: &HostVisit) {
        let mut hosts = self.hosts.lock();
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), Default::default());
        }
        let Some((tally, saved)) = hosts.get_mut(host) else { return };
        tally.requests += u64::from(visit.requests);
        tally.not_modified += u64::from(visit.not_modified);
        tally.bytes += visit.bytes;
        tally.pauses += u64::from(visit.paused);
        tally.hints += u64::from(visit.hinted);
        tally.last = visit.at;
        *saved = false;
    }

    /// The host rests if enough of its addresses want it to.
    fn obey_pause(&self, id: SourceId, host: &str, visit: &HostVisit, lane: LaneId) {
        let Some(until) = visit.pause_until else {
            return self.pauses.lock().forget(host, id.0);
        };
        let pause = self.pauses.lock().report(host, id.0, until, visit.at);
        if let Some(until) = pause {
            tracing::info!(host, until, "the host asks for quiet");
            self.lanes.lock().pause(lane, until);
        }
    }

    /// Hands on what a refresh changes and waits until it is durable.
    pub(super) async fn deliver(
        &self,
        change: Arc<SourceChange>,
    ) -> Result<Committed, NotCommitted> {
        let (done, committed) = oneshot::channel();
        let committed = match self.tools.deliveries.send(Delivery { change, done }).await {
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
    /// The refresh ended as it should, and the source is back already.
    settled: bool,
    /// When it may be asked again otherwise.
    back_at: f64,
}

impl Outing<'_> {
    fn free_lane(&mut self) {
        if !self.lane_free {
            self.lane_free = true;
            let now = self.crawler.tools.clock.now();
            self.crawler.lanes.lock().finished(self.lane, now);
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
pub(super) enum Unfinished {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The result could not be stored. What the source asked of us holds all the same.
    #[error("{reason}")]
    NotStored { reason: NotCommitted, next_at: f64, quiet_until: Option<f64> },
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
    #[error("the source is gone")]
    Vanished,
    #[error("reading the answer panicked")]
    Panicked,
}

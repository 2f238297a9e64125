//! Sources that are peers: how they are asked, in which lane they wait, and what follows when one says
//! that it has news.

use std::sync::atomic::Ordering;

use pergola_manners::lanes::LaneId;
use pergola_manners::link::Link;
use pergola_store::archive::SourceId;
use url::Url;

use super::Crawler;
use crate::crawl::conclude::Way;
use crate::fetch::{Answer, Ask, FetchError};
use crate::metrics::Asked;
use crate::peers::pull::Pulled;

impl Crawler {
    /// Asks a source: its peer if it has one, and with a GET if it has none or that does not work.
    pub(super) async fn ask(
        &self,
        id: SourceId,
        ask: &Ask,
    ) -> (Result<Answer, FetchError>, Option<Link>, Way) {
        let link = self.peers.link(id);
        let now = self.clock.now();
        let usable = link.as_ref().filter(|_| self.peers.is_usable(id, ask.url.as_str(), now));
        let Some(peer) = usable else {
            return (self.fetcher.fetch(ask).await, link, Way::Http(None));
        };
        self.peers.refreshes(id);
        // Few sources are peers; all others need not make room for this.
        let pull = Box::pin(self.peers.pull(id, &ask.url, peer, now));
        let (asked, answered, way) = match pull.await {
            Pulled::Answer(answer) => (Asked::of(&answer), Ok(*answer), Way::Peer),
            Pulled::Unreachable(error) => (Asked::Unreachable, Err(error), Way::Peer),
            Pulled::Refused(refusal) => {
                let answered = self.fetcher.fetch(ask).await;
                (Asked::Refused, answered, Way::Http(Some(refusal)))
            }
        };
        self.metrics.peers.asked(asked);
        (answered, link, way)
    }

    /// The lane in which a source at an address waits.
    pub(crate) fn lane_for(&self, id: SourceId, url: &Url) -> LaneId {
        match self.peers.is_usable(id, url.as_str(), self.clock.now()) {
            true => self.lanes.lock().lane_of_peer(&url.origin().ascii_serialization()),
            false => self.lane_of(url),
        }
    }

    /// A peer says how far it has come: if that is further than we have, its source is refreshed now.
    pub(crate) fn notified(&self, id: SourceId, head: &str) {
        if !self.peers.has_news(id, head) {
            return;
        }
        self.metrics.peers.notifications.inc();
        let now = self.clock.now();
        if self.stalled.load(Ordering::Relaxed) || self.wants_quiet(id, now) {
            // What cannot be kept, or must not be asked for, is left to the scheduler.
            return self.roster().wake(id);
        }
        self.send_told(id);
    }

    /// Sends a source out as soon as its lane is free, if it is not out.
    pub(super) fn send_now(&self, id: SourceId) {
        let lane = self.roster().send(id);
        self.stand_in_line(id, lane);
    }

    /// The same because its peer says that it has news, which costs budget.
    pub(super) fn send_told(&self, id: SourceId) {
        let lane = self.roster().send_told(id);
        self.stand_in_line(id, lane);
    }

    fn stand_in_line(&self, id: SourceId, lane: Option<LaneId>) {
        if let Some(lane) = lane {
            self.lanes.lock().push(id.0, lane);
            self.nudge.notify_one();
        }
    }

    /// Whether a source has asked not to be asked; only those that are held back are read for it.
    fn wants_quiet(&self, id: SourceId, now: f64) -> bool {
        let held = self.roster().courteous_at(id).is_some_and(|at| at > now);
        let paused = || self.archive.state_alone(id).ok().flatten()?.courtesy.pause;
        held && paused().is_some_and(|pause| pause.until > now)
    }
}

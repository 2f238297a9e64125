//! Sending sources out: in which lane they wait, and who may be sent out of turn.
//!
//! The scheduler respects `next_at`. Whoever sends a source out of turn (a person, a peer with news, a
//! refresh that is not over) may come before that, but never while the source wants quiet: the roster
//! refuses.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_manners::lanes::LaneId;
use pergola_store::archive::SourceId;
use tokio::task::JoinSet;
use url::Url;

use super::Crawler;

impl Crawler {
    /// Starts every refresh that may start now; returns when the next one may.
    pub(super) fn send_out(self: &Arc<Self>, now: f64, refreshes: &mut JoinSet<()>) -> f64 {
        let mut lanes = self.lanes.lock();
        while let Some((source, lane)) = lanes.pop(now) {
            // Kilobytes of state, which the runtime would move about a dozen times.
            refreshes.spawn(Box::pin(self.clone().refresh(SourceId(source), lane)));
        }
        lanes.next_wakeup(now).unwrap_or(f64::INFINITY)
    }

    /// The lane of the source that may start first, when it may.
    pub(super) async fn next_in_line(&self) -> Option<LaneId> {
        loop {
            let now = self.tools.clock.now();
            let wake = {
                let mut lanes = self.lanes.lock();
                match lanes.pop(now) {
                    Some((_, lane)) => return Some(lane),
                    None => lanes.next_wakeup(now)?,
                }
            };
            self.tools.clock.sleep_until(wake).await;
        }
    }

    /// The lane in which a source at an address waits.
    pub(crate) fn lane_for(&self, id: SourceId, url: &Url) -> LaneId {
        match self.tools.peers.is_usable(id, url.as_str(), self.tools.clock.now()) {
            true => self.lanes.lock().lane_of_peer(&url.origin().ascii_serialization()),
            false => self.lane_of(url),
        }
    }

    /// A peer says how far it has come: if that is further than we are, its source is refreshed now.
    pub(crate) fn notified(&self, id: SourceId, head: &str) {
        if !self.tools.peers.has_news(id, head) {
            return;
        }
        self.tools.metrics.peers.notifications.inc();
        let quiet = self.roster().wants_quiet(id, self.tools.clock.now());
        if quiet || self.stalled.load(Ordering::Relaxed) {
            // What cannot be stored, or must not be asked for, is left to the scheduler.
            return self.roster().wake(id);
        }
        self.send_told(id);
    }

    /// Sends a source out as soon as its lane is free. `false` if it wants quiet, or is gone.
    pub(super) fn send_now(&self, id: SourceId) -> bool {
        let lane = self.roster().send(id, self.tools.clock.now());
        self.wait_in_line(id, lane)
    }

    /// The same because its peer says that it has news, which costs budget.
    pub(super) fn send_told(&self, id: SourceId) {
        let lane = self.roster().send_told(id, self.tools.clock.now());
        self.wait_in_line(id, lane);
    }

    fn wait_in_line(&self, id: SourceId, lane: Option<LaneId>) -> bool {
        let Some(lane) = lane else { return self.roster().is_out(id) };
        self.lanes.lock().push(id.0, lane);
        self.nudge.notify_one();
        true
    }
}

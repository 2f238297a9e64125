//! The state of the node, its sources and its feeds, for the API and the pages.

mod detail;
mod feeds;
mod sources;

use pergola_api::Instant;
use pergola_api::operation::NodeStatus;
use pergola_refresh::quality::known_completeness;
use pergola_store::archive::SourceId;

use super::Node;
pub(crate) use detail::{rhythm, wishes};
pub(crate) use sources::standing;

/// Loops that are named one by one.
const LOOPS_TOLD: usize = 10;

impl Node {
    /// The state of the node.
    pub fn status(&self) -> NodeStatus {
        let now = self.clock.now();
        let config = self.config();
        let counts = self.metrics.refresh_counts();
        let (items, lost) = (self.metrics.items.get(), self.metrics.lost.get());
        let (waiting, in_flight) = self.crawler.queue();
        let store = self.archive.store();
        let pulse = self.crawler.pulse(now);
        NodeStatus {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: config.node.name.clone(),
            id: self.id().0,
            running: self.is_running(),
            now: Instant::from_unix(now),
            speed: self.clock.speed(),
            uptime: now - self.opened_at,
            sources: pulse.sources,
            feeds: self.desk.count(),
            threshold: pulse.threshold,
            budget_per_minute: pulse.per_minute,
            refreshes: counts.all,
            unchanged: counts.unchanged,
            failed: counts.failed,
            items,
            lost,
            bytes: self.metrics.bytes.get(),
            freshness: pulse.freshness,
            completeness: known_completeness(items as f64, lost),
            waiting,
            in_flight,
            store: store.backend().to_string(),
            store_bytes: store.bytes_on_disk(),
            notices: self.all_notices(now),
        }
    }

    /// All metrics, with the gauges set to their current values.
    pub fn metrics_text(&self) -> String {
        let status = self.status();
        let levels = &self.metrics.levels;
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        levels.threshold.set(status.threshold);
        levels.budget.set(status.budget_per_minute);
        levels.spending.set(self.metrics.spending_per_minute(self.clock.now()));
        levels.failing.set(whole(self.crawler.count_failing()));
        // Prometheus compares nothing with what is not a number, so no alert fires before it is known.
        levels.freshness.set(status.freshness.unwrap_or(f64::NAN));
        levels.completeness.set(status.completeness.unwrap_or(f64::NAN));
        levels.sources.set(whole(status.sources));
        levels.feeds.set(whole(status.feeds));
        levels.in_flight.set(whole(status.in_flight));
        levels.waiting.set(whole(status.waiting));
        let (peers, usable) = (&self.metrics.peers, self.peers_in_use());
        peers.sources.set(whole(usable));
        peers.watched.set(whole(self.crawler.tools.peers.count_watched()));
        levels.disk.set(i64::try_from(status.store_bytes).unwrap_or(i64::MAX));
        let damage = self.archive.damage();
        levels.damaged.set(whole(damage.counts().values().sum()));
        levels.degraded.set(i64::from(!self.degraded().is_empty()));
        self.metrics.unreadable.inc_by(damage.passed() - self.metrics.unreadable.get());
        let pushed = &self.metrics.websub;
        pushed.subscriptions.set(whole(self.hub.as_ref().map_or(0, |hub| hub.subscriptions())));
        pushed.sources.set(whole(self.subscriber.as_ref().map_or(0, |it| it.sources())));
        self.metrics.text()
    }

    fn all_notices(&self, now: f64) -> Vec<String> {
        let own = self.degraded().into_iter().chain(self.notices()).chain(self.leak_notices());
        own.chain(self.loop_notices()).chain(self.dead_notices(now)).collect()
    }

    /// Notices about sources whose items come back to this node.
    fn loop_notices(&self) -> impl Iterator<Item = String> {
        self.crawler.loops.all().into_iter().take(LOOPS_TOLD).map(|(id, found)| {
            format!("items of source {} come back to this node and are dropped: {found}", id.0)
        })
    }

    /// How many sources are fetched from peers now.
    fn peers_in_use(&self) -> usize {
        let (peers, now) = (&self.crawler.tools.peers, self.clock.now());
        let usable = |id: &SourceId| {
            peers.link(*id).is_some_and(|link| peers.is_usable(*id, &link.url, now))
        };
        peers.ids().iter().filter(|id| usable(id)).count()
    }
}

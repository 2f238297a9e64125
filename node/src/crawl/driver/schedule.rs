//! What the rest of the node asks of the scheduler. Nobody else holds its lock.

use pergola_feed::OriginId;
use pergola_manners::budget::Purse;
use pergola_refresh::{Invalid, PublicationModel, Source, StrategyKind, Taste, Threshold};
use pergola_store::archive::{SourceId, SourceRecord, SourceState};
use url::Url;

use super::Crawler;

/// How the scheduler stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pulse {
    /// Sources that are crawled.
    pub sources: usize,
    /// The threshold τ.
    pub threshold: f64,
    /// Refreshes per minute that the budget allows.
    pub per_minute: f64,
    /// The estimated share of windows held now.
    pub freshness: f64,
}

impl Crawler {
    /// How the scheduler stands.
    pub fn pulse(&self, now: f64) -> Pulse {
        let roster = self.roster();
        Pulse {
            sources: roster.len(),
            threshold: roster.threshold().value(),
            per_minute: roster.purse.per_minute(),
            freshness: roster.freshness(now),
        }
    }

    /// The threshold with all that its controller knows, to be stored.
    pub fn threshold(&self) -> Threshold {
        self.roster().threshold().clone()
    }

    /// How many sources are crawled.
    pub fn count(&self) -> usize {
        self.roster().len()
    }

    /// Every source that is crawled.
    pub fn ids(&self) -> Vec<SourceId> {
        self.roster().ids().collect()
    }

    /// The source at this address.
    pub fn by_address(&self, url: &str) -> Option<SourceId> {
        self.roster().by_address(url)
    }

    /// Whether a source is identified like this.
    pub fn has_origin(&self, origin: OriginId) -> bool {
        self.roster().has_origin(origin)
    }

    /// Whether a source is being refreshed, and when it may be refreshed next; nothing if it is not crawled.
    pub fn busy_and_next(&self, id: SourceId) -> Option<(bool, f64)> {
        self.roster().standing(id)
    }

    /// What the scheduler believes of a source.
    pub fn schedule_of(&self, id: SourceId) -> Option<Source> {
        self.roster().schedule(id)
    }

    /// Items per second that a source publishes, as estimated.
    pub fn mean_rate(&self, id: SourceId) -> Option<f64> {
        Some(self.roster().schedule(id)?.model.mean_rate())
    }

    /// When one of these sources may next be refreshed.
    pub fn next_refresh_of(&self, sources: &[SourceId], now: f64) -> f64 {
        self.roster().next_refresh(sources, now)
    }

    /// When these sources are planned to be refreshed until `end`, and the items expected of each refresh times
    /// the share of its source. Nothing if one of them has no plan.
    pub fn planned_of(
        &self,
        shares: &[(SourceId, f64)],
        now: f64,
        end: f64,
    ) -> Option<Vec<(f64, f64)>> {
        let mut roster = self.roster();
        let mut refreshes = Vec::new();
        for (source, share) in shares {
            let planned = roster.planned(*source, now, end)?;
            refreshes.extend(planned.iter().map(|refresh| (refresh.at, share * refresh.items)));
        }
        Some(refreshes)
    }

    /// Crawls a source from now on.
    pub fn take_on(
        &self,
        id: SourceId,
        record: &SourceRecord,
        url: &Url,
        state: SourceState,
    ) -> Result<(), Invalid> {
        let lane = self.lane_for(id, url);
        let mut roster = self.roster();
        roster.add(id, &record.url, lane, state.schedule, state.next_at)?;
        roster.set_origin(id, record.origin);
        roster.set_importance(id, record.importance);
        Ok(())
    }

    /// Crawls a source no more.
    pub fn drop_source(&self, id: SourceId) {
        self.roster().remove(id);
        self.loops.forget(id);
        self.tools.peers.forget(id);
    }

    /// What one item of a source is worth to its user.
    pub fn set_importance(&self, id: SourceId, importance: f32) {
        self.roster().set_importance(id, importance);
    }

    /// What the queries want of a source's items, as a share.
    pub fn weigh(&self, id: SourceId, relevance: f64) {
        let mut roster = self.roster();
        let worth = relevance * f64::from(roster.importance(id));
        if let Err(invalid) = roster.weigh(id, worth) {
            tracing::error!(source = id.0, %invalid, "the scheduler refused a relevance");
        }
    }

    /// Decides by another strategy from now on.
    pub fn set_strategy(&self, strategy: StrategyKind, taste: Taste) {
        self.roster().set_strategy(strategy, taste);
    }

    /// Spends by another budget from now on.
    pub fn set_purse(&self, purse: Purse) -> Result<(), Invalid> {
        self.roster().set_purse(purse)
    }

    /// Steers the threshold by what was spent.
    pub fn steer(&self, now: f64) -> Result<(), Invalid> {
        self.roster().steer(now)
    }

    /// A source's peer says at once when it has news, or does so no more.
    pub fn set_watched(&self, id: SourceId, watched: bool) {
        self.tools.peers.set_watched(id, watched);
        self.roster().watched(id, watched, self.tools.clock.now());
    }

    /// Leaves these sources to their hubs until then, or no longer.
    pub fn leave_to_hubs(&self, plans: &[(SourceId, Option<f64>)]) {
        let mut roster = self.roster();
        plans.iter().for_each(|(id, until)| roster.postpone(*id, *until));
    }
}

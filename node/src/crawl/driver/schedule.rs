//! What the rest of the node asks of the scheduler. Nobody else holds its lock.

use std::sync::Arc;

use pergola_feed::OriginId;
use pergola_manners::Manners;
use pergola_manners::budget::Purse;
use pergola_manners::courtesy::Courtesy;
use pergola_manners::roster::{Habits, Prospect, Way};
use pergola_manners::why::Case;
use pergola_refresh::{Invalid, Source, StrategyKind, Taste, Threshold};
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
    /// The estimated share of windows held now; nothing while it is not known.
    pub freshness: Option<f64>,
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

    /// Refreshes per minute that the budget allows.
    pub fn per_minute(&self) -> f64 {
        self.roster().purse.per_minute()
    }

    /// How fast a lane is without rules of its own: seconds of rest, and requests at once.
    pub fn usual_pace(&self) -> (f64, u32) {
        self.lanes.lock().usual_pace()
    }

    /// How many sources fail.
    pub fn count_failing(&self) -> usize {
        self.failing.lock().len()
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
    pub fn resident(&self, url: &str) -> Option<SourceId> {
        self.roster().resident(url)
    }

    /// The source at this address, or the one that was there before it moved.
    pub fn by_address(&self, url: &str) -> Option<SourceId> {
        self.roster().by_address(url)
    }

    /// Whether a source is being refreshed, or waits for its lane.
    pub fn is_out(&self, id: SourceId) -> bool {
        self.roster().is_out(id)
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
        self.roster().mean_rate(id)
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

    /// How the sources come by their news, at most `most` of those that are asked.
    pub fn habits(&self, taste: &Taste, shortest: f64, most: usize, now: f64) -> Habits {
        self.roster().habits(taste, shortest, most, now)
    }

    /// How each of these sources comes by its news.
    pub fn ways(
        &self,
        ids: &[SourceId],
        taste: &Taste,
        shortest: f64,
        now: f64,
    ) -> Vec<Option<Way>> {
        let roster = self.roster();
        ids.iter().map(|id| roster.way(*id, taste, shortest, now)).collect()
    }

    /// Crawls a source from now on, unless another one is at its address: then it is to be merged with that.
    pub fn take_on(
        &self,
        id: SourceId,
        record: &SourceRecord,
        url: &Url,
        state: SourceState,
    ) -> Result<bool, Invalid> {
        let lane = self.lane_for(id, url);
        self.note_standing(id, &state.courtesy);
        let next_at = self.next_at(id, url, &state);
        let halted = state.courtesy.halted;
        let mut roster = self.roster();
        if roster.resident(&record.url).is_some() {
            drop(roster);
            self.arrivals.push(id);
            return Ok(false);
        }
        roster.add(id, &record.url, lane, state.schedule, next_at)?;
        roster.set_origin(id, record.origin);
        roster.set_importance(id, record.importance);
        if halted {
            roster.keep_quiet(id, Some(f64::INFINITY));
        }
        record.formerly.iter().for_each(|old| roster.was_at(id, old));
        Ok(true)
    }

    /// A source also has the former addresses of another one now.
    pub fn remember_addresses(&self, id: SourceId, record: &SourceRecord) {
        let mut roster = self.roster();
        record.formerly.iter().for_each(|old| roster.was_at(id, old));
        roster.set_importance(id, record.importance);
    }

    /// A number in [0, 1) for a source, now and at this node.
    pub(crate) fn chance(&self, id: SourceId) -> f64 {
        self.tools.manners().chance(id, self.tools.clock.now())
    }

    /// Treats sources otherwise from now on.
    pub fn set_manners(&self, manners: Manners) {
        *self.tools.manners.write() = Arc::new(manners);
    }

    /// A source waits by the rules of today.
    pub fn reconsider(&self, id: SourceId, url: &Url, state: &SourceState) {
        let next_at = self.next_at(id, url, state);
        self.roster().set_next_at(id, next_at);
    }

    fn next_at(&self, id: SourceId, url: &Url, state: &SourceState) -> f64 {
        let link = self.tools.peers.link(id);
        self.tools.manners().next_at(Case { id, url, state, link: link.as_ref() })
    }

    /// What the scheduler knows of the next refresh of a source, and until when its site wants quiet.
    pub fn prospect(&self, id: SourceId, now: f64, end: f64) -> Option<(Prospect, Option<f64>)> {
        let prospect = self.roster().prospect(id, now, end)?;
        Some((prospect, self.site_quiet(id, now)))
    }

    /// Until when the site of a source wants quiet, if it does.
    pub fn site_quiet(&self, id: SourceId, now: f64) -> Option<f64> {
        let lane = self.roster().lane(id)?;
        self.lanes.lock().quiet_until(lane).filter(|until| *until > now)
    }

    /// Nobody asks a source until further notice, or as it wants itself.
    pub fn halt(&self, id: SourceId, url: &Url, state: &SourceState) {
        let own = state.courtesy.pause.as_ref().map(|pause| pause.until);
        let until = if state.courtesy.halted { Some(f64::INFINITY) } else { own };
        self.roster().keep_quiet(id, until);
        self.note_standing(id, &state.courtesy);
        self.reconsider(id, url, state);
    }

    /// A person insists on asking a source that wants quiet.
    pub fn lift_quiet(&self, id: SourceId) {
        self.roster().keep_quiet(id, None);
    }

    /// Crawls a source no more.
    pub fn drop_source(&self, id: SourceId) {
        self.roster().remove(id);
        self.failing.lock().remove(&id);
        self.loops.forget(id);
        self.tools.peers.forget(id);
    }

    /// Remembers whether a source fails now.
    pub(super) fn note_standing(&self, id: SourceId, courtesy: &Courtesy) {
        let mut failing = self.failing.lock();
        match courtesy.is_failing() {
            true => failing.insert(id),
            false => failing.remove(&id),
        };
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

//! Which source is due: the scheduler and what it knows of every source, in memory.
//!
//! The roster decides and never acts. It is told the time, says which sources are due, and is told how each
//! refresh ended. A source is either waiting (held until it may be asked) or out (being refreshed). Losing
//! the roster loses nothing: everything is stored as well.
//!
//! Never: a source sent by the scheduler before its `next_at`; a source sent by anybody while it wants
//! quiet, unless somebody lifts that first; a source out twice.

mod addresses;
mod foresight;
mod habits;
mod origins;
#[cfg(test)]
mod tests;

use pergola_feed::OriginId;
use pergola_refresh::{
    Controller, Invalid, Knowledge, Observation, PublicationModel, Scheduler, Source, Sources,
    StrategyKind, Taste, Threshold,
};
use rustc_hash::FxHashMap;

use super::budget::{HORIZON_CYCLES, Purse};
use super::lanes::LaneId;
use crate::source::SourceId;
use addresses::Addresses;
use foresight::Foresight;
pub use foresight::Prospect;
pub use habits::{Habits, Way};
use origins::Origins;

/// τ before its right value is known. It is below the right value of any sensible node, so that the budget is
/// spent on the most urgent sources while τ rises. From above, nothing would be refreshed until τ has fallen.
pub const FIRST_THRESHOLD: f64 = 1e-5;

/// Seconds after which a source is polled although its peer notifies us of news.
const SAFETY_NET: f64 = 3_600.0;

/// The scheduler and its sources.
pub struct Roster {
    scheduler: Scheduler<Sources>,
    sources: Sources,
    seats: Vec<Seat>,
    places: FxHashMap<SourceId, usize>,
    addresses: Addresses,
    origins: Origins,
    foresight: Foresight,
    /// What refreshing may cost.
    pub purse: Purse,
}

/// One source, apart from what the scheduler knows of it.
#[derive(Debug, Clone, Copy)]
struct Seat {
    id: SourceId,
    lane: LaneId,
    address: u128,
    /// Not to be asked before by the scheduler.
    next_at: f64,
    /// Not to be asked before by anybody: it wants quiet.
    pause_until: f64,
    /// What one of its items is worth, as its user says.
    importance: f32,
    /// Until when the scheduler leaves it to its hub; 0 if the hub is not trusted, nothing without a hub.
    hub_until: Option<f64>,
    /// Being refreshed, or waiting in its lane.
    out: bool,
    /// When the scheduler decided on the refresh in progress.
    decided: Option<f64>,
    /// Its peer notifies us of news: not to be asked before by the scheduler.
    watched_until: Option<f64>,
    gone: bool,
}

impl Seat {
    /// When the scheduler may send it out.
    fn held_until(&self) -> f64 {
        let until = [self.watched_until, self.hub_until].into_iter().flatten();
        until.fold(self.next_at, f64::max)
    }
}

impl Roster {
    /// An empty roster.
    pub fn new(
        strategy: StrategyKind,
        taste: Taste,
        threshold: Option<Threshold>,
        purse: Purse,
    ) -> Result<Self, Invalid> {
        let controller = Controller::Steady { horizon: HORIZON_CYCLES };
        let threshold = match threshold {
            Some(known) => known,
            None => Threshold::new(FIRST_THRESHOLD, controller)?,
        };
        let scheduler = Scheduler::new(strategy.build(taste), threshold, purse.budget()?);
        Ok(Self {
            scheduler,
            sources: Sources::new(),
            seats: Vec::new(),
            places: FxHashMap::default(),
            addresses: Addresses::default(),
            origins: Origins::default(),
            foresight: Foresight::default(),
            purse,
        })
    }

    /// Adds a source.
    pub fn add(
        &mut self,
        id: SourceId,
        url: &str,
        lane: LaneId,
        source: Source,
        next_at: f64,
    ) -> Result<(), Invalid> {
        let place = self.sources.add(source)?;
        self.sources.hold(place, next_at);
        let address = self.addresses.arrive(url, id);
        self.seats.push(Seat {
            id,
            lane,
            address,
            next_at,
            pause_until: f64::NEG_INFINITY,
            importance: 1.0,
            out: false,
            decided: None,
            watched_until: None,
            hub_until: None,
            gone: false,
        });
        self.places.insert(id, place);
        Ok(())
    }

    /// Removes a source. Its seat stays empty until the next start.
    pub fn remove(&mut self, id: SourceId) {
        if let Some(place) = self.places.remove(&id) {
            self.seats[place].gone = true;
            self.sources.hold(place, f64::INFINITY);
            // Otherwise it would still count in the sum of relevant rates.
            self.sources.set_relevance(place, 0.0).expect("zero is a relevance");
            self.addresses.forget(self.seats[place].address, id);
            self.origins.forget(id);
            self.foresight.forget(place);
        }
    }

    /// A source has a new address. If another source is there, that one is still found by it.
    pub fn moved(&mut self, id: SourceId, url: &str, lane: LaneId) {
        if let Some(&place) = self.places.get(&id) {
            let before = self.seats[place].address;
            self.addresses.leave(before, id);
            let address = self.addresses.arrive(url, id);
            self.origins.moved(id, before, address);
            (self.seats[place].address, self.seats[place].lane) = (address, lane);
        }
    }

    /// A source had this address before.
    pub fn was_at(&mut self, id: SourceId, url: &str) {
        self.addresses.remember(url, id);
    }

    /// The source at an address.
    pub fn resident(&self, url: &str) -> Option<SourceId> {
        self.addresses.resident(url)
    }

    /// The source at an address, or the one that was there before it moved.
    pub fn by_address(&self, url: &str) -> Option<SourceId> {
        self.addresses.find(url)
    }

    /// What identifies a source, if that is not its address.
    pub fn set_origin(&mut self, id: SourceId, origin: OriginId) {
        if let Some(&place) = self.places.get(&id) {
            self.origins.set(id, self.seats[place].address, origin);
        }
    }

    /// Whether a source is identified like this.
    pub fn has_origin(&self, origin: OriginId) -> bool {
        self.origins.has(origin, self.addresses.resident_of(origin.0))
    }

    /// All sources.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> {
        self.seats.iter().filter(|seat| !seat.gone).map(|seat| seat.id)
    }

    /// How many sources there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// One cycle: the sources to be refreshed now. They are out until [`Roster::settle`].
    pub fn decide(&mut self, now: f64) -> Vec<(SourceId, LaneId)> {
        let chosen = self.scheduler.decide(now, &self.sources).to_vec();
        chosen.into_iter().map(|place| self.send_out(place, Some(now))).collect()
    }

    /// Sends one source out of turn, unless it is out already or wants quiet.
    pub fn send(&mut self, id: SourceId, now: f64) -> Option<LaneId> {
        let place = *self.places.get(&id)?;
        let seat = &self.seats[place];
        (!seat.out && seat.pause_until <= now).then(|| self.send_out(place, None).1)
    }

    /// The same because its peer says that it has news. This is charged, as long as such refreshes take no
    /// more than half of the budget.
    pub fn send_told(&mut self, id: SourceId, now: f64) -> Option<LaneId> {
        let lane = self.send(id, now)?;
        self.scheduler.charge_news();
        Some(lane)
    }

    /// A source wants quiet until then, or no longer.
    pub fn keep_quiet(&mut self, id: SourceId, until: Option<f64>) {
        if let Some(&place) = self.places.get(&id) {
            self.seats[place].pause_until = until.unwrap_or(f64::NEG_INFINITY);
        }
    }

    /// A source may be asked from another instant on: what is known of it, or the rules, say so.
    pub fn set_next_at(&mut self, id: SourceId, next_at: f64) {
        let Some(&place) = self.places.get(&id) else { return };
        let seat = &mut self.seats[place];
        seat.next_at = next_at;
        if !seat.out {
            self.sources.hold(place, seat.held_until());
        }
    }

    /// Whether a source wants quiet.
    pub fn wants_quiet(&self, id: SourceId, now: f64) -> bool {
        self.places.get(&id).is_some_and(|&place| self.seats[place].pause_until > now)
    }

    /// Whether a source is being refreshed, or waits for its lane.
    pub fn is_out(&self, id: SourceId) -> bool {
        self.places.get(&id).is_some_and(|&place| self.seats[place].out)
    }

    fn send_out(&mut self, place: usize, decided: Option<f64>) -> (SourceId, LaneId) {
        self.sources.hold(place, f64::INFINITY);
        let seat = &mut self.seats[place];
        (seat.out, seat.decided) = (true, decided);
        (seat.id, seat.lane)
    }

    /// A refresh has ended; `learnt` is the source's new model and what was observed, if anything was.
    pub fn settle(
        &mut self,
        id: SourceId,
        learnt: Option<(Source, &Observation<'_>)>,
        next_at: f64,
    ) -> Result<(), Invalid> {
        let Some(&place) = self.places.get(&id) else { return Ok(()) };
        let refreshed = learnt.is_some();
        if let Some((source, observation)) = learnt {
            self.learnt(id, source, observation)?;
        }
        let refreshed_at = self.sources.last(place).filter(|_| refreshed);
        let seat = &mut self.seats[place];
        (seat.out, seat.next_at) = (false, next_at);
        if seat.watched_until.is_some() {
            // A refresh that failed did not fetch what its peer has announced.
            seat.watched_until = Some(refreshed_at.map_or(next_at, |at| at + SAFETY_NET));
        }
        let held = seat.held_until();
        self.sources.hold(place, held);
        Ok(())
    }

    /// A refresh has cost so many requests besides the first.
    pub fn charge(&mut self, requests: u32) {
        self.scheduler.charge(requests as usize);
    }

    /// Something was observed of a source, by a refresh or by a push.
    pub fn learnt(
        &mut self,
        id: SourceId,
        mut source: Source,
        observation: &Observation<'_>,
    ) -> Result<(), Invalid> {
        let Some(&place) = self.places.get(&id) else { return Ok(()) };
        // A refresh teaches nothing about what the source is worth.
        source.relevance = self.sources.relevance(place);
        source.cost = self.sources.cost(place);
        self.sources.set(place, source)?;
        self.scheduler.observed(place, observation);
        Ok(())
    }

    /// A hub pushes a source's news: the scheduler leaves it alone until then (0: not at all; nothing: there
    /// is no hub).
    pub fn postpone(&mut self, id: SourceId, until: Option<f64>) {
        let Some(&place) = self.places.get(&id) else { return };
        let seat = &mut self.seats[place];
        seat.hub_until = until;
        if !seat.out {
            self.sources.hold(place, seat.held_until());
        }
    }

    /// A source's peer notifies us of news from now on, or no longer. As long as it does, polling is only the
    /// safety net.
    pub fn watched(&mut self, id: SourceId, watched: bool, now: f64) {
        let Some(&place) = self.places.get(&id) else { return };
        let seat = &mut self.seats[place];
        let last = self.sources.last(place).unwrap_or(now);
        seat.watched_until = watched.then_some(last + SAFETY_NET);
        if !seat.out {
            self.sources.hold(place, seat.held_until());
        }
    }

    /// Whether a hub was asked to push a source's news.
    pub fn has_hub(&self, id: SourceId) -> bool {
        self.places.get(&id).is_some_and(|&place| self.seats[place].hub_until.is_some())
    }

    /// A source that is only polled as a safety net is polled like any other until its next refresh.
    pub fn wake(&mut self, id: SourceId) {
        let Some(&place) = self.places.get(&id) else { return };
        let seat = &mut self.seats[place];
        seat.watched_until = seat.watched_until.map(|_| seat.next_at);
        if !seat.out {
            self.sources.hold(place, seat.next_at);
        }
    }

    /// A source is read another way and waits in another lane.
    pub fn set_lane(&mut self, id: SourceId, lane: LaneId) {
        if let Some(&place) = self.places.get(&id) {
            self.seats[place].lane = lane;
        }
    }

    /// Sets what one of a source's items is worth.
    pub fn weigh(&mut self, id: SourceId, relevance: f64) -> Result<(), Invalid> {
        let Some(&place) = self.places.get(&id) else { return Ok(()) };
        self.sources.set_relevance(place, relevance)
    }

    /// A source's answer had so many bytes, and its answers have `usual` on average. With a budget in bytes, a
    /// refresh costs accordingly.
    pub fn pay(&mut self, id: SourceId, bytes: u64, usual: f64) -> Result<(), Invalid> {
        self.purse.spent(bytes);
        let Some(&place) = self.places.get(&id) else { return Ok(()) };
        match self.purse.counts_bytes() {
            true => {
                self.sources.set_cost(place, (usual / self.purse.mean_size()).clamp(0.05, 20.0))
            }
            false => Ok(()),
        }
    }

    /// What one of a source's items is worth, relative to those of other sources; 1 by default.
    pub fn importance(&self, id: SourceId) -> f32 {
        self.places.get(&id).map_or(1.0, |&place| self.seats[place].importance)
    }

    /// A user says what one of a source's items is worth.
    pub fn set_importance(&mut self, id: SourceId, importance: f32) {
        if let Some(&place) = self.places.get(&id) {
            self.seats[place].importance = importance;
        }
    }

    /// What the scheduler believes of a source.
    pub fn schedule(&self, id: SourceId) -> Option<Source> {
        Some(self.sources.get(*self.places.get(&id)?))
    }

    /// Items per second that a source publishes, as estimated.
    pub fn mean_rate(&self, id: SourceId) -> Option<f64> {
        Some(self.sources.model(*self.places.get(&id)?).mean_rate())
    }

    /// The lane in which a source waits.
    pub fn lane(&self, id: SourceId) -> Option<LaneId> {
        self.places.get(&id).map(|&place| self.seats[place].lane)
    }

    /// Whether a source is being refreshed, and when it may be asked next.
    pub fn standing(&self, id: SourceId) -> Option<(bool, f64)> {
        let seat = self.seats[*self.places.get(&id)?];
        Some((seat.out, seat.held_until()))
    }

    /// The first instant at which the scheduler may ask one of these sources.
    pub fn next_refresh(&self, sources: &[SourceId], now: f64) -> f64 {
        let at = |id: &SourceId| match self.standing(*id) {
            Some((true, _)) => now,
            // News may be pushed at any time.
            Some((false, _)) if self.is_quiet(*id, now) => now,
            Some((false, next_at)) => next_at.max(now),
            None => f64::INFINITY,
        };
        sources.iter().map(at).fold(f64::INFINITY, f64::min)
    }

    fn is_quiet(&self, id: SourceId, now: f64) -> bool {
        let quiet = |place: &usize| self.seats[*place].hub_until.is_some_and(|until| until > now);
        self.places.get(&id).is_some_and(quiet)
    }

    /// Called once a minute: lets the budget follow what was measured.
    pub fn steer(&mut self, now: f64) -> Result<(), Invalid> {
        // As long as nothing was refreshed, nothing is stale.
        let freshness = self.sources.freshness(now).unwrap_or(1.0);
        if self.purse.steer(freshness) {
            self.scheduler.steer_budget(self.purse.budget()?);
        }
        Ok(())
    }

    /// Another strategy from now on; its threshold has to be found first.
    pub fn set_strategy(&mut self, strategy: StrategyKind, taste: Taste) {
        self.scheduler.set_strategy(strategy.build(taste));
    }

    /// Another budget from now on.
    pub fn set_purse(&mut self, purse: Purse) -> Result<(), Invalid> {
        self.scheduler.set_budget(purse.budget()?);
        self.purse = purse;
        Ok(())
    }

    /// The threshold, to be shown and saved.
    pub fn threshold(&self) -> &Threshold {
        self.scheduler.threshold()
    }

    /// The estimated share of all windows that is held now; nothing while it is not known.
    pub fn freshness(&self, now: f64) -> Option<f64> {
        self.sources.freshness(now)
    }

    /// How many sources the scheduler may ask now.
    pub fn ready(&self, now: f64) -> usize {
        (0..self.sources.len()).filter(|&place| self.sources.ready(place, now)).count()
    }
}

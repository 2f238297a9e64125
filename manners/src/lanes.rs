//! One lane per site: which source may be asked next, so that no site gets requests too often or several at
//! once.
//!
//! Sources that are due wait here; waiting is no error, and one busy site never holds up another. Pure: told
//! the time, and the same calls give the same order.
//!
//! Invariants: at most N requests of a lane in flight; a lane rests after every start and every finish;
//! every source pushed is popped exactly once; lanes are served in the order in which they became free; a
//! lane that is idle and has rested takes no memory.

mod rules;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use url::Url;

use rules::Limits;
pub use rules::{LaneId, LaneOverride, LaneRules};

/// Seconds after which a lane that is busy may be free.
const A_MOMENT: f64 = 0.1;

/// The queue of sources that are due, lane by lane.
#[derive(Debug)]
pub struct Lanes {
    rules: LaneRules,
    lanes: FxHashMap<LaneId, Lane>,
    /// Lanes with sources waiting and room for a request, by when they may start.
    ready: BTreeSet<Turn>,
    /// Idle lanes, by when they have rested and can be forgotten.
    resting: BTreeSet<Turn>,
    turns: u64,
    /// The latest time that was given.
    latest: f64,
    waiting: usize,
    in_flight: usize,
}

/// A lane's turn in a queue: by time, then first come, first served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    at: Instant,
    number: u64,
    lane: LaneId,
}

/// An instant as a key: the bits of a non-negative number are ordered like the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Instant(u64);

impl Instant {
    fn new(seconds: f64) -> Self {
        Self(seconds.max(0.0).to_bits())
    }

    fn seconds(self) -> f64 {
        f64::from_bits(self.0)
    }
}

#[derive(Debug)]
struct Lane {
    waiting: VecDeque<u32>,
    in_flight: u32,
    /// Nothing starts before.
    free_at: f64,
    /// Its site wants quiet until then.
    quiet_until: f64,
    limits: Limits,
    /// Its entry in `ready` or `resting`.
    turn: Option<Turn>,
}

impl Lane {
    fn new(limits: Limits) -> Self {
        let (free_at, quiet_until) = (0.0, 0.0);
        Self { waiting: VecDeque::new(), in_flight: 0, free_at, quiet_until, limits, turn: None }
    }
}

impl Lanes {
    /// No lanes yet.
    pub fn new(rules: LaneRules) -> Self {
        Self {
            rules,
            lanes: FxHashMap::default(),
            ready: BTreeSet::new(),
            resting: BTreeSet::new(),
            turns: 0,
            latest: 0.0,
            waiting: 0,
            in_flight: 0,
        }
    }

    /// How fast a lane is without rules of its own: seconds of rest, and requests at once.
    pub fn usual_pace(&self) -> (f64, u32) {
        (self.rules.spacing, self.rules.parallel)
    }

    /// The lane of a URL: its registrable domain, or the group that the domain belongs to. An IP address or a
    /// single label is a lane of its own.
    pub fn lane_of(&self, url: &Url) -> LaneId {
        self.rules.lane_of(url)
    }

    /// The lane of the peer at an origin. A peer limits its readers itself, so the lane needs no rest.
    pub fn lane_of_peer(&mut self, origin: &str) -> LaneId {
        self.rules.lane_of_peer(origin)
    }

    /// A source is due. Pushed twice, it is popped twice.
    pub fn push(&mut self, source: u32, lane: LaneId) {
        let entry = self.lanes.entry(lane).or_insert_with(|| Lane::new(self.rules.limits(lane)));
        entry.waiting.push_back(source);
        self.waiting += 1;
        if entry.waiting.len() == 1 {
            self.requeue(lane);
        }
    }

    /// The next source that may be asked now, if any, and its lane, which is busy until [`Lanes::finished`].
    pub fn pop(&mut self, now: f64) -> Option<(u32, LaneId)> {
        self.latest = self.latest.max(now);
        self.forget_rested(now);
        if self.in_flight >= self.rules.in_flight {
            return None;
        }
        let turn = *self.ready.first().filter(|turn| turn.at <= Instant::new(now))?;
        let lane = self.lanes.get_mut(&turn.lane)?;
        let source = lane.waiting.pop_front()?;
        lane.in_flight += 1;
        lane.free_at = lane.free_at.max(now + lane.limits.spacing);
        self.waiting -= 1;
        self.in_flight += 1;
        self.requeue(turn.lane);
        Some((source, turn.lane))
    }

    /// A request of this lane has ended, whatever came of it.
    pub fn finished(&mut self, lane: LaneId, now: f64) {
        self.latest = self.latest.max(now);
        let Some(entry) = self.lanes.get_mut(&lane).filter(|entry| entry.in_flight > 0) else {
            return;
        };
        entry.in_flight -= 1;
        entry.free_at = entry.free_at.max(now + entry.limits.spacing);
        self.in_flight -= 1;
        self.requeue(lane);
    }

    /// A refresh in flight in this lane wants another document: when it may ask for it, if that is within its
    /// patience.
    pub fn again(&mut self, lane: LaneId, now: f64, patience: f64) -> Option<f64> {
        self.latest = self.latest.max(now);
        let entry = self.lanes.entry(lane).or_insert_with(|| Lane::new(self.rules.limits(lane)));
        let at = entry.free_at.max(now + entry.limits.spacing);
        let soon = at - now <= patience;
        if soon {
            entry.free_at = at + entry.limits.spacing;
        }
        self.requeue(lane);
        soon.then_some(at)
    }

    /// Somebody wants one document of this lane that is no source. If it may be asked for now, the lane is busy until
    /// [`Lanes::finished`]; otherwise it may be free at the time that is returned.
    pub fn aside(&mut self, lane: LaneId, now: f64) -> Result<(), f64> {
        self.latest = self.latest.max(now);
        let entry = self.lanes.entry(lane).or_insert_with(|| Lane::new(self.rules.limits(lane)));
        let full =
            entry.in_flight >= entry.limits.parallel || self.in_flight >= self.rules.in_flight;
        if full || entry.free_at > now {
            let later = entry.free_at.max(if full {
                now + entry.limits.spacing.max(A_MOMENT)
            } else {
                now
            });
            self.requeue(lane);
            return Err(later);
        }
        entry.in_flight += 1;
        entry.free_at = now + entry.limits.spacing;
        self.in_flight += 1;
        self.requeue(lane);
        Ok(())
    }

    /// Starts nothing in a lane until then; what is in flight may finish.
    pub fn pause(&mut self, lane: LaneId, until: f64) {
        let entry = self.lanes.entry(lane).or_insert_with(|| Lane::new(self.rules.limits(lane)));
        entry.free_at = entry.free_at.max(until);
        entry.quiet_until = entry.quiet_until.max(until);
        self.requeue(lane);
    }

    /// Until when nothing starts in a lane because its site wants quiet.
    pub fn quiet_until(&self, lane: LaneId) -> Option<f64> {
        self.lanes.get(&lane).map(|lane| lane.quiet_until).filter(|until| *until > 0.0)
    }

    /// When [`Lanes::pop`] may next return something, if nothing else is pushed or finished before.
    pub fn next_wakeup(&self, now: f64) -> Option<f64> {
        if self.in_flight >= self.rules.in_flight {
            return None;
        }
        self.ready.first().map(|turn| turn.at.seconds().max(now))
    }

    /// How many sources wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many requests are in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// How many lanes are remembered: busy, waiting or resting.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether no lane is remembered.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Puts a lane into the right queue after a change. No turn is earlier than the latest time that was
    /// given, so a newcomer never overtakes those who wait.
    fn requeue(&mut self, id: LaneId) {
        let Some(lane) = self.lanes.get_mut(&id) else { return };
        if let Some(old) = lane.turn.take() {
            self.ready.remove(&old);
            self.resting.remove(&old);
        }
        let queue = match (lane.waiting.is_empty(), lane.in_flight) {
            (true, 0) => &mut self.resting,
            (false, busy) if busy < lane.limits.parallel => &mut self.ready,
            _ => return,
        };
        self.turns += 1;
        let at = Instant::new(lane.free_at.max(self.latest));
        let turn = Turn { at, number: self.turns, lane: id };
        queue.insert(turn);
        lane.turn = Some(turn);
    }

    fn forget_rested(&mut self, now: f64) {
        while let Some(turn) = self.resting.first().filter(|turn| turn.at <= Instant::new(now)) {
            self.lanes.remove(&turn.lane);
            self.resting.pop_first();
        }
    }
}

//! The exact books of a run: what was published, delivered and lost, how fresh the windows were.

use pergola_refresh::Scheduler;
use pergola_refresh::quality::{Delay, Delivery, Ledger, completeness};

use super::Outcome;
use super::aggregator::Aggregator;
use crate::world::World;

pub(super) struct Books<'a> {
    world: &'a World,
    ledgers: Vec<Ledger>,
    /// The next unpublished item of each stream.
    next: Vec<usize>,
    /// Relevant items delivered so far, over all sources.
    order: u64,
    /// The freshness of each source and since when; the sum over sources; the integral of the sum over time.
    fresh: Vec<(f64, f64)>,
    fresh_sum: f64,
    fresh_time: f64,
    /// Delays of the relevant items of each source that were published while measuring.
    delays: Vec<Vec<f32>>,
    published: u64,
    lost_before: u64,
    outcome: Outcome,
}

impl<'a> Books<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let count = world.streams.len();
        Self {
            world,
            ledgers: vec![Ledger::new(world.window); count],
            next: vec![0; count],
            order: 0,
            fresh: vec![(1.0, world.warmup as f64 * world.cycle); count],
            fresh_sum: count as f64,
            fresh_time: 0.0,
            delays: vec![Vec::new(); count],
            published: 0,
            lost_before: 0,
            outcome: Outcome::default(),
        }
    }

    fn measuring_from(&self) -> f64 {
        self.world.warmup as f64 * self.world.cycle
    }

    /// Publishes everything up to an instant.
    fn publish(&mut self, until: f64) {
        let from = self.measuring_from();
        for (source, stream) in self.world.streams.iter().enumerate() {
            while let Some(&at) = stream.times.get(self.next[source])
                && at <= until
            {
                let relevant = stream.relevant[self.next[source]];
                self.ledgers[source].publish(at, relevant);
                self.published += u64::from(relevant && at > from);
                self.next[source] += 1;
                self.mark(source, at);
            }
        }
    }

    fn refresh(&mut self, source: usize, now: f64, delivery: &mut Delivery) {
        self.ledgers[source].refresh(&mut self.order, delivery);
        self.mark(source, now);
        let from = self.measuring_from();
        for (&at, &relevant) in delivery.new.iter().zip(&delivery.relevant) {
            if relevant && at > from {
                self.delays[source].push((now - at) as f32);
            }
        }
    }

    /// Updates the books of freshness after a source has changed.
    fn mark(&mut self, source: usize, at: f64) {
        let fresh = self.ledgers[source].freshness();
        let (before, since) = self.fresh[source];
        self.fresh_sum += fresh - before;
        if at > since {
            self.fresh_time += before * (at - since);
        }
        self.fresh[source] = (fresh, at.max(since));
    }

    /// Measures after a cycle's refreshes.
    fn measure(&mut self, spent: usize, in_window: bool) {
        let count = self.ledgers.len() as f64;
        self.outcome.requests += spent as u64;
        self.outcome.freshness += self.fresh_sum / count;
        if !in_window {
            return;
        }
        let capacity = (self.world.window * self.ledgers.len()) as u64;
        let in_window: f64 = self
            .ledgers
            .iter()
            .map(|ledger| ledger.freshness_in_window(self.order, capacity))
            .sum();
        self.outcome.freshness_in_window += in_window / count;
    }

    pub(super) fn play<A: Aggregator>(
        &mut self,
        mut aggregator: A,
        mut scheduler: Scheduler<A::Known>,
        in_window: bool,
    ) {
        let mut delivery = Delivery::default();
        let mut chosen = Vec::new();
        for cycle in 0..self.world.cycles {
            let now = (cycle + 1) as f64 * self.world.cycle;
            let measuring = cycle >= self.world.warmup;
            if cycle == self.world.warmup {
                self.lost_before = self.ledgers.iter().map(|ledger| ledger.lost).sum();
            }
            self.publish(now);
            aggregator.shown_truth(&self.ledgers);
            chosen.clear();
            chosen.extend_from_slice(scheduler.decide(now, aggregator.known()));
            for &source in &chosen {
                let unread = self.ledgers[source].stream_divergence();
                self.refresh(source, now, &mut delivery);
                let observed = aggregator.refreshed(source, now, unread, &delivery);
                scheduler.observed(source, &observed);
            }
            self.outcome.thresholds.push(scheduler.threshold().value());
            self.outcome.spent.push(chosen.len() as u32);
            if measuring {
                self.measure(chosen.len(), in_window);
            }
        }
    }

    pub(super) fn outcome(mut self) -> Outcome {
        let measured = self.world.measured() as f64;
        let end = self.world.cycles as f64 * self.world.cycle;
        (0..self.ledgers.len()).for_each(|source| self.mark(source, end));
        let outcome = &mut self.outcome;
        outcome.freshness /= measured;
        outcome.freshness_in_window /= measured;
        let time = measured * self.world.cycle * self.ledgers.len() as f64;
        outcome.freshness_over_time = self.fresh_time / time;
        let lost: u64 = self.ledgers.iter().map(|ledger| ledger.lost).sum();
        outcome.lost = lost - self.lost_before;
        let means: Vec<f64> = self
            .delays
            .iter()
            .filter(|delays| !delays.is_empty())
            .map(|d| d.iter().map(|&delay| f64::from(delay)).sum::<f64>() / d.len() as f64)
            .collect();
        outcome.delay_by_source = means.iter().sum::<f64>() / means.len().max(1) as f64;
        let all: Vec<f64> = self.delays.iter().flatten().map(|&delay| f64::from(delay)).collect();
        outcome.completeness = completeness(all.len() as u64, self.published);
        outcome.delay = Delay::of(all);
        self.outcome
    }
}

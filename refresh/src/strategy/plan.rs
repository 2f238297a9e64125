//! Plan: a source's next refresh is the first of the cheapest timetable on the forecast.
//!
//! Between two refreshes nothing is learnt, so waiting is open loop whatever one does: an index only
//! looks back at what may have gathered, a plan also waits for the publication that is about to come
//! and looks just after it. The costs are the index's (items lost, share of the window missing and
//! time) and so is the single price per refresh; a shortest path over a grid of instants finds the
//! timetable, and a finer search around its first refresh finds the cycle.
//!
//! A plan holds until the source is refreshed or the price has moved by [`REPLAN`].

use std::collections::HashMap;

use super::{Cycle, Strategy};
use crate::sources::PriceWeights;
use crate::{CountTable, DAY, Knowledge, Model, PublicationModel, Sources, Taste};

/// Grid points per ideal interval, and ideal intervals planned ahead.
const POINTS: usize = 16;
const INTERVALS: usize = 5;
/// No wait within a timetable is longer than this many grid points.
const LONGEST_EDGE: usize = 3 * POINTS;
/// A move of the price by this share makes a plan stale.
const REPLAN: f64 = 0.05;
/// No source is left alone for longer.
const LONGEST_WAIT: f64 = 7.0 * DAY;
/// The fine search looks at no more instants than this.
const FINE_POINTS: f64 = 1024.0;

/// The open-loop planner.
pub struct Plan {
    taste: Taste,
    planned: Vec<Planned>,
    tables: Vec<CountTable>,
    table_of: HashMap<(usize, usize, u32), usize>,
    bins: Vec<f64>,
    nodes: Vec<Node>,
}

/// When a source is next due, and for which state of the world that was found.
#[derive(Debug, Clone, Copy)]
struct Planned {
    last: f64,
    price: f64,
    at: f64,
}

const UNPLANNED: Planned = Planned { last: f64::NAN, price: f64::NAN, at: f64::NAN };

/// The cheapest way to a refresh at one grid point.
#[derive(Debug, Clone, Copy)]
struct Node {
    cost: f64,
    /// Grid point of the refresh before it, if it is not the first.
    before: Option<usize>,
}

/// What one source costs: its table of windows, its weights and the price of a refresh.
struct Costs<'a> {
    table: &'a CountTable,
    weights: PriceWeights,
    price: f64,
}

impl Plan {
    /// A planner for a user's taste.
    pub fn new(taste: Taste) -> Self {
        Self {
            taste,
            planned: Vec::new(),
            tables: Vec::new(),
            table_of: HashMap::new(),
            bins: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// The table for a source's window, made when first needed; bursts are told apart by halves.
    fn table(&mut self, known: &Sources, source: usize) -> usize {
        let halves = (2.0 * known.dispersion(source)).round() as u32;
        let key = (known.shown(source), known.window(source), halves);
        *self.table_of.entry(key).or_insert_with(|| {
            self.tables.push(CountTable::new(key.0, key.1, f64::from(halves) / 2.0));
            self.tables.len() - 1
        })
    }

    /// The instant of the next refresh.
    fn plan(&mut self, known: &Sources, source: usize, last: f64, cycle: &Cycle) -> f64 {
        let table = self.table(known, source);
        let model = known.model(source);
        let rate = model.mean_rate();
        let cost = known.cost(source);
        let weights = known.price_weights(source, rate, &self.taste);
        let weights = PriceWeights { lost: weights.lost / cost, stale: weights.stale / cost };
        let table = &self.tables[table];
        let costs = Costs { table, weights, price: cycle.threshold };
        let (ideal, rate_of_cost) = costs.ideal_interval(rate, cycle.length);
        let cycles = (ideal / POINTS as f64 / cycle.length).round().max(1.0);
        let step = cycles * cycle.length;
        let per_interval = (ideal / step).ceil().max(1.0) as usize;
        let points = INTERVALS * per_interval;
        self.bins.resize(points, 0.0);
        model.forecast(cycle.now, step, &mut self.bins);
        let waiting = model.expected(last, cycle.now);
        costs.shortest_paths(waiting, &self.bins, step, &mut self.nodes);
        // A timetable may end anywhere in the last interval; what it covers more is worth its cost.
        let end = (points - per_interval..=points)
            .min_by(|&a, &b| {
                let value = |point: usize| {
                    self.nodes[point].cost - rate_of_cost * point as f64 * step
                };
                value(a).total_cmp(&value(b))
            })
            .unwrap_or(points);
        let (mut first, mut second) = (end, None);
        while let Some(before) = self.nodes[first].before {
            second = Some(first);
            first = before;
        }
        let second = second.map_or(first as f64 * step + ideal, |point| point as f64 * step);
        let first = first as f64 * step;
        let at = if cycles > 1.0 {
            costs.refine(model, cycle, waiting, (first, second, step), &mut self.bins)
        } else {
            first
        };
        cycle.now + at.min(LONGEST_WAIT - (cycle.now - last)).max(0.0)
    }
}

impl Costs<'_> {
    /// The best fixed interval at a constant rate, and the cost per second of keeping to it.
    fn ideal_interval(&self, rate: f64, shortest: f64) -> (f64, f64) {
        let (mut best, mut best_cost) = (LONGEST_WAIT, f64::INFINITY);
        let (mut interval, mut area, mut share_before, mut before) = (shortest, 0.0, 0.0, 0.0);
        while interval < LONGEST_WAIT {
            let (share, lost) = self.table.at(rate * interval);
            area += 0.5 * (share + share_before) * (interval - before);
            let total = self.price + self.weights.lost * lost + self.weights.stale * area;
            if total / interval < best_cost {
                (best, best_cost) = (interval, total / interval);
            }
            (share_before, before) = (share, interval);
            interval *= 1.12;
        }
        (best, best_cost)
    }

    /// Walks from one refresh over `bins`, calling `f(bins walked, cost of refreshing there)`.
    fn walk(&self, waiting: f64, bins: &[f64], step: f64, mut f: impl FnMut(usize, f64)) {
        let (mut expected, mut stale) = (waiting, 0.0);
        let (mut share, lost) = self.table.at(expected);
        f(0, self.price + self.weights.lost * lost);
        for (index, bin) in bins.iter().enumerate() {
            expected += bin;
            let (share_after, lost) = self.table.at(expected);
            stale += 0.5 * (share + share_after) * step;
            share = share_after;
            f(index + 1, self.price + self.weights.lost * lost + self.weights.stale * stale);
        }
    }

    /// The cheapest way to a refresh at each grid point.
    fn shortest_paths(&self, waiting: f64, bins: &[f64], step: f64, nodes: &mut Vec<Node>) {
        nodes.clear();
        self.walk(waiting, bins, step, |_, cost| nodes.push(Node { cost, before: None }));
        for from in 0..bins.len() {
            let reached = nodes[from].cost;
            let to = (from + LONGEST_EDGE).min(bins.len());
            self.walk(0.0, &bins[from..to], step, |walked, cost| {
                let node = &mut nodes[from + walked];
                if walked > 0 && reached + cost < node.cost {
                    *node = Node { cost: reached + cost, before: Some(from) };
                }
            });
        }
    }

    /// Moves the first refresh to the best cycle within one grid step, the second being fixed.
    fn refine(
        &self,
        model: &Model,
        cycle: &Cycle,
        waiting: f64,
        (first, second, step): (f64, f64, f64),
        bins: &mut Vec<f64>,
    ) -> f64 {
        let fine = cycle.length * (second / cycle.length / FINE_POINTS).ceil().max(1.0);
        let points = (second / fine).round() as usize;
        bins.resize(points, 0.0);
        model.forecast(cycle.now, fine, bins);
        let from = ((first - step) / fine).max(0.0) as usize;
        let to = (((first + step) / fine) as usize).min(points.saturating_sub(1));
        let (mut best, mut best_cost) = (first, f64::INFINITY);
        let mut before = Vec::with_capacity(points + 1);
        self.walk(waiting, &bins[..to], fine, |_, cost| before.push(cost));
        for (point, before) in before.iter().enumerate().skip(from) {
            let mut after = 0.0;
            self.walk(0.0, &bins[point..], fine, |_, cost| after = cost);
            if before + after < best_cost {
                (best, best_cost) = (point as f64 * fine, before + after);
            }
        }
        best
    }
}

impl Strategy<Sources> for Plan {
    fn choose(&mut self, cycle: &Cycle, known: &Sources, chosen: &mut Vec<usize>) {
        self.planned.resize(known.len(), UNPLANNED);
        let mut due: Vec<(f64, usize)> = Vec::new();
        for source in 0..known.len() {
            if !known.ready(source, cycle.now) {
                continue;
            }
            let Some(last) = known.last(source) else {
                due.push((f64::NEG_INFINITY, source));
                continue;
            };
            let Planned { last: planned_last, price, .. } = self.planned[source];
            let holds = planned_last == last && (cycle.threshold / price).ln().abs() < REPLAN;
            if !holds {
                let at = self.plan(known, source, last, cycle);
                self.planned[source] = Planned { last, price: cycle.threshold, at };
            }
            // Half a cycle of tolerance: instants are sums of floating point steps.
            if self.planned[source].at <= cycle.now + 0.5 * cycle.length {
                due.push((self.planned[source].at, source));
            }
        }
        due.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        chosen.extend(due.iter().take(cycle.limit).map(|&(_, source)| source));
    }
}

//! Plan: the next refresh of a source is the first one of the cheapest timetable on the forecast.
//!
//! Nothing is learnt between two refreshes. The index only considers past items; a plan also waits for
//! a publication that is about to happen, and refreshes just after it. The costs (lost items, missing
//! share of the window over time) and the single price per refresh are those of the index. A shortest
//! path over a grid of times gives the timetable. Once its first refresh is near, a finer search finds
//! the exact cycle.
//!
//! A plan is valid until the source is refreshed or the price has moved by [`REPLAN`].

use std::collections::HashMap;
use std::mem::take;

use super::{Cycle, Rule, Strategy};
use crate::counts::CountTable;
use crate::knowledge::{Knowledge, Taste};
use crate::model::PublicationModel;
use crate::sources::{PriceWeights, Sources};
use crate::time::DAY;

/// Grid points per ideal interval, and planned intervals.
const POINTS: usize = 16;
const INTERVALS: usize = 5;
/// The longest wait within a timetable, in grid points.
const LONGEST_EDGE: usize = 3 * POINTS;
/// A plan is outdated if the price has moved by this share.
const REPLAN: f64 = 0.05;
/// The longest time without a refresh.
const LONGEST_WAIT: f64 = 7.0 * DAY;
/// Times in the fine search, at most.
const FINE_POINTS: f64 = 1024.0;
/// Strides of the wait after each of these times, about.
const REST_POINTS: usize = 48;

/// The open-loop planner.
pub(crate) struct Plan {
    taste: Taste,
    planned: Vec<Planned>,
    tables: Vec<CountTable>,
    table_of: HashMap<(usize, usize, u32), usize>,
    bins: Vec<f64>,
    nodes: Vec<Node>,
    /// First refreshes have taken the whole budget.
    all_first: bool,
}

/// The next refresh of a source, and the state for which it was planned.
#[derive(Debug, Clone, Copy)]
struct Planned {
    last: f64,
    price: f64,
    at: f64,
    /// The refresh after that.
    then: f64,
    /// The step of the grid. While it is longer than a cycle, the exact cycle is still to be found.
    step: f64,
}

impl Planned {
    /// Whether the plan is still valid.
    fn holds(&self, last: f64, cycle: &Cycle) -> bool {
        self.last == last && (cycle.threshold / self.price).ln().abs() < REPLAN
    }
}

const UNPLANNED: Planned =
    Planned { last: f64::NAN, price: f64::NAN, at: f64::NAN, then: f64::NAN, step: 0.0 };

/// The planned refreshes of a source.
struct Timetable {
    /// At least one, in order.
    at: Vec<f64>,
    /// The best interval at the mean rate, for the time after the plan.
    ideal: f64,
    /// The step of the grid.
    step: f64,
}

/// The cheapest path to a refresh at one grid point.
#[derive(Debug, Clone, Copy)]
struct Node {
    cost: f64,
    /// The grid point of the refresh before it.
    before: Option<usize>,
}

/// The costs of one source: its table of windows, its weights and the price of a refresh.
struct Costs<'a> {
    table: &'a CountTable,
    weights: PriceWeights,
    price: f64,
}

impl Plan {
    pub(crate) fn new(taste: Taste) -> Self {
        Self {
            taste,
            planned: Vec::new(),
            tables: Vec::new(),
            table_of: HashMap::new(),
            bins: Vec::new(),
            nodes: Vec::new(),
            all_first: false,
        }
    }

    /// The table for the window of a source, created on first use; the dispersion is rounded to halves.
    fn table(&mut self, known: &Sources, source: usize) -> usize {
        let halves = (2.0 * known.dispersion(source)).round() as u32;
        let key = (known.shown(source), known.window(source), halves);
        *self.table_of.entry(key).or_insert_with(|| {
            self.tables.push(CountTable::new(key.0, key.1, f64::from(halves) / 2.0));
            self.tables.len() - 1
        })
    }

    /// The costs of one source at a price.
    fn costs(&mut self, known: &Sources, source: usize, price: f64) -> Costs<'_> {
        let table = self.table(known, source);
        let rate = known.model(source).mean_rate();
        let cost = known.cost(source);
        let weights = known.price_weights(source, rate, &self.taste);
        let weights = PriceWeights { lost: weights.lost / cost, stale: weights.stale / cost };
        Costs { table: &self.tables[table], weights, price }
    }

    /// The cheapest timetable from now on.
    fn timetable(&mut self, known: &Sources, source: usize, last: f64, cycle: &Cycle) -> Timetable {
        let (mut bins, mut nodes) = (take(&mut self.bins), take(&mut self.nodes));
        let costs = self.costs(known, source, cycle.threshold);
        let model = known.model(source);
        let (ideal, rate_of_cost) = costs.ideal_interval(model.mean_rate(), cycle.length);
        let step = cycle.length * (ideal / POINTS as f64 / cycle.length).round().max(1.0);
        let per_interval = (ideal / step).ceil().max(1.0) as usize;
        let points = INTERVALS * per_interval;
        bins.resize(points, 0.0);
        model.forecast(cycle.now, step, &mut bins);
        let waiting = model.expected(last, cycle.now);
        costs.shortest_paths(waiting, &bins, step, &mut nodes);
        // A timetable may end anywhere in the last interval; longer ones are credited for their length.
        let value = |point: usize| nodes[point].cost - rate_of_cost * point as f64 * step;
        let end = (points - per_interval..=points)
            .min_by(|&a, &b| value(a).total_cmp(&value(b)))
            .unwrap_or(points);
        let path = std::iter::successors(Some(end), |&point| nodes[point].before);
        let mut at: Vec<f64> = path.map(|point| cycle.now + point as f64 * step).collect();
        at.reverse();
        (self.bins, self.nodes) = (bins, nodes);
        Timetable { at, ideal, step }
    }

    /// The first refresh of the cheapest timetable from now on.
    fn plan(&mut self, known: &Sources, source: usize, last: f64, cycle: &Cycle) -> Planned {
        let Timetable { at, ideal, step } = self.timetable(known, source, last, cycle);
        let then = at.get(1).copied().unwrap_or(at[0] + ideal);
        let at = at[0].min(last + LONGEST_WAIT);
        Planned { last, price: cycle.threshold, at, then, step }
    }

    /// Moves the next refresh to the best cycle within its grid step; the refresh after it is fixed.
    fn refine(&mut self, known: &Sources, source: usize, planned: Planned, cycle: &Cycle) -> f64 {
        let mut bins = take(&mut self.bins);
        let costs = self.costs(known, source, cycle.threshold);
        let model = known.model(source);
        let horizon = planned.then - cycle.now;
        let fine = cycle.length * (horizon / cycle.length / FINE_POINTS).ceil().max(1.0);
        bins.resize((horizon / fine).round() as usize, 0.0);
        model.forecast(cycle.now, fine, &mut bins);
        let waiting = model.expected(planned.last, cycle.now);
        let latest = (((planned.at + planned.step - cycle.now) / fine) as usize)
            .min(bins.len().saturating_sub(1));
        let mut waits = Vec::with_capacity(latest + 1);
        costs.walk(waiting, &bins[..latest], fine, |_, cost| waits.push(cost));
        // A few strides are enough for the wait after it, which is smooth.
        let stride = (bins.len() / REST_POINTS).max(1);
        let mut rest_bins = Vec::with_capacity(2 * REST_POINTS);
        for (point, cost) in waits.iter_mut().enumerate() {
            rest_bins.clear();
            rest_bins.extend(bins[point..].chunks(stride).map(|bins| bins.iter().sum::<f64>()));
            let mut rest = 0.0;
            costs.walk(0.0, &rest_bins, fine * stride as f64, |_, cost| rest = cost);
            *cost += rest;
        }
        self.bins = bins;
        let best = (0..waits.len()).min_by(|&a, &b| waits[a].total_cmp(&waits[b])).unwrap_or(0);
        cycle.now + best as f64 * fine
    }
}

impl Costs<'_> {
    /// The best fixed interval at a constant rate, and its cost per second.
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

    /// Walks over `bins` from a refresh, and calls `f(number of bins, cost of a refresh there)`.
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

    /// The cheapest path to a refresh at each grid point.
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
}

impl Strategy<Sources> for Plan {
    fn choose(&mut self, cycle: &Cycle, known: &Sources, chosen: &mut Vec<usize>) -> usize {
        self.planned.resize(known.len(), UNPLANNED);
        let mut due: Vec<(f64, usize)> = Vec::new();
        let mut first = 0;
        for source in 0..known.len() {
            if !known.ready(source, cycle.now) {
                continue;
            }
            let Some(last) = known.last(source) else {
                first += 1;
                due.push((f64::NEG_INFINITY, source));
                continue;
            };
            let mut planned = self.planned[source];
            if !planned.holds(last, cycle) {
                planned = self.plan(known, source, last, cycle);
            }
            if planned.step > cycle.length && planned.at <= cycle.now + planned.step {
                planned.at = self.refine(known, source, planned, cycle);
                planned.step = cycle.length;
            }
            // A tolerance of half a cycle, because of rounding.
            if planned.at <= cycle.now + 0.5 * cycle.length {
                due.push((planned.at, source));
            }
            self.planned[source] = planned;
        }
        due.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        chosen.extend(due.iter().take(cycle.limit).map(|&(_, source)| source));
        self.all_first = first > 0 && first as f64 >= cycle.budget;
        due.len()
    }

    fn rule(&mut self, cycle: &Cycle, known: &Sources, source: usize, last: f64) -> Rule {
        if last == f64::NEG_INFINITY {
            return Rule::Interval(LONGEST_WAIT);
        }
        let Timetable { mut at, ideal, .. } = self.timetable(known, source, last, cycle);
        if let Some(planned) = self.planned.get(source).filter(|plan| plan.holds(last, cycle)) {
            at[0] = planned.at;
            at.sort_unstable_by(f64::total_cmp);
        }
        Rule::Timetable { at, then: ideal }
    }

    fn threshold_mattered(&self) -> bool {
        !self.all_first
    }
}

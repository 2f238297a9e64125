//! Plan: a source's next refresh is the first of the cheapest timetable on the forecast.
//!
//! Between two refreshes nothing is learnt, so waiting is open loop whatever one does: an index only
//! looks back at what may have gathered, a plan also waits for the publication that is about to come
//! and looks just after it. The costs are the index's (items lost, share of the window missing and
//! time) and so is the single price per refresh; a shortest path over a grid of instants finds the
//! timetable, and once its first refresh is near, a finer search finds the cycle.
//!
//! A plan holds until the source is refreshed or the price has moved by [`REPLAN`].

use std::collections::HashMap;
use std::mem::take;

use super::{Cycle, Rule, Strategy};
use crate::sources::PriceWeights;
use crate::{CountTable, DAY, Knowledge, PublicationModel, Sources, Taste};

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
/// … and at the wait after each of them in about this many strides.
const REST_POINTS: usize = 48;

/// The open-loop planner.
pub(crate) struct Plan {
    taste: Taste,
    planned: Vec<Planned>,
    tables: Vec<CountTable>,
    table_of: HashMap<(usize, usize, u32), usize>,
    bins: Vec<f64>,
    nodes: Vec<Node>,
    /// First looks have taken the whole budget.
    all_first: bool,
}

/// When a source is next due, and for which state of the world that was found.
#[derive(Debug, Clone, Copy)]
struct Planned {
    last: f64,
    price: f64,
    at: f64,
    /// The refresh after that, on the same timetable.
    then: f64,
    /// Width of the grid on which `at` lies; as long as it is wider than a cycle, the best cycle
    /// near `at` is still to be found.
    step: f64,
}

impl Planned {
    /// Whether it is still what would be planned now.
    fn holds(&self, last: f64, cycle: &Cycle) -> bool {
        self.last == last && (cycle.threshold / self.price).ln().abs() < REPLAN
    }
}

const UNPLANNED: Planned =
    Planned { last: f64::NAN, price: f64::NAN, at: f64::NAN, then: f64::NAN, step: 0.0 };

/// The refreshes of a source, as far as they are planned.
struct Timetable {
    /// At least one, in order.
    at: Vec<f64>,
    /// The best interval at the mean rate, for what comes after.
    ideal: f64,
    /// Width of the grid.
    step: f64,
}

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

    /// The table for a source's window, made when first needed; bursts are told apart by halves.
    fn table(&mut self, known: &Sources, source: usize) -> usize {
        let halves = (2.0 * known.dispersion(source)).round() as u32;
        let key = (known.shown(source), known.window(source), halves);
        *self.table_of.entry(key).or_insert_with(|| {
            self.tables.push(CountTable::new(key.0, key.1, f64::from(halves) / 2.0));
            self.tables.len() - 1
        })
    }

    /// What one source costs at a price.
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
        // A timetable may end anywhere in the last interval; what it covers more is worth its cost.
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

    /// Moves a refresh that is near to the best cycle within its grid step, the next being fixed.
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
        // The wait after it is the smoother, the longer it is: a few strides tell its cost.
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
            // Half a cycle of tolerance: instants are sums of floating point steps.
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

//! `compare`: every strategy at equal cost in the published setting, beside the limit of a schedule that polls
//! with the rates known, for each objective alone.

use pergola_refresh::limit::{Objective, Steady, pull_only};
use pergola_refresh::{HOUR, Invalid, ModelKind, StrategyKind, Taste};
use serde_json::json;

use crate::hindsight::hindsight;
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::{Stream, World};

const WARMUP: usize = 400;
const MEASURED: usize = 300;
const BUDGETS: [f64; 3] = [10.0, 30.0, 50.0];
/// Cycles over which spending is averaged.
const HORIZON: f64 = 100.0;
const OBJECTIVES: [Objective; 2] = [Objective::Completeness, Objective::Freshness];
/// What the two limits know.
const LIMITS: [&str; 2] = ["rates", "future"];

/// A strategy and what it knows.
type Contestant = (StrategyKind, &'static str);

fn contestants() -> Vec<Contestant> {
    let mut all = Vec::new();
    for strategy in StrategyKind::ALL {
        match strategy {
            // Round robin under another name, and a strategy without a budget.
            StrategyKind::FixedInterval | StrategyKind::Reference => {}
            strategy if !strategy.uses_model() => all.push((strategy, "nothing")),
            StrategyKind::Plan => all.extend([(strategy, "learnt"), (strategy, "rates")]),
            strategy => all.extend(["learnt", "rates", "truth"].map(|knows| (strategy, knows))),
        }
    }
    all
}

pub(crate) fn compare(lab: &Lab) -> Result<Report, Invalid> {
    let contestants = contestants();
    let worlds = lab.for_each_seed(|seed| {
        let world = World::published(seed, WARMUP, MEASURED, None);
        let steady = steady(&world);
        let played = |b| Played::new(lab, &world, &steady, &contestants, b);
        BUDGETS.into_iter().map(played).collect::<Result<Vec<Played>, Invalid>>()
    })?;
    let mut rows = Rows::new(
        &["strategy", "knows"],
        &["b", "completeness", "freshness", "cost per cycle", "of the limit"],
    );
    let mut charts = Vec::new();
    for (n, b) in BUDGETS.into_iter().enumerate() {
        let worlds = worlds.iter().map(|played| &played[n]).collect();
        let at_budget = AtBudget { b, worlds };
        at_budget.add_strategies(&contestants, &mut rows);
        at_budget.add_limits(&mut rows);
        charts.push(at_budget.chart(&contestants));
    }
    let notes = vec![
        format!(
            "100 sources, {WARMUP} + {MEASURED} cycles, {} worlds from seed {}. Knows: nothing, \
             what it learnt (Gamma-Poisson), the true rates, or the true divergence.",
            lab.seeds, lab.seed
        ),
        "Limits are for completeness and freshness each alone: of pulling with the rates known \
         (the last column is the mean share of the two; only those who know the true divergence \
         can pass it), and of knowing the future, which nobody can pass."
            .to_owned(),
    ];
    Ok(rows.report("Every strategy at equal cost, and the limit", notes, charts, json!({})))
}

/// The sources of a world as the limit sees them: constant rates, per cycle.
fn steady(world: &World) -> Vec<Steady> {
    let source = |stream: &Stream| Steady {
        rate: stream.rate * world.cycle,
        selectivity: stream.selectivity,
        window: world.window as u32,
    };
    world.streams.iter().map(source).collect()
}

/// One world at one budget.
struct Played {
    /// By what the limit knows, then by objective.
    limits: [[f64; 2]; 2],
    /// By contestant.
    outcomes: Vec<Outcome>,
}

impl Played {
    fn new(
        lab: &Lab,
        world: &World,
        steady: &[Steady],
        contestants: &[Contestant],
        b: f64,
    ) -> Result<Self, Invalid> {
        let limits = [
            OBJECTIVES.map(|objective| pull_only(steady, b, objective)),
            OBJECTIVES.map(|objective| hindsight(world, b, objective)),
        ];
        let outcome = |&(strategy, knows): &Contestant| {
            let run = Run {
                strategy,
                budget: b,
                knowing: match knows {
                    "truth" => Knowing::Truth,
                    "rates" => Knowing::Offline,
                    _ => Knowing::learnt(ModelKind::Gamma, HOUR)?,
                },
                manner: Manner::Steady { horizon: HORIZON, threshold: HOUR },
                taste: Taste::new(0.5, 0.0)?,
                in_window: false,
            };
            lab.simulate(world, &run)
        };
        let outcomes = contestants.iter().map(outcome).collect::<Result<_, Invalid>>()?;
        Ok(Self { limits, outcomes })
    }
}

/// All worlds at one budget.
struct AtBudget<'a> {
    b: f64,
    worlds: Vec<&'a Played>,
}

impl AtBudget<'_> {
    fn limit(&self, knows: usize, objective: usize) -> Spread {
        Spread::of(&self.worlds, |played| played.limits[knows][objective])
    }

    fn spread(&self, contestant: usize, figure: fn(&Outcome) -> f64) -> Spread {
        Spread::of(&self.worlds, |played| figure(&played.outcomes[contestant]))
    }

    fn add_strategies(&self, contestants: &[Contestant], rows: &mut Rows) {
        let limits = [0, 1].map(|objective| self.limit(0, objective).mean);
        for (n, &(strategy, knows)) in contestants.iter().enumerate() {
            let completeness = self.spread(n, |outcome| outcome.completeness);
            let freshness = self.spread(n, |outcome| outcome.freshness);
            let cost = self.spread(n, |outcome| outcome.requests as f64 / MEASURED as f64);
            let nearness = (completeness.mean / limits[0] + freshness.mean / limits[1]) / 2.0;
            let cells = vec![
                Cell::text(strategy.name()),
                Cell::text(knows),
                Cell::number(self.b, 0),
                completeness.cell(3),
                freshness.cell(3),
                cost.cell(2),
                Cell::number(nearness, 3),
            ];
            let row = json!({
                "strategy": strategy.name(), "knows": knows, "b": self.b,
                "completeness": completeness.mean, "freshness": freshness.mean,
                "cost_per_cycle": cost.mean, "of_the_limit": nearness,
            });
            rows.push(cells, row);
        }
    }

    fn add_limits(&self, rows: &mut Rows) {
        for (n, knows) in LIMITS.into_iter().enumerate() {
            let [completeness, freshness] = [0, 1].map(|objective| self.limit(n, objective));
            let cells = vec![
                Cell::text("limit"),
                Cell::text(knows),
                Cell::number(self.b, 0),
                completeness.cell(3),
                freshness.cell(3),
                Cell::number(self.b, 2),
                Cell::Empty,
            ];
            let row = json!({
                "strategy": "limit", "knows": knows, "b": self.b,
                "completeness": completeness.mean, "freshness": freshness.mean,
                "cost_per_cycle": self.b,
            });
            rows.push(cells, row);
        }
    }

    /// Freshness against completeness for those who know only what they learnt, and the limit.
    fn chart(&self, contestants: &[Contestant]) -> Chart {
        let mut series = Vec::new();
        for (n, (strategy, knows)) in contestants.iter().enumerate() {
            if *knows == "learnt" || *knows == "nothing" {
                let completeness = self.spread(n, |outcome| outcome.completeness).mean;
                let freshness = self.spread(n, |outcome| outcome.freshness).mean;
                let point = vec![(completeness, freshness)];
                series.push(
                    Series::new(strategy.name(), Style::Points, point)
                        .emphasised(matches!(strategy, StrategyKind::Index | StrategyKind::Plan)),
                );
            }
        }
        let [completeness, freshness] = [0, 1].map(|objective| self.limit(0, objective).mean);
        let edge = vec![(completeness, 0.0), (completeness, freshness), (0.0, freshness)];
        series.push(Series::new("limit of each alone", Style::Dashed, edge));
        Chart {
            title: format!("b = {}, everything learnt", self.b),
            x: Axis::new("completeness", Scale::Linear).within(0.0, 1.0),
            y: Axis::new("freshness", Scale::Linear).within(0.0, 1.0),
            series,
        }
    }
}

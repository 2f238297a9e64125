//! `compare`: every strategy at equal cost in the published setting, beside the limit that no
//! schedule can pass that only pulls, rates known, each objective alone.

use pergola_refresh::limit::{Objective, Steady, pull_only};
use pergola_refresh::{HOUR, Invalid, ModelKind, StrategyKind, Taste};
use serde_json::json;

use crate::hindsight::hindsight;
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::World;

const WARMUP: usize = 400;
const MEASURED: usize = 300;
const BUDGETS: [f64; 3] = [10.0, 30.0, 50.0];
/// Cycles over which spending is averaged.
const HORIZON: f64 = 100.0;

/// A strategy and what it knows.
type Contestant = (StrategyKind, &'static str);

fn contestants() -> Vec<Contestant> {
    let mut all = Vec::new();
    for strategy in StrategyKind::ALL {
        match strategy {
            // Round robin under another name, and what has no budget, say nothing here.
            StrategyKind::FixedInterval | StrategyKind::Reference => {}
            strategy if !strategy.uses_model() => all.push((strategy, "nothing")),
            StrategyKind::Plan => all.extend([(strategy, "learnt"), (strategy, "rates")]),
            strategy => all.extend(["learnt", "rates", "truth"].map(|knows| (strategy, knows))),
        }
    }
    all
}

/// `compare`.
pub(crate) fn compare(lab: &Lab) -> Result<Report, Invalid> {
    let contestants = contestants();
    let worlds = lab.for_each_seed(|seed| {
        let world = World::published(seed, WARMUP, MEASURED, None);
        let steady: Vec<Steady> = world
            .streams
            .iter()
            .map(|stream| Steady {
                rate: stream.rate * world.cycle,
                selectivity: stream.selectivity,
                window: world.window as u32,
            })
            .collect();
        let mut results = Vec::new();
        for b in BUDGETS {
            let objectives = [Objective::Completeness, Objective::Freshness];
            let limits = [
                objectives.map(|objective| pull_only(&steady, b, objective)),
                objectives.map(|objective| hindsight(&world, b, objective)),
            ];
            let outcomes: Result<Vec<Outcome>, Invalid> = contestants
                .iter()
                .map(|&(strategy, knows)| {
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
                    lab.simulate(&world, &run)
                })
                .collect();
            results.push((limits, outcomes?));
        }
        Ok(results)
    })?;
    let mut table =
        Table { columns: ["strategy", "knows"].map(Column::left).to_vec(), rows: Vec::new() };
    table.columns.extend(
        ["b", "completeness", "freshness", "cost per cycle", "of the limit"].map(Column::right),
    );
    let mut rows = Vec::new();
    for (n, b) in BUDGETS.into_iter().enumerate() {
        let limits = [0, 1]
            .map(|kind| [0, 1].map(|objective| Spread::of(&worlds, |w| w[n].0[kind][objective])));
        for (c, &(strategy, knows)) in contestants.iter().enumerate() {
            let spread = |figure: fn(&Outcome) -> f64| Spread::of(&worlds, |w| figure(&w[n].1[c]));
            let completeness = spread(|o| o.completeness);
            let freshness = spread(|o| o.freshness);
            let cost = spread(|o| o.requests as f64 / MEASURED as f64);
            let nearness =
                (completeness.mean / limits[0][0].mean + freshness.mean / limits[0][1].mean) / 2.0;
            table.rows.push(vec![
                Cell::Text(strategy.name().to_owned()),
                Cell::Text(knows.to_owned()),
                Cell::Number { value: b, decimals: 0 },
                completeness.cell(3),
                freshness.cell(3),
                cost.cell(2),
                Cell::Number { value: nearness, decimals: 3 },
            ]);
            rows.push(json!({
                "strategy": strategy.name(), "knows": knows, "b": b,
                "completeness": completeness.mean, "freshness": freshness.mean,
                "cost_per_cycle": cost.mean, "of_the_limit": nearness,
            }));
        }
        for (knows, [completeness, freshness]) in ["rates", "future"].into_iter().zip(limits) {
            table.rows.push(vec![
                Cell::Text("limit".to_owned()),
                Cell::Text(knows.to_owned()),
                Cell::Number { value: b, decimals: 0 },
                completeness.cell(3),
                freshness.cell(3),
                Cell::Number { value: b, decimals: 2 },
                Cell::Empty,
            ]);
            rows.push(json!({
                "strategy": "limit", "knows": knows, "b": b, "completeness": completeness.mean,
                "freshness": freshness.mean, "cost_per_cycle": b,
            }));
        }
    }
    let charts = BUDGETS.iter().enumerate().map(|(n, b)| {
        let point = |c: usize| {
            let at = |figure: fn(&Outcome) -> f64| Spread::of(&worlds, |w| figure(&w[n].1[c])).mean;
            (at(|o| o.completeness), at(|o| o.freshness))
        };
        let learnt = contestants
            .iter()
            .enumerate()
            .filter(|(_, (_, knows))| *knows == "learnt" || *knows == "nothing");
        let mut series: Vec<Series> = learnt
            .map(|(c, (strategy, _))| {
                Series::new(strategy.name(), Style::Points, vec![point(c)])
                    .emphasised(matches!(strategy, StrategyKind::Index | StrategyKind::Plan))
            })
            .collect();
        let limits = [0, 1].map(|objective| Spread::of(&worlds, |w| w[n].0[0][objective]).mean);
        let edge = vec![(limits[0], 0.0), (limits[0], limits[1]), (0.0, limits[1])];
        series.push(Series::new("limit of each alone", Style::Dashed, edge));
        Chart {
            title: format!("b = {b}, everything learnt"),
            x: Axis::new("completeness", Scale::Linear).within(0.0, 1.0),
            y: Axis::new("freshness", Scale::Linear).within(0.0, 1.0),
            series,
        }
    });
    Ok(Report {
        title: "Every strategy at equal cost, and the limit".to_owned(),
        notes: vec![
            format!(
                "100 sources, {WARMUP} + {MEASURED} cycles, {} worlds from seed {}. Knows: nothing, \
                 what it learnt (Gamma-Poisson), the true rates, or the true divergence.",
                lab.seeds, lab.seed
            ),
            "Limits are for completeness and freshness each alone: of pulling with the rates known \
             (the last column is the mean share of the two; only those who know the true divergence \
             can pass it), and of knowing the future, which nobody can pass."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: charts.collect(),
    })
}

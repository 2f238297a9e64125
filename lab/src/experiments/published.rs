//! Table 4.1 and Figures 4.2 and 4.3: six strategies in the published setting.
//!
//! The strategies are as printed: the exact divergence is known, utility is ½·Δ·Div, the threshold is literal, and
//! the second step is unbounded. Published figures are those of "Best-Effort Refresh Strategies for Content-Based
//! RSS Feed Aggregation", Table 2 (the thesis' Table 4.1 mixes two definitions of freshness at b = 50).

use pergola_refresh::{HOUR, Invalid, StrategyKind, Taste};
use serde::Serialize;
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::World;

/// Cycles before measuring, and measured.
const WARMUP: usize = 200;
const MEASURED: usize = 100;
/// The first τ; any value will do.
const START: f64 = 10.0 * HOUR;

/// What the paper prints for one row.
#[derive(Debug, Clone, Copy, Serialize)]
struct Printed {
    completeness: f64,
    freshness: f64,
    cost: f64,
}

/// (strategy, b, completeness, freshness, cost) as printed.
const PRINTED: [(StrategyKind, f64, f64, f64, f64); 15] = [
    (StrategyKind::TwoSteps, 10.0, 0.4954, 0.3671, 1000.0),
    (StrategyKind::TwoSteps, 30.0, 0.8691, 0.7279, 2854.0),
    (StrategyKind::TwoSteps, 50.0, 0.9781, 0.8762, 4700.0),
    (StrategyKind::OnlyTau, 10.0, 0.4252, 0.4197, 982.0),
    (StrategyKind::OnlyTau, 30.0, 0.8524, 0.7048, 2860.0),
    (StrategyKind::OnlyTau, 50.0, 0.9759, 0.8731, 4762.0),
    (StrategyKind::TopKUtility, 10.0, 0.4160, 0.4220, 1000.0),
    (StrategyKind::TopKUtility, 30.0, 0.8671, 0.7200, 3000.0),
    (StrategyKind::TopKUtility, 50.0, 0.9793, 0.8868, 5000.0),
    (StrategyKind::OnlySat, 10.0, 0.4934, 0.3671, 1000.0),
    (StrategyKind::OnlySat, 30.0, 0.8082, 0.6590, 2516.0),
    (StrategyKind::OnlySat, 50.0, 0.8091, 0.6625, 2524.0),
    (StrategyKind::Uniform, 10.0, 0.2682, 0.3620, 1000.0),
    (StrategyKind::Uniform, 30.0, 0.6625, 0.6398, 3000.0),
    (StrategyKind::Uniform, 50.0, 0.8871, 0.7863, 5000.0),
];

fn printed(strategy: StrategyKind, b: f64) -> Option<Printed> {
    PRINTED
        .iter()
        .find(|row| row.0 == strategy && row.1 == b)
        .map(|&(_, _, completeness, freshness, cost)| Printed { completeness, freshness, cost })
}

/// One strategy at one budget, over all worlds.
struct Row {
    strategy: StrategyKind,
    /// `None` for the reference, which has no budget.
    b: Option<f64>,
    completeness: Spread,
    /// The paper's A: in the window of the feed.
    freshness: Spread,
    /// The thesis' F: of everything ever delivered.
    freshness_stream: Spread,
    cost: Spread,
}

impl Row {
    fn printed(&self) -> Option<Printed> {
        self.b.and_then(|b| printed(self.strategy, b))
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "strategy": self.strategy.name(),
            "b": self.b,
            "completeness": self.completeness.mean,
            "freshness": self.freshness.mean,
            "freshness_stream": self.freshness_stream.mean,
            "cost": self.cost.mean,
            "deviation": {
                "completeness": self.completeness.deviation,
                "freshness": self.freshness.deviation,
                "freshness_stream": self.freshness_stream.deviation,
                "cost": self.cost.deviation,
            },
            "published": self.printed(),
        })
    }
}

/// Runs every setting in every world; worlds are shared by all settings.
fn rows(lab: &Lab, settings: &[(StrategyKind, Option<f64>)]) -> Result<Vec<Row>, Invalid> {
    let worlds: Vec<Vec<Outcome>> = lab.for_each_seed(|seed| {
        let world = World::published(seed, WARMUP, MEASURED, None);
        let run = |&(strategy, b): &(StrategyKind, Option<f64>)| {
            let run = Run {
                strategy,
                budget: b.unwrap_or(world.streams.len() as f64),
                knowing: Knowing::Truth,
                manner: Manner::Literal { threshold: START },
                taste: Taste::default(),
                in_window: true,
            };
            lab.simulate(&world, &run)
        };
        settings.iter().map(run).collect()
    })?;
    let row = |(setting, &(strategy, b)): (usize, &(StrategyKind, Option<f64>))| Row {
        strategy,
        b,
        completeness: Spread::of(&worlds, |w| w[setting].completeness),
        freshness: Spread::of(&worlds, |w| w[setting].freshness_in_window),
        freshness_stream: Spread::of(&worlds, |w| w[setting].freshness),
        cost: Spread::of(&worlds, |w| w[setting].requests as f64),
    };
    Ok(settings.iter().enumerate().map(row).collect())
}

fn table(rows: &[Row]) -> Rows {
    let headings = [
        "b",
        "completeness",
        "printed",
        "freshness A",
        "printed ",
        "freshness F",
        "cost",
        "printed  ",
    ];
    let number = |value: Option<f64>, decimals| {
        value.map_or(Cell::Empty, |value| Cell::number(value, decimals))
    };
    let mut table = Rows::new(&["strategy"], &headings);
    for row in rows {
        let printed = row.printed();
        let cells = vec![
            Cell::text(row.strategy.name()),
            number(row.b, 0),
            row.completeness.cell(4),
            number(printed.map(|p| p.completeness), 4),
            row.freshness.cell(4),
            number(printed.map(|p| p.freshness), 4),
            row.freshness_stream.cell(4),
            row.cost.cell(0),
            number(printed.map(|p| p.cost), 0),
        ];
        table.push(cells, row.json());
    }
    table
}

/// Both figures against cost, with the printed points.
fn charts(rows: &[Row]) -> Vec<Chart> {
    let chart =
        |title: &str, label: &str, figure: fn(&Row) -> Spread, printed: fn(&Printed) -> f64| {
            let mut series: Vec<Series> = Vec::new();
            for strategy in STRATEGIES {
                let of = || rows.iter().filter(|row| row.strategy == strategy);
                let points = of().map(|row| (row.cost.mean, figure(row).mean)).collect();
                series.push(
                    Series::new(strategy.name(), Style::Line, points)
                        .emphasised(strategy == StrategyKind::TwoSteps),
                );
            }
            let points = rows.iter().filter_map(|row| row.printed()).map(|p| (p.cost, printed(&p)));
            series.push(Series::new("printed", Style::Points, points.collect()));
            Chart {
                title: title.to_owned(),
                x: Axis::new("refreshes in 100 cycles", Scale::Linear),
                y: Axis::new(label, Scale::Linear).within(0.0, 1.0),
                series,
            }
        };
    vec![
        chart(
            "completeness",
            "share of wanted items delivered",
            |row| row.completeness,
            |p| p.completeness,
        ),
        chart("freshness (A)", "share of the windows held", |row| row.freshness, |p| p.freshness),
    ]
}

/// The strategies of the paper, in its order.
const STRATEGIES: [StrategyKind; 5] = [
    StrategyKind::TwoSteps,
    StrategyKind::OnlyTau,
    StrategyKind::TopKUtility,
    StrategyKind::OnlySat,
    StrategyKind::Uniform,
];

fn report(lab: &Lab, title: &str, budgets: &[f64]) -> Result<Report, Invalid> {
    let mut settings: Vec<(StrategyKind, Option<f64>)> = STRATEGIES
        .into_iter()
        .flat_map(|strategy| budgets.iter().map(move |&b| (strategy, Some(b))))
        .collect();
    settings.push((StrategyKind::Reference, None));
    let rows = rows(lab, &settings)?;
    let notes = vec![
        format!(
            "100 sources, {WARMUP} + {MEASURED} cycles, {} worlds from seed {}; ± is the \
             deviation of one world.",
            lab.seeds, lab.seed
        ),
        "Freshness A is against the feed's own window (the printed table), F against all it \
         ever delivered."
            .to_owned(),
    ];
    Ok(table(&rows).report(title, notes, charts(&rows), json!({})))
}

/// Table 4.1: b = 10, 30, 50.
pub(crate) fn table_4_1(lab: &Lab) -> Result<Report, Invalid> {
    report(lab, "Table 4.1: six strategies in the published setting", &[10.0, 30.0, 50.0])
}

/// Figures 4.2 and 4.3: b from 2 to 100.
pub(crate) fn figure_4_2_4_3(lab: &Lab) -> Result<Report, Invalid> {
    let budgets: Vec<f64> =
        [2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100].map(f64::from).to_vec();
    report(lab, "Figures 4.2 and 4.3: quality against cost", &budgets)
}

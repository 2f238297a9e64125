//! Figures 7.9 and 7.10: 2Steps with models learnt online, by daily shape and budget, beside the
//! same strategy with the true rates.

use pergola_newsroom::Rhythm;
use pergola_refresh::{HOUR, Invalid, Model, Periodic, SingleVariable, StrategyKind, Taste};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::World;

const SOURCES: u64 = 10;
const DAYS: f64 = 28.0;
const WARMUP_DAYS: f64 = 7.0;
const ALPHA: f64 = 0.1;
/// Mean hours between two refreshes of a source that the budget pays for.
const INTERVALS: [f64; 7] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0];

/// Figures 7.9 and 7.10.
pub(crate) fn figure_7_9_7_10(lab: &Lab) -> Result<Report, Invalid> {
    type Figure = fn(&Outcome) -> f64;
    let learnt = |model| Knowing::Learnt { model: Box::new(model), sees_lost: true };
    let prior = 1.0 / HOUR;
    let models = [
        ("offline", Knowing::Offline),
        ("single", learnt(Model::from(SingleVariable::new(prior, ALPHA)?))),
        ("periodic", learnt(Model::from(Periodic::daily(prior, ALPHA)?))),
    ];
    let worlds: Vec<Vec<Outcome>> = lab.for_each_seed(|seed| {
        let mut outcomes = Vec::new();
        for rhythm in Rhythm::ALL {
            let world = World::shaped(rhythm, seed, SOURCES, WARMUP_DAYS, DAYS);
            for hours in INTERVALS {
                for (_, knowing) in &models {
                    let run = Run {
                        strategy: StrategyKind::TwoSteps,
                        budget: SOURCES as f64 * world.cycle / (hours * HOUR),
                        knowing: knowing.clone(),
                        // A day of cycles: sources with a rhythm are refreshed by day, not by night.
                        manner: Manner::Steady { horizon: 144.0, threshold: HOUR },
                        taste: Taste::default(),
                        in_window: false,
                    };
                    outcomes.push(lab.simulate(&world, &run)?);
                }
            }
        }
        Ok(outcomes)
    })?;
    let spread = |shape: usize, interval: usize, model: usize, figure: Figure| {
        let n = (shape * INTERVALS.len() + interval) * models.len() + model;
        Spread::of(&worlds, |outcomes| figure(&outcomes[n]))
    };
    let figures: [(&str, Figure); 2] =
        [("completeness", |o| o.completeness), ("freshness", |o| o.freshness)];
    let mut table =
        Table { columns: vec![Column::left("shape"), Column::right("hours")], rows: Vec::new() };
    for (figure, _) in figures {
        table.columns.extend(
            models.iter().map(|(model, _)| {
                Column::right(format!("{} {model}", &figure[..1].to_uppercase()))
            }),
        );
    }
    let (mut rows, mut charts) = (Vec::new(), Vec::new());
    for (shape, rhythm) in Rhythm::ALL.into_iter().enumerate() {
        for (interval, hours) in INTERVALS.into_iter().enumerate() {
            let mut row = vec![
                Cell::Text(rhythm.name().to_owned()),
                Cell::Number { value: hours, decimals: 1 },
            ];
            let mut object = json!({ "shape": rhythm.name(), "interval_hours": hours });
            for (name, figure) in figures {
                for (model, (model_name, _)) in models.iter().enumerate() {
                    let spread = spread(shape, interval, model, figure);
                    row.push(Cell::Number { value: spread.mean, decimals: 4 });
                    object[format!("{name}_{model_name}")] = json!(spread.mean);
                }
            }
            table.rows.push(row);
            rows.push(object);
        }
    }
    for (name, figure) in figures {
        for (shape, rhythm) in Rhythm::ALL.into_iter().enumerate() {
            let series = models.iter().enumerate().map(|(model, (model_name, _))| {
                let points = INTERVALS.iter().enumerate();
                let points =
                    points.map(|(n, &hours)| (1.0 / hours, spread(shape, n, model, figure).mean));
                Series::new(*model_name, Style::Line, points.collect())
                    .emphasised(*model_name == "periodic")
            });
            charts.push(Chart {
                title: format!("{name}, {}", rhythm.name()),
                x: Axis::new("refreshes per source and hour", Scale::Log),
                y: Axis::new(name, Scale::Linear),
                series: series.collect(),
            });
        }
    }
    Ok(Report {
        title: "Figures 7.9 and 7.10: 2Steps with models learnt online".to_owned(),
        notes: vec![
            format!(
                "{SOURCES} sources per shape, windows of 20, α = {ALPHA}, true counts told to the \
                 models; C completeness, F freshness; {} worlds from seed {}.",
                lab.seeds, lab.seed
            ),
            "The thesis: on waves periodic is better, most clearly with tight budgets; on peaks for \
             larger budgets; on uniform they are level."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts,
    })
}

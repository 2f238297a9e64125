//! Figures 7.9 and 7.10: 2Steps with models learnt online, by daily shape and budget, beside the
//! same strategy with the true rates.

use pergola_newsroom::Rhythm;
use pergola_refresh::{HOUR, Invalid, Model, Periodic, SingleVariable, StrategyKind, Taste};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::World;

const SOURCES: u64 = 10;
const DAYS: f64 = 28.0;
const WARMUP_DAYS: f64 = 7.0;
const ALPHA: f64 = 0.1;
/// Mean hours between two refreshes of a source that the budget pays for.
const INTERVALS: [f64; 7] = [0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0];

type Figure = fn(&Outcome) -> f64;

const FIGURES: [(&str, Figure); 2] =
    [("completeness", |outcome| outcome.completeness), ("freshness", |outcome| outcome.freshness)];

/// The models that 2Steps uses.
const MODELS: [&str; 3] = ["offline", "single", "periodic"];

fn knowing() -> Result<[Knowing; 3], Invalid> {
    let learnt = |model| Knowing::Learnt { model: Box::new(model), sees_lost: true };
    let prior = 1.0 / HOUR;
    Ok([
        Knowing::Offline,
        learnt(Model::from(SingleVariable::new(prior, ALPHA)?)),
        learnt(Model::from(Periodic::daily(prior, ALPHA)?)),
    ])
}

/// Figures 7.9 and 7.10.
pub(crate) fn figure_7_9_7_10(lab: &Lab) -> Result<Report, Invalid> {
    let knowing = knowing()?;
    let worlds = Worlds(lab.for_each_seed(|seed| outcomes(lab, seed, &knowing))?);
    let notes = vec![
        format!(
            "{SOURCES} sources per shape, windows of 20, α = {ALPHA}, true counts told to the \
             models; C completeness, F freshness; {} worlds from seed {}.",
            lab.seeds, lab.seed
        ),
        "The thesis: on waves periodic is better, most clearly with tight budgets; on peaks for \
         larger budgets; on uniform they are level."
            .to_owned(),
    ];
    let mut charts = Vec::new();
    for (name, figure) in FIGURES {
        charts.extend((0..Rhythm::ALL.len()).map(|shape| worlds.chart(shape, name, figure)));
    }
    let title = "Figures 7.9 and 7.10: 2Steps with models learnt online";
    Ok(worlds.rows().report(title, notes, charts, json!({})))
}

/// The outcomes of one world, by shape, interval and model, one after the other.
fn outcomes(lab: &Lab, seed: u64, knowing: &[Knowing; 3]) -> Result<Vec<Outcome>, Invalid> {
    let mut outcomes = Vec::new();
    for rhythm in Rhythm::ALL {
        let world = World::shaped(rhythm, seed, SOURCES, WARMUP_DAYS, DAYS);
        for hours in INTERVALS {
            for knowing in knowing {
                let run = Run {
                    strategy: StrategyKind::TwoSteps,
                    budget: SOURCES as f64 * world.cycle / (hours * HOUR),
                    knowing: knowing.clone(),
                    // A day of cycles: sources that publish by day are refreshed by day.
                    manner: Manner::Steady { horizon: 144.0, threshold: HOUR },
                    taste: Taste::default(),
                    in_window: false,
                };
                outcomes.push(lab.simulate(&world, &run)?);
            }
        }
    }
    Ok(outcomes)
}

struct Worlds(Vec<Vec<Outcome>>);

impl Worlds {
    /// The mean of a figure over the worlds, by the numbers of shape, interval and model.
    fn mean(&self, (shape, interval, model): (usize, usize, usize), figure: Figure) -> f64 {
        let n = (shape * INTERVALS.len() + interval) * MODELS.len() + model;
        Spread::of(&self.0, |outcomes| figure(&outcomes[n])).mean
    }

    fn rows(&self) -> Rows {
        let mut headings = vec!["hours".to_owned()];
        for (figure, _) in FIGURES {
            let initial = figure[..1].to_uppercase();
            headings.extend(MODELS.map(|model| format!("{initial} {model}")));
        }
        let mut rows = Rows::new(&["shape"], &headings);
        for (number, rhythm) in Rhythm::ALL.into_iter().enumerate() {
            for (interval, hours) in INTERVALS.into_iter().enumerate() {
                let mut cells = vec![Cell::text(rhythm.name()), Cell::number(hours, 1)];
                let mut row = json!({ "shape": rhythm.name(), "interval_hours": hours });
                for (name, figure) in FIGURES {
                    for (model, model_name) in MODELS.into_iter().enumerate() {
                        let mean = self.mean((number, interval, model), figure);
                        cells.push(Cell::number(mean, 4));
                        row[format!("{name}_{model_name}")] = json!(mean);
                    }
                }
                rows.push(cells, row);
            }
        }
        rows
    }

    /// A figure against the budget for sources of one shape, a line for each model.
    fn chart(&self, shape: usize, name: &str, figure: Figure) -> Chart {
        let series = MODELS.into_iter().enumerate().map(|(model, model_name)| {
            let mean = |interval: usize| self.mean((shape, interval, model), figure);
            let points = INTERVALS.iter().enumerate().map(|(n, &hours)| (1.0 / hours, mean(n)));
            Series::new(model_name, Style::Line, points.collect())
                .emphasised(model_name == "periodic")
        });
        Chart {
            title: format!("{name}, {}", Rhythm::ALL[shape].name()),
            x: Axis::new("refreshes per source and hour", Scale::Log),
            y: Axis::new(name, Scale::Linear),
            series: series.collect(),
        }
    }
}

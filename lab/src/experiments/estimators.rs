//! Figure 7.8 and `estimators`: how well models predict the waiting items, by daily rhythm.
//!
//! Figure 7.8 is the published comparison: the single variable against the periodic model, both with the true
//! counts and the best α. `estimators` is harder: every model with its default settings, on what a refresh really
//! shows.

use pergola_newsroom::Rhythm;
use pergola_refresh::{DAY, HOUR, Invalid, Model, ModelKind, Periodic, SingleVariable};
use serde_json::json;

use crate::estimate::{RefreshTimes, Sight, divergence_error};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};
use crate::world::World;

/// Sources per shape, days in all and days of warm-up.
const SOURCES: u64 = 10;
const DAYS: f64 = 28.0;
const WARMUP_DAYS: f64 = 7.0;

/// Figure 7.8 starts from rates of zero, and a model of 24 slots with a refresh a day learns slowly.
const LONG_WARMUP_DAYS: f64 = 28.0;
const LONG_DAYS: f64 = 56.0;

/// Mean refresh intervals of figure 7.8, in hours.
const INTERVALS: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 24.0];
/// Smoothing factors tried at each point; the best counts, as in the thesis.
const ALPHAS: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];

type Build = fn(f64) -> Result<Model, Invalid>;

/// The models of figure 7.8, each built from its smoothing factor.
const MODELS: [(&str, Build); 2] = [
    ("single", |alpha| SingleVariable::new(0.0, alpha).map(Model::from)),
    ("periodic", |alpha| Periodic::daily(0.0, alpha).map(Model::from)),
];

/// Figure 7.8.
pub(crate) fn figure_7_8(lab: &Lab) -> Result<Report, Invalid> {
    let worlds = lab.for_each_seed(|seed| errors_by_interval(lab, seed))?;
    let headings = ["hours", "single", "α", "periodic", "α ", "periodic / single"];
    let mut rows = Rows::new(&["shape"], &headings);
    let mut charts = Vec::new();
    for (number, rhythm) in Rhythm::ALL.into_iter().enumerate() {
        let mut curves = [Vec::new(), Vec::new()];
        for (interval, hours) in INTERVALS.into_iter().enumerate() {
            let best = [0, 1].map(|model| best_alpha(&worlds, (number, interval, model)));
            for (curve, (_, error)) in curves.iter_mut().zip(best) {
                curve.push((hours, error.mean));
            }
            add_interval(&mut rows, rhythm, hours, best);
        }
        let [single, periodic] = curves;
        charts.push(Chart {
            title: rhythm.name().to_owned(),
            x: Axis::new("mean refresh interval (hours)", Scale::Log),
            y: Axis::new("divergence error (items)", Scale::Linear),
            series: vec![
                Series::new("periodic", Style::Line, periodic).emphasised(true),
                Series::new("single variable", Style::Line, single),
            ],
        });
    }
    let notes = vec![
        format!(
            "{SOURCES} sources per shape, 24–300 items a day, {LONG_DAYS} days of which {LONG_WARMUP_DAYS} \
             warm-up, true counts told; {} worlds from seed {}.",
            lab.seeds, lab.seed
        ),
        "The thesis: on waves periodic is better at every interval; on peaks for short ones, \
         level for long ones; on uniform they are level."
            .to_owned(),
    ];
    let title = "Figure 7.8: divergence error by daily shape and refresh interval";
    Ok(rows.report(title, notes, charts, json!({})))
}

/// The errors of one world, by shape, interval, model and α, one after the other.
fn errors_by_interval(lab: &Lab, seed: u64) -> Result<Vec<f64>, Invalid> {
    let mut errors = Vec::new();
    for rhythm in Rhythm::ALL {
        let world = World::shaped(rhythm, seed, SOURCES, LONG_WARMUP_DAYS, LONG_DAYS);
        for hours in INTERVALS {
            let times = RefreshTimes::Random { mean: hours * HOUR };
            for (_, build) in &MODELS {
                for alpha in ALPHAS {
                    let model = build(alpha)?;
                    let sight = Sight::Everything;
                    errors.push(divergence_error(&world, &model, times, sight, seed));
                }
            }
        }
        let runs = INTERVALS.len() * MODELS.len() * ALPHAS.len();
        lab.count(runs * world.cycles * world.streams.len());
    }
    Ok(errors)
}

/// The smoothing factor with the least mean error, and that error; by the numbers of shape, interval and model.
fn best_alpha(
    worlds: &[Vec<f64>],
    (shape, interval, model): (usize, usize, usize),
) -> (f64, Spread) {
    let first = ((shape * INTERVALS.len() + interval) * MODELS.len() + model) * ALPHAS.len();
    ALPHAS
        .iter()
        .enumerate()
        .map(|(n, &alpha)| (alpha, Spread::of(worlds, |errors| errors[first + n])))
        .min_by(|a, b| a.1.mean.total_cmp(&b.1.mean))
        .expect("there are smoothing factors to choose from")
}

fn add_interval(rows: &mut Rows, rhythm: Rhythm, hours: f64, best: [(f64, Spread); 2]) {
    let [(single_alpha, single), (periodic_alpha, periodic)] = best;
    let cells = vec![
        Cell::text(rhythm.name()),
        Cell::number(hours, 1),
        single.cell(2),
        Cell::number(single_alpha, 2),
        periodic.cell(2),
        Cell::number(periodic_alpha, 2),
        Cell::number(periodic.mean / single.mean, 2),
    ];
    let row = json!({
        "shape": rhythm.name(), "interval_hours": hours,
        "single": single.mean, "single_alpha": single_alpha,
        "periodic": periodic.mean, "periodic_alpha": periodic_alpha,
    });
    rows.push(cells, row);
}

/// `estimators`: every model on what a refresh really sees.
pub(crate) fn estimators(lab: &Lab) -> Result<Report, Invalid> {
    let times = RefreshTimes::Random { mean: 4.0 * HOUR };
    let worlds = lab.for_each_seed(|seed| {
        let mut errors = Vec::new();
        for rhythm in Rhythm::ALL {
            let world = World::shaped(rhythm, seed, SOURCES, WARMUP_DAYS, DAYS);
            for kind in ModelKind::ALL {
                let model = kind.build(1.0 / DAY)?;
                errors.push(divergence_error(&world, &model, times, Sight::Window, seed));
            }
            lab.count(ModelKind::ALL.len() * world.cycles * world.streams.len());
        }
        Ok(errors)
    })?;
    let spread = |shape: usize, model: usize| {
        Spread::of(&worlds, |errors| errors[shape * ModelKind::ALL.len() + model])
    };
    let mut rows = Rows::new(&["model"], &Rhythm::ALL.map(Rhythm::name));
    for (model, kind) in ModelKind::ALL.into_iter().enumerate() {
        let mut cells = vec![Cell::text(kind.name())];
        for (number, rhythm) in Rhythm::ALL.into_iter().enumerate() {
            let error = spread(number, model);
            cells.push(error.cell(2));
            rows.record(json!({
                "model": kind.name(), "shape": rhythm.name(),
                "divergence_error": error.mean, "deviation": error.deviation,
            }));
        }
        rows.show(cells);
    }
    let series = Rhythm::ALL.iter().enumerate().map(|(number, rhythm)| {
        let errors = (0..ModelKind::ALL.len()).map(|model| spread(number, model));
        let points = errors.clone().enumerate().map(|(n, error)| (n as f64, error.mean)).collect();
        Series::new(rhythm.name(), Style::Bars, points)
            .with_deviations(errors.map(|error| error.deviation).collect())
    });
    let names = ModelKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    let chart = Chart {
        title: String::new(),
        x: Axis::new("model", Scale::Named(names)),
        y: Axis::new("divergence error (items)", Scale::Linear),
        series: series.collect(),
    };
    let notes = vec![format!(
        "{SOURCES} sources per shape, windows of 20, a random refresh about every 4 hours, \
         {DAYS} days of which {WARMUP_DAYS} warm-up; {} worlds from seed {}.",
        lab.seeds, lab.seed
    )];
    let title = "Estimators: divergence error on what a refresh really sees";
    Ok(rows.report(title, notes, vec![chart], json!({})))
}

//! Figure 7.8 and `estimators`: how well models foresee what is waiting, by daily shape.
//!
//! Figure 7.8 is the published comparison: the single variable against the periodic model, both told
//! the true counts, α chosen for the least error. `estimators` asks the harder question: every model,
//! with its default settings, on what a refresh really sees.

use pergola_newsroom::Rhythm;
use pergola_refresh::{DAY, HOUR, Invalid, Model, ModelKind, Periodic, SingleVariable};
use serde_json::json;

use crate::estimate::{Looks, Sight, divergence_error};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};
use crate::world::World;

/// Sources per shape, days in all and days of warm-up.
const SOURCES: u64 = 10;
const DAYS: f64 = 28.0;
const WARMUP_DAYS: f64 = 7.0;

/// Figure 7.8 starts from rates of zero, and a model of 24 slots that is refreshed daily learns slowly.
const LONG_WARMUP_DAYS: f64 = 28.0;
const LONG_DAYS: f64 = 56.0;

/// Mean refresh intervals of figure 7.8, in hours.
const INTERVALS: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 24.0];
/// Smoothing factors tried at each point; the best counts, as in the thesis.
const ALPHAS: [f64; 5] = [0.01, 0.02, 0.05, 0.1, 0.2];

/// Figure 7.8.
pub(crate) fn figure_7_8(lab: &Lab) -> Result<Report, Invalid> {
    type Build = fn(f64) -> Result<Model, Invalid>;
    let models: [(&str, Build); 2] = [
        ("single", |alpha| SingleVariable::new(0.0, alpha).map(Model::from)),
        ("periodic", |alpha| Periodic::daily(0.0, alpha).map(Model::from)),
    ];
    // errors[shape][interval][model][alpha] of each world
    let worlds = lab.for_each_seed(|seed| {
        let mut errors = Vec::new();
        for rhythm in Rhythm::ALL {
            let world = World::shaped(rhythm, seed, SOURCES, LONG_WARMUP_DAYS, LONG_DAYS);
            for hours in INTERVALS {
                let looks = Looks::Random { mean: hours * HOUR };
                for (_, build) in &models {
                    for alpha in ALPHAS {
                        let model = build(alpha)?;
                        errors.push(divergence_error(
                            &world,
                            &model,
                            looks,
                            Sight::Everything,
                            seed,
                        ));
                    }
                }
            }
            let runs = INTERVALS.len() * models.len() * ALPHAS.len();
            lab.count(runs * world.cycles * world.streams.len());
        }
        Ok(errors)
    })?;
    let best = |shape: usize, interval: usize, model: usize| -> (f64, Spread) {
        let first = ((shape * INTERVALS.len() + interval) * models.len() + model) * ALPHAS.len();
        ALPHAS
            .iter()
            .enumerate()
            .map(|(n, &alpha)| (alpha, Spread::of(&worlds, |errors| errors[first + n])))
            .min_by(|a, b| a.1.mean.total_cmp(&b.1.mean))
            .expect("there are smoothing factors to choose from")
    };
    let mut table = Table {
        columns: vec![
            Column::left("shape"),
            Column::right("hours"),
            Column::right("single"),
            Column::right("α"),
            Column::right("periodic"),
            Column::right("α "),
            Column::right("periodic / single"),
        ],
        rows: Vec::new(),
    };
    let (mut rows, mut charts) = (Vec::new(), Vec::new());
    for (shape, rhythm) in Rhythm::ALL.into_iter().enumerate() {
        let mut curves = [Vec::new(), Vec::new()];
        for (interval, hours) in INTERVALS.into_iter().enumerate() {
            let [(single_alpha, single), (periodic_alpha, periodic)] =
                [0, 1].map(|model| best(shape, interval, model));
            curves[0].push((hours, single.mean));
            curves[1].push((hours, periodic.mean));
            table.rows.push(vec![
                Cell::Text(rhythm.name().to_owned()),
                Cell::Number { value: hours, decimals: 1 },
                single.cell(2),
                Cell::Number { value: single_alpha, decimals: 2 },
                periodic.cell(2),
                Cell::Number { value: periodic_alpha, decimals: 2 },
                Cell::Number { value: periodic.mean / single.mean, decimals: 2 },
            ]);
            rows.push(json!({
                "shape": rhythm.name(), "interval_hours": hours,
                "single": single.mean, "single_alpha": single_alpha,
                "periodic": periodic.mean, "periodic_alpha": periodic_alpha,
            }));
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
    Ok(Report {
        title: "Figure 7.8: divergence error by daily shape and refresh interval".to_owned(),
        notes: vec![
            format!(
                "{SOURCES} sources per shape, 24–300 items a day, {LONG_DAYS} days of which {LONG_WARMUP_DAYS} \
                 warm-up, true counts told; {} worlds from seed {}.",
                lab.seeds, lab.seed
            ),
            "The thesis: on waves periodic is better at every interval; on peaks for short ones, \
             level for long ones; on uniform they are level."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts,
    })
}

/// `estimators`: every model on what a refresh really sees.
pub(crate) fn estimators(lab: &Lab) -> Result<Report, Invalid> {
    let looks = Looks::Random { mean: 4.0 * HOUR };
    let worlds = lab.for_each_seed(|seed| {
        let mut errors = Vec::new();
        for rhythm in Rhythm::ALL {
            let world = World::shaped(rhythm, seed, SOURCES, WARMUP_DAYS, DAYS);
            for kind in ModelKind::ALL {
                let model = kind.build(1.0 / DAY)?;
                errors.push(divergence_error(&world, &model, looks, Sight::Window, seed));
            }
            lab.count(ModelKind::ALL.len() * world.cycles * world.streams.len());
        }
        Ok(errors)
    })?;
    let spread = |shape: usize, model: usize| {
        Spread::of(&worlds, |errors| errors[shape * ModelKind::ALL.len() + model])
    };
    let mut table = Table { columns: vec![Column::left("model")], rows: Vec::new() };
    table.columns.extend(Rhythm::ALL.map(|rhythm| Column::right(rhythm.name())));
    let mut rows = Vec::new();
    for (model, kind) in ModelKind::ALL.into_iter().enumerate() {
        let errors: Vec<Spread> =
            (0..Rhythm::ALL.len()).map(|shape| spread(shape, model)).collect();
        let mut row = vec![Cell::Text(kind.name().to_owned())];
        row.extend(errors.iter().map(|error| error.cell(2)));
        table.rows.push(row);
        for (rhythm, error) in Rhythm::ALL.iter().zip(&errors) {
            rows.push(json!({
                "model": kind.name(), "shape": rhythm.name(),
                "divergence_error": error.mean, "deviation": error.deviation,
            }));
        }
    }
    let names = ModelKind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    let series = Rhythm::ALL.iter().enumerate().map(|(shape, rhythm)| {
        let errors = (0..ModelKind::ALL.len()).map(|model| spread(shape, model));
        let points = errors.clone().enumerate().map(|(n, error)| (n as f64, error.mean)).collect();
        Series::new(rhythm.name(), Style::Bars, points)
            .with_deviations(errors.map(|error| error.deviation).collect())
    });
    Ok(Report {
        title: "Estimators: divergence error on what a refresh really sees".to_owned(),
        notes: vec![format!(
            "{SOURCES} sources per shape, windows of 20, a random refresh about every 4 hours, \
             {DAYS} days of which {WARMUP_DAYS} warm-up; {} worlds from seed {}.",
            lab.seeds, lab.seed
        )],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("model", Scale::Named(names)),
            y: Axis::new("divergence error (items)", Scale::Linear),
            series: series.collect(),
        }],
    })
}

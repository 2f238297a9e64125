//! Figures 7.2, 7.6 and 7.7: one source in detail. How an online estimate follows a day, and how the periodic model
//! follows a source that changes its daily rhythm twice a year.

use pergola_newsroom::{Process, Rhythm};
use pergola_refresh::{
    Constant, DAY, HOUR, Invalid, Model, Periodic, PublicationModel, SingleVariable, WEEK,
};
use serde_json::json;

use crate::estimate::{RefreshTimes, Sight, follow};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};
use crate::world::{Stream, World, publisher};

const CYCLE: f64 = 600.0;

/// A world of one source.
fn lone(process: Process, seed: u64, days: f64) -> World {
    let items = publisher(process, seed, 0).until(days * DAY);
    let times: Vec<f64> = items.iter().map(|item| item.at).collect();
    let rate = times.len() as f64 / (days * DAY);
    let relevant = vec![true; times.len()];
    let stream = Stream { times, relevant, rate, selectivity: 1.0, hourly: None };
    let cycles = (days * DAY / CYCLE) as usize;
    World { streams: vec![stream], window: 20, cycle: CYCLE, warmup: 0, cycles }
}

/// Items a day of the source of figure 7.2.
const DAILY_ITEMS: f64 = 96.0;
/// Days learnt before the day that is drawn.
const LEARNT_DAYS: usize = 28;

/// After each cycle of the day that is drawn: real and estimated divergence.
type Day = Vec<(f64, f64)>;

/// Figure 7.2: real divergence of a source over a day, beside a constant rate and online estimates.
pub(crate) fn figure_7_2(lab: &Lab) -> Result<Report, Invalid> {
    let rate = DAILY_ITEMS / DAY;
    let models = [
        ("offline, constant", Model::Constant(Constant::new(rate)?)),
        ("online, single variable", Model::from(SingleVariable::new(rate, 0.3)?)),
        ("online, periodic", Model::from(Periodic::daily(rate, 0.2)?)),
    ];
    let worlds = lab.for_each_seed(|seed| {
        let days = (LEARNT_DAYS + 1) as f64;
        let world = lone(Process::daily(Rhythm::Waves, DAILY_ITEMS, 0), seed, days);
        lab.count(models.len() * world.cycles);
        Ok(models.each_ref().map(|(_, model)| last_day(&world, model, seed)))
    })?;
    let mut rows = Rows::new(&["model"], &["mean absolute error"]);
    for (n, (name, _)) in models.iter().enumerate() {
        let error = Spread::of(&worlds, |days| {
            let errors = days[n].iter().map(|(real, estimated)| (real - estimated).abs());
            errors.sum::<f64>() / days[n].len() as f64
        });
        let row = json!({
            "model": name, "mean_absolute_error": error.mean, "deviation": error.deviation,
        });
        rows.push(vec![Cell::text(name), error.cell(2)], row);
    }
    let points = |figure: fn(&(f64, f64)) -> f64, day: &Day| -> Vec<(f64, f64)> {
        let hour = |n: usize| (n + 1) as f64 * CYCLE / HOUR;
        day.iter().enumerate().map(|(n, pair)| (hour(n), figure(pair))).collect()
    };
    let first = &worlds[0];
    let mut series =
        vec![Series::new("real", Style::Steps, points(|pair| pair.0, &first[0])).emphasised(true)];
    for ((name, _), day) in models.iter().zip(first) {
        series.push(Series::new(*name, Style::Line, points(|pair| pair.1, day)));
    }
    let chart = Chart {
        title: String::new(),
        x: Axis::new("hour of the day", Scale::Linear).within(0.0, 24.0),
        y: Axis::new("items waiting", Scale::Linear),
        series,
    };
    let notes = vec![format!(
        "A source with waves, {DAILY_ITEMS} items a day, refreshed every two hours; {} worlds, the \
         plot shows the first.",
        lab.seeds
    )];
    let title = "Figure 7.2: real and estimated divergence of one source over a day";
    Ok(rows.report(title, notes, vec![chart], json!({})))
}

/// The day after the days of learning, as one model sees it.
fn last_day(world: &World, model: &Model, seed: u64) -> Day {
    let first = LEARNT_DAYS * (DAY / CYCLE) as usize;
    let times = RefreshTimes::Regular { interval: 2.0 * HOUR };
    let (stream, sight) = (&world.streams[0], Sight::Everything);
    let mut day = Vec::new();
    follow(world, stream, model.clone(), times, sight, seed, |cycle, _, real, estimated| {
        if cycle >= first {
            day.push((real, estimated));
        }
    });
    day
}

/// Weeks of each shape, and the shapes in their order.
const PHASE: usize = 16;
const PHASES: [Rhythm; 3] = [Rhythm::Uniform, Rhythm::Peaks, Rhythm::Waves];
/// Items a day of the source of figures 7.6 and 7.7.
const PHASE_ITEMS: f64 = 144.0;

/// One source's year: the distance between model and truth after each week, and the tables before
/// each change.
struct Year {
    distances: Vec<f64>,
    /// (real, estimated) items per hour of the day at the end of each phase.
    tables: Vec<(Vec<f64>, Vec<f64>)>,
}

/// Figures 7.6 and 7.7: sixteen weeks each of uniform, peaks and waves, refreshed about every hour
/// and about every day.
pub(crate) fn figure_7_6_7_7(lab: &Lab) -> Result<Report, Invalid> {
    let parts =
        PHASES.map(|rhythm| (PHASE as f64 * WEEK, Process::daily(rhythm, PHASE_ITEMS, 0))).to_vec();
    let intervals = [("1 h", HOUR), ("24 h", DAY)];
    let weeks = PHASE * PHASES.len();
    let years = lab.for_each_seed(|seed| {
        let world = lone(Process::Sequence(parts.clone()), seed, weeks as f64 * 7.0);
        let model = Model::from(Periodic::daily(PHASE_ITEMS / DAY, 0.1)?);
        lab.count(intervals.len() * world.cycles);
        Ok(intervals.map(|(_, mean)| year(&world, model.clone(), mean, seed)))
    })?;
    let phase_end = |n: usize, year: &Year| {
        // Mean of the last four weeks of a phase: what it has converged to, if it has.
        let end = (n + 1) * PHASE;
        year.distances[end - 4..end].iter().sum::<f64>() / 4.0
    };
    let headings = PHASES.map(|rhythm| format!("after {}", rhythm.name()));
    let mut rows = Rows::new(&["refreshed every"], &headings);
    for (n, (name, _)) in intervals.iter().enumerate() {
        let mut cells = vec![Cell::text(name)];
        let mut row = json!({ "interval": name });
        for (phase, rhythm) in PHASES.into_iter().enumerate() {
            let end = Spread::of(&years, |year| phase_end(phase, &year[n]));
            cells.push(end.cell(2));
            row[rhythm.name()] = json!(end.mean);
        }
        rows.push(cells, row);
    }
    let mut charts: Vec<Chart> =
        (0..PHASES.len()).map(|phase| tables_chart(phase, &years[0])).collect();
    let series = intervals.iter().enumerate().map(|(n, (name, _))| {
        let points = years[0][n].distances.iter().enumerate();
        let points = points.map(|(week, &d)| ((week + 1) as f64, d)).collect();
        Series::new(format!("every {name}"), Style::Line, points).emphasised(n == 0)
    });
    charts.push(Chart {
        title: "distance between model and truth".to_owned(),
        x: Axis::new("week", Scale::Linear),
        y: Axis::new("items per hour (2-norm)", Scale::Linear),
        series: series.collect(),
    });
    let notes = vec![
        "Euclidean distance over 24 hours between the learnt rates and the week's real ones, \
         mean of the last four weeks of each phase (16 weeks each)."
            .to_owned(),
        format!("{} worlds from seed {}; plots show the first.", lab.seeds, lab.seed),
    ];
    let title = "Figures 7.6 and 7.7: the periodic model on a source that changes its shape";
    Ok(rows.report(title, notes, charts, json!({})))
}

/// Follows the source and compares the model with the last seven days after each week.
fn year(world: &World, model: Model, mean: f64, seed: u64) -> Year {
    let stream = &world.streams[0];
    let per_week = (WEEK / CYCLE) as usize;
    let mut year = Year { distances: Vec::new(), tables: Vec::new() };
    let times = RefreshTimes::Random { mean };
    follow(world, stream, model, times, Sight::Everything, seed, |cycle, model, _, _| {
        if (cycle + 1) % per_week != 0 {
            return;
        }
        let now = (cycle + 1) as f64 * CYCLE;
        let mut real = vec![0.0; 24];
        let from = stream.times.partition_point(|&at| at <= now - WEEK);
        for at in stream.times[from..].iter().take_while(|&&at| at <= now) {
            real[((at % DAY) / HOUR) as usize % 24] += 1.0 / 7.0;
        }
        let estimated: Vec<f64> = (0..24)
            .map(|hour| model.expected(f64::from(hour) * HOUR, f64::from(hour + 1) * HOUR))
            .collect();
        let squares = real.iter().zip(&estimated).map(|(a, b)| (a - b).powi(2));
        year.distances.push(squares.sum::<f64>().sqrt());
        if year.distances.len().is_multiple_of(PHASE) {
            year.tables.push((real, estimated));
        }
    });
    year
}

/// Real and estimated items per hour at the end of a phase.
fn tables_chart(phase: usize, years: &[Year; 2]) -> Chart {
    let points = |table: &[f64]| {
        table.iter().enumerate().map(|(hour, &rate)| (hour as f64, rate)).collect::<Vec<_>>()
    };
    let [hourly, daily] = years;
    Chart {
        title: format!("after {} weeks: {}", (phase + 1) * PHASE, PHASES[phase].name()),
        x: Axis::new("hour of the day", Scale::Linear),
        y: Axis::new("items per hour", Scale::Linear),
        series: vec![
            Series::new("real", Style::Bars, points(&hourly.tables[phase].0)),
            Series::new("every 1 h", Style::Steps, points(&hourly.tables[phase].1))
                .emphasised(true),
            Series::new("every 24 h", Style::Steps, points(&daily.tables[phase].1)),
        ],
    }
}

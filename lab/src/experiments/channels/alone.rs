//! One channel at a time: learnt rates against true ones, and what the novelty filter saves.

use pergola_profile::{Impact, Novelty};
use pergola_refresh::{HOUR, Invalid, WEEK};
use serde_json::json;

use super::{beside, spearman};
use crate::channels::{Content, Heeding, Learner, Outcome, Pace, TextWorld, mean, play};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::Lab;

/// The paper's rank correlation of learnt and true rates.
const PUBLISHED_CORRELATION: f64 = 0.96;
/// At β = 0.1 the paper loses 5 % of quality and saves a third of the looks.
const PUBLISHED_LOSS: f64 = 0.05;
const PUBLISHED_CUT: f64 = 1.0 / 3.0;
const PUBLISHED_BETA: f64 = 0.1;
const WINDOW: usize = 20;

/// `channels-convergence`: rates learnt on-line against those of the whole stream.
pub(crate) fn convergence(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let truth = world.rates();
    let rules = [("printed", Learner::Printed), ("ours", Learner::Steady)];
    let outcomes = lab.for_each("runs", &rules, |&(_, learning)| {
        let pace = Pace::Online(Heeding { learner: learning, content: Content::Ignored });
        play(world, WINDOW, &pace, lab.seed)
    })?;
    let mut table = Table { columns: vec![Column::left("rule")], rows: Vec::new() };
    table.columns.extend(
        ["published", "Spearman", "deviation", "of means", "looks", "starved", "quality"]
            .map(Column::right),
    );
    let mut rows = Vec::new();
    let mut series = Vec::new();
    for ((name, _), outcome) in rules.iter().zip(&outcomes) {
        let correlation = spearman(&outcome.rates, &truth);
        let of_means = spearman(&outcome.mean_rates, &truth);
        let starved = starved(outcome, &truth, world.end);
        let mut row = vec![Cell::Text((*name).to_owned())];
        row.extend(beside(Some(PUBLISHED_CORRELATION), correlation, 3));
        row.extend([
            Cell::Number { value: of_means, decimals: 3 },
            Cell::Integer(outcome.all_looks() as i64),
            Cell::Integer(starved as i64),
            Cell::Number { value: outcome.mean_quality(), decimals: 3 },
        ]);
        table.rows.push(row);
        rows.push(json!({
            "rule": name, "spearman": correlation, "published": PUBLISHED_CORRELATION,
            "spearman_of_means": of_means, "looks": outcome.all_looks(), "starved": starved,
            "quality": outcome.mean_quality(), "channels": truth.len(),
        }));
        let points = truth.iter().zip(&outcome.rates).map(|(t, r)| (t * HOUR, r * HOUR));
        series.push(Series::new(*name, Style::Points, points.collect()));
    }
    let ends = [f64::min, f64::max].map(|f| truth.iter().copied().reduce(f).unwrap_or(1.0) * HOUR);
    series.push(Series::new("equal", Style::Dashed, ends.map(|end| (end, end)).to_vec()));
    Ok(Report {
        title: format!("learnt and true rates of {} channels", truth.len()),
        notes: vec![
            "Spearman is between the last learnt rate and that of the whole stream (figure 3a); \"of means\" \
             takes the mean of the learnt rate over the second half. Starved: the next look is due later \
             than the stream is long, though the channel publishes every week."
                .to_owned(),
            "By the printed rule one look that finds nothing divides the rate by ten at the start and by \
             thousands after weeks: the channel is not looked at again."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("items per hour, whole stream", Scale::Log),
            y: Axis::new("learnt looks per hour", Scale::Log).within(1e-4, 100.0),
            series,
        }],
    })
}

/// Channels with an item a week or more whose next look would come after more time than there was.
fn starved(outcome: &Outcome, truth: &[f64], end: f64) -> usize {
    let both = outcome.rates.iter().zip(truth);
    both.filter(|(rate, truth)| **truth >= 1.0 / WEEK && **rate < 1.0 / end).count()
}

/// `channels-beta`: quality and looks against the novelty threshold, with rates known beforehand.
pub(crate) fn beta(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let filters = [-1.0, -0.5, -0.25, 0.0, PUBLISHED_BETA, 0.25, 0.5, 1.0, 2.0].map(Some);
    let betas: Vec<Option<f64>> = [None].into_iter().chain(filters).collect();
    let heard = world.heard(WINDOW);
    let outcomes = lab.for_each("runs", &betas, |beta| {
        let rates = match beta {
            Some(beta) => novel_rates(&heard, Novelty::new(*beta), world.end),
            None => world.rates(),
        };
        play(world, WINDOW, &Pace::Offline(rates), lab.seed)
    })?;
    let free = &outcomes[0];
    let mut table = Table { columns: vec![Column::left("β")], rows: Vec::new() };
    table.columns.extend(
        [
            "quality",
            "looks",
            "printed",
            "lost",
            "deviation",
            "printed",
            "saved",
            "deviation",
            "of all looks",
        ]
        .map(Column::right),
    );
    let mut rows = Vec::new();
    let (mut lost, mut saved) = (Vec::new(), Vec::new());
    for (beta, outcome) in betas.iter().zip(&outcomes) {
        let quality = outcome.mean_quality();
        let loss = 1.0 - quality / free.mean_quality();
        let cut = 1.0 - outcome.all_looks() as f64 / free.all_looks() as f64;
        let by_channel = cut_by_channel(outcome, free);
        let known = *beta == Some(PUBLISHED_BETA);
        let mut row = vec![
            Cell::Text(beta.map_or("all items".to_owned(), |beta| beta.to_string())),
            Cell::Number { value: quality, decimals: 3 },
            Cell::Integer(outcome.all_looks() as i64),
        ];
        row.extend(beside(known.then_some(PUBLISHED_LOSS), loss, 3));
        row.extend(beside(known.then_some(PUBLISHED_CUT), by_channel, 3));
        row.push(Cell::Number { value: cut, decimals: 3 });
        table.rows.push(row);
        rows.push(json!({
            "beta": beta, "quality": quality, "looks": outcome.all_looks(), "quality_loss": loss,
            "looks_cut": cut, "looks_cut_by_channel": by_channel,
            "published_quality_loss": known.then_some(PUBLISHED_LOSS),
            "published_looks_cut": known.then_some(PUBLISHED_CUT),
        }));
        if let Some(beta) = beta {
            lost.push((*beta, 100.0 * loss));
            saved.push((*beta, 100.0 * by_channel));
        }
    }
    Ok(Report {
        title: "what the novelty filter costs and saves, rates known beforehand".to_owned(),
        notes: vec![
            "Share of quality lost and of looks saved, against looking at the rate of all items (figures 5 \
             and 6). Saved is the mean of what each channel saves, as in the paper: a robot that says the same all \
             day counts no more than a blog."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("β", Scale::Linear),
            y: Axis::new("%", Scale::Linear),
            series: vec![
                Series::new("looks saved", Style::Line, saved),
                Series::new("quality lost", Style::Line, lost),
            ],
        }],
    })
}

/// Novel items per second of each channel.
fn novel_rates(heard: &[Vec<Impact>], novelty: Novelty, end: f64) -> Vec<f64> {
    let novel = |heard: &Vec<Impact>| heard.iter().filter(|heard| novelty.admits(heard)).count();
    heard.iter().map(|heard| novel(heard) as f64 / end).collect()
}

fn cut_by_channel(outcome: &Outcome, free: &Outcome) -> f64 {
    let both = outcome.looks.iter().zip(&free.looks).filter(|(_, free)| **free > 0);
    mean(&both.map(|(looks, free)| 1.0 - *looks as f64 / *free as f64).collect::<Vec<f64>>())
}

/// `channels-window`: what the filter costs on-line at β = 0.1, against the size of the profile's window.
pub(crate) fn window(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let sizes = [5_usize, 10, 20, 40, 60, 80, 100];
    let pairs = lab.for_each("windows", &sizes, |&size| {
        let run = |content| {
            let heeding = Heeding { learner: Learner::Steady, content };
            play(world, size, &Pace::Online(heeding), lab.seed)
        };
        Ok((run(Content::Ignored)?, run(Content::Novel(Novelty::new(PUBLISHED_BETA)))?))
    })?;
    let mut table = Table { columns: vec![Column::right("W")], rows: Vec::new() };
    table.columns.extend(
        ["quality, all", "quality, novel", "lost", "looks, all", "looks, novel", "saved"]
            .map(Column::right),
    );
    let mut rows = Vec::new();
    let mut points = Vec::new();
    for (size, (free, content)) in sizes.iter().zip(&pairs) {
        let loss = 1.0 - content.mean_quality() / free.mean_quality();
        let cut = 1.0 - content.all_looks() as f64 / free.all_looks() as f64;
        table.rows.push(vec![
            Cell::Integer(*size as i64),
            Cell::Number { value: free.mean_quality(), decimals: 3 },
            Cell::Number { value: content.mean_quality(), decimals: 3 },
            Cell::Number { value: loss, decimals: 3 },
            Cell::Integer(free.all_looks() as i64),
            Cell::Integer(content.all_looks() as i64),
            Cell::Number { value: cut, decimals: 3 },
        ]);
        rows.push(json!({
            "window": size, "quality_free": free.mean_quality(),
            "quality_content": content.mean_quality(), "quality_loss": loss,
            "looks_free": free.all_looks(), "looks_content": content.all_looks(), "looks_cut": cut,
        }));
        points.push((*size as f64, 100.0 * loss));
    }
    Ok(Report {
        title: "what the filter at β = 0.1 costs on-line, by the profile's window".to_owned(),
        notes: vec![
            "Published (figure 7, a curve without figures): the loss falls as the window grows."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("W, items in a profile", Scale::Linear),
            y: Axis::new("quality lost (%)", Scale::Linear),
            series: vec![Series::new("β = 0.1", Style::Line, points)],
        }],
    })
}

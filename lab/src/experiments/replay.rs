//! `replay`: every strategy and model on a recorded trace, at equal cost.

use pergola_newsroom::Trace;
use pergola_refresh::{DAY, HOUR, Invalid, ModelKind, StrategyKind, Taste};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::Lab;
use crate::world::World;

/// The options of a replay.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Only this strategy; by default all.
    pub(crate) strategy: Option<StrategyKind>,
    /// Only this model; by default all.
    pub(crate) model: Option<ModelKind>,
    /// Refreshes per source and hour.
    pub(crate) budget: f64,
    /// Items that a source's document shows.
    pub(crate) window: usize,
    /// Share of the items that the query of the reader wants.
    pub(crate) query_share: f64,
    /// From 0 (equal weight per item) to 1 (equal weight per source).
    pub(crate) equity: f64,
    /// From 0 (fresh) to 1 (complete).
    pub(crate) completeness: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strategy: None,
            model: None,
            budget: 0.25,
            window: 20,
            query_share: 1.0,
            equity: 0.0,
            completeness: 0.5,
        }
    }
}

/// One strategy with one model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) strategy: StrategyKind,
    /// `None` if the strategy uses no model.
    pub(crate) model: Option<ModelKind>,
    pub(crate) equity: f64,
}

fn entries(settings: &Settings) -> Vec<Entry> {
    let mut entries = Vec::new();
    for strategy in StrategyKind::ALL {
        // Round robin has two names; show the one that feed readers use.
        let asked = settings.strategy.map_or(strategy != StrategyKind::Uniform, |s| s == strategy);
        if !asked {
            continue;
        }
        let equity = settings.equity;
        if strategy.uses_model() {
            let models =
                ModelKind::ALL.into_iter().filter(|m| settings.model.is_none_or(|k| k == *m));
            entries.extend(models.map(|model| Entry { strategy, model: Some(model), equity }));
        } else {
            entries.push(Entry { strategy, model: None, equity });
        }
    }
    // Add the default of the product, unless the user chose something.
    if settings.strategy.is_none() && settings.model.is_none() && settings.equity == 0.0 {
        let model = Some(ModelKind::Calendar);
        entries.push(Entry { strategy: StrategyKind::Plan, model, equity: 0.5 });
    }
    entries
}

/// `replay`: every strategy with every model, or those that the user names.
pub(crate) fn replay(lab: &Lab, trace: &Trace, settings: &Settings) -> Result<Report, Invalid> {
    contest(lab, trace, settings, &entries(settings))
}

/// Plays each entry on the trace.
pub(crate) fn contest(
    lab: &Lab,
    trace: &Trace,
    settings: &Settings,
    entries: &[Entry],
) -> Result<Report, Invalid> {
    let budget =
        Invalid::unless_positive("budget (refreshes per source and hour)", settings.budget)?;
    let share = Invalid::unless_share("query share", settings.query_share)?;
    let world = World::replay(trace, settings.window, share, lab.seed);
    let per_cycle = budget * world.streams.len() as f64 * world.cycle / HOUR;
    let outcomes = lab.for_each("runs", entries, |entry| {
        let run = Run {
            strategy: entry.strategy,
            budget: per_cycle,
            knowing: Knowing::learnt(entry.model.unwrap_or(ModelKind::Gamma), DAY)?,
            manner: Manner::Steady { horizon: DAY / world.cycle, threshold: 1.0 },
            taste: Taste::new(settings.completeness, entry.equity)?,
            in_window: false,
        };
        lab.simulate(&world, &run)
    })?;
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| outcomes[a].delay.mean.total_cmp(&outcomes[b].delay.mean));
    let ranked: Vec<(&Entry, &Outcome)> =
        order.iter().map(|&n| (&entries[n], &outcomes[n])).collect();
    let title =
        format!("{budget} refreshes per source and hour over {} sources", world.streams.len());
    let notes = notes(&world, trace, settings, &ranked);
    let chart = chart(&ranked, per_cycle * world.measured() as f64);
    Ok(rows(&ranked, budget).report(title, notes, vec![chart], json!({})))
}

fn notes(
    world: &World,
    trace: &Trace,
    settings: &Settings,
    rows: &[(&Entry, &Outcome)],
) -> Vec<String> {
    let mut notes = vec![
        format!(
            "{} items in {} weeks, of which the first {:.0} days are warm-up; windows of {}, \
             decisions every {:.0} minutes; {:.0} % of items wanted.",
            trace.items(),
            trace.weeks,
            world.warmup as f64 * world.cycle / DAY,
            settings.window,
            world.cycle / 60.0,
            100.0 * settings.query_share,
        ),
        "Delays in hours: mean, median and 95th percentile over items, and the mean over sources. \
         Everything is learnt from refreshes alone. Freshness is a mean over time."
            .to_owned(),
    ];
    let mean = |wanted: StrategyKind| {
        rows.iter().find(|(e, _)| e.strategy == wanted).map(|(_, outcome)| outcome.delay.mean)
    };
    let in_budget = |(entry, _): &&(&Entry, &Outcome)| entry.strategy != StrategyKind::Reference;
    let best = rows.iter().find(in_budget);
    if let (Some((entry, outcome)), Some(fixed)) = (best, mean(StrategyKind::FixedInterval)) {
        notes.push(format!(
            "Least delay within the budget: {} with {}, {:.0} % less than the fixed interval of feed \
             readers.",
            entry.strategy.name(),
            entry.model.map_or("no model", ModelKind::name),
            100.0 * (1.0 - outcome.delay.mean / fixed),
        ));
    }
    notes
}

fn rows(ranked: &[(&Entry, &Outcome)], budget: f64) -> Rows {
    let headings =
        ["equity", "requests", "complete", "fresh", "delay", "median", "p95", "by source", "lost"];
    let mut rows = Rows::new(&["strategy", "model"], &headings);
    let hours = |seconds: f64| Cell::number(seconds / HOUR, 3);
    for (entry, outcome) in ranked {
        let cells = vec![
            Cell::text(entry.strategy.name()),
            Cell::text(entry.model.map_or("–", ModelKind::name)),
            Cell::number(entry.equity, 1),
            Cell::Integer(outcome.requests as i64),
            Cell::number(outcome.completeness, 4),
            Cell::number(outcome.freshness_over_time, 4),
            hours(outcome.delay.mean),
            hours(outcome.delay.median),
            hours(outcome.delay.p95),
            hours(outcome.delay_by_source),
            Cell::Integer(outcome.lost as i64),
        ];
        let row = json!({
            "strategy": entry.strategy.name(),
            "model": entry.model.map(ModelKind::name),
            "equity": entry.equity,
            "budget_per_hour": budget,
            "requests": outcome.requests,
            "completeness": outcome.completeness,
            "freshness": outcome.freshness_over_time,
            "delay_mean_s": outcome.delay.mean,
            "delay_median_s": outcome.delay.median,
            "delay_p95_s": outcome.delay.p95,
            "delay_feed_mean_s": outcome.delay_by_source,
            "lost": outcome.lost,
        });
        rows.push(cells, row);
    }
    rows
}

/// Freshness against delay, one point per model. Only strategies that spend the budget are shown; the others would
/// squeeze them into a corner.
fn chart(rows: &[(&Entry, &Outcome)], budget: f64) -> Chart {
    let spent = |outcome: &Outcome| (0.9..1.1).contains(&(outcome.requests as f64 / budget));
    let series = StrategyKind::ALL.into_iter().filter_map(|strategy| {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|(entry, outcome)| entry.strategy == strategy && spent(outcome))
            .map(|(_, outcome)| (outcome.delay.mean / HOUR, outcome.freshness_over_time))
            .collect();
        let ours = matches!(strategy, StrategyKind::Plan | StrategyKind::Index);
        (!points.is_empty())
            .then(|| Series::new(strategy.name(), Style::Points, points).emphasised(ours))
    });
    Chart {
        title: "one point per model".to_owned(),
        x: Axis::new("mean delay of an item (hours)", Scale::Linear),
        y: Axis::new("freshness", Scale::Linear),
        series: series.collect(),
    }
}

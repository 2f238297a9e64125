//! What one decision costs, in virtual time and without a network: the roster decides, every source
//! chosen is refreshed instantly and has published what its model expects.

use anyhow::Result;
use pergola_refresh::{
    Controller, DAY, HOUR, Invalid, ModelKind, Observation, PublicationModel, Source, StrategyKind,
    Taste, Threshold,
};
use serde::{Deserialize, Serialize};
use url::Url;

use pergola_config::{BudgetRule, Config};
use pergola_manners::budget::{HORIZON_CYCLES, Purse};
use pergola_manners::lanes::{LaneRules, Lanes};
use pergola_manners::roster::Roster;
use pergola_outside::clock::Clock;
use pergola_store::archive::SourceId;

/// Seconds between two decisions, as a node has it.
const CYCLE: f64 = 10.0;
/// Cycles while τ is searched, cycles until it is settled, and cycles measured then.
const SEARCHING: usize = 40;
const SETTLED_AFTER: usize = 200;
const SETTLED: usize = 100;
/// Sources and cycles with which the planner's price is found beforehand.
const FEW: usize = 60;
const LONG: usize = 1_500;

/// What decisions cost, in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Who decides.
    pub strategy: String,
    /// What predicts.
    pub model: String,
    /// Over how many sources.
    pub sources: usize,
    /// Refreshes per cycle.
    pub budget: f64,
    /// CPU time, mean while τ is searched.
    pub searching: f64,
    /// CPU time, mean once it is found.
    pub settled: f64,
    /// Time on the clock, median once it is found: others use the processor as well.
    pub settled_clock: f64,
    /// CPU time of the longest decision: one in which everything is planned again.
    pub longest: f64,
    /// τ at the end.
    pub threshold: f64,
}

/// Decisions over the sources that a folder holds, as its node would make them.
pub(super) fn as_stored(
    sources: Vec<(SourceId, Source)>,
    config: &Config,
    now: f64,
) -> Result<Decisions> {
    let per_minute = config.budget.purse(CYCLE).per_minute();
    let threshold = steady(1.0)?;
    let setting = Setting { strategy: StrategyKind::TwoSteps, threshold, per_minute, start: now };
    setting.decide("gamma", sources, SETTLED_AFTER + SETTLED)
}

/// Decisions of the planner over calendars that have seen a week; the budget is a refresh of each source an
/// hour. The price is a share of the quality of all sources, so that of a few tells that of many.
pub(super) fn plan(count: usize) -> Result<Decisions> {
    let few = planning(FEW, 1e-3)?.decide("calendar", calendars(FEW)?, LONG)?;
    let price = few.threshold * FEW as f64 / count as f64;
    planning(count, price)?.decide("calendar", calendars(count)?, SETTLED_AFTER + SETTLED)
}

fn planning(count: usize, price: f64) -> Result<Setting> {
    let (strategy, threshold) = (StrategyKind::Plan, steady(price)?);
    Ok(Setting { strategy, threshold, per_minute: count as f64 / 60.0, start: START })
}

fn steady(value: f64) -> Result<Threshold, Invalid> {
    Threshold::new(value, Controller::Steady { horizon: HORIZON_CYCLES })
}

/// When virtual time begins.
const START: f64 = 1_000.0 * DAY;

fn calendars(count: usize) -> Result<Vec<(SourceId, Source)>> {
    let source = |number: usize| -> Result<(SourceId, Source)> {
        // Spread by multiples of irrational numbers: deterministic and without pattern.
        let spread = |factor: f64| (number as f64 * factor).fract();
        let daily = 0.5 + 40.0 * spread(0.618_033_988_75).powi(3);
        let mut model = ModelKind::Calendar.build(1.0 / DAY)?;
        for refresh in 0..84 {
            let at = START - (84 - refresh) as f64 * 2.0 * HOUR;
            let items = (daily / 12.0 + spread(0.414_213_562_37 + f64::from(refresh))) as u32;
            let dates: Vec<f64> =
                (0..items).map(|n| at - HOUR + f64::from(n) * HOUR / f64::from(items)).collect();
            model.learn(&observation(at, at - 2.0 * HOUR, &dates));
        }
        let last = Some(START - HOUR * spread(0.732_050_807_57));
        Ok((SourceId(number as u32), Source { last, ..Source::new(model, 20) }))
    };
    (0..count).map(source).collect()
}

/// How it is decided.
struct Setting {
    strategy: StrategyKind,
    threshold: Threshold,
    per_minute: f64,
    start: f64,
}

impl Setting {
    fn decide(
        self,
        model: &str,
        mut sources: Vec<(SourceId, Source)>,
        cycles: usize,
    ) -> Result<Decisions> {
        let Self { strategy, threshold, per_minute, start } = self;
        let purse = Purse::new(BudgetRule::Refreshes { per_minute }, None, CYCLE);
        let mut roster = Roster::new(strategy, Taste::default(), Some(threshold), purse)?;
        let lane = Lanes::new(LaneRules::new(0.0, 1, 1)).lane_of(&Url::parse("http://a.example/")?);
        sources.sort_unstable_by_key(|(id, _)| *id);
        for (id, source) in &sources {
            roster.add(*id, &id.0.to_string(), lane, source.clone(), 0.0)?;
        }
        let clock = Clock::real();
        let (mut took, mut used) = (Vec::with_capacity(cycles), Vec::with_capacity(cycles));
        for cycle in 0..cycles {
            let now = start + cycle as f64 * CYCLE;
            let (before, used_before) = (clock.now(), thread_milliseconds());
            let chosen = roster.decide(now);
            used.push(thread_milliseconds() - used_before);
            took.push(1e3 * (clock.now() - before));
            for (id, _) in chosen {
                let Ok(place) = sources.binary_search_by_key(&id, |(id, _)| *id) else { continue };
                let source = &mut sources[place].1;
                let since = source.last.unwrap_or(now - HOUR);
                // What is expected has been published, whole items at an even pace.
                let items = source.model.expected(since, now) + (now * 0.618_033_988_75).fract();
                let dates: Vec<f64> = (1..=items as u32)
                    .map(|n| since + (now - since) * f64::from(n) / (items as u32 + 1) as f64)
                    .collect();
                let seen = observation(now, since, &dates);
                source.model.learn(&seen);
                source.last = Some(now);
                roster.settle(id, Some((source.clone(), &seen)), now)?;
            }
        }
        Ok(Decisions {
            strategy: strategy.name().to_owned(),
            model: model.to_owned(),
            sources: sources.len(),
            budget: per_minute * CYCLE / 60.0,
            searching: mean(&used[..SEARCHING.min(cycles)]),
            settled: mean(&used[cycles.saturating_sub(SETTLED)..]),
            settled_clock: median(&took[cycles.saturating_sub(SETTLED)..]),
            longest: used.iter().copied().fold(0.0, f64::max),
            threshold: roster.threshold().value(),
        })
    }
}

/// CPU time of this thread; the system brings it up to date now and then, so only means are true.
fn thread_milliseconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|text| text.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e6
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len().max(1) as f64
}

fn observation(at: f64, since: f64, dates: &[f64]) -> Observation<'_> {
    let new_items = u32::try_from(dates.len()).unwrap_or(u32::MAX);
    let censored = false;
    Observation { at, since: Some(since), new_items, window: 20, censored, dates }
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

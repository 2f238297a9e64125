//! What one decision costs, in virtual time and without a network: the roster decides, every source
//! chosen is looked at instantly and has published what its model expects.

use anyhow::Result;
use pergola_refresh::{
    DAY, HOUR, ModelKind, Observation, PublicationModel, Source, StrategyKind, Taste,
};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::archive::{Archive, SourceId};
use crate::clock::Clock;
use crate::config::{self, BudgetRule, Config};
use crate::crawl::budget::Purse;
use crate::crawl::lanes::{LaneRules, Lanes};
use crate::crawl::roster::Roster;

/// Seconds between two decisions, as a node has it.
const CYCLE: f64 = 10.0;
/// Cycles while τ is being found, and cycles after it was.
const SEARCHING: usize = 60;
const SETTLED_AFTER: usize = 300;
const SETTLED: usize = 200;

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
    /// Median while τ is searched.
    pub searching: f64,
    /// Median once it is found.
    pub settled: f64,
    /// The longest of all.
    pub worst: f64,
}

/// Decisions over the sources that a folder holds, as its node would make them.
pub(super) fn as_stored(archive: &Archive, config: &Config, now: f64) -> Result<Decisions> {
    let mut sources = Vec::new();
    archive.each_state(|id, state| sources.push((id, state.schedule)))?;
    let per_minute = Purse::new(&config.budget, CYCLE).per_minute();
    decide(StrategyKind::TwoSteps, ModelKind::Gamma, sources, per_minute, now)
}

/// Decisions of the planner over calendars that have seen a week; every source is wanted once an hour.
pub(super) fn plan(count: usize) -> Result<Decisions> {
    let now = 1_000.0 * DAY;
    let source = |number: usize| -> Result<(SourceId, Source)> {
        // Spread by multiples of irrational numbers: deterministic and without pattern.
        let spread = |factor: f64| (number as f64 * factor).fract();
        let daily = 0.5 + 40.0 * spread(0.618_033_988_75).powi(3);
        let mut model = ModelKind::Calendar.build(1.0 / DAY)?;
        for look in 0..84 {
            let at = now - (84 - look) as f64 * 2.0 * HOUR;
            let items = (daily / 12.0 + spread(0.414_213_562_37 + f64::from(look))) as u32;
            let dates: Vec<f64> =
                (0..items).map(|n| at - HOUR + f64::from(n) * HOUR / f64::from(items)).collect();
            model.learn(&observation(at, at - 2.0 * HOUR, &dates));
        }
        let last = Some(now - HOUR * spread(0.732_050_807_57));
        Ok((SourceId(number as u32), Source { last, ..Source::new(model, 20) }))
    };
    let sources = (0..count).map(source).collect::<Result<Vec<_>>>()?;
    decide(StrategyKind::Plan, ModelKind::Calendar, sources, count as f64 / 60.0, now)
}

fn decide(
    strategy: StrategyKind,
    model: ModelKind,
    mut sources: Vec<(SourceId, Source)>,
    per_minute: f64,
    start: f64,
) -> Result<Decisions> {
    let budget = config::Budget { rule: BudgetRule::Refreshes { per_minute }, burst: None };
    let purse = Purse::new(&budget, CYCLE);
    let mut roster = Roster::new(strategy, Taste::default(), None, purse)?;
    let lane = Lanes::new(LaneRules::new(0.0, 1, 1)).lane_of(&Url::parse("http://a.example/")?);
    sources.sort_unstable_by_key(|(id, _)| *id);
    for (id, source) in &sources {
        roster.add(*id, &id.0.to_string(), lane, source.clone(), 0.0)?;
    }
    let clock = Clock::real();
    let mut took = Vec::with_capacity(SETTLED_AFTER + SETTLED);
    for cycle in 0..SETTLED_AFTER + SETTLED {
        let now = start + cycle as f64 * CYCLE;
        let before = clock.now();
        let chosen = roster.decide(now);
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
        model: model.name().to_owned(),
        sources: sources.len(),
        budget: per_minute * CYCLE / 60.0,
        searching: median(&took[1..SEARCHING]),
        settled: median(&took[SETTLED_AFTER..]),
        worst: took.iter().copied().fold(0.0, f64::max),
    })
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

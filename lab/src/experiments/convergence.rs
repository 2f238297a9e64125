//! Figure 4.4: the threshold converges from starts far too low and far too high, and again after every source has
//! doubled its rate; with the published rule and with that of the product.

use pergola_refresh::{HOUR, Invalid, StrategyKind, Taste};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::simulate::{Knowing, Manner, Outcome, Run};
use crate::trials::{Lab, Spread};
use crate::world::World;

const BUDGET: f64 = 30.0;
/// All rates double at this cycle.
const DOUBLING: usize = 400;
const CYCLES: usize = 700;
/// Starts, as multiples of the settled value.
const STARTS: [f64; 5] = [0.001, 0.1, 1.0, 10.0, 1000.0];
/// Spending is averaged over this many cycles before it is compared with the corridor.
const SMOOTHING: usize = 10;

/// The two rules for the threshold, and the upper end of their corridors.
const RULES: [(&str, f64); 2] = [("literal", 1.0), ("steady", 1.1)];

fn manner(rule: &str, threshold: f64) -> Manner {
    match rule {
        "literal" => Manner::Literal { threshold },
        _ => Manner::Steady { horizon: 100.0, threshold },
    }
}

/// Cycles from `from` until the smoothed spending is between 0.9·b and `most`·b again; zero if it never left that
/// corridor within twice the smoothing.
fn back_in_corridor(spent: &[u32], from: usize, most: f64) -> Option<usize> {
    let inside = |cycle: usize| {
        let start = cycle.saturating_sub(SMOOTHING / 2).max(from);
        let around = &spent[start..(cycle + SMOOTHING / 2).min(spent.len())];
        let mean = f64::from(around.iter().sum::<u32>()) / around.len() as f64;
        mean >= 0.9 * BUDGET && mean <= most * BUDGET
    };
    let upset = (from..spent.len()).take(2 * SMOOTHING).find(|&cycle| !inside(cycle));
    match upset {
        None => Some(0),
        Some(upset) => (upset..spent.len()).find(|&cycle| inside(cycle)).map(|cycle| cycle - from),
    }
}

/// How one start settled in one world.
struct Settling {
    /// The first cycle in the corridor.
    touch: f64,
    /// The first cycle after which smoothed spending is in the corridor.
    first: f64,
    after_doubling: f64,
    outcome: Outcome,
}

/// Figure 4.4.
pub(crate) fn figure_4_4(lab: &Lab) -> Result<Report, Invalid> {
    let worlds = lab.for_each_seed(|seed| settlings(lab, seed))?;
    let notes = vec![
        format!(
            "{} worlds from seed {}; all rates double at cycle {DOUBLING}. The corridor is 0.9·b \
             to b for the literal rule, within a tenth of b for the steady one, and it stays there by the \
             mean of the {SMOOTHING} cycles around.",
            lab.seeds, lab.seed
        ),
        "From 1/1000 or 1000 times, steps of 5 % need ln 1000 / ln 1.05 = 142 cycles.".to_owned(),
    ];
    let charts = RULES.iter().enumerate().map(|(n, (rule, _))| chart(rule, n, &worlds)).collect();
    let title = "Figure 4.4: τ finds its value from any start (2Steps, b = 30)";
    Ok(rows(&worlds).report(title, notes, charts, json!({})))
}

/// One world from every start, by rule.
fn settlings(lab: &Lab, seed: u64) -> Result<Vec<Settling>, Invalid> {
    let world = World::published(seed, 0, CYCLES, Some(DOUBLING));
    let run = |rule, threshold| {
        let run = Run {
            strategy: StrategyKind::TwoSteps,
            budget: BUDGET,
            knowing: Knowing::Truth,
            manner: manner(rule, threshold),
            taste: Taste::default(),
            in_window: false,
        };
        lab.simulate(&world, &run)
    };
    let mut settlings = Vec::new();
    for (rule, most) in RULES {
        let settled = median(&run(rule, 10.0 * HOUR)?.thresholds[DOUBLING / 2..DOUBLING]);
        for start in STARTS {
            settlings.push(Settling::new(run(rule, start * settled)?, most));
        }
    }
    Ok(settlings)
}

impl Settling {
    fn new(outcome: Outcome, most: f64) -> Self {
        let cycles = |from, until: usize| {
            back_in_corridor(&outcome.spent[..until], from, most)
                .map_or(f64::INFINITY, |cycles| cycles as f64)
        };
        let (first, after_doubling) = (cycles(0, DOUBLING), cycles(DOUBLING, CYCLES));
        let corridor = 0.9 * BUDGET..=most * BUDGET;
        let touch = outcome.spent.iter().position(|&s| corridor.contains(&f64::from(s)));
        let touch = touch.map_or(f64::INFINITY, |cycle| cycle as f64);
        Self { touch, first, after_doubling, outcome }
    }
}

fn rows(worlds: &[Vec<Settling>]) -> Rows {
    let headings = [
        "start / settled",
        "first in corridor",
        "stays in corridor",
        "worst",
        "after doubling",
        "worst ",
    ];
    let mut rows = Rows::new(&["rule"], &headings);
    let settings = RULES.iter().flat_map(|&(rule, _)| STARTS.map(|start| (rule, start)));
    for (n, (rule, start)) in settings.enumerate() {
        let spread = |figure: fn(&Settling) -> f64| Spread::of(worlds, |w| figure(&w[n]));
        let worst =
            |figure: fn(&Settling) -> f64| worlds.iter().map(|w| figure(&w[n])).fold(0.0, f64::max);
        let touch = spread(|settling| settling.touch);
        let first = spread(|settling| settling.first);
        let after = spread(|settling| settling.after_doubling);
        let (worst_first, worst_after) = (worst(|s| s.first), worst(|s| s.after_doubling));
        let cells = vec![
            Cell::text(rule),
            Cell::number(start, 3),
            touch.cell(1),
            first.cell(1),
            Cell::number(worst_first, 0),
            after.cell(1),
            Cell::number(worst_after, 0),
        ];
        let row = json!({
            "rule": rule, "start": start, "first_cycle_in_corridor": touch.mean,
            "cycles_to_corridor": first.mean, "worst_cycles_to_corridor": worst_first,
            "cycles_after_doubling": after.mean, "worst_cycles_after_doubling": worst_after,
        });
        rows.push(cells, row);
    }
    rows
}

/// τ over time in the first world, one line per start.
fn chart(rule: &str, number: usize, worlds: &[Vec<Settling>]) -> Chart {
    let series = STARTS.iter().enumerate().map(|(n, start)| {
        let outcome = &worlds[0][number * STARTS.len() + n].outcome;
        let points = outcome.thresholds.iter().enumerate();
        let points = points.map(|(cycle, &tau)| (cycle as f64, tau / HOUR)).collect();
        Series::new(format!("start × {start}"), Style::Line, points)
    });
    Chart {
        title: format!("{rule} rule"),
        x: Axis::new("cycle", Scale::Linear),
        y: Axis::new("τ (items × cycles)", Scale::Log),
        series: series.collect(),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corridor_is_found_again_only_once_spending_is_back_in_it() {
        let mut spent = vec![100; 20];
        spent.extend([29; 30]);
        // The cycles around must all be cheap before their mean is.
        assert_eq!(back_in_corridor(&spent, 0, 1.0), Some(25));
        assert_eq!(back_in_corridor(&[100; 50], 0, 1.0), None);
        assert_eq!(back_in_corridor(&[29; 50], 0, 1.0), Some(0));
    }
}

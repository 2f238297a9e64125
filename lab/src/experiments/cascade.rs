//! `cascade`: what each hop of a chain of five nodes costs in completeness and delay, and what hints, notices,
//! archive paging and push save, at equal budgets.

use pergola_refresh::{Invalid, ModelKind, StrategyKind};
use serde_json::{Value, json};

use crate::cascade::{Chain, Hop, Mode};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

const DEPTH: usize = 5;
/// Decisions per cycle of nodes that decide often; the product's do every ten seconds.
const OFTEN: usize = 4;
/// Hops that the table shows; the JSON has all.
const SHOWN: [usize; 3] = [1, 3, 5];

/// The chain: rates below three items per cycle, windows of ten, .35 refreshes per source and cycle.
fn chain(&(strategy, _, decisions): &Contestant) -> Chain {
    Chain {
        depth: DEPTH,
        relayed: 20,
        private: 30,
        window: 10,
        highest_rate: 3.0,
        budget: 0.35,
        decisions,
        warmup: 400,
        measured: 600,
        strategy,
        model: ModelKind::Gamma,
    }
}

/// What is read off a hop.
type Figure = fn(&Hop) -> f64;
/// A strategy, what neighbours do for each other, and decisions per cycle.
type Contestant = (StrategyKind, Mode, usize);

/// Who plays: 2Steps in every mode; then the index and the planner, and nodes that decide more often, where
/// hints can make a difference.
fn contestants() -> Vec<Contestant> {
    let two_steps = Mode::ALL.map(|mode| (StrategyKind::TwoSteps, mode, 1));
    let others = [
        (StrategyKind::Index, 1),
        (StrategyKind::Plan, 1),
        (StrategyKind::TwoSteps, OFTEN),
        (StrategyKind::Plan, OFTEN),
    ];
    let both =
        |(strategy, decisions)| [Mode::Pull, Mode::Hints].map(|mode| (strategy, mode, decisions));
    two_steps.into_iter().chain(others.into_iter().flat_map(both)).collect()
}

/// What the cruder simulation foretold with which the contract between nodes was designed, at hops 1, 3 and
/// 5: completeness, mean delay in cycles, share held.
fn foretold(mode: Mode) -> [[f64; 3]; 3] {
    match mode {
        Mode::Pull => [[0.978, 0.937, 0.860], [0.9, 3.6, 6.3], [0.86, 0.51, 0.30]],
        Mode::Hints => [[0.978, 0.962, 0.924], [0.9, 3.5, 6.0], [0.86, 0.52, 0.31]],
        Mode::Notice => [[0.978, 0.966, 0.964], [0.9, 3.1, 5.2], [0.86, 0.55, 0.36]],
        Mode::Archive => [[0.978, 0.978, 0.978], [0.9, 3.6, 6.3], [0.86, 0.52, 0.32]],
        Mode::NoticeArchive => [[0.978, 0.978, 0.978], [0.9, 3.0, 5.1], [0.86, 0.57, 0.37]],
        Mode::Push => [[0.978, 0.978, 0.978], [0.9, 0.9, 0.9], [0.86, 0.86, 0.86]],
    }
}

/// `cascade`.
pub(crate) fn cascade(lab: &Lab) -> Result<Report, Invalid> {
    let contestants = contestants();
    let worlds: Vec<Vec<Vec<Hop>>> = lab.for_each_seed(|seed| {
        let play = |contestant: &Contestant| {
            let chain = chain(contestant);
            lab.count(chain.work());
            chain.play(contestant.1, seed)
        };
        contestants.iter().map(play).collect()
    })?;
    let spread = |contestant: usize, hop: usize, figure: Figure| {
        Spread::of(&worlds, |hops| figure(&hops[contestant][hop - 1]))
    };
    let mut table =
        Table { columns: ["strategy", "mode"].map(Column::left).to_vec(), rows: Vec::new() };
    let columns =
        ["decisions", "hop", "complete", "of", "delay", "of", "median", "held", "of", "requests"];
    table.columns.extend(columns.map(Column::right));
    let mut rows = Vec::new();
    for (n, &(strategy, mode, decisions)) in contestants.iter().enumerate() {
        for hop in 1..=DEPTH {
            let figures = [
                spread(n, hop, |hop| hop.completeness),
                spread(n, hop, |hop| hop.delay.mean),
                spread(n, hop, |hop| hop.held),
            ];
            let median = spread(n, hop, |hop| hop.delay.median);
            let requests = spread(n, hop, |hop| hop.requests);
            rows.push(json!({
                "strategy": strategy.name(), "mode": mode.name(), "decisions": decisions, "hop": hop,
                "completeness": figures[0].mean, "delay_mean": figures[1].mean,
                "delay_median": median.mean, "held": figures[2].mean, "requests": requests.mean,
            }));
            let Some(shown) = SHOWN.iter().position(|&shown| shown == hop) else { continue };
            let told = |figure: usize, decimals: usize| match (strategy, decisions) {
                (StrategyKind::TwoSteps, 1) => {
                    Cell::Number { value: foretold(mode)[figure][shown], decimals }
                }
                _ => Cell::Empty,
            };
            table.rows.push(vec![
                Cell::Text(strategy.name().to_owned()),
                Cell::Text(mode.name().to_owned()),
                Cell::Integer(decisions as i64),
                Cell::Integer(hop as i64),
                figures[0].cell(3),
                told(0, 3),
                figures[1].cell(2),
                told(1, 1),
                median.cell(2),
                figures[2].cell(2),
                told(2, 2),
                requests.cell(3),
            ]);
        }
    }
    let ratios = ratios(&contestants, |n, figure| spread(n, DEPTH, figure).mean);
    let mut notes = vec![
        format!(
            "{DEPTH} nodes in a chain, each with 20 relayed and 30 private sources of at most 3 items per \
             cycle, windows of 10, .35 refreshes per source and cycle, deciding once or {OFTEN} times \
             a cycle at moments of its own; delays in cycles, requests per relayed source and cycle; {} worlds from seed {}.",
            lab.seeds, lab.seed
        ),
        "Of: what a cruder simulation had foretold, where hints told mean rates only.".to_owned(),
    ];
    notes.extend(ratios.iter().map(|ratio| {
        format!(
            "{}, {} decisions a cycle, hints over pull at hop {DEPTH}: median delay {:.2}, mean delay \
             {:.2}, requests {:.2}.",
            ratio["strategy"].as_str().unwrap_or_default(),
            ratio["decisions"].as_u64().unwrap_or_default(),
            ratio["delay_median"].as_f64().unwrap_or_default(),
            ratio["delay_mean"].as_f64().unwrap_or_default(),
            ratio["requests"].as_f64().unwrap_or_default(),
        )
    }));
    let figures: [(&str, Figure); 3] = [
        ("completeness", |hop| hop.completeness),
        ("mean delay (cycles)", |hop| hop.delay.mean),
        ("share of the window held", |hop| hop.held),
    ];
    let charts = figures.map(|(name, figure)| {
        let ours = contestants
            .iter()
            .enumerate()
            .filter(|(_, who)| who.0 == StrategyKind::TwoSteps && who.2 == 1);
        let series = ours.map(|(n, (_, mode, _))| {
            let points = (1..=DEPTH).map(|hop| (hop as f64, spread(n, hop, figure).mean));
            Series::new(mode.name(), Style::Line, points.collect()).emphasised(*mode == Mode::Hints)
        });
        Chart {
            title: name.to_owned(),
            x: Axis::new("hop", Scale::Linear),
            y: Axis::new(name, Scale::Linear),
            series: series.collect(),
        }
    });
    Ok(Report {
        title: "A chain of five nodes, by what neighbours do for each other".to_owned(),
        notes,
        table,
        json: json!({ "rows": rows, "hints_over_pull": ratios }),
        charts: charts.into(),
    })
}

/// Hints over plain pull at the last hop, wherever there are both.
fn ratios(contestants: &[Contestant], at_last_hop: impl Fn(usize, Figure) -> f64) -> Vec<Value> {
    let hints = contestants.iter().enumerate().filter(|(_, who)| who.1 == Mode::Hints);
    let both = |(hints, &(strategy, _, decisions)): (usize, &Contestant)| {
        let pull = (strategy, Mode::Pull, decisions);
        let pull = contestants.iter().position(|contestant| *contestant == pull)?;
        let ratio = |figure| at_last_hop(hints, figure) / at_last_hop(pull, figure);
        Some(json!({
            "strategy": strategy.name(),
            "decisions": decisions,
            "delay_median": ratio(|hop| hop.delay.median),
            "delay_mean": ratio(|hop| hop.delay.mean),
            "requests": ratio(|hop| hop.requests),
        }))
    };
    hints.filter_map(both).collect()
}

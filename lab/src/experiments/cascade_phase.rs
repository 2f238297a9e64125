//! `cascade-phase`: what is gained by refreshing just after the upstream has refreshed. First with nodes that
//! refresh everything once a cycle, where the answer is arithmetic: the wait at a hop is the time from the
//! upstream's refresh to one's own. Then with 2Steps, which has no period: a node cannot keep a phase to it, but
//! hints tell when its next refresh is.

use pergola_refresh::{Invalid, StrategyKind};
use serde_json::json;

use super::cascades::{Example, FigureRows, Findings, Study, play_all};
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::trials::{Lab, Spread};

const DEPTH: usize = 5;
/// From the upstream's moment to one's own, in cycles.
const PHASES: [f64; 7] = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98];
/// Decisions per cycle.
const DECISIONS: [usize; 5] = [1, 2, 4, 8, 16];

/// Nodes that refresh everything once a cycle: each so long after its upstream, or at random moments.
const PHASED: &str = "every cycle, phase";
const RANDOM: &str = "every cycle, at random";
/// Nodes that schedule with 2Steps: without and with hints.
const PULLED: &str = "2Steps, decisions";
const HINTED: &str = "2Steps and hints, decisions";

struct Contestant {
    who: &'static str,
    setting: f64,
    settings: Settings<'static>,
}

fn contestants() -> Vec<Contestant> {
    let usual = Settings { samples: 150, ..Settings::default() };
    let clocked = |moments| Settings {
        strategy: StrategyKind::Uniform,
        budget: 1.0,
        moments,
        ..usual.clone()
    };
    let moments = |phase: f64| (0..DEPTH).map(|hop| (hop as f64 * phase).fract()).collect();
    let mut all: Vec<Contestant> = PHASES
        .map(|phase| Contestant {
            who: PHASED,
            setting: phase,
            settings: clocked(Some(moments(phase))),
        })
        .into();
    all.push(Contestant { who: RANDOM, setting: 0.0, settings: clocked(None) });
    for decisions in DECISIONS {
        for (who, cooperation) in [(PULLED, Cooperation::NONE), (HINTED, Cooperation::HINTS)] {
            let settings = Settings { cooperation, decisions, ..usual.clone() };
            all.push(Contestant { who, setting: decisions as f64, settings });
        }
    }
    all
}

pub(crate) fn cascade_phase(lab: &Lab) -> Result<Study, Invalid> {
    let mesh = Mesh::new(Wiring::chain(DEPTH, Load::new(20, 30)));
    let contestants = contestants();
    let outcomes =
        play_all(lab, contestants.len(), |seed, n| mesh.play(&contestants[n].settings, seed))?;
    let mut rows = FigureRows::new(&["who", "setting", "hop"]);
    for (who, worlds) in contestants.iter().zip(&outcomes) {
        for hop in 1..=DEPTH {
            let decimals = if who.settings.strategy == StrategyKind::Uniform { 2 } else { 0 };
            let labels =
                vec![Cell::text(who.who), Cell::number(who.setting, decimals), Cell::text(hop)];
            rows.add(labels, worlds, &|outcome| &outcome.hops[hop - 1], hop == DEPTH);
        }
    }
    let shown = contestants.iter().position(|who| who.who == HINTED && who.setting == 4.0);
    let shown = shown.unwrap_or(0);
    let example = Example {
        mesh: &mesh,
        settings: &contestants[shown].settings,
        outcome: &outcomes[shown][0],
    };
    let picture = example.picture("A chain with hints", 28.0);
    let findings = Findings {
        title: "Refreshing just after the upstream".to_owned(),
        notes: vec![format!(
            "Five nodes in a chain; at hop {DEPTH}; delays in cycles; {} worlds from seed {}. Nodes that refresh once a \
             cycle spend 1 refresh per subscription and cycle, 2Steps .35.",
            lab.seeds, lab.seed
        )],
        rows: rows.rows,
        charts: charts(&contestants, &outcomes),
        json: json!({}),
    };
    Ok(example.study(findings, picture))
}

/// The wait at each hop after the first: by phase, and by decisions per cycle.
fn charts(contestants: &[Contestant], outcomes: &[Vec<Outcome>]) -> Vec<Chart> {
    let points = |who: &str| -> Vec<(f64, f64)> {
        let ours = contestants.iter().zip(outcomes).filter(|(other, _)| other.who == who);
        ours.map(|(other, worlds)| (other.setting, wait_per_hop(worlds))).collect()
    };
    let random = points(RANDOM).into_iter().flat_map(|(_, wait)| [(0.0, wait), (1.0, wait)]);
    let by_phase = vec![
        Series::new(PHASED, Style::Points, points(PHASED)),
        Series::new("by arithmetic", Style::Line, PHASES.map(|phase| (phase, phase)).to_vec()),
        Series::new("at random", Style::Dashed, random.collect()),
    ];
    let by_decisions =
        [PULLED, HINTED].map(|who| Series::new(who, Style::Line, points(who))).to_vec();
    let chart = |title: &str, label: &str, scale, series| Chart {
        title: title.to_owned(),
        x: Axis::new(label, scale),
        y: Axis::new("wait per hop (cycles)", Scale::Linear),
        series,
    };
    let phase = "from the upstream's moment to one's own (cycles)";
    vec![
        chart("nodes that refresh once a cycle", phase, Scale::Linear, by_phase),
        chart("2Steps at .35 refreshes a cycle", "decisions per cycle", Scale::Log, by_decisions),
    ]
}

/// Mean delay that each hop after the first adds, in cycles.
fn wait_per_hop(worlds: &[Outcome]) -> f64 {
    Spread::of(worlds, |outcome| {
        let delay = |hop: usize| outcome.hops[hop].delay.mean;
        (delay(DEPTH - 1) - delay(0)) / (DEPTH - 1) as f64
    })
    .mean
}

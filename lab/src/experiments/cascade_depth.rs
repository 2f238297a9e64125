//! `cascade-depth`: what each hop of a chain costs in completeness and delay, what cooperation saves, and how that
//! depends on load and fan-in. A node does not know its readers, so hop k of a chain of eight is also the end of a
//! chain of k.

use pergola_refresh::{Invalid, StrategyKind};
use serde_json::{Value, json};

use super::cascades::{Example, Figure, FigureRows, Findings, Study, by_hop, play_all};
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Publishing, Settings, Wiring};
use crate::report::Cell;
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const DEPTH: usize = 8;
/// The hop at which cases are compared with plain pulling.
const COMPARED: usize = 5;
/// Decisions per cycle of nodes that decide often; the product's do every ten seconds.
const OFTEN: usize = 4;
/// Hops in the table; the JSON has all.
const SHOWN: [usize; 4] = [1, 3, 5, 8];
const USUAL: Load = Load::new(20, 30);

struct Contestant {
    /// What is special about it. Hints and plain pulling of one case are compared.
    case: String,
    mesh: Mesh,
    settings: Settings<'static>,
}

fn contestant(case: &str, load: Load, settings: Settings<'static>) -> Contestant {
    let depth = if case == "usual" { DEPTH } else { COMPARED };
    Contestant { case: case.to_owned(), mesh: Mesh::new(Wiring::chain(depth, load)), settings }
}

/// Every mode in the usual chain; then plain pulling and hints in chains that differ from it in one thing.
fn contestants() -> Vec<Contestant> {
    let usual = Settings::default();
    let modes = Cooperation::LISTED.into_iter();
    let mut all: Vec<Contestant> = modes
        .map(|cooperation| contestant("usual", USUAL, Settings { cooperation, ..usual.clone() }))
        .collect();
    let often = Settings { decisions: OFTEN, ..usual.clone() };
    let rates = |highest| Settings { publishing: Publishing::Uniform(highest), ..often.clone() };
    let budget = |budget| Settings { budget, ..often.clone() };
    let by = |strategy, decisions| Settings { strategy, decisions, ..usual.clone() };
    let join = |fan_in: usize| {
        let settings = Settings { feed_window: 10 * fan_in, ..often.clone() };
        (Load { fan_in, ..USUAL }, settings)
    };
    let ((four, of_four), (twenty, of_twenty)) = (join(4), join(20));
    let cases = [
        ("4 decisions a cycle", USUAL, often.clone()),
        ("index", USUAL, by(StrategyKind::Index, 1)),
        ("plan", USUAL, by(StrategyKind::Plan, 1)),
        ("plan, 4 decisions", USUAL, by(StrategyKind::Plan, OFTEN)),
        ("rates < 1", USUAL, rates(1.0)),
        ("rates < 6.5", USUAL, rates(6.5)),
        ("budget .15", USUAL, budget(0.15)),
        ("budget .7", USUAL, budget(0.7)),
        ("no private sources", Load::new(20, 0), often.clone()),
        ("100 private sources", Load::new(20, 100), often.clone()),
        ("feeds of 4 sources", four, of_four),
        ("feeds of 20 sources", twenty, of_twenty),
    ];
    for (case, load, settings) in cases {
        for cooperation in [Cooperation::NONE, Cooperation::HINTS] {
            all.push(contestant(case, load, Settings { cooperation, ..settings.clone() }));
        }
    }
    all
}

pub(crate) fn cascade_depth(lab: &Lab) -> Result<Study, Invalid> {
    let contestants = contestants();
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        contestants[n].mesh.play(&contestants[n].settings, seed)
    })?;
    let ratios = ratios(&contestants, &outcomes);
    let usual = contestants.iter().zip(&outcomes).filter(|(who, _)| who.case == "usual");
    let named: Vec<(String, &[Outcome])> = usual
        .map(|(who, worlds)| (who.settings.cooperation.to_string(), worlds.as_slice()))
        .collect();
    let first = &contestants[0];
    let example =
        Example { mesh: &first.mesh, settings: &first.settings, outcome: &outcomes[0][0] };
    let picture = example.picture("A chain that pulls", 28.0);
    let findings = Findings {
        title: "Chains of one to eight nodes, by how neighbours cooperate".to_owned(),
        notes: notes(lab, &ratios),
        rows: rows(&contestants, &outcomes),
        charts: vec![
            by_hop("completeness", &named, |figures| figures.completeness),
            by_hop("freshness", &named, |figures| figures.freshness),
            by_hop("median delay (cycles)", &named, |figures| figures.delay.median),
        ],
        json: json!({ "hints_over_pull": ratios }),
    };
    Ok(example.study(findings, picture))
}

fn rows(contestants: &[Contestant], outcomes: &[Vec<Outcome>]) -> Rows {
    let mut rows = FigureRows::new(&["case", "mode", "hop"]);
    for (who, worlds) in contestants.iter().zip(outcomes) {
        for hop in 1..=worlds[0].hops.len() {
            let mode = Cell::text(who.settings.cooperation);
            let labels = vec![Cell::text(&who.case), mode, Cell::Integer(hop as i64)];
            let shown = if who.case == "usual" { SHOWN.contains(&hop) } else { hop == COMPARED };
            rows.add(labels, worlds, &|outcome| &outcome.hops[hop - 1], shown);
        }
    }
    rows.rows
}

fn notes(lab: &Lab, ratios: &[Value]) -> Vec<String> {
    let ratio = |ratio: &Value| {
        let case = ratio["case"].as_str().unwrap_or_default();
        format!("{case} {:.2}", ratio["delay_median"].as_f64().unwrap_or_default())
    };
    let ratios: Vec<String> = ratios.iter().map(ratio).collect();
    vec![
        format!(
            "A chain of nodes, each with 20 relayed and 30 private sources of at most 3 items per cycle, windows of \
             10, .35 refreshes per subscription and cycle, deciding once a cycle at moments of its own; delays in \
             cycles, requests per relayed feed and cycle; {} worlds from seed {}.",
            lab.seeds, lab.seed
        ),
        format!(
            "Median delay at hop {COMPARED}, hints over plain pulling: {}. All but the usual chain, index and plan \
             decide {OFTEN} times a cycle.",
            ratios.join("; ")
        ),
    ]
}

/// The ratio of hints to plain pulling, for each case that has both.
fn ratios(contestants: &[Contestant], outcomes: &[Vec<Outcome>]) -> Vec<Value> {
    let find = |case: &str, mode: Cooperation| {
        contestants.iter().position(|who| who.case == case && who.settings.cooperation == mode)
    };
    let mut cases: Vec<&str> = contestants.iter().map(|who| who.case.as_str()).collect();
    cases.dedup();
    let both = |case: &str| {
        let pull = find(case, Cooperation::NONE)?;
        let hints = find(case, Cooperation::HINTS)?;
        let mean = |n: usize, figure: Figure| {
            Spread::of(&outcomes[n], |outcome| figure(&outcome.hops[COMPARED - 1])).mean
        };
        let ratio = |figure| mean(hints, figure) / mean(pull, figure);
        Some(json!({
            "case": case,
            "delay_median": ratio(|figures| figures.delay.median),
            "delay_mean": ratio(|figures| figures.delay.mean),
            "requests": ratio(|figures| figures.requests),
            "pulled_delay_median": mean(pull, |figures| figures.delay.median),
            "completeness": mean(hints, |figures| figures.completeness),
            "pulled_completeness": mean(pull, |figures| figures.completeness),
        }))
    };
    cases.into_iter().filter_map(both).collect()
}

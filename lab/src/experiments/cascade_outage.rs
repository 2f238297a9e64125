//! `cascade-outage`: a node in the middle is down for a time. What do its readers lose, how long until they are as
//! fresh as before, and does a second path help?

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Example, Findings, Study, play_all};
use crate::mesh::{
    CYCLE, Cooperation, Follow, Load, Mesh, Network, Outage, Outcome, Settings, Wiring,
};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

/// How many cycles the node is down, and from which cycle on.
const AWAY: f64 = 40.0;
const GOES: f64 = 500.0;
/// A node has recovered if its freshness is within this of before.
const WITHIN: f64 = 0.05;

const MODES: [Cooperation; 5] = Cooperation::SWITCHES;

/// A mesh, the node that goes down, and the node behind it that is measured.
struct Setup {
    name: &'static str,
    mesh: Mesh,
    away: usize,
    behind: usize,
}

fn setups() -> [Setup; 2] {
    let load = Load::new(20, 20);
    [
        Setup { name: "chain", mesh: Mesh::new(Wiring::chain(4, load)), away: 1, behind: 3 },
        Setup { name: "diamond", mesh: Mesh::new(Wiring::diamond(load)), away: 1, behind: 3 },
    ]
}

fn settings(setup: &Setup, cooperation: Cooperation) -> Settings<'static> {
    let outage = Outage { node: setup.away, from: GOES, until: GOES + AWAY };
    Settings {
        cooperation,
        decisions: 4,
        measured: 300,
        samples: 300,
        network: Network { delay: 0.001 * CYCLE, loss: 0.0, outages: vec![outage] },
        follow: Some(Follow { source: None, from: GOES, until: GOES + AWAY }),
        ..Settings::default()
    }
}

/// How the node behind came through the outage.
struct Recovery {
    /// The share of the items published meanwhile that arrived.
    complete: f64,
    /// Their median delay, in cycles.
    median: f64,
    /// Freshness before the outage, and the lowest during it.
    before: f64,
    lowest: f64,
    /// Cycles after the return until it is as fresh as before.
    recovered: f64,
}

impl Recovery {
    fn new(outcome: &Outcome, settings: &Settings<'_>, node: usize) -> Self {
        let followed = outcome.followed.iter().filter(|followed| followed.node == node);
        let items: Vec<(f64, f64)> =
            followed.flat_map(|followed| followed.items.iter().copied()).collect();
        let mut waits: Vec<f64> =
            items.iter().map(|(out, came)| came - out).filter(|wait| wait.is_finite()).collect();
        waits.sort_by(f64::total_cmp);
        let course = &outcome.courses[node];
        let every = settings.sample_every();
        let sample = |cycle: f64| ((cycle - settings.warmup as f64) / every) as usize;
        let (goes, back) = (sample(GOES), sample(GOES + AWAY));
        let before = course[..goes].iter().sum::<f64>() / goes as f64;
        // Single samples vary too much; the mean of five cycles does not.
        let smooth = |at: usize| course[at..(at + 5).min(course.len())].iter().sum::<f64>() / 5.0;
        let recovered = (back..course.len() - 5).find(|&at| smooth(at) >= before - WITHIN);
        Self {
            complete: waits.len() as f64 / items.len().max(1) as f64,
            median: waits.get(waits.len() / 2).copied().unwrap_or(f64::NAN),
            before,
            lowest: course[goes..back].iter().copied().fold(f64::INFINITY, f64::min),
            recovered: recovered.map_or(f64::NAN, |at| (at - back) as f64 * every),
        }
    }
}

pub(crate) fn cascade_outage(lab: &Lab) -> Result<Study, Invalid> {
    let setups = setups();
    let contestants: Vec<(&Setup, Cooperation)> =
        setups.iter().flat_map(|setup| MODES.map(|mode| (setup, mode))).collect();
    let outcomes = play_all(lab, contestants.len(), |seed, n| {
        let (setup, mode) = contestants[n];
        setup.mesh.play(&settings(setup, mode), seed)
    })?;
    let headings = ["complete", "median", "fresh before", "lowest", "recovered after", "requests"];
    let mut rows = Rows::new(&["shape", "mode"], &headings);
    for (&(setup, mode), worlds) in contestants.iter().zip(&outcomes) {
        add_row(&mut rows, setup, mode, worlds);
    }
    let by_setup = setups.iter().zip(outcomes.chunks(MODES.len()));
    let settings = settings(&setups[0], MODES[0]);
    let example = Example { mesh: &setups[0].mesh, settings: &settings, outcome: &outcomes[0][0] };
    let title = "The second of four nodes is down from cycle 500 to 540";
    let picture = example.picture_of(title, (GOES - 10.0, GOES + AWAY + 25.0), 16);
    let findings = Findings {
        title: "A node is down: what its readers lose, and how they recover".to_owned(),
        notes: vec![format!(
            "One node is down for {AWAY} cycles: the second of four in a chain, or one of the two paths of a \
             diamond. At the last node: completeness and median delay (cycles) of the items published \
             meanwhile; freshness before, the lowest during the outage, and cycles after it until within \
             {WITHIN} of before. Each node with 20 relayed and 20 private sources, windows of 10, .35 refreshes per \
             subscription and cycle, four decisions a cycle, messages of {} seconds; {} worlds from seed {}.",
            0.001 * CYCLE,
            lab.seeds,
            lab.seed
        )],
        rows,
        charts: by_setup.map(|(setup, modes)| chart(setup, modes)).collect(),
        json: json!({}),
    };
    Ok(example.study(findings, picture))
}

fn add_row(rows: &mut Rows, setup: &Setup, mode: Cooperation, worlds: &[Outcome]) {
    let settings = settings(setup, mode);
    let all: Vec<Recovery> =
        worlds.iter().map(|outcome| Recovery::new(outcome, &settings, setup.behind)).collect();
    let complete = Spread::of(&all, |recovery| recovery.complete);
    let median = Spread::of(&all, |recovery| recovery.median);
    let before = Spread::of(&all, |recovery| recovery.before);
    let lowest = Spread::of(&all, |recovery| recovery.lowest);
    let recovered = Spread::of(&all, |recovery| recovery.recovered);
    let requests = Spread::of(worlds, |outcome| outcome.nodes[setup.behind].requests);
    let per_item = Spread::of(worlds, |outcome| outcome.nodes[setup.behind].requests_per_item);
    let cells = vec![
        Cell::text(setup.name),
        Cell::text(mode),
        complete.cell(3),
        median.cell(1),
        before.cell(2),
        lowest.cell(2),
        recovered.cell(1),
        requests.cell(3),
    ];
    let row = json!({
        "shape": setup.name, "mode": mode.to_string(), "completeness": complete.mean,
        "completeness_deviation": complete.deviation, "delay_median": median.mean,
        "freshness_before": before.mean, "freshness_lowest": lowest.mean,
        "recovered": recovered.mean, "requests": requests.mean,
        "requests_per_item": per_item.mean,
    });
    rows.push(cells, row);
}

/// The freshness of the node behind, around the outage; `outcomes` by mode.
fn chart(setup: &Setup, outcomes: &[Vec<Outcome>]) -> Chart {
    let series = MODES.iter().zip(outcomes).map(|(mode, worlds)| {
        let every = settings(setup, *mode).sample_every();
        let point = |sample: usize| {
            let held = Spread::of(worlds, |outcome| outcome.courses[setup.behind][sample]);
            (400.0 + (sample + 1) as f64 * every, held.mean)
        };
        Series::new(mode.to_string(), Style::Steps, (80..190).map(point).collect())
    });
    Chart {
        title: format!("{}: the last node while one before it is down", setup.name),
        x: Axis::new("cycle", Scale::Linear),
        y: Axis::new("freshness", Scale::Linear).within(0.0, 1.0),
        series: series.collect(),
    }
}

//! `cascade-burst`: one source publishes many items at once. How do they spread through a tree, and how many
//! are lost on the way?

use pergola_refresh::Invalid;
use serde_json::{Value, json};

use super::cascades::{Study, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Burst, Cooperation, Follow, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

const HOPS: u32 = 4;
const ITEMS: usize = 40;
/// Cycles after the burst that are shown.
const SHOWN: f64 = 20.0;

fn settings(cooperation: Cooperation) -> Settings<'static> {
    let usual = Settings::default();
    let at = usual.warmup as f64 + 100.0;
    Settings {
        // The source shows the whole burst, feeds half of it.
        window: 50,
        feed_window: ITEMS / 2,
        decisions: 4,
        measured: 200,
        samples: 800,
        burst: Some(Burst { source: 0, at, items: ITEMS }),
        follow: Some(Follow { source: Some(0), from: at, until: at + 1.0 }),
        cooperation,
        ..usual
    }
}

/// What came of the burst at one hop.
struct Spreading {
    /// Share of its items that came at all.
    came: f64,
    /// Cycles from the publication of an item to its arrival, over those that came.
    median: f64,
    /// Cycles from the burst's beginning until nine tenths of what came was there.
    most: f64,
    /// The share that is there, by cycles after its beginning.
    course: Vec<(f64, f64)>,
}

fn spreading(outcome: &Outcome, hop: u32, at: f64) -> Spreading {
    let ways = outcome.followed.iter().filter(|followed| followed.hops == hop);
    let items: Vec<(f64, f64)> = ways.flat_map(|followed| followed.items.iter().copied()).collect();
    let mut waits: Vec<f64> =
        items.iter().filter(|(_, came)| came.is_finite()).map(|(out, came)| came - out).collect();
    let mut arrivals: Vec<f64> =
        items.iter().map(|(_, came)| came - at).filter(|came| came.is_finite()).collect();
    waits.sort_by(f64::total_cmp);
    arrivals.sort_by(f64::total_cmp);
    let rank = |sorted: &[f64], share: f64| {
        let place = (sorted.len() as f64 * share).ceil() as usize;
        sorted.get(place.max(1) - 1).copied().unwrap_or(f64::NAN)
    };
    let share =
        |now: f64| arrivals.partition_point(|&came| came <= now) as f64 / items.len().max(1) as f64;
    let steps = (0..=80).map(|step| f64::from(step) * SHOWN / 80.0);
    Spreading {
        came: arrivals.len() as f64 / items.len().max(1) as f64,
        median: rank(&waits, 0.5),
        most: rank(&arrivals, 0.9),
        course: steps.map(|now| (now, share(now))).collect(),
    }
}

/// The share of the burst that each node has, cycle by cycle.
fn picture(mesh: &Mesh, outcome: &Outcome, at: f64) -> Picture {
    let moment = |cycle: u32| {
        let now = at + f64::from(cycle);
        let mut held = vec![0.0; mesh.wiring.nodes.len()];
        for followed in &outcome.followed {
            let here = followed.items.iter().filter(|(_, came)| *came <= now).count();
            held[followed.node] = here as f64 / followed.items.len().max(1) as f64;
        }
        (now, held)
    };
    let title = "A burst at one source, plain pulling: the share of it that each node has";
    Picture::of(title, mesh, (0..16).map(moment).collect())
}

/// `cascade-burst`.
pub(crate) fn cascade_burst(lab: &Lab) -> Result<Study, Invalid> {
    let mesh = Mesh::new(Wiring::tree(3, HOPS as usize, Load::new(10, 10)));
    let modes = Cooperation::SWITCHES;
    let outcomes = play_all(lab, modes.len(), |seed, n| mesh.play(&settings(modes[n]), seed))?;
    let at = settings(modes[0]).burst.map_or(0.0, |burst| burst.at);
    let mut columns: Vec<Column> = ["mode", "hop"].map(Column::left).to_vec();
    columns.extend(["arrived", "median", "nine tenths after", "fresh"].map(Column::right));
    let mut table = Table { columns, rows: Vec::new() };
    let mut rows: Vec<Value> = Vec::new();
    let mut charts = Vec::new();
    for (mode, worlds) in modes.iter().zip(&outcomes) {
        let mut series = Vec::new();
        for hop in 1..=HOPS {
            let spreads: Vec<Spreading> =
                worlds.iter().map(|outcome| spreading(outcome, hop, at)).collect();
            let came = Spread::of(&spreads, |spread| spread.came);
            let median = Spread::of(&spreads, |spread| spread.median);
            let most = Spread::of(&spreads, |spread| spread.most);
            let fresh = Spread::of(worlds, |outcome| outcome.hops[hop as usize - 1].freshness);
            rows.push(json!({
                "mode": mode.to_string(), "hop": hop, "arrived": came.mean,
                "arrived_deviation": came.deviation, "delay_median": median.mean,
                "nine_tenths": most.mean, "freshness": fresh.mean,
                "completeness":
                    Spread::of(worlds, |outcome| outcome.hops[hop as usize - 1].completeness).mean,
                "requests_per_item": Spread::of(worlds, |outcome| {
                    outcome.hops[hop as usize - 1].requests_per_item
                }).mean,
            }));
            table.rows.push(vec![
                text(mode),
                Cell::Integer(i64::from(hop)),
                came.cell(3),
                median.cell(2),
                most.cell(2),
                fresh.cell(3),
            ]);
            let point = |step: usize| {
                let mean = Spread::of(&spreads, |spread| spread.course[step].1).mean;
                (spreads[0].course[step].0, mean)
            };
            let points = (0..spreads[0].course.len()).map(point).collect();
            series.push(Series::new(format!("hop {hop}"), Style::Steps, points));
        }
        charts.push(Chart {
            title: mode.to_string(),
            x: Axis::new("cycles after the burst began", Scale::Linear),
            y: Axis::new("share of the burst that is there", Scale::Linear).within(0.0, 1.0),
            series,
        });
    }
    let (settings, played) = (settings(modes[0]), &outcomes[0][0]);
    charts.push(thresholds(&mesh.depths, &settings, played));
    Ok(Study {
        picture: picture(&mesh, played, at),
        report: Report {
            title: "A burst at one source, and how it spreads".to_owned(),
            notes: vec![format!(
                "One of ten relayed sources publishes {ITEMS} items within a cycle. A tree of 1, 3, 9 and 27 nodes, \
                 sources that show 50 items, feeds that show {}, .35 refreshes per subscription and cycle, four \
                 decisions a cycle; arrived: share of the burst; delays in cycles; {} worlds from seed {}.",
                ITEMS / 2,
                lab.seeds,
                lab.seed
            )],
            table,
            json: json!({ "rows": rows, "thresholds": thresholds_json(&settings, played) }),
            charts,
        },
    })
}

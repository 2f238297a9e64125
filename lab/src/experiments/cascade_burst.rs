//! `cascade-burst`: one source publishes many items at once. How do they spread through a tree, and how many are
//! lost?

use pergola_refresh::Invalid;
use serde_json::json;

use super::cascades::{Example, Figure, Findings, Study, play_all};
use crate::mesh::picture::Picture;
use crate::mesh::{Burst, Cooperation, Follow, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Cell, Chart, Scale, Series, Style};
use crate::rows::Rows;
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

/// How the burst arrived at one hop of one world.
struct Arrivals {
    /// Share of its items that arrived at all.
    share: f64,
    /// Median delay in cycles of the items that arrived.
    median: f64,
    /// Cycles from the start of the burst until nine tenths of these had arrived.
    most: f64,
    /// Cycles after the start of the burst, and the share that had arrived by then.
    course: Vec<(f64, f64)>,
}

impl Arrivals {
    fn new(outcome: &Outcome, hop: u32, at: f64) -> Self {
        let followed = outcome.followed.iter().filter(|followed| followed.hops == hop);
        let items: Vec<(f64, f64)> =
            followed.flat_map(|followed| followed.items.iter().copied()).collect();
        let arrived = items.iter().filter(|(_, came)| came.is_finite());
        let mut waits: Vec<f64> = arrived.clone().map(|(out, came)| came - out).collect();
        let mut arrivals: Vec<f64> = arrived.map(|(_, came)| came - at).collect();
        waits.sort_by(f64::total_cmp);
        arrivals.sort_by(f64::total_cmp);
        let rank = |sorted: &[f64], share: f64| {
            let rank = (sorted.len() as f64 * share).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
        };
        let all = items.len().max(1) as f64;
        let share = |now: f64| arrivals.partition_point(|&came| came <= now) as f64 / all;
        let steps = (0..=80).map(|step| f64::from(step) * SHOWN / 80.0);
        Self {
            share: arrivals.len() as f64 / all,
            median: rank(&waits, 0.5),
            most: rank(&arrivals, 0.9),
            course: steps.map(|now| (now, share(now))).collect(),
        }
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

pub(crate) fn cascade_burst(lab: &Lab) -> Result<Study, Invalid> {
    let mesh = Mesh::new(Wiring::tree(3, HOPS as usize, Load::new(10, 10)));
    let modes = Cooperation::SWITCHES;
    let outcomes = play_all(lab, modes.len(), |seed, n| mesh.play(&settings(modes[n]), seed))?;
    let at = settings(modes[0]).burst.map_or(0.0, |burst| burst.at);
    let mut rows =
        Rows::new(&["mode", "hop"], &["arrived", "median", "nine tenths after", "fresh"]);
    let mut charts = Vec::new();
    for (mode, worlds) in modes.iter().zip(&outcomes) {
        let mut series = Vec::new();
        for hop in 1..=HOPS {
            let arrivals: Vec<Arrivals> =
                worlds.iter().map(|outcome| Arrivals::new(outcome, hop, at)).collect();
            add_row(&mut rows, *mode, hop, worlds, &arrivals);
            series.push(mean_course(hop, &arrivals));
        }
        charts.push(Chart {
            title: mode.to_string(),
            x: Axis::new("cycles after the burst began", Scale::Linear),
            y: Axis::new("share of the burst that has arrived", Scale::Linear).within(0.0, 1.0),
            series,
        });
    }
    let settings = settings(modes[0]);
    let example = Example { mesh: &mesh, settings: &settings, outcome: &outcomes[0][0] };
    let findings = Findings {
        title: "A burst at one source, and how it spreads".to_owned(),
        notes: vec![format!(
            "One of ten relayed sources publishes {ITEMS} items within a cycle. A tree of 1, 3, 9 and 27 nodes, \
             sources that show 50 items, feeds that show {}, .35 refreshes per subscription and cycle, four \
             decisions a cycle; arrived: share of the burst; delays in cycles; {} worlds from seed {}.",
            ITEMS / 2,
            lab.seeds,
            lab.seed
        )],
        rows,
        charts,
        json: json!({}),
    };
    Ok(example.study(findings, picture(&mesh, example.outcome, at)))
}

fn add_row(
    rows: &mut Rows,
    mode: Cooperation,
    hop: u32,
    worlds: &[Outcome],
    arrivals: &[Arrivals],
) {
    let share = Spread::of(arrivals, |arrivals| arrivals.share);
    let median = Spread::of(arrivals, |arrivals| arrivals.median);
    let most = Spread::of(arrivals, |arrivals| arrivals.most);
    let at_hop =
        |figure: Figure| Spread::of(worlds, |outcome| figure(&outcome.hops[hop as usize - 1]));
    let fresh = at_hop(|figures| figures.freshness);
    let cells = vec![
        Cell::text(mode),
        Cell::Integer(i64::from(hop)),
        share.cell(3),
        median.cell(2),
        most.cell(2),
        fresh.cell(3),
    ];
    let row = json!({
        "mode": mode.to_string(), "hop": hop, "arrived": share.mean,
        "arrived_deviation": share.deviation, "delay_median": median.mean,
        "nine_tenths": most.mean, "freshness": fresh.mean,
        "completeness": at_hop(|figures| figures.completeness).mean,
        "requests_per_item": at_hop(|figures| figures.requests_per_item).mean,
    });
    rows.push(cells, row);
}

/// The share of the burst that has arrived, over time; a mean over the worlds.
fn mean_course(hop: u32, arrivals: &[Arrivals]) -> Series {
    let point = |step: usize| {
        let mean = Spread::of(arrivals, |arrivals| arrivals.course[step].1).mean;
        (arrivals[0].course[step].0, mean)
    };
    let points = (0..arrivals[0].course.len()).map(point).collect();
    Series::new(format!("hop {hop}"), Style::Steps, points)
}

//! `cascade-phase`: what it gains to look just after the upstream has looked. First with nodes that look at
//! everything once a cycle, where the answer is arithmetic: the wait at a hop is the time from the upstream's
//! moment to one's own. Then with 2Steps, which does not look once a cycle: nobody can keep a phase to a node
//! without a period, but hints can tell the next look.

use pergola_refresh::{Invalid, StrategyKind};
use serde_json::json;

use super::cascades::{Rows, Study, number, play_all, text, thresholds, thresholds_json};
use crate::mesh::picture::Picture;
use crate::mesh::{Cooperation, Load, Mesh, Outcome, Settings, Wiring};
use crate::report::{Axis, Chart, Report, Scale, Series, Style};
use crate::trials::{Lab, Spread};

const DEPTH: usize = 5;
/// From the upstream's moment to one's own, in cycles.
const PHASES: [f64; 7] = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98];
/// Decisions per cycle.
const DECISIONS: [usize; 5] = [1, 2, 4, 8, 16];

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
            who: "every cycle, phase",
            setting: phase,
            settings: clocked(Some(moments(phase))),
        })
        .into();
    all.push(Contestant { who: "every cycle, at random", setting: 0.0, settings: clocked(None) });
    for decisions in DECISIONS {
        for (who, cooperation) in [
            ("2Steps, decisions", Cooperation::NONE),
            ("2Steps and hints, decisions", Cooperation::HINTS),
        ] {
            let settings = Settings { cooperation, decisions, ..usual.clone() };
            all.push(Contestant { who, setting: decisions as f64, settings });
        }
    }
    all
}

/// `cascade-phase`.
pub(crate) fn cascade_phase(lab: &Lab) -> Result<Study, Invalid> {
    let mesh = Mesh::new(Wiring::chain(DEPTH, Load::new(20, 30)));
    let contestants = contestants();
    let outcomes =
        play_all(lab, contestants.len(), |seed, n| mesh.play(&contestants[n].settings, seed))?;
    let mut rows = Rows::new(&["who", "setting", "hop"]);
    for (who, worlds) in contestants.iter().zip(&outcomes) {
        for hop in 1..=DEPTH {
            let decimals = if who.settings.strategy == StrategyKind::Uniform { 2 } else { 0 };
            let labels = vec![text(who.who), number(who.setting, decimals), text(hop)];
            rows.add(labels, worlds, &|outcome| &outcome.hops[hop - 1], hop == DEPTH);
        }
    }
    let mean = |worlds: &[Outcome]| {
        Spread::of(worlds, |outcome| {
            let wait = |hop: usize| outcome.hops[hop].delay.mean;
            (wait(DEPTH - 1) - wait(0)) / (DEPTH - 1) as f64
        })
        .mean
    };
    let series = |who: &str, style: Style| {
        let ours = contestants.iter().zip(&outcomes).filter(|(other, _)| other.who == who);
        let points = ours.map(|(other, worlds)| (other.setting, mean(worlds))).collect();
        Series::new(who, style, points)
    };
    let exact = PHASES.map(|phase| (phase, phase));
    let random = series("every cycle, at random", Style::Dashed).points;
    let random: Vec<(f64, f64)> =
        random.iter().flat_map(|&(_, wait)| [(0.0, wait), (1.0, wait)]).collect();
    let chart = |title: &str, label: &str, scale, series| Chart {
        title: title.to_owned(),
        x: Axis::new(label, scale),
        y: Axis::new("wait per hop (cycles)", Scale::Linear),
        series,
    };
    let shown =
        contestants.iter().position(|who| who.who.starts_with("2Steps and") && who.setting == 4.0);
    let shown = shown.unwrap_or(0);
    let (settings, played) = (&contestants[shown].settings, &outcomes[shown][0]);
    let charts = vec![
        chart(
            "nodes that look once a cycle",
            "from the upstream's moment to one's own (cycles)",
            Scale::Linear,
            vec![
                series("every cycle, phase", Style::Points),
                Series::new("by arithmetic", Style::Line, exact.to_vec()),
                Series::new("at random", Style::Dashed, random),
            ],
        ),
        chart(
            "2Steps at .35 refreshes a cycle",
            "decisions per cycle",
            Scale::Log,
            vec![
                series("2Steps, decisions", Style::Line),
                series("2Steps and hints, decisions", Style::Line),
            ],
        ),
        thresholds(&mesh.depths, settings, played),
    ];
    let notes = vec![format!(
        "Five nodes in a chain; at hop {DEPTH}; delays in cycles; {} worlds from seed {}. Nodes that look once a \
         cycle spend 1 refresh per subscription and cycle, 2Steps .35.",
        lab.seeds, lab.seed
    )];
    let span = (settings.warmup as f64, settings.warmup as f64 + 28.0);
    Ok(Study {
        picture: Picture::new("A chain with hints", &mesh, settings, played, span, 8),
        report: Report {
            title: "Looking just after the upstream".to_owned(),
            notes,
            table: rows.table,
            json: json!({
                "rows": rows.json,
                "thresholds": thresholds_json(settings, played),
            }),
            charts,
        },
    })
}

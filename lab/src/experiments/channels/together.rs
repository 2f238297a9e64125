//! Many channels under one budget: the four policies, and what similar channels tell of each other.

use pergola_profile::Novelty;
use pergola_profile::policy::Choice;
use pergola_profile::rate::Learning;
use pergola_refresh::{HOUR, Invalid};
use serde_json::json;

use crate::channels::{Importance, Learnt, Pace, TextWorld, play};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

const WINDOW: usize = 20;
/// Looks per hour that figure 9 covers.
const BUDGETS: [usize; 7] = [1, 2, 4, 6, 8, 10, 12];
/// β of figure 9.
const BETA: f64 = 0.0;

/// How rates are learnt and what makes a channel important.
const RULES: [(&str, Learning, Importance); 3] = [
    ("printed", Learning::Printed, Importance::Rate),
    ("steady", Learning::Steady, Importance::Rate),
    ("ours", Learning::Steady, Importance::Waiting),
];

/// The four policies, as (name, choice, content-based).
const POLICIES: [(&str, Choice, bool); 4] = [
    ("content-free (greedy)", Choice::Greedy, false),
    ("content-free (fair)", Choice::Fair, false),
    ("content-based (greedy)", Choice::Greedy, true),
    ("content-based (fair)", Choice::Fair, true),
];

/// `channels-policies`: quality against the budget for the four policies.
pub(crate) fn policies(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let mut settings = Vec::new();
    for rule in RULES {
        for policy in POLICIES {
            settings.extend(BUDGETS.map(|looks| (rule, policy, looks)));
        }
    }
    let spreads = lab.for_each("runs", &settings, |&(rule, (_, choice, content), looks)| {
        let (_, learning, importance) = rule;
        let learnt = Learnt { learning, novelty: content.then(|| Novelty::new(BETA)) };
        let pace = Pace::Budget { looks, choice, importance, similar: false, learnt };
        Ok(quality(lab, world, choice, &pace))
    })?;
    let mut table =
        Table { columns: ["rule", "policy"].map(Column::left).to_vec(), rows: Vec::new() };
    table.columns.extend(BUDGETS.map(|looks| Column::right(format!("M = {looks}"))));
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    let mut found = spreads.chunks(BUDGETS.len());
    for (rule, ..) in RULES {
        let mut series = Vec::new();
        for (policy, _, content) in POLICIES {
            let spreads = found.next().unwrap_or(&[]);
            let mut row = [rule, policy].map(|text| Cell::Text(text.to_owned())).to_vec();
            row.extend(spreads.iter().map(|found| Cell::Number { value: found.mean, decimals: 3 }));
            table.rows.push(row);
            rows.extend(BUDGETS.iter().zip(spreads).map(|(looks, found)| {
                json!({
                    "rule": rule, "policy": policy, "content_based": content, "m": looks,
                    "quality": found.mean, "quality_deviation": found.deviation,
                })
            }));
            let points = BUDGETS.iter().zip(spreads).map(|(m, found)| (*m as f64, found.mean));
            let style = if content { Style::Dashed } else { Style::Line };
            series.push(Series::new(policy, style, points.collect()));
        }
        charts.push(Chart {
            title: rule.to_owned(),
            x: Axis::new("M, looks per hour", Scale::Linear),
            y: Axis::new("mean quality of profiles", Scale::Linear),
            series,
        });
    }
    Ok(Report {
        title: format!("quality of {} profiles by policy and budget", world.channels.len()),
        notes: vec![
            "Published (figure 9, curves without figures): both content-based policies are above both \
             content-free ones at every M, and the greedy one is best."
                .to_owned(),
            "Printed: rates by the printed rule, importance is the rate. Steady: rates that no empty look \
             starves. Ours: these, and importance is the rate times the time since the last look."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts,
    })
}

/// `channels-similarity`: whether rates refined by similar channels keep better profiles.
pub(crate) fn similarity(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let mut settings = Vec::new();
    for rule in RULES {
        for beta in [0.2, 0.0] {
            settings.extend([4, 6, 8].map(|looks| (rule, beta, looks)));
        }
    }
    let pairs = lab.for_each("runs", &settings, |&((_, learning, importance), beta, looks)| {
        let run = |similar| {
            let learnt = Learnt { learning, novelty: Some(Novelty::new(beta)) };
            let pace = Pace::Budget { looks, choice: Choice::Fair, importance, similar, learnt };
            quality(lab, world, Choice::Fair, &pace)
        };
        Ok((run(false), run(true)))
    })?;
    let mut table = Table { columns: vec![Column::left("rule")], rows: Vec::new() };
    table
        .columns
        .extend(["β", "M", "alone", "refined", "published gain % ≤", "gain %"].map(Column::right));
    let mut rows = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for (((rule, ..), beta, looks), (alone, refined)) in settings.iter().zip(&pairs) {
        let gain = 100.0 * (refined.mean / alone.mean - 1.0);
        table.rows.push(vec![
            Cell::Text((*rule).to_owned()),
            Cell::Number { value: *beta, decimals: 1 },
            Cell::Integer(*looks as i64),
            alone.cell(3),
            refined.cell(3),
            Cell::Integer(15),
            Cell::Number { value: gain, decimals: 1 },
        ]);
        rows.push(json!({
            "rule": rule, "beta": beta, "m": looks, "quality": alone.mean,
            "quality_refined": refined.mean, "gain_percent": gain, "published_at_most_percent": 15,
        }));
        let name = format!("{rule}, β = {beta}");
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push((*looks as f64, gain)),
            None => series.push(Series::new(name, Style::Line, vec![(*looks as f64, gain)])),
        }
    }
    Ok(Report {
        title: "rates refined by those of similar channels, content-based (fair)".to_owned(),
        notes: vec![
            "Published (figure 12): refinement improves the policy at every M, by at most 15 %, more with \
             β = 0.2 than with 0."
                .to_owned(),
            "It needs channels that are about the same and as busy as each other, as the sections of one \
             newspaper are. Where neighbours share words only, it spreads the rate of a burst to the quiet."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": rows }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("M, looks per hour", Scale::Linear),
            y: Axis::new("gain in quality (%)", Scale::Linear),
            series,
        }],
    })
}

/// The quality over the lab's seeds; a greedy choice draws nothing and needs one.
fn quality(lab: &Lab, world: &TextWorld, choice: Choice, pace: &Pace) -> Spread {
    let seeds = if choice == Choice::Greedy { 1 } else { lab.seeds };
    let results: Vec<f64> = (0..seeds)
        .map(|n| {
            lab.count(world.channels.len() * (world.end / HOUR) as usize);
            play(world, WINDOW, pace, lab.seed.wrapping_add(n)).mean_quality()
        })
        .collect();
    Spread::of(&results, |quality| *quality)
}

//! `channels-policies`: many channels under one budget, and whether it helps to heed what they say.

use pergola_profile::policy::Choice;
use pergola_profile::{Impact, Novelty};
use pergola_refresh::{HOUR, Invalid};
use serde_json::{Value, json};

use super::{Origin, with_error};
use crate::channels::{
    Budget, Content, Heeding, Importance, Learner, Pace, Refinement, TextWorld, mean, play,
};
use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};
use crate::trials::{Lab, Spread};

const WINDOW: usize = 20;
/// Looks per hour, over the range of figure 9.
const BUDGETS: [usize; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
/// β of figure 9.
const BETA: f64 = 0.0;

/// How rates are learnt, and what makes a channel important.
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) learner: Learner,
    pub(super) importance: Importance,
}

pub(super) const RULES: [Rule; 4] = [
    Rule { name: "printed", learner: Learner::Printed, importance: Importance::Rate },
    Rule { name: "steady", learner: Learner::Steady, importance: Importance::Rate },
    Rule { name: "waiting", learner: Learner::Steady, importance: Importance::Waiting },
    Rule { name: "ours", learner: Learner::Gamma, importance: Importance::Loss },
];

impl Rule {
    /// What a policy that heeds content heeds by this rule.
    pub(super) fn content(&self, beta: f64) -> Content {
        match self.importance {
            Importance::Loss => Content::Change,
            Importance::Rate | Importance::Waiting => Content::Novel(Novelty::new(beta)),
        }
    }

    /// Whether its content-based policies filter by β.
    pub(super) fn has_filter(&self) -> bool {
        self.importance != Importance::Loss
    }
}

/// Whether a budget has its column in the table, which would be too wide for all of them. The plot, the rows
/// for other programs and the verdict have each.
fn is_shown(looks: usize) -> bool {
    looks == 1 || looks.is_multiple_of(2)
}

/// Of something for each budget, what the table shows.
fn shown<T>(each: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    BUDGETS.into_iter().zip(each).filter(|(looks, _)| is_shown(*looks)).map(|(_, of)| of)
}

const CHOICES: [Choice; 2] = [Choice::Greedy, Choice::Fair];

/// The qualities of one choice by one rule at one budget, world by world: content-free, content-based.
type Pairs = Vec<[f64; 2]>;

/// `channels-policies`: quality against the budget for the four policies.
pub(crate) fn policies(lab: &Lab, origin: &Origin) -> Result<Report, Invalid> {
    let mut settings = Vec::new();
    for rule in &RULES {
        for choice in CHOICES {
            settings.extend(BUDGETS.map(|looks| (rule, choice, looks)));
        }
    }
    let mut pairs: Vec<Pairs> = vec![Vec::new(); settings.len()];
    let mut shares = String::new();
    // One world at a time, because a world with text is large.
    for seed in (0..lab.seeds).map(|n| lab.seed.wrapping_add(n)) {
        let world = origin.drawn(seed);
        if seed == lab.seed {
            shares = shares_of(&world);
        }
        let found = lab.for_each("runs", &settings, |&(rule, choice, looks)| {
            let run = |content| -> Result<f64, Invalid> {
                lab.count(world.channels.len() * (world.end / HOUR) as usize);
                let heeding = Heeding { learner: rule.learner, content };
                let importance = rule.importance;
                let refinement = Refinement::Alone;
                let budget = Budget { looks, choice, importance, refinement, heeding };
                Ok(play(&world, WINDOW, &Pace::Hourly(budget), seed)?.mean_quality())
            };
            Ok([run(Content::Ignored)?, run(rule.content(BETA))?])
        })?;
        pairs.iter_mut().zip(found).for_each(|(pairs, found)| pairs.push(found));
    }
    let mut table =
        Table { columns: ["rule", "policy"].map(Column::left).to_vec(), rows: Vec::new() };
    let columns = BUDGETS.map(|looks| Column::right(format!("M = {looks}")));
    table.columns.extend(shown(columns));
    let mut rows = Vec::new();
    let mut charts = Vec::new();
    let mut doubtful = Vec::new();
    let mut found = pairs.chunks(BUDGETS.len());
    for rule in &RULES {
        let by_choice = CHOICES.map(|choice| (choice, found.next().unwrap_or(&[])));
        let mut series = Vec::new();
        for (policy, name) in [(0, "content-free"), (1, "content-based")] {
            for (choice, pairs) in by_choice {
                let name = format!("{name} ({})", choice.name());
                let spreads = pairs.iter().map(|pairs| Spread::of(pairs, |pair| pair[policy]));
                let spreads: Vec<Spread> = spreads.collect();
                let cells = spreads.iter().map(|spread| with_error(*spread, lab.seeds, 3));
                let label = [rule.name, &name].map(|text| Cell::Text(text.to_owned()));
                table.rows.push(label.into_iter().chain(shown(cells)).collect());
                let points = BUDGETS.iter().zip(&spreads).map(|(m, found)| (*m as f64, found.mean));
                let style = if policy == 1 { Style::Dashed } else { Style::Line };
                series.push(Series::new(name, style, points.collect()));
            }
        }
        for (choice, pairs) in by_choice {
            let gain = |pair: &[f64; 2]| pair[1] - pair[0];
            let gains: Vec<Spread> = pairs.iter().map(|pairs| Spread::of(pairs, gain)).collect();
            let name = format!("difference ({})", choice.name());
            let label = [rule.name, &name].map(|text| Cell::Text(text.to_owned()));
            let cells = gains.iter().map(|gain| with_error(*gain, lab.seeds, 3));
            table.rows.push(label.into_iter().chain(shown(cells)).collect());
            for ((m, pairs), gained) in BUDGETS.iter().zip(pairs).zip(&gains) {
                let ahead = pairs.iter().filter(|pair| gain(pair) > 0.0).count();
                let error = gained.deviation / (lab.seeds as f64).sqrt();
                if gained.mean <= 2.0 * error {
                    doubtful.push(format!("{} {} M = {m}", rule.name, choice.name()));
                }
                rows.push(row(rule, choice, *m, pairs, *gained, error, ahead));
            }
        }
        charts.push(Chart {
            title: rule.name.to_owned(),
            x: Axis::new("M, looks per hour", Scale::Linear).counted(),
            y: Axis::new("mean quality of profiles", Scale::Linear),
            series,
        });
    }
    let verdict = match doubtful.as_slice() {
        [] => {
            "At every M from 1 to 12, by every rule, the difference is above two standard errors."
                .to_owned()
        }
        some => format!(
            "The difference is above two standard errors at every M from 1 to 12 but: {}.",
            some.join(", ")
        ),
    };
    Ok(Report {
        title: "quality of profiles by policy and budget".to_owned(),
        notes: vec![
            origin.says(lab.seeds),
            "± is the standard error over the worlds; differences are content-based minus content-free in the \
             same world."
                .to_owned(),
            verdict,
            "Published (figure 9, curves without figures): both content-based policies are above both \
             content-free ones at every M, and the greedy one is best."
                .to_owned(),
            "Printed: rates by the printed rule, importance is the rate. Steady: rates that no empty look \
             starves. Waiting: these, and importance is the rate times the time since the last look. Ours: \
             a Gamma belief about the rate, and importance is what a look gains; content is heeded by \
             what a channel's items change of its profile, and not by a filter."
                .to_owned(),
            shares,
        ],
        table,
        json: json!({ "rows": rows }),
        charts,
    })
}

/// What a filter and what change tell of the channels, for those that filled their window twice.
fn shares_of(world: &TextWorld) -> String {
    let novelty = Novelty::new(BETA);
    let heard = world.heard(WINDOW);
    let long: Vec<&[Impact]> =
        heard.iter().filter(|h| h.len() >= 2 * WINDOW).map(|h| &h[WINDOW..]).collect();
    let tenths = |share: &dyn Fn(&Impact) -> f64| {
        let of = |heard: &&[Impact]| mean(&heard.iter().map(share).collect::<Vec<f64>>());
        let mut shares: Vec<f64> = long.iter().map(of).collect();
        shares.sort_by(f64::total_cmp);
        let at = |part: f64| shares.get((part * shares.len() as f64) as usize).copied();
        format!("{:.2} to {:.2}", at(0.1).unwrap_or(0.0), at(0.9).unwrap_or(0.0))
    };
    let novel = tenths(&|heard| f64::from(u8::from(novelty.admits(heard))));
    let changed = tenths(&|heard| (1.0 - heard.similarity) * WINDOW as f64);
    format!(
        "What content tells of a channel (first world, {} channels with 40 items or more, tenth to ninetieth \
         percentile): the filter passes {novel} of the items; what an item changes is {changed} of what \
         one about something else would.",
        long.len()
    )
}

fn row(
    rule: &Rule,
    choice: Choice,
    m: usize,
    pairs: &[[f64; 2]],
    gain: Spread,
    error: f64,
    ahead: usize,
) -> Value {
    json!({
        "rule": rule.name, "choice": choice.name(), "m": m,
        "content_free": Spread::of(pairs, |pair| pair[0]),
        "content_based": Spread::of(pairs, |pair| pair[1]),
        "difference": gain.mean, "difference_error": error,
        "worlds": pairs.len(), "worlds_ahead": ahead,
    })
}

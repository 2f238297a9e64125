//! `channels-policies`: many channels under one budget. Does it help to heed the content of their items?

use pergola_profile::policy::Choice;
use pergola_profile::{Impact, Novelty};
use pergola_refresh::{HOUR, Invalid};
use serde_json::json;

use super::{Origin, with_error};
use crate::channels::{
    Budget, Content, Heeding, Importance, Learner, Pace, Refinement, TextWorld, mean, play,
};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const WINDOW: usize = 20;
/// Refreshes per hour, over the range of figure 9.
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
    /// How a content-based policy heeds content by this rule.
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

/// Whether a budget has a column in the table, which has no room for all. The plot, the JSON and the verdict have
/// all of them.
fn is_shown(refreshes: usize) -> bool {
    refreshes == 1 || refreshes.is_multiple_of(2)
}

/// Of something for each budget, the part that the table shows.
fn shown<T>(each: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    BUDGETS.into_iter().zip(each).filter(|(refreshes, _)| is_shown(*refreshes)).map(|(_, of)| of)
}

const CHOICES: [Choice; 2] = [Choice::Greedy, Choice::Fair];

/// The quality in one world: content-free, content-based.
type Pair = [f64; 2];
/// By rule, choice and budget; then by world.
type Found = Vec<Vec<Pair>>;

/// `channels-policies`: quality against the budget for the four policies.
pub(crate) fn policies(lab: &Lab, origin: &Origin) -> Result<Report, Invalid> {
    let mut found = Found::new();
    let mut shares = String::new();
    // One world at a time, because a world with text is large.
    for seed in lab.each_seed() {
        let world = origin.drawn(seed);
        if seed == lab.seed {
            shares = shares_of(&world);
        }
        let pairs = play_all(lab, &world, seed)?;
        found.resize(pairs.len(), Vec::new());
        found.iter_mut().zip(pairs).for_each(|(worlds, pair)| worlds.push(pair));
    }
    let columns = BUDGETS.map(|refreshes| format!("M = {refreshes}"));
    let mut rows = Rows::new(&["rule", "policy"], &shown(columns).collect::<Vec<_>>());
    let (mut charts, mut doubtful) = (Vec::new(), Vec::new());
    for (rule, found) in RULES.iter().zip(found.chunks(CHOICES.len() * BUDGETS.len())) {
        let by_choice: Vec<(Choice, &[Vec<Pair>])> =
            CHOICES.into_iter().zip(found.chunks(BUDGETS.len())).collect();
        charts.push(add_policies(&mut rows, lab, rule, &by_choice));
        for (choice, found) in by_choice {
            doubtful.extend(add_difference(&mut rows, lab, rule, choice, found));
        }
    }
    let notes = notes(origin.says(lab.seeds), verdict(&doubtful), shares);
    Ok(rows.report("quality of profiles by policy and budget", notes, charts, json!({})))
}

/// One world with every rule, choice and budget.
fn play_all(lab: &Lab, world: &TextWorld, seed: u64) -> Result<Vec<Pair>, Invalid> {
    let mut settings = Vec::new();
    for rule in &RULES {
        for choice in CHOICES {
            settings.extend(BUDGETS.map(|refreshes| (rule, choice, refreshes)));
        }
    }
    lab.for_each("runs", &settings, |&(rule, choice, refreshes)| {
        let quality = |content| -> Result<f64, Invalid> {
            lab.count(world.channels.len() * (world.end / HOUR) as usize);
            let heeding = Heeding { learner: rule.learner, content };
            let importance = rule.importance;
            let refinement = Refinement::Alone;
            let budget = Budget { refreshes, choice, importance, refinement, heeding };
            Ok(play(world, WINDOW, &Pace::Hourly(budget), seed)?.mean_quality())
        };
        Ok([quality(Content::Ignored)?, quality(rule.content(BETA))?])
    })
}

/// The start of a row, and those of its figures that the table has columns for.
fn cells(rule: &Rule, policy: String, spreads: &[Spread], lab: &Lab) -> Vec<Cell> {
    let figures = spreads.iter().map(|spread| with_error(*spread, lab.seeds, 3));
    [Cell::text(rule.name), Cell::Text(policy)].into_iter().chain(shown(figures)).collect()
}

/// Shows the quality of the four policies by one rule, and returns their chart.
fn add_policies(
    rows: &mut Rows,
    lab: &Lab,
    rule: &Rule,
    by_choice: &[(Choice, &[Vec<Pair>])],
) -> Chart {
    let mut series = Vec::new();
    for (policy, name, style) in
        [(0, "content-free", Style::Line), (1, "content-based", Style::Dashed)]
    {
        for (choice, found) in by_choice {
            let name = format!("{name} ({})", choice.name());
            let spreads: Vec<Spread> =
                found.iter().map(|worlds| Spread::of(worlds, |pair| pair[policy])).collect();
            rows.show(cells(rule, name.clone(), &spreads, lab));
            let points = BUDGETS.iter().zip(&spreads).map(|(m, found)| (*m as f64, found.mean));
            series.push(Series::new(name, style, points.collect()));
        }
    }
    Chart {
        title: rule.name.to_owned(),
        x: Axis::new("M, refreshes per hour", Scale::Linear).counted(),
        y: Axis::new("mean quality of profiles", Scale::Linear),
        series,
    }
}

/// Adds what heeding content gains by one rule and choice; returns the budgets at which the gain is in doubt.
fn add_difference(
    rows: &mut Rows,
    lab: &Lab,
    rule: &Rule,
    choice: Choice,
    found: &[Vec<Pair>],
) -> Vec<String> {
    let gain = |pair: &Pair| pair[1] - pair[0];
    let gains: Vec<Spread> = found.iter().map(|worlds| Spread::of(worlds, gain)).collect();
    rows.show(cells(rule, format!("difference ({})", choice.name()), &gains, lab));
    let mut doubtful = Vec::new();
    for ((m, worlds), gained) in BUDGETS.iter().zip(found).zip(&gains) {
        let ahead = worlds.iter().filter(|pair| gain(pair) > 0.0).count();
        let error = gained.deviation / (lab.seeds as f64).sqrt();
        if gained.mean <= 2.0 * error {
            doubtful.push(format!("{} {} M = {m}", rule.name, choice.name()));
        }
        rows.record(json!({
            "rule": rule.name, "choice": choice.name(), "m": m,
            "content_free": Spread::of(worlds, |pair| pair[0]),
            "content_based": Spread::of(worlds, |pair| pair[1]),
            "difference": gained.mean, "difference_error": error,
            "worlds": worlds.len(), "worlds_ahead": ahead,
        }));
    }
    doubtful
}

fn verdict(doubtful: &[String]) -> String {
    match doubtful {
        [] => {
            "At every M from 1 to 12, by every rule, the difference is above two standard errors."
                .to_owned()
        }
        some => format!(
            "The difference is above two standard errors at every M from 1 to 12 but: {}.",
            some.join(", ")
        ),
    }
}

fn notes(origin: String, verdict: String, shares: String) -> Vec<String> {
    vec![
        origin,
        "± is the standard error over the worlds; differences are content-based minus content-free in the \
         same world."
            .to_owned(),
        verdict,
        "Published (figure 9, curves without figures): both content-based policies are above both \
         content-free ones at every M, and the greedy one is best."
            .to_owned(),
        "Printed: rates by the printed rule, importance is the rate. Steady: rates that no empty refresh \
         starves. Waiting: the same, and importance is the rate times the time since the last refresh. Ours: \
         a Gamma belief about the rate, and importance is what a refresh gains; content counts by what a \
         channel's items change in its profile, not by a filter."
            .to_owned(),
        shares,
    ]
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

//! `channels-similarity`: do the rates of similar channels say something about a channel's own rate, and when?

use pergola_profile::policy::Choice;
use pergola_refresh::{HOUR, Invalid};
use serde_json::json;

use super::policies::{RULES, Rule};
use super::{Origin, spearman, with_error};
use crate::channels::{Budget, Heeding, Pace, Population, Refinement, TextWorld, play};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::{Lab, Spread};

const WINDOW: usize = 20;
/// Refreshes per hour of figure 12.
const BUDGETS: [usize; 3] = [4, 6, 8];
/// The highest improvement in figure 12.
const PUBLISHED_GAIN: i64 = 15;

/// Where refinement is tried.
#[derive(Clone, Copy)]
enum Setting {
    /// The given channels.
    Given,
    /// As many synthetic ones.
    Drawn(Population),
    /// The same for their first week, when rates are hardly known.
    FirstWeek(Population),
}

impl Setting {
    fn all() -> Vec<Self> {
        let [.., stories] = Population::ALL;
        [&[Self::Given], &Population::ALL.map(Self::Drawn)[..], &[Self::FirstWeek(stories)]]
            .concat()
    }

    fn name(self) -> String {
        match self {
            Self::Given => "given".to_owned(),
            Self::Drawn(population) => population.name.to_owned(),
            Self::FirstWeek(_) => "same, first week".to_owned(),
        }
    }

    fn world(self, origin: &Origin, seed: u64) -> TextWorld {
        let (channels, weeks) = origin.size();
        match self {
            Self::Given => origin.drawn(seed),
            Self::Drawn(population) => TextWorld::of(&population.draw(channels, weeks, seed)),
            Self::FirstWeek(population) => TextWorld::of(&population.draw(channels, 1, seed)),
        }
    }
}

/// One line of the table.
#[derive(Clone, Copy)]
struct Case<'a> {
    rule: &'a Rule,
    beta: f64,
    refreshes: usize,
}

const REFINEMENTS: [Refinement; 3] = [Refinement::Alone, Refinement::Nearest, Refinement::Full];

/// Quality, and the rank correlation of the rates used last with the true ones, by refinement.
type Tried = [(f64, f64); REFINEMENTS.len()];

/// `channels-similarity`: whether rates refined by similar channels keep better profiles.
pub(crate) fn similarity(lab: &Lab, origin: &Origin) -> Result<Report, Invalid> {
    let mut rows = Rows::new(
        &["channels", "rule"],
        &["β", "M", "alone", "published gain % ≤", "nearest %", "all %", "ρ alone", "ρ all"],
    );
    let mut gains = Vec::new();
    for setting in Setting::all() {
        let cases = setting.cases();
        let mut tried: Vec<Vec<Tried>> = vec![Vec::new(); cases.len()];
        for seed in lab.each_seed() {
            let world = setting.world(origin, seed);
            let found = lab.for_each("runs", &cases, |case| case.of(lab, &world, seed))?;
            tried.iter_mut().zip(found).for_each(|(tried, found)| tried.push(found));
        }
        for (case, tried) in cases.iter().zip(&tried) {
            let gain = case.add_row(&mut rows, lab, &setting.name(), tried);
            if case.refreshes == BUDGETS[1] && case.beta == MILD {
                gains.push((setting.name(), case.rule.name, gain));
            }
        }
    }
    let title = "rates refined by those of similar channels, content-based (fair)";
    Ok(rows.report(title, notes(origin, lab.seeds), vec![chart(&gains)], json!({})))
}

/// β of mild filtering.
const MILD: f64 = 0.2;

impl Setting {
    /// The published settings where they can be had, and fewer where more populations are compared.
    fn cases(self) -> Vec<Case<'static>> {
        let rules = RULES.iter().filter(|rule| rule.name != "steady");
        let case = |rule, beta, refreshes| Case { rule, beta, refreshes };
        match self {
            Self::Given => {
                let mild =
                    rules.flat_map(|rule| BUDGETS.map(|refreshes| case(rule, MILD, refreshes)));
                mild.chain(BUDGETS.map(|refreshes| case(&RULES[0], 0.0, refreshes))).collect()
            }
            Self::Drawn(_) | Self::FirstWeek(_) => rules
                .flat_map(|rule| [2, BUDGETS[1]].map(|refreshes| case(rule, MILD, refreshes)))
                .collect(),
        }
    }
}

impl Case<'_> {
    fn of(&self, lab: &Lab, world: &TextWorld, seed: u64) -> Result<Tried, Invalid> {
        let truth = world.rates();
        let mut tried = Tried::default();
        for (tried, refinement) in tried.iter_mut().zip(REFINEMENTS) {
            lab.count(world.channels.len() * (world.end / HOUR) as usize);
            let budget = Budget {
                refreshes: self.refreshes,
                choice: Choice::Fair,
                importance: self.rule.importance,
                refinement,
                heeding: Heeding {
                    learner: self.rule.learner,
                    content: self.rule.content(self.beta),
                },
            };
            let outcome = play(world, WINDOW, &Pace::Hourly(budget), seed)?;
            *tried = (outcome.mean_quality(), spearman(&outcome.refined, &truth));
        }
        Ok(tried)
    }

    /// Adds what was tried in every world, and returns the gain by refining with all channels.
    fn add_row(&self, rows: &mut Rows, lab: &Lab, channels: &str, tried: &[Tried]) -> Spread {
        let alone = Spread::of(tried, |tried| tried[0].0);
        let gain = |n: usize| Spread::of(tried, |tried| 100.0 * (tried[n].0 / tried[0].0 - 1.0));
        let correlation = |n: usize| Spread::of(tried, |tried| tried[n].1).mean;
        let beta = self.rule.has_filter().then_some(self.beta);
        let cells = vec![
            Cell::text(channels),
            Cell::text(self.rule.name),
            beta.map_or(Cell::Empty, |value| Cell::number(value, 1)),
            Cell::count(self.refreshes),
            with_error(alone, lab.seeds, 3),
            Cell::Integer(PUBLISHED_GAIN),
            with_error(gain(1), lab.seeds, 1),
            with_error(gain(2), lab.seeds, 1),
            Cell::number(correlation(0), 2),
            Cell::number(correlation(2), 2),
        ];
        let row = json!({
            "channels": channels, "rule": self.rule.name, "beta": beta, "m": self.refreshes,
            "quality": alone, "gain_nearest_percent": gain(1), "gain_all_percent": gain(2),
            "correlation": correlation(0), "correlation_nearest": correlation(1),
            "correlation_all": correlation(2), "published_at_most_percent": PUBLISHED_GAIN,
            "worlds": tried.len(),
        });
        rows.push(cells, row);
        gain(2)
    }
}

fn notes(origin: &Origin, seeds: u64) -> Vec<String> {
    vec![
        format!("Given: {}", origin.says(seeds)),
        format!(
            "The others: {} synthetic channels in groups of six, whose members share more and more; rates \
             from one item in five days to 150 a day.",
            origin.size().0
        ),
        "Gains in percent of the quality alone, a mean over worlds ± its standard error. Nearest: sixteen \
         neighbours above chance, as in a node; all: every pair with a common word, as printed. ρ: rank \
         correlation of the rates used last with those of the whole time."
            .to_owned(),
        "Published (figure 12): refinement improves the policy at every M, by at most 15 %, more with \
         β = 0.2 than with 0."
            .to_owned(),
    ]
}

fn chart(gains: &[(String, &str, Spread)]) -> Chart {
    let mut settings: Vec<String> = gains.iter().map(|(setting, ..)| setting.clone()).collect();
    settings.dedup();
    let mut series: Vec<Series> = Vec::new();
    for (setting, rule, gain) in gains {
        let at = settings.iter().position(|other| other == setting).unwrap_or(0) as f64;
        match series.iter_mut().find(|series| series.name == *rule) {
            Some(series) => series.points.push((at, gain.mean)),
            None => series.push(Series::new(*rule, Style::Bars, vec![(at, gain.mean)])),
        }
    }
    Chart {
        title: format!("M = {}, β = {MILD}", BUDGETS[1]),
        x: Axis::new("what the channels have in common", Scale::Named(settings)),
        y: Axis::new("gain in quality by refining with all (%)", Scale::Linear),
        series,
    }
}

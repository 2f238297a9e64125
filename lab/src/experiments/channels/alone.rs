//! One channel at a time: learnt rates against true ones, and what the novelty filter saves.

use pergola_profile::{Impact, Novelty};
use pergola_refresh::{HOUR, Invalid, WEEK};
use serde_json::{Value, json};

use super::{beside, spearman};
use crate::channels::{Content, Heeding, Learner, Outcome, Pace, TextWorld, mean, play};
use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;
use crate::trials::Lab;

/// The paper's rank correlation of learnt and true rates.
const PUBLISHED_CORRELATION: f64 = 0.96;
/// At β = 0.1 the paper loses 5 % of quality and saves a third of the refreshes.
const PUBLISHED_LOSS: f64 = 0.05;
const PUBLISHED_CUT: f64 = 1.0 / 3.0;
const PUBLISHED_BETA: f64 = 0.1;
const WINDOW: usize = 20;

/// `channels-convergence`: rates learnt on-line against those of the whole stream.
pub(crate) fn convergence(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let truth = world.rates();
    let rules = [("printed", Learner::Printed), ("ours", Learner::Steady)];
    let outcomes = lab.for_each("runs", &rules, |&(_, learning)| {
        let pace = Pace::Online(Heeding { learner: learning, content: Content::Ignored });
        play(world, WINDOW, &pace, lab.seed)
    })?;
    let mut rows = Rows::new(
        &["rule"],
        &["published", "Spearman", "deviation", "of means", "refreshes", "starved", "quality"],
    );
    let mut series = Vec::new();
    for ((name, _), outcome) in rules.iter().zip(&outcomes) {
        let correlation = spearman(&outcome.rates, &truth);
        let of_means = spearman(&outcome.mean_rates, &truth);
        let starved = starved(outcome, &truth, world.end);
        let mut cells = vec![Cell::text(name)];
        cells.extend(beside(Some(PUBLISHED_CORRELATION), correlation, 3));
        cells.extend([
            Cell::number(of_means, 3),
            Cell::count(outcome.all_refreshes()),
            Cell::count(starved),
            Cell::number(outcome.mean_quality(), 3),
        ]);
        let row = json!({
            "rule": name, "spearman": correlation, "published": PUBLISHED_CORRELATION,
            "spearman_of_means": of_means, "refreshes": outcome.all_refreshes(), "starved": starved,
            "quality": outcome.mean_quality(), "channels": truth.len(),
        });
        rows.push(cells, row);
        let points = truth.iter().zip(&outcome.rates).map(|(t, r)| (t * HOUR, r * HOUR));
        series.push(Series::new(*name, Style::Points, points.collect()));
    }
    let ends = [f64::min, f64::max].map(|f| truth.iter().copied().reduce(f).unwrap_or(1.0) * HOUR);
    series.push(Series::new("equal", Style::Dashed, ends.map(|end| (end, end)).to_vec()));
    let title = format!("learnt and true rates of {} channels", truth.len());
    let notes = vec![
        "Spearman is between the last learnt rate and that of the whole stream (figure 3a); \"of means\" \
         takes the mean of the learnt rate over the second half. Starved: the next refresh is due later \
         than the stream is long, though the channel publishes every week."
            .to_owned(),
        "By the printed rule one refresh that finds nothing divides the rate by ten at the start and by \
         thousands after weeks: the channel is not refreshed again."
            .to_owned(),
    ];
    let chart = Chart {
        title: String::new(),
        x: Axis::new("items per hour, whole stream", Scale::Log),
        y: Axis::new("learnt refreshes per hour", Scale::Log).within(1e-4, 100.0),
        series,
    };
    Ok(rows.report(title, notes, vec![chart], json!({})))
}

/// Channels with an item a week or more whose next refresh would be later than the end.
fn starved(outcome: &Outcome, truth: &[f64], end: f64) -> usize {
    let both = outcome.rates.iter().zip(truth);
    both.filter(|(rate, truth)| **truth >= 1.0 / WEEK && **rate < 1.0 / end).count()
}

/// `channels-beta`: quality and refreshes against the novelty threshold, with rates known in advance.
pub(crate) fn beta(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let filters = [-1.0, -0.5, -0.25, 0.0, PUBLISHED_BETA, 0.25, 0.5, 1.0, 2.0].map(Some);
    let betas: Vec<Option<f64>> = [None].into_iter().chain(filters).collect();
    let heard = world.heard(WINDOW);
    let outcomes = lab.for_each("runs", &betas, |beta| {
        let rates = match beta {
            Some(beta) => novel_rates(&heard, Novelty::new(*beta), world.end),
            None => world.rates(),
        };
        play(world, WINDOW, &Pace::Offline(rates), lab.seed)
    })?;
    let mut rows = Rows::new(
        &["β"],
        &[
            "quality",
            "refreshes",
            "printed",
            "lost",
            "deviation",
            "printed",
            "saved",
            "deviation",
            "of all refreshes",
        ],
    );
    let (mut lost, mut saved) = (Vec::new(), Vec::new());
    for (beta, outcome) in betas.iter().zip(&outcomes) {
        let filtered = Filtered::new(*beta, outcome, &outcomes[0]);
        rows.push(filtered.cells(), filtered.json());
        if let Some(beta) = beta {
            lost.push((*beta, 100.0 * filtered.loss));
            saved.push((*beta, 100.0 * filtered.cut_by_channel));
        }
    }
    let notes = vec![
        "Share of quality lost and of refreshes saved, compared to refreshing at the rate of all items (figures 5 \
         and 6). Saved is the mean over channels, as in the paper: a robot that repeats itself all day counts no \
         more than a blog."
            .to_owned(),
    ];
    let chart = Chart {
        title: String::new(),
        x: Axis::new("β", Scale::Linear),
        y: Axis::new("%", Scale::Linear),
        series: vec![
            Series::new("refreshes saved", Style::Line, saved),
            Series::new("quality lost", Style::Line, lost),
        ],
    };
    let title = "what the novelty filter costs and saves, rates known in advance";
    Ok(rows.report(title, notes, vec![chart], json!({})))
}

/// What the filter with one β costs and saves, beside no filter.
struct Filtered {
    beta: Option<f64>,
    quality: f64,
    refreshes: usize,
    /// Share of quality lost, share of refreshes saved, and the mean of what each channel saves.
    loss: f64,
    cut: f64,
    cut_by_channel: f64,
}

impl Filtered {
    fn new(beta: Option<f64>, outcome: &Outcome, free: &Outcome) -> Self {
        let quality = outcome.mean_quality();
        let refreshes = outcome.all_refreshes();
        let both = outcome.refreshes.iter().zip(&free.refreshes).filter(|(_, free)| **free > 0);
        let cuts: Vec<f64> = both.map(|(own, free)| 1.0 - *own as f64 / *free as f64).collect();
        Self {
            beta,
            quality,
            refreshes,
            loss: 1.0 - quality / free.mean_quality(),
            cut: 1.0 - refreshes as f64 / free.all_refreshes() as f64,
            cut_by_channel: mean(&cuts),
        }
    }

    /// A published figure, at the β that the paper gives figures for.
    fn published(&self, figure: f64) -> Option<f64> {
        (self.beta == Some(PUBLISHED_BETA)).then_some(figure)
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![
            Cell::Text(self.beta.map_or("all items".to_owned(), |beta| beta.to_string())),
            Cell::number(self.quality, 3),
            Cell::count(self.refreshes),
        ];
        cells.extend(beside(self.published(PUBLISHED_LOSS), self.loss, 3));
        cells.extend(beside(self.published(PUBLISHED_CUT), self.cut_by_channel, 3));
        cells.push(Cell::number(self.cut, 3));
        cells
    }

    fn json(&self) -> Value {
        json!({
            "beta": self.beta, "quality": self.quality, "refreshes": self.refreshes,
            "quality_loss": self.loss, "refreshes_cut": self.cut,
            "refreshes_cut_by_channel": self.cut_by_channel,
            "published_quality_loss": self.published(PUBLISHED_LOSS),
            "published_refreshes_cut": self.published(PUBLISHED_CUT),
        })
    }
}

/// Novel items per second of each channel.
fn novel_rates(heard: &[Vec<Impact>], novelty: Novelty, end: f64) -> Vec<f64> {
    let novel = |heard: &Vec<Impact>| heard.iter().filter(|heard| novelty.admits(heard)).count();
    heard.iter().map(|heard| novel(heard) as f64 / end).collect()
}

/// `channels-window`: what the filter costs on-line at β = 0.1, against the size of the profile's window.
pub(crate) fn window(lab: &Lab, world: &TextWorld) -> Result<Report, Invalid> {
    let sizes = [5_usize, 10, 20, 40, 60, 80, 100];
    let pairs = lab.for_each("windows", &sizes, |&size| {
        let run = |content| {
            let heeding = Heeding { learner: Learner::Steady, content };
            play(world, size, &Pace::Online(heeding), lab.seed)
        };
        Ok((run(Content::Ignored)?, run(Content::Novel(Novelty::new(PUBLISHED_BETA)))?))
    })?;
    let headings = [
        "W",
        "quality, all",
        "quality, novel",
        "lost",
        "refreshes, all",
        "refreshes, novel",
        "saved",
    ];
    let mut rows = Rows::new(&[], &headings);
    let mut points = Vec::new();
    for (size, (free, content)) in sizes.iter().zip(&pairs) {
        let loss = 1.0 - content.mean_quality() / free.mean_quality();
        let cut = 1.0 - content.all_refreshes() as f64 / free.all_refreshes() as f64;
        let cells = vec![
            Cell::count(*size),
            Cell::number(free.mean_quality(), 3),
            Cell::number(content.mean_quality(), 3),
            Cell::number(loss, 3),
            Cell::count(free.all_refreshes()),
            Cell::count(content.all_refreshes()),
            Cell::number(cut, 3),
        ];
        let row = json!({
            "window": size, "quality_free": free.mean_quality(),
            "quality_content": content.mean_quality(), "quality_loss": loss,
            "refreshes_free": free.all_refreshes(), "refreshes_content": content.all_refreshes(), "refreshes_cut": cut,
        });
        rows.push(cells, row);
        points.push((*size as f64, 100.0 * loss));
    }
    let title = "what the filter at β = 0.1 costs on-line, by the profile's window";
    let notes = vec![
        "Published (figure 7, a curve without figures): the loss falls as the window grows."
            .to_owned(),
    ];
    let chart = Chart {
        title: String::new(),
        x: Axis::new("W, items in a profile", Scale::Linear),
        y: Axis::new("quality lost (%)", Scale::Linear),
        series: vec![Series::new("β = 0.1", Style::Line, points)],
    };
    Ok(rows.report(title, notes, vec![chart], json!({})))
}

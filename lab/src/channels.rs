//! Channels with text, looked at under a policy: how well does the kept profile match the ideal one?
//!
//! The ideal profile of a channel has seen every item as it was published; the kept one only what looks
//! have shown. Quality is the cosine of the two, as a mean over time since the channel's first item and then
//! over channels. Both are weighed with the frequencies of the whole time, so a policy is judged by what it
//! keeps; novelty it judges by itself, with the frequencies of what it has seen.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use pergola_newsroom::{Trace, TraceItem, random_stream};
use pergola_profile::policy::Choice;
use pergola_profile::rate::{Learning, Rate};
use pergola_profile::{Bag, Channels, Heard, Neighbours, Novelty, Profile, Term, Vocabulary};
use pergola_refresh::{DAY, HOUR, WEEK};
use rand::RngExt;

/// Items that a channel's document shows, as in the paper's setting.
pub(crate) const SNAPSHOT: usize = 20;
/// Looks per second that each channel is thought to deserve before the first: one in an hour.
const PRIOR: f64 = 1.0 / HOUR;
/// Similarities between channels are surveyed this often.
const SURVEY: f64 = DAY;
/// Random numbers of fair choices; those below belong to the sources.
const CHOICES: u64 = 1 << 44;

/// What the channels publish.
pub(crate) struct TextWorld {
    /// For each channel its items in order of time.
    pub(crate) channels: Vec<Vec<Said>>,
    /// All items in order of time, as (instant, channel).
    order: Vec<(f64, usize)>,
    /// Squared idf of each term over the whole time, by the terms' places in [`Said::terms`].
    weights: Vec<f64>,
    /// How long it lasts, in seconds.
    pub(crate) end: f64,
}

/// One item.
pub(crate) struct Said {
    at: f64,
    bag: Bag,
    /// Its terms as places in the world's table.
    terms: Box<[u32]>,
}

impl TextWorld {
    /// The streams of a trace; an item's text is its title and its keywords.
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut places: HashMap<Term, u32> = HashMap::new();
        let mut vocabulary = Vocabulary::bounded(usize::MAX);
        let mut said = |at: f64, text: &str| {
            let bag = Bag::of(text);
            vocabulary.learn(&bag);
            let terms = bag.iter().map(|(term, _)| {
                let next = places.len() as u32;
                *places.entry(term).or_insert(next)
            });
            Said { at, terms: terms.collect(), bag }
        };
        let mut channels: Vec<Vec<Said>> = Vec::new();
        for stream in trace.streams.iter().filter(|stream| !stream.items.is_empty()) {
            let items = stream.items.iter();
            let text = |item: &TraceItem| format!("{} {}", item.title, item.keywords);
            channels.push(items.map(|item| said(item.at, &text(item))).collect());
        }
        let mut order: Vec<(f64, usize)> = channels
            .iter()
            .enumerate()
            .flat_map(|(channel, items)| items.iter().map(move |item| (item.at, channel)))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut weights = vec![0.0; places.len()];
        for (term, place) in places {
            weights[place as usize] = vocabulary.idf(term).powi(2);
        }
        Self { channels, order, weights, end: trace.weeks as f64 * WEEK }
    }

    /// Items per second of each channel, over the whole time.
    pub(crate) fn rates(&self) -> Vec<f64> {
        self.channels.iter().map(|items| items.len() as f64 / self.end).collect()
    }

    /// What each channel hears of each of its items, if none is missed.
    pub(crate) fn heard(&self, window: usize) -> Vec<Vec<Heard>> {
        let mut vocabulary = Vocabulary::default();
        let mut profiles = vec![Profile::new(window); self.channels.len()];
        let mut heard: Vec<Vec<Heard>> = vec![Vec::new(); self.channels.len()];
        for &(_, channel) in &self.order {
            let bag = &self.channels[channel][heard[channel].len()].bag;
            vocabulary.learn(bag);
            heard[channel].push(profiles[channel].add(bag, &vocabulary));
        }
        heard
    }
}

/// When channels are looked at.
#[derive(Debug, Clone)]
pub(crate) enum Pace {
    /// Each at its own fixed rate, known beforehand (looks per second; 0 is never).
    Offline(Vec<f64>),
    /// Each at its own rate as it is learnt: next at T + 1/λ.
    Online(Learnt),
    /// M of them every hour.
    Budget {
        /// M.
        looks: usize,
        /// By their importance how?
        choice: Choice,
        /// What importance is.
        importance: Importance,
        /// Whether rates are refined by those of similar channels.
        similar: bool,
        /// How rates are learnt.
        learnt: Learnt,
    },
}

/// What makes a channel important now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Importance {
    /// Its rate, as printed.
    Rate,
    /// Its rate times the time since the last look: the items that should be waiting.
    Waiting,
}

/// How monitoring rates are learnt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Learnt {
    /// From each look how?
    pub(crate) learning: Learning,
    /// From novel items only, or from all.
    pub(crate) novelty: Option<Novelty>,
}

/// What came of it, by channel.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// Mean quality over time.
    pub(crate) quality: Vec<f64>,
    /// Looks.
    pub(crate) looks: Vec<usize>,
    /// The last learnt rate, and its mean over the second half, in looks per second.
    pub(crate) rates: Vec<f64>,
    pub(crate) mean_rates: Vec<f64>,
}

impl Outcome {
    /// The mean over channels.
    pub(crate) fn mean_quality(&self) -> f64 {
        mean(&self.quality)
    }

    /// Looks in all.
    pub(crate) fn all_looks(&self) -> usize {
        self.looks.iter().sum()
    }
}

/// The mean of some figures; 0 if there are none.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Plays one policy through a world.
pub(crate) fn play(world: &TextWorld, window: usize, pace: &Pace, seed: u64) -> Outcome {
    let mut play = Play::new(world, window, pace);
    match pace {
        Pace::Offline(rates) => play.on_time(|channel, _| rates[channel]),
        Pace::Online(_) => play.on_time(|_, rate| rate),
        Pace::Budget { looks, choice, importance, similar, .. } => {
            play.by_choice(*looks, *choice, *importance, *similar, seed);
        }
    }
    play.outcome()
}

/// One channel as a policy knows it.
struct Followed {
    comparison: Comparison,
    /// The profile by which novelty is judged.
    profile: Profile,
    /// Items published, and how many of them were out when it was last looked at.
    published: usize,
    seen: usize,
    /// Numbers of the items in the kept profile's window.
    kept: VecDeque<usize>,
    last: f64,
    rate: Rate,
    looks: usize,
    /// ∫ quality, since the first item and until `measured`.
    first: Option<f64>,
    sum: f64,
    measured: f64,
    /// ∫ rate over the second half, until `rated`.
    rate_sum: f64,
    rated: f64,
}

/// Two profiles whose cosine is known at any time: products are changed term by term.
#[derive(Default)]
struct Comparison {
    /// How often the ideal and the kept profile have each term.
    counts: HashMap<u32, [i32; 2]>,
    squares: [f64; 2],
    product: f64,
}

/// The places of the two profiles in a comparison.
const IDEAL: usize = 0;
const KEPT: usize = 1;

impl Comparison {
    /// Terms come to one of the profiles (`by` 1) or leave it (−1).
    fn change(&mut self, terms: &[u32], weights: &[f64], which: usize, by: i32) {
        for term in terms {
            let weight = weights[*term as usize];
            let counts = self.counts.entry(*term).or_default();
            let before = counts[which];
            counts[which] += by;
            self.squares[which] += weight * f64::from(counts[which].pow(2) - before.pow(2));
            self.product += weight * f64::from(by * counts[1 - which]);
            if *counts == [0, 0] {
                self.counts.remove(term);
            }
        }
    }

    fn cosine(&self) -> f64 {
        let lengths = (self.squares[0] * self.squares[1]).sqrt();
        if lengths > 1e-9 { (self.product / lengths).clamp(0.0, 1.0) } else { 0.0 }
    }
}

struct Play<'a> {
    world: &'a TextWorld,
    learnt: Option<Learnt>,
    followed: Vec<Followed>,
    /// Items of the world that are out.
    out: usize,
    window: usize,
    /// Frequencies of what was seen, and profiles by which channels are compared.
    seen: Vocabulary,
    channels: Option<Channels>,
}

impl<'a> Play<'a> {
    fn new(world: &'a TextWorld, window: usize, pace: &Pace) -> Self {
        let learnt = match pace {
            Pace::Offline(_) => None,
            Pace::Online(learnt) | Pace::Budget { learnt, .. } => Some(*learnt),
        };
        let similar = matches!(pace, Pace::Budget { similar: true, .. });
        let learning = learnt.map_or(Learning::Steady, |learnt| learnt.learning);
        let followed = || Followed {
            comparison: Comparison::default(),
            profile: Profile::new(window),
            published: 0,
            seen: 0,
            kept: VecDeque::new(),
            last: 0.0,
            rate: Rate::new(learning, PRIOR),
            looks: 0,
            first: None,
            sum: 0.0,
            measured: 0.0,
            rate_sum: 0.0,
            rated: world.end / 2.0,
        };
        Self {
            world,
            learnt,
            followed: world.channels.iter().map(|_| followed()).collect(),
            out: 0,
            window,
            seen: Vocabulary::default(),
            channels: similar.then(|| Channels::new(window)),
        }
    }

    /// Each channel at its own times; `rate` tells the looks per second by the number and the learnt rate.
    fn on_time(&mut self, rate: impl Fn(usize, f64) -> f64) {
        // Instants as whole microseconds, which can be ordered.
        let instant = |seconds: f64| (seconds * 1e6) as u64;
        let mut due: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let end = self.world.end;
        // Never twice in a minute, however quick a rate was learnt.
        let next = |now: f64, rate: f64| now + (1.0 / rate).max(60.0);
        let put = |due: &mut BinaryHeap<_>, at: f64, channel: usize| {
            if at <= end {
                due.push(Reverse((instant(at), channel)));
            }
        };
        for (channel, followed) in self.followed.iter().enumerate() {
            put(&mut due, next(0.0, rate(channel, followed.rate.get())), channel);
        }
        while let Some(Reverse((at, channel))) = due.pop() {
            let now = at as f64 / 1e6;
            self.publish_until(now);
            self.look(channel, now);
            put(&mut due, next(now, rate(channel, self.followed[channel].rate.get())), channel);
        }
        self.publish_until(self.world.end);
    }

    /// The chosen ones every hour.
    fn by_choice(
        &mut self,
        looks: usize,
        choice: Choice,
        importance: Importance,
        similar: bool,
        seed: u64,
    ) {
        let mut random = random_stream(seed, CHOICES);
        let mut neighbours = Neighbours::new(self.followed.len());
        let mut surveyed = 0.0;
        let mut now = HOUR;
        while now <= self.world.end {
            self.publish_until(now);
            if let Some(channels) = self.channels.as_ref().filter(|_| now - surveyed >= SURVEY) {
                neighbours.survey(channels);
                surveyed = now;
            }
            let mut rates: Vec<f64> = self.followed.iter().map(|f| f.rate.get()).collect();
            if similar {
                rates = neighbours.refine(&rates);
            }
            if importance == Importance::Waiting {
                for (rate, followed) in rates.iter_mut().zip(&self.followed) {
                    *rate *= now - followed.last;
                }
            }
            for channel in choice.choose(&rates, looks, || random.random()) {
                self.look(channel, now);
            }
            now += HOUR;
        }
        self.publish_until(self.world.end);
    }

    fn publish_until(&mut self, now: f64) {
        while let Some(&(at, channel)) = self.world.order.get(self.out).filter(|(at, _)| *at <= now)
        {
            self.out += 1;
            self.measure(channel, at);
            let followed = &mut self.followed[channel];
            let said = &self.world.channels[channel];
            let published = followed.published;
            followed.comparison.change(&said[published].terms, &self.world.weights, IDEAL, 1);
            if let Some(gone) = published.checked_sub(self.window) {
                followed.comparison.change(&said[gone].terms, &self.world.weights, IDEAL, -1);
            }
            followed.published += 1;
            followed.first.get_or_insert(at);
        }
    }

    fn look(&mut self, channel: usize, now: f64) {
        self.measure(channel, now);
        let followed = &mut self.followed[channel];
        let said = &self.world.channels[channel];
        let novelty = self.learnt.and_then(|learnt| learnt.novelty);
        let mut found = 0;
        let shown = followed.published.saturating_sub(SNAPSHOT).max(followed.seen);
        for number in shown..followed.published {
            let item = &said[number];
            followed.comparison.change(&item.terms, &self.world.weights, KEPT, 1);
            followed.kept.push_back(number);
            if followed.kept.len() > self.window
                && let Some(gone) = followed.kept.pop_front()
            {
                followed.comparison.change(&said[gone].terms, &self.world.weights, KEPT, -1);
            }
            found += match novelty {
                None => 1,
                Some(novelty) => {
                    self.seen.learn(&item.bag);
                    let heard = followed.profile.add(&item.bag, &self.seen);
                    usize::from(novelty.admits(&heard))
                }
            };
            if let Some(channels) = &mut self.channels {
                channels.add_all(channel as u32, std::slice::from_ref(&item.bag));
            }
        }
        followed.seen = followed.published;
        followed.rate_sum += followed.rate.get() * (now - followed.rated).max(0.0);
        followed.rated = followed.rated.max(now);
        followed.rate.learn(now, now - followed.last, found);
        followed.last = now;
        followed.looks += 1;
    }

    /// Adds the quality of the time until `now`, in which nothing changed.
    fn measure(&mut self, channel: usize, now: f64) {
        let followed = &mut self.followed[channel];
        if followed.first.is_some() {
            followed.sum += followed.comparison.cosine() * (now - followed.measured);
        }
        followed.measured = now;
    }

    fn outcome(mut self) -> Outcome {
        let end = self.world.end;
        (0..self.followed.len()).for_each(|channel| self.measure(channel, end));
        let quality = |f: &Followed| f.sum / (end - f.first.unwrap_or(0.0)).max(1.0);
        let mean_rate =
            |f: &Followed| (f.rate_sum + f.rate.get() * (end - f.rated).max(0.0)) / (end / 2.0);
        Outcome {
            quality: self.followed.iter().map(quality).collect(),
            looks: self.followed.iter().map(|f| f.looks).collect(),
            rates: self.followed.iter().map(|f| f.rate.get()).collect(),
            mean_rates: self.followed.iter().map(mean_rate).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_follows_every_change() {
        let weights = [1.0, 4.0];
        let mut comparison = Comparison::default();
        comparison.change(&[0, 1], &weights, IDEAL, 1);
        assert_eq!(comparison.cosine(), 0.0);
        comparison.change(&[0], &weights, KEPT, 1);
        // (1, 2) and (1, 0), weighed: 1/√5.
        assert!((comparison.cosine() - 0.2f64.sqrt()).abs() < 1e-12);
        comparison.change(&[0], &weights, IDEAL, -1);
        assert_eq!(comparison.cosine(), 0.0);
        comparison.change(&[1], &weights, KEPT, 1);
        comparison.change(&[0], &weights, KEPT, -1);
        assert!((comparison.cosine() - 1.0).abs() < 1e-12);
        assert_eq!(comparison.counts.len(), 1);
    }
}

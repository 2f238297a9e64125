//! Channels with text, looked at under a policy: how well does the kept profile match the ideal one?
//!
//! The ideal profile of a channel has seen every item as it was published; the kept one only what looks
//! have shown. Quality is the cosine of the two, as a mean over time since the channel's first item and then
//! over channels. Both are weighed with the frequencies of everything published so far, so a policy is
//! judged by what it keeps; novelty it judges by itself, with the frequencies of what it has seen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pergola_newsroom::{Trace, random_stream};
use pergola_profile::policy::Choice;
use pergola_profile::rate::{Learning, Rate};
use pergola_profile::{Bag, Channels, Neighbours, Novelty, Profile, Vocabulary, cosine};
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
    pub(crate) channels: Vec<Vec<(f64, Bag)>>,
    /// All items in order of time, as (instant, channel).
    order: Vec<(f64, usize)>,
    /// How long it lasts, in seconds.
    pub(crate) end: f64,
}

impl TextWorld {
    /// The streams of a trace; an item's text is its title and its keywords.
    pub(crate) fn of(trace: &Trace) -> Self {
        let bag = |title: &str, keywords: &str| Bag::of(&format!("{title} {keywords}"));
        let channels: Vec<Vec<(f64, Bag)>> = trace
            .streams
            .iter()
            .filter(|stream| !stream.items.is_empty())
            .map(|stream| {
                stream
                    .items
                    .iter()
                    .map(|item| (item.at, bag(&item.title, &item.keywords)))
                    .collect()
            })
            .collect();
        let mut order: Vec<(f64, usize)> = channels
            .iter()
            .enumerate()
            .flat_map(|(channel, items)| items.iter().map(move |(at, _)| (*at, channel)))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { channels, order, end: trace.weeks as f64 * WEEK }
    }

    /// Items per second of each channel, over the whole time.
    pub(crate) fn rates(&self) -> Vec<f64> {
        self.channels.iter().map(|items| items.len() as f64 / self.end).collect()
    }

    /// Novel items per second of each channel, if every item is seen.
    pub(crate) fn novel_rates(&self, novelty: Novelty, window: usize) -> Vec<f64> {
        let mut vocabulary = Vocabulary::default();
        let mut profiles = vec![Profile::new(window); self.channels.len()];
        let mut next = vec![0; self.channels.len()];
        let mut novel = vec![0_usize; self.channels.len()];
        for &(_, channel) in &self.order {
            let bag = &self.channels[channel][next[channel]].1;
            next[channel] += 1;
            vocabulary.learn(bag);
            let heard = profiles[channel].add(bag, &vocabulary);
            novel[channel] += usize::from(novelty.admits(&heard));
        }
        novel.into_iter().map(|novel| novel as f64 / self.end).collect()
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
    ideal: Profile,
    kept: Profile,
    /// Items published, and how many of them were out when it was last looked at.
    published: usize,
    seen: usize,
    last: f64,
    rate: Rate,
    looks: usize,
    /// ∫ quality, since the first item and until `measured`; `quality` holds from there on unless stale.
    first: Option<f64>,
    sum: f64,
    measured: f64,
    quality: f64,
    stale: bool,
    /// ∫ rate over the second half, until `rated`.
    rate_sum: f64,
    rated: f64,
}

struct Play<'a> {
    world: &'a TextWorld,
    learnt: Option<Learnt>,
    followed: Vec<Followed>,
    /// Items of the world that are out.
    out: usize,
    published: Vocabulary,
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
            ideal: Profile::new(window),
            kept: Profile::new(window),
            published: 0,
            seen: 0,
            last: 0.0,
            rate: Rate::new(learning, PRIOR),
            looks: 0,
            first: None,
            sum: 0.0,
            measured: 0.0,
            quality: 0.0,
            stale: false,
            rate_sum: 0.0,
            rated: world.end / 2.0,
        };
        Self {
            world,
            learnt,
            followed: world.channels.iter().map(|_| followed()).collect(),
            out: 0,
            published: Vocabulary::default(),
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
            let bag = &self.world.channels[channel][followed.published].1;
            followed.published += 1;
            followed.first.get_or_insert(at);
            self.published.learn(bag);
            followed.ideal.follow(bag);
            followed.stale = true;
        }
    }

    fn look(&mut self, channel: usize, now: f64) {
        self.measure(channel, now);
        let followed = &mut self.followed[channel];
        let shown = followed.published.saturating_sub(SNAPSHOT).max(followed.seen);
        let mut found = 0;
        for (_, bag) in &self.world.channels[channel][shown..followed.published] {
            self.seen.learn(bag);
            let heard = followed.kept.add(bag, &self.seen);
            let novelty = self.learnt.and_then(|learnt| learnt.novelty);
            found += usize::from(novelty.is_none_or(|novelty| novelty.admits(&heard)));
            if let Some(channels) = &mut self.channels {
                channels.add_all(channel as u32, std::slice::from_ref(bag));
            }
        }
        followed.stale |= shown < followed.published;
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
        if followed.first.is_none() {
            followed.measured = now;
            return;
        }
        let time = now - followed.measured;
        if time <= 0.0 {
            return;
        }
        if followed.stale {
            let all = &self.published;
            followed.quality = cosine(&followed.ideal, all, &followed.kept, all);
            followed.stale = false;
        }
        followed.sum += followed.quality * time;
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

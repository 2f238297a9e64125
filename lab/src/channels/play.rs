//! One policy played through a world, item by item and refresh by refresh.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use pergola_newsroom::random_stream;
use pergola_profile::{Channels, Profile, Vocabulary};
use pergola_refresh::{DAY, HOUR, Invalid};
use rand::RngExt;

use super::alike::{Alike, Refinement};
use super::comparison::{Comparison, IDEAL, KEPT};
use super::learner::{Learnt, News, change_by_stranger};
use super::{Budget, Content, Heeding, Importance, Learner, Outcome, Pace, TextWorld};

/// Items that a channel's document shows, as in the paper's setting.
const SNAPSHOT: usize = 20;
/// How often similarities between channels are surveyed.
const SURVEY: f64 = DAY;
/// The random stream of fair choices; those below belong to the sources.
const CHOICES: u64 = 1 << 44;

/// Plays one policy through a world.
pub(crate) fn play(
    world: &TextWorld,
    window: usize,
    pace: &Pace,
    seed: u64,
) -> Result<Outcome, Invalid> {
    let mut play = Play::new(world, window, pace)?;
    match pace {
        Pace::Offline(rates) => play.on_time(|channel, _| rates[channel]),
        Pace::Online(_) => play.on_time(|_, rate| rate),
        Pace::Hourly(budget) => play.by_choice(budget, seed),
    }
    Ok(play.outcome())
}

/// One channel as a policy knows it.
struct Followed {
    comparison: Comparison,
    /// The profile that decides what is novel.
    profile: Profile,
    /// Items published so far, and at the time of the last refresh.
    published: usize,
    seen: usize,
    /// Numbers of the items in the kept profile's window.
    kept: VecDeque<usize>,
    last: f64,
    learnt: Learnt,
    news: News,
    refreshes: usize,
    /// ∫ quality, since the first item and until `measured`.
    first: Option<f64>,
    sum: f64,
    measured: f64,
    /// ∫ rate over the second half, until `rated`.
    rate_sum: f64,
    rated: f64,
}

impl Followed {
    /// How important a refresh is now, if the channel publishes `rate` items a second.
    fn importance(&self, importance: Importance, rate: f64, now: f64, window: usize) -> f64 {
        let waited = now - self.last;
        match importance {
            Importance::Rate => rate,
            Importance::Waiting => rate * waited,
            // Nothing is known of a channel that was never refreshed.
            Importance::Loss if self.refreshes == 0 => f64::INFINITY,
            Importance::Loss => {
                let change = change_by_stranger(self.kept.len().max(1), window);
                let all_lost = 1.0 / (change * rate);
                0.5 * self.news.share() * change * rate * waited.min(all_lost).powi(2)
            }
        }
    }
}

struct Play<'a> {
    world: &'a TextWorld,
    content: Content,
    followed: Vec<Followed>,
    /// Items published so far, over all channels.
    out: usize,
    window: usize,
    /// Word frequencies of the seen items, and profiles that compare channels.
    seen: Vocabulary,
    channels: Option<Channels>,
    /// The rates of the last choice.
    refined: Vec<f64>,
}

impl<'a> Play<'a> {
    fn new(world: &'a TextWorld, window: usize, pace: &Pace) -> Result<Self, Invalid> {
        let Heeding { learner, content } = match pace {
            Pace::Offline(_) => Heeding { learner: Learner::Steady, content: Content::Ignored },
            Pace::Online(heeding) | Pace::Hourly(Budget { heeding, .. }) => *heeding,
        };
        let refined =
            matches!(pace, Pace::Hourly(budget) if budget.refinement != Refinement::Alone);
        let followed = |_| {
            Ok(Followed {
                comparison: Comparison::default(),
                profile: Profile::new(window),
                published: 0,
                seen: 0,
                kept: VecDeque::new(),
                last: 0.0,
                learnt: Learnt::new(learner)?,
                news: News::unheard(),
                refreshes: 0,
                first: None,
                sum: 0.0,
                measured: 0.0,
                rate_sum: 0.0,
                rated: world.end / 2.0,
            })
        };
        Ok(Self {
            world,
            content,
            followed: world.channels.iter().map(followed).collect::<Result<_, Invalid>>()?,
            out: 0,
            window,
            seen: Vocabulary::default(),
            channels: refined.then(|| Channels::new(window)),
            refined: Vec::new(),
        })
    }

    /// Refreshes each channel at its own rate, which `rate` tells from its number and the learnt rate.
    fn on_time(&mut self, rate: impl Fn(usize, f64) -> f64) {
        // Instants as whole microseconds, which can be ordered.
        let instant = |seconds: f64| (seconds * 1e6) as u64;
        let mut due: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let end = self.world.end;
        // At most once a minute, whatever rate was learnt.
        let next = |now: f64, rate: f64| now + (1.0 / rate).max(60.0);
        let put = |due: &mut BinaryHeap<_>, at: f64, channel: usize| {
            if at <= end {
                due.push(Reverse((instant(at), channel)));
            }
        };
        for (channel, followed) in self.followed.iter().enumerate() {
            put(&mut due, next(0.0, rate(channel, followed.learnt.rate())), channel);
        }
        while let Some(Reverse((at, channel))) = due.pop() {
            let now = at as f64 / 1e6;
            self.publish_until(now);
            self.refresh(channel, now);
            put(&mut due, next(now, rate(channel, self.followed[channel].learnt.rate())), channel);
        }
        self.publish_until(self.world.end);
    }

    /// Refreshes the chosen channels every hour.
    fn by_choice(&mut self, budget: &Budget, seed: u64) {
        let mut random = random_stream(seed, CHOICES);
        let mut alike = Alike::new(budget.refinement, self.followed.len());
        let mut surveyed = 0.0;
        let mut now = HOUR;
        while now <= self.world.end {
            self.publish_until(now);
            let mut rates: Vec<f64> = self.followed.iter().map(|f| f.learnt.rate()).collect();
            if let Some((alike, channels)) = alike.as_mut().zip(self.channels.as_ref()) {
                if now - surveyed >= SURVEY {
                    alike.survey(channels);
                    surveyed = now;
                }
                rates = alike.refine(&rates);
            }
            let importance: Vec<f64> = self
                .followed
                .iter()
                .zip(&rates)
                .map(|(f, rate)| f.importance(budget.importance, *rate, now, self.window))
                .collect();
            for channel in budget.choice.choose(&importance, budget.refreshes, || random.random()) {
                self.refresh(channel, now);
            }
            self.refined = rates;
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

    fn refresh(&mut self, channel: usize, now: f64) {
        self.measure(channel, now);
        let followed = &mut self.followed[channel];
        let said = &self.world.channels[channel];
        let mut found = 0;
        let shown = followed.published.saturating_sub(SNAPSHOT).max(followed.seen);
        for number in shown..followed.published {
            let item = &said[number];
            followed.comparison.change(&item.terms, &self.world.weights, KEPT, 1);
            let kept = followed.kept.len();
            followed.kept.push_back(number);
            if followed.kept.len() > self.window
                && let Some(gone) = followed.kept.pop_front()
            {
                followed.comparison.change(&said[gone].terms, &self.world.weights, KEPT, -1);
            }
            found += match self.content {
                Content::Ignored => 1,
                Content::Novel(novelty) => {
                    self.seen.learn(&item.bag);
                    usize::from(novelty.admits(&followed.profile.add(&item.bag, &self.seen)))
                }
                Content::Change => {
                    self.seen.learn(&item.bag);
                    let similarity = followed.profile.add(&item.bag, &self.seen).similarity;
                    followed.news.hear(similarity, kept, self.window);
                    1
                }
            };
            if let Some(channels) = &mut self.channels {
                channels.add_all(channel as u32, std::slice::from_ref(&item.bag));
            }
        }
        followed.seen = followed.published;
        followed.rate_sum += followed.learnt.rate() * (now - followed.rated).max(0.0);
        followed.rated = followed.rated.max(now);
        followed.learnt.learn(followed.last, now, found, SNAPSHOT);
        followed.last = now;
        followed.refreshes += 1;
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
            |f: &Followed| (f.rate_sum + f.learnt.rate() * (end - f.rated).max(0.0)) / (end / 2.0);
        Outcome {
            quality: self.followed.iter().map(quality).collect(),
            refreshes: self.followed.iter().map(|f| f.refreshes).collect(),
            rates: self.followed.iter().map(|f| f.learnt.rate()).collect(),
            refined: self.refined,
            mean_rates: self.followed.iter().map(mean_rate).collect(),
        }
    }
}

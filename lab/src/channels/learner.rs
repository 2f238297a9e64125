//! What is known of a channel: how often it publishes, and how much of that is news.

use pergola_profile::rate::{Learning, Rate};
use pergola_refresh::{GammaPoisson, HOUR, Invalid, Observation, PublicationModel};

use super::Learner;

/// The assumed rate of a channel before its first refresh, items per second: one an hour.
const PRIOR: f64 = 1.0 / HOUR;
/// The least share of news: a channel that has repeated itself for years may still change.
const LEAST_NEWS: f64 = 0.02;

pub(super) enum Learnt {
    Boltzmann(Rate),
    Gamma(GammaPoisson),
}

impl Learnt {
    pub(super) fn new(learner: Learner) -> Result<Self, Invalid> {
        Ok(match learner {
            Learner::Printed => Self::Boltzmann(Rate::new(Learning::Printed, PRIOR)),
            Learner::Steady => Self::Boltzmann(Rate::new(Learning::Steady, PRIOR)),
            Learner::Gamma => Self::Gamma(GammaPoisson::new(PRIOR)?),
        })
    }

    /// Per second.
    pub(super) fn rate(&self) -> f64 {
        match self {
            Self::Boltzmann(rate) => rate.get(),
            Self::Gamma(model) => model.mean_rate(),
        }
    }

    /// Learns that a refresh at `now` found so many items that count; the one before was at `since`.
    pub(super) fn learn(&mut self, since: f64, now: f64, items: usize, window: usize) {
        match self {
            Self::Boltzmann(rate) => rate.learn(now, now - since, items),
            Self::Gamma(model) => model.learn(&Observation {
                at: now,
                since: Some(since),
                new_items: items as u32,
                window: window as u32,
                censored: items >= window,
                dates: &[],
            }),
        }
    }
}

/// What an unrelated item changes in a profile of `kept` items of at most `window`: 1 − the cosine of before and
/// after.
pub(super) fn change_by_stranger(kept: usize, window: usize) -> f64 {
    if kept < window { 1.0 - (kept as f64 / (kept + 1) as f64).sqrt() } else { 1.0 / window as f64 }
}

/// The share of news in a channel: what its items change, divided by what unrelated items would change. 1 before
/// the first item.
#[derive(Debug, Clone, Copy)]
pub(super) struct News {
    share: f64,
    heard: usize,
}

impl News {
    pub(super) fn unheard() -> Self {
        Self { share: 1.0, heard: 0 }
    }

    pub(super) fn share(&self) -> f64 {
        self.share.max(LEAST_NEWS)
    }

    /// Adds an item to `kept` others.
    pub(super) fn hear(&mut self, similarity: f64, kept: usize, window: usize) {
        self.heard += 1;
        // The prior counts as one item; older items than two windows fade.
        let weight = 1.0 / (self.heard + 1).min(2 * window) as f64;
        let share = (1.0 - similarity) / change_by_stranger(kept, window);
        self.share += weight * (share - self.share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_robot_has_no_news_and_a_wanderer_nothing_else() {
        let (mut robot, mut wanderer) = (News::unheard(), News::unheard());
        for item in 0..100 {
            let kept = item.min(20);
            robot.hear(1.0, kept, 20);
            wanderer.hear(1.0 - change_by_stranger(kept, 20), kept, 20);
        }
        assert!(robot.share() < 0.1, "{}", robot.share());
        assert!((wanderer.share() - 1.0).abs() < 1e-9);
        assert_eq!((change_by_stranger(0, 20), change_by_stranger(20, 20)), (1.0, 0.05));
    }

    #[test]
    fn ours_learns_by_time_and_not_by_refreshes() {
        let learnt = |learner| {
            let mut learnt = Learnt::new(learner).unwrap();
            // One refresh after four days has found four items.
            learnt.learn(0.0, 96.0 * HOUR, 4, 20);
            learnt.rate() * 96.0 * HOUR
        };
        assert!(learnt(Learner::Steady) > 40.0);
        assert!((3.0..9.0).contains(&learnt(Learner::Gamma)), "{}", learnt(Learner::Gamma));
    }
}

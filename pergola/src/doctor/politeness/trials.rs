//! The trials: what the scoring server does to a crawler, and how the crawler's answer is judged.
//!
//! Every trial checks one rule of politeness. It has a script of answers and a judge, which reads the log of the
//! server and, where the log is not enough, what the node reports of itself.

mod asking;
mod bounds;
mod pacing;
mod trouble;

use super::judge::{Facts, Judged};
use super::reply::{Reply, TrialRequest};
use super::server::Seen;

pub(super) const MINUTE: f64 = 60.0;
pub(super) const HOUR: f64 = 3_600.0;
pub(super) const DAY: f64 = 86_400.0;

/// One rule, how it is tried and how it is judged.
#[derive(Clone, Copy)]
pub struct Trial {
    /// The point of the manners that it belongs to.
    pub point: u8,
    /// Its name, which is its path on the server.
    pub name: &'static str,
    /// The rule in a few words.
    pub rule: &'static str,
    /// Which host it is at.
    pub(super) host: u8,
    /// The sources that it consists of, by what follows its name.
    pub(super) sources: &'static [&'static str],
    /// How many requests the judge needs to see.
    pub needs: usize,
    /// What the server answers.
    pub(super) reply: fn(TrialRequest<'_>) -> Reply,
    /// What to think of the requests that came.
    pub(super) judge: fn(&[Seen], &Facts) -> Judged,
}

impl Trial {
    const fn new(
        point: u8,
        name: &'static str,
        rule: &'static str,
        reply: fn(TrialRequest<'_>) -> Reply,
        judge: fn(&[Seen], &Facts) -> Judged,
    ) -> Self {
        Self { point, name, rule, host: 2, sources: &[""], needs: 2, reply, judge }
    }

    const fn needs(self, needs: usize) -> Self {
        Self { needs, ..self }
    }

    const fn of(self, sources: &'static [&'static str]) -> Self {
        Self { sources, ..self }
    }
}

/// The trials that run over weeks of accelerated time.
pub fn of_weeks() -> Vec<Trial> {
    let all = [asking::TRIALS, trouble::TRIALS, bounds::TRIALS, pacing::OVER_WEEKS].concat();
    // A host of its own for each, so that no trial waits for another's lane.
    (10..).zip(all).map(|(host, trial)| Trial { host, ..trial }).collect()
}

/// The trials of seconds, which acceleration would blur.
pub fn of_seconds() -> Vec<Trial> {
    pacing::OVER_SECONDS.to_vec()
}

/// What this server cannot see, and unit tests check instead: point and rule.
pub(super) const UNSEEN: &[(u8, &str)] = &[
    (4, "hosts of one registrable domain share a lane"),
    (6, "http to https is adopted at once"),
    (7, "connecting takes 10 s at most"),
    (8, "certificates are always checked"),
];

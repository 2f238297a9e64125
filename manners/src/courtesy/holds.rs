//! What forbids a refresh, and until when.
//!
//! The next refresh of a source is never stored alone: it follows from what the source has said, how it has
//! answered and the rules of today. So a floor that the operator lowers counts at once, and whoever asks why a
//! source has to wait gets the reasons by which it waits.

use super::rules::Rules;
use super::{Courtesy, FailureKind, Failures, Pause};
use crate::backoff::{backoff, lengthened};

/// Headers are compared with what was remembered to the second.
const A_SECOND: f64 = 1.0;

/// Something that forbids a refresh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    pub cause: Cause,
    /// Infinite if it does not pass by itself.
    pub until: f64,
}

/// Why a source is not to be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// It has ended.
    Ended {
        /// What it answered.
        status: u16,
    },
    /// Whoever runs the node has paused it.
    Halted,
    /// It wants quiet.
    Quiet {
        /// What it answered: 429, 503 or 403; nothing if it is a peer and said so over gRPC.
        status: Option<u16>,
        /// It has said for how long.
        named: bool,
    },
    /// Its last answer said when to come back, whatever it answered.
    RetryAfter,
    /// Its document stays as it is for so long (`max-age` or `Expires`).
    MaxAge { seconds: f64 },
    /// Its document asks for it (`ttl`, `sy:updatePeriod`).
    Period { seconds: f64 },
    /// Its document names hours or days without refreshes (`skipHours`, `skipDays`).
    SkippedTimes,
    /// Our own floor.
    Floor {
        seconds: f64,
        /// The lower one, for a source whose history or hints justify it.
        known: bool,
    },
    /// It has failed.
    BackOff {
        kind: FailureKind,
        /// Failures in a row.
        failures: u32,
    },
}

/// When a source was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    pub at: f64,
    /// The number in [0, 1) that spreads what follows among many nodes.
    pub random: f64,
}

impl Asked {
    /// A wait made a little longer by chance.
    pub(super) fn spread(self, wait: f64, rules: &Rules) -> f64 {
        wait + self.random * (0.1 * wait).min(rules.offset_cap)
    }
}

impl Courtesy {
    /// What forbids a refresh after the source was `asked`, the longest first.
    pub fn holds(&self, asked: Asked, rules: &Rules) -> Vec<Hold> {
        if let Some(ended) = &self.ended {
            // A refresh by hand that fails does not revive it.
            let cause = Cause::Ended { status: ended.status };
            return vec![Hold { cause, until: f64::INFINITY }];
        }
        let after = |cause, wait: f64| Hold { cause, until: asked.at + asked.spread(wait, rules) };
        let (seconds, known) = self.floor(rules);
        let mut holds = vec![after(Cause::Floor { seconds, known }, seconds)];
        holds.extend(self.halt());
        match (&self.pause, &self.failures) {
            (Some(pause), _) if pause.until > asked.at => holds.push(self.quiet(pause, asked)),
            (_, Some(failures)) => {
                let Failures { count: failures, kind, .. } = *failures;
                let until = asked.at + back_off(kind, failures, asked.random, rules);
                holds.push(Hold { cause: Cause::BackOff { kind, failures }, until });
                holds.push(after(self.asked_by(asked), self.asked_until - asked.at));
            }
            (_, None) => {
                let seconds = self.period.unwrap_or(0.0);
                holds.push(after(Cause::Period { seconds }, seconds));
                holds.push(after(self.asked_by(asked), self.asked_until - asked.at));
            }
        }
        let passing = holds.iter().map(|hold| hold.until).filter(|until| until.is_finite());
        let last = passing.fold(asked.at, f64::max);
        let skipped = self.skipped(last, asked, rules);
        holds.extend(skipped.map(|until| Hold { cause: Cause::SkippedTimes, until }));
        holds.retain(|hold| hold.until > asked.at);
        holds.sort_by(|a, b| b.until.total_cmp(&a.until));
        holds
    }

    /// That whoever runs the node has paused it, if so.
    pub fn halt(&self) -> Option<Hold> {
        self.halted.then_some(Hold { cause: Cause::Halted, until: f64::INFINITY })
    }

    /// The floor in force, and whether it is the lower one.
    pub(super) fn floor(&self, rules: &Rules) -> (f64, bool) {
        let known = rules.floor_with_evidence < rules.floor && self.has_evidence(rules);
        (if known { rules.floor_with_evidence } else { rules.floor }, known)
    }

    /// The end of the quiet time that an instant is in; spread, so that not everybody comes on the hour.
    pub(super) fn skipped(&self, at: f64, asked: Asked, rules: &Rules) -> Option<f64> {
        let free = self.quiet_times.first_free(at);
        (free > at).then_some(free + asked.random * rules.offset_cap)
    }

    fn quiet(&self, pause: &Pause, asked: Asked) -> Hold {
        let named = self.asked_until > asked.at;
        Hold { cause: Cause::Quiet { status: pause.status, named }, until: pause.until }
    }

    /// By what the headers of the last answer ask us to stay away.
    fn asked_by(&self, asked: Asked) -> Cause {
        let wait = self.asked_until - asked.at;
        match self.lifetime {
            Some(seconds) if wait < seconds + A_SECOND => Cause::MaxAge { seconds },
            _ => Cause::RetryAfter,
        }
    }
}

/// The wait after so many failures in a row; up to a quarter longer by chance.
fn back_off(kind: FailureKind, failures: u32, random: f64, rules: &Rules) -> f64 {
    let factor = if kind == FailureKind::NotFound { 4.0 } else { 2.0 };
    let wait = backoff(rules.backoff, factor, failures);
    lengthened(wait, random).min(rules.backoff_cap * (0.9 + 0.1 * random))
}

//! The result: point by point, with the evidence.

use std::fmt;

use serde::Serialize;

use super::judge::{ALWAYS, Facts};
use super::server::Seen;
use super::trials::{Trial, UNSEEN};

/// One rule, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// The point of the manners that it belongs to.
    pub point: u8,
    /// The rule in a few words.
    pub rule: &'static str,
    /// Whether it was kept.
    pub kept: bool,
    /// What was seen.
    pub evidence: String,
}

/// All rules, judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// In the order of their points.
    pub marks: Vec<Mark>,
    /// What the server cannot see and unit tests check: not counted.
    pub not_counted: Vec<(u8, &'static str)>,
}

impl Score {
    /// Judges what the server of these trials saw.
    pub fn of(trials: &[Trial], log: &[Seen], facts: &Facts) -> Self {
        let mut marks = Vec::new();
        let mut add = |point, rule, judged: Result<String, String>| {
            let kept = judged.is_ok();
            let evidence = judged.unwrap_or_else(|broken| broken);
            marks.push(Mark { point, rule, kept, evidence });
        };
        for trial in trials {
            let own: Vec<Seen> =
                log.iter().filter(|seen| seen.trial == trial.name).cloned().collect();
            add(trial.point, trial.rule, (trial.judge)(&own, facts));
        }
        Self { marks, not_counted: Vec::new() }
    }

    /// Adds the rules that hold for every request of all servers, and what cannot be seen.
    pub fn with_what_always_holds(mut self, log: &[Seen]) -> Self {
        for (point, rule, judge) in ALWAYS {
            let judged = judge(log);
            let kept = judged.is_ok();
            let evidence = judged.unwrap_or_else(|broken| broken);
            self.marks.push(Mark { point: *point, rule, kept, evidence });
        }
        self.marks.sort_by_key(|mark| mark.point);
        self.not_counted = UNSEEN.to_vec();
        self
    }

    /// Adds the marks of another server.
    pub fn and(mut self, other: Self) -> Self {
        self.marks.extend(other.marks);
        self
    }

    /// Rules kept.
    pub fn kept(&self) -> usize {
        self.marks.iter().filter(|mark| mark.kept).count()
    }

    /// Whether every rule was kept.
    pub fn is_full(&self) -> bool {
        self.kept() == self.marks.len()
    }

    /// Rules that were broken.
    pub fn broken(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(|mark| !mark.kept)
    }
}

const POINTS: [&str; 9] = [
    "Never earlier than the source says",
    "Validators, byte for byte",
    "Floors, kept over a restart",
    "One connection per domain",
    "429, 503 and 403",
    "Redirects, 410, 404 and errors",
    "Encodings and bounds",
    "Honest and cheap",
    "Quiet times and chance",
];

impl fmt::Display for Score {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, title) in (1u8..).zip(POINTS) {
            let own: Vec<&Mark> = self.marks.iter().filter(|mark| mark.point == number).collect();
            let kept = own.iter().filter(|mark| mark.kept).count();
            writeln!(to, "{number}. {title} ({kept} of {})", own.len())?;
            for mark in own {
                let sign = if mark.kept { '✓' } else { '✗' };
                writeln!(to, "   {sign} {}", mark.rule)?;
                writeln!(to, "       {}", mark.evidence)?;
            }
            for (_, rule) in self.not_counted.iter().filter(|(point, _)| *point == number) {
                writeln!(to, "   · {rule}")?;
                writeln!(
                    to,
                    "       not to be seen from here: checked by unit tests, not counted"
                )?;
            }
        }
        write!(to, "\n{} of {} rules kept", self.kept(), self.marks.len())
    }
}

//! What each source has asked of us, and how we stand with it.
//!
//! Why apart: this is the promise to the people whose servers we use, so it is pure, told the time and
//! the dice, stored with the source, and every rule has a test named after it. The scheduler may want
//! what it likes: nobody refreshes a source before [`Courtesy::next_at`].
//!
//! Never: an earlier refresh than the latest of all that the source said; a validator altered; a pause
//! counted as an error; a source dropped in silence.

mod exchange;
mod freshness;
mod hosts;
mod moves;
mod pace;
mod quiet_times;
mod rules;
mod standing;
mod verdict;

#[cfg(test)]
mod tests;

use http::HeaderValue;
use pergola_feed::Hints;
use url::Url;

pub use exchange::{Exchange, Head, Hop, Reading, Reply, Validators};
pub use hosts::HostPauses;
pub use pace::Pace;
pub use quiet_times::QuietTimes;
pub use rules::{RuleBook, Rules};
pub use standing::{Ended, Failures, Moved, Pause};
pub use verdict::{FailureKind, Outcome, Verdict};

use rules::DAY;

/// How often a request may go out without validators although there are some.
const AUDIT_EVERY: f64 = 30.0 * DAY;
/// A longer validator is not worth storing; it would not be an honest one.
const LONGEST_VALIDATOR: usize = 4_096;

/// What a source has asked of us and how we stand with it. Instants are seconds since the Unix epoch,
/// durations are seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Courtesy {
    /// By what the source recognises the document that we have.
    pub validators: Validators,
    /// How long the document was declared to stay as it is (`max-age` or `Expires`).
    pub lifetime: Option<f64>,
    /// How long the document itself says to wait (`ttl`, `sy:updatePeriod`).
    pub period: Option<f64>,
    /// When the document says not to ask at all (`skipHours`, `skipDays`).
    pub quiet_times: QuietTimes,
    /// The source wants quiet.
    pub pause: Option<Pause>,
    /// What has gone wrong since it last went well.
    pub failures: Option<Failures>,
    /// 403 in a row.
    pub forbidden: u32,
    /// A permanent redirect that is not yet believed.
    pub moved: Option<Moved>,
    /// The source has said that it is gone.
    pub ended: Option<Ended>,
    /// When a request without validators last went out.
    pub last_unconditional: Option<f64>,
    /// How busy the source has been of late.
    pub pace: Pace,
    next_at: f64,
}

impl Courtesy {
    /// What to send: the validators, or none the first time and once in 30 days (an audit, in case the
    /// source's validators do not mean what they should).
    pub fn request(&self, now: f64) -> Validators {
        match self.last_unconditional {
            Some(last) if now - last < AUDIT_EVERY => self.validators.clone(),
            _ => Validators::default(),
        }
    }

    /// The same, but not to be asked before this instant: how what was stored is put together again.
    pub fn until(self, next_at: f64) -> Self {
        Self { next_at, ..self }
    }

    /// Not before this instant, whatever the scheduler wants: it is stored, so a restart causes no
    /// burst. Infinite once the source has ended.
    pub fn next_at(&self) -> f64 {
        self.next_at
    }

    /// Whether more than the plain floor is justified: by a hint, that is a positive `max-age`,
    /// `Expires`, `ttl` or update period shorter than the floor; or by history, that is at least two
    /// new items in the refreshes of late, and at least one per floor.
    pub fn has_evidence(&self, rules: &Rules) -> bool {
        let is_short = |seconds: Option<f64>| seconds.is_some_and(|s| s > 0.0 && s < rules.floor);
        is_short(self.lifetime) || is_short(self.period) || self.pace.is_quicker_than(rules.floor)
    }

    /// What an exchange changes. `random` is a number in [0, 1) that spreads many nodes apart.
    pub fn after(
        &mut self,
        exchange: &Exchange<'_>,
        now: f64,
        rules: &Rules,
        random: f64,
    ) -> Verdict {
        if !exchange.conditional {
            self.last_unconditional = Some(now);
        }
        let step = Step { now, rules, random };
        let mut verdict = match exchange.reply {
            Reply::Failure(kind) => self.failed(kind, 0.0, step),
            Reply::Answer { status, head, hops, reading } => {
                if status != 403 {
                    self.forbidden = 0;
                }
                let verdict = match status {
                    200 | 226 => self.delivered(status, head, reading, step),
                    304 if exchange.conditional => self.confirmed(head, step),
                    _ => self.refused(status, head, step),
                };
                self.moving(verdict, exchange.asked, hops, step)
            }
        };
        if self.ended.is_some() {
            // Whoever refreshes it by hand and fails does not bring it back.
            verdict.next_at = f64::INFINITY;
        }
        self.next_at = verdict.next_at;
        verdict
    }

    /// 200 or 226: a document.
    fn delivered(&mut self, status: u16, head: &Head, reading: Reading<'_>, step: Step) -> Verdict {
        self.validators = Validators {
            etag: head.etag.as_ref().and_then(stored),
            last_modified: head.last_modified.as_ref().and_then(stored),
        };
        self.lifetime = freshness::declared(head, step.now);
        if let Reading::Failure(kind) = reading {
            return self.failed(kind, self.asked_by(head, step), step);
        }
        let mut new_items = 0;
        if let Reading::Document { hints, new_items: found } = reading {
            self.period = period(hints, step.rules);
            self.quiet_times = QuietTimes::new(hints);
            new_items = found;
        }
        let outcome = match (status, reading) {
            (226, _) => Outcome::Delta,
            (_, Reading::Same) => Outcome::Unchanged,
            _ => Outcome::Changed,
        };
        self.went_well(outcome, new_items, head, step)
    }

    /// 304: the document that we have is still the one.
    fn confirmed(&mut self, head: &Head, step: Step) -> Verdict {
        if let Some(etag) = head.etag.as_ref().and_then(stored) {
            self.validators.etag = Some(etag);
        }
        if let Some(last_modified) = head.last_modified.as_ref().and_then(stored) {
            self.validators.last_modified = Some(last_modified);
        }
        // A remembered lifetime may become shorter, not longer.
        self.lifetime = match (self.lifetime, freshness::declared(head, step.now)) {
            (Some(known), Some(said)) => Some(known.min(said)),
            (known, said) => known.or(said),
        };
        match &self.failures {
            // What could not be read still cannot.
            Some(failures) if failures.kind.is_about_the_body() => {
                let kind = failures.kind;
                self.failed(kind, self.asked_by(head, step), step)
            }
            _ => self.went_well(Outcome::Unchanged, 0, head, step),
        }
    }

    fn went_well(&mut self, outcome: Outcome, new_items: u32, head: &Head, step: Step) -> Verdict {
        self.pace.record(new_items, step.now);
        let recovered = self.failures.take().map(|failures| {
            format!("answers again after {} failures ({})", failures.count, failures.kind.name())
        });
        self.pause = None;
        self.ended = None;
        let wait = self.asked_by(head, step).max(self.period.unwrap_or(0.0)).max(self.floor(step));
        Verdict {
            note: recovered,
            ..step.verdict(outcome, self.free_from(step.spread(wait), step))
        }
    }

    /// Any status that brings no document.
    fn refused(&mut self, status: u16, head: &Head, step: Step) -> Verdict {
        let retry = freshness::retry_after(head, step.now, step.rules);
        let asked = freshness::declared(head, step.now)
            .map_or(0.0, |declared| freshness::left(declared, head, step.rules))
            .max(retry.unwrap_or(0.0));
        match status {
            410 => self.ended(status, step),
            429 | 503 => self.paused(status, retry, asked, step),
            403 => {
                self.forbidden = self.forbidden.saturating_add(1);
                if self.forbidden >= step.rules.forbidden_burst {
                    return self.paused(status, retry, asked, step);
                }
                let verdict = self.failed(FailureKind::Forbidden, asked, step);
                // A host that bans us does so at many URLs at once.
                let until = step.now + asked.max(step.rules.pause);
                Verdict { host_pause: (!step.rules.peer).then_some(until), ..verdict }
            }
            404 => self.failed(FailureKind::NotFound, asked, step),
            400..=499 => self.failed(FailureKind::ClientError, asked, step),
            500..=599 => self.failed(FailureKind::ServerError, asked, step),
            _ => self.failed(FailureKind::UnexpectedStatus, asked, step),
        }
    }

    fn ended(&mut self, status: u16, step: Step) -> Verdict {
        let note = self.ended.is_none().then(|| {
            format!("answered {status} (gone): it is no longer refreshed, its archive is kept")
        });
        self.ended.get_or_insert(Ended { status, at: step.now });
        Verdict { note, ..step.verdict(Outcome::Gone, f64::INFINITY) }
    }

    fn paused(&mut self, status: u16, retry: Option<f64>, asked: f64, step: Step) -> Verdict {
        let count = self.pause.as_ref().map_or(1, |pause| pause.count.saturating_add(1));
        let unasked = doubled(step.rules.pause, 2.0, count).min(step.rules.pause_cap);
        let unasked = if retry.is_some_and(|seconds| seconds > 0.0) { 0.0 } else { unasked };
        let wait = asked.max(unasked);
        let next_at = self.free_from(step.spread(wait.max(self.floor(step))), step);
        self.pause = Some(Pause { until: next_at, status, count });
        let note = (count == 1)
            .then(|| format!("answered {status}: it wants quiet for {:.0} s", next_at - step.now));
        let host_pause = (!step.rules.peer).then_some(step.now + wait);
        Verdict { note, host_pause, ..step.verdict(Outcome::Paused, next_at) }
    }

    /// Something went wrong; `asked` is what an answer, if there was one, asked for.
    fn failed(&mut self, kind: FailureKind, asked: f64, step: Step) -> Verdict {
        let known = self.failures.as_ref().map(|failures| failures.kind);
        let failures = self.failures.get_or_insert(Failures { count: 0, since: step.now, kind });
        failures.kind = kind;
        failures.count = failures.count.saturating_add(1);
        let factor = if kind == FailureKind::NotFound { 4.0 } else { 2.0 };
        let backoff = doubled(step.rules.backoff, factor, failures.count);
        let cap = step.rules.backoff_cap * (0.9 + 0.1 * step.random);
        let backoff = (backoff * (1.0 + 0.25 * step.random)).min(cap);
        let wait = step.spread(asked).max(backoff).max(step.spread(self.floor(step)));
        let next_at = self.free_from(wait, step);
        let note = (known != Some(kind)).then(|| {
            format!("failed ({}): the next refresh is in {:.0} s", kind.name(), next_at - step.now)
        });
        Verdict { note, ..step.verdict(Outcome::Failed(kind), next_at) }
    }

    /// Adds the new address, if a good answer came by way of one that may now be believed.
    fn moving(&mut self, verdict: Verdict, asked: &Url, hops: &[Hop], step: Step) -> Verdict {
        if !matches!(verdict.outcome, Outcome::Changed | Outcome::Unchanged | Outcome::Delta) {
            return verdict;
        }
        let Some(target) = moves::adopt(&mut self.moved, asked, hops, step) else {
            return verdict;
        };
        let note = Some(format!("moved for good: {asked} is now {target}"));
        Verdict { adopt: Some(target.clone()), note, ..verdict }
    }

    /// What this answer asks for, with the lifetime that is remembered.
    fn asked_by(&self, head: &Head, step: Step) -> f64 {
        let lifetime = self.lifetime.map_or(0.0, |left| freshness::left(left, head, step.rules));
        lifetime.max(freshness::retry_after(head, step.now, step.rules).unwrap_or(0.0))
    }

    fn floor(&self, step: Step) -> f64 {
        if self.has_evidence(step.rules) {
            step.rules.floor_with_evidence.min(step.rules.floor)
        } else {
            step.rules.floor
        }
    }

    /// The first instant after a wait that is in no quiet time; not all at the stroke of the hour.
    fn free_from(&self, wait: f64, step: Step) -> f64 {
        let at = step.now + wait;
        let free = self.quiet_times.first_free(at);
        if free > at { free + step.random * step.rules.offset_cap } else { at }
    }
}

/// When an exchange happened and by which rules it is judged.
#[derive(Clone, Copy)]
struct Step<'a> {
    now: f64,
    rules: &'a Rules,
    random: f64,
}

impl Step<'_> {
    /// A little longer than asked, by chance.
    fn spread(self, wait: f64) -> f64 {
        wait + self.random * (0.1 * wait).min(self.rules.offset_cap)
    }

    fn verdict(self, outcome: Outcome, next_at: f64) -> Verdict {
        Verdict { next_at, outcome, adopt: None, host_pause: None, note: None }
    }
}

/// The document's own wish; one that will never change again is refreshed as seldom as possible.
fn period(hints: &Hints, rules: &Rules) -> Option<f64> {
    if hints.expired || hints.archive {
        return Some(rules.hint_cap);
    }
    let ttl = hints.ttl_minutes.map(|minutes| f64::from(minutes) * 60.0);
    let update = hints.update_period_seconds.map(|seconds| seconds as f64);
    let longer = ttl.unwrap_or(0.0).max(update.unwrap_or(0.0));
    (longer > 0.0).then_some(longer.min(rules.hint_cap))
}

/// `base` grown by `factor` for every time after the first.
fn doubled(base: f64, factor: f64, count: u32) -> f64 {
    base * factor.powi(i32::try_from(count.saturating_sub(1)).unwrap_or(i32::MAX).min(64))
}

/// The bytes of a validator, if it is worth storing.
fn stored(value: &HeaderValue) -> Option<Vec<u8>> {
    let bytes = value.as_bytes();
    (!bytes.is_empty() && bytes.len() <= LONGEST_VALIDATOR).then(|| bytes.to_vec())
}

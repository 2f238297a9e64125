//! What each source has asked of us, and how it has answered.
//!
//! This is the promise to the people whose servers we use. It is pure, told the time and the randomness,
//! stored with the source, and every rule has a test named after it. The scheduler refreshes no source
//! before the last of its [`Courtesy::holds`] has passed. Whoever asks by hand may, unless the source itself
//! has asked for quiet.
//!
//! Never: a refresh earlier than the latest time that the source named; an altered validator; a pause
//! counted as an error; a source dropped without a word in the log.

mod exchange;
mod freshness;
mod holds;
mod hosts;
mod moves;
mod pace;
mod quiet_times;
mod rules;
mod standing;
mod verdict;

#[cfg(test)]
mod tests;

use pergola_feed::Hints;
use url::Url;

use crate::backoff::backoff;
pub use exchange::{Exchange, Gist, Head, Hop, No, Span, Validation, Validators};
pub use freshness::Terms;
pub use holds::{Asked, Cause, Hold};
pub use hosts::HostPauses;
pub use pace::Pace;
pub use quiet_times::QuietTimes;
pub use rules::{RuleBook, Rules};
pub use standing::{Ended, Failures, Moved, Pause};
pub use verdict::{FailureKind, Outcome, Verdict};

use rules::DAY;

/// How often a request goes out without validators although there are some.
const AUDIT_EVERY: f64 = 30.0 * DAY;

/// What a source has asked of us and how it has answered. Instants are seconds since the Unix epoch,
/// durations are seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Courtesy {
    /// How the source recognises the document that we have.
    pub validators: Validators,
    /// How long the document stays as it is, by its headers (`max-age` or `Expires`).
    pub lifetime: Option<f64>,
    /// How long to wait, by the document itself (`ttl`, `sy:updatePeriod`).
    pub period: Option<f64>,
    /// When not to ask at all, by the document itself (`skipHours`, `skipDays`).
    pub quiet_times: QuietTimes,
    /// The source wants quiet.
    pub pause: Option<Pause>,
    /// What has gone wrong since the last good answer.
    pub failures: Option<Failures>,
    /// Answers 403 in a row.
    pub forbidden: u32,
    /// A permanent redirect that is not yet believed.
    pub moved: Option<Moved>,
    /// The source says that it is gone.
    pub ended: Option<Ended>,
    /// When a request without validators last went out.
    pub last_unconditional: Option<f64>,
    /// How busy the source has been lately.
    pub pace: Pace,
    /// The headers of the last answer ask us to stay away until then (`Retry-After`, `max-age`, `Expires`).
    pub asked_until: f64,
    /// Whoever runs the node has paused it: nobody asks it until that is taken back.
    pub halted: bool,
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

    /// Whether something is wrong with the source: it has neither ended nor asked for quiet, and its last answer
    /// was no good.
    pub fn is_failing(&self) -> bool {
        self.ended.is_none() && !self.halted && self.pause.is_none() && self.failures.is_some()
    }

    /// Whether more refreshes than the plain floor allows are justified: by a hint (a positive `max-age`,
    /// `Expires`, `ttl` or update period shorter than the floor), or by history (at least two new items in
    /// the recent refreshes, and at least one per floor).
    pub fn has_evidence(&self, rules: &Rules) -> bool {
        let is_short = |seconds: Option<f64>| seconds.is_some_and(|s| s > 0.0 && s < rules.floor);
        is_short(self.lifetime) || is_short(self.period) || self.pace.is_quicker_than(rules.floor)
    }

    /// What an exchange changes. `random` in [0, 1) spreads the requests of many nodes.
    pub fn after(
        &mut self,
        exchange: &Exchange<'_>,
        now: f64,
        rules: &Rules,
        random: f64,
    ) -> Verdict {
        if exchange.unconditional {
            self.last_unconditional = Some(now);
        }
        let step = Step { now, rules, random, terms: exchange.terms };
        if !matches!(exchange.gist, Gist::Silence(_) | Gist::Refused(No::Forbidden)) {
            self.forbidden = 0;
        }
        self.recognise(exchange.validation, exchange.terms);
        let mut verdict = self.answered(exchange.gist, exchange.validation, step);
        // One refresh that somebody forced does not end the pause.
        if self.halted {
            verdict.quiet_until = Some(f64::INFINITY);
        }
        self.moving(verdict, exchange.url, exchange.hops, step)
    }

    /// The document is no longer what is read: what it said about itself means nothing from now on. Its
    /// validators stay for the day when it is asked for again.
    pub fn forget_document(&mut self) {
        (self.lifetime, self.period, self.quiet_times) = (None, None, QuietTimes::default());
    }

    fn recognise(&mut self, validation: &Validation, terms: Terms) {
        match validation {
            Validation::Kept => {}
            Validation::Confirmed(named) => {
                let Validators { etag, last_modified } = &mut self.validators;
                confirm(etag, named.etag.as_ref());
                confirm(last_modified, named.last_modified.as_ref());
                // A remembered lifetime may become shorter, not longer.
                self.lifetime = match (self.lifetime, terms.lifetime) {
                    (Some(known), Some(said)) => Some(known.min(said)),
                    (known, said) => known.or(said),
                };
            }
            Validation::Replaced(named) => {
                self.validators = named.clone();
                self.lifetime = terms.lifetime;
            }
        }
    }

    fn answered(&mut self, gist: Gist<'_>, validation: &Validation, step: Step) -> Verdict {
        match gist {
            Gist::Document { span, hints, new_items } => {
                self.period = hints.and_then(|hints| period(hints, step.rules));
                self.quiet_times = hints.map(QuietTimes::new).unwrap_or_default();
                let outcome = match span {
                    Span::Window => Outcome::Changed,
                    Span::Changes => Outcome::Delta,
                };
                self.went_well(outcome, new_items, step)
            }
            Gist::SameDocument => self.went_well(Outcome::Unchanged, 0, step),
            Gist::NothingNew => match &self.failures {
                // The document that could not be read is still the one.
                Some(failures)
                    if failures.kind.is_about_the_body() && *validation != Validation::Kept =>
                {
                    let kind = failures.kind;
                    self.failed(kind, self.asked_for(step), step)
                }
                _ => self.went_well(Outcome::Unchanged, 0, step),
            },
            Gist::Unusable(kind) => self.failed(kind, self.asked_for(step), step),
            Gist::Refused(no) => self.refused(no, step),
            Gist::Silence(kind) => self.failed(kind, 0.0, step),
        }
    }

    fn went_well(&mut self, outcome: Outcome, new_items: u32, step: Step) -> Verdict {
        self.pace.record(new_items, step.now);
        let recovered = self.failures.take().map(|failures| {
            format!("answers again after {} failures ({})", failures.count, failures.kind.name())
        });
        self.pause = None;
        self.ended = None;
        self.asked_until = step.now + self.asked_for(step);
        Verdict { note: recovered, ..Verdict::new(outcome, self.next_at(step)) }
    }

    fn refused(&mut self, no: No, step: Step) -> Verdict {
        let retry = step.terms.quiet(step.rules);
        let asked = step.terms.left(step.rules).max(retry.unwrap_or(0.0));
        match no {
            No::Gone(status) => self.ended(status, step),
            No::Quiet(status) => self.paused(status, retry, asked, step),
            No::Forbidden => {
                self.forbidden = self.forbidden.saturating_add(1);
                if self.forbidden >= step.rules.forbidden_burst {
                    return self.paused(Some(403), retry, asked, step);
                }
                let verdict = self.failed(FailureKind::Forbidden, asked, step);
                // A host that bans us does so at many URLs at once.
                let until = step.now + asked.max(step.rules.pause);
                Verdict { host_pause: (!step.rules.peer).then_some(until), ..verdict }
            }
            No::Failed(kind) => self.failed(kind, asked, step),
        }
    }

    fn ended(&mut self, status: u16, step: Step) -> Verdict {
        let note = self.ended.is_none().then(|| {
            format!("answered {status} (gone): it is no longer refreshed, its archive is kept")
        });
        self.ended.get_or_insert(Ended { status, at: step.now });
        Verdict { note, ..Verdict::new(Outcome::Gone, f64::INFINITY) }
    }

    fn paused(
        &mut self,
        status: Option<u16>,
        retry: Option<f64>,
        asked: f64,
        step: Step,
    ) -> Verdict {
        let count = self.pause.as_ref().map_or(1, |pause| pause.count.saturating_add(1));
        let unasked = backoff(step.rules.pause, 2.0, count).min(step.rules.pause_cap);
        let unasked = if retry.is_some_and(|seconds| seconds > 0.0) { 0.0 } else { unasked };
        let wait = asked.max(unasked);
        let floor = self.floor(step.rules).0;
        let until =
            self.free_from(step.now + step.asked().spread(wait.max(floor), step.rules), step);
        self.asked_until = step.now + asked;
        self.pause = Some(Pause { until, status, count });
        let note = (count == 1).then(|| {
            let seconds = until - step.now;
            match status {
                Some(status) => format!("answered {status}: quiet for {seconds:.0} s"),
                None => format!("asks for quiet: for {seconds:.0} s"),
            }
        });
        let host_pause = (!step.rules.peer).then_some(step.now + wait);
        let quiet_until = Some(until);
        Verdict {
            note,
            host_pause,
            quiet_until,
            ..Verdict::new(Outcome::Paused, self.next_at(step))
        }
    }

    /// Something went wrong; `asked` is how long the answer, if there was one, asked us to wait.
    fn failed(&mut self, kind: FailureKind, asked: f64, step: Step) -> Verdict {
        let known = self.failures.as_ref().map(|failures| failures.kind);
        let failures = self.failures.get_or_insert(Failures { count: 0, since: step.now, kind });
        failures.kind = kind;
        failures.count = failures.count.saturating_add(1);
        self.asked_until = step.now + asked;
        let next_at = self.next_at(step);
        let note = (known != Some(kind) && next_at.is_finite()).then(|| {
            format!("failed ({}): the next refresh is in {:.0} s", kind.name(), next_at - step.now)
        });
        // Whoever insisted on asking during a pause has not ended it by failing.
        let quiet_until = self.pause.as_ref().map(|pause| pause.until);
        let quiet_until = quiet_until.filter(|until| *until > step.now);
        Verdict { note, quiet_until, ..Verdict::new(Outcome::Failed(kind), next_at) }
    }

    /// Adds the new address if a good answer came by a redirect that may now be believed.
    fn moving(&mut self, verdict: Verdict, asked: &Url, hops: &[Hop], step: Step) -> Verdict {
        if !verdict.outcome.is_good() {
            return verdict;
        }
        let Some(target) = moves::adopt(&mut self.moved, asked, hops, step) else {
            return verdict;
        };
        let note = Some(format!("moved for good: {asked} is now {target}"));
        Verdict { adopt: Some(target.clone()), note, ..verdict }
    }

    /// How long this answer asks us to wait, with the lifetime that is remembered.
    fn asked_for(&self, step: Step) -> f64 {
        let lifetime =
            self.lifetime.map_or(0.0, |lifetime| step.terms.left_of(lifetime, step.rules));
        lifetime.max(step.terms.quiet(step.rules).unwrap_or(0.0))
    }

    /// When the source may be asked again, after this step.
    fn next_at(&self, step: Step) -> f64 {
        self.holds(step.asked(), step.rules).first().map_or(step.now, |hold| hold.until)
    }

    fn free_from(&self, at: f64, step: Step) -> f64 {
        self.skipped(at, step.asked(), step.rules).unwrap_or(at)
    }
}

/// A validator that was sent again counts. It is mostly the same one.
fn confirm(known: &mut Option<Vec<u8>>, named: Option<&Vec<u8>>) {
    if named.is_some() && known.as_ref() != named {
        *known = named.cloned();
    }
}

/// When an exchange happened and by which rules it is judged.
#[derive(Clone, Copy)]
struct Step<'a> {
    now: f64,
    rules: &'a Rules,
    random: f64,
    terms: Terms,
}

impl Step<'_> {
    fn asked(self) -> Asked {
        Asked { at: self.now, random: self.random }
    }
}

/// How long the document itself asks us to wait. One that will never change again is refreshed as seldom as
/// possible.
fn period(hints: &Hints, rules: &Rules) -> Option<f64> {
    if hints.expired || hints.archive {
        return Some(rules.hint_cap);
    }
    let ttl = hints.ttl_minutes.map(|minutes| f64::from(minutes) * 60.0);
    let update = hints.update_period_seconds.map(|seconds| seconds as f64);
    let longer = ttl.unwrap_or(0.0).max(update.unwrap_or(0.0));
    (longer > 0.0).then_some(longer.min(rules.hint_cap))
}

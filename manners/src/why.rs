//! Why the next refresh of a source is when it is, and what forbids one that a person asks for.
//!
//! Pure, and from facts only: what is stored of the source, the rules of today, and what the scheduler plans.
//! The time by which the scheduler waits follows from the same facts ([`Manners::next_at`]), so that what is
//! said and what is done cannot differ.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use url::Url;

use crate::conclude::Manners;
use crate::courtesy::{Asked, Cause, Courtesy, FailureKind, Hold, Rules};
use crate::link::Link;
use crate::roster::Prospect;
use crate::source::{SourceId, SourceState};

/// A person may try a source that fails again after so many seconds.
const IMPATIENCE: f64 = 60.0;
/// What differs by less is the same time.
const A_SECOND: f64 = 1.0;

/// Why a source is not refreshed earlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Why {
    /// It is being refreshed, or waits until its site may be asked.
    UnderWay,
    /// It was never refreshed, so it is among the next.
    NeverRefreshed,
    /// The source or our own rules forbid it.
    Held(Cause),
    /// Several addresses of its site want quiet.
    SiteQuiet,
    /// Its peer says at once when it has news.
    Watched,
    /// Its hub pushes its news.
    Hub,
    /// A refresh is worth less than it must be at this budget.
    Worth { now: f64, least: f64 },
    /// The plan for this budget has it then.
    Planned,
    /// The time was set by an earlier version, or after trouble of our own.
    SetBefore,
}

/// A reason, and until when it holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reason {
    pub why: Why,
    /// Infinite if it does not pass by itself; nothing if that cannot be foreseen.
    pub until: Option<f64>,
}

/// The next refresh of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// When it comes, as far as that can be foreseen.
    pub at: Option<f64>,
    /// The reason that decides, and then the others; the longest first.
    pub reasons: Vec<Reason>,
}

/// A source and what its next refresh depends on.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    pub id: SourceId,
    pub url: &'a Url,
    pub state: &'a SourceState,
    /// What is known of its peer.
    pub link: Option<&'a Link>,
}

/// A refresh that a person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// If nothing speaks against it.
    Politely,
    /// Whatever we think of it.
    Anyway,
}

impl Manners {
    /// When the source may be asked next: by what it said and how it answered, and by the rules of today.
    pub fn next_at(&self, case: Case<'_>) -> f64 {
        match (self.asked(case), case.state.asked_until()) {
            _ if case.state.courtesy.halted => f64::INFINITY,
            (Some(asked), Some(_)) => {
                let holds = case.state.courtesy.holds(asked, &self.rules_of(case));
                holds.first().map_or(asked.at, |hold| hold.until)
            }
            // What was stored has to do.
            _ => case.state.next_at,
        }
    }

    /// What forbids a refresh at `now`, the longest first.
    pub fn holds(&self, case: Case<'_>, now: f64) -> Vec<Hold> {
        let Some(asked) = self.asked(case) else {
            return case.state.courtesy.halt().into_iter().collect();
        };
        let (rules, state) = (self.rules_of(case), case.state);
        let mut holds = match state.asked_until() {
            Some(_) => state.courtesy.holds(asked, &rules),
            None => {
                let lifetime = state.courtesy.lifetime.unwrap_or(0.0).min(rules.hint_cap);
                let asked_until = (asked.at + lifetime).min(state.next_at);
                let courtesy = Courtesy { asked_until, ..state.courtesy.clone() };
                let mut holds = courtesy.holds(asked, &rules);
                if let Some(longest) = holds.first_mut() {
                    longest.until = longest.until.max(state.next_at);
                }
                holds
            }
        };
        holds.retain(|hold| hold.until > now);
        holds
    }

    /// What forbids a refresh that a person asks for. Whoever insists is only stopped by a source that has
    /// itself asked for quiet, and one that fails may be tried again after a minute.
    pub fn forbids(&self, case: Case<'_>, asking: Asking, now: f64) -> Option<Hold> {
        let failing = case.state.courtesy.failures.is_some();
        let tried = self.asked(case).map_or(f64::NEG_INFINITY, |asked| asked.at);
        let patient = failing && now - tried > IMPATIENCE;
        let stands = |hold: &Hold| match hold.cause {
            Cause::Quiet { status, named } => {
                asking == Asking::Politely || named || matches!(status, None | Some(429))
            }
            Cause::RetryAfter => true,
            Cause::BackOff { .. } | Cause::Floor { .. } if patient => false,
            _ => asking == Asking::Politely,
        };
        self.holds(case, now).into_iter().find(stands)
    }

    /// The next refresh of a source, and why it is not earlier. `prospect` is what the scheduler plans,
    /// `site_quiet` until when its site wants quiet, `cycle` the seconds between two decisions.
    pub fn why(
        &self,
        case: Case<'_>,
        prospect: &Prospect,
        site_quiet: Option<f64>,
        cycle: f64,
        now: f64,
    ) -> Next {
        if prospect.out {
            let why = if site_quiet.is_some() { Why::SiteQuiet } else { Why::UnderWay };
            let reason = Reason { why, until: site_quiet };
            return Next { at: site_quiet.or(Some(now)), reasons: vec![reason] };
        }
        let held = |hold: Hold| Reason { why: Why::Held(hold.cause), until: Some(hold.until) };
        let mut reasons: Vec<Reason> = self.holds(case, now).into_iter().map(held).collect();
        let explained = reasons.first().and_then(|reason| reason.until).unwrap_or(now);
        let unexplained = Some(prospect.next_at).filter(|at| *at > explained + A_SECOND);
        let others = [
            (Why::SetBefore, unexplained),
            (Why::SiteQuiet, site_quiet),
            (Why::Watched, prospect.watched_until),
            (Why::Hub, prospect.hub_until),
        ];
        let others = others.into_iter().filter(|(_, until)| until.is_some_and(|until| until > now));
        reasons.extend(others.map(|(why, until)| Reason { why, until }));
        reasons.sort_by(|a, b| b.until.partial_cmp(&a.until).unwrap_or(std::cmp::Ordering::Equal));
        let free = reasons.first().and_then(|reason| reason.until).unwrap_or(now);
        let expected = prospect.expected.map(|at| at.max(free));
        // The scheduler decides once in a cycle, and takes what is worth it when it may.
        let waits_for_worth = expected.is_none_or(|at| at > free + cycle) && free.is_finite();
        if reasons.is_empty() || waits_for_worth {
            let why = match prospect.worth {
                _ if !prospect.seen => Why::NeverRefreshed,
                Some((now, least)) => Why::Worth { now, least },
                None => Why::Planned,
            };
            reasons.insert(0, Reason { why, until: expected });
        }
        Next { at: expected.or(Some(free)).filter(|at| at.is_finite()), reasons }
    }

    /// When a source was last asked, if that is known.
    fn asked(&self, case: Case<'_>) -> Option<Asked> {
        let at = case.state.last_asked()?;
        Some(Asked { at, random: self.chance(case.id, at) })
    }

    /// The rules by which the last answer of a source is judged. A peer has rules of its own while it is read
    /// over gRPC, and when it is away.
    fn rules_of(&self, case: Case<'_>) -> Cow<'_, Rules> {
        let Case { url, state, .. } = case;
        let failures = state.courtesy.failures.as_ref();
        let away = failures.is_some_and(|failures| is_away(failures.kind));
        let asked = state.last_asked().unwrap_or(f64::INFINITY);
        let link = case.link.filter(|link| self.peers && link.url == url.as_str());
        match link.is_some_and(|link| away || link.is_usable(url.as_str(), asked)) {
            true => Cow::Owned(self.rules.peer_rules_for(url)),
            false => Cow::Borrowed(self.rules.rules_for(url)),
        }
    }

    /// The host or domain whose floor holds for a source; nothing if it is the usual one.
    pub fn named_host(&self, case: Case<'_>) -> Option<String> {
        let rules = self.rules_of(case);
        let own = || rules.peer.then(|| case.url.host_str().unwrap_or_default().to_owned());
        rules.named.clone().or_else(own)
    }
}

/// Nobody answered, or somebody in front of the source says that it is away.
fn is_away(kind: FailureKind) -> bool {
    use FailureKind::{
        BadUrl, Connect, Dns, PrivateAddress, Protocol, Redirect, ServerError, Timeout, Tls,
    };
    matches!(
        kind,
        Dns | PrivateAddress | Connect | Tls | Timeout | Redirect | Protocol | BadUrl | ServerError
    )
}

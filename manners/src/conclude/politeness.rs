//! Politeness: when the source may be asked again, and what its host asks for.

use std::borrow::Cow;

use url::Url;

use super::Moment;
use crate::courtesy::{Asked, Courtesy, Outcome, RuleBook, Rules, Verdict};
use crate::heard::{Carrier, Heard, Said};
use crate::link::Link;
use crate::refreshed::HostVisit;
use crate::source::SourceState;
use crate::trail::Backlog;

/// The rules by which a reply is judged. A peer has rules of its own when it answers over gRPC, and also
/// when it is away, whichever way it was asked.
pub(super) fn rules<'a>(
    heard: &Heard,
    link: Option<&Link>,
    url: &Url,
    book: &'a RuleBook,
) -> Cow<'a, Rules> {
    let is_peer = link.is_some_and(|link| link.url == url.as_str());
    let over_grpc = matches!(heard.carrier, Carrier::Peer(_));
    match over_grpc || is_peer && heard.is_away() {
        true => Cow::Owned(book.peer_rules_for(url)),
        false => Cow::Borrowed(book.rules_for(url)),
    }
}

/// What the source asks of us from now on.
pub(super) fn judge(
    state: &mut SourceState,
    heard: &Heard,
    new_items: u32,
    backlog: &Backlog,
    url: &Url,
    rules: &Rules,
    moment: Moment,
) -> Verdict {
    let Moment { now, random } = moment;
    match heard.carrier {
        Carrier::Hub => return unasked(state, heard),
        Carrier::Peer(_) => state.courtesy.forget_document(),
        Carrier::Http(_) | Carrier::Nobody { .. } => {}
    }
    let mut verdict = state.courtesy.after(&heard.exchange(new_items, url), now, rules, random);
    if let Some(quiet) = &backlog.quiet {
        // An archive asked for it, but it is the same source.
        let asked = quiet.exchange(0, url);
        let pause = state.courtesy.clone().after(&asked, now, rules, random);
        let courtesy = &mut state.courtesy;
        courtesy.asked_until = courtesy.asked_until.max(pause.next_at);
        let held = courtesy.holds(Asked { at: now, random }, rules);
        verdict.next_at = held.first().map_or(now, |hold| hold.until);
        verdict.quiet_until = pause.quiet_until.or(verdict.quiet_until);
        verdict.host_pause = pause.host_pause.or(verdict.host_pause);
    }
    state.next_at = verdict.next_at;
    verdict
}

/// A push changes nothing about when the source may be asked: nobody has asked it.
fn unasked(state: &SourceState, heard: &Heard) -> Verdict {
    let outcome = match heard.said {
        Said::Document(_) => Outcome::Delta,
        _ => Outcome::Unchanged,
    };
    Verdict::new(outcome, state.next_at)
}

/// What was done to the host, if anybody has asked it.
pub(super) fn visit(
    courtesy: &Courtesy,
    heard: &Heard,
    backlog: &Backlog,
    verdict: &Verdict,
    now: f64,
) -> Option<HostVisit> {
    (!matches!(heard.carrier, Carrier::Hub)).then(|| HostVisit {
        at: now,
        requests: 1 + backlog.documents,
        not_modified: matches!(heard.said, Said::NothingNew),
        bytes: heard.bytes + backlog.bytes,
        paused: verdict.outcome == Outcome::Paused,
        hinted: courtesy.lifetime.is_some() || courtesy.period.is_some(),
        pause_until: verdict.host_pause,
    })
}

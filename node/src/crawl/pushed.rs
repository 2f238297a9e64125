//! What follows from a document that was pushed, as `refresh` says what follows from one that was fetched.
//!
//! What the source has asked of us does not change by it: its validators belong to what we fetched, and
//! nothing was asked of it. A hub may send the new items only, so the document is never taken for the
//! whole window, and nothing is believed lost because of what it leaves out.

use pergola_manners::courtesy::Outcome;
use pergola_manners::decide::{Before, Decision, Observed, decide};
use pergola_manners::loops::LoopChange;
use pergola_refresh::Invalid;
use pergola_store::archive::PastRefresh;

use super::conclude::{Manners, Refreshed, Subject, learn};
use super::read::{Body, read};
use crate::fetch::Answer;

/// Everything that follows from a pushed document; `Err` in the inner result if it is none.
pub fn take_in(
    subject: Subject,
    answer: &Answer,
    manners: &Manners,
    now: f64,
) -> Result<Result<Refreshed, String>, Invalid> {
    let Subject { id, record, mut state, known, looped, .. } = subject;
    let decision = match read(answer, &record.kind, state.document, manners) {
        Body::Same => None,
        Body::Document(document, digest) => {
            state.document = digest;
            state.title = document.title.clone().or(state.title);
            let (url, node) = (record.url.as_str(), &manners.node);
            let before = Before { known, url, node, delta: true, judged: false, older: Vec::new() };
            Some(decide(*document, before, now))
        }
        Body::Unusable(_, why) => return Ok(Err(why)),
        Body::Unread | Body::List(..) | Body::LeadsTo(_) => {
            return Ok(Err("what the hub sent is no feed".to_owned()));
        }
    };
    let since = state.schedule.last;
    let observed =
        decision.as_ref().map_or_else(Observed::default, |decision| decision.observed.clone());
    learn(&mut state, &observed, None, now)?;
    state.unchanged_at = if decision.is_some() { None } else { Some(now) };
    let bytes = u32::try_from(answer.wire_bytes).unwrap_or(u32::MAX);
    let outcome = if decision.is_some() { Outcome::Delta } else { Outcome::Unchanged };
    state.remember(PastRefresh { at: now, outcome, new_items: observed.new_items, bytes });
    state.tally.items += u64::from(observed.new_items);
    let loop_change = LoopChange::after(decision.as_ref(), looped, now);
    let mut notes = Vec::new();
    let (mut loops, mut news, mut after) = (0, Vec::new(), None);
    if let Some(decision) = decision {
        let Decision { known, news: found, degraded, loops: cut, .. } = decision;
        notes.extend(degraded.map(|degraded| degraded.reason));
        state.tally.updates += found.iter().filter(|news| news.edited).count() as u64;
        (loops, news, after) = (cut, found, Some(known));
    }
    Ok(Ok(Refreshed {
        id,
        at: now,
        outcome,
        record,
        moved: false,
        state,
        known: after,
        news,
        observed: Some((since, observed)),
        members: None,
        named: None,
        again: false,
        older: None,
        archives: 0,
        soon: false,
        link: None,
        hints: None,
        host_pause: None,
        notes,
        bytes: answer.wire_bytes,
        not_modified: false,
        lost: 0.0,
        loops,
        loop_change,
    }))
}

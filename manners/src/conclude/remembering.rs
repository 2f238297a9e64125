//! Remembering: what the state of a source keeps of a refresh, to be shown and to be compared with.

use pergola_feed::address::masked_in;

use super::news::Found;
use crate::courtesy::Outcome;
use crate::heard::{Carrier, Heard, Said};
use crate::source::{PastRefresh, SourceState};
use crate::trail::Backlog;

/// Characters of what went wrong that are kept.
const LONGEST_TROUBLE: usize = 500;

pub(super) fn remember(
    state: &mut SourceState,
    heard: &Heard,
    found: &Found,
    outcome: Outcome,
    backlog: &Backlog,
    now: f64,
) {
    describe(state, heard);
    let bytes = heard.bytes + backlog.bytes;
    if !matches!(heard.carrier, Carrier::Hub) {
        state.tally.requests += 1 + u64::from(backlog.documents);
        state.tally.not_modified += u64::from(matches!(heard.said, Said::NothingNew));
        state.tally.failures += u64::from(matches!(outcome, Outcome::Failed(_)));
        state.tally.bytes += bytes;
        state.trouble = match heard.said.trouble() {
            Some(words) => Some(masked_in(words).chars().take(LONGEST_TROUBLE).collect()),
            // It still fails for the reason that was given before.
            None => state.trouble.take().filter(|_| !outcome.is_good()),
        };
    }
    if let Some(observed) = &found.observed {
        state.tally.items += u64::from(observed.new_items);
        state.tally.overruns += u64::from(observed.censored);
        // The model is written with the items from which it has learnt.
        state.unchanged_at = if found.has_document() { None } else { Some(now) };
    }
    state.tally.updates += found.news.iter().filter(|news| news.edited).count() as u64;
    let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    state.remember(PastRefresh { at: now, outcome, new_items: found.new_items(), bytes });
}

/// What the source says about itself.
fn describe(state: &mut SourceState, heard: &Heard) {
    state.document = heard.said.digest().unwrap_or(state.document);
    let Said::Document(told) = &heard.said else { return };
    let document = &told.document;
    let over_http = matches!(heard.carrier, Carrier::Http(_));
    if over_http || document.title.is_some() {
        state.title = document.title.clone();
    }
    if over_http {
        state.home = document.home().map(str::to_owned);
    }
}

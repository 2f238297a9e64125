//! What follows from a reply: one call of each small function, and the results put together.
//!
//! Pure: the store was read and the network has answered before [`conclude`] is called, and its result is
//! committed afterwards.

mod learning;
mod moving;
mod news;
mod peer;
mod politeness;
mod remembering;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use pergola_feed::address::masked_in;
use pergola_feed::{Limits, NodeId};
use pergola_refresh::Invalid;
use url::Url;

use crate::backoff::share_of;
use crate::courtesy::{RuleBook, Verdict};
use crate::decide::Observed;
use crate::heard::{Heard, Hearing, Said};
use crate::hub::{HubNotice, advertised};
use crate::link::Link;
use crate::loops::LoopChange;
use crate::refreshed::{Account, Again, Plan, Refreshed, Scheduling, SourceChange};
use crate::source::{Known, Loop, SourceId, SourceRecord, SourceState};
use crate::trail::Backlog;

/// What holds for every refresh of this node.
#[derive(Debug)]
pub struct Manners {
    /// This node.
    pub node: NodeId,
    /// How hosts are treated.
    pub rules: RuleBook,
    /// What a document may cost.
    pub limits: Limits,
    /// Peers are read over gRPC.
    pub peers: bool,
}

impl Manners {
    /// The number in [0, 1) that spreads what follows from a refresh. It differs from node to node, source to
    /// source and refresh to refresh, and is the same whenever it is asked for.
    pub fn chance(&self, id: SourceId, at: f64) -> f64 {
        share_of((&self.node.0, id, at.to_bits()))
    }
}

/// A source as it was before a reply.
#[derive(Debug)]
pub struct Subject {
    pub id: SourceId,
    /// Its address.
    pub url: Url,
    pub record: SourceRecord,
    pub state: SourceState,
    /// What was seen of its items. Only needed if a document was heard.
    pub known: Known,
    /// The loop by which its items are known to come back to this node.
    pub looped: Option<Loop>,
    /// What is known of its peer.
    pub link: Option<Link>,
}

impl Subject {
    /// What has to be known to read a reply of this source.
    pub fn hearing<'a>(&'a self, manners: &'a Manners, now: f64) -> Hearing<'a> {
        Hearing {
            kind: &self.record.kind,
            last: self.state.document,
            formerly: &self.record.formerly,
            limits: &manners.limits,
            now,
        }
    }
}

/// When something is concluded.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: f64,
    /// A number in [0, 1) that spreads the requests of many nodes.
    pub random: f64,
}

/// Everything that follows from what was heard, and from what the archives added to it.
pub fn conclude(
    subject: Subject,
    mut heard: Heard,
    mut backlog: Backlog,
    manners: &Manners,
    moment: Moment,
) -> Result<Refreshed, Invalid> {
    let Subject { id, url, mut record, mut state, known, looped, link } = subject;
    let now = moment.now;
    let since = state.schedule.last;
    let older = std::mem::take(&mut backlog.items);
    let mut found = news::found(&mut heard, known, older, &record, &manners.node, now);
    if record.only_new && since.is_none() {
        found.count_as_old();
    }
    let rules = politeness::rules(&heard, link.as_ref(), &url, &manners.rules);
    let verdict =
        politeness::judge(&mut state, &heard, found.new_items(), &backlog, &url, &rules, moment);
    let missed = heard.carrier.missed();
    let lost = learning::learn(&mut state, &mut found.observed, verdict.outcome, missed, now)?;
    remembering::remember(&mut state, &heard, &found, verdict.outcome, &backlog, now);
    let visit = politeness::visit(&state.courtesy, &heard, &backlog, &verdict, now);
    let hub = hub_notice(id, &heard, found.observed.as_ref(), since, now);
    let bytes = heard.bytes + backlog.bytes;
    let Heard { said, carrier, .. } = heard;
    let met = peer::met(link, carrier, said.is_answer(), &record.kind, manners.peers, moment);
    let Verdict { outcome, quiet_until, adopt, note, .. } = verdict;
    let moved = moving::follow(&mut record, &mut state, &said, adopt, now);
    let notes = [note, backlog.note(), moved.note, found.degraded].into_iter().flatten();
    let account = Account {
        outcome,
        notes: notes.chain(met.notes).map(|note| masked_in(&note).into_owned()).collect(),
        lost,
        returned: found.returned.as_ref().map_or(0, |returned| returned.items),
        archives: backlog.documents,
    };
    let schedule = Scheduling {
        next_at: state.next_at,
        quiet_until,
        more_requests: backlog.documents,
        bytes,
        plan: Plan::of(met.hints, found.observed.is_some()),
        observed: found.observed.map(|observed| (since, observed)),
        again: Again::of(moved.to_feed, met.more && !found.news.is_empty(), met.new),
    };
    let change = SourceChange {
        id,
        at: now,
        record,
        moved: moved.moved,
        state,
        known: found.known,
        news: found.news,
        link: met.link,
        loop_change: LoopChange::after(found.returned.as_ref(), looped, now),
    };
    let list = match said {
        Said::List(list) => Some(list.members),
        _ => None,
    };
    Ok(Refreshed { change: Arc::new(change), schedule, visit, hub, list, account })
}

fn hub_notice(
    id: SourceId,
    heard: &Heard,
    observed: Option<&Observed>,
    since: Option<f64>,
    at: f64,
) -> Option<HubNotice> {
    let new_items = observed?.new_items;
    Some(HubNotice { id, at, since, new_items, advertised: advertised(heard) })
}

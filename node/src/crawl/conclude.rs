//! One refresh of a source: what was answered, and everything that follows from it.
//!
//! Pure: the archive has been read and the network has answered before [`conclude`] is called, and it is
//! committed after. So a refresh that is cut off anywhere has simply not happened.

mod met;

use pergola_feed::{Hints, Limits, NodeId};
use pergola_manners::courtesy::{Courtesy, FailureKind, Outcome, Reading, RuleBook};
use pergola_manners::decide::{Before, Decision, News, Observed, decide};
use pergola_manners::hints::Hints as PeerHints;
use pergola_manners::link::{Link, Refusal};
use pergola_manners::loops::LoopChange;
use pergola_refresh::{Invalid, Observation, PublicationModel};
use pergola_store::archive::{
    Known, Loop, PastRefresh, SourceId, SourceRecord, SourceState, unknown,
};
use url::Url;

use super::read::{Body, Member, read};
use super::trail::Backlog;
use crate::crawl::discovery::Named;
use crate::fetch::{Answer, Ask, DecodeLimits, FetchError};
use met::{Met, delivered};

/// What holds for every refresh of this node.
pub struct Manners {
    /// This node.
    pub node: NodeId,
    /// How hosts are treated.
    pub rules: RuleBook,
    /// What a document may cost.
    pub limits: Limits,
    /// What unpacking one may cost.
    pub decode: DecodeLimits,
    /// Whether peers are read over gRPC.
    pub peers: bool,
}

/// A source as it was before the refresh.
pub struct Subject {
    /// Which source.
    pub id: SourceId,
    /// As it was asked for.
    pub record: SourceRecord,
    /// As it stood.
    pub state: SourceState,
    /// What was seen of its items.
    pub known: Known,
    /// What its archives add, if they were followed.
    pub backlog: Backlog,
    /// The circle by which its items are known to come back to this node.
    pub looped: Option<Loop>,
    /// What is known of its peer.
    pub link: Option<Link>,
    /// How it was asked.
    pub way: Way,
}

/// How a source was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// With a GET, perhaps because its peer is not to be read over gRPC.
    Http(Option<Refusal>),
    /// Its peer, over gRPC.
    Peer,
}

/// What a refresh has brought; nothing of it holds before it is committed.
#[derive(Debug)]
pub struct Refreshed {
    /// Which source.
    pub id: SourceId,
    /// When.
    pub at: f64,
    /// What came of it.
    pub outcome: Outcome,
    /// The source as asked for; changed if it has moved.
    pub record: SourceRecord,
    /// Whether it has moved.
    pub moved: bool,
    /// How it stands now.
    pub state: SourceState,
    /// What is known of its items, if that has changed.
    pub known: Option<Known>,
    /// New and edited items, oldest first.
    pub news: Vec<News>,
    /// What was observed, since when; nothing if the refresh failed.
    pub observed: Option<(Option<f64>, Observed)>,
    /// The sources on it, if it is a list.
    pub members: Option<Vec<Member>>,
    /// The hub that its document names, or that it names none; nothing if no document was read.
    pub named: Option<Option<Named>>,
    /// Refresh again at once: the page led to the feed, or a peer has more.
    pub again: bool,
    /// Items were missed, and this document may have them.
    pub older: Option<Url>,
    /// Documents asked for besides, in archives.
    pub archives: u32,
    /// Refresh once more for whatever came meanwhile: the source was found to be a peer.
    pub soon: bool,
    /// What is known of its peer, if that has changed.
    pub link: Option<Link>,
    /// When its peer plans to have news, if it said so.
    pub hints: Option<PeerHints>,
    /// The host may want quiet until then.
    pub host_pause: Option<f64>,
    /// Sentences for the log.
    pub notes: Vec<String>,
    /// Bytes that came over the wire.
    pub bytes: u64,
    /// Whether the answer was 304.
    pub not_modified: bool,
    /// Items believed lost since the last refresh.
    pub lost: f64,
    /// Items dropped because they had already passed this node.
    pub loops: usize,
    /// Whether they come back by a circle of nodes, if that is news.
    pub loop_change: LoopChange,
}

/// Everything that follows from an answer, or from there being none.
pub fn conclude(
    subject: Subject,
    ask: &Ask,
    mut answered: Result<Answer, FetchError>,
    manners: &Manners,
    now: f64,
    random: f64,
) -> Result<Refreshed, Invalid> {
    let Subject { id, mut record, mut state, known, looped, link, way, backlog } = subject;
    let Backlog { items, documents: archives, complete, trouble: cut_short, quiet, .. } = backlog;
    let mut older = None;
    // Nobody there, or a proxy that says so: it is the peer that is away, however it was asked.
    let failed = answered.as_ref().map_or(true, |answer| answer.status >= 500);
    let is_peer = link.as_ref().is_some_and(|link| link.url == ask.url.as_str());
    let of_peer =
        (way == Way::Peer || failed && is_peer).then(|| manners.rules.peer_rules_for(&ask.url));
    let rules = of_peer.as_ref().unwrap_or_else(|| manners.rules.rules_for(&ask.url));
    if way == Way::Peer {
        // How long a document stays as it is says nothing here.
        (state.courtesy.lifetime, state.courtesy.period) = (None, None);
    }
    let validators = (way == Way::Peer).then(|| state.courtesy.validators.clone());
    let mut page = answered.as_mut().ok().and_then(|answer| answer.page.take());
    let mut trouble = None;
    let mut decision = None;
    let (mut members, mut leads_to, mut digest, mut named) = (None, None, None, None);
    let hints;
    let (mut bytes, mut verdict) = match &answered {
        Err(error) => {
            trouble = Some(with_causes(error));
            (0, state.courtesy.after(&error.exchange(ask), now, rules, random))
        }
        Ok(answer) => {
            let body = match &mut page {
                Some(page) => delivered(page, answer.status, state.document),
                None => read(answer, &record.kind, state.document, manners),
            };
            let reading = match body {
                Body::Unread => Reading::Nothing,
                Body::Same => Reading::Same,
                Body::Unusable(kind, why) => {
                    trouble = Some(why);
                    Reading::Failure(kind)
                }
                Body::LeadsTo(url) if record.formerly.iter().any(|old| old == url.as_str()) => {
                    trouble =
                        Some(format!("the pages lead to each other, and none is a feed: {url}"));
                    Reading::Failure(FailureKind::NotAFeed)
                }
                Body::LeadsTo(url) => {
                    leads_to = Some(url);
                    hints = Hints::default();
                    Reading::Document { hints: &hints, new_items: 0 }
                }
                Body::List(found, hash) => {
                    (members, digest) = (Some(found), Some(hash));
                    hints = Hints::default();
                    Reading::Document { hints: &hints, new_items: 0 }
                }
                Body::Document(document, hash) => {
                    digest = Some(hash);
                    named = Some(Named::in_answer(&answer.head.link, &document, &answer.url));
                    if page.is_none() || document.title.is_some() {
                        state.title = document.title.clone();
                    }
                    if page.is_none() {
                        state.home = document.home().map(str::to_owned);
                    }
                    hints = document.hints.clone();
                    let url = record.url.as_str();
                    let delta = answer.status == 226;
                    let judged = page.is_some();
                    let node = &manners.node;
                    let before = Before { known, url, node, delta, judged, older: items };
                    older = document.older().and_then(|href| answer.url.join(href).ok());
                    older = older.filter(|older| older.host() == answer.url.host());
                    let decided = decision.insert(decide(*document, before, now));
                    older = older.filter(|_| decided.observed.censored);
                    if let Some(page) = &mut page {
                        page.measure(&mut decided.observed);
                    }
                    Reading::Document { hints: &hints, new_items: decided.observed.new_items }
                }
            };
            if trouble.is_none() && answer.status >= 400 {
                trouble = Some(refused(answer));
            }
            let mut exchange = answer.exchange(ask, reading);
            // A cursor is a condition, too.
            exchange.conditional |= page.is_some();
            (answer.wire_bytes, state.courtesy.after(&exchange, now, rules, random))
        }
    };
    bytes += backlog.bytes;
    let mut notes: Vec<String> = verdict.note.take().into_iter().collect();
    if let Some(quiet) = quiet {
        // It was an archive that asked for quiet, but the source is the same.
        let asked = quiet.exchange(ask, Reading::Nothing);
        let pause = state.courtesy.clone().after(&asked, now, rules, random);
        verdict.next_at = verdict.next_at.max(pause.next_at);
        verdict.host_pause = pause.host_pause.or(verdict.host_pause);
    }
    if archives > 0 {
        let met = if complete { "the known ones were met" } else { "no known one was met" };
        let why = cut_short.map(|why| format!(": {why}")).unwrap_or_default();
        notes.push(format!("items were missed; {archives} archive documents read, {met}{why}"));
    }
    if let Some(validators) = validators {
        // They belong to the document, which was not asked for.
        state.courtesy.validators = validators;
    }
    let missed = page.as_ref().map(|page| page.missed);
    let met = Met::new(link, page, way, &answered, &record, manners, now, random);
    notes.extend(met.notes);
    state.next_at = verdict.next_at;
    let mut moved = verdict.adopt.is_some_and(|url| move_to(&mut record, url));
    // A page without news may wait for its turn, or a peer that repeats itself would never have one.
    let brought = decision.as_ref().is_some_and(|decision| !decision.news.is_empty());
    let again = leads_to.is_some() || (met.more && brought);
    if let Some(url) = leads_to {
        notes.push(format!("the page leads to the feed {url}, which is read instead"));
        moved |= move_to(&mut record, url);
        // What was remembered belongs to the page.
        state.courtesy = Courtesy::default();
        state.next_at = now;
    }
    state.document = digest.unwrap_or(state.document);
    let outcome = verdict.outcome;
    let observed = match (&decision, outcome) {
        (Some(Decision { observed, .. }), _) => Some(observed.clone()),
        (None, Outcome::Unchanged | Outcome::Changed) => Some(Observed::default()),
        _ => None,
    };
    let since = state.schedule.last;
    let lost = match &observed {
        Some(observed) => learn(&mut state, observed, missed, now)?,
        None => 0.0,
    };
    match (&decision, &observed) {
        // The model is written with the items it has learnt from.
        (Some(_), _) => state.unchanged_at = None,
        (None, Some(_)) => state.unchanged_at = Some(now),
        (None, None) => {}
    }
    let loop_change = LoopChange::after(decision.as_ref(), looped, now);
    let loops = decision.as_ref().map_or(0, |decision| decision.loops);
    let status = answered.as_ref().ok().map(|answer| answer.status);
    let new_items = observed.as_ref().map_or(0, |observed| observed.new_items);
    state.trouble = trouble.map(|what| what.chars().take(500).collect());
    count(&mut state, outcome, status, bytes);
    state.tally.requests += u64::from(archives);
    let wire = u32::try_from(bytes).unwrap_or(u32::MAX);
    state.remember(PastRefresh { at: now, outcome, new_items, bytes: wire });
    let (known, news) = match decision {
        Some(decision) => {
            state.tally.items += u64::from(decision.observed.new_items);
            state.tally.updates += decision.news.iter().filter(|news| news.edited).count() as u64;
            state.tally.overruns += u64::from(decision.observed.censored);
            notes.extend(decision.degraded.map(|degraded| degraded.reason));
            (Some(decision.known), decision.news)
        }
        None => (None, Vec::new()),
    };
    Ok(Refreshed {
        id,
        at: now,
        outcome,
        record,
        moved,
        state,
        known,
        news,
        observed: observed.map(|observed| (since, observed)),
        members,
        named,
        again,
        older,
        archives,
        soon: met.new,
        link: met.link,
        hints: met.hints,
        host_pause: verdict.host_pause,
        notes,
        bytes,
        not_modified: status == Some(304),
        lost,
        loops,
        loop_change,
    })
}

/// The address of a source has changed; the old ones are remembered.
fn move_to(record: &mut SourceRecord, url: Url) -> bool {
    let before = std::mem::replace(&mut record.url, url.into());
    if before == record.url {
        return false;
    }
    record.formerly.retain(|old| *old != before);
    record.formerly.push(before);
    true
}

/// Lets the model and our estimate of quality learn from what was observed; returns how many items are
/// believed lost, or known to be where a peer has counted what was `missed`.
pub(super) fn learn(
    state: &mut SourceState,
    observed: &Observed,
    missed: Option<u64>,
    now: f64,
) -> Result<f64, Invalid> {
    let mut lost = 0.0;
    let Observed { new_items, window, censored, ref dates } = *observed;
    if let Some(since) = state.schedule.last {
        let (estimated, area) = state.schedule.model.divergence(since, now);
        let expected = missed.map_or(estimated, |missed| f64::from(new_items) + missed as f64);
        let age = (now - since).max(f64::MIN_POSITIVE);
        let shown = if window > 0 { window } else { state.schedule.shown };
        state.quality.refreshed(new_items, expected, censored, area / age, shown, age);
        if censored {
            lost = (expected - f64::from(new_items)).max(0.0);
        }
    }
    let since = state.schedule.last;
    let observation = Observation { at: now, since, new_items, window, censored, dates };
    let before = std::mem::replace(&mut state.schedule, unknown());
    state.schedule = before.after(&observation)?;
    Ok(lost)
}

fn count(state: &mut SourceState, outcome: Outcome, status: Option<u16>, bytes: u64) {
    state.tally.requests += 1;
    state.tally.not_modified += u64::from(status == Some(304));
    state.tally.failures += u64::from(matches!(outcome, Outcome::Failed(_)));
    state.tally.bytes += bytes;
}

/// An error with its causes, in one line.
fn with_causes(error: &FetchError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    text
}

/// What a source answered instead of a document.
fn refused(answer: &Answer) -> String {
    let status = answer.status;
    match status {
        401 => format!(
            "the source answered {status}: it wants a token that it knows; set `token` of {} in the \
             configuration",
            answer.url.host_str().unwrap_or("its host")
        ),
        _ => format!("the source answered {status}"),
    }
}

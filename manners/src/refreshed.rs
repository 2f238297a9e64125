//! What follows from a reply, grouped by who takes it.
//!
//! Nothing of it holds before [`SourceChange`] is committed. A refresh that is cut off before that has
//! simply not happened.

use std::sync::Arc;

use crate::courtesy::Outcome;
use crate::decide::{News, Observed};
use crate::heard::Member;
use crate::hints::Hints;
use crate::hub::HubNotice;
use crate::link::Link;
use crate::loops::LoopChange;
use crate::source::{Known, SourceId, SourceRecord, SourceState};

/// Everything that follows from a reply.
#[derive(Debug)]
pub struct Refreshed {
    /// For the store. Shared, because it is still needed when it is durable.
    pub change: Arc<SourceChange>,
    /// For the scheduler.
    pub schedule: Scheduling,
    /// For the host's lane and its counts; nothing if the source was not asked.
    pub visit: Option<HostVisit>,
    /// For whoever subscribes to hubs; nothing if nothing was observed.
    pub hub: Option<HubNotice>,
    /// For whoever follows lists: the sources on it, if this is one.
    pub list: Option<Vec<Member>>,
    /// For the log and the counters.
    pub account: Account,
}

/// What the store writes for one source, all of it in one commit.
#[derive(Debug)]
pub struct SourceChange {
    pub id: SourceId,
    /// When it was refreshed.
    pub at: f64,
    /// The source as asked for, with its new address if it has moved.
    pub record: SourceRecord,
    pub moved: bool,
    pub state: SourceState,
    /// What is known of its items, if that has changed.
    pub known: Option<Known>,
    /// New and edited items, oldest first.
    pub news: Vec<News>,
    /// What is known of its peer, if that has changed.
    pub link: Option<Link>,
    /// Whether its items come back to this node, if that has changed.
    pub loop_change: LoopChange,
}

/// What the scheduler learns. The model itself is in the source's state.
#[derive(Debug)]
pub struct Scheduling {
    /// What was observed, and the refresh before; nothing if the refresh failed.
    pub observed: Option<(Option<f64>, Observed)>,
    /// Not to be refreshed before.
    pub next_at: f64,
    /// Nobody may ask before: the source wants quiet.
    pub quiet_until: Option<f64>,
    /// Requests made besides the first.
    pub more_requests: u32,
    /// Bytes received.
    pub bytes: u64,
    /// When its peer plans to have news.
    pub plan: Plan,
    pub again: Again,
}

/// When a peer plans to have news.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// It did not answer: what it said before still holds.
    AsBefore,
    /// It says nothing about it.
    Unknown,
    Planned(Hints),
}

/// Whether the source is to be refreshed once more, out of turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    No,
    /// This refresh is not over: the page led to a feed, or a peer has more.
    Unfinished,
    /// The source turned out to be a peer's feed, which may have published more in the meantime.
    FoundPeer,
}

impl Plan {
    /// From what a peer said about its plans, if it did, and whether the source answered.
    pub(crate) fn of(hints: Option<Hints>, answered: bool) -> Self {
        match hints {
            Some(hints) => Self::Planned(hints),
            None if answered => Self::Unknown,
            None => Self::AsBefore,
        }
    }
}

impl Again {
    pub(crate) fn of(to_feed: bool, more_news: bool, new_peer: bool) -> Self {
        match to_feed || more_news {
            true => Self::Unfinished,
            false if new_peer => Self::FoundPeer,
            false => Self::No,
        }
    }
}

/// What was done to a host, and what it asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostVisit {
    pub at: f64,
    pub requests: u32,
    /// It sent nothing, because nothing was new.
    pub not_modified: bool,
    pub bytes: u64,
    /// It asked for quiet.
    pub paused: bool,
    /// It said when to come back.
    pub hinted: bool,
    /// It may want quiet at all of its addresses until then.
    pub pause_until: Option<f64>,
}

/// What is logged and counted.
#[derive(Debug)]
pub struct Account {
    pub outcome: Outcome,
    /// Sentences for the log.
    pub notes: Vec<String>,
    /// Items believed lost since the last refresh.
    pub lost: f64,
    /// Items dropped because they had already passed this node.
    pub returned: usize,
    /// Archive documents read.
    pub archives: u32,
}

impl Refreshed {
    /// Items never seen before.
    pub fn new_items(&self) -> u32 {
        self.schedule.observed.as_ref().map_or(0, |(_, observed)| observed.new_items)
    }
}

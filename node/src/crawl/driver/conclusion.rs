//! How a refresh comes to its conclusion: what the answer means, and what the archives add to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_manners::courtesy::Validators;
use pergola_manners::lanes::LaneId;
use pergola_manners::link::Link;
use pergola_store::archive::{ArchiveError, SourceId, SourceKind, SourceRecord, SourceState};
use url::Url;

use super::Crawler;
use super::outing::Problem;
use crate::crawl::conclude::{Refreshed, Subject, Way, conclude};
use crate::crawl::trail::{Backlog, Trail};
use crate::fetch::{Answer, Ask, FetchError};

/// Bytes on the wire of a document that takes less than a millisecond to read.
const SMALL: u64 = 16 * 1024;

/// A lane that wants more quiet than this before the next document is not kept busy by archives.
const PATIENCE: f64 = 60.0;

/// A source as it stands before a refresh.
pub(super) struct Standing {
    pub(super) record: SourceRecord,
    pub(super) state: SourceState,
}

/// What was asked, and what came of it.
pub(super) struct Exchange {
    pub(super) ask: Ask,
    pub(super) answered: Result<Answer, FetchError>,
    /// What is known of the source's peer.
    pub(super) link: Option<Link>,
    /// How it was asked.
    pub(super) way: Way,
}

impl Exchange {
    /// The same once more, if a whole document has come over HTTP.
    pub(super) fn again(&self) -> Option<Box<Self>> {
        let Self { ask, answered, link, way } = self;
        let answer = answered.as_ref().ok().filter(|answer| answer.status == 200)?;
        answer.page.is_none().then(|| {
            let (ask, answered) = (ask.clone(), Ok(answer.clone()));
            Box::new(Self { ask, answered, link: link.clone(), way: way.clone() })
        })
    }
}

impl Crawler {
    /// A source as it stands; nothing if it is gone. Boxed, as all of what a refresh hands on: kilobytes
    /// would be copied from hand to hand otherwise.
    pub(super) fn standing(&self, id: SourceId) -> Result<Option<Box<Standing>>, ArchiveError> {
        let (record, state) = (self.archive.source(id)?, self.archive.state_alone(id)?);
        let (Some(record), Some(mut state), Some(schedule)) =
            (record, state, self.roster().schedule(id))
        else {
            return Ok(None);
        };
        state.schedule = schedule;
        Ok(Some(Box::new(Standing { record, state })))
    }

    /// What follows from an exchange.
    pub(super) async fn concluded(
        self: &Arc<Self>,
        id: SourceId,
        standing: Box<Standing>,
        exchange: Box<Exchange>,
        backlog: Backlog,
    ) -> Result<Arc<Refreshed>, Problem> {
        let answered = exchange.answered.as_ref();
        let has_body = answered.is_ok_and(|answer| !answer.is_empty());
        let small = standing.record.kind == SourceKind::Feed
            && backlog.items.is_empty()
            && answered.is_ok_and(|answer| answer.wire_bytes <= SMALL);
        // Parsing is work, which waits for a thread of its own; but a small feed is read sooner than
        // another thread is awake.
        if !has_body || small {
            return self.conclude(id, standing, exchange, backlog);
        }
        let _reader = self.readers.acquire().await;
        let crawler = Arc::clone(self);
        let conclusion = move || crawler.conclude(id, standing, exchange, backlog);
        self.blocking.run(conclusion).await.map_err(|_| Problem::Panicked)?
    }

    fn conclude(
        &self,
        id: SourceId,
        standing: Box<Standing>,
        exchange: Box<Exchange>,
        backlog: Backlog,
    ) -> Result<Arc<Refreshed>, Problem> {
        let Standing { record, state } = *standing;
        let Exchange { ask, answered, link, way } = *exchange;
        let has_body = answered.as_ref().is_ok_and(|answer| !answer.is_empty());
        let known = if has_body { self.archive.known(id)? } else { None };
        let known = known.unwrap_or_default();
        let looped = self.loops.of(id);
        let subject = Subject { id, record, state, known, looped, link, way, backlog };
        let now = self.clock.now();
        let random = jitter(&self.manners.node.0, id, now);
        Ok(Arc::new(conclude(subject, &ask, answered, &self.manners, now, random)?))
    }

    /// Follows the archives of a source until a known item is met, in its lane and at its pace.
    pub(super) async fn follow(
        self: &Arc<Self>,
        missed: &Refreshed,
        older: Url,
        readers: u32,
        lane: LaneId,
    ) -> Result<Backlog, Problem> {
        let known = self.archive.known(missed.id)?.unwrap_or_default();
        let since = missed.observed.as_ref().and_then(|(since, _)| *since).unwrap_or(missed.at);
        // By the address that items are still known by, should it have moved just now.
        let standing = self.standing(missed.id)?.ok_or(Problem::Vanished)?;
        let mut trail = Trail::new(&standing.record.url, &known, &missed.news, since, older);
        while let Some(url) = trail.next() {
            if self.lane_of(&url) != lane || self.stopping.load(Ordering::Relaxed) {
                break;
            }
            let now = self.clock.now();
            let Some(at) = self.lanes.lock().again(lane, now, PATIENCE) else { break };
            self.clock.sleep_until(at).await;
            let ask = Ask::new(url, Validators::default(), readers);
            let answered = self.fetcher.fetch(&ask).await;
            let _reader = self.readers.acquire().await;
            let crawler = Arc::clone(self);
            let read = move || {
                trail.take(&ask.url, answered, &crawler.manners);
                trail
            };
            trail = self.blocking.run(read).await.map_err(|_| Problem::Panicked)?;
        }
        Ok(trail.finish())
    }
}

/// A number in [0, 1) that differs from node to node, source to source and refresh to refresh.
fn jitter(node: &str, id: SourceId, now: f64) -> f64 {
    let mut hasher = DefaultHasher::new();
    (node, id, now.to_bits()).hash(&mut hasher);
    (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64
}

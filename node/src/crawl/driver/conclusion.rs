//! How a look comes to its conclusion: what the answer means, and what the archives add to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use url::Url;

use super::{Crawler, Problem, locked};
use crate::archive::{SourceId, SourceKind, SourceRecord, SourceState};
use crate::crawl::courtesy::Validators;
use crate::crawl::fetch::{Answer, Ask, FetchError};
use crate::crawl::lanes::LaneId;
use crate::crawl::look::{Refreshed, Subject, Way, conclude};
use crate::crawl::trail::{Backlog, Trail};
use crate::peer::link::Link;

/// Bytes on the wire of a document that takes less than a millisecond to read.
const SMALL: u64 = 16 * 1024;

/// A lane that wants more quiet than this before the next document is not kept busy by archives.
const PATIENCE: f64 = 60.0;

/// What was asked, and what came of it.
pub(super) struct Exchange {
    pub(super) ask: Ask,
    pub(super) answered: Result<Answer, FetchError>,
    /// What is known of the source's peer.
    pub(super) link: Option<Link>,
    /// How it was asked.
    pub(super) way: Way,
}

impl Crawler {
    /// A source as it stands before a look.
    pub(super) fn before(&self, id: SourceId) -> Result<(SourceRecord, SourceState), Problem> {
        let record = self.archive.source(id)?.ok_or(Problem::Vanished)?;
        let mut state = self.archive.state_alone(id)?.ok_or(Problem::Vanished)?;
        state.schedule = self.roster().schedule(id).ok_or(Problem::Vanished)?;
        Ok((record, state))
    }

    /// What follows from an exchange.
    pub(super) async fn concluded(
        self: &Arc<Self>,
        id: SourceId,
        record: SourceRecord,
        state: SourceState,
        exchange: Exchange,
        backlog: Backlog,
    ) -> Result<Refreshed, Problem> {
        let Exchange { ask, answered, link, way } = exchange;
        let has_body = answered.as_ref().is_ok_and(|answer| !answer.is_empty());
        let small = record.kind == SourceKind::Feed
            && backlog.items.is_empty()
            && answered.as_ref().is_ok_and(|answer| answer.wire_bytes <= SMALL);
        let crawler = Arc::clone(self);
        let conclusion = move || -> Result<Refreshed, Problem> {
            let known = if has_body {
                crawler.archive.known(id)?.unwrap_or_default()
            } else {
                Default::default()
            };
            let looped = crawler.loops.of(id);
            let subject = Subject { id, record, state, known, looped, link, way, backlog };
            let now = crawler.clock.now();
            let random = jitter(&crawler.manners.node.0, id, now);
            Ok(conclude(subject, &ask, answered, &crawler.manners, now, random)?)
        };
        // Parsing is work, which waits for a thread of its own; but a small feed is read sooner than
        // another thread is awake.
        if has_body && !small {
            let _reader = self.readers.acquire().await;
            tokio::task::spawn_blocking(conclusion).await.map_err(|_| Problem::Panicked)?
        } else {
            conclusion()
        }
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
        let (record, _) = self.before(missed.id)?;
        let mut trail = Trail::new(&record.url, &known, &missed.news, since, older);
        while let Some(url) = trail.next() {
            if self.lane_of(&url) != lane || self.stopping.load(Ordering::Relaxed) {
                break;
            }
            let now = self.clock.now();
            let Some(at) = locked(&self.lanes).again(lane, now, PATIENCE) else { break };
            self.clock.sleep_until(at).await;
            let ask = Ask::new(url, Validators::default(), readers);
            let answered = self.fetcher.fetch(&ask).await;
            let _reader = self.readers.acquire().await;
            let crawler = Arc::clone(self);
            let read = move || {
                trail.take(&ask.url, answered, &crawler.manners);
                trail
            };
            trail = tokio::task::spawn_blocking(read).await.map_err(|_| Problem::Panicked)?;
        }
        Ok(trail.finish())
    }
}

/// A number in [0, 1) that differs from node to node, source to source and look to look.
fn jitter(node: &str, id: SourceId, now: f64) -> f64 {
    let mut hasher = DefaultHasher::new();
    (node, id, now.to_bits()).hash(&mut hasher);
    (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64
}

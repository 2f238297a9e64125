//! Tries a query on what is stored: what a feed would begin with, and from where.

use std::collections::HashSet;
use std::time::Duration;

use pergola_api::Instant;
use pergola_api::feed::{Trial, TriedItem, TriedSource};
use pergola_feed::Timestamp;
use pergola_feed::address::masked;
use pergola_outside::clock::network_now;
use pergola_query::syntax::{FeedBody, SourceRef};
use pergola_query::{FeedFilter, PreparedItem, QueryError, Scratch, reasons};
use pergola_store::archive::{Archive, ArchiveError, ItemKey, SourceId};

use super::entries::BACKFILL;
use super::source_of;
use crate::node::Node;
use crate::select::{Alone, Texts};

/// Items that are looked at, and how long that may take.
const EXAMINED: u64 = 100_000;
const PATIENCE: Duration = Duration::from_secs(3);
/// Items that are told of.
const NEWEST: usize = 20;
/// Sources that are told of.
const LISTED: usize = 200;

/// A query, ready to be tried.
pub(in crate::node) struct Attempt {
    archive: Archive,
    body: FeedBody,
    alone: Alone,
    /// The sources of each clause.
    clauses: Vec<HashSet<SourceId>>,
    not_stored: Vec<String>,
    now: f64,
}

/// An item that was found, and where it is stored.
struct Found {
    dated: Option<Timestamp>,
    key: ItemKey,
    source: SourceId,
    chunk: u32,
    index: usize,
}

impl Node {
    /// A query, ready to be tried.
    pub(in crate::node) fn attempt(&self, body: &FeedBody) -> Result<Attempt, QueryError> {
        let body = self.unmasked(body).unwrap_or_else(|_| body.clone());
        let alone = self.desk.alone(&body, |clause| self.resolve(clause))?;
        let of_clause = |clause: &SourceRef| match clause {
            SourceRef::Feed(name) => {
                self.desk.feed(name).map_or_else(Vec::new, |card| self.desk.sources_of(card.id))
            }
            other => self.resolve(other),
        };
        let named = body.sources.iter().map(|clause| &clause.source.value);
        let clauses = named.clone().map(|clause| of_clause(clause).into_iter().collect());
        let addresses = named.clone().filter_map(source_of).map(|(url, _)| url);
        let unknown = addresses.filter(|url| self.at(url).is_none());
        Ok(Attempt {
            archive: self.archive.clone(),
            clauses: clauses.collect(),
            not_stored: unknown.map(|url| masked(&url).into_owned()).collect(),
            alone,
            now: self.clock.now(),
            body,
        })
    }
}

impl Attempt {
    /// What the query finds. Blocks.
    pub(in crate::node) fn run(mut self) -> Result<Trial, ArchiveError> {
        let (mut trial, mut found) = (Trial::default(), Vec::new());
        let (mut scratch, started) = (Scratch::new(), network_now());
        for source in self.alone.sources().to_vec() {
            if trial.examined >= EXAMINED || started.elapsed() > PATIENCE {
                trial.cut_off = true;
                break;
            }
            if let Some(tried) = self.look_at(source, &mut found, &mut scratch)? {
                trial.examined += tried.examined;
                trial.sources.push(tried);
            }
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.dated));
        let mut seen = HashSet::new();
        found.retain(|found| seen.insert(found.key));
        found.truncate(BACKFILL);
        trial.items = found.len() as u64;
        let dates = found.iter().filter_map(|found| found.dated);
        trial.count_days(dates.map(|dated| dated.unix() as f64), self.now);
        for one in found.iter().take(NEWEST) {
            trial.newest.extend(self.told(one)?);
        }
        trial.sources.sort_by_key(|tried| std::cmp::Reverse(tried.found));
        trial.sources.truncate(LISTED);
        self.not_stored.truncate(LISTED);
        trial.not_stored = self.not_stored;
        Ok(trial)
    }

    /// Looks at the stored items of a source; nothing if there are none.
    fn look_at(
        &mut self,
        source: SourceId,
        found: &mut Vec<Found>,
        scratch: &mut Scratch,
    ) -> Result<Option<TriedSource>, ArchiveError> {
        let Some((url, title)) = self.named(source)? else { return Ok(None) };
        let mut known = self.archive.known(source)?.unwrap_or_default();
        if known.items.is_empty() {
            self.not_stored.push(masked(&url).into_owned());
            return Ok(None);
        }
        known.items.sort_unstable_by_key(|memory| (memory.chunk, memory.index));
        let (before, now) = (found.len(), Timestamp::from_unix(self.now as i64));
        let mut examined = 0;
        for together in known.items.chunk_by(|a, b| a.chunk == b.chunk) {
            let items = self.archive.chunk(source, together[0].chunk)?;
            for memory in together {
                let Some(item) = items.get(usize::from(memory.index)) else { continue };
                examined += 1;
                let texts = Texts::of(item, &url, title.as_deref());
                if self.alone.keeps(source, item, &texts, self.now, scratch) {
                    let dated = item.dated(now).map(|(at, _)| at);
                    let (key, chunk) = (memory.key, memory.chunk);
                    let index = usize::from(memory.index);
                    found.push(Found { dated, key, source, chunk, index });
                }
            }
        }
        let found = (found.len() - before) as u64;
        let url = masked(&url).into_owned();
        Ok(Some(TriedSource { source: source.0, url, title, examined, found }))
    }

    /// The address of a source, and its title.
    fn named(&self, source: SourceId) -> Result<Option<(String, Option<String>)>, ArchiveError> {
        let Some(record) = self.archive.source(source)? else { return Ok(None) };
        let own = self.archive.state_alone(source)?.and_then(|state| state.title);
        Ok(Some((record.url, record.title.or(own))))
    }

    /// An item as it is shown, with the tests that it passes.
    fn told(&self, found: &Found) -> Result<Option<TriedItem>, ArchiveError> {
        let items = self.archive.chunk(found.source, found.chunk)?;
        let Some(item) = items.get(found.index) else { return Ok(None) };
        let Some((url, title)) = self.named(found.source)? else { return Ok(None) };
        let texts = Texts::of(item, &url, title.as_deref());
        let (prepared, now) = (PreparedItem::new(texts.view(item)), self.now as i64);
        let filter = FeedFilter::compile(&self.body).ok();
        let mut clauses = (0..self.clauses.len()).filter(|&clause| {
            let keeps = |filter: &FeedFilter| filter.keeps(clause, &prepared, now);
            self.clauses[clause].contains(&found.source) && filter.as_ref().is_some_and(keeps)
        });
        let because = clauses.next().and_then(|clause| {
            let passed = reasons(&self.body, clause, &prepared, now);
            passed.ok()
        });
        Ok(Some(TriedItem {
            title: item.title.clone(),
            link: item.link.clone(),
            dated: found.dated.map(|at| Instant::from_unix(at.unix() as f64)),
            source: title.unwrap_or_else(|| masked(&url).into_owned()),
            because: because.unwrap_or_default(),
        }))
    }
}

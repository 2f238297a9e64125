//! What can be done to feeds: create, change, drop, explain; by statements of the query language.

use std::collections::{BTreeMap, HashSet};

use pergola_query::syntax::{FeedBody, Script, SourceRef, Span, Spanned, Statement};
use pergola_query::{Change, Explanation, QueryError, Scratch};

use super::sources::{EVERY_SOURCE, peer_address};
use super::{NewSource, Node, SourceError, StartError, locked};
use crate::archive::{
    Archive, ArchiveError, Changes, Entry, FeedId, FeedRecord, SourceId, SourceKind,
};
use crate::publish::Listing;
use crate::publish::writer::{Append, Job, NotCommitted};
use crate::select::{Desk, Texts, statement};
use crate::store::Order;

/// A new feed begins with at most so many items that its sources show already.
const BACKFILL: usize = 10_000;
/// Entries deleted in one commit.
const DELETED_AT_ONCE: usize = 1_000;

/// What goes wrong with feeds.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The statement is wrong; the message shows where.
    #[error("{rendered}")]
    Query {
        /// The message with the place in the text.
        rendered: String,
        /// Whether it is a name that exists already, or a feed that others read.
        conflict: bool,
    },
    /// There is no such feed.
    #[error("there is no feed `{name}`{}", .nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// The nearest one there is.
        nearest: Option<String>,
    },
    /// Something else than the one statement that was to be explained.
    #[error("{0} statements can be explained here; give one CREATE, ALTER or EXPLAIN FEED")]
    NotOne(usize),
    /// Enough is enough.
    #[error("there are {0} feeds already; feeds.most in the configuration allows no more")]
    TooMany(usize),
    /// A source of it.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The store refused it.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// What is kept cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// What a statement has done.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// A feed was created, with this many items to begin with.
    Created {
        /// Its name.
        name: String,
        /// Items it begins with.
        items: usize,
        /// Sources added for it.
        sources: usize,
    },
    /// A feed was changed.
    Changed {
        /// Its name.
        name: String,
        /// Items that it gained at once.
        items: usize,
    },
    /// A feed was renamed.
    Renamed {
        /// Its name before.
        from: String,
        /// Its name now.
        to: String,
    },
    /// A feed was dropped.
    Dropped {
        /// Its name.
        name: String,
    },
    /// Nothing was changed.
    Explained(Box<Explanation>),
}

impl Node {
    /// Runs statements: all of them are checked before the first is carried out.
    pub async fn run_script(&self, text: &str, origin: &str) -> Result<Vec<Applied>, FeedError> {
        let _turn = self.turn.acquire().await;
        let changes = self.desk.check(text).map_err(|error| wrong(&error, text, origin))?;
        let created =
            changes.iter().filter(|change| matches!(change, Change::Create { .. })).count();
        let there = self.desk.feeds().len();
        if created > 0 && there + created > self.config().feeds.most {
            return Err(FeedError::TooMany(there));
        }
        let mut applied = Vec::with_capacity(changes.len());
        for change in changes {
            applied.push(self.apply(change, false).await?);
        }
        Ok(applied)
    }

    pub(super) async fn apply(&self, change: Change, declared: bool) -> Result<Applied, FeedError> {
        match change {
            Change::Create { name, body } => {
                let sources = self.add_sources_of(&body).await?;
                let id = FeedId(locked(&self.record).next_feed);
                let record = FeedRecord {
                    name: name.clone(),
                    statement: statement(&name, &body),
                    created_at: self.clock.now(),
                    declared,
                };
                let mut changes = Changes::new();
                changes.put_feed(id, &record);
                let mut node = locked(&self.record).clone();
                node.next_feed += 1;
                changes.put_node(&node);
                self.commit(changes).await?;
                locked(&self.record).next_feed = node.next_feed;
                self.put_in_force(id, &name, &body);
                let items = self.backfill(id).await?;
                Ok(Applied::Created { name, items, sources })
            }
            Change::Replace { name, body } => {
                let Some(card) = self.desk.feed(&name) else { return Err(self.unknown(&name)) };
                let before = self.desk.sources_of(card.id);
                self.add_sources_of(&body).await?;
                self.store_feed(card.id, &name, &body, declared).await?;
                self.put_in_force(card.id, &name, &body);
                let items = self.backfill(card.id).await?;
                self.weigh(before.iter().copied());
                self.reap_sources(&before).await?;
                Ok(Applied::Changed { name, items })
            }
            Change::Rename { from, to } => {
                let Some(card) = self.desk.feed(&from) else { return Err(self.unknown(&from)) };
                self.desk.rename(card.id, &from, &to);
                let mut changes = Changes::new();
                for card in self.desk.feeds() {
                    // The feed itself, and those that read it by its name.
                    self.put_feed_record(&mut changes, card.id, &card.name, &card.body)?;
                }
                if let Err(error) = self.commit(changes).await {
                    self.desk.rename(card.id, &to, &from);
                    return Err(error.into());
                }
                self.shelve(card.id, &to, &card.body);
                Ok(Applied::Renamed { from, to })
            }
            Change::Drop { name } => {
                let Some(card) = self.desk.feed(&name) else { return Err(self.unknown(&name)) };
                let sources = self.desk.sources_of(card.id);
                let mut changes = Changes::new();
                changes.delete_feed(card.id);
                let dropped = vec![card.id];
                self.writer.commit(Job { changes, dropped, ..Job::default() }).await?;
                self.desk.remove(card.id, &name);
                self.shelf.remove(card.id);
                self.delete_entries(card.id, u64::MAX).await?;
                self.weigh(sources.iter().copied());
                self.reap_sources(&sources).await?;
                Ok(Applied::Dropped { name })
            }
            Change::Explain { name, body } => {
                let explained = self.explain(&name, &body);
                let explained = explained.map_err(|error| wrong(&error, "", "query"))?;
                Ok(Applied::Explained(Box::new(explained)))
            }
        }
    }

    /// Drops a feed that no other reads.
    pub async fn drop_feed(&self, name: &str) -> Result<(), FeedError> {
        let _turn = self.turn.acquire().await;
        if self.desk.feed(name).is_none() {
            return Err(self.unknown(name));
        }
        let name = Spanned::new(name.to_owned(), Span::default());
        let drop = Spanned::new(Statement::Drop(name), Span::default());
        let text = Script { statements: vec![drop] }.to_string();
        let changes = self.desk.check(&text).map_err(|error| wrong(&error, &text, "query"))?;
        for change in changes {
            self.apply(change, false).await?;
        }
        Ok(())
    }

    /// What a statement that makes or explains one feed would mean. Nothing is changed.
    pub fn explain_text(&self, text: &str, origin: &str) -> Result<Explanation, FeedError> {
        let changes = self.desk.check(text).map_err(|error| wrong(&error, text, origin))?;
        let [change] = &changes[..] else { return Err(FeedError::NotOne(changes.len())) };
        match change {
            Change::Create { name, body }
            | Change::Replace { name, body }
            | Change::Explain { name, body } => {
                self.explain(name, body).map_err(|error| wrong(&error, text, origin))
            }
            Change::Rename { .. } | Change::Drop { .. } => Err(FeedError::NotOne(0)),
        }
    }

    /// What a feed reads, keeps and costs.
    pub fn explain(&self, name: &str, body: &FeedBody) -> Result<Explanation, QueryError> {
        self.desk.explain(name, body, self.clock.now(), |clause| self.resolve(clause))
    }

    /// There is no such feed; the nearest name may help.
    pub fn unknown(&self, name: &str) -> FeedError {
        let names = self.desk.feeds().into_iter().map(|card| card.name);
        let near = |other: &String| {
            strsim::damerau_levenshtein(&other.to_lowercase(), &name.to_lowercase())
        };
        let nearest = names.min_by_key(near).filter(|other| near(other) <= 2 + name.len() / 4);
        FeedError::Unknown { name: name.to_owned(), nearest }
    }

    async fn store_feed(
        &self,
        id: FeedId,
        name: &str,
        body: &FeedBody,
        declared: bool,
    ) -> Result<(), FeedError> {
        let mut changes = Changes::new();
        let created_at = self.clock.now();
        let mut record = self.archive.feed(id)?.unwrap_or(FeedRecord {
            name: String::new(),
            statement: String::new(),
            created_at,
            declared,
        });
        (record.name, record.statement) = (name.to_owned(), statement(name, body));
        record.declared |= declared;
        changes.put_feed(id, &record);
        Ok(self.commit(changes).await?)
    }

    fn put_feed_record(
        &self,
        changes: &mut Changes,
        id: FeedId,
        name: &str,
        body: &FeedBody,
    ) -> Result<(), ArchiveError> {
        let Some(mut record) = self.archive.feed(id)? else { return Ok(()) };
        let written = statement(name, body);
        if record.name != name || record.statement != written {
            (record.name, record.statement) = (name.to_owned(), written);
            changes.put_feed(id, &record);
        }
        Ok(())
    }

    /// Adds the sources that a query names and that are not there.
    async fn add_sources_of(&self, body: &FeedBody) -> Result<usize, FeedError> {
        let mut sources = Vec::new();
        for clause in &body.sources {
            let (url, kind) = match &clause.source.value {
                SourceRef::Url(url) => (url.clone(), SourceKind::Feed),
                SourceRef::Opml(list) if list == EVERY_SOURCE => continue,
                SourceRef::Opml(list) => (list.clone(), SourceKind::List),
                SourceRef::Peer { node, feed } => (peer_address(node, feed), SourceKind::Feed),
                SourceRef::Feed(_) => continue,
            };
            let new = NewSource::feed(&url)?;
            sources.push(NewSource { kind, wanted: false, ..new });
        }
        Ok(self.add_sources_in_turn(sources).await?.new.len())
    }

    /// A stored feed is selected for and published from now on.
    fn put_in_force(&self, id: FeedId, name: &str, body: &FeedBody) {
        self.bind(id, name, body);
        self.rebind_readers(name);
        self.shelve(id, name, body);
        self.weigh(self.desk.sources_of(id));
    }

    fn bind(&self, id: FeedId, name: &str, body: &FeedBody) {
        let bound = self.desk.put(id, name, body, self.clock.now(), |clause| self.resolve(clause));
        if let Err(error) = bound {
            // It was checked before; only a limit of the matcher can be left.
            tracing::error!(feed = name, %error, "a feed could not be put in force");
        }
    }

    fn shelve(&self, id: FeedId, name: &str, body: &FeedBody) {
        let tally = self.archive.feed_tally(id).unwrap_or_default();
        let window =
            body.options.window.map_or(self.config().feeds.window, |window| window as usize);
        self.shelf.put(Listing {
            id,
            name: name.to_owned(),
            statement: statement(name, body),
            window,
            order: body.options.order,
            tally,
        });
    }

    /// Feeds that read a feed, directly or not, read what it reads now.
    fn rebind_readers(&self, name: &str) {
        let catalogue = self.desk.catalogue();
        let mut next: Vec<String> = catalogue.readers(name).map(str::to_owned).collect();
        let mut done = HashSet::new();
        while let Some(reader) = next.pop() {
            if !done.insert(reader.clone()) {
                continue;
            }
            if let Some(card) = self.desk.feed(&reader) {
                self.bind(card.id, &card.name, &card.body);
            }
            next.extend(catalogue.readers(&reader).map(str::to_owned));
        }
    }

    /// The sources at these addresses have come or gone, or lists have changed.
    pub(super) fn rebind_readers_of(&self, urls: &[&str]) {
        for card in self.desk.feeds() {
            if card.reads_lists() || urls.iter().any(|url| card.names(url)) {
                self.bind(card.id, &card.name, &card.body);
                self.rebind_readers(&card.name);
                self.weigh(self.desk.sources_of(card.id));
            }
        }
    }

    /// Items that its sources show already enter a new feed, oldest first.
    async fn backfill(&self, feed: FeedId) -> Result<usize, FeedError> {
        let (archive, desk) = (self.archive.clone(), std::sync::Arc::clone(&self.desk));
        let now = self.clock.now();
        let found = tokio::task::spawn_blocking(move || wanted_so_far(&archive, &desk, feed, now));
        let Ok(appends) = found.await else { return Ok(0) };
        let committed = self.writer.commit(Job { appends: appends?, ..Job::default() }).await?;
        Ok(committed.published)
    }

    /// Deletes the entries of a feed below a number, in commits of bounded size.
    pub(super) async fn delete_entries(
        &self,
        feed: FeedId,
        below: u64,
    ) -> Result<usize, FeedError> {
        let mut deleted = 0;
        loop {
            let entries =
                self.archive.entries(feed, 0, below, Order::Ascending, DELETED_AT_ONCE)?;
            if entries.is_empty() {
                return Ok(deleted);
            }
            let mut changes = Changes::new();
            for (sequence, entry) in &entries {
                changes.delete_entry(feed, *sequence, entry.key);
            }
            self.commit(changes).await?;
            deleted += entries.len();
        }
    }

    /// Puts every stored feed in force, those that others read first.
    pub(super) fn load_feeds(&self) -> Result<(), StartError> {
        let mut left = BTreeMap::new();
        for (id, record) in self.archive.feeds()? {
            left.insert(record.name.clone(), (id, body_of(&record)?));
        }
        while !left.is_empty() {
            let ready: Vec<String> = left
                .iter()
                .filter(|(_, (_, body))| !feeds_read(body).any(|other| left.contains_key(other)))
                .map(|(name, _)| name.clone())
                .collect();
            if ready.is_empty() {
                let name = left.keys().next().cloned().unwrap_or_default();
                return Err(StartError::Feed {
                    name,
                    reason: "feeds read each other in a circle".into(),
                });
            }
            for name in ready {
                if let Some((id, body)) = left.remove(&name) {
                    self.bind(id, &name, &body);
                    self.shelve(id, &name, &body);
                }
            }
        }
        let every: Vec<SourceId> = self.crawler.roster().ids().collect();
        self.weigh(every);
        Ok(())
    }
}

/// The feeds that a feed reads.
fn feeds_read(body: &FeedBody) -> impl Iterator<Item = &String> {
    body.sources.iter().filter_map(|clause| match &clause.source.value {
        SourceRef::Feed(name) => Some(name),
        _ => None,
    })
}

/// The body of a stored feed.
fn body_of(record: &FeedRecord) -> Result<FeedBody, StartError> {
    let wrong = |reason: String| StartError::Feed { name: record.name.clone(), reason };
    let script =
        pergola_query::parse(&record.statement).map_err(|error| wrong(error.to_string()))?;
    match script.statements.into_iter().next().map(|statement| statement.value) {
        Some(pergola_query::syntax::Statement::Create(feed)) => Ok(feed.body),
        _ => Err(wrong("it is no CREATE FEED".into())),
    }
}

/// What the sources of a feed have shown so far and it wants, oldest first.
fn wanted_so_far(
    archive: &Archive,
    desk: &Desk,
    feed: FeedId,
    now: f64,
) -> Result<Vec<Append>, ArchiveError> {
    let mut scratch = Scratch::new();
    let mut found = Vec::new();
    for source in desk.sources_of(feed) {
        let Some(record) = archive.source(source)? else { continue };
        let Some(mut known) = archive.known(source)? else { continue };
        let title = archive.state(source)?.and_then(|state| state.title);
        let title = record.title.or(title);
        known.items.sort_unstable_by_key(|memory| (memory.chunk, memory.index));
        for together in known.items.chunk_by(|a, b| a.chunk == b.chunk) {
            let items = archive.chunk(source, together[0].chunk)?;
            for memory in together {
                let Some(item) = items.get(usize::from(memory.index)) else { continue };
                let texts = Texts::of(item, &record.url, title.as_deref());
                if !desk.wanted(source, item, &texts, false, now, &mut scratch).contains(&feed) {
                    continue;
                }
                let entry = Entry {
                    key: memory.key,
                    source,
                    chunk: memory.chunk,
                    index: memory.index,
                    at: now,
                    changed_at: now,
                };
                let dated = item.published.or(item.first_seen);
                found.push((dated, Append { feed, entry, edited: false }));
            }
        }
    }
    found.sort_by_key(|(dated, _)| *dated);
    let skipped = found.len().saturating_sub(BACKFILL);
    Ok(found.into_iter().skip(skipped).map(|(_, append)| append).collect())
}

fn wrong(error: &QueryError, text: &str, origin: &str) -> FeedError {
    use pergola_query::ErrorKind::{FeedExists, StillRead};
    let conflict = matches!(error.kind, FeedExists(_) | StillRead { .. });
    FeedError::Query { rendered: error.render(text, origin), conflict }
}

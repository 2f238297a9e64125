//! What can be done to feeds: create, change, drop, explain; by statements of the query language.

mod entries;
mod force;
mod readers;

use pergola_query::syntax::{FeedBody, Script, SourceRef, Span, Spanned, Statement};
use pergola_query::{Change, Explanation, QueryError};
use pergola_store::archive::{ArchiveError, Commit, FeedId, FeedRecord, SourceKind};

use super::sources::{EVERY_SOURCE, peer_address};
use super::{NewSource, Node, SourceError, locked};
use crate::access::Caller;
use crate::publish::writer::NotCommitted;
use crate::select::statement;

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
    /// A reader that nobody knows.
    #[error("no reader is called `{0}`")]
    UnknownReader(String),
    /// The configuration says who may read it.
    #[error("the configuration declares the feed `{0}`, and with it who may read it")]
    Declared(String),
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
                let mut commit = Commit::new();
                commit.feed(id).put_record(&record);
                let mut node = locked(&self.record).clone();
                node.next_feed += 1;
                commit.node().put_record(&node);
                // Closed from its first moment, if it is to be closed.
                let readers = self.declared_readers(&name).filter(|_| declared);
                commit.feed(id).set_readers(readers.as_deref());
                self.commit(commit).await?;
                locked(&self.record).next_feed = node.next_feed;
                self.access.set(id, readers.as_deref());
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
                let mut commit = Commit::new();
                for card in self.desk.feeds() {
                    // The feed itself, and those that read it by its name.
                    self.put_feed_record(&mut commit, card.id, &card.name, &card.body)?;
                }
                if let Err(error) = self.commit(commit).await {
                    self.desk.rename(card.id, &to, &from);
                    return Err(error.into());
                }
                self.shelve(card.id, &to, &card.body);
                Ok(Applied::Renamed { from, to })
            }
            Change::Drop { name } => {
                let Some(card) = self.desk.feed(&name) else { return Err(self.unknown(&name)) };
                let sources = self.desk.sources_of(card.id);
                let mut commit = Commit::new();
                commit.feed(card.id).drop_feed();
                self.commit(commit).await?;
                self.desk.remove(card.id, &name);
                self.shelf.remove(card.id);
                self.access.set(card.id, None);
                self.delete_entries(card.id, u64::MAX).await?;
                self.delete_edits(card.id, u64::MAX).await?;
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
        self.unknown_to(&Caller::Operator, name)
    }

    /// There is no such feed for a caller; the nearest name that it may know may help.
    fn unknown_to(&self, caller: &Caller, name: &str) -> FeedError {
        let names = self.feeds_for(caller).into_iter().map(|card| card.name);
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
        let mut commit = Commit::new();
        let created_at = self.clock.now();
        let mut record = self.archive.feed(id)?.unwrap_or(FeedRecord {
            name: String::new(),
            statement: String::new(),
            created_at,
            declared,
        });
        (record.name, record.statement) = (name.to_owned(), statement(name, body));
        record.declared |= declared;
        commit.feed(id).put_record(&record);
        Ok(self.commit(commit).await?)
    }

    fn put_feed_record(
        &self,
        commit: &mut Commit,
        id: FeedId,
        name: &str,
        body: &FeedBody,
    ) -> Result<(), ArchiveError> {
        let Some(mut record) = self.archive.feed(id)? else { return Ok(()) };
        let written = statement(name, body);
        if record.name != name || record.statement != written {
            (record.name, record.statement) = (name.to_owned(), written);
            commit.feed(id).put_record(&record);
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
}

fn wrong(error: &QueryError, text: &str, origin: &str) -> FeedError {
    use pergola_query::ErrorKind::{FeedExists, StillRead};
    let conflict = matches!(error.kind, FeedExists(_) | StillRead { .. });
    FeedError::Query { rendered: error.render(text, origin), conflict }
}

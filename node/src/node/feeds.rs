//! Creates, changes, drops and explains feeds, by statements of the query language.

mod entries;
mod force;
mod leaks;
mod readers;
mod restoring;
mod trial;
mod trying;

use pergola_api::Place;
use pergola_api::feed::{Applied, AppliedList, Explained, Trial};
use pergola_feed::address::masked_in;
use pergola_query::syntax::{FeedBody, Script, SourceRef, Span, Spanned, Statement};
use pergola_query::{Change, Explanation, QueryError, nearest};
use pergola_store::archive::{
    ArchiveError, Commit, FeedId, FeedRecord, FeedTally, Removed, SourceKind,
};

use super::lists::peer_address;
use super::secrets::without_passwords;
use super::sources::EVERY_SOURCE;
use super::{NewSource, Node, SourceError};
use crate::select::statement;
use crate::writer::NotCommitted;
use pergola_port::access::Caller;
use trying::Tried;

/// Why something cannot be done to a feed.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// A statement has a mistake.
    #[error("{rendered}")]
    Query {
        /// The message, with the place in the text.
        rendered: String,
        /// Whether the name exists already, or another feed reads the feed.
        conflict: bool,
        /// Where the mistake is.
        place: Box<Place>,
    },
    /// Addresses in a query lead nowhere; the message shows where they are.
    #[error("{0}")]
    Unreadable(String),
    /// No feed has this name.
    #[error("there is no feed `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// No statement at all.
    #[error("there is no statement to run")]
    Nothing,
    /// Not exactly one statement.
    #[error("{0} statements can be explained here; give one CREATE, ALTER or EXPLAIN FEED")]
    NotOne(usize),
    /// The node has as many feeds as it may.
    #[error("there are {0} feeds already; feeds.most in the configuration allows no more")]
    TooMany(usize),
    /// No reader has this name.
    #[error("no reader is called `{0}`")]
    UnknownReader(String),
    /// The configuration declares the feed.
    #[error("the configuration declares the feed `{0}` and who may read it")]
    Declared(String),
    /// It is not removed, or something is in its place.
    #[error("{0}")]
    CannotRestore(String),
    /// A source of the feed is wrong.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The store refused the change.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// The store cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl Node {
    /// Runs statements. All are checked before the first one changes anything.
    pub async fn run_script(&self, text: &str, origin: &str) -> Result<Vec<Applied>, FeedError> {
        let _turn = self.turn.acquire().await;
        let changes = self.checked(text, origin)?;
        self.apply_all(changes, Tried::default()).await
    }

    /// Runs statements after trying the addresses that are new in them. If one leads nowhere, nothing is
    /// changed, unless that is forced. Also returns warnings.
    pub async fn try_script(
        &self,
        text: &str,
        origin: &str,
        force: bool,
    ) -> Result<AppliedList, FeedError> {
        let _turn = self.turn.acquire().await;
        let changes = self.checked(text, origin)?;
        let render = |error: &QueryError| error.render(text, origin);
        let mut tried = self.try_addresses(&changes, force, render).await?;
        let mut warnings = std::mem::take(&mut tried.warnings);
        let applied = self.apply_all(changes, tried).await?;
        warnings.extend(self.leaks_after(&applied));
        Ok(AppliedList { applied, warnings })
    }

    /// What statements would change, if they may.
    fn checked(&self, text: &str, origin: &str) -> Result<Vec<Change>, FeedError> {
        let changes = self.desk.check(text).map_err(|error| wrong(&error, text, origin))?;
        self.check_folders(&changes).map_err(|error| wrong(&error, text, origin))?;
        if changes.is_empty() {
            return Err(FeedError::Nothing);
        }
        let created =
            changes.iter().filter(|change| matches!(change, Change::Create { .. })).count();
        let there = self.desk.feeds().len();
        if created > 0 && there + created > self.config().feeds.most {
            return Err(FeedError::TooMany(there));
        }
        Ok(changes)
    }

    /// Applies changes. Sources that were added to try them count for the first feed that reads them.
    async fn apply_all(
        &self,
        changes: Vec<Change>,
        mut tried: Tried,
    ) -> Result<Vec<Applied>, FeedError> {
        let mut all = Vec::with_capacity(changes.len());
        for change in changes {
            let named: Vec<_> = match &change {
                Change::Create { body, .. } | Change::Replace { body, .. } => {
                    sources_of(body).collect()
                }
                _ => Vec::new(),
            };
            let named = named.iter().filter_map(|(url, _)| self.at(url));
            let own: Vec<_> = named.filter(|id| tried.new.remove(id)).collect();
            let mut applied = self.apply(change, false).await?;
            if let Applied::Created { sources, .. } = &mut applied {
                *sources += own.len();
            }
            if let Applied::Created { name, items, .. } | Applied::Changed { name, items } =
                &mut applied
            {
                *items += self.backfill_rest(name, *items, &own).await?;
            }
            all.push(applied);
        }
        Ok(all)
    }

    pub(super) async fn apply(&self, change: Change, declared: bool) -> Result<Applied, FeedError> {
        match change {
            Change::Create { name, body } => {
                let body = self.unmasked(&body)?;
                let created = self.create(name, &body, declared).await;
                self.reap_if_failed(created, &body).await
            }
            Change::Replace { name, body } => {
                let body = self.unmasked(&body)?;
                let replaced = self.replace(name, &body, declared).await;
                self.reap_if_failed(replaced, &body).await
            }
            Change::Rename { from, to } => self.rename(from, to).await,
            Change::Drop { name } => self.drop_unread(name).await,
            Change::Explain { name, body } => {
                let explanation = self.explain(&name, &body);
                let explanation = explanation.map_err(|error| wrong(&error, "", "query"))?;
                let attempt = self.attempt(&body).map_err(|error| wrong(&error, "", "query"))?;
                let trial = self.read(move || attempt.run()).await?;
                Ok(Applied::Explained(explained(&explanation, trial)))
            }
        }
    }

    async fn create(
        &self,
        name: String,
        body: &FeedBody,
        declared: bool,
    ) -> Result<Applied, FeedError> {
        let sources = self.add_sources_of(body).await?;
        let open = without_passwords(body);
        let body = open.as_ref().unwrap_or(body);
        let id = FeedId(self.record.lock().next_feed);
        let record = FeedRecord {
            name: name.clone(),
            statement: statement(&name, body),
            created_at: self.clock.now(),
            declared,
        };
        let mut commit = Commit::new();
        commit.feed(id).put_record(&record);
        let mut node = self.record.lock().clone();
        node.next_feed += 1;
        commit.node().put_record(&node);
        // A feed that is not for anybody is closed from the start.
        let readers = self.declared_readers(&name).filter(|_| declared);
        commit.feed(id).set_readers(readers.as_deref());
        self.commit(commit).await?;
        self.record.lock().next_feed = node.next_feed;
        self.access.set(id, readers.as_deref());
        self.put_in_force(id, &name, body, FeedTally::default());
        let items = self.backfill(id).await?;
        Ok(Applied::Created { name, items, sources })
    }

    async fn replace(
        &self,
        name: String,
        body: &FeedBody,
        declared: bool,
    ) -> Result<Applied, FeedError> {
        let Some(card) = self.desk.feed(&name) else { return Err(self.unknown(&name)) };
        let before = self.desk.sources_of(card.id);
        let tally = self.archive.feed_tally(card.id)?;
        self.add_sources_of(body).await?;
        let open = without_passwords(body);
        let body = open.as_ref().unwrap_or(body);
        self.store_feed(card.id, &name, body, declared).await?;
        self.put_in_force(card.id, &name, body, tally);
        let items = self.backfill(card.id).await?;
        self.weigh(before.iter().copied());
        self.reap_sources(&before).await?;
        Ok(Applied::Changed { name, items })
    }

    async fn rename(&self, from: String, to: String) -> Result<Applied, FeedError> {
        let Some(card) = self.desk.feed(&from) else { return Err(self.unknown(&from)) };
        let tally = self.archive.feed_tally(card.id)?;
        self.desk.rename(card.id, &from, &to);
        if let Err(error) = self.store_renamed().await {
            self.desk.rename(card.id, &to, &from);
            return Err(error);
        }
        self.shelve(card.id, &to, &card.body, tally);
        Ok(Applied::Renamed { from, name: to })
    }

    /// Stores a renamed feed, and the feeds that read it by its name.
    async fn store_renamed(&self) -> Result<(), FeedError> {
        let mut commit = Commit::new();
        for card in self.desk.feeds() {
            self.put_feed_record(&mut commit, card.id, &card.name, &card.body)?;
        }
        Ok(self.commit(commit).await?)
    }

    async fn drop_unread(&self, name: String) -> Result<Applied, FeedError> {
        let Some(card) = self.desk.feed(&name) else { return Err(self.unknown(&name)) };
        let sources = self.desk.sources_of(card.id);
        let Some(what) = self.archive.feed(card.id)? else { return Err(self.unknown(&name)) };
        let mut commit = Commit::new();
        commit.feed(card.id).remove(&Removed { at: self.clock.now(), what });
        self.commit(commit).await?;
        self.desk.remove(card.id, &name);
        self.shelf.remove(card.id);
        self.access.set(card.id, None);
        self.weigh(sources.iter().copied());
        self.reap_sources(&sources).await?;
        Ok(Applied::Dropped { name })
    }

    /// If a feed could not be stored, removes the sources that were added for it.
    async fn reap_if_failed(
        &self,
        applied: Result<Applied, FeedError>,
        body: &FeedBody,
    ) -> Result<Applied, FeedError> {
        if applied.is_err() {
            let named = sources_of(body).filter_map(|(url, _)| self.at(&url)).collect::<Vec<_>>();
            if let Err(error) = self.reap_unnamed(&named).await {
                tracing::error!(%error, "sources that nobody wants stay until the next start");
            }
        }
        applied
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

    /// Explains one statement that creates, changes or explains a feed; with `trial`, also tries it on what is stored.
    /// Nothing is changed. Blocks.
    pub fn explain_text(
        &self,
        text: &str,
        origin: &str,
        trial: bool,
    ) -> Result<Explained, FeedError> {
        let wrong = |error: QueryError| wrong(&error, text, origin);
        let (name, body) = self.explicable(text, origin)?;
        let explanation = self.explain(&name, &body).map_err(wrong)?;
        let found = match trial {
            true => self.attempt(&body).map_err(wrong)?.run()?,
            false => Trial::default(),
        };
        Ok(explained(&explanation, found))
    }

    /// The feed that one statement creates, changes or explains.
    pub fn explicable(&self, text: &str, origin: &str) -> Result<(String, FeedBody), FeedError> {
        let changes = self.desk.check(text).map_err(|error| wrong(&error, text, origin))?;
        self.check_folders(&changes).map_err(|error| wrong(&error, text, origin))?;
        let only = <[Change; 1]>::try_from(changes);
        let [change] = only.map_err(|changes| FeedError::NotOne(changes.len()))?;
        match change {
            Change::Create { name, body }
            | Change::Replace { name, body }
            | Change::Explain { name, body } => Ok((name, body)),
            Change::Rename { .. } | Change::Drop { .. } => Err(FeedError::NotOne(0)),
        }
    }

    /// What a feed reads, keeps and costs.
    pub fn explain(&self, name: &str, body: &FeedBody) -> Result<Explanation, QueryError> {
        self.desk.explain(name, body, self.clock.now(), |clause| self.resolve(clause))
    }

    /// No feed has this name; names the most similar.
    pub fn unknown(&self, name: &str) -> FeedError {
        self.unknown_to(&Caller::Operator, name)
    }

    /// The caller may read no feed of this name; names the most similar that it may read.
    fn unknown_to(&self, caller: &Caller, name: &str) -> FeedError {
        let names = self.feeds_for(caller).into_iter().map(|card| card.name);
        FeedError::Unknown { name: name.to_owned(), nearest: nearest(name, names) }
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
        for (url, kind) in sources_of(body) {
            let new = NewSource::feed(&url)?;
            sources.push(NewSource { kind, wanted: false, ..new });
        }
        Ok(self.add_sources_in_turn(sources).await?.new.len())
    }
}

/// The sources that a query names.
fn sources_of(body: &FeedBody) -> impl Iterator<Item = (String, SourceKind)> {
    body.sources.iter().filter_map(|clause| source_of(&clause.source.value))
}

/// The source that a clause of a query names.
fn source_of(clause: &SourceRef) -> Option<(String, SourceKind)> {
    match clause {
        SourceRef::Url(url) => Some((url.clone(), SourceKind::Feed)),
        SourceRef::Opml(list) if list == EVERY_SOURCE => None,
        SourceRef::Opml(list) => Some((list.clone(), SourceKind::List)),
        SourceRef::Peer { node, feed } => Some((peer_address(node, feed), SourceKind::Feed)),
        SourceRef::Feed(_) | SourceRef::Folder(_) => None,
    }
}

/// An explanation as the API tells it.
fn explained(explanation: &Explanation, trial: Trial) -> Explained {
    let cost = explanation.cost;
    Explained {
        name: explanation.feed.clone(),
        text: masked_in(&explanation.to_string()).into_owned(),
        sources: cost.sources,
        phrases: cost.phrases,
        regexes: cost.regexes,
        every_item: cost.every_item,
        trial,
    }
}

fn wrong(error: &QueryError, text: &str, origin: &str) -> FeedError {
    use pergola_query::ErrorKind::{FeedExists, StillRead};
    let conflict = matches!(error.kind, FeedExists(_) | StillRead { .. });
    let rendered = masked_in(&error.render(text, origin)).into_owned();
    FeedError::Query { rendered, conflict, place: Box::new(place(error, text)) }
}

/// Where a mistake is, and what would be right.
fn place(error: &QueryError, text: &str) -> Place {
    use pergola_query::ErrorKind::{Unexpected, UnexpectedEnd};
    let characters = |to: usize| text[..text.floor_char_boundary(to)].chars().count();
    let (line, column) = error.position(text);
    let span = error.span.range();
    Place {
        line,
        column,
        start: characters(span.start),
        end: characters(span.end),
        message: masked_in(&error.to_string()).into_owned(),
        expected: match &error.kind {
            Unexpected { expected, .. } | UnexpectedEnd { expected } => {
                expected.iter().map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        },
        help: error.help.as_deref().map(|help| masked_in(help).into_owned()),
    }
}

//! Puts feeds in force: items are selected for them, they are published, and other feeds read them.

use std::collections::{BTreeMap, HashSet};

use pergola_accounts::UserId;
use pergola_query::syntax::{FeedBody, SourceRef};
use pergola_store::archive::{Commit, FeedId, FeedRecord, FeedTally};

use crate::node::secrets::without_passwords;
use crate::node::{Node, StartError};
use crate::publish::Listing;
use crate::select::statement;

impl Node {
    /// Selects items for a stored feed and publishes it from now on.
    pub(super) fn put_in_force(&self, id: FeedId, name: &str, body: &FeedBody, tally: FeedTally) {
        self.bind(id, name, body);
        self.rebind_readers(name);
        self.shelve(id, name, body, tally);
        self.weigh(self.desk.sources_of(id));
    }

    pub(super) fn bind(&self, id: FeedId, name: &str, body: &FeedBody) {
        let bound = self.desk.put(id, name, body, self.clock.now(), |clause| self.resolve(clause));
        if let Err(error) = bound {
            // It was checked before, so only a limit of the matcher can refuse it.
            tracing::error!(feed = name, %error, "a feed could not be put in force");
        }
    }

    pub(in crate::node) fn shelve(
        &self,
        id: FeedId,
        name: &str,
        body: &FeedBody,
        tally: FeedTally,
    ) {
        let window =
            body.options.window.map_or(self.config().feeds.window, |window| window as usize);
        self.shelf.put(Listing {
            id,
            name: name.to_owned(),
            statement: self.public_statement(name, body),
            window,
            order: body.options.order,
            tally,
        });
    }

    /// Feeds that read a feed, directly or not, read what it reads now.
    pub(super) fn rebind_readers(&self, name: &str) {
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
    pub(in crate::node) fn rebind_readers_of(&self, urls: &HashSet<&str>) {
        for card in self.desk.feeds() {
            if card.reads_lists() || card.names_any(urls) {
                self.bind(card.id, &card.name, &card.body);
                self.rebind_readers(&card.name);
                self.weigh(self.desk.sources_of(card.id));
            }
        }
    }

    /// Puts every stored feed in force, those that others read first.
    pub(in crate::node) async fn load_feeds(&self) -> Result<(), StartError> {
        let (mut left, mut commit) = (BTreeMap::new(), Commit::new());
        for (id, mut record) in self.archive.feeds()? {
            if let Some(source) = record.source() {
                self.access.set(id, self.archive.readers(id)?.as_deref());
                self.desk.set_followed(source, Some(id));
                continue;
            }
            let mut body = body_of(&record)?;
            // An earlier version stored passwords with their addresses.
            if let Some(open) = without_passwords(&body) {
                record.statement = statement(&record.name, &open);
                commit.feed(id).put_record(&record);
                body = open;
            }
            left.insert(record.name.clone(), (id, body));
        }
        if !commit.is_empty() {
            self.commit(commit).await?;
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
                    self.access.set(id, self.archive.readers(id)?.as_deref());
                    self.bind(id, &name, &body);
                    self.shelve(id, &name, &body, self.archive.feed_tally(id)?);
                }
            }
        }
        let operator = matches!(self.archive.user(UserId::OPERATOR), Ok(Some(_)));
        self.people.set_operator(operator);
        self.weigh(self.crawler.ids());
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

//! Adding sources. `removing` removes them, `next` refreshes them by hand, `lists` has those that bring their own.
//!
//! A source is crawled as long as somebody wants it: a person or the configuration asked for it, a list
//! names it, or a feed reads it. When nobody does any more it goes, but the items that feeds hold stay, and for a
//! week it can be restored.

use std::collections::HashSet;

use pergola_feed::address::{Shown, is_masked};
use pergola_manners::Cooperation;
use pergola_manners::source::{Credentials, Proof};
use pergola_store::archive::{ArchiveError, Commit, SourceId, SourceKind, SourceRecord};
use url::Url;

use super::{Node, split_url};
use crate::writer::NotCommitted;

/// The name by which a query means every source of the node: `OPML "all"`.
pub const EVERY_SOURCE: &str = "all";

/// What goes wrong with sources.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// An address that is none.
    #[error("`{url}` is not the address of a source: {reason}")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no such source.
    #[error("there is no source {}", Shown(.0))]
    Unknown(String),
    /// A feed would be left without it.
    #[error("source {} is read by {}: drop or alter them first", Shown(.url), .feeds.join(", "))]
    StillRead {
        /// The source.
        url: String,
        /// The feeds.
        feeds: Vec<String>,
    },
    /// It is not to be asked yet.
    #[error("{} is not to be asked {}: {why}", Shown(.url), crate::node::sources::before(*.until))]
    TooEarly {
        /// The source.
        url: String,
        /// When it may be asked; infinite if never.
        until: f64,
        /// Who says so.
        why: String,
        /// The key of the configuration that changes it.
        key: Option<String>,
        /// Nobody may insist: the site itself has asked for quiet.
        firm: bool,
    },
    /// It is not removed, or something is in its place.
    #[error("{0}")]
    CannotRestore(String),
    /// The refresh did not end.
    #[error("the refresh {} was not finished: the node is stopping or its store fails", Shown(.0))]
    Unfinished(String),
    /// A refresh of it does not end.
    #[error("source {0} is being refreshed and cannot be changed now; try again")]
    Busy(String),
    /// The store refused it.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// What is kept cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The scheduler refused it.
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
}

/// How long to wait, as people read it.
fn before(until: f64) -> String {
    match until.is_finite() {
        true => format!("before {}", pergola_feed::Timestamp::from_unix(until as i64).to_rfc3339()),
        false => "any more".to_owned(),
    }
}

/// A source to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSource {
    /// Where it is.
    pub url: Url,
    /// What to call it.
    pub title: Option<String>,
    /// How to read it.
    pub kind: SourceKind,
    /// What one of its items is worth; 1 unless something is said.
    pub importance: Option<f32>,
    /// Asked for by itself.
    pub wanted: bool,
    /// Asked for by the configuration.
    pub declared: bool,
    /// The list that names it.
    pub list: Option<SourceId>,
    /// What is asked of it if another node publishes it; the usual if nothing is said.
    pub cooperate: Option<Cooperation>,
    /// The folders that it is put in, if it is in none.
    pub folders: Vec<String>,
    /// What it shows first is old.
    pub only_new: bool,
    /// It comes from a file of subscriptions: one that is there keeps its name.
    pub imported: bool,
    /// Its address is published nowhere.
    pub private: bool,
    /// What it is shown to let us in.
    pub credentials: Option<Credentials>,
}

impl NewSource {
    /// A feed that somebody asks for. A user and a password in its address become its credentials.
    pub fn feed(url: &str) -> Result<Self, SourceError> {
        let (url, credentials) = split_url(url)?;
        if is_masked(url.as_str()) {
            let reason = "a secret in it is masked; give the whole address".to_owned();
            return Err(SourceError::BadUrl { url: url.into(), reason });
        }
        Ok(Self {
            url,
            title: None,
            kind: SourceKind::Feed,
            importance: None,
            wanted: true,
            declared: false,
            list: None,
            cooperate: None,
            folders: Vec::new(),
            only_new: false,
            imported: false,
            private: false,
            credentials,
        })
    }

    /// The same source, and what is given for it besides its address.
    pub fn shown(mut self, proof: Option<Proof>) -> Self {
        let given = proof.map(|proof| Credentials::new(&self.url, proof));
        self.credentials = given.or(self.credentials);
        self
    }

    /// The record of a source with this address that is new, or of one that was removed before.
    fn record(&self, before: SourceRecord) -> SourceRecord {
        SourceRecord {
            title: self.title.clone().or(before.title),
            kind: match self.kind {
                SourceKind::Feed => before.kind,
                SourceKind::Page(_) | SourceKind::List => self.kind.clone(),
            },
            importance: self.importance.unwrap_or(before.importance),
            wanted: self.wanted,
            declared: self.declared,
            lists: self.list.into_iter().collect(),
            folders: if self.folders.is_empty() { before.folders } else { self.folders.clone() },
            only_new: self.only_new,
            private: self.private || before.private,
            credentials: self.credentials.clone().or(before.credentials),
            ..before
        }
    }

    /// What is asked of its peer, if that is said: whatever the configuration does not say is the usual.
    fn wish(&self) -> Option<Option<Cooperation>> {
        (self.declared || self.cooperate.is_some()).then_some(self.cooperate)
    }
}

/// What became of sources that were to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Added {
    /// New ones.
    pub new: Vec<SourceId>,
    /// Ones that were there.
    pub known: Vec<SourceId>,
}

impl Node {
    /// Adds sources; those that are there are only marked as wanted. Many are added in several commits:
    /// if one fails, those before it stay, and adding all of them again does no harm.
    pub async fn add_sources(&self, sources: Vec<NewSource>) -> Result<Added, SourceError> {
        let _turn = self.turn.acquire().await;
        self.add_sources_in_turn(sources).await
    }

    pub(super) async fn add_sources_in_turn(
        &self,
        sources: Vec<NewSource>,
    ) -> Result<Added, SourceError> {
        let mut commit = Commit::new();
        let mut added = Added::default();
        let (mut records, mut again) = (Vec::new(), Vec::new());
        let (mut wishes, mut regrouped) = (Vec::new(), Vec::new());
        let mut fresh = std::collections::HashMap::new();
        let mut removed = self.removed_by_address()?;
        let mut origins = HashSet::new();
        let mut next = self.record.lock().next_source;
        let before = self.crawler.count();
        let private = self.private.lock().len();
        for source in sources {
            let url = source.url.as_str();
            let there = self.crawler.by_address(url);
            if let Some(id) = there.or_else(|| fresh.get(url).copied()) {
                wishes.extend(source.wish().map(|wish| (id, wish)));
                if there.is_some() && self.want_more(id, &source, &mut commit)? {
                    regrouped.push(id);
                }
                added.known.push(id);
                continue;
            }
            let id = match removed.remove(url) {
                Some((id, before)) => {
                    fresh.extend(before.addresses().map(|url| (url.to_owned(), id)));
                    again.push((id, source.record(before)));
                    id
                }
                None => {
                    let (id, now) = (SourceId(next), self.clock.now());
                    next += 1;
                    let origin = self.free_origin(url, &mut origins);
                    let record = SourceRecord { origin, ..SourceRecord::new(url, now) };
                    records.push((id, source.record(record), source.url.clone()));
                    id
                }
            };
            fresh.insert(url.to_owned(), id);
            wishes.extend(source.wish().map(|wish| (id, wish)));
            added.new.push(id);
        }
        if !commit.is_empty() {
            self.commit(commit).await?;
            self.renew_readers_of(&added.known);
        }
        if self.private.lock().len() != private {
            self.publish_anew()?;
        }
        self.bring_back(&again).await?;
        self.store_sources(&records, before + records.len()).await?;
        self.store_wishes(&wishes).await?;
        self.choose_strategy(before);
        if !added.new.is_empty() {
            let new = records.iter().map(|(_, record, _)| record);
            let new = new.chain(again.iter().map(|(_, record)| record));
            self.rebind_readers_of(&new.flat_map(SourceRecord::addresses).collect());
            self.weigh(added.new.iter().copied());
            // One that was removed has nothing that its feeds do not know.
            self.catch_up(&records.iter().map(|(id, ..)| *id).collect::<Vec<_>>()).await?;
        }
        self.follow_folders(&regrouped).await?;
        self.follow_for_operator(&added.new).await?;
        Ok(added)
    }

    /// What is asked of peers that publish sources; nothing stands for the usual.
    async fn store_wishes(
        &self,
        wishes: &[(SourceId, Option<Cooperation>)],
    ) -> Result<(), SourceError> {
        let peers = &self.crawler.tools.peers;
        let new: Vec<_> = wishes.iter().filter(|(id, wish)| peers.wish(*id) != *wish).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new();
        new.iter().for_each(|(id, wish)| commit.source(*id).set_wish(wish.as_ref()));
        self.commit(commit).await?;
        new.into_iter().for_each(|(id, wish)| peers.set_wish(*id, *wish));
        Ok(())
    }

    /// A source that is there is asked for once more. Whether it has entered folders.
    fn want_more(
        &self,
        id: SourceId,
        source: &NewSource,
        commit: &mut Commit,
    ) -> Result<bool, SourceError> {
        let Some(mut record) = self.archive.source(id)? else { return Ok(false) };
        let before = record.clone();
        // What the operator has named keeps its rights when a list names it, too; what a list has named, or a redirect
        // has led there, gets them.
        let (named, listed) = (record.is_named(), source.list.is_some());
        let here = record.url == source.url.as_str();
        let moved = record.named_address() != record.url;
        if (listed && named && record.lists.is_empty()) || (!listed && here && (!named || moved)) {
            record.name_here();
        }
        record.wanted |= source.wanted;
        record.declared |= source.declared;
        record.private |= source.private;
        // Who only mentions a source in passing does not replace what its user gave it.
        let may_replace = source.wanted || record.credentials.is_none() && source.list.is_none();
        if may_replace && source.credentials.is_some() {
            record.credentials.clone_from(&source.credentials);
        }
        if source.wanted && !source.imported {
            record.title = source.title.clone().or(record.title);
            record.importance = source.importance.unwrap_or(record.importance);
            if source.kind != SourceKind::Feed {
                record.kind = source.kind.clone();
            }
        }
        if let Some(list) = source.list.filter(|list| !record.lists.contains(list)) {
            record.lists.push(list);
            self.members.lock().entry(list).or_default().push(id);
        }
        if record.folders.is_empty() {
            record.folders.clone_from(&source.folders);
            self.folders.lock().put(id, &record.folders);
        }
        if record != before {
            commit.source(id).put_record(&record);
            self.note_privacy(id, record.private);
            self.crawler.set_importance(id, record.importance);
        }
        Ok(record.folders != before.folders)
    }
}

//! What can be done to sources: add, remove, refresh now; and the lists that bring their own.
//!
//! A source is crawled as long as somebody wants it: a person or the configuration asked for it, a list
//! names it, or a feed reads it. When nobody does any more it goes, but the items that feeds hold stay.

use std::collections::HashSet;

use pergola_manners::Cooperation;
use pergola_manners::heard::Member;
use pergola_query::syntax::SourceRef;
use pergola_store::archive::{ArchiveError, Commit, SourceId, SourceKind, SourceRecord};
use url::Url;

use super::{Node, normal_url};
use crate::crawl::driver::Report;
use crate::writer::NotCommitted;

/// The name by which a query means every source of the node: `OPML "all"`.
pub const EVERY_SOURCE: &str = "all";
/// A source that fails may be tried by hand after this many seconds.
const IMPATIENCE: f64 = 60.0;

/// What goes wrong with sources.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// An address that is none.
    #[error("`{url}` is no address of a source: {reason}")]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no such source.
    #[error("there is no source {0}")]
    Unknown(String),
    /// A feed would be left without it.
    #[error("source {url} is read by {}: drop or alter them first", .feeds.join(", "))]
    StillRead {
        /// The source.
        url: String,
        /// The feeds.
        feeds: Vec<String>,
    },
    /// It was asked for quiet.
    #[error("{url} is not to be asked before {}: {why}", crate::node::sources::instant(*.until))]
    TooEarly {
        /// The source.
        url: String,
        /// When it may be asked.
        until: f64,
        /// Who says so.
        why: String,
    },
    /// The refresh did not end.
    #[error("the refresh {0} was not finished: the node is stopping or its store fails")]
    Unfinished(String),
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

/// An instant as people read it.
pub(super) fn instant(at: f64) -> String {
    if at.is_finite() {
        pergola_feed::Timestamp::from_unix(at as i64).to_rfc3339()
    } else {
        "ever".into()
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
    /// What one of its items is worth.
    pub importance: f32,
    /// Asked for by itself.
    pub wanted: bool,
    /// Asked for by the configuration.
    pub declared: bool,
    /// The list that names it.
    pub list: Option<SourceId>,
    /// What is asked of it if another node publishes it; the usual if nothing is said.
    pub cooperate: Option<Cooperation>,
}

impl NewSource {
    /// A feed that somebody asks for.
    pub fn feed(url: &str) -> Result<Self, SourceError> {
        Ok(Self {
            url: normal_url(url)?,
            title: None,
            kind: SourceKind::Feed,
            importance: 1.0,
            wanted: true,
            declared: false,
            list: None,
            cooperate: None,
        })
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
        let mut records = Vec::new();
        let mut wishes = Vec::new();
        let mut fresh = std::collections::HashMap::new();
        let mut origins = HashSet::new();
        let mut next = self.record.lock().next_source;
        let before = self.crawler.count();
        for source in sources {
            let url = source.url.as_str();
            let there = self.crawler.by_address(url);
            if let Some(id) = there.or_else(|| fresh.get(url).copied()) {
                wishes.extend(source.wish().map(|wish| (id, wish)));
                if there.is_some() {
                    self.want_more(id, &source, &mut commit)?;
                }
                added.known.push(id);
                continue;
            }
            let id = SourceId(next);
            next += 1;
            fresh.insert(url.to_owned(), id);
            wishes.extend(source.wish().map(|wish| (id, wish)));
            let record = SourceRecord {
                title: source.title,
                kind: source.kind,
                importance: source.importance,
                wanted: source.wanted,
                declared: source.declared,
                lists: source.list.into_iter().collect(),
                origin: self.free_origin(url, &mut origins),
                ..SourceRecord::new(url, self.clock.now())
            };
            added.new.push(id);
            records.push((id, record, source.url));
        }
        if !commit.is_empty() {
            self.commit(commit).await?;
        }
        self.store_sources(&records, before + records.len()).await?;
        self.store_wishes(&wishes).await?;
        self.choose_strategy(before);
        if !records.is_empty() {
            let urls: HashSet<&str> =
                records.iter().map(|(_, record, _)| record.url.as_str()).collect();
            self.rebind_readers_of(&urls);
            self.weigh(added.new.iter().copied());
            self.catch_up(&added.new).await?;
        }
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

    /// A source that is there is asked for once more.
    fn want_more(
        &self,
        id: SourceId,
        source: &NewSource,
        commit: &mut Commit,
    ) -> Result<(), SourceError> {
        let Some(mut record) = self.archive.source(id)? else { return Ok(()) };
        let before = record.clone();
        record.wanted |= source.wanted;
        record.declared |= source.declared;
        if source.wanted {
            record.title = source.title.clone().or(record.title);
            record.importance = source.importance;
            if source.kind != SourceKind::Feed {
                record.kind = source.kind.clone();
            }
        }
        if let Some(list) = source.list.filter(|list| !record.lists.contains(list)) {
            record.lists.push(list);
            self.members.lock().entry(list).or_default().push(id);
        }
        if record != before {
            commit.source(id).put_record(&record);
            self.crawler.set_importance(id, record.importance);
        }
        Ok(())
    }

    /// Removes a source that no feed reads.
    pub async fn remove_source(&self, id: SourceId) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        let record =
            self.archive.source(id)?.ok_or_else(|| SourceError::Unknown(id.0.to_string()))?;
        let feeds: Vec<String> = self
            .desk
            .feeds()
            .into_iter()
            .filter(|card| card.names(&record.url))
            .map(|card| card.name)
            .collect();
        if !feeds.is_empty() {
            return Err(SourceError::StillRead { url: record.url, feeds });
        }
        self.forget_sources(&[id]).await
    }

    /// Removes sources that nobody wants: not asked for, on no list, read by no feed.
    pub(super) async fn reap_sources(&self, candidates: &[SourceId]) -> Result<(), SourceError> {
        let mut unwanted = Vec::new();
        for &id in candidates {
            let Some(record) = self.archive.source(id)? else { continue };
            if !record.wanted && record.lists.is_empty() && self.desk.readers_of(id) == 0 {
                unwanted.push(id);
            }
        }
        self.forget_sources(&unwanted).await
    }

    /// Removes the sources that a crash left behind: added for a feed that was then never stored.
    pub(super) async fn reap_left_behind(&self) -> Result<(), SourceError> {
        let mut left = Vec::new();
        self.archive.each_source(|id, record| {
            if !record.wanted && record.lists.is_empty() && self.desk.readers_of(id) == 0 {
                left.push(id);
            }
        })?;
        self.reap_unnamed(&left).await
    }

    /// Removes sources that nobody wants and no feed names. A feed names lists, of which it reads the
    /// members; and a feed that could not be bound names its sources without reading them.
    pub(super) async fn reap_unnamed(&self, candidates: &[SourceId]) -> Result<(), SourceError> {
        let feeds = self.desk.feeds();
        let mut unnamed = Vec::new();
        for &id in candidates {
            let Some(record) = self.archive.source(id)? else { continue };
            let mut urls = std::iter::once(&record.url).chain(&record.formerly);
            if !urls.any(|url| feeds.iter().any(|card| card.names(url))) {
                unnamed.push(id);
            }
        }
        self.reap_sources(&unnamed).await
    }

    async fn forget_sources(&self, ids: &[SourceId]) -> Result<(), SourceError> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new();
        let mut orphans = Vec::new();
        for &id in ids {
            commit.source(id).delete();
            for member in self.members.lock().remove(&id).unwrap_or_default() {
                if let Some(mut record) = self.archive.source(member)? {
                    record.lists.retain(|list| *list != id);
                    commit.source(member).put_record(&record);
                    orphans.push(member);
                }
            }
        }
        self.commit(commit).await?;
        if let Some(subscriber) = &self.subscriber {
            subscriber.forget(ids);
        }
        for &id in ids {
            self.crawler.drop_source(id);
            self.desk.forget_source(id);
            self.members.lock().values_mut().for_each(|members| members.retain(|m| *m != id));
        }
        self.rebind_readers_of(&HashSet::new());
        Box::pin(self.reap_sources(&orphans)).await
    }

    /// Refreshes of a source now, if the source allows it. A refresh by hand is conditional like any other.
    pub async fn refresh_now(&self, id: SourceId, running: bool) -> Result<Report, SourceError> {
        let record =
            self.archive.source(id)?.ok_or_else(|| SourceError::Unknown(id.0.to_string()))?;
        let now = self.clock.now();
        if let Some(state) = self.archive.state(id)? {
            let tried = state.recent.back().map_or(f64::NEG_INFINITY, |refresh| refresh.at);
            let may_retry = state.courtesy.failures.is_some()
                && state.courtesy.pause.is_none()
                && now - tried > IMPATIENCE;
            if state.next_at > now && !may_retry {
                let why = match (&state.courtesy.ended, &state.courtesy.pause) {
                    (Some(ended), _) => format!("it has ended (it answered {})", ended.status),
                    (_, Some(pause)) => match pause.status {
                        Some(status) => format!("it answered {status} and wants quiet"),
                        None => "it wants quiet".to_owned(),
                    },
                    _ => "it was asked a short while ago".to_owned(),
                };
                return Err(SourceError::TooEarly { url: record.url, until: state.next_at, why });
            }
        }
        let report = match running {
            true => self.crawler.request(id).await.ok(),
            false => self.crawler.refresh_once(id).await,
        };
        report.ok_or(SourceError::Unfinished(record.url))
    }

    /// What stands on a list is subscribed to, and what has left it is not.
    pub(super) async fn take_over_list(
        &self,
        list: SourceId,
        found: Vec<Member>,
    ) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        let mut sources = Vec::new();
        let mut named = HashSet::new();
        for Member { url, title } in found {
            // An address that cannot be crawled is the list's mistake, not ours.
            let Ok(url) = normal_url(&url) else { continue };
            if named.insert(url.to_string()) {
                let new = NewSource::feed(url.as_str())?;
                sources.push(NewSource { title, wanted: false, list: Some(list), ..new });
            }
        }
        self.add_sources_in_turn(sources).await?;
        let members = self.members.lock().get(&list).cloned().unwrap_or_default();
        let mut commit = Commit::new();
        let mut gone = Vec::new();
        for member in members {
            let Some(mut record) = self.archive.source(member)? else { continue };
            let stays = named.contains(&record.url)
                || record.formerly.iter().any(|old| named.contains(old));
            if !stays {
                record.lists.retain(|other| *other != list);
                commit.source(member).put_record(&record);
                gone.push(member);
            }
        }
        if !gone.is_empty() {
            self.commit(commit).await?;
            if let Some(members) = self.members.lock().get_mut(&list) {
                members.retain(|member| !gone.contains(member));
            }
        }
        self.rebind_readers_of(&HashSet::new());
        self.reap_sources(&gone).await
    }

    /// The source with this URL.
    pub(super) fn at(&self, url: &str) -> Option<SourceId> {
        let url = normal_url(url).ok()?;
        self.crawler.by_address(url.as_str())
    }

    /// The sources that a clause of a query stands for.
    pub(super) fn resolve(&self, clause: &SourceRef) -> Vec<SourceId> {
        match clause {
            SourceRef::Url(url) => self.at(url).into_iter().collect(),
            SourceRef::Opml(list) if list == EVERY_SOURCE => self.crawler.ids(),
            SourceRef::Opml(list) => self
                .at(list)
                .and_then(|list| self.members.lock().get(&list).cloned())
                .unwrap_or_default(),
            SourceRef::Peer { node, feed } => {
                self.at(&peer_address(node, feed)).into_iter().collect()
            }
            SourceRef::Feed(_) => Vec::new(),
        }
    }
}

/// Where a peer publishes a feed, as long as nothing better is agreed on.
pub(super) fn peer_address(node: &str, feed: &str) -> String {
    format!("{}/feeds/{feed}.atom", node.trim_end_matches('/'))
}

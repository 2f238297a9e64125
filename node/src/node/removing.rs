//! Removes sources, and restores them.
//!
//! Whatever is removed can be restored for a week: how it is, what it has shown and its items stay until then.
//! A source that is added again meanwhile is restored, too, so that nothing it shows is new again. Only a source
//! that could not be read when it was added leaves nothing.

use std::collections::{HashMap, HashSet};

use pergola_feed::address::Shown;
use pergola_manners::courtesy::Courtesy;
use pergola_refresh::DAY;
use pergola_store::archive::{
    ArchiveError, Commit, FeedId, FeedRecord, NodeRecord, Removed, SourceId, SourceKind,
    SourceRecord, SourceState,
};
use url::Url;

use super::sources::SourceError;
use super::{Node, normal_url};

/// Seconds for which something that was removed can be restored.
pub const RESTORABLE: f64 = 7.0 * DAY;

/// Whether a source that goes can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removal {
    Restorable,
    Final,
}

impl Node {
    /// Removes a source that no feed reads. It can be restored for a week.
    pub async fn remove_source(&self, id: SourceId) -> Result<(), SourceError> {
        self.remove_unread(id, Removal::Restorable).await
    }

    /// Removes a source that was only just added, as if it had never been.
    pub async fn take_back_source(&self, id: SourceId) -> Result<(), SourceError> {
        self.remove_unread(id, self.removal_of_new(id)?).await
    }

    /// Removes sources that were only just added, for whoever has the turn.
    pub(super) async fn take_back(&self, ids: &[SourceId]) -> Result<(), SourceError> {
        for &id in ids {
            self.forget_sources(&[id], self.removal_of_new(id)?).await?;
        }
        Ok(())
    }

    /// A source whose items are known was removed before, and adding it again has brought it back; or it was read
    /// already.
    fn removal_of_new(&self, id: SourceId) -> Result<Removal, SourceError> {
        Ok(match self.archive.known(id)? {
            Some(_) => Removal::Restorable,
            None => Removal::Final,
        })
    }

    async fn remove_unread(&self, id: SourceId, removal: Removal) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        let record =
            self.archive.source(id)?.ok_or_else(|| SourceError::Unknown(id.0.to_string()))?;
        let feeds: Vec<String> = self
            .desk
            .feeds()
            .into_iter()
            .filter(|card| card.names_any(&record.addresses().collect()))
            .map(|card| card.name)
            .collect();
        if !feeds.is_empty() {
            return Err(SourceError::StillRead { url: record.url, feeds });
        }
        self.forget_sources(&[id], removal).await
    }

    /// Removes sources that nobody wants: not asked for, on no list, read by no feed.
    pub(super) async fn reap_sources(&self, candidates: &[SourceId]) -> Result<(), SourceError> {
        let mut unwanted = Vec::new();
        for &id in candidates {
            let Some(record) = self.archive.source(id)? else { continue };
            if !record.wanted && record.lists.is_empty() && !self.desk.needs(id) {
                unwanted.push(id);
            }
        }
        self.forget_sources(&unwanted, Removal::Restorable).await
    }

    /// Removes the sources that a crash left behind: added for a feed that was then never stored.
    pub(super) async fn reap_left_behind(&self) -> Result<(), SourceError> {
        let mut left = Vec::new();
        self.archive.each_source(|id, record| {
            if !record.wanted && record.lists.is_empty() && !self.desk.needs(id) {
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
            let urls = record.addresses().collect();
            if !feeds.iter().any(|card| card.names_any(&urls)) {
                unnamed.push(id);
            }
        }
        self.reap_sources(&unnamed).await
    }

    async fn forget_sources(&self, ids: &[SourceId], removal: Removal) -> Result<(), SourceError> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new();
        let mut orphans = Vec::new();
        for &id in ids {
            match self.archive.source(id)? {
                Some(what) if removal == Removal::Restorable => {
                    commit.source(id).remove(&Removed { at: self.clock.now(), what });
                }
                _ => commit.source(id).delete(),
            }
            for member in self.members.lock().remove(&id).unwrap_or_default() {
                if let Some(mut record) = self.archive.source(member)? {
                    record.lists.retain(|list| *list != id);
                    commit.source(member).put_record(&record);
                    orphans.push(member);
                }
            }
        }
        let number = self.number_to_reuse(ids, removal);
        if let Some(next_source) = number {
            let node = self.record.lock().clone();
            commit.node().put_record(&NodeRecord { next_source, ..node });
        }
        self.commit(commit).await?;
        if let Some(next_source) = number {
            self.record.lock().next_source = next_source;
        }
        if let Some(subscriber) = &self.subscriber {
            subscriber.forget(ids);
        }
        for &id in ids {
            self.crawler.drop_source(id);
            self.desk.forget_source(id);
            self.note_privacy(id, false);
            self.members.lock().values_mut().for_each(|members| members.retain(|m| *m != id));
            self.folders.lock().forget(id);
        }
        self.rebind_readers_of(&HashSet::new());
        Box::pin(self.reap_sources(&orphans)).await
    }

    /// The number that the next source gets, if it is that of a source that goes as if it had never been.
    fn number_to_reuse(&self, ids: &[SourceId], removal: Removal) -> Option<u32> {
        let [id] = ids else { return None };
        let is_newest = self.record.lock().next_source == id.0 + 1;
        (removal == Removal::Final && is_newest && !self.crawler.is_out(*id)).then_some(id.0)
    }

    /// Crawls a source again that was removed.
    pub async fn restore_source(&self, id: SourceId) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        if self.archive.source(id)?.is_some() {
            let what = format!("source {} was not removed", id.0);
            return Err(SourceError::CannotRestore(what));
        }
        let removed = self.archive.removed_source(id)?;
        let Removed { what: mut record, .. } =
            removed.ok_or_else(|| SourceError::Unknown(id.0.to_string()))?;
        if let Some(other) = self.crawler.by_address(&record.url) {
            let what = format!("{} is source {} now", Shown(&record.url), other.0);
            return Err(SourceError::CannotRestore(what));
        }
        // Somebody wants it, whoever did before.
        (record.wanted, record.declared) = (true, false);
        let mut lists = Vec::new();
        for list in record.lists {
            lists.extend(self.archive.source(list)?.map(|_| list));
        }
        record.lists = lists;
        self.bring_back(&[(id, record.clone())]).await?;
        self.rebind_readers_of(&record.addresses().collect());
        self.weigh([id]);
        Ok(())
    }

    /// The sources that can be restored. Blocks.
    pub fn removed_sources(&self) -> Result<Vec<(SourceId, Removed<SourceRecord>)>, ArchiveError> {
        self.archive.removed_sources()
    }

    /// The feeds that can be restored. Blocks.
    pub fn removed_feeds(&self) -> Result<Vec<(FeedId, Removed<FeedRecord>)>, ArchiveError> {
        self.archive.removed_feeds()
    }

    /// The removed source with this number or address.
    pub fn find_removed(&self, named: &str) -> Result<SourceId, SourceError> {
        let unknown = || SourceError::Unknown(named.to_owned());
        match (named.parse(), normal_url(named)) {
            (Ok(number), _) => Ok(SourceId(number)),
            (_, Ok(url)) => {
                let found = self.removed_by_address()?.remove(url.as_str());
                found.map(|(id, _)| id).ok_or_else(unknown)
            }
            _ => Err(unknown()),
        }
    }

    /// The sources that can be restored, by every address that they have or had.
    pub(super) fn removed_by_address(
        &self,
    ) -> Result<HashMap<String, (SourceId, SourceRecord)>, ArchiveError> {
        let mut all = HashMap::new();
        for (id, Removed { what, .. }) in self.archive.removed_sources()? {
            let urls = what.addresses().map(str::to_owned).collect::<Vec<_>>();
            all.extend(urls.into_iter().map(|url| (url, (id, what.clone()))));
        }
        Ok(all)
    }

    /// Stores and crawls sources again that were removed.
    pub(super) async fn bring_back(
        &self,
        sources: &[(SourceId, SourceRecord)],
    ) -> Result<(), SourceError> {
        if sources.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new();
        let mut states = Vec::new();
        for (id, record) in sources {
            let state = self.state_again(*id, &record.kind)?;
            commit.source(*id).restore(record);
            commit.source(*id).put_state(&state);
            commit.source(*id).put_model(&state.schedule);
            states.push(state);
        }
        self.commit(commit).await?;
        let wishes: HashMap<_, _> = self.archive.wishes()?.into_iter().collect();
        for ((id, record), state) in sources.iter().zip(states) {
            let Ok(url) = Url::parse(&record.url) else { continue };
            self.crawler.tools.peers.set_wish(*id, wishes.get(id).copied());
            self.place(*id, record, &url, state)?;
        }
        Ok(())
    }

    /// The state of a source that was removed. A list is read as if for the first time, because its sources are
    /// gone as well.
    fn state_again(&self, id: SourceId, kind: &SourceKind) -> Result<SourceState, SourceError> {
        let page = matches!(kind, SourceKind::Page(_));
        let blank = || self.blank_state(page, self.crawler.count());
        let state = self.archive.state(id)?.map_or_else(blank, Ok)?;
        Ok(match kind {
            SourceKind::List => {
                SourceState { document: 0, courtesy: Courtesy::default(), next_at: 0.0, ..state }
            }
            SourceKind::Feed | SourceKind::Page(_) => SourceState { unchanged_at: None, ..state },
        })
    }

    /// Deletes for good what was removed more than a week ago.
    pub(super) async fn forget_removed_sources(&self, now: f64) -> Result<(), SourceError> {
        let mut commit = Commit::new();
        for (id, removed) in self.archive.removed_sources()? {
            if removed.at <= now - RESTORABLE {
                commit.source(id).delete();
                commit.source(id).delete_known();
            }
        }
        if commit.is_empty() { Ok(()) } else { Ok(self.commit(commit).await?) }
    }
}

//! What lists of sources show, and are searched and sorted by, in memory.
//!
//! A sorted page needs something of every source, and reading every row for every page would take too long. The first
//! list reads all of them; after that a commit marks the sources that it changes, and the next list reads only those.
//! A node of which nobody asks for such a list keeps nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pergola_feed::address::masked;
use pergola_manners::source::{SourceId, Standing};

use super::{Archive, ArchiveError, or_again};

/// What a list says of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceCard {
    /// Its address, without secrets.
    pub url: String,
    /// The title that its user gave it, or that it has itself.
    pub title: Option<String>,
    /// The page that its document belongs to.
    pub home: Option<String>,
    /// Its address is published nowhere.
    pub private: bool,
    /// The folders that it is in.
    pub folders: Vec<String>,
    pub standing: Standing,
    pub last_refresh: Option<f64>,
}

/// The cards of all sources, once somebody has asked for them.
#[derive(Default)]
pub(super) struct Cards {
    shown: Mutex<Shown>,
    /// One list at a time brings the cards up to date.
    turn: Mutex<()>,
    read: AtomicU64,
}

#[derive(Default)]
struct Shown {
    /// Nothing until the first list.
    cards: Option<BTreeMap<SourceId, SourceCard>>,
    /// Changed since they were read.
    stale: BTreeSet<SourceId>,
}

impl Cards {
    /// Sources were changed.
    pub(super) fn mark(&self, sources: impl IntoIterator<Item = SourceId>) {
        let mut shown = lock(&self.shown);
        if shown.cards.is_some() {
            shown.stale.extend(sources);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that could panic is done while it is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Archive {
    /// Visits the card of every source in order of their ids.
    pub fn each_card(
        &self,
        mut visit: impl FnMut(SourceId, &SourceCard),
    ) -> Result<(), ArchiveError> {
        self.with_cards(|cards| cards.iter().for_each(|(id, card)| visit(*id, card)))
    }

    /// Asks something of the cards of all sources.
    pub fn with_cards<T>(
        &self,
        ask: impl FnOnce(&BTreeMap<SourceId, SourceCard>) -> T,
    ) -> Result<T, ArchiveError> {
        let _turn = lock(&self.cards.turn);
        let known = lock(&self.cards.shown).cards.is_some();
        if !known {
            // From now on changes are marked, so that none is missed while the rows are read.
            lock(&self.cards.shown).cards = Some(BTreeMap::new());
            let all = self.source_ids()?;
            self.cards.mark(all);
        }
        let stale = std::mem::take(&mut lock(&self.cards.shown).stale);
        let mut left = stale.iter();
        while let Some(&id) = left.next() {
            match self.card(id) {
                Ok(card) => self.put_card(id, card),
                Err(error) => {
                    self.cards.mark([id].into_iter().chain(left.copied()));
                    return Err(error);
                }
            }
        }
        Ok(ask(lock(&self.cards.shown).cards.get_or_insert_default()))
    }

    /// How many cards were made from rows so far.
    pub fn cards_read(&self) -> u64 {
        self.cards.read.load(Relaxed)
    }

    fn put_card(&self, id: SourceId, card: Option<SourceCard>) {
        let mut shown = lock(&self.cards.shown);
        let Some(cards) = &mut shown.cards else { return };
        match card {
            Some(card) => cards.insert(id, card),
            None => cards.remove(&id),
        };
    }

    /// The card of a source; nothing if it is gone, or what is stored of it is damaged.
    fn card(&self, id: SourceId) -> Result<Option<SourceCard>, ArchiveError> {
        self.cards.read.fetch_add(1, Relaxed);
        let Some(record) = or_again(self.source(id), || Ok(None))? else { return Ok(None) };
        let Some(state) = self.state_alone(id)? else { return Ok(None) };
        Ok(Some(SourceCard {
            url: masked(&record.url).into_owned(),
            standing: state.standing(),
            last_refresh: state.recent.back().map(|refresh| refresh.at),
            title: record.title.or(state.title),
            home: state.home,
            private: record.private,
            folders: record.folders,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pergola_manners::source::{SourceRecord, SourceState, unknown};

    use super::*;
    use crate::commit::Commit;
    use crate::testing::MemoryStore;

    fn titles(archive: &Archive) -> Vec<String> {
        let mut all = Vec::new();
        archive.each_card(|_, card| all.push(card.title.clone().unwrap_or_default())).unwrap();
        all
    }

    fn put(archive: &Archive, id: u32, title: &str) {
        let mut commit = Commit::new();
        let record = SourceRecord {
            title: Some(title.to_owned()),
            ..SourceRecord::new(format!("https://example.org/{id}"), 1.0)
        };
        commit.source(SourceId(id)).put_record(&record);
        commit.source(SourceId(id)).put_state(&SourceState::new(unknown()));
        archive.commit(commit).unwrap();
    }

    #[test]
    fn after_the_first_list_only_changed_sources_are_read() {
        let archive = Archive::new(Arc::new(MemoryStore::default()));
        for id in 0..100 {
            put(&archive, id, &format!("{id}"));
        }
        assert_eq!(archive.cards_read(), 0, "nobody has asked for a list");
        assert_eq!(titles(&archive).len(), 100);
        assert_eq!(archive.cards_read(), 100);
        assert_eq!(titles(&archive).len(), 100);
        put(&archive, 7, "seven");
        put(&archive, 100, "new");
        let mut commit = Commit::new();
        commit.source(SourceId(3)).delete();
        archive.commit(commit).unwrap();
        let all = titles(&archive);
        assert_eq!(archive.cards_read(), 103);
        assert_eq!(all.len(), 100);
        assert!(all.contains(&"seven".to_owned()) && all.contains(&"new".to_owned()));
        assert!(!all.contains(&"3".to_owned()));
    }
}

//! Items that are not indexed yet.
//!
//! A search looks through them one by one. Their texts are kept in memory in the form in which they are searched, so
//! that this takes long only once; when nobody searches, nothing is kept.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use pergola_index::{Normal, Waiting};
use pergola_manners::source::SourceId;

use super::super::{Archive, ArchiveError};
use super::documents::{Documents, texts_of};
use crate::engine::{Order, Table};
use crate::rows::keys::chunk_of;

/// Items and bytes of texts at most that a search looks through.
const MOST_ITEMS: u32 = 10_000;
const MOST_BYTES: usize = 64 << 20;

type Key = (SourceId, u32);

/// Items of waiting chunks.
#[derive(Default)]
pub(super) struct Cache(Mutex<HashMap<Key, Arc<[Waiting]>>>);

/// What waits.
pub(super) struct AllWaiting {
    pub(super) chunks: Vec<Arc<[Waiting]>>,
    /// There is more than a search looks through.
    pub(super) is_cut: bool,
}

/// The key of a chunk, and how many items it holds.
type Counted = (Vec<u8>, u32);

impl Archive {
    /// The keys of waiting chunks and how many items each holds, until these are so many; and whether that is all.
    pub(super) fn waiting_chunks(&self, items: u32) -> Result<(Vec<Counted>, bool), ArchiveError> {
        let (mut chunks, mut count, mut is_all) = (Vec::new(), 0, true);
        self.store.scan(Table::Arrival, &[], None, Order::Ascending, &mut |key, row| {
            if count >= items {
                is_all = false;
                return ControlFlow::Break(());
            }
            // A damaged row is noted; its key is looked at all the same.
            let of_chunk = self.decoded::<u32>(Table::Arrival, key, row).unwrap_or(0).max(1);
            count = of_chunk.saturating_add(count);
            chunks.push((key.to_vec(), of_chunk));
            ControlFlow::Continue(())
        })?;
        Ok((chunks, is_all))
    }

    /// The items that wait.
    pub(super) fn waiting(&self) -> Result<AllWaiting, ArchiveError> {
        let (keys, is_all) = self.waiting_chunks(MOST_ITEMS)?;
        let mut before = self.cache().clone();
        let (mut now, mut chunks, mut bytes) = (HashMap::new(), Vec::new(), 0);
        let mut documents = Documents::new(self);
        let mut is_cut = !is_all;
        for (key, _) in keys {
            if bytes > MOST_BYTES {
                is_cut = true;
                break;
            }
            let (source, chunk) = chunk_of(&key);
            let items = match before.remove(&(source, chunk)) {
                Some(items) => items,
                None => {
                    let read = documents.of_chunk(source, chunk)?.into_iter();
                    read.map(|(document, item)| {
                        (document, Normal::of(texts_of(&item).iter().map(AsRef::as_ref)))
                    })
                    .collect()
                }
            };
            bytes += items.iter().map(|(_, texts)| texts.bytes()).sum::<usize>();
            now.insert((source, chunk), Arc::clone(&items));
            chunks.push(items);
        }
        *self.cache() = now;
        Ok(AllWaiting { chunks, is_cut })
    }

    /// Forgets the texts of items that waited: they are indexed now.
    pub(super) fn forget_waiting(&self) {
        self.cache().clear();
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Arc<[Waiting]>>> {
        self.index.waiting.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

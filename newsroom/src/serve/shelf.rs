//! A cache of rendered documents, bounded in bytes.
//!
//! Without it a benchmark of a crawler would measure the newsroom. It is bounded because a hundred thousand
//! documents of fifty kilobytes would not fit into memory. Above the limit the oldest documents are dropped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::ServedSource;
use super::desk::Desk;
use super::document::gzip;

pub(super) struct Shelf {
    limit: usize,
    held: AtomicUsize,
    /// Numbers of the sources that hold documents, oldest first; each at most once.
    queue: Mutex<VecDeque<u32>>,
}

impl Shelf {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, held: AtomicUsize::new(0), queue: Mutex::default() }
    }

    /// Bytes held by all desks.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// The document of a desk, rendered if it is not cached. Only the requested encoding is cached.
    pub(super) fn document(
        &self,
        index: u32,
        desk: &mut Desk,
        compressed: bool,
        render: impl FnOnce(&Desk) -> String,
    ) -> Bytes {
        let kept = if compressed { &desk.rendered.gzip } else { &desk.rendered.plain };
        if let Some(bytes) = kept {
            return bytes.clone();
        }
        let plain = desk.rendered.plain.clone().unwrap_or_else(|| render(desk).into());
        let bytes = if compressed { gzip(&plain) } else { plain };
        self.held.fetch_add(bytes.len(), Ordering::Relaxed);
        let slot = if compressed { &mut desk.rendered.gzip } else { &mut desk.rendered.plain };
        *slot = Some(bytes.clone());
        if !std::mem::replace(&mut desk.rendered.queued, true) {
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).push_back(index);
        }
        bytes
    }

    /// Drops the documents of a desk that has changed. It keeps its place in the queue.
    pub(super) fn discard(&self, desk: &mut Desk) {
        self.held.fetch_sub(desk.rendered.bytes(), Ordering::Relaxed);
        desk.rendered.plain = None;
        desk.rendered.gzip = None;
    }

    /// Drops the oldest documents until the rest is within the limit. The caller must hold no desk.
    pub(super) fn tidy(&self, sources: &[ServedSource]) {
        while self.held.load(Ordering::Relaxed) > self.limit {
            let oldest = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(index) = oldest else { return };
            let mut desk = sources[index as usize].lock();
            desk.rendered.queued = false;
            self.discard(&mut desk);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::World;

    #[test]
    fn documents_never_take_more_room_than_the_shelf_has() {
        let clock = Arc::new(|| 1.79e9);
        let newsroom =
            World::uniform(1, 50, 10.0).newsroom(clock).document_bytes(40_000).build().unwrap();
        let (inner, mut rendered) = (&newsroom.inner, 0);
        for index in (0..50).chain(0..50) {
            let served = &inner.sources[index as usize];
            let mut desk = served.lock();
            desk.catch_up(&served.source, newsroom.moment(&[]));
            let document = |desk: &mut _, compressed| {
                inner.shelf.document(index, desk, compressed, |_| "x".repeat(9_000))
            };
            rendered += document(&mut desk, false).len();
            document(&mut desk, true);
            drop(desk);
            inner.shelf.tidy(&inner.sources);
            assert!(inner.shelf.held() <= 40_000, "{}", inner.shelf.held());
        }
        assert_eq!(rendered, 900_000);
        assert!(inner.shelf.held() > 20_000, "the shelf is used: {}", inner.shelf.held());
        inner.sources.iter().for_each(|served| inner.shelf.discard(&mut served.lock()));
        assert_eq!(inner.shelf.held(), 0);
    }
}

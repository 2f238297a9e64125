//! Sources that have come to the address of another source, by a redirect or because a page led there. The two are
//! one, so this one is not crawled any more and waits to be merged with the other.

use std::sync::Arc;

use pergola_manners::refreshed::{Refreshed, SourceChange};
use pergola_store::archive::SourceId;
use tokio::sync::Notify;

use super::Crawler;
use super::alone::With;
use pergola_outside::locks::Mutex;

/// The sources that wait to be merged.
#[derive(Default)]
pub(super) struct Arrivals {
    waiting: Mutex<Vec<SourceId>>,
    came: Notify,
}

impl Arrivals {
    pub(super) fn push(&self, id: SourceId) {
        self.waiting.lock().push(id);
        self.came.notify_one();
    }
}

impl Crawler {
    /// Waits until a source is to be merged with another one.
    pub async fn arrival(&self) {
        self.arrivals.came.notified().await;
    }

    /// Takes the sources that are to be merged with those at their addresses.
    pub fn take_arrivals(&self) -> Vec<SourceId> {
        std::mem::take(&mut *self.arrivals.waiting.lock())
    }

    /// Waits until a source is neither refreshed nor pushed, and keeps it so until the result is dropped.
    pub(crate) async fn alone_with(&self, id: SourceId) -> With<'_> {
        self.alone.with(id).await
    }

    /// Whether a refresh has led a source to the address of another one.
    pub(super) fn is_double(&self, change: &SourceChange) -> bool {
        let there = change.moved.then(|| self.resident(&change.record.url)).flatten();
        there.is_some_and(|other| other != change.id)
    }

    /// What a new source shows is not published once more if it is another one that has shown it already.
    pub(super) fn hold_back(&self, refreshed: &mut Refreshed) {
        let first = matches!(refreshed.schedule.observed, Some((None, _)));
        if first
            && self.is_double(&refreshed.change)
            && let Some(change) = Arc::get_mut(&mut refreshed.change)
        {
            change.news.clear();
            change.known = None;
        }
    }
}

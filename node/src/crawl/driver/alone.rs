//! One at a time per source: a refresh or a push, because both change what is known of it.

use rustc_hash::FxHashSet;
use tokio::sync::Notify;

use pergola_store::archive::SourceId;

use pergola_outside::locks::Mutex;

/// The sources that are being worked on.
#[derive(Default)]
pub(super) struct Alone {
    busy: Mutex<FxHashSet<SourceId>>,
    freed: Notify,
}

/// Sole access to a source, until this is dropped.
pub(crate) struct With<'a> {
    alone: &'a Alone,
    id: SourceId,
}

impl Alone {
    /// Waits until nobody else works on the source.
    pub(super) async fn with(&self, id: SourceId) -> With<'_> {
        loop {
            let freed = self.freed.notified();
            if self.busy.lock().insert(id) {
                return With { alone: self, id };
            }
            freed.await;
        }
    }
}

impl Drop for With<'_> {
    fn drop(&mut self) {
        self.alone.busy.lock().remove(&self.id);
        self.alone.freed.notify_waiters();
    }
}

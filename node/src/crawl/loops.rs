//! Loops: sources whose items have been here before, because somebody downstream is wired back to us.
//!
//! The items themselves are dropped by `decide`; here is known which source brings them, and by which
//! nodes, so that the operator is told once and can mend the wiring. Never: a warning for every item;
//! a warning that stays when the circle is cut.

use std::collections::HashMap;

use pergola_manners::loops::LoopChange;
use pergola_store::archive::{Archive, ArchiveError, Loop, SourceId};

use crate::locks::{Mutex, MutexGuard};

/// The circles that are known, of every source that is in one.
#[derive(Default)]
pub struct Loops {
    known: Mutex<HashMap<SourceId, Loop>>,
}

impl Loops {
    /// Those that were known when the node last ran.
    pub fn load(archive: &Archive) -> Result<Self, ArchiveError> {
        Ok(Self { known: Mutex::new(archive.loops()?.into_iter().collect()) })
    }

    /// The circle that a source is in.
    pub fn of(&self, source: SourceId) -> Option<Loop> {
        self.known().get(&source).cloned()
    }

    /// The sources that are in one, by their numbers.
    pub fn all(&self) -> Vec<(SourceId, Loop)> {
        let known = self.known();
        let mut all: Vec<_> = known.iter().map(|(id, found)| (*id, found.clone())).collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// A refresh has been committed; what it found is said once.
    pub fn settle(&self, source: SourceId, url: &str, change: LoopChange) {
        match change {
            LoopChange::AsBefore => {}
            LoopChange::Again(known) => drop(self.known().insert(source, known)),
            LoopChange::Found(found) => {
                let what = "items of this source come back to this node and are dropped";
                tracing::warn!(source = source.0, url, way = %found, "{what}");
                self.known().insert(source, found);
            }
            LoopChange::Gone => {
                tracing::info!(source = source.0, url, "items of this source come back no more");
                self.forget(source);
            }
        }
    }

    /// A source is crawled no more.
    pub fn forget(&self, source: SourceId) {
        self.known().remove(&source);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SourceId, Loop>> {
        self.known.lock()
    }
}

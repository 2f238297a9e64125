//! Loops: sources whose items have passed this node before, because a node downstream feeds back into it.
//!
//! The items themselves are dropped by `decide`. This module knows which sources bring them, and by which
//! nodes, so that the operator is told once and can correct the wiring. Never: a warning for every item; a
//! warning that stays when the loop is gone.

use std::collections::HashMap;

use pergola_feed::address::Shown;
use pergola_manners::loops::LoopChange;
use pergola_store::archive::{Archive, ArchiveError, Loop, SourceId};

use pergola_outside::locks::{Mutex, MutexGuard};

/// The known loops, by source.
#[derive(Default)]
pub struct Loops {
    known: Mutex<HashMap<SourceId, Loop>>,
}

impl Loops {
    /// Those that are stored.
    pub fn load(archive: &Archive) -> Result<Self, ArchiveError> {
        Ok(Self { known: Mutex::new(archive.loops()?.into_iter().collect()) })
    }

    /// The loop that a source is in.
    pub fn of(&self, source: SourceId) -> Option<Loop> {
        self.known().get(&source).cloned()
    }

    /// Every source that is in a loop, in the order of their numbers.
    pub fn all(&self) -> Vec<(SourceId, Loop)> {
        let known = self.known();
        let mut all: Vec<_> = known.iter().map(|(id, found)| (*id, found.clone())).collect();
        all.sort_by_key(|(id, _)| *id);
        all
    }

    /// What a refresh found about a loop is durable; it is logged once.
    pub fn settle(&self, source: SourceId, url: Shown<'_>, change: LoopChange) {
        match change {
            LoopChange::AsBefore => {}
            LoopChange::Again(known) => drop(self.known().insert(source, known)),
            LoopChange::Found(found) => {
                let what = "items of this source have passed this node before and are dropped";
                tracing::warn!(source = source.0, %url, way = %found, "{what}");
                self.known().insert(source, found);
            }
            LoopChange::Gone => {
                tracing::info!(source = source.0, %url, "items of this source no longer come back");
                self.forget(source);
            }
        }
    }

    /// A source was removed.
    pub fn forget(&self, source: SourceId) {
        self.known().remove(&source);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<SourceId, Loop>> {
        self.known.lock()
    }
}

//! Reading what was removed and can still be restored.

use pergola_manners::source::{SourceId, SourceRecord};

use super::{Archive, ArchiveError};
use crate::engine::Table;
use crate::records::{FeedId, FeedRecord, Removed};
use crate::rows::keys::{self, RowKey};

impl Archive {
    /// Every source that was removed, in the order of their numbers.
    pub fn removed_sources(&self) -> Result<Vec<(SourceId, Removed<SourceRecord>)>, ArchiveError> {
        self.rows(Table::Removed, (&[0], Some(&[1])), |key| SourceId::from_key(&key[1..]))
    }

    /// A source that was removed.
    pub fn removed_source(
        &self,
        id: SourceId,
    ) -> Result<Option<Removed<SourceRecord>>, ArchiveError> {
        self.row(Table::Removed, &keys::removed_source_key(id))
    }

    /// Every feed that was removed, in the order of their numbers.
    pub fn removed_feeds(&self) -> Result<Vec<(FeedId, Removed<FeedRecord>)>, ArchiveError> {
        self.rows(Table::Removed, (&[1], Some(&[2])), |key| FeedId::from_key(&key[1..]))
    }
}

//! Reading what belongs to the node itself, and what sources and feeds are about.

use pergola_query::Selectivity;

use super::{ALL, Archive, ArchiveError};
use crate::engine::Table;
use crate::records::{Channel, HostTally, NodeRecord, ProfileRecord, Sample};
use crate::rows::keys::{self, RowKey};

impl Archive {
    /// What the node knows of itself, if it ever ran.
    pub fn node(&self) -> Result<Option<NodeRecord>, ArchiveError> {
        let copy = || self.row(Table::Meta, keys::NODE_COPY);
        match self.row(Table::Meta, keys::NODE) {
            // It is nowhere else and cannot be made again.
            Err(error @ ArchiveError::Damaged { .. }) => {
                copy()?.map_or(Err(error), |there| Ok(Some(there)))
            }
            read => read,
        }
    }

    /// What was asked of each host.
    pub fn hosts(&self) -> Result<Vec<(String, HostTally)>, ArchiveError> {
        self.rows(Table::Host, ALL, |key| String::from_utf8_lossy(key).into_owned())
    }

    /// How the node did in each minute (since 1970) of `from <= minute < to`, oldest first.
    pub fn history(&self, from: u64, to: u64) -> Result<Vec<(u64, Sample)>, ArchiveError> {
        let (from, to) = (from.to_be_bytes(), to.to_be_bytes());
        self.rows(Table::History, (&from, Some(&to)), keys::minute_of)
    }

    /// Which share of each source the feeds keep.
    pub fn selectivity(&self) -> Result<Option<Selectivity>, ArchiveError> {
        self.row(Table::Selectivity, keys::SELECTIVITY)
    }

    /// What sources and feeds are about.
    pub fn profiles(&self) -> Result<Vec<(Channel, ProfileRecord)>, ArchiveError> {
        self.rows(Table::Profile, ALL, Channel::from_key)
    }
}

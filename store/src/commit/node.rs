//! The part of a commit that belongs to the node itself.

use pergola_manners::source::ItemNumber;
use pergola_query::Selectivity;

use super::set;
use crate::engine::{Batch, Table};
use crate::records::{HostTally, NodeRecord, Sample, Starred};
use crate::rows::keys::{NODE, NODE_COPY, SELECTIVITY, starred_key};

/// Changes to the node's own rows.
#[derive(Debug, Default)]
pub struct NodePart {
    pub(super) rows: Batch,
}

impl NodePart {
    /// What the node knows of itself: twice, because nothing else says who it is.
    pub fn put_record(&mut self, record: &NodeRecord) {
        set(&mut self.rows, Table::Meta, NODE, Some(record));
        set(&mut self.rows, Table::Meta, NODE_COPY, Some(record));
    }

    /// What was asked of a host.
    pub fn put_host(&mut self, host: &str, tally: &HostTally) {
        set(&mut self.rows, Table::Host, host.as_bytes(), Some(tally));
    }

    /// How the node did in a minute (since 1970).
    pub fn put_sample(&mut self, minute: u64, sample: &Sample) {
        set(&mut self.rows, Table::History, minute.to_be_bytes(), Some(sample));
    }

    /// Forgets a minute.
    pub fn delete_sample(&mut self, minute: u64) {
        self.rows.delete(Table::History, minute.to_be_bytes());
    }

    /// Which share of each source its feeds keep.
    pub fn put_selectivity(&mut self, selectivity: &Selectivity) {
        set(&mut self.rows, Table::Selectivity, SELECTIVITY, Some(selectivity));
    }

    /// An item that somebody has starred; `None` if nobody has any more.
    pub fn set_starred(&mut self, item: ItemNumber, starred: Option<&Starred>) {
        set(&mut self.rows, Table::Starred, starred_key(item), starred);
    }
}

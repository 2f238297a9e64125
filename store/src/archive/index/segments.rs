//! The rows of segments.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use pergola_index::{Row, Rows, Segment};

use super::super::{Archive, ArchiveError};
use crate::engine::{Order, StoreError, Table};
use crate::records::SegmentRecord;
use crate::rows::keys::{segment_key, segment_of};

/// Why a segment could not be read.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store failed.
    Archive(ArchiveError),
    /// A row of the segment with this number is missing or makes no sense.
    Segment { number: u32, key: Vec<u8> },
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Archive(error.into())
    }
}

/// The rows of one segment.
#[derive(Clone)]
pub(super) struct SegmentRows {
    archive: Archive,
    number: u32,
}

impl SegmentRows {
    /// The value of a row without its seal.
    fn whole<'a>(&self, key: &[u8], row: &'a [u8]) -> Result<&'a [u8], Failure> {
        self.archive.whole(Table::Index, key, row).map_err(|nonsense| {
            self.archive.damaged(Table::Index, key, &nonsense);
            Failure::Segment { number: self.number, key: key.to_vec() }
        })
    }
}

impl Rows for SegmentRows {
    type Error = Failure;

    fn broken(&self, key: &[u8]) -> Failure {
        Failure::Segment { number: self.number, key: segment_key(self.number, key) }
    }

    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let key = segment_key(self.number, key);
        let Some(mut row) = self.archive.store.get(Table::Index, &key)? else { return Ok(None) };
        let length = self.whole(&key, &row)?.len();
        row.truncate(length);
        Ok(Some(row))
    }

    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, Failure> {
        let from = segment_key(self.number, from);
        let mut to = segment_key(self.number, to);
        to.push(0);
        let mut found = Ok(None);
        let order = Order::Descending;
        self.archive.store.scan(Table::Index, &from, Some(&to), order, &mut |key, row| {
            let own = segment_of(key).map_or(&[][..], |(_, own)| own);
            found = self.whole(key, row).map(|value| Some((own.to_vec(), value.to_vec())));
            ControlFlow::Break(())
        })?;
        found
    }

    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        visit: &mut pergola_index::Visit<'_>,
    ) -> Result<(), Failure> {
        let (from, to) = (segment_key(self.number, from), segment_key(self.number, to));
        let mut outcome = Ok(());
        let order = Order::Ascending;
        self.archive.store.scan(Table::Index, &from, Some(&to), order, &mut |key, row| {
            let own = segment_of(key).map_or(&[][..], |(_, own)| own);
            match self.whole(key, row) {
                Ok(value) => visit(own, value),
                Err(failure) => {
                    outcome = Err(failure);
                    ControlFlow::Break(())
                }
            }
        })?;
        outcome
    }
}

impl Archive {
    /// A segment of the manifest.
    pub(super) fn segment(&self, record: &SegmentRecord) -> Segment<SegmentRows> {
        let rows = SegmentRows { archive: self.clone(), number: record.number };
        Segment::new(rows, record.documents as usize)
    }

    /// The numbers of all segments of which there are rows.
    pub(super) fn stored_segments(&self) -> Result<BTreeSet<u32>, ArchiveError> {
        let mut all = BTreeSet::new();
        let mut from = segment_key(0, &[]);
        loop {
            let mut next = None;
            self.store.scan(Table::Index, &from, None, Order::Ascending, &mut |key, _| {
                next = segment_of(key).map(|(number, _)| number);
                ControlFlow::Break(())
            })?;
            let Some(number) = next else { return Ok(all) };
            all.insert(number);
            let Some(after) = number.checked_add(1) else { return Ok(all) };
            from = segment_key(after, &[]);
        }
    }

    /// Whether there is a chunk with this key.
    pub(super) fn has_chunk(&self, key: &[u8]) -> Result<bool, ArchiveError> {
        let mut found = false;
        let to = [key, &[0]].concat();
        self.store.scan(Table::Chunk, key, Some(&to), Order::Ascending, &mut |_, _| {
            found = true;
            ControlFlow::Break(())
        })?;
        Ok(found)
    }
}

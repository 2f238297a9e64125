//! To version 4: an item may have pictures, a place in a series, details of its files and an origin with an identity.
//!
//! All of it is at the end of an item's row, so an item of version 3 only gets the mark that says it has none of it.

use super::hop_times::{After, Item};
use super::rewrite::{Unreadable, rewrite};
use crate::engine::{Batch, Store, StoreError, Table};

/// No chunk is larger when unpacked.
const MAX_UNPACKED: usize = 256 << 20;

/// An item of version 4 that has nothing new. The rest is never there.
pub(super) type Plain = (Item<After>, Option<()>);
/// When a chunk was delivered, its length when unpacked, and its packed items.
type Row<'a> = (f64, u64, &'a [u8]);

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    rewrite(store, Table::Chunk, "item media", converted)
}

fn converted(row: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let (at, bytes) = unpacked(row)?;
    let items: Vec<Item<After>> = postcard::from_bytes(&bytes)?;
    let mut bytes = postcard::to_stdvec(&items.len())?;
    let mut starts = Vec::with_capacity(items.len());
    for item in items {
        starts.push(bytes.len() as u32);
        let item: Plain = (item, None);
        bytes = postcard::to_extend(&item, bytes)?;
    }
    let packed = zstd::bulk::compress(&bytes, 1)?;
    Ok(postcard::to_stdvec(&(at, bytes.len() as u64, packed, starts))?)
}

/// When a chunk was delivered, and its items.
pub(super) fn unpacked(row: &[u8]) -> Result<(f64, Vec<u8>), Unreadable> {
    let ((at, length, packed), _): (Row<'_>, _) = postcard::take_from_bytes(row)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_UNPACKED);
    Ok((at, zstd::bulk::decompress(packed, length)?))
}

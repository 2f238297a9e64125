//! To version 7: an entry has the date by which people find its item, and there are tables for people.
//!
//! The date is at the end of an entry's row. For entries from before it is when they arrived: their items need not be
//! read. The row `entry dates` of [`Table::Meta`] holds the last key that is done. Rows have seals by now, so a row
//! is taken out of its seal and sealed again; one whose seal is broken stays as it is.

use std::ops::ControlFlow;

use crate::engine::seal::{seal, unseal};
use crate::engine::{Batch, Order, Store, StoreError, Table};

/// Rows are committed in groups of about this many bytes.
const GROUP_BYTES: u64 = 4 << 20;
/// The last key that is done.
const PROGRESS: &[u8] = b"entry dates";

/// Key, source, chunk, index, when published, when changed.
type Entry = (u128, u32, u32, u16, f64, f64);

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    loop {
        let mut group = Batch::default();
        let mut last = None;
        let from = first_not_done(store)?;
        store.scan(Table::Entry, &from, None, Order::Ascending, &mut |key, row| {
            match dated(key, row) {
                Some(row) => group.put(Table::Entry, key, row),
                None => tracing::warn!(?key, "an entry is damaged and stays as it is"),
            }
            if group.bytes() < GROUP_BYTES {
                return ControlFlow::Continue(());
            }
            last = Some(key.to_vec());
            ControlFlow::Break(())
        })?;
        let Some(mut last) = last else {
            group.delete(Table::Meta, PROGRESS);
            return Ok(group);
        };
        seal(Table::Meta, PROGRESS, &mut last);
        group.put(Table::Meta, PROGRESS, last);
        store.commit(&group)?;
    }
}

/// The row with a date, sealed.
fn dated(key: &[u8], row: &[u8]) -> Option<Vec<u8>> {
    let value = unseal(Table::Entry, key, row)?;
    let (entry, rest): (Entry, _) = postcard::take_from_bytes(value).ok()?;
    let mut dated = value[..value.len() - rest.len()].to_vec();
    dated.extend_from_slice(&entry.4.to_le_bytes());
    seal(Table::Entry, key, &mut dated);
    Some(dated)
}

fn first_not_done(store: &dyn Store) -> Result<Vec<u8>, StoreError> {
    let Some(row) = store.get(Table::Meta, PROGRESS)? else { return Ok(Vec::new()) };
    let key = unseal(Table::Meta, PROGRESS, &row);
    let key = key
        .ok_or_else(|| StoreError::corrupt("the store", "how far it was upgraded is unreadable"))?;
    Ok([key, &[0]].concat())
}

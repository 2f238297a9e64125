//! Rewrites every row of a table, in groups that are committed one by one.
//!
//! A row that cannot be read stays as it is: it could not be read before either, and whoever reads it gets an
//! error.

use std::error::Error;
use std::ops::ControlFlow;

use crate::engine::{Batch, Order, Store, StoreError, Table};

/// Rows are committed in groups of about this many bytes.
const GROUP_BYTES: u64 = 4 << 20;

/// Why a row cannot be read.
pub(super) type Unreadable = Box<dyn Error>;

/// Rewrites every row, group by group; the last group is returned. The row `name` of [`Table::Meta`] holds the
/// last key that is done, until all are done.
pub(super) fn rewrite(
    store: &dyn Store,
    table: Table,
    name: &str,
    convert: fn(&[u8]) -> Result<Vec<u8>, Unreadable>,
) -> Result<Batch, StoreError> {
    let mut unreadable = 0_u64;
    loop {
        let mut group = Batch::default();
        let mut last = None;
        let from = first_not_done(store, name)?;
        store.scan(table, &from, None, Order::Ascending, &mut |key, value| {
            match convert(value) {
                Ok(value) => group.put(table, key, value),
                Err(error) => {
                    tracing::debug!(%error, ?table, ?key, "a row cannot be migrated");
                    unreadable += 1;
                }
            }
            if group.bytes() < GROUP_BYTES {
                return ControlFlow::Continue(());
            }
            last = Some(key.to_vec());
            ControlFlow::Break(())
        })?;
        let Some(last) = last else {
            if unreadable > 0 {
                tracing::warn!(
                    rows = unreadable,
                    ?table,
                    "rows that cannot be read stay as they are"
                );
            }
            group.delete(Table::Meta, name.as_bytes());
            return Ok(group);
        };
        group.put(Table::Meta, name.as_bytes(), last);
        store.commit(&group)?;
    }
}

fn first_not_done(store: &dyn Store, name: &str) -> Result<Vec<u8>, StoreError> {
    let done = store.get(Table::Meta, name.as_bytes())?;
    Ok(done.map_or_else(Vec::new, |mut key| {
        key.push(0);
        key
    }))
}

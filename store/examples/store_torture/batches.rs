//! Numbered batches: from the number alone it follows what a store must hold.

use pergola_store::{Store, StoreError, Table};

/// Rows of a batch in each of two tables.
pub(crate) const ROWS: u64 = 12;
/// Each batch removes the rows of the one so many before.
pub(crate) const KEPT: u64 = 30;

/// The number of the last batch in a store.
pub(crate) fn last(store: &dyn Store) -> Result<u64, StoreError> {
    let value = store.get(Table::Meta, b"last")?;
    Ok(value.and_then(|value| value.try_into().ok()).map_or(0, u64::from_be_bytes))
}

/// The key of a row; rows that are replaced count as number 0.
pub(crate) fn key(number: u64, row: u64) -> Vec<u8> {
    [number.to_be_bytes(), row.to_be_bytes()].concat()
}

/// Mostly short, some empty, some in several parts.
pub(crate) fn value(number: u64, row: u64) -> Vec<u8> {
    let length = [0, 20, 300, 2_000, 9_000, 40_000][(number * 7 + row) as usize % 6];
    vec![(number * 31 + row) as u8; length]
}

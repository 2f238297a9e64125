//! Numbered batches: from the number alone it follows what a store must hold.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use pergola_store::{Order, Store, StoreError, Table};

pub(crate) type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

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

/// The entries and chunks that a store holds after a batch.
pub(crate) fn expected(number: u64) -> [Rows; 2] {
    let mut entries = Rows::new();
    let mut chunks = Rows::new();
    for row in 0..ROWS {
        for kept in (number + 1).saturating_sub(KEPT).max(1)..=number {
            entries.insert(key(kept, row), value(kept, row));
        }
        if number > 0 {
            chunks.insert(key(0, row), value(number, row + number));
        }
    }
    [entries, chunks]
}

/// The rows of a table.
pub(crate) fn rows(store: &dyn Store, table: Table) -> Result<Rows, StoreError> {
    let mut rows = Rows::new();
    let mut visit = |key: &[u8], value: &[u8]| {
        rows.insert(key.to_vec(), value.to_vec());
        ControlFlow::Continue(())
    };
    store.scan(table, &[], None, Order::Ascending, &mut visit)?;
    Ok(rows)
}

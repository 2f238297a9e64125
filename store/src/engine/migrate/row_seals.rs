//! To version 6: every row ends with a seal, by which damage is found.
//!
//! The row `seals` of [`Table::Meta`] says which row was sealed last, so that none is sealed twice. The rows of
//! [`Table::Meta`] itself are few and are sealed together with the version.

use std::ops::ControlFlow;

use crate::engine::{Batch, Order, SCHEMA_KEY, Store, StoreError, Table, seal::seal};

/// Rows are committed in groups of about this many bytes.
const GROUP_BYTES: u64 = 4 << 20;
/// A table's number and a key.
const PROGRESS: &[u8] = b"seals";

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    let done = store.get(Table::Meta, PROGRESS)?;
    let mut work = Work { store, batch: Batch::default() };
    for table in Table::ALL.into_iter().filter(|table| *table != Table::Meta) {
        let mut from = match done.as_deref().and_then(<[u8]>::split_first) {
            Some((last, _)) if *last > table as u8 => continue,
            Some((last, key)) if *last == table as u8 => after(key),
            _ => Vec::new(),
        };
        while let Some(last) = work.seal_some(table, &from)? {
            from = after(&last);
        }
    }
    work.seal_own()?;
    work.batch.delete(Table::Meta, PROGRESS);
    Ok(work.batch)
}

struct Work<'a> {
    store: &'a dyn Store,
    batch: Batch,
}

impl Work<'_> {
    /// Seals rows of a table until there are enough for a commit; returns the last one of them, if there may
    /// be more.
    fn seal_some(&mut self, table: Table, from: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut last = None;
        self.store.scan(table, from, None, Order::Ascending, &mut |key, value| {
            put(&mut self.batch, table, key, value);
            if self.batch.bytes() < GROUP_BYTES {
                return ControlFlow::Continue(());
            }
            last = Some(key.to_vec());
            ControlFlow::Break(())
        })?;
        if let Some(key) = &last {
            let progress = [&[table as u8], &key[..]].concat();
            self.batch.put(Table::Meta, PROGRESS, progress);
            self.store.commit(&std::mem::take(&mut self.batch))?;
        }
        Ok(last)
    }

    fn seal_own(&mut self) -> Result<(), StoreError> {
        self.store.scan(Table::Meta, &[], None, Order::Ascending, &mut |key, value| {
            if key != SCHEMA_KEY && key != PROGRESS {
                put(&mut self.batch, Table::Meta, key, value);
            }
            ControlFlow::Continue(())
        })
    }
}

fn put(batch: &mut Batch, table: Table, key: &[u8], value: &[u8]) {
    let mut row = Vec::with_capacity(value.len() + 4);
    row.extend_from_slice(value);
    seal(table, key, &mut row);
    batch.put(table, key, row);
}

fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

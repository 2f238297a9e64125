//! A store that keeps its rows in memory: what an engine should behave like.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock};

use crate::engine::{Backend, Batch, Order, Store, StoreError, Table, Visit};

type Key = (Table, Vec<u8>);
type Rows = BTreeMap<Key, Arc<[u8]>>;

/// Rows in memory. Clones share them.
#[derive(Clone, Default)]
pub struct MemoryStore {
    rows: Arc<RwLock<Rows>>,
}

impl MemoryStore {
    /// Another store with the same rows.
    pub fn copy(&self) -> Self {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner).clone();
        Self { rows: Arc::new(RwLock::new(rows)) }
    }

    /// The first or last row between two bounds.
    fn next(&self, bounds: (Bound<Key>, Bound<Key>), order: Order) -> Option<(Vec<u8>, Arc<[u8]>)> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let mut range = rows.range(bounds);
        let next = match order {
            Order::Ascending => range.next(),
            Order::Descending => range.next_back(),
        };
        next.map(|((_, key), value)| (key.clone(), Arc::clone(value)))
    }
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        Ok(rows.get(&(table, key.to_vec())).map(|value| value.to_vec()))
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        if to.is_some_and(|to| from >= to) {
            return Ok(());
        }
        let end = match to {
            Some(to) => Bound::Excluded((table, to.to_vec())),
            None => Table::ALL
                .into_iter()
                .find(|next| *next > table)
                .map_or(Bound::Unbounded, |next| Bound::Excluded((next, Vec::new()))),
        };
        let mut bounds = (Bound::Included((table, from.to_vec())), end);
        // One row at a time, because the visitor may use the store.
        while let Some((key, value)) = self.next(bounds.clone(), order) {
            if visit(&key, &value).is_break() {
                break;
            }
            match order {
                Order::Ascending => bounds.0 = Bound::Excluded((table, key)),
                Order::Descending => bounds.1 = Bound::Excluded((table, key)),
            }
        }
        Ok(())
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        for (table, key, value) in batch.iter() {
            match value {
                Some(value) => drop(rows.insert((table, key.to_vec()), value.into())),
                None => drop(rows.remove(&(table, key.to_vec()))),
            }
        }
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }

    /// There is no engine: it stands in for the usual one.
    fn backend(&self) -> Backend {
        Backend::default()
    }
}

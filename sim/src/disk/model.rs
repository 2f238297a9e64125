//! Rows in memory that do exactly what a store promises.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use pergola_outside::locks::Mutex;
use pergola_store::{Backend, Batch, Change, Order, Store, StoreError, Table, Visit};

/// A row's key, after the number of its table.
type Key = (u8, Vec<u8>);
type Value = Arc<[u8]>;

/// Rows that are read in one go: few at first, as many look at one row only, and more each time.
const AT_FIRST: usize = 2;
const AT_ONCE: usize = 64;

/// The rows.
#[derive(Default)]
pub(super) struct Model {
    rows: BTreeMap<Key, Value>,
    /// What changes that are not synced have replaced, oldest first.
    unsynced: Vec<(Key, Option<Value>)>,
}

impl Model {
    pub(super) fn apply<'a>(&mut self, changes: impl Iterator<Item = Change<'a>>, synced: bool) {
        for (table, key, value) in changes {
            let key = (table as u8, key.to_vec());
            let before = match value {
                Some(value) => self.rows.insert(key.clone(), value.into()),
                None => self.rows.remove(&key),
            };
            if !synced {
                self.unsynced.push((key, before));
            }
        }
    }

    pub(super) fn lose_unsynced(&mut self) {
        for (key, before) in std::mem::take(&mut self.unsynced).into_iter().rev() {
            match before {
                Some(value) => self.rows.insert(key, value),
                None => self.rows.remove(&key),
            };
        }
    }

    fn durable(&self, key: &Key) -> Option<Value> {
        let replaced = self.unsynced.iter().find(|(other, _)| other == key);
        replaced.map_or_else(|| self.rows.get(key).cloned(), |(_, before)| before.clone())
    }

    /// Some rows of a range.
    fn some(
        &self,
        from: Bound<Key>,
        to: Bound<Key>,
        order: Order,
        count: usize,
    ) -> Vec<(Key, Value)> {
        let empty = match (&from, &to) {
            (Bound::Included(from), Bound::Excluded(to)) => from >= to,
            (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
            _ => false,
        };
        if empty {
            return Vec::new();
        }
        let range = self.rows.range((from, to)).map(|(key, value)| (key.clone(), value.clone()));
        match order {
            Order::Ascending => range.take(count).collect(),
            Order::Descending => range.rev().take(count).collect(),
        }
    }
}

/// The rows as a store.
pub(super) struct Rows(pub(super) Arc<Mutex<Model>>);

impl Store for Rows {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.0.lock().rows.get(&(table as u8, key.to_vec())).cloned();
        Ok(found.map(|value| value.to_vec()))
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        let mut from = Bound::Included((table as u8, from.to_vec()));
        let mut to = Bound::Excluded(match to {
            Some(to) => (table as u8, to.to_vec()),
            None => (table as u8 + 1, Vec::new()),
        });
        let mut count = AT_FIRST;
        loop {
            // The visitor may use the store, so nothing is locked meanwhile.
            let some = self.0.lock().some(from.clone(), to.clone(), order, count);
            for (key, value) in &some {
                if visit(&key.1, value) == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
            match some.into_iter().nth(count - 1) {
                Some((last, _)) if order == Order::Ascending => from = Bound::Excluded(last),
                Some((last, _)) => to = Bound::Excluded(last),
                None => return Ok(()),
            }
            count = (4 * count).min(AT_ONCE);
        }
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.0.lock().apply(batch.iter(), true);
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }

    fn backend(&self) -> Backend {
        Backend::Redb
    }
}

/// The rows as they would be after a power cut. Only single rows can be read.
pub(super) struct Durable(pub(super) Arc<Mutex<Model>>);

impl Store for Durable {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.0.lock().durable(&(table as u8, key.to_vec()));
        Ok(found.map(|value| value.to_vec()))
    }

    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut Visit<'_>,
    ) -> Result<(), StoreError> {
        Rows(Arc::clone(&self.0)).scan(table, from, to, order, visit)
    }

    fn commit(&self, _: &Batch) -> Result<(), StoreError> {
        Err(StoreError::Full { free: 0, needed: 0 })
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }

    fn backend(&self) -> Backend {
        Backend::Redb
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(store: &dyn Store, from: &[u8], to: Option<&[u8]>, order: Order) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        let mut visit = |key: &[u8], _: &[u8]| {
            keys.push(key.to_vec());
            ControlFlow::Continue(())
        };
        store.scan(Table::Entry, from, to, order, &mut visit).unwrap();
        keys
    }

    #[test]
    fn rows_are_found_in_order_and_only_those_of_their_table() {
        let store = Rows(Arc::default());
        let mut batch = Batch::default();
        batch.put(Table::Edit, [9], vec![1]);
        batch.put(Table::Feed, [200], vec![1]);
        for number in 0..150_u8 {
            batch.put(Table::Entry, [number], vec![number]);
        }
        batch.delete(Table::Entry, [7]);
        store.commit(&batch).unwrap();
        let all: Vec<Vec<u8>> = (0..150).filter(|n| *n != 7).map(|number| vec![number]).collect();
        assert_eq!(keys(&store, &[], None, Order::Ascending), all);
        let reversed: Vec<Vec<u8>> = all.iter().rev().cloned().collect();
        assert_eq!(keys(&store, &[], None, Order::Descending), reversed);
        assert_eq!(keys(&store, &[3], Some(&[6]), Order::Descending), [[5], [4], [3]]);
        assert_eq!(keys(&store, &[6], Some(&[3]), Order::Ascending), Vec::<Vec<u8>>::new());
        assert_eq!(store.get(Table::Entry, &[7]).unwrap(), None);
    }

    #[test]
    fn what_was_not_synced_is_gone_after_a_power_cut() {
        let model = Arc::new(Mutex::new(Model::default()));
        let (rows, durable) = (Rows(Arc::clone(&model)), Durable(Arc::clone(&model)));
        let mut batch = Batch::default();
        batch.put(Table::Feed, [1], vec![1]);
        model.lock().apply(batch.iter(), true);
        batch.put(Table::Feed, [1], vec![2]);
        batch.put(Table::Feed, [2], vec![2]);
        model.lock().apply(batch.iter(), false);
        assert_eq!(rows.get(Table::Feed, &[1]).unwrap(), Some(vec![2]));
        assert_eq!(durable.get(Table::Feed, &[1]).unwrap(), Some(vec![1]));
        assert_eq!(durable.get(Table::Feed, &[2]).unwrap(), None);
        model.lock().lose_unsynced();
        assert_eq!(rows.get(Table::Feed, &[1]).unwrap(), Some(vec![1]));
        assert_eq!(rows.get(Table::Feed, &[2]).unwrap(), None);
    }
}

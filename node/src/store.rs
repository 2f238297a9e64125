//! Placeholder of the store until its branch is merged.
#![expect(missing_docs, reason = "replaced")]
use std::ops::ControlFlow;
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Table {
    Meta = 0,
    Source = 1,
    State = 2,
    Known = 3,
    Chunk = 4,
    Feed = 5,
    Entry = 6,
    Member = 7,
    History = 8,
    Selectivity = 9,
    Host = 10,
}
#[derive(Default, Debug)]
pub struct Batch {
    ops: Vec<(Table, Vec<u8>, Option<Vec<u8>>)>,
}
impl Batch {
    pub fn put(&mut self, table: Table, key: impl Into<Vec<u8>>, value: Vec<u8>) {
        self.ops.push((table, key.into(), Some(value)));
    }
    pub fn delete(&mut self, table: Table, key: impl Into<Vec<u8>>) {
        self.ops.push((table, key.into(), None));
    }
    pub fn append(&mut self, other: Batch) {
        self.ops.extend(other.ops);
    }
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }
    pub fn len(&self) -> usize {
        self.ops.len()
    }
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Ascending,
    Descending,
}
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("x")]
    Corrupt(String),
}
pub trait Store: Send + Sync + 'static {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: Option<&[u8]>,
        order: Order,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;
    fn bytes_on_disk(&self) -> u64;
}

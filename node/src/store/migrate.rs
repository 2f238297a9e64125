//! Old data folders brought forward, one schema version at a time.
//!
//! The version is a row in the store and changes in the same commit as the data, so a crash leaves
//! either the old version whole or the new one. `format.json` follows afterwards and may lag behind.

use super::{Batch, SCHEMA_KEY, Store, StoreError, Table};

/// Computes what one version changes; it must not write by itself.
pub(super) type Step = fn(&dyn Store) -> Result<Batch, StoreError>;

/// The steps from version 1 on: the first one leads to version 2.
pub(super) const STEPS: &[Step] = &[];

/// The version that all steps lead to.
pub(super) fn latest(steps: &[Step]) -> u32 {
    1 + steps.len() as u32
}

/// The version of what a store holds; `None` for a store that was just created.
pub(super) fn schema_of(store: &dyn Store) -> Result<Option<u32>, StoreError> {
    let Some(value) = store.get(Table::Meta, SCHEMA_KEY)? else { return Ok(None) };
    match <[u8; 4]>::try_from(value.as_slice()).map(u32::from_be_bytes) {
        Ok(version) if version > 0 => Ok(Some(version)),
        _ => Err(StoreError::corrupt("the store", "its schema version is unreadable")),
    }
}

/// A batch that records a version.
pub(super) fn record(batch: &mut Batch, version: u32) {
    batch.put(Table::Meta, SCHEMA_KEY, version.to_be_bytes().to_vec());
}

/// Takes the steps that a store of version `from` still needs.
pub(super) fn migrate(store: &dyn Store, from: u32, steps: &[Step]) -> Result<(), StoreError> {
    for (version, step) in (2..).zip(steps).filter(|(version, _)| *version > from) {
        tracing::info!(version, "bringing the store's schema forward");
        let mut batch = step(store)?;
        record(&mut batch, version);
        store.commit(&batch)?;
    }
    Ok(())
}

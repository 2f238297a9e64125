//! Old data folders are migrated, one schema version at a time.
//!
//! A step may be large, so it takes many commits and records in the store how far it has come; the last commit
//! records the version. If the process is killed, the next start continues where it stopped. `format.json`
//! names the new version before the first commit, so an older program never opens a half-migrated folder.

mod hop_times;
mod item_media;
mod published_ids;
mod rewrite;
mod source_origins;

use super::{Batch, SCHEMA_KEY, Store, StoreError, Table};

/// Migrates the rows of one version to the next. What it returns is committed together with the version; it
/// must not repeat what it has committed before, if it is run again.
pub(super) type Step = fn(&dyn Store) -> Result<Batch, StoreError>;

/// The steps from version 1 on: the first one leads to version 2.
pub(super) const STEPS: &[Step] =
    &[hop_times::step, source_origins::step, item_media::step, published_ids::step];

/// The version that all steps lead to.
pub(super) const fn latest(steps: &[Step]) -> u32 {
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

/// Runs the steps that a store of version `from` still needs.
pub(super) fn migrate(store: &dyn Store, from: u32, steps: &[Step]) -> Result<(), StoreError> {
    for (version, step) in (2..).zip(steps).filter(|(version, _)| *version > from) {
        tracing::info!(version, "migrating the store to a newer schema");
        let mut batch = step(store)?;
        record(&mut batch, version);
        store.commit(&batch)?;
    }
    Ok(())
}

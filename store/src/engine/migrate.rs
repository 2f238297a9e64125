//! Old data folders are migrated, one schema version at a time.
//!
//! A step may be large, so it takes many commits and records in the store how far it has come; the last commit
//! records the version. If the process is killed, the next start continues where it stopped. `format.json`
//! names the new version before the first commit, so an older program never opens a half-migrated folder.

mod entry_dates;
mod hop_times;
mod item_media;
mod published_ids;
mod rewrite;
mod row_seals;
mod source_origins;

use super::{Batch, SCHEMA_KEY, Store, StoreError, Table, seal};

/// Migrates the rows of one version to the next. What it returns is committed together with the version; it
/// must not repeat what it has committed before, if it is run again.
pub(super) type Step = fn(&dyn Store) -> Result<Batch, StoreError>;

/// The steps from version 1 on: the first one leads to version 2.
pub(super) const STEPS: &[Step] = &[
    hop_times::step,
    source_origins::step,
    item_media::step,
    published_ids::step,
    row_seals::step,
    entry_dates::step,
];

/// From this version on rows have seals, this one's own included.
const SEALED: u32 = 6;

/// The version that all steps lead to.
pub(super) const fn latest(steps: &[Step]) -> u32 {
    1 + steps.len() as u32
}

/// The version of what a store holds; `None` for a store that was just created.
pub(super) fn schema_of(store: &dyn Store) -> Result<Option<u32>, StoreError> {
    let Some(value) = store.get(Table::Meta, SCHEMA_KEY)? else { return Ok(None) };
    let unsealed = seal::unseal(Table::Meta, SCHEMA_KEY, &value).unwrap_or(&value);
    match <[u8; 4]>::try_from(unsealed).map(u32::from_be_bytes) {
        Ok(version) if version > 0 && (version >= SEALED) == (unsealed.len() < value.len()) => {
            Ok(Some(version))
        }
        _ => Err(StoreError::corrupt("the store", "its schema version is unreadable")),
    }
}

/// A batch that records a version.
pub(super) fn record(batch: &mut Batch, version: u32) {
    let mut value = version.to_be_bytes().to_vec();
    if version >= SEALED {
        seal::seal(Table::Meta, SCHEMA_KEY, &mut value);
    }
    batch.put(Table::Meta, SCHEMA_KEY, value);
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

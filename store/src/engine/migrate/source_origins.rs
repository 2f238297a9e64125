//! To version 3: a source has an origin, may be private, may have credentials, may be in
//! folders, and may count as old what it shows first.
//!
//! The new fields follow the old ones, so the old bytes stay and the new ones are appended. The origin of a source
//! that was there before comes from the address it has now, because the keys of its items were made from that
//! address.

use pergola_feed::address;

use super::rewrite::{Unreadable, rewrite};
use crate::engine::{Batch, Store, StoreError, Table};

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    rewrite(store, Table::Source, "source origins", converted)
}

/// Origin, private, credentials (a user or header, and a secret), folders, only new items.
type Appended = (u128, bool, Option<(String, String)>, Vec<String>, bool);

fn converted(row: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let (url, _): (&str, _) = postcard::take_from_bytes(row)?;
    let appended: Appended = (address::origin_of(url).0, false, None, Vec::new(), false);
    Ok(postcard::to_extend(&appended, row.to_vec())?)
}

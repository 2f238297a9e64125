//! To version 2: each node that an item has passed is stored with the times it reported.
//!
//! The items of both versions are spelt out here in plain types, so later changes to items do not change
//! them. A chunk that cannot be read stays as it is: it could not be read before either, and whoever reads
//! it gets an error.

use serde::{Deserialize, Serialize};

use super::rewrite::{Unreadable, rewrite};
use crate::engine::{Batch, Store, StoreError, Table};

/// No chunk is larger when unpacked.
const MAX_UNPACKED: usize = 256 << 20;

/// An item as both versions have it, except for what is known of a hop.
#[derive(Serialize, Deserialize)]
pub(super) struct Item<Hop> {
    pub(super) id: String,
    guid: Option<String>,
    title: Option<String>,
    link: Option<String>,
    links: Vec<(String, String, Option<String>)>,
    summary: Option<Text>,
    content: Option<Text>,
    authors: Vec<[Option<String>; 3]>,
    categories: Vec<(String, Option<String>)>,
    /// Published, updated, first seen.
    times: [Option<i64>; 3],
    enclosures: Vec<(String, Option<String>, Option<u64>)>,
    /// Id, title, feed, home.
    pub(super) origin: Option<[Option<String>; 4]>,
    hops: Vec<Hop>,
}

/// A kind's number and a body.
type Text = (u32, String);
/// A chunk's row: when it was delivered, its length when unpacked, and its packed items.
type Row = (f64, u64, Vec<u8>);
/// A node.
type Before = String;
/// A node, when it got the item, and when it published it.
pub(super) type After = (String, Option<i64>, Option<i64>);

pub(super) fn step(store: &dyn Store) -> Result<Batch, StoreError> {
    rewrite(store, Table::Chunk, "hop times", converted)
}

fn converted(value: &[u8]) -> Result<Vec<u8>, Unreadable> {
    let (at, length, packed): Row = postcard::from_bytes(value)?;
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_UNPACKED);
    let items: Vec<Item<Before>> = postcard::from_bytes(&zstd::bulk::decompress(&packed, length)?)?;
    let items: Vec<Item<After>> = items.into_iter().map(with_times).collect();
    let items = postcard::to_stdvec(&items)?;
    let row: Row = (at, items.len() as u64, zstd::bulk::compress(&items, 1)?);
    Ok(postcard::to_stdvec(&row)?)
}

fn with_times(item: Item<Before>) -> Item<After> {
    Item {
        id: item.id,
        guid: item.guid,
        title: item.title,
        link: item.link,
        links: item.links,
        summary: item.summary,
        content: item.content,
        authors: item.authors,
        categories: item.categories,
        times: item.times,
        enclosures: item.enclosures,
        origin: item.origin,
        hops: item.hops.into_iter().map(|node| (node, None, None)).collect(),
    }
}

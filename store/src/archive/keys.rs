//! The keys that rows are found by. Numbers in keys are big-endian, so that rows lie in order.

use super::{Edit, FeedId, ItemKey, SourceId};

/// Something that rows are found by.
pub(crate) trait RowKey {
    fn to_key(self) -> [u8; 4];
    fn from_key(key: &[u8]) -> Self;
}

impl RowKey for SourceId {
    fn to_key(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    fn from_key(key: &[u8]) -> Self {
        Self(number(key))
    }
}

impl RowKey for FeedId {
    fn to_key(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    fn from_key(key: &[u8]) -> Self {
        Self(number(key))
    }
}

fn number(key: &[u8]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The source and the number of a chunk.
pub(super) fn chunk_of(key: &[u8]) -> (SourceId, u32) {
    (SourceId::from_key(key), key.last_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes)))
}

pub(super) fn chunk_key(source: SourceId, chunk: u32) -> [u8; 8] {
    join(source.0, chunk.to_be_bytes())
}

/// Definitions lie before tallies, so that all definitions can be read in one go.
pub(super) fn feed_key(feed: FeedId) -> [u8; 5] {
    let [a, b, c, d] = feed.0.to_be_bytes();
    [0, a, b, c, d]
}

pub(super) fn feed_tally_key(feed: FeedId) -> [u8; 5] {
    let [_, a, b, c, d] = feed_key(feed);
    [1, a, b, c, d]
}

/// What is known of peers lies before what is asked of them.
pub(super) fn link_key(source: SourceId) -> [u8; 5] {
    feed_key(FeedId(source.0))
}

pub(super) fn wish_key(source: SourceId) -> [u8; 5] {
    feed_tally_key(FeedId(source.0))
}

pub(super) fn entry_key(feed: FeedId, sequence: u64) -> [u8; 12] {
    join(feed.0, sequence.to_be_bytes())
}

pub(super) fn sequence_of(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

pub(super) fn member_key(feed: FeedId, item: ItemKey) -> [u8; 20] {
    join(feed.0, item.0.to_be_bytes())
}

pub(super) fn edit_key(feed: FeedId, edit: Edit) -> [u8; 20] {
    let place = u128::from(edit.edition) << 64 | u128::from(edit.sequence);
    join(feed.0, place.to_be_bytes())
}

pub(super) fn edit_of(key: &[u8]) -> Edit {
    let place = key.last_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes));
    Edit { edition: (place >> 64) as u64, sequence: place as u64 }
}

pub(super) fn minute_of(key: &[u8]) -> u64 {
    sequence_of(key)
}

fn join<const N: usize, const M: usize>(head: u32, tail: [u8; N]) -> [u8; M] {
    let mut key = [0; M];
    let parts = head.to_be_bytes().into_iter().chain(tail);
    key.iter_mut().zip(parts).for_each(|(slot, byte)| *slot = byte);
    key
}

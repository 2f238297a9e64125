//! The keys that rows are found by. Numbers in keys are big-endian, so rows are in the order of the numbers.

use pergola_accounts::UserId;
use pergola_manners::source::{ItemKey, ItemNumber, SourceId};

use crate::records::{Channel, Edit, FeedId, Mark};

/// The key of a row that the node has once.
pub(crate) const NODE: &[u8] = b"node";
pub(crate) const NODE_COPY: &[u8] = b"node copy";
pub(crate) const SELECTIVITY: &[u8] = b"all";
/// What the search index consists of; its segments come after it.
pub(crate) const MANIFEST: &[u8] = &[0];

/// A number that rows are found by.
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

impl RowKey for UserId {
    fn to_key(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    fn from_key(key: &[u8]) -> Self {
        Self(number(key))
    }
}

/// Sources have even numbers, feeds odd ones.
impl RowKey for Channel {
    fn to_key(self) -> [u8; 4] {
        let number = match self {
            Self::Source(id) => id.0 << 1,
            Self::Feed(id) => id.0 << 1 | 1,
        };
        number.to_be_bytes()
    }

    fn from_key(key: &[u8]) -> Self {
        let number = number(key);
        match number & 1 {
            0 => Self::Source(SourceId(number >> 1)),
            _ => Self::Feed(FeedId(number >> 1)),
        }
    }
}

fn number(key: &[u8]) -> u32 {
    key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The source and the number of a chunk.
pub(crate) fn chunk_of(key: &[u8]) -> (SourceId, u32) {
    (SourceId::from_key(key), key.last_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes)))
}

pub(crate) fn chunk_key(source: SourceId, chunk: u32) -> [u8; 8] {
    join(source.0, chunk.to_be_bytes())
}

/// All records of feeds come before all tallies, so that the records are one range.
pub(crate) fn feed_key(feed: FeedId) -> [u8; 5] {
    in_range(0, feed.to_key())
}

pub(crate) fn feed_tally_key(feed: FeedId) -> [u8; 5] {
    in_range(1, feed.to_key())
}

/// … and before what is known of their old ids.
pub(crate) fn old_ids_key(feed: FeedId) -> [u8; 5] {
    in_range(2, feed.to_key())
}

/// What is known of peers comes before what is asked of them.
pub(crate) fn link_key(source: SourceId) -> [u8; 5] {
    in_range(0, source.to_key())
}

pub(crate) fn wish_key(source: SourceId) -> [u8; 5] {
    in_range(1, source.to_key())
}

/// Removed sources come before removed feeds.
pub(crate) fn removed_source_key(source: SourceId) -> [u8; 5] {
    in_range(0, source.to_key())
}

pub(crate) fn removed_feed_key(feed: FeedId) -> [u8; 5] {
    in_range(1, feed.to_key())
}

fn in_range(range: u8, [a, b, c, d]: [u8; 4]) -> [u8; 5] {
    [range, a, b, c, d]
}

pub(crate) fn entry_key(feed: FeedId, sequence: u64) -> [u8; 12] {
    join(feed.0, sequence.to_be_bytes())
}

pub(crate) fn sequence_of(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

pub(crate) fn member_key(feed: FeedId, item: ItemKey) -> [u8; 20] {
    join(feed.0, item.0.to_be_bytes())
}

/// The item of a row that a feed has for each of its items.
pub(crate) fn member_of(key: &[u8]) -> ItemKey {
    ItemKey(key.last_chunk().map_or(0, |item| u128::from_be_bytes(*item)))
}

pub(crate) fn edit_key(feed: FeedId, edit: Edit) -> [u8; 20] {
    let both = u128::from(edit.edition) << 64 | u128::from(edit.sequence);
    join(feed.0, both.to_be_bytes())
}

pub(crate) fn edit_of(key: &[u8]) -> Edit {
    let both = key.last_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes));
    Edit { edition: (both >> 64) as u64, sequence: both as u64 }
}

pub(crate) fn minute_of(key: &[u8]) -> u64 {
    sequence_of(key)
}

pub(crate) fn app_password_key(user: UserId, number: u32) -> [u8; 8] {
    join(user.0, number.to_be_bytes())
}

pub(crate) fn following_key(user: UserId, feed: FeedId) -> [u8; 8] {
    join(user.0, feed.to_key())
}

/// What was read comes before what was starred.
pub(crate) fn mark_key(user: UserId, mark: Mark, item: ItemNumber) -> [u8; 13] {
    let [a, b, c, d] = user.to_key();
    let [e, f, g, h, i, j, k, l] = item.0.to_be_bytes();
    [a, b, c, d, mark as u8, e, f, g, h, i, j, k, l]
}

pub(crate) fn starred_key(item: ItemNumber) -> [u8; 8] {
    item.0.to_be_bytes()
}

/// The item of a mark or of a starred item.
pub(crate) fn item_of(key: &[u8]) -> ItemNumber {
    ItemNumber(sequence_of(key))
}

/// The last four bytes of a key as a number.
pub(crate) fn last_number(key: &[u8]) -> u32 {
    key.last_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// A row of a segment of the search index.
pub(crate) fn segment_key(segment: u32, key: &[u8]) -> Vec<u8> {
    [&[1], &segment.to_be_bytes()[..], key].concat()
}

/// The segment that a row of the search index belongs to, and the row's key there.
pub(crate) fn segment_of(key: &[u8]) -> Option<(u32, &[u8])> {
    let (segment, rest) = key.strip_prefix(&[1])?.split_first_chunk()?;
    Some((u32::from_be_bytes(*segment), rest))
}

fn join<const N: usize, const M: usize>(head: u32, tail: [u8; N]) -> [u8; M] {
    let mut key = [0; M];
    let parts = head.to_be_bytes().into_iter().chain(tail);
    key.iter_mut().zip(parts).for_each(|(slot, byte)| *slot = byte);
    key
}

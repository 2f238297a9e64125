//! Large values cut into parts, for an engine that stores only small ones safely.
//!
//! sled writes a page of up to about twenty rows as one record, and records over 128 kB go to files
//! that it never syncs. So a value above [`PART_BYTES`] is stored as a head (its first part, its
//! length and its checksum) and continuation rows. A head is recognised by being longer than a part, so
//! small values are stored as they are. Keys of continuation rows start with a byte that no table
//! has and end with four bytes for the number: no two rows can have the same.

use super::Table;

/// The longest value that is stored whole. Twenty of them with the longest keys stay below 128 kB;
/// with parts of 16 kB, full pages were seen to go to the files that are not synced.
pub(super) const PART_BYTES: usize = 5 << 10;

/// First byte of the keys of continuation rows.
const CONTINUATION: u8 = 0xff;

/// Length and checksum at the end of a head.
const TRAILER_BYTES: usize = 8;

/// Whether what is stored in a row is the head of a value in parts.
pub(super) fn is_head(stored: &[u8]) -> bool {
    stored.len() > PART_BYTES
}

/// The head of a value that is too long to be stored whole.
pub(super) fn head(value: &[u8]) -> Vec<u8> {
    let mut head = Vec::with_capacity(PART_BYTES + TRAILER_BYTES);
    head.extend_from_slice(&value[..PART_BYTES]);
    head.extend_from_slice(&(value.len() as u32).to_be_bytes());
    head.extend_from_slice(&checksum(value).to_be_bytes());
    head
}

/// The continuation rows of a value: number (from 1) and bytes.
pub(super) fn continuations(value: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    (1..).zip(value.chunks(PART_BYTES).skip(1))
}

/// How many continuation rows belong to what is stored in a row.
pub(super) fn count(stored: &[u8]) -> u32 {
    let (length, _) = trailer(stored).unwrap_or_default();
    (length.div_ceil(PART_BYTES) as u32).saturating_sub(1)
}

/// The key of a continuation row; `row` is the engine's key of the head.
pub(super) fn key(row: &[u8], number: u32) -> Vec<u8> {
    let mut key = Vec::with_capacity(row.len() + 5);
    key.push(CONTINUATION);
    key.extend_from_slice(row);
    key.extend_from_slice(&number.to_be_bytes());
    key
}

/// What the keys of all continuation rows of a table start with.
pub(super) fn prefix(table: Table) -> [u8; 2] {
    [CONTINUATION, table as u8]
}

/// The whole value, or nothing if the parts do not belong together.
pub(super) fn join<P: AsRef<[u8]>, E>(
    head: &[u8],
    mut part: impl FnMut(u32) -> Result<Option<P>, E>,
) -> Result<Option<Vec<u8>>, E> {
    let Some((length, sum)) = trailer(head) else { return Ok(None) };
    let mut value = Vec::with_capacity(length);
    value.extend_from_slice(&head[..PART_BYTES]);
    for number in 1..=count(head) {
        let Some(part) = part(number)? else { return Ok(None) };
        value.extend_from_slice(part.as_ref());
    }
    Ok(Some(value).filter(|value| value.len() == length && checksum(value) == sum))
}

/// Length and checksum from the end of a head, if it is one.
fn trailer(stored: &[u8]) -> Option<(usize, u32)> {
    let trailer: [u8; TRAILER_BYTES] = stored.get(PART_BYTES..)?.try_into().ok()?;
    let [a, b, c, d, e, f, g, h] = trailer;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    (length <= super::MAX_VALUE_BYTES).then_some((length, u32::from_be_bytes([e, f, g, h])))
}

fn checksum(value: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(value);
    sum.sum()
}

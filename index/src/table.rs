//! The documents of a segment: in the order of results, and by the number of their item.
//!
//! Blocks of documents hold one column after another. A bucket holds the documents whose mixed numbers begin with the
//! same bits: for each 16 further bits and the document. Mixed numbers are evenly spread, so buckets are equally large.

use crate::bytes::{Reader, put, put_signed};
use crate::document::Document;
use crate::rows::{Row, Rows, kind};

/// Documents in a block.
pub(crate) const BLOCK: usize = 128;
/// Documents in a bucket, about.
const BUCKET: usize = 512;
/// Bits of a mixed number.
const BITS: u32 = 64;
/// Bytes of a document in a bucket.
const ENTRY: usize = 4;

fn block_key(block: usize) -> [u8; 3] {
    let [.., high, low] = (block as u32).to_be_bytes();
    [kind::DOCUMENTS, high, low]
}

fn bucket_key(bucket: u64) -> [u8; 3] {
    let [.., high, low] = bucket.to_be_bytes();
    [kind::NUMBERS, high, low]
}

/// The bits of a number that choose the bucket, among so many documents.
fn bucket_bits(documents: usize) -> u32 {
    documents.div_ceil(BUCKET).next_power_of_two().trailing_zeros()
}

/// The bucket of a number, and its further bits there.
fn place_of(number: u64, documents: usize) -> (u64, u16) {
    let (mixed, bits) = (mixed(number), bucket_bits(documents));
    let bucket = mixed.checked_shr(BITS - bits).unwrap_or(0);
    (bucket, (mixed >> (BITS - bits - 16)) as u16)
}

/// Every bit of the result depends on every bit of the number: the numbers of similar items are similar.
fn mixed(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The rows of documents, which are in order.
pub(crate) fn rows_of(documents: &[Document]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (block, some) in documents.chunks(BLOCK).enumerate() {
        rows.push((block_key(block).to_vec(), encoded(some)));
    }
    let mut entries: Vec<(u64, u16, u16)> = Vec::with_capacity(documents.len());
    for (place, document) in (0..).zip(documents) {
        let (bucket, further) = place_of(document.number, documents.len());
        entries.push((bucket, further, place));
    }
    entries.sort_unstable();
    for some in entries.chunk_by(|one, other| one.0 == other.0) {
        let bytes = some.iter().flat_map(|(_, further, place)| {
            let ([a, b], [c, d]) = (further.to_be_bytes(), place.to_be_bytes());
            [a, b, c, d]
        });
        rows.push((bucket_key(some[0].0).to_vec(), bytes.collect()));
    }
    rows
}

fn encoded(documents: &[Document]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 * documents.len());
    let mut before = 0_i64;
    for document in documents {
        put_signed(&mut bytes, before.wrapping_sub(document.date));
        before = document.date;
    }
    for document in documents {
        put_signed(&mut bytes, document.arrived.wrapping_sub(document.date));
    }
    documents.iter().for_each(|document| put(&mut bytes, document.source.into()));
    documents.iter().for_each(|document| put(&mut bytes, document.chunk.into()));
    documents.iter().for_each(|document| put(&mut bytes, document.index.into()));
    documents.iter().for_each(|document| bytes.extend(document.number.to_be_bytes()));
    bytes
}

fn decoded(bytes: &[u8], count: usize) -> Option<Vec<Document>> {
    let mut reader = Reader(bytes);
    let nothing = Document { number: 0, source: 0, chunk: 0, index: 0, date: 0, arrived: 0 };
    let mut documents = vec![nothing; count];
    let mut before = 0_i64;
    for document in &mut documents {
        document.date = before.wrapping_sub(reader.signed()?);
        before = document.date;
    }
    for document in &mut documents {
        document.arrived = reader.signed()?.wrapping_add(document.date);
    }
    for document in &mut documents {
        document.source = reader.small()?;
    }
    for document in &mut documents {
        document.chunk = reader.small()?;
    }
    for document in &mut documents {
        document.index = reader.small()?;
    }
    for document in &mut documents {
        document.number = u64::from_be_bytes(*reader.take(8)?.first_chunk()?);
    }
    reader.is_empty().then_some(documents)
}

/// One block of so many documents in all.
pub(crate) fn block<R: Rows>(
    rows: &R,
    documents: usize,
    block: usize,
) -> Result<Vec<Document>, R::Error> {
    let key = block_key(block);
    let count = documents.saturating_sub(block * BLOCK).min(BLOCK);
    let bytes = rows.get(&key)?;
    let read = bytes.and_then(|bytes| decoded(&bytes, count));
    read.ok_or_else(|| rows.broken(&key))
}

/// The documents that may have a number: certainly those that have it, and hardly any other.
pub(crate) fn numbered<R: Rows>(
    rows: &R,
    documents: usize,
    number: u64,
) -> Result<Vec<u16>, R::Error> {
    let (bucket, further) = place_of(number, documents);
    let key = bucket_key(bucket);
    let Some(bytes) = rows.get(&key)? else { return Ok(Vec::new()) };
    let (entries, []) = bytes.as_chunks::<ENTRY>() else { return Err(rows.broken(&key)) };
    let further_of = |[a, b, _, _]: &[u8; ENTRY]| u16::from_be_bytes([*a, *b]);
    let from = entries.partition_point(|entry| further_of(entry) < further);
    let same = entries[from..].iter().take_while(|entry| further_of(entry) == further);
    Ok(same.map(|[_, _, c, d]| u16::from_be_bytes([*c, *d])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_equally_large_although_numbers_are_similar() {
        for step in [1_u64, 1 << 23, 1 << 40] {
            let documents = 40_000;
            let mut sizes = vec![0; 1 << bucket_bits(documents)];
            let mut places = std::collections::HashSet::new();
            for number in 0..documents as u64 {
                let place = place_of(number.wrapping_mul(step), documents);
                sizes[place.0 as usize] += 1;
                places.insert(place);
            }
            let mean = documents / sizes.len();
            let usual = mean * 3 / 4..mean * 5 / 4;
            assert!(sizes.iter().all(|size| usual.contains(size)), "{step}: {sizes:?}");
            assert!(places.len() > 39_500, "{step}: {}", places.len());
        }
    }
}

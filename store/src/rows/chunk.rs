//! Items that a source delivered together, in one row: compressed as a whole, yet each can be read alone.
//!
//! The row holds when they were delivered, their length when unpacked, the packed items one after another,
//! and where each begins. Older rows end before that last part.

use pergola_feed::Item;
use serde::{Deserialize, Serialize, Serializer};

use super::packing::{pack, unpack};
use super::{Nonsense, Stored, encode_onto, write_onto};

/// The items of a chunk, unpacked but not yet decoded.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Chunk {
    /// Their number, and then one after another.
    bytes: Vec<u8>,
    /// Where each begins, if that is known.
    starts: Vec<u32>,
}

impl Chunk {
    /// Unpacks what is in a row.
    pub(crate) fn of_row(row: &[u8]) -> Result<Self, Nonsense> {
        type Packed<'a> = (f64, u64, &'a [u8]);
        let ((_, length, packed), rest): (Packed<'_>, _) = read(row)?;
        let starts = if rest.is_empty() { Vec::new() } else { read(rest)?.0 };
        let bytes = unpack(packed, length).map_err(|error| Nonsense(error.to_string()))?;
        Ok(Self { bytes, starts })
    }

    pub(crate) fn items(&self) -> Result<Vec<Item>, Nonsense> {
        if self.bytes.is_empty() {
            return Ok(Vec::new());
        }
        Stored::from_row(read(&self.bytes)?.0)
    }

    /// The item with an index, if there is one.
    pub(crate) fn item(&self, index: u16) -> Result<Option<Item>, Nonsense> {
        let index = usize::from(index);
        if self.starts.is_empty() {
            return Ok(self.items()?.into_iter().nth(index));
        }
        let from = self.starts.get(index).and_then(|start| self.bytes.get(*start as usize..));
        from.map(|bytes| Stored::from_row(read(bytes)?.0)).transpose()
    }
}

/// How many items are in a row, without unpacking them; nothing for an older row, which does not say.
pub(crate) fn count_of(row: &[u8]) -> Option<u32> {
    let ((_, _, _), rest): ((f64, u64, &[u8]), _) = read(row).ok()?;
    let (starts, _): (Vec<u32>, _) = read(rest).ok()?;
    Some(starts.len() as u32)
}

/// When the items of a row were delivered.
pub(crate) fn delivered_at(row: &[u8]) -> Result<f64, Nonsense> {
    Ok(read(row)?.0)
}

/// The row of items that were delivered at an instant.
pub(crate) fn row_of(at: f64, items: &[&Item]) -> Vec<u8> {
    let texts = items.iter().flat_map(|item| [&item.summary, &item.content]).flatten();
    let guess = texts.map(|text| text.body.len()).sum::<usize>() + 512 * items.len();
    let mut bytes = write_onto(&items.len(), Vec::with_capacity(guess));
    let mut starts = Vec::with_capacity(items.len());
    for item in items {
        starts.push(bytes.len() as u32);
        bytes = encode_onto(*item, bytes);
    }
    let packed = pack(&bytes);
    let room = Vec::with_capacity(packed.len() + 5 * starts.len() + 36);
    write_onto(&(at, bytes.len() as u64, Raw(&packed), starts), room)
}

/// Bytes written at once rather than one by one; the result is the same.
struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), Nonsense> {
    postcard::take_from_bytes(bytes).map_err(|error| Nonsense(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<Item> {
        let titled = |n: usize| Item {
            title: Some("word ".repeat(n)),
            ..Item::new(format!("https://example.org/{n}"))
        };
        (0..20).map(titled).collect()
    }

    #[test]
    fn items_are_read_one_by_one_and_together() {
        let items = items();
        let row = row_of(7.0, &items.iter().collect::<Vec<_>>());
        let chunk = Chunk::of_row(&row).unwrap();
        assert_eq!(chunk.items().unwrap(), items);
        assert_eq!(chunk.item(0).unwrap().as_ref(), Some(&items[0]));
        assert_eq!(chunk.item(19).unwrap().as_ref(), Some(&items[19]));
        assert_eq!(chunk.item(20).unwrap(), None);
        assert_eq!(postcard::take_from_bytes::<f64>(&row).unwrap().0, 7.0);
    }

    #[test]
    fn a_row_without_starts_is_read_as_before() {
        let items = items();
        let bytes = super::super::encode(&items);
        let old = postcard::to_stdvec(&(7.0, bytes.len() as u64, pack(&bytes))).unwrap();
        let chunk = Chunk::of_row(&old).unwrap();
        assert_eq!(chunk.items().unwrap(), items);
        assert_eq!(chunk.item(3).unwrap().as_ref(), Some(&items[3]));
        assert_eq!(chunk.item(20).unwrap(), None);
        let new = row_of(7.0, &items.iter().collect::<Vec<_>>());
        assert_eq!(new[..old.len()], old, "an older program reads what it knows");
    }

    #[test]
    fn a_damaged_row_is_an_error() {
        let items = items();
        let row = row_of(7.0, &items.iter().collect::<Vec<_>>());
        for length in [0, 4, 12, row.len() / 2] {
            assert!(Chunk::of_row(&row[..length]).is_err(), "{length}");
        }
        let beyond = Chunk { bytes: vec![1, 2], starts: vec![9] };
        assert_eq!(beyond.item(0).unwrap(), None);
        let nonsense = Chunk { bytes: vec![0xff; 40], starts: vec![0] };
        assert!(nonsense.item(0).is_err());
    }
}

//! A checksum at the end of every row, so that damage is found where it is read.
//!
//! It covers the table, the key and the value: a row that turns up under another key is damaged, too. The
//! engines know nothing of it; a row keeps its seal in backups and when it moves to another engine. Rows have
//! seals since version 6 of the schema.

use super::Table;

/// Bytes of a seal.
pub(crate) const BYTES: usize = 4;

/// Appends the seal of a row to its value.
pub(crate) fn seal(table: Table, key: &[u8], value: &mut Vec<u8>) {
    let sum = checksum(table, key, value);
    value.extend_from_slice(&sum.to_be_bytes());
}

/// The value of a row without its seal; nothing if the seal does not fit.
pub(crate) fn unseal<'a>(table: Table, key: &[u8], row: &'a [u8]) -> Option<&'a [u8]> {
    let (value, seal) = row.split_last_chunk::<BYTES>()?;
    (checksum(table, key, value).to_be_bytes() == *seal).then_some(value)
}

/// The value of a row that was just sealed.
pub(crate) fn unchecked(row: &[u8]) -> &[u8] {
    &row[..row.len().saturating_sub(BYTES)]
}

fn checksum(table: Table, key: &[u8], value: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(&[table as u8]);
    sum.update(key);
    sum.update(value);
    sum.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_of_table_key_and_value_is_noticed() {
        let mut row = b"a value".to_vec();
        seal(Table::Chunk, b"key", &mut row);
        assert_eq!(row.len(), 7 + BYTES);
        assert_eq!(unseal(Table::Chunk, b"key", &row), Some(&b"a value"[..]));
        assert_eq!(unchecked(&row), b"a value");
        assert_eq!(unseal(Table::Chunk, b"kez", &row), None);
        assert_eq!(unseal(Table::Known, b"key", &row), None);
        for bit in 0..row.len() * 8 {
            let mut flipped = row.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(unseal(Table::Chunk, b"key", &flipped), None, "bit {bit}");
        }
        for length in 0..row.len() {
            assert_eq!(unseal(Table::Chunk, b"key", &row[..length]), None, "{length} bytes");
        }
    }
}

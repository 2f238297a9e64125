//! The entries of one feed by date.

use crate::row::{Packed, Place, Row};

/// So many new entries are put in their places one by one; more are sorted together.
const ONE_BY_ONE: usize = 8;

/// The entries of a feed, oldest date first.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The number of the entry with offset 0.
    base: u64,
    rows: Vec<Packed>,
}

impl Table {
    pub(crate) fn rows(&self) -> &[Packed] {
        &self.rows
    }

    pub(crate) fn row(&self, packed: &Packed) -> Row {
        packed.unpacked(self.base)
    }

    /// The newest date.
    pub(crate) fn newest(&self) -> Option<f64> {
        self.rows.last().map(|row| row.place().seconds())
    }

    /// Adds entries that it does not have.
    pub(crate) fn extend(&mut self, new: &[Row]) {
        let Some(first) = new.iter().map(|row| row.sequence).min() else { return };
        let last = new.iter().map(|row| row.sequence).max().unwrap_or(first);
        self.make_room(first, last);
        // Vectors grow by doubling; an eighth is enough here, and saves memory.
        if self.rows.capacity() - self.rows.len() < new.len() {
            self.rows.reserve_exact(new.len().max(self.rows.len() / 8));
        }
        let offset =
            |row: &Row| row.sequence.saturating_sub(self.base).min(u64::from(u32::MAX)) as u32;
        let packed = new.iter().map(|row| Packed::new(row, offset(row)));
        if new.len() > ONE_BY_ONE {
            let packed: Vec<Packed> = packed.collect();
            self.rows.extend(packed);
            self.rows.sort_unstable_by_key(Packed::place);
            return;
        }
        for row in packed.collect::<Vec<_>>() {
            let place = self.rows.partition_point(|other| other.place() < row.place());
            self.rows.insert(place, row);
        }
    }

    /// Sees to it that these numbers can be written as offsets.
    fn make_room(&mut self, first: u64, last: u64) {
        if self.rows.is_empty() {
            self.base = first;
        }
        if first >= self.base && last - self.base <= u64::from(u32::MAX) {
            return;
        }
        let oldest = self.rows.iter().map(|row| row.offset).min().unwrap_or(0);
        let base = (self.base + u64::from(oldest)).min(first);
        for row in &mut self.rows {
            row.offset = (self.base + u64::from(row.offset) - base) as u32;
        }
        self.base = base;
    }

    /// Removes the entries below a number; says which items those were.
    pub(crate) fn remove_below(&mut self, sequence: u64) -> Vec<u64> {
        let mut removed = Vec::new();
        let base = self.base;
        self.rows.retain(|row| {
            let stays = base + u64::from(row.offset) >= sequence;
            if !stays {
                removed.push(row.number);
            }
            stays
        });
        removed
    }

    /// The place of the first entry that is not before this one.
    pub(crate) fn position(&self, place: Place) -> usize {
        self.rows.partition_point(|row| row.place() < place)
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Packed>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sequence: u64, dated: f64) -> Row {
        Row { number: 1000 + sequence, sequence, dated, arrived: 50.0 }
    }

    fn sequences(table: &Table) -> Vec<u64> {
        table.rows().iter().map(|packed| table.row(packed).sequence).collect()
    }

    #[test]
    fn entries_are_in_the_order_of_their_dates_however_they_come() {
        let mut table = Table::default();
        table.extend(&[row(5, 9.0), row(6, 3.0)]);
        let many: Vec<Row> = (7..20).map(|n| row(n, 20.0 - n as f64)).collect();
        table.extend(&many);
        table.extend(&[row(20, 4.5)]);
        let dates: Vec<f64> = table.rows().iter().map(|packed| table.row(packed).dated).collect();
        assert!(dates.is_sorted(), "{dates:?}");
        assert_eq!((dates.len(), table.newest()), (16, Some(13.0)));
        assert_eq!(table.remove_below(7), [1006, 1005], "by date");
        assert_eq!(table.rows().len(), 14);
    }

    #[test]
    fn numbers_may_grow_beyond_four_bytes_and_below_the_first() {
        let mut table = Table::default();
        let far = u64::from(u32::MAX) + 15;
        table.extend(&[row(10, 1.0), row(20, 2.0)]);
        table.remove_below(15);
        table.extend(&[row(far, 3.0)]);
        assert_eq!(sequences(&table), [20, far]);
        table.remove_below(21);
        table.extend(&[row(far - 9, 1.0)]);
        assert_eq!(sequences(&table), [far - 9, far]);
    }
}

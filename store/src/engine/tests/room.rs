//! The room that a store takes.

use super::*;

/// Rows that stay about as many while they come and go.
const ROWS: u64 = 1_000;
const LENGTH: usize = 1_500;

#[test]
fn a_store_whose_rows_come_and_go_does_not_grow_without_end() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let live = ROWS * (LENGTH as u64 + 708);
        for number in 0..6_000 {
            let mut batch = Batch::default();
            // As the writer of a node does it: a few rows at a time, all over the keys.
            let place = |number: u64| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_be_bytes();
            batch.put(Table::Chunk, place(number), content(LENGTH, number));
            batch.put(Table::State, (number * 7 % ROWS).to_be_bytes(), content(700, number));
            if number >= ROWS {
                batch.delete(Table::Chunk, place(number - ROWS));
            }
            store.commit(&batch).unwrap();
            if number % 500 == 0 {
                eprintln!("{backend} {number} {:.2}", store.bytes_on_disk() as f64 / live as f64);
            }
        }
    });
}

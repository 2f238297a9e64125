//! The room that a store takes.

use super::*;

/// Rows that are written again and again, and rows that come and go.
const SOURCES: u64 = 200;
const CHUNKS: u64 = 1_200;

/// What a node commits for some refreshes: states that are replaced, and items of which the oldest go.
fn refreshes(number: u64) -> Batch {
    let mut batch = Batch::default();
    for refresh in number * 5..number * 5 + 5 {
        let source = (refresh.wrapping_mul(0x9e37_79b9) % SOURCES).to_be_bytes();
        for (table, length) in [(Table::State, 800), (Table::Known, 3_000), (Table::Model, 2_500)] {
            batch.put(table, source, content(length, refresh));
        }
        let chunk = |number: u64| [(number % SOURCES).to_be_bytes(), number.to_be_bytes()].concat();
        batch.put(Table::Chunk, chunk(refresh), content(1_500, refresh));
        let member = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        batch.put(Table::Entry, refresh.to_be_bytes(), content(60, refresh));
        batch.put(Table::Member, member(refresh), content(10, refresh));
        if let Some(old) = refresh.checked_sub(CHUNKS) {
            batch.delete(Table::Chunk, chunk(old));
            batch.delete(Table::Entry, old.to_be_bytes());
            batch.delete(Table::Member, member(old));
        }
    }
    batch
}

#[test]
fn a_store_whose_rows_come_and_go_does_not_grow_without_end() {
    on_each_backend(|backend, folder| {
        let store = open_store(folder, backend);
        let live = || {
            let rows = Table::ALL.into_iter().flat_map(|table| all_rows(&*store, table));
            rows.map(|(key, value)| key.len() + value.len()).sum::<usize>() as f64
        };
        for number in 0..3_000 {
            store.commit(&refreshes(number)).unwrap();
        }
        let (disk, live) = (store.bytes_on_disk() as f64, live());
        assert!(
            disk < backend.unused_bytes() as f64 + 4.0 * live,
            "{backend} takes {disk} bytes for {live} that it holds"
        );
    });
}

//! Rows that are damaged, one of each kind: they are found, the rest is served, and they are mended.

use std::fs;

use pergola_feed::OriginId;
use pergola_manners::link::Link;
use pergola_manners::source::LOST;

use super::*;
use crate::engine::backup::write_backup;
use crate::engine::{Batch, open};
use crate::rows::keys::{self, RowKey};

const OTHER: SourceId = SourceId(4);
const URL: &str = "https://example.org/feed";

fn item(number: u32) -> Item {
    let id = format!("https://example.org/{number}");
    Item { guid: Some(id.clone()), title: Some(format!("Title {number}")), ..Item::new(id) }
}

fn key_of(item: &Item) -> ItemKey {
    item_key(&item.id, item, origin_of(URL))
}

/// A source with three chunks of two items, all of them in a feed.
fn filled() -> (Archive, tempfile::TempDir) {
    let (archive, folder) = archive();
    commit(&archive, |commit| {
        let mut known = Known { next_chunk: 3, ..Known::default() };
        for chunk in 0..3 {
            let items = [item(2 * chunk), item(2 * chunk + 1)];
            let at = f64::from(chunk);
            commit.source(SOURCE).put_chunk(chunk, at, &[&items[0], &items[1]]);
            for (index, item) in (0..).zip(&items) {
                let (key, digest) = (key_of(item), item.content_digest());
                known.items.push(KnownItem {
                    key,
                    digest,
                    chunk,
                    index,
                    first_seen: at,
                    seen_at: at,
                });
                let (changed_at, dated) = (at, at);
                let entry = Entry { key, source: SOURCE, chunk, index, at, changed_at, dated };
                commit.feed(FEED).put_entry(u64::from(chunk) * 2 + u64::from(index), &entry);
            }
        }
        let state = SourceState { title: Some("News".into()), ..SourceState::new(unknown()) };
        let part = commit.source(SOURCE);
        part.put_record(&SourceRecord::new(URL, 1.0));
        part.put_state(&state);
        part.put_model(&state.schedule);
        part.put_known(&known);
        let link = Link { cursor: "there".into(), ..Link::new(URL, "News".into()) };
        part.put_link(&link);
        commit.source(OTHER).put_record(&SourceRecord::new("https://example.com/", 1.0));
        let part = commit.feed(FEED);
        part.put_tally(&FeedTally { next: 6, edition: 3, changed_at: 2.0 });
        part.set_readers(Some(&["anna".to_owned()]));
        part.put_edit(Edit { edition: 2, sequence: 1 });
        let (id, statement) = ("node".to_owned(), "CREATE FEED f AS RETURN ALL;".to_owned());
        let record = FeedRecord { name: "f".into(), statement, created_at: 1.0, declared: false };
        part.put_record(&record);
        commit.node().put_record(&NodeRecord {
            id,
            threshold: None,
            next_source: 5,
            next_feed: 10,
        });
    });
    (archive, folder)
}

/// Flips a bit of a row's value.
fn flip(archive: &Archive, table: Table, key: &[u8]) {
    let mut row = archive.store().get(table, key).unwrap().unwrap();
    let middle = row.len() / 2;
    row[middle] ^= 4;
    let mut batch = Batch::default();
    batch.put(table, key, row);
    archive.store().commit(&batch).unwrap();
}

fn numbers(published: Vec<Published>) -> Vec<u64> {
    published.into_iter().map(|p| p.sequence).collect()
}

#[test]
fn scrubbing_finds_every_damaged_row_however_small_its_steps_are() {
    let (archive, _folder) = filled();
    archive.check().unwrap();
    assert!(archive.damage().is_empty(), "{:?}", archive.damage().rows());
    let damaged = [
        (Table::Meta, keys::NODE.to_vec()),
        (Table::Source, OTHER.to_key().to_vec()),
        (Table::Chunk, keys::chunk_key(SOURCE, 1).to_vec()),
        (Table::Entry, keys::entry_key(FEED, 5).to_vec()),
        (Table::Edit, keys::edit_key(FEED, Edit { edition: 2, sequence: 1 }).to_vec()),
    ];
    damaged.iter().for_each(|(table, key)| flip(&archive, *table, key));
    let mut place = Some(Place::default());
    let mut steps = 0;
    while let Some(from) = place {
        place = archive.scrub(from, 100).unwrap();
        steps += 1;
    }
    assert!(steps > 5, "{steps}");
    let mut expected = damaged.to_vec();
    expected.sort();
    assert_eq!(archive.damage().rows(), expected);
    assert_eq!(archive.damage().counts()[&Table::Chunk], 1);
}

#[test]
fn damaged_items_and_entries_are_passed_and_the_rest_is_served() {
    let (archive, _folder) = filled();
    flip(&archive, Table::Chunk, &keys::chunk_key(SOURCE, 1));
    assert_eq!(numbers(archive.after(FEED, 0, 10).unwrap()), [1, 4, 5]);
    assert_eq!(archive.damage().passed(), 2);
    flip(&archive, Table::Entry, &keys::entry_key(FEED, 5));
    assert_eq!(numbers(archive.window(FEED, 10).unwrap()), [4, 1, 0]);
    let mut chunks = Vec::new();
    archive.each_chunk(|_, number, _| chunks.push(number)).unwrap();
    assert_eq!(chunks, [0, 2]);
}

#[test]
fn a_source_read_with_its_state_starts_anew_if_that_is_damaged() {
    let (archive, _folder) = filled();
    let apart = (archive.source(SOURCE).unwrap(), archive.state_alone(SOURCE).unwrap());
    assert!(apart.0.is_some() && apart.1.is_some());
    assert_eq!(archive.source_and_state(SOURCE).unwrap(), apart);
    let (record, state) = archive.source_and_state(OTHER).unwrap();
    assert!(record.is_some() && state.is_none());
    flip(&archive, Table::State, &SOURCE.to_key());
    let (record, state) = archive.source_and_state(SOURCE).unwrap();
    assert_eq!((record, state), (apart.0, Some(SourceState::new(unknown()))));
    flip(&archive, Table::Source, &SOURCE.to_key());
    archive.source_and_state(SOURCE).unwrap_err();
    assert_eq!(archive.damage().rows().len(), 2);
}

#[test]
fn a_damaged_source_or_feed_does_not_keep_the_others_from_being_loaded() {
    let (archive, _folder) = filled();
    flip(&archive, Table::Source, &OTHER.to_key());
    flip(&archive, Table::Feed, &keys::feed_key(FEED));
    let there: Vec<SourceId> = archive.sources().unwrap().into_iter().map(|(id, _)| id).collect();
    assert_eq!(there, [SOURCE]);
    assert_eq!(archive.feeds().unwrap(), []);
    assert!(archive.source(OTHER).is_err());
    assert_eq!(archive.damage().rows().len(), 2);
}

#[test]
fn damage_never_opens_a_closed_feed() {
    let (archive, _folder) = filled();
    assert_eq!(archive.readers(FEED).unwrap(), Some(vec!["anna".to_owned()]));
    flip(&archive, Table::Reader, &FEED.to_key());
    assert_eq!(archive.readers(FEED).unwrap(), Some(Vec::new()));
}

#[test]
fn what_a_node_knows_of_itself_is_there_twice() {
    let (archive, _folder) = filled();
    flip(&archive, Table::Meta, keys::NODE);
    assert_eq!(archive.node().unwrap().unwrap().id, "node");
    flip(&archive, Table::Meta, keys::NODE_COPY);
    assert!(archive.node().is_err());
}

#[test]
fn what_was_seen_of_a_source_is_made_again_from_its_items() {
    let (archive, _folder) = filled();
    let before = archive.known(SOURCE).unwrap().unwrap();
    flip(&archive, Table::Known, &SOURCE.to_key());
    let again = archive.known(SOURCE).unwrap().unwrap();
    assert_eq!(again.items, before.items);
    assert_eq!(again.next_chunk, 3, "no chunk is written over");
    // A damaged chunk's number is not given again either.
    flip(&archive, Table::Chunk, &keys::chunk_key(SOURCE, 2));
    let again = archive.known(SOURCE).unwrap().unwrap();
    assert_eq!((again.items.len(), again.next_chunk), (4, 3));
}

#[test]
fn a_source_whose_state_is_damaged_starts_anew() {
    let (archive, _folder) = filled();
    flip(&archive, Table::State, &SOURCE.to_key());
    flip(&archive, Table::Model, &SOURCE.to_key());
    assert_eq!(archive.state(SOURCE).unwrap().unwrap().title, None);
    let mut all = Vec::new();
    archive.each_state(|id, _| all.push(id)).unwrap();
    assert_eq!(all, [SOURCE]);
    assert_eq!(archive.mend().unwrap(), 2);
    assert!(archive.damage().is_empty());
    assert!(archive.state(SOURCE).unwrap().is_some());
}

#[test]
fn rows_that_follow_from_others_are_mended() {
    let (archive, _folder) = filled();
    let before: Vec<_> = archive.entries(FEED, 0, 9, Order::Ascending, 9).unwrap();
    flip(&archive, Table::Feed, &keys::feed_tally_key(FEED));
    flip(&archive, Table::Member, &keys::member_key(FEED, key_of(&item(3))));
    flip(&archive, Table::Entry, &keys::entry_key(FEED, 1));
    assert_eq!(archive.feed_tally(FEED).unwrap().next, 6, "no number is given twice");
    assert_eq!(archive.member(FEED, key_of(&item(3))).unwrap(), Some(3));
    archive.check().unwrap();
    assert_eq!(archive.mend().unwrap(), 3);
    assert!(archive.damage().is_empty(), "{:?}", archive.damage().rows());
    assert_eq!(archive.entries(FEED, 0, 9, Order::Ascending, 9).unwrap(), before);
    let tally = archive.feed_tally(FEED).unwrap();
    assert!(tally.next == 6 && tally.edition > 3, "{tally:?}");
}

#[test]
fn lost_items_are_marked_so_that_the_next_refresh_brings_them() {
    let (archive, _folder) = filled();
    flip(&archive, Table::Chunk, &keys::chunk_key(SOURCE, 1));
    archive.check().unwrap();
    let lost = archive.lost().unwrap();
    assert_eq!(lost.len(), 1);
    assert_eq!((lost[0].source, &lost[0].chunks[..], lost[0].entries.len()), (SOURCE, &[1][..], 2));
    let link = archive.seek(&lost[0], 9.0).unwrap().unwrap();
    assert!(link.from_oldest && link.cursor.is_empty());
    let known = archive.known(SOURCE).unwrap().unwrap();
    let marked: Vec<u32> =
        known.items.iter().filter(|item| item.digest == LOST).map(|item| item.chunk).collect();
    assert_eq!(marked, [1, 1]);
    assert_eq!(archive.state(SOURCE).unwrap().unwrap().document, 0);
}

fn backup_of(archive: &Archive) -> Vec<u8> {
    let mut file = Vec::new();
    write_backup(&**archive.store(), &mut file, |_| ()).unwrap();
    file
}

#[test]
fn a_backup_repairs_what_nothing_else_can_and_keeps_what_came_after_it() {
    let (archive, folder) = filled();
    let backup = backup_of(&archive);
    commit(&archive, |commit| {
        commit.source(SourceId(8)).put_record(&SourceRecord::new("https://later.example/", 2.0));
        let entry = Entry {
            key: ItemKey(77),
            source: SOURCE,
            chunk: 2,
            index: 0,
            at: 9.0,
            changed_at: 9.0,
            dated: 9.0,
        };
        commit.feed(FEED).put_entry(6, &entry);
        commit.feed(FEED).put_tally(&FeedTally { next: 7, edition: 4, changed_at: 9.0 });
    });
    let damaged = [
        (Table::Source, OTHER.to_key().to_vec()),
        (Table::Feed, keys::feed_key(FEED).to_vec()),
        (Table::Feed, keys::feed_tally_key(FEED).to_vec()),
        (Table::Reader, FEED.to_key().to_vec()),
        (Table::Chunk, keys::chunk_key(SOURCE, 0).to_vec()),
        (Table::Known, SOURCE.to_key().to_vec()),
        (Table::Meta, keys::NODE.to_vec()),
        (Table::Meta, keys::NODE_COPY.to_vec()),
    ];
    damaged.iter().for_each(|(table, key)| flip(&archive, *table, key));
    drop(archive);
    let done = repair(folder.path(), None, Some(&mut &backup[..]), false, 9.0).unwrap();
    assert_eq!((done.found, done.left.len(), done.given_up), (8, 0, 0), "{done:?}");
    let archive = Archive::new(open(folder.path(), None, 1 << 20).unwrap().store);
    archive.check().unwrap();
    assert!(archive.damage().is_empty());
    assert_eq!(archive.sources().unwrap().len(), 3, "also the later one");
    assert_eq!(numbers(archive.window(FEED, 9).unwrap()), [6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(archive.feed_tally(FEED).unwrap().next, 7);
    assert_eq!(archive.readers(FEED).unwrap(), Some(vec!["anna".to_owned()]));
    assert_eq!(archive.known(SOURCE).unwrap().unwrap().next_chunk, 3);
    let node = archive.node().unwrap().unwrap();
    assert_eq!((node.next_source, node.next_feed), (9, 10), "no number is given twice");
    assert!(!folder.path().join("repairing").exists());
}

#[test]
fn without_a_backup_the_rest_stays_damaged_until_it_is_given_up() {
    let (archive, folder) = filled();
    flip(&archive, Table::Chunk, &keys::chunk_key(SOURCE, 1));
    flip(&archive, Table::Source, &OTHER.to_key());
    drop(archive);
    let done = repair(folder.path(), None, None, false, 9.0).unwrap();
    assert_eq!((done.found, done.sought, done.left.len()), (2, 1, 2), "{done:?}");
    let wrong = repair(folder.path(), None, Some(&mut &b"nonsense"[..]), true, 9.0);
    assert!(matches!(wrong, Err(RepairError::Backup(_))), "{wrong:?}");
    let done = repair(folder.path(), None, None, true, 9.0).unwrap();
    assert_eq!((done.given_up, done.left.len()), (2, 0), "{done:?}");
    let archive = Archive::new(open(folder.path(), None, 1 << 20).unwrap().store);
    assert_eq!(numbers(archive.window(FEED, 9).unwrap()), [5, 4, 1, 0]);
    assert_eq!(archive.damage().passed(), 0, "the entries are gone, too");
    assert!(fs::exists(folder.path().join("format.json")).unwrap());
    let ids: Vec<OriginId> = archive.sources().unwrap().iter().map(|(_, r)| r.origin).collect();
    assert_eq!(ids, [origin_of(URL)]);
}

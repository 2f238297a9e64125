use pergola_feed::{NodeId, Text};
use pergola_store as store;
use pergola_store::archive::{Commit, FeedId, FeedTally, ItemKey};
use url::Url;

use super::*;
use pergola_peers::wire::{ANSWER_BYTES, MESSAGE_BYTES};

const SOURCE: SourceId = SourceId(3);

/// A feed in a store, written as the writer would.
struct Bench {
    pager: Pager,
    feed: Listing,
    chunks: u32,
    _folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::new(store::open(folder.path(), None, 1 << 20).unwrap().store);
        let imprint = Imprint {
            name: "Test".into(),
            public_url: Url::parse("http://node.example/").unwrap(),
            node: NodeId("here".into()),
            hub: false,
        };
        let feed = Listing {
            id: FeedId(7),
            name: "Feed".into(),
            statement: String::new(),
            window: 3,
            order: None,
            tally: FeedTally::default(),
        };
        Self { pager: Pager::new(archive, imprint), feed, chunks: 0, _folder: folder }
    }

    /// With so many entries, each committed by itself.
    fn with(count: u64) -> Self {
        let mut bench = Self::new();
        (0..count).for_each(|number| bench.publish(Item::new(format!("item {number}"))));
        bench
    }

    fn commit(&self, commit: Commit) {
        self.pager.archive.commit(commit).unwrap();
    }

    fn put(&mut self, sequence: u64, item: &Item, edits: bool) {
        let mut commit = Commit::new();
        commit.source(SOURCE).put_chunk(self.chunks, 0.0, &[item]);
        let key = ItemKey(pergola_feed::digest(&[&item.id.0]));
        let (chunk, index) = (self.chunks, 0);
        let (at, changed_at, dated) = (100.0, 100.0, 100.0);
        let entry = Entry { key, source: SOURCE, chunk, index, at, changed_at, dated };
        commit.feed(self.feed.id).put_entry(sequence, &entry);
        self.feed.tally.edition += 1;
        if edits {
            commit.feed(self.feed.id).put_edit(Edit { edition: self.feed.tally.edition, sequence });
        }
        self.chunks += 1;
        self.commit(commit);
    }

    fn publish(&mut self, item: Item) {
        let sequence = self.feed.tally.next;
        self.feed.tally.next += 1;
        self.put(sequence, &item, false);
    }

    fn edit(&mut self, sequence: u64, title: &str) {
        let mut item = Item::new(format!("item {sequence}"));
        item.title = Some(title.into());
        self.put(sequence, &item, true);
    }

    fn expire_below(&self, below: u64) {
        let archive = &self.pager.archive;
        let old = archive.entries(self.feed.id, 0, below, Order::Ascending, 1_000).unwrap();
        let mut commit = Commit::new();
        old.iter()
            .for_each(|(number, entry)| commit.feed(self.feed.id).delete_entry(*number, entry.key));
        self.commit(commit);
    }

    fn ask(&self, cursor: Option<Cursor>, limit: usize, newest: u32) -> Arc<Page> {
        let page = self
            .pager
            .page(&self.feed, &Asked { cursor, limit, newest, bytes: ANSWER_BYTES })
            .unwrap();
        // Whatever is answered can be sent back.
        assert_eq!(page.cursor.to_string().parse(), Ok(page.cursor));
        page
    }

    /// Everything after a cursor, page by page.
    fn drain(&self, cursor: Option<Cursor>, limit: usize) -> (Vec<u64>, Cursor) {
        let (mut told, mut page) = (Vec::new(), self.ask(cursor, limit, 0));
        loop {
            told.extend(numbers(&page));
            assert!(page.count <= limit);
            if !page.more {
                return (told, page.cursor);
            }
            page = self.ask(Some(page.cursor), limit, 0);
        }
    }
}

/// The entries of a page, as a client decodes them.
fn entries(page: &Page) -> Vec<v1::Entry> {
    let entries = v1::FetchResponse::decode(page.entries.clone()).unwrap().entries;
    assert_eq!(entries.len(), page.count);
    entries
}

fn numbers(page: &Page) -> Vec<u64> {
    entries(page).iter().map(|entry| entry.sequence).collect()
}

#[test]
fn callers_who_ask_for_the_same_page_share_its_bytes() {
    let bench = Bench::with(10);
    let (one, other) = (bench.ask(None, 100, 5), bench.ask(None, 100, 5));
    assert_eq!((one.count, one.entries.as_ptr()), (5, other.entries.as_ptr()));
    assert_eq!(one.entries.clone().as_ptr(), one.entries.as_ptr(), "an answer copies nothing");
}

#[test]
fn a_first_refresh_shows_the_window_or_as_much_as_is_asked_for() {
    let bench = Bench::with(10);
    assert_eq!(numbers(&bench.ask(None, 100, 0)), [7, 8, 9]);
    assert_eq!(numbers(&bench.ask(None, 100, 5)), [5, 6, 7, 8, 9]);
    let all = bench.ask(None, 100, u32::MAX);
    assert_eq!((numbers(&all).len(), all.skipped, all.expired, all.more), (10, 0, 0, false));
    let empty = Bench::new().ask(None, 100, 0);
    assert!(empty.entries.is_empty() && !empty.more && !empty.restarted);
}

#[test]
fn pages_follow_each_other_without_a_gap_or_an_overlap() {
    let mut bench = Bench::with(25);
    let first = bench.ask(None, 4, u32::MAX);
    assert!(first.more);
    let (rest, cursor) = bench.drain(Some(first.cursor), 4);
    assert_eq!([numbers(&first), rest].concat(), (0..25).collect::<Vec<_>>());
    assert!(bench.drain(Some(cursor), 4).0.is_empty());
    bench.publish(Item::new("late"));
    assert_eq!(bench.drain(Some(cursor), 4).0, [25]);
}

#[test]
fn entries_say_where_they_come_from_and_what_they_have_passed() {
    let bench = Bench::with(1);
    let page = bench.ask(None, 1, 0);
    let entry = entries(&page).remove(0);
    let item = entry.item.as_ref().unwrap();
    let hop = item.hops.last().unwrap();
    assert_eq!((hop.node.as_str(), hop.published_ms), ("here", Some(100_000)));
    assert_eq!(entry.published_at_ms, 100_000);
}

#[test]
fn with_a_cursor_the_newest_may_be_asked_for_and_the_rest_is_counted() {
    let mut bench = Bench::with(4);
    let cursor = bench.ask(None, 100, 0).cursor;
    (0..10).for_each(|number| bench.publish(Item::new(format!("more {number}"))));
    let page = bench.ask(Some(cursor), 100, 3);
    assert_eq!((numbers(&page), page.skipped, page.expired), (vec![11, 12, 13], 7, 0));
    let page = bench.ask(Some(cursor), 100, 10);
    assert_eq!((page.count, page.skipped), (10, 0));
}

#[test]
fn what_is_no_longer_kept_is_counted_and_the_oldest_kept_comes_next() {
    let bench = Bench::with(20);
    let cursor = bench.ask(None, 5, u32::MAX).cursor;
    bench.expire_below(12);
    let page = bench.ask(Some(cursor), 100, 0);
    assert_eq!((page.expired, page.skipped, page.restarted), (7, 0, false));
    assert_eq!(numbers(&page), (12..20).collect::<Vec<_>>());
    // Some gone, some skipped: each is counted once.
    let page = bench.ask(Some(cursor), 100, 2);
    assert_eq!((page.expired, page.skipped, numbers(&page)), (7, 6, vec![18, 19]));
    // Everything gone.
    bench.expire_below(20);
    let page = bench.ask(Some(cursor), 100, 0);
    assert_eq!((page.expired, page.count, page.more), (15, 0, false));
    assert_eq!(bench.ask(Some(page.cursor), 100, 0).expired, 0);
}

#[test]
fn edits_come_after_what_is_new_and_once() {
    let mut bench = Bench::with(5);
    let cursor = bench.ask(None, 100, 0).cursor;
    bench.edit(1, "first");
    bench.publish(Item::new("new"));
    bench.edit(3, "other");
    bench.edit(1, "second");
    let page = bench.ask(Some(cursor), 100, 0);
    let entries = entries(&page);
    let told: Vec<(u64, bool)> = entries.iter().map(|e| (e.sequence, e.edited)).collect();
    assert_eq!(told, [(5, false), (1, true), (3, true)]);
    let title = entries[1].item.as_ref().unwrap().title.as_deref();
    assert_eq!(title, Some("second"), "an entry is told as it is now");
    assert!(bench.ask(Some(page.cursor), 100, 0).entries.is_empty());
    // Page by page it is the same.
    let (told, last) = bench.drain(Some(cursor), 1);
    assert_eq!((&told[..3], last), (&[5, 1, 3][..], page.cursor));
}

#[test]
fn an_edit_of_a_new_entry_needs_no_telling_and_one_of_an_old_entry_that_is_gone_neither() {
    let mut bench = Bench::with(3);
    let cursor = bench.ask(None, 100, 0).cursor;
    bench.publish(Item::new("item 3"));
    bench.edit(3, "at once");
    bench.edit(0, "gone soon");
    bench.expire_below(1);
    let page = bench.ask(Some(cursor), 100, 0);
    assert_eq!(numbers(&page), [3]);
    assert!(!entries(&page)[0].edited && !page.more);
}

#[test]
fn a_cursor_that_is_not_of_this_feed_as_it_is_now_begins_with_the_oldest_entry() {
    let bench = Bench::with(6);
    bench.expire_below(2);
    let good = bench.ask(None, 100, 0).cursor;
    let strangers = [
        ("another node", Cursor { node: good.node ^ 1, ..good }),
        ("another feed", Cursor { feed: FeedId(8), ..good }),
        ("ahead of the feed", Cursor { next: 7, last: 0, ..good }),
        ("ahead of its edits", Cursor { edits: Edit::end_of(99), ..good }),
        ("after another entry", Cursor { last: good.last ^ 1, ..good }),
    ];
    for (what, cursor) in strangers {
        let page = bench.ask(Some(cursor), 100, 0);
        assert!(page.restarted, "{what}");
        assert_eq!((numbers(&page), page.expired), ((2..6).collect(), 0), "{what}");
        assert_eq!(page.cursor, good, "{what}");
        assert_eq!(bench.pager.place(&bench.feed, Some(&cursor)).unwrap(), 2, "{what}");
    }
    let newest = bench.ask(Some(strangers[0].1), 100, 1);
    assert_eq!((numbers(&newest), newest.skipped), (vec![5], 3));
}

#[test]
fn an_answer_stays_within_its_bytes_and_a_large_entry_comes_alone() {
    let mut bench = Bench::new();
    let with_content = |id: &str, bytes: usize| {
        let mut item = Item::new(id);
        item.content = Some(Text::plain("x".repeat(bytes)));
        item
    };
    for (id, bytes) in [("a", 1 << 20), ("b", 2 << 20), ("c", 2 << 20), ("d", 9 << 20)] {
        bench.publish(with_content(id, bytes));
    }
    bench.publish(with_content("e", 17 << 20));
    bench.publish(with_content("f", 10));
    let mut cursor = None;
    let mut pages = Vec::new();
    loop {
        let page = bench.ask(cursor, 100, if cursor.is_none() { u32::MAX } else { 0 });
        let entries = entries(&page);
        let bytes: usize = entries.iter().map(Message::encoded_len).sum();
        assert!(bytes <= if entries.len() > 1 { ANSWER_BYTES } else { MESSAGE_BYTES });
        pages.push(numbers(&page));
        if let Some(cut) = entries.iter().find(|entry| entry.cut) {
            let item = cut.item.as_ref().unwrap();
            assert_eq!((cut.sequence, item.id.as_str(), &item.content), (4, "e", &None));
        }
        cursor = Some(page.cursor);
        if !page.more {
            break;
        }
    }
    assert_eq!(pages, [vec![0, 1], vec![2], vec![3], vec![4, 5]]);
}

#[test]
fn an_item_that_is_missing_is_passed_and_counted() {
    let mut bench = Bench::with(2);
    let mut commit = Commit::new();
    commit.source(SOURCE).delete_chunk(1);
    bench.commit(commit);
    bench.feed.window = 2;
    let asked = Asked { cursor: None, limit: 10, newest: 0, bytes: ANSWER_BYTES };
    let page = bench.pager.page(&bench.feed, &asked).unwrap();
    assert_eq!((numbers(&page), page.damaged, page.more), (vec![0], 1, false));
}

/// Flips a bit of a row.
fn damage(bench: &Bench, table: store::Table, key: &[u8]) {
    let rows = bench.pager.archive.store();
    let mut row = rows.get(table, key).unwrap().unwrap();
    let middle = row.len() / 2;
    row[middle] ^= 1;
    let mut batch = store::Batch::default();
    batch.put(table, key, row);
    rows.commit(&batch).unwrap();
}

#[test]
fn damaged_entries_and_items_are_passed_and_counted_wherever_they_stand() {
    for limit in [1, 2, 3, 100] {
        let bench = Bench::with(10);
        // Nothing is asked for before, because what was read is remembered.
        let edits = Edit::end_of(bench.feed.tally.edition);
        let start =
            Cursor { node: bench.pager.node(), feed: bench.feed.id, next: 0, last: 0, edits };
        for entry in [0_u64, 4, 5, 9] {
            damage(
                &bench,
                store::Table::Entry,
                &[&[0, 0, 0, 7][..], &entry.to_be_bytes()].concat(),
            );
        }
        // The chunk of entry 7.
        damage(&bench, store::Table::Chunk, &[0, 0, 0, 3, 0, 0, 0, 7]);
        let (mut told, mut counted, mut cursor, mut pages) = (Vec::new(), 0, start, 0);
        loop {
            let page = bench.ask(Some(cursor), limit, 0);
            told.extend(numbers(&page));
            counted += page.damaged + page.expired;
            cursor = page.cursor;
            pages += 1;
            assert!(pages < 30, "it never gets past the damage");
            if !page.more {
                break;
            }
        }
        assert_eq!(told, [1, 2, 3, 6, 8], "pages of {limit}");
        assert_eq!((counted, cursor.next), (5, 10), "pages of {limit}");
    }
}

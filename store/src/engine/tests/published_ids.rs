//! Version 5: which entries keep the ids that they were published with, and whose keys change.

use pergola_feed::address::origin_of;
use pergola_feed::{Item, Origin, digest, digest_after};

use super::super::folder::Opening;
use super::super::migrate::{STEPS, Step};
use super::*;
use crate::archive::{
    Archive, Commit, Entry, FeedId, FeedTally, ItemKey, Known, KnownItem, OldIds, SourceId,
};

const FEED: FeedId = FeedId(3);
const PLAIN: &str = "https://example.org/feed";
const SECRET: &str = "https://example.org/private?token=sesame";
/// An id that names its feed, as a node of version 5 publishes it over HTTP, to older nodes, too.
const NAMED: &str = "urn:pergola:item:00000000000000000000000000000001:9";

/// The items of the only chunk of each source: where they come from, and their ids.
const ITEMS: [(u32, &str, &[&str]); 4] = [
    (1, PLAIN, &["1", "only", "https://example.org/1", "yt:video:1"]),
    (2, SECRET, &["1", "2", "urn:x:1"]),
    (3, "https://example.com/feed", &["https://example.org/1", "yt:video:1"]),
    (4, "https://node.example.org/feeds/News", &[NAMED]),
];

/// The key that version 4 gave an item.
fn old_key(feed: &str, id: &str) -> ItemKey {
    let global =
        ["http://", "https://", "tag:", "urn:"].iter().any(|scheme| id.starts_with(scheme));
    ItemKey(if global { digest(&[id]) } else { digest(&[feed, id]) })
}

/// A folder as version 4 left it: one feed with every item, in order.
fn fourth_version(folder: &Path, backend: Backend) {
    let opening = Opening { steps: &STEPS[..3], ..Opening::default() };
    let archive = Archive::new(opening.open(folder, Some(backend)).unwrap().store);
    let mut commit = Commit::new();
    let mut next = 0;
    for (source, feed, ids) in ITEMS {
        let origin = Origin { feed: Some(feed.into()), ..Origin::default() };
        let item = |id: &&str| Item { origin: Some(origin.clone()), ..Item::new(*id) };
        let items: Vec<Item> = ids.iter().map(item).collect();
        let part = commit.source(SourceId(source));
        part.put_chunk(0, 1.0, &items.iter().collect::<Vec<_>>());
        let mut known = Known::default();
        for (index, id) in (0..).zip(ids) {
            let (key, digest) = (old_key(feed, id), 7);
            let seen = KnownItem { key, digest, chunk: 0, index, first_seen: 1.0, seen_at: 2.0 };
            known.items.push(seen);
        }
        part.put_known(&known);
        for (index, id) in (0..).zip(ids) {
            let (key, source) = (old_key(feed, id), SourceId(source));
            // A feed holds an item once.
            if *id == "https://example.org/1" && source.0 == 3 {
                continue;
            }
            let (at, changed_at, dated) = (1.0, 1.0, 1.0);
            let entry = Entry { key, source, chunk: 0, index, at, changed_at, dated };
            commit.feed(FEED).put_entry(next, &entry);
            next += 1;
        }
    }
    commit.feed(FEED).put_tally(&FeedTally { next, edition: 1, changed_at: 1.0 });
    commit.feed(FeedId(4)).put_tally(&FeedTally { next: 9, edition: 1, changed_at: 1.0 });
    archive.commit(commit).unwrap();
}

#[test]
fn entries_keep_their_ids_unless_they_clash_and_secrets_leave_the_keys() {
    on_each_backend(|backend, folder| {
        fourth_version(folder, backend);
        for round in 0..2 {
            let archive = Archive::new(open_store(folder, backend));
            // `1` clashes; `only`, `2` and what means the same everywhere do not. The last one names its feed already.
            let old = archive.old_ids(FEED).unwrap();
            assert_eq!(old, OldIds { before: 9, except: vec![0, 4, 8] }, "round {round}");
            let kept: Vec<u64> = (0..10).filter(|number| old.keeps(*number)).collect();
            assert_eq!(kept, [1, 2, 3, 5, 6, 7]);
            assert_eq!(archive.old_ids(FeedId(4)).unwrap(), OldIds { before: 9, except: vec![] });
            let entries = archive.entries(FEED, 0, 99, Order::Ascending, 99).unwrap();
            let keys: Vec<ItemKey> = entries.iter().map(|(_, entry)| entry.key).collect();
            let secret = |id: &str| ItemKey(digest_after(origin_of(SECRET).0, &[id]));
            let film = ItemKey(digest(&["yt:video:1"]));
            let expected = [
                old_key(PLAIN, "1"),
                old_key(PLAIN, "only"),
                old_key(PLAIN, "https://example.org/1"),
                film,
                secret("1"),
                secret("2"),
                old_key(SECRET, "urn:x:1"),
                film,
                // As the same item has it that comes by another route.
                ItemKey(digest_after(1, &["9"])),
            ];
            assert_eq!(keys, expected);
            for (number, key) in (0..).zip(&expected[..7]) {
                assert_eq!(archive.member(FEED, *key).unwrap(), Some(number));
            }
            assert_eq!(archive.member(FEED, old_key(SECRET, "1")).unwrap(), None);
            let known = archive.known(SourceId(2)).unwrap().unwrap();
            let known: Vec<ItemKey> = known.items.iter().map(|item| item.key).collect();
            assert_eq!(known, expected[4..7]);
        }
    });
}

#[test]
fn doing_it_again_changes_nothing() {
    on_each_backend(|backend, folder| {
        fourth_version(folder, backend);
        let rows = |steps: &[Step]| {
            let store = Opening { steps, ..Opening::default() }.open(folder, None).unwrap().store;
            [Table::Entry, Table::Member, Table::Known, Table::Feed].map(|t| all_rows(&*store, t))
        };
        let step = &STEPS[..4];
        let once = rows(step);
        let again: Vec<Step> = step.iter().chain(step.last()).copied().collect();
        assert_eq!(rows(&again), once);
    });
}

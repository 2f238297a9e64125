//! Readers, feeds and pages, compared with what counting and sorting everything gives.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::page::{Cursor, Page, Scope, Wanted};

const ADA: UserId = UserId(1);

fn row(number: u64, sequence: u64, dated: f64) -> Row {
    Row { number, sequence, dated, arrived: 100.0 + sequence as f64 }
}

fn folders(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Two feeds in one folder, which share item 3, and one outside.
fn library() -> Library {
    let mut library = Library::default();
    library.load([
        (1, vec![row(1, 0, 10.0), row(2, 1, 30.0), row(3, 2, 20.0)]),
        (2, vec![row(3, 0, 25.0), row(4, 1, 5.0)]),
        (3, vec![row(5, 0, 40.0)]),
    ]);
    let follows = [(1, folders(&["Tech/Rust"])), (2, folders(&["Tech"])), (3, folders(&[]))];
    library.enter(ADA, Reader::new(follows, [2], [(9, 15.0, 90.0)]));
    library
}

fn numbers(page: &Page) -> Vec<u64> {
    page.items.iter().map(|item| item.number).collect()
}

fn page(library: &Library, scope: Scope) -> Page {
    library.page(ADA, &scope, &Wanted::newest(100))
}

#[test]
fn an_item_in_several_feeds_is_shown_and_counted_once() {
    let library = library();
    assert_eq!(numbers(&page(&library, Scope::All)), [5, 2, 3, 1, 4]);
    let tech = page(&library, Scope::Folder("Tech".into()));
    assert_eq!(numbers(&tech), [2, 3, 1, 4]);
    assert_eq!(numbers(&page(&library, Scope::Feed(2))), [3, 4]);
    assert_eq!(numbers(&page(&library, Scope::Folder("Tec".into()))), [0; 0]);
    assert_eq!(numbers(&library.page(UserId(9), &Scope::All, &Wanted::newest(100))), [0; 0]);
    let counts = library.counts(ADA);
    assert_eq!(counts.all, 4);
    assert_eq!(
        counts.feeds,
        BTreeMap::from([(1, (2, Some(30.0))), (2, (2, Some(25.0))), (3, (1, Some(40.0)))])
    );
    assert_eq!(
        counts.folders,
        BTreeMap::from([("Tech".into(), (3, Some(30.0))), ("Tech/Rust".into(), (2, Some(30.0)))])
    );
    assert_eq!(library.feeds_of(ADA, 3), [1, 2]);
}

#[test]
fn streams_are_filtered_by_state_and_arrival() {
    let library = library();
    let with = |change: fn(&mut Wanted)| {
        let mut wanted = Wanted::newest(100);
        change(&mut wanted);
        numbers(&library.page(ADA, &Scope::All, &wanted))
    };
    assert_eq!(with(|wanted| wanted.read = Some(false)), [5, 3, 1, 4]);
    assert_eq!(with(|wanted| wanted.read = Some(true)), [2]);
    assert_eq!(with(|wanted| wanted.oldest_first = true), [4, 1, 3, 2, 5]);
    assert_eq!(with(|wanted| wanted.arrived_from = Some(102.0)), [3]);
    assert_eq!(with(|wanted| wanted.arrived_to = Some(100.0)), [5, 1]);
    assert_eq!(with(|wanted| wanted.starred = Some(true)), [0; 0]);
    assert_eq!(numbers(&page(&library, Scope::Starred)), [9], "though it is gone");
    assert_eq!(library.unread_until(ADA, &Scope::All, 101.0), [1, 3, 4, 5]);
    assert_eq!(library.unread_until(ADA, &Scope::Starred, 90.0), [9]);
    assert_eq!(library.unread_until(ADA, &Scope::Starred, 89.0), [0; 0]);
}

#[test]
fn stars_come_and_go() {
    let mut library = library();
    assert!(library.set_starred(ADA, 3, Some((20.0, 102.0))));
    assert!(!library.set_starred(ADA, 3, Some((20.0, 102.0))));
    assert_eq!(numbers(&page(&library, Scope::Starred)), [3, 9]);
    assert!(library.set_starred(ADA, 9, None) && !library.set_starred(ADA, 9, None));
    let item = page(&library, Scope::Feed(1)).items[1];
    assert_eq!((item.number, item.entry, item.read, item.starred), (3, Some((1, 2)), false, true));
}

#[test]
fn a_cursor_is_read_as_it_was_written() {
    let page = library().page(ADA, &Scope::All, &Wanted::newest(2));
    let next = page.next.unwrap();
    assert_eq!(next.to_string().parse(), Ok(next));
    let error = "elsewhere".parse::<Cursor>().unwrap_err().to_string();
    assert_eq!(error, "`elsewhere` is no place in a stream: take it from the page before");
}

#[test]
fn what_nobody_reads_is_not_held() {
    let mut library = library();
    library.load([(7, vec![row(7, 0, 1.0)])]);
    library.enter(UserId(2), Reader::new([(3, Vec::new())], [], []));
    library.leave(ADA);
    assert!(library.holds(3) && !library.holds(1) && !library.holds(7));
    assert_eq!(library.counts(UserId(2)).all, 1);
    library.leave(UserId(2));
    assert_eq!((library.entries(), library.users()), (0, vec![]));
}

#[test]
fn a_reader_may_follow_other_feeds() {
    let mut library = library();
    library.set_follows(ADA, [(2, folders(&["A"]))]);
    let counts = library.counts(ADA);
    assert_eq!((counts.all, counts.folders["A"].0, counts.feeds.len()), (2, 2, 1));
    library.forget(2);
    assert_eq!(library.counts(ADA).all, 0);
}

#[test]
fn a_million_entries_take_no_more_than_forty_bytes_each() {
    let mut library = Library::default();
    // Half of the feeds hold the same items as another one.
    let feed = |feed: u64| {
        let rows = (0..100).map(|n| row((feed / 2 * 100 + n) * 7919, n, (n * 60 + feed) as f64));
        (feed as u32, rows.collect())
    };
    library.load((0..10_000).map(feed));
    library.enter(ADA, Reader::new((0..10_000).map(|feed| (feed, Vec::new())), [], []));
    for feed in 0..10_000_u32 {
        library.add(feed, &[row(u64::from(feed + 1) << 40, 100, 1e6)]);
    }
    let entries = library.entries();
    assert_eq!(entries, 1_010_000);
    assert_eq!(library.counts(ADA).all, 510_000);
    assert!(library.bytes() <= 40 * entries, "{} bytes an entry", library.bytes() / entries);
}

/// What may happen to a library.
#[derive(Debug, Clone)]
enum Event {
    Arrives { feed: u32, number: u64, dated: u32 },
    Expires { feed: u32, share: u8 },
    Reads { number: u64, read: bool },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => (1..5u32, 0..60u64, 0..50u32)
            .prop_map(|(feed, number, dated)| Event::Arrives { feed, number, dated }),
        1 => (1..5u32, 0..100u8).prop_map(|(feed, share)| Event::Expires { feed, share }),
        3 => (0..60u64, any::<bool>()).prop_map(|(number, read)| Event::Reads { number, read }),
    ];
    prop::collection::vec(event, 0..200)
}

/// The same library, without anything clever.
#[derive(Default)]
struct Plain {
    feeds: BTreeMap<u32, Vec<Row>>,
    next: BTreeMap<u32, u64>,
    read: BTreeSet<u64>,
}

const FOLDERS: [(u32, &[&str]); 3] = [(1, &["A"]), (2, &["A", "B"]), (3, &[])];

impl Plain {
    fn happen(&mut self, library: &mut Library, event: Event) {
        match event {
            Event::Arrives { feed, number, dated } => {
                let rows = self.feeds.entry(feed).or_default();
                if rows.iter().any(|row| row.number == number) {
                    return;
                }
                let next = self.next.entry(feed).or_default();
                let new = row(number, *next, f64::from(dated));
                *next += 1;
                rows.push(new);
                library.add(feed, &[new]);
            }
            Event::Expires { feed, share } => {
                let below = self.next.get(&feed).copied().unwrap_or(0) * u64::from(share) / 100;
                self.feeds.entry(feed).or_default().retain(|row| row.sequence >= below);
                library.remove_below(feed, below);
            }
            Event::Reads { number, read } => {
                let changed =
                    if read { self.read.insert(number) } else { self.read.remove(&number) };
                assert_eq!(library.set_read(ADA, number, read), changed);
            }
        }
    }

    /// Unread items of these feeds.
    fn unread(&self, is_one: impl Fn(u32, &[&str]) -> bool) -> BTreeSet<u64> {
        let of = FOLDERS.iter().filter(|(feed, folders)| is_one(*feed, folders));
        let rows = of.filter_map(|(feed, _)| self.feeds.get(feed)).flatten();
        rows.map(|row| row.number).filter(|number| !self.read.contains(number)).collect()
    }
}

proptest! {
    #[test]
    fn counts_are_what_counting_gives(events in events()) {
        let mut library = Library::default();
        library.load((1..5).map(|feed| (feed, Vec::new())));
        let follows = FOLDERS.map(|(feed, names)| (feed, folders(names)));
        library.enter(ADA, Reader::new(follows, [], []));
        let mut plain = Plain::default();
        for event in events {
            plain.happen(&mut library, event);
            let counts = library.counts(ADA);
            prop_assert_eq!(counts.all as usize, plain.unread(|_, _| true).len());
            for (feed, _) in FOLDERS {
                let unread = plain.unread(|own, _| own == feed).len();
                prop_assert_eq!(counts.feeds[&feed].0 as usize, unread);
            }
            for folder in ["A", "B"] {
                let unread = plain.unread(|_, folders| folders.contains(&folder)).len();
                prop_assert_eq!(counts.folders[folder].0 as usize, unread);
            }
        }
    }

    #[test]
    fn pages_have_no_gaps_and_no_repeats_while_items_arrive(
        before in events(),
        between in prop::collection::vec((1..4u32, 60..90u64), 0..20),
        limit in 1..7usize,
        oldest_first: bool,
    ) {
        let mut library = Library::default();
        library.load((1..5).map(|feed| (feed, Vec::new())));
        let follows = FOLDERS.map(|(feed, names)| (feed, folders(names)));
        library.enter(ADA, Reader::new(follows, [], []));
        let mut plain = Plain::default();
        before.into_iter().for_each(|event| plain.happen(&mut library, event));
        plain.read.clear();
        let expected = plain.unread(|_, _| true);
        let mut arriving = between.into_iter();
        let mut seen: Vec<u64> = Vec::new();
        let mut wanted = Wanted { oldest_first, ..Wanted::newest(limit) };
        loop {
            let page = library.page(ADA, &Scope::All, &wanted);
            prop_assert!(page.items.len() <= limit);
            let dates: Vec<f64> = page.items.iter().map(|item| item.dated).collect();
            let in_order = |a: &f64, b: &f64| if oldest_first { a <= b } else { a >= b };
            prop_assert!(dates.is_sorted_by(in_order));
            seen.extend(numbers(&page));
            if let Some((feed, number)) = arriving.next() {
                // An item has one date, whichever feed it enters.
                let dated = (number * 7 % 50) as u32;
                plain.happen(&mut library, Event::Arrives { feed, number, dated });
            }
            match page.next {
                Some(next) => wanted.after = Some(next),
                None => break,
            }
        }
        let each: BTreeSet<u64> = seen.iter().copied().collect();
        prop_assert_eq!(each.len(), seen.len(), "repeats in {:?}", seen);
        prop_assert!(each.is_superset(&expected), "{:?} of {:?}", each, expected);
    }
}

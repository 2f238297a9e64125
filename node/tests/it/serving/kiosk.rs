//! A shelf over a store in a temporary folder, with a store that can be watched and made to fail.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use http::{HeaderMap, Method, Request, StatusCode};
use pergola_feed::address::origin_of;
use pergola_feed::{Item, NodeId, Text, Timestamp};
use pergola_node::publish::{Imprint, Listing, Shelf, router};
use pergola_outside::clock::Clock;
use pergola_store::archive::{
    Archive, Commit, Entry, FeedId, FeedTally, SourceId, SourceRecord, item_key,
};
use pergola_store::testing::FaultyStore;
use pergola_store::{Backend, Order};
use tower::ServiceExt;

pub(crate) const FEED: FeedId = FeedId(7);
/// When the first item was published here: 2023-11-14 22:13:20.
pub(crate) const START: f64 = 1_700_000_000.0;

pub(crate) struct Kiosk {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) store: Arc<FaultyStore>,
    pub(crate) archive: Archive,
    pub(crate) clock: Clock,
    imprint: Imprint,
    router: Router,
    _folder: tempfile::TempDir,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Kiosk {
    pub(crate) fn new() -> Self {
        Self::with(Clock::real(), |shelf| shelf)
    }

    pub(crate) fn with(clock: Clock, change: impl FnOnce(Shelf) -> Shelf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let opened = pergola_store::open(folder.path(), Some(Backend::Redb), 1 << 20).unwrap();
        let store = Arc::new(FaultyStore::over(opened.store));
        let archive = Archive::new(store.clone());
        let public_url = "https://node.example/pergola/".parse().unwrap();
        let imprint = Imprint {
            name: "Trellis".into(),
            public_url,
            node: NodeId("this-node".into()),
            hub: true,
        };
        let shelf = Shelf::new(archive.clone(), imprint.clone(), clock.clone());
        let shelf = Arc::new(change(shelf));
        let router = router(shelf.clone());
        Self { shelf, store, archive, clock, imprint, router, _folder: folder }
    }

    /// With a feed `News` of two items.
    pub(crate) fn with_news() -> Self {
        let kiosk = Self::new();
        kiosk.shelf.put(listing(FEED, "News"));
        kiosk.publish(FEED, vec![item("one"), item("two")]);
        kiosk
    }

    /// Appends items to a feed as the writer does, and tells the shelf.
    pub(crate) fn publish(&self, feed: FeedId, items: Vec<Item>) {
        for (place, item) in items.into_iter().enumerate() {
            self.publish_from(feed, SourceId(1 + place as u32 % 2), item);
        }
    }

    pub(crate) fn publish_from(&self, feed: FeedId, source: SourceId, item: Item) {
        let mut tally = self.archive.feed_tally(feed).unwrap();
        let at = START + 60.0 * tally.next as f64;
        let chunk = tally.next as u32 + 1000 * feed.0;
        let key = item_key(&item.id, &item, origin_of("https://source.example/feed"));
        let entry = Entry { key, source, chunk, index: 0, at, changed_at: at, dated: at };
        let mut commit = Commit::new();
        commit.source(source).put_record(&source_record(source));
        commit.source(source).put_chunk(chunk, at, &[&item]);
        commit.feed(feed).put_entry(tally.next, &entry);
        tally = FeedTally { next: tally.next + 1, edition: tally.edition + 1, changed_at: at };
        commit.feed(feed).put_tally(&tally);
        self.archive.commit(commit).unwrap();
        self.shelf.changed(feed, tally);
    }

    /// Appends this many items to a feed, named by their numbers, in one commit.
    pub(crate) fn publish_many(&self, feed: FeedId, count: u64) {
        let mut tally = self.archive.feed_tally(feed).unwrap();
        let items: Vec<Item> = (tally.next..tally.next + count).map(numbered).collect();
        let mut commit = Commit::new();
        commit.source(SourceId(1)).put_record(&source_record(SourceId(1)));
        for item in &items {
            put(&mut commit, feed, tally.next, tally.next as u32, item, START);
            tally.next += 1;
        }
        self.commit(commit, feed, tally);
    }

    /// Replaces an item by an edited version, as the writer does.
    pub(crate) fn edit(&self, feed: FeedId, sequence: u64, item: &Item) {
        let tally = self.archive.feed_tally(feed).unwrap();
        let mut commit = Commit::new();
        let chunk = 1_000_000 + tally.edition as u32;
        put(&mut commit, feed, sequence, chunk, item, START + 86_400.0);
        self.commit(commit, feed, FeedTally { changed_at: START + 86_400.0, ..tally });
    }

    /// Removes the entries of a feed below a number, as housekeeping does.
    pub(crate) fn remove_below(&self, feed: FeedId, below: u64) {
        let mut commit = Commit::new();
        let entries = self.archive.entries(feed, 0, below, Order::Ascending, usize::MAX).unwrap();
        for (sequence, entry) in entries {
            commit.feed(feed).delete_entry(sequence, entry.key);
        }
        self.archive.commit(commit).unwrap();
        self.shelf.renew(feed);
    }

    /// As after a restart: what was in memory is gone.
    pub(crate) fn restarted(self) -> Self {
        let listings = self.shelf.listings();
        let Self { store, archive, clock, imprint, _folder, .. } = self;
        let shelf = Arc::new(Shelf::new(archive.clone(), imprint.clone(), clock.clone()));
        listings.into_iter().for_each(|listing| shelf.put(listing));
        let router = router(shelf.clone());
        Self { shelf, store, archive, clock, imprint, router, _folder }
    }

    fn commit(&self, mut commit: Commit, feed: FeedId, tally: FeedTally) {
        let changed_at = tally.changed_at.max(START);
        let tally = FeedTally { edition: tally.edition + 1, changed_at, ..tally };
        commit.feed(feed).put_tally(&tally);
        self.archive.commit(commit).unwrap();
        self.shelf.changed(feed, tally);
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.ask(Method::GET, path, headers).await
    }

    pub(crate) async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

pub(crate) fn listing(id: FeedId, name: &str) -> Listing {
    let statement = format!("CREATE FEED {name} AS\nRETURN \"https://source.example/feed\"");
    let tally = FeedTally::default();
    Listing { id, name: name.into(), statement, window: 20, order: None, tally }
}

pub(crate) fn item(name: &str) -> Item {
    let mut item = Item::new(format!("tag:source.example,2023:{name}"));
    item.title = Some(format!("Title of {name}"));
    item.link = Some(format!("https://source.example/{name}"));
    item.content = Some(Text::html(format!("<p>Text of {name}</p>")));
    item.published = Some(Timestamp::from_unix(START as i64 - 3600));
    item
}

/// An item named by its number.
pub(crate) fn numbered(number: u64) -> Item {
    item(&format!("{number:04}"))
}

fn put(commit: &mut Commit, feed: FeedId, sequence: u64, chunk: u32, item: &Item, changed: f64) {
    let (source, at) = (SourceId(1), START + sequence as f64);
    let key = item_key(&item.id, item, origin_of("https://source.example/feed"));
    let changed_at = changed.max(at);
    let entry = Entry { key, source, chunk, index: 0, at, changed_at, dated: at };
    commit.source(source).put_chunk(chunk, at, &[item]);
    commit.feed(feed).put_entry(sequence, &entry);
}

fn source_record(id: SourceId) -> SourceRecord {
    let url = format!("https://source{}.example/feed", id.0);
    let title = Some(format!("Source {}", id.0));
    SourceRecord { title, wanted: true, ..SourceRecord::new(url, START) }
}

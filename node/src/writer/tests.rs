//! What the writer does with its jobs, over a store that sometimes refuses.

use pergola_feed::{Hop, Item, NodeId, Origin, Text};
use pergola_store::archive::{Edit, ItemKey, SourceId, SourceRecord};
use pergola_store::testing::FaultyStore;
use pergola_store::{Batch, Order, Table};

use super::*;

struct Office {
    archive: Archive,
    writer: Writer,
    store: Arc<FaultyStore>,
    told: std::sync::mpsc::Receiver<(FeedId, FeedTally)>,
    _folder: tempfile::TempDir,
}

fn office() -> Office {
    let folder = tempfile::tempdir().unwrap();
    let opened = pergola_store::open(folder.path(), None, 1 << 20).unwrap();
    let store = Arc::new(FaultyStore::over(opened.store));
    let archive = Archive::new(store.clone());
    let (tell, told) = std::sync::mpsc::channel();
    let announce = Box::new(move |feed, tally| tell.send((feed, tally)).unwrap());
    let (writer, _) =
        Writer::start(archive.clone(), announce, Counter::default(), &Blocking::of_runtime())
            .unwrap();
    Office { archive, writer, store, told, _folder: folder }
}

const FEED: FeedId = FeedId(7);

fn append(item: u128, source: u32, at: f64, edited: bool) -> Append {
    let entry = Entry {
        key: ItemKey(item),
        source: SourceId(source),
        chunk: item as u32,
        index: 0,
        at,
        changed_at: at,
        dated: at,
    };
    Append { feed: FEED, entry, edited }
}

impl Office {
    async fn commit(&self, appends: &[Append]) -> Result<Committed, NotCommitted> {
        self.writer.commit(Job { appends: appends.to_vec(), ..Job::default() }).await
    }

    fn entries(&self) -> Vec<(u64, u128)> {
        let all = self.archive.entries(FEED, 0, u64::MAX, Order::Ascending, 100).unwrap();
        all.into_iter().map(|(sequence, entry)| (sequence, entry.key.0)).collect()
    }
}

#[tokio::test]
async fn an_item_enters_a_feed_once_however_often_it_comes() {
    let office = office();
    let (a, b) = (append(10, 1, 5.0, false), append(11, 1, 5.0, false));
    let first = office.commit(&[a, b, a]).await.unwrap();
    assert_eq!(first, Committed { published: 2, replaced: 0 });
    // Again by the same source, and by another route.
    office.commit(&[a, append(11, 2, 6.0, false)]).await.unwrap();
    assert_eq!(office.entries(), [(0, 10), (1, 11)]);
    assert_eq!(office.told.try_iter().count(), 1, "only the first commit changed anything");
}

#[tokio::test]
async fn an_item_whose_time_is_over_does_not_come_again() {
    let office = office();
    office.commit(&[append(10, 1, 5.0, false), append(11, 1, 5.0, false)]).await.unwrap();
    let mut commit = Commit::new();
    commit.feed(FEED).expire_entry(0, ItemKey(10));
    office.writer.commit(commit).await.unwrap();
    assert_eq!(office.told.try_iter().count(), 1);
    // Edited, and for the first time by another route.
    for again in [append(10, 1, 90.0, true), append(10, 2, 91.0, false)] {
        assert_eq!(office.commit(&[again]).await.unwrap(), Committed::default());
    }
    assert_eq!(office.told.try_iter().count(), 0);
    office.commit(&[append(12, 1, 92.0, false)]).await.unwrap();
    assert_eq!(office.entries(), [(1, 11), (2, 12)]);
}

#[tokio::test]
async fn an_edited_item_keeps_its_number_and_only_its_source_may_edit_it() {
    let office = office();
    office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
    let stranger = office.commit(&[append(10, 2, 6.0, true)]).await.unwrap();
    assert_eq!(stranger, Committed::default());
    let edited = Entry { chunk: 99, ..append(10, 1, 8.0, true).entry };
    office.commit(&[Append { feed: FEED, entry: edited, edited: true }]).await.unwrap();
    let entry = office.archive.entry(FEED, 0).unwrap().unwrap();
    assert_eq!((entry.chunk, entry.at, entry.changed_at), (99, 5.0, 8.0));
    assert_eq!(office.archive.feed_tally(FEED).unwrap().edition, 2);
}

#[tokio::test]
async fn an_edit_is_kept_with_the_edition_that_brought_it() {
    let office = office();
    // Placed and edited in one group: nobody has read what it said first.
    office.commit(&[append(10, 1, 5.0, false), append(10, 1, 5.0, true)]).await.unwrap();
    let edits = |after| office.archive.edits(FEED, after, u64::MAX, 10).unwrap();
    assert_eq!(edits(Edit::end_of(0)), []);
    office.commit(&[append(11, 1, 6.0, false)]).await.unwrap();
    office.commit(&[append(11, 1, 7.0, true), append(10, 1, 7.0, true)]).await.unwrap();
    office.commit(&[append(10, 1, 8.0, true)]).await.unwrap();
    let all = [(3, 0), (3, 1), (4, 0)].map(|(edition, sequence)| Edit { edition, sequence });
    assert_eq!(edits(Edit::end_of(0)), all);
    assert_eq!(edits(all[0]), all[1..]);
    assert_eq!(edits(Edit::end_of(3)), all[2..]);
    assert_eq!(office.archive.edits(FEED, Edit::end_of(0), 3, 10).unwrap(), all[..2]);
    assert_eq!(office.archive.edits(FEED, Edit::end_of(0), 4, 1).unwrap(), all[..1]);
    assert_eq!(office.archive.edits(FeedId(8), Edit::end_of(0), 4, 9).unwrap(), []);
}

#[tokio::test]
async fn a_refused_commit_changes_nothing_and_leaves_no_gap() {
    let office = office();
    office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
    office.store.refuse_commits(true);
    let refused = office.commit(&[append(11, 1, 6.0, false)]).await.unwrap_err();
    assert!(refused.to_string().starts_with("nothing was changed"), "{refused}");
    office.store.refuse_commits(false);
    office.commit(&[append(12, 1, 7.0, false), append(11, 1, 7.0, false)]).await.unwrap();
    assert_eq!(office.entries(), [(0, 10), (1, 12), (2, 11)]);
}

#[tokio::test]
async fn what_is_told_is_durable_already() {
    let office = office();
    office.commit(&[append(10, 1, 5.0, false)]).await.unwrap();
    let (feed, tally) = office.told.recv().unwrap();
    assert_eq!((feed, tally.next, tally.changed_at), (FEED, 1, 5.0));
    assert_eq!(office.archive.feed_tally(FEED).unwrap(), tally);
}

const ORIGIN: &str = "https://origin.example/feed";

/// The item with number 10 as it comes by some nodes.
fn by(nodes: &[&str]) -> Item {
    let mut item = Item::new("urn:item:10");
    item.title = Some("Title".into());
    item.origin = Some(Origin { feed: Some(ORIGIN.into()), ..Origin::default() });
    item.hops = nodes.iter().map(|node| Hop::at(NodeId((*node).into()))).collect();
    item
}

/// A job of a source that delivers that item.
fn delivery(source: u32, at: f64, item: &Item) -> Job {
    let mut job = Job { appends: vec![append(10, source, at, false)], ..Job::default() };
    job.commit.source(SourceId(source)).put_chunk(10, at, &[item]);
    job
}

fn record(url: &str) -> SourceRecord {
    SourceRecord { wanted: true, ..SourceRecord::new(url, 0.0) }
}

impl Office {
    /// Delivers that item by source 1 and then by source 2, and says who holds it.
    async fn delivered(&self, first: &Item, second: &Item) -> u32 {
        self.writer.commit(delivery(1, 5.0, first)).await.unwrap();
        let again = self.writer.commit(delivery(2, 6.0, second)).await.unwrap();
        assert_eq!(again, Committed::default(), "it is nothing new to anybody");
        self.holder()
    }

    fn holder(&self) -> u32 {
        self.archive.entry(FEED, 0).unwrap().unwrap().source.0
    }
}

#[tokio::test]
async fn an_item_that_comes_by_a_shorter_way_changes_hands_and_nothing_else() {
    let office = office();
    let holder = office.delivered(&by(&["a", "b", "here"]), &by(&["a", "here"])).await;
    assert_eq!(holder, 2);
    let entry = office.archive.entry(FEED, 0).unwrap().unwrap();
    assert_eq!((entry.at, entry.changed_at), (5.0, 5.0));
    assert_eq!(office.entries(), [(0, 10)]);
    assert_eq!(office.archive.feed_tally(FEED).unwrap().next, 1);
    assert_eq!(office.told.try_iter().count(), 1, "readers have nothing to fetch");
    let way = &office.archive.window(FEED, 1).unwrap()[0].item.hops;
    assert_eq!(way.len(), 2);
    // The one that holds it now may edit it, the other one no more.
    assert_eq!(office.commit(&[append(10, 1, 7.0, true)]).await.unwrap(), Committed::default());
    assert_eq!(office.commit(&[append(10, 2, 8.0, true)]).await.unwrap().replaced, 1);
    let edits = office.archive.edits(FEED, Edit::end_of(0), u64::MAX, 10).unwrap();
    assert_eq!(
        edits,
        [Edit { edition: 2, sequence: 0 }],
        "that was an edit, changing hands was none"
    );
}

#[tokio::test]
async fn an_item_that_comes_by_as_long_a_way_or_a_longer_one_changes_nothing() {
    for second in [&["b", "c", "here"][..], &["b", "c", "d", "here"]] {
        let office = office();
        assert_eq!(office.delivered(&by(&["a", "b", "here"]), &by(second)).await, 1);
        assert_eq!(office.told.try_iter().count(), 1);
    }
}

#[tokio::test]
async fn the_shorter_way_is_found_among_items_that_come_at_the_same_time() {
    let office = office();
    let (long, short) = (by(&["a", "b", "here"]), by(&["a", "here"]));
    let jobs = [delivery(1, 5.0, &long), delivery(2, 5.0, &short)];
    let (waiting, answers): (Vec<_>, Vec<_>) = jobs
        .into_iter()
        .map(|job| {
            let (done, answer) = oneshot::channel();
            ((job, done), answer)
        })
        .unzip();
    let writer = office.writer.clone();
    writer.room().await.unwrap().hand_over(waiting);
    let mut published = 0;
    for answer in answers {
        published += answer.await.unwrap().unwrap().published;
    }
    assert_eq!((published, office.holder()), (1, 2));
    assert_eq!(office.entries(), [(0, 10)]);
}

#[tokio::test]
async fn what_says_something_else_or_has_another_origin_never_takes_an_items_place() {
    let held = by(&["a", "b", "here"]);
    let mut other_words = by(&["a", "here"]);
    other_words.content = Some(Text::plain("Not the same"));
    let mut other_origin = by(&["a", "here"]);
    other_origin.origin =
        Some(Origin { feed: Some("https://b.example/".into()), ..Origin::default() });
    let nowhere = Item { origin: None, ..by(&["a", "here"]) };
    for second in [other_words, other_origin, nowhere] {
        assert_eq!(office().delivered(&held, &second).await, 1, "{second:?}");
    }
}

#[tokio::test]
async fn only_the_origin_itself_is_nearer_than_one_node() {
    for (url, holder) in [("https://copies.example/feed", 1), (ORIGIN, 2)] {
        let office = office();
        let mut sources = Commit::new();
        sources.source(SourceId(2)).put_record(&record(url));
        office.writer.commit(sources).await.unwrap();
        assert_eq!(office.delivered(&by(&["a", "here"]), &by(&["here"])).await, holder, "{url}");
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_read_stays_and_is_no_reason_to_refuse_others() {
    let office = office();
    office.writer.commit(delivery(1, 5.0, &by(&["a", "b", "here"]))).await.unwrap();
    let mut damage = Batch::default();
    let mut key = 1u32.to_be_bytes().to_vec();
    key.extend(10_u32.to_be_bytes());
    damage.put(Table::Chunk, key, b"no chunk".to_vec());
    office.archive.store().commit(&damage).unwrap();
    let mut second = delivery(2, 6.0, &by(&["a", "here"]));
    second.appends.push(append(11, 2, 6.0, false));
    assert_eq!(office.writer.commit(second).await.unwrap().published, 1);
    assert_eq!(office.holder(), 1);
}

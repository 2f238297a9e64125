use bytes::Bytes;
use pergola_feed::address::origin_of;
use pergola_feed::write::{write_atom, write_json};
use pergola_feed::{Format, Link};
use proptest::prelude::*;

use super::*;
use crate::courtesy::{FailureKind, Head};
use crate::heard::{Hearing, hear};
use crate::reply::{Failure, HttpAnswer, Presented, Reply, Silence};
use crate::source::{KnownItem, SourceKind};

const SOURCE: &str = "https://example.org/feed";
/// The last refresh; items are dated by their numbers of hours after it.
const SINCE: f64 = 1_700_000_000.0;

fn item(number: i64) -> Item {
    let id = format!("urn:item:{number}");
    let published = Some(Timestamp::from_unix(SINCE as i64 + 3600 * number));
    Item { guid: Some(id.clone()), title: Some(id.clone()), published, ..Item::new(id) }
}

fn key(number: i64) -> ItemKey {
    let item = item(number);
    item_key(&item.id, &item, origin_of(SOURCE))
}

fn url(path: &str) -> Url {
    Url::parse(SOURCE).unwrap().join(path).unwrap()
}

fn known() -> Known {
    let memory = |number| KnownItem {
        key: key(number),
        digest: 0,
        chunk: 0,
        index: 0,
        first_seen: 0.0,
        seen_at: 0.0,
    };
    Known { items: vec![memory(10), memory(11)], ..Known::default() }
}

/// The trail that begins after this window, if one does; 10 and 11 are known.
fn begun(window: &Document, known: &Known) -> Option<Trail> {
    let here = NodeId("here".into());
    Trail::begin(
        &heard(&url("/feed"), 200, write_atom(window)),
        origin_of(SOURCE),
        known,
        &here,
        SINCE,
    )
}

/// A trail that begins at `/1`, from a window of the items 90 and 91.
fn trail() -> Trail {
    begun(&document([91, 90], Some("/1")), &known()).unwrap()
}

fn document(numbers: impl IntoIterator<Item = i64>, older: Option<&str>) -> Document {
    let mut document = Document::new(Format::Atom);
    document.title = Some("Archive".into());
    document.items = numbers.into_iter().map(item).collect();
    document.links.extend(older.map(|older| Link::new("prev-archive", url(older).as_str())));
    document
}

/// What is heard when somebody at `from` answers.
fn heard(from: &Url, status: u16, text: String) -> Heard {
    let body = Bytes::from(text);
    let bytes = body.len() as u64;
    let (url, hops, head) = (from.clone(), Vec::new(), Head::default());
    let (body, conditional, refusal, presented) = (Ok(body), false, None, Presented::Nothing);
    let answer =
        HttpAnswer { status, url, hops, head, body, bytes, conditional, refusal, presented };
    read(Reply::Http(Box::new(answer)))
}

fn read(reply: Reply) -> Heard {
    let limits = Limits::default();
    let (kind, last, formerly, now) = (&SourceKind::Feed, 0, &[][..], SINCE);
    hear(reply, Hearing { kind, last, formerly, limits: &limits, now })
}

fn take(trail: &mut Trail, asked: &Url, heard: Heard) {
    trail.take(asked, heard, &Limits::default());
}

/// The trail asks for `path` and gets this document.
fn get(trail: &mut Trail, path: &str, document: &Document) {
    let asked = trail.next().unwrap();
    assert_eq!(asked, url(path));
    take(trail, &asked, heard(&asked, 200, write_atom(document)));
}

fn numbers(backlog: &Backlog) -> Vec<i64> {
    let number = |item: &Item| item.title.as_ref().unwrap()[9..].parse().unwrap();
    backlog.items.iter().map(number).collect()
}

#[test]
fn a_trail_begins_only_where_items_were_missed_and_older_documents_are_near() {
    assert!(begun(&document([91, 90], Some("/1")), &known()).is_some());
    assert!(begun(&document([91, 90], None), &known()).is_none(), "nothing older");
    assert!(begun(&document([12, 11], Some("/1")), &known()).is_none(), "11 is known");
    assert!(begun(&document([91], Some("/1")), &Known::default()).is_none(), "the first refresh");
    assert!(begun(&document([], Some("/1")), &known()).is_none(), "nothing is new");
    let elsewhere = document([91], Some("https://other.example/1"));
    assert!(begun(&elsewhere, &known()).is_none(), "another host");
    let mut returned = document([91], Some("/1"));
    returned.items[0].hops = vec![pergola_feed::Hop::at(NodeId("here".into()))];
    assert!(begun(&returned, &known()).is_none(), "it has passed this node");
    let here = NodeId("here".into());
    let changes = heard(&url("/feed"), 226, write_atom(&document([91], Some("/1"))));
    assert!(
        Trail::begin(&changes, origin_of(SOURCE), &known(), &here, SINCE).is_none(),
        "no window"
    );
}

#[test]
fn it_goes_back_until_a_known_item_is_met_and_leaves_what_stands_behind_it() {
    let mut trail = trail();
    // The window and the archive overlap.
    get(&mut trail, "/1", &document([90, 50, 40], Some("/2")));
    get(&mut trail, "/2", &document([30, 20, 11, 15, 10, 9, 8], Some("/3")));
    assert_eq!(trail.next(), None);
    let backlog = trail.finish();
    assert_eq!(numbers(&backlog), [50, 40, 30, 20, 11, 15, 10]);
    assert!(backlog.complete && backlog.trouble.is_none());
    assert_eq!(backlog.documents, 2);
}

/// 10 is lost, 11 is stored.
fn with_lost() -> Known {
    let mut known = known();
    known.items[0].digest = LOST;
    known
}

#[test]
fn lost_items_are_looked_for_until_they_are_found_and_nothing_else_is_brought() {
    assert!(begun(&document([12, 11, 10], Some("/1")), &with_lost()).is_none(), "it is shown");
    let mut trail = begun(&document([12, 11], Some("/1")), &with_lost()).unwrap();
    get(&mut trail, "/1", &document([30, 20, 11], Some("/2")));
    get(&mut trail, "/2", &document([10, 9], Some("/3")));
    assert_eq!(trail.next(), None, "all are found");
    let backlog = trail.finish();
    assert_eq!(numbers(&backlog), [10]);
    assert!(backlog.complete && backlog.trouble.is_none());
}

#[test]
fn a_search_for_lost_items_ends_with_the_archives_and_after_as_many_documents_as_any() {
    let mut trail = begun(&document([12, 11], Some("/1")), &with_lost()).unwrap();
    get(&mut trail, "/1", &document([9, 8], None));
    assert_eq!(trail.next(), None);
    assert_eq!(numbers(&trail.finish()), [0; 0]);
    let mut trail = begun(&document([12, 11], Some("/1")), &with_lost()).unwrap();
    for number in 1..=DOCUMENTS {
        let next = format!("/{}", number + 1);
        get(&mut trail, &format!("/{number}"), &document([9], Some(&next)));
    }
    assert_eq!(trail.next(), None);
    assert!(trail.finish().complete, "nothing was missed");
}

#[test]
fn where_items_were_missed_the_lost_ones_are_not_looked_for_as_well() {
    let mut trail = begun(&document([91, 90], Some("/1")), &with_lost()).unwrap();
    get(&mut trail, "/1", &document([50, 11, 10], Some("/2")));
    assert_eq!(trail.next(), None);
    assert_eq!(numbers(&trail.finish()), [50, 11, 10]);
}

#[test]
fn a_document_that_is_oldest_first_is_turned_around() {
    let mut trail = trail();
    get(&mut trail, "/1", &document([8, 9, 10, 11, 20, 30], None));
    assert_eq!(numbers(&trail.finish()), [30, 20, 11, 10]);
}

#[test]
fn json_feeds_are_followed_by_their_next_url() {
    let mut trail = trail();
    let asked = trail.next().unwrap();
    let text = write_json(&document([50], Some("/2")));
    take(&mut trail, &asked, heard(&asked, 200, text));
    assert_eq!(trail.next(), Some(url("/2")));
}

#[test]
fn archives_that_lead_in_a_circle_or_to_another_host_end() {
    let mut circle = trail();
    get(&mut circle, "/1", &document([50], Some("/2")));
    get(&mut circle, "/2", &document([40], Some("/1")));
    assert_eq!(circle.next(), None);
    let backlog = circle.finish();
    assert_eq!((numbers(&backlog), backlog.complete), (vec![50, 40], false));
    assert!(backlog.trouble.unwrap().contains("not followed"));
    let mut elsewhere = trail();
    get(&mut elsewhere, "/1", &document([50], Some("https://other.example/2")));
    assert_eq!(elsewhere.next(), None);
    let mut redirected = trail();
    let asked = redirected.next().unwrap();
    let stranger = heard(&url("https://other.example/1"), 200, write_atom(&document([50], None)));
    take(&mut redirected, &asked, stranger);
    assert_eq!(numbers(&redirected.finish()), [0; 0]);
}

#[test]
fn archives_without_end_are_followed_for_twenty_documents() {
    let mut trail = trail();
    for number in 1..=DOCUMENTS {
        let older = format!("/{}", number + 1);
        get(&mut trail, &format!("/{number}"), &document([89 - i64::from(number)], Some(&older)));
    }
    assert_eq!(trail.next(), None);
    let backlog = trail.finish();
    assert_eq!((backlog.items.len(), backlog.documents), (20, DOCUMENTS));
    assert_eq!(backlog.trouble.as_deref(), Some("no known item in 20 documents"));
}

#[test]
fn a_source_that_renamed_its_items_does_not_bring_its_history() {
    let mut trail = trail();
    get(&mut trail, "/1", &document([80, 70, -700, -800, -900], Some("/2")));
    get(&mut trail, "/2", &document([-1000, -1100], Some("/3")));
    assert_eq!(trail.next(), None, "it is long past the last refresh");
    assert_eq!(numbers(&trail.finish()), [80, 70, -700], "a month of grace");
}

#[test]
fn what_cannot_be_read_ends_it_and_quiet_is_obeyed() {
    for (status, text, quiet) in
        [(404, "", false), (429, "", true), (503, "", true), (200, "<html><p>Hello", false)]
    {
        let mut trail = trail();
        get(&mut trail, "/1", &document([80, 70], Some("/2")));
        let asked = trail.next().unwrap();
        take(&mut trail, &asked, heard(&asked, status, text.into()));
        assert_eq!(trail.next(), None);
        let backlog = trail.finish();
        assert_eq!((numbers(&backlog), backlog.documents), (vec![80, 70], 2));
        assert!(backlog.trouble.unwrap().contains("https://example.org/2"));
        assert_eq!(backlog.quiet.is_some(), quiet, "{status}");
    }
}

#[test]
fn an_archive_that_does_not_answer_ends_it() {
    let mut trail = trail();
    let asked = trail.next().unwrap();
    let failure = Failure { kind: FailureKind::Timeout, words: "too slow".into() };
    take(&mut trail, &asked, read(Reply::Silence(Silence { failure, conditional: true })));
    assert_eq!(trail.next(), None);
    let backlog = trail.finish();
    assert_eq!((backlog.trouble.as_deref(), backlog.documents), (Some("too slow"), 1));
}

proptest! {
    #[test]
    fn whatever_the_archives_hold_it_ends_and_no_item_comes_twice(
        pages in prop::collection::vec(
            (prop::collection::vec(-30..90i64, 0..6), prop::option::of(0..8usize)), 1..8),
    ) {
        let mut trail = trail();
        let mut asked = 0;
        while let Some(url) = trail.next() {
            asked += 1;
            prop_assert!(asked <= DOCUMENTS);
            let place: usize = url.path()[1..].parse().unwrap();
            let text = pages.get(place).map_or(String::new(), |(numbers, older)| {
                let mut unique = numbers.clone();
                unique.dedup();
                write_atom(&document(unique, older.map(|place| format!("/{place}")).as_deref()))
            });
            take(&mut trail, &url, heard(&url, 200, text));
        }
        let backlog = trail.finish();
        prop_assert_eq!(backlog.documents, asked);
        let mut found = numbers(&backlog);
        found.sort_unstable();
        let many = found.len();
        found.dedup();
        prop_assert_eq!(found.len(), many);
    }
}

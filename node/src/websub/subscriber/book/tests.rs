use pergola_manners::hub::NamedHub;
use url::Url;

use super::*;

const SOURCE: SourceId = SourceId(7);
const TOPIC: &str = "https://blog.example/feed";
const DAY: f64 = 86_400.0;

fn book() -> Book {
    Book::new(Rules { lease: 10.0 * DAY, backoff: 60.0, poll: DAY })
}

fn advertised(hub: &str) -> Advertised {
    let (hub, topic) = (Url::parse(hub).unwrap(), Url::parse(TOPIC).unwrap());
    Advertised::Hub(NamedHub { hub, topic })
}

fn refresh(at: f64, since: Option<f64>, new_items: u32) -> HubNotice {
    let advertised = advertised("https://hub.example/");
    HubNotice { id: SOURCE, at, since, new_items, advertised }
}

fn fresh(token: &str) -> impl FnOnce() -> Option<(Token, String)> {
    let pair = (token.to_owned(), "secret".to_owned());
    move || Some(pair)
}

/// A book whose subscription `t` was granted for a day at the instant 0.
fn granted() -> Book {
    let mut book = book();
    book.polled(&refresh(0.0, None, 3), fresh("t"));
    assert_eq!(book.pass(0.0).len(), 1);
    assert!(book.verifies("t", true, TOPIC, Some(DAY), 0.0));
    book
}

fn tally(book: &Book) -> HubTally {
    book.of(SOURCE).unwrap().tally
}

#[test]
fn a_source_that_names_a_hub_is_asked_for_once() {
    let mut book = book();
    book.polled(&refresh(100.0, None, 3), fresh("t"));
    book.polled(&refresh(101.0, Some(100.0), 0), fresh("never"));
    let asks = book.pass(101.0);
    assert_eq!(asks.len(), 1);
    let HubRequest { token, hub, topic, subscribe, .. } = &asks[0];
    assert_eq!(
        (&**token, &**hub, &**topic, *subscribe),
        ("t", "https://hub.example/", TOPIC, true)
    );
    assert_eq!(book.pass(102.0), [], "the hub has time to verify");
    assert_eq!(book.quiet_until(SOURCE, 102.0), Some(0.0));
}

#[test]
fn only_what_was_asked_for_is_confirmed() {
    let mut book = book();
    book.polled(&refresh(0.0, None, 3), fresh("t"));
    book.pass(0.0);
    assert!(!book.verifies("other", true, TOPIC, None, 1.0));
    assert!(!book.verifies("t", false, TOPIC, None, 1.0));
    assert!(!book.verifies("t", true, "https://blog.example/other", None, 1.0));
    assert_eq!(book.active(1.0), 0);
    assert!(book.verifies("t", true, TOPIC, None, 1.0));
    assert_eq!(book.active(2.0), 1);
}

#[test]
fn a_lease_is_renewed_before_its_last_tenth_and_ends_if_the_hub_is_silent() {
    let mut book = granted();
    let at = book.next_wakeup();
    assert!((0.75 * DAY..0.9 * DAY).contains(&at), "{at}");
    assert_eq!(book.pass(at).len(), 1);
    assert!(book.verifies("t", true, TOPIC, Some(DAY), at));
    let lease = book.of(SOURCE).unwrap().lease.unwrap();
    assert_eq!((lease.since, lease.from, lease.until), (0.0, at, at + DAY));
    // This time the hub does not verify.
    let mut asked = 0;
    while book.active(book.next_wakeup()) == 1 {
        asked += book.pass(book.next_wakeup()).len();
    }
    assert!(asked > 1, "it is asked again while the lease runs, {asked}");
    assert!(book.next_wakeup() <= at + DAY + 0.001, "it wakes when the lease ends");
    book.pass(at + DAY + 0.01);
    assert_eq!(book.of(SOURCE).unwrap().lease, None);
    assert!(tally(&book).failures > 0);
}

#[test]
fn trust_needs_a_delivery() {
    let mut book = granted();
    assert_eq!(book.quiet_until(SOURCE, 1.0), Some(0.0));
    book.told("t", 1);
    let quiet = book.quiet_until(SOURCE, 1.0).unwrap();
    assert!(
        (0.95 * DAY..1.05 * DAY).contains(&quiet),
        "about a day after the last refresh: {quiet}"
    );
    book.told("t", 5);
    assert_eq!(book.quiet_until(SOURCE, 1.0), Some(quiet), "news do not put the refresh off");
    book.pass(DAY);
    assert_eq!(book.quiet_until(SOURCE, DAY), Some(0.0), "the lease has ended");
}

#[test]
fn what_a_look_finds_is_missed_only_if_the_hub_never_tells_of_it() {
    let mut book = granted();
    book.told("t", 10);
    // Found by a refresh first, told of a little later.
    book.polled(&refresh(1_000.0, Some(10.0), 1), fresh("never"));
    book.told("t", 0);
    book.pass(1_000.0 + GRACE);
    assert_eq!((tally(&book).items, tally(&book).missed), (11, 0));
    // Never told of.
    book.polled(&refresh(5_000.0, Some(1_000.0), 2), fresh("never"));
    book.pass(4_999.0 + GRACE);
    assert_eq!(tally(&book).missed, 0);
    book.pass(5_000.0 + GRACE);
    assert_eq!((tally(&book).missed, book.take_missed()), (2, 2));
    assert_eq!(book.quiet_until(SOURCE, 6_000.0), Some(0.0), "two of thirteen are too many");
    book.told("t", 10);
    assert!(book.quiet_until(SOURCE, 6_000.0) > Some(DAY / 2.0), "trust can be won back");
}

#[test]
fn what_came_before_the_lease_was_not_the_hubs_to_tell_of() {
    let mut book = book();
    book.polled(&refresh(0.0, None, 3), fresh("t"));
    book.pass(0.0);
    book.verifies("t", true, TOPIC, Some(DAY), 50.0);
    book.polled(&refresh(100.0, Some(0.0), 2), fresh("never"));
    assert_eq!(book.of(SOURCE).unwrap().suspect, None);
    book.polled(&refresh(200.0, Some(100.0), 2), fresh("never"));
    assert_eq!(book.of(SOURCE).unwrap().suspect, Some(Suspect { items: 2, at: 200.0 }));
}

#[test]
fn another_hub_takes_the_place_of_the_first_which_is_left() {
    let mut book = granted();
    let advertised = advertised("https://other.example/");
    let other = HubNotice { advertised, ..refresh(10.0, Some(0.0), 0) };
    book.polled(&other, fresh("u"));
    let mut asks = book.pass(10.0);
    asks.sort_by(|a, b| a.token.cmp(&b.token));
    let told: Vec<_> = asks.iter().map(|ask| (&*ask.hub, ask.subscribe)).collect();
    assert_eq!(told, [("https://hub.example/", false), ("https://other.example/", true)]);
    assert_eq!(book.expected("t"), None);
    assert!(book.verifies("t", false, TOPIC, None, 11.0));
    assert!(!book.verifies("t", false, TOPIC, None, 12.0), "it is forgotten");
    assert_eq!(book.of(SOURCE).unwrap().hub, "https://other.example/");
}

#[test]
fn a_source_that_names_no_hub_any_more_is_left_after_three_farewells() {
    let mut book = granted();
    let none = HubNotice { advertised: Advertised::NoHub, ..refresh(10.0, Some(0.0), 0) };
    book.polled(&none, fresh("never"));
    assert_eq!(book.quiet_until(SOURCE, 10.0), None);
    let mut asks = 0;
    while book.next_wakeup() < f64::INFINITY {
        let at = book.next_wakeup();
        asks += book.pass(at).len();
    }
    assert_eq!(asks, 3);
    let last = book.take_changed().pop().unwrap();
    assert_eq!(last, (SOURCE, "t".to_owned(), None));
}

#[test]
fn a_look_without_a_document_changes_nothing() {
    let mut book = granted();
    let unread = HubNotice { advertised: Advertised::Unknown, ..refresh(10.0, Some(0.0), 0) };
    book.polled(&unread, fresh("never"));
    assert!(book.expected("t").is_some());
}

#[test]
fn a_hub_that_denies_or_refuses_is_asked_again_later() {
    let mut book = granted();
    assert!(!book.denied("t", "https://blog.example/other", "no", 5.0));
    assert!(book.denied("t", TOPIC, "not for you", 5.0));
    assert_eq!(book.active(5.0), 0);
    assert!(book.of(SOURCE).unwrap().trouble.as_ref().unwrap().contains("not for you"));
    assert_eq!(book.next_wakeup(), 5.0 + LONGEST_WAIT);
    let now = 5.0 + LONGEST_WAIT;
    assert_eq!(book.pass(now).len(), 1);
    book.answered("t", Err("the hub answered 500".into()), now, 0.0);
    assert_eq!(book.next_wakeup(), now + 60.0);
    assert_eq!(book.pass(now + 60.0).len(), 1);
    book.answered("t", Err("the hub answered 500".into()), now + 60.0, 0.0);
    assert_eq!(book.next_wakeup(), now + 180.0, "the wait doubles");
}

#[test]
fn what_is_kept_of_a_source_that_is_no_more_is_left() {
    let mut before = granted();
    let rows = before.take_changed();
    let mut book = book();
    for (_, token, row) in rows {
        book.load(token, row.unwrap(), false);
    }
    assert_eq!(book.expected("t"), None);
    assert!(book.verifies("t", false, TOPIC, None, 1.0));
}

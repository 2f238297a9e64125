use proptest::prelude::*;

use super::*;

const FEED: FeedId = FeedId(1);
const DAY: f64 = 86_400.0;

fn limits() -> Limits {
    Limits { most: 100, per_feed: 50, per_host: 20, parallel: 8, tries: 3, backoff: 60.0 }
}

fn row(host: &str, delivered: u64, expires_at: f64) -> Subscription {
    Subscription {
        feed: FEED,
        form: 0,
        topic: "https://node.example/feeds/News.atom".into(),
        callback: format!("https://{host}/cb"),
        secret: None,
        since: 0.0,
        expires_at,
        delivered,
        tries: 0,
        next_try: 0.0,
    }
}

fn serial(book: &Book, key: Key) -> u64 {
    book.subscriptions[&key].serial
}

fn keys(book: &mut Book) -> Vec<Key> {
    std::iter::from_fn(|| book.take()).map(|delivery| delivery.key).collect()
}

#[test]
fn changes_while_a_delivery_is_on_the_way_become_one_more() {
    let mut book = Book::new(limits());
    book.put(1, row("a.example", 3, DAY), 0.0);
    book.edition(FEED, 3, 0.0);
    assert_eq!(book.take(), None, "nothing has changed since it was subscribed");
    book.edition(FEED, 4, 1.0);
    assert_eq!(keys(&mut book), [1]);
    book.edition(FEED, 5, 2.0);
    book.edition(FEED, 9, 3.0);
    assert_eq!(book.take(), None, "one is on the way");
    assert_eq!(
        book.ended((1, serial(&book, 1)), "a.example", Ending::Delivered(4), 4.0, 0.0),
        Some(Outcome::Delivered)
    );
    assert_eq!(keys(&mut book), [1]);
    book.ended((1, serial(&book, 1)), "a.example", Ending::Delivered(9), 5.0, 0.0);
    assert_eq!(book.take(), None);
}

#[test]
fn a_failed_delivery_is_tried_again_later_and_later_and_then_given_up() {
    let mut book = Book::new(limits());
    book.put(1, row("a.example", 0, DAY), 0.0);
    book.edition(FEED, 1, 0.0);
    let failed = Ending::Failed { retry_after: None };
    assert_eq!(keys(&mut book), [1]);
    assert_eq!(
        book.ended((1, serial(&book, 1)), "a.example", failed, 100.0, 0.0),
        Some(Outcome::Delayed)
    );
    assert_eq!(book.next_wakeup(), 160.0);
    book.edition(FEED, 2, 110.0);
    assert_eq!(book.take(), None, "a change does not hurry it");
    book.pass(159.0);
    assert_eq!(book.take(), None);
    book.pass(160.0);
    assert_eq!(keys(&mut book), [1]);
    let asks_for_more = Ending::Failed { retry_after: Some(500.0) };
    assert_eq!(
        book.ended((1, serial(&book, 1)), "a.example", asks_for_more, 200.0, 0.0),
        Some(Outcome::Delayed)
    );
    assert_eq!(book.next_wakeup(), 700.0, "not 320: it said how long");
    book.pass(700.0);
    assert_eq!(keys(&mut book), [1]);
    assert_eq!(
        book.ended((1, serial(&book, 1)), "a.example", failed, 701.0, 0.0),
        Some(Outcome::GivenUp)
    );
    book.pass(80_000.0);
    assert_eq!(book.take(), None);
    book.edition(FEED, 3, 80_001.0);
    assert_eq!(keys(&mut book), [1], "the next change is delivered all the same");
}

#[test]
fn a_lease_that_ends_ends_the_subscription() {
    let mut book = Book::new(limits());
    book.put(1, row("a.example", 0, 100.0), 0.0);
    book.put(2, row("b.example", 0, 200.0), 0.0);
    assert_eq!(book.next_wakeup(), 100.0);
    assert_eq!(book.pass(100.0), 1);
    book.edition(FEED, 1, 101.0);
    assert_eq!(keys(&mut book), [2]);
    let gone: Vec<Key> = book
        .take_changed()
        .into_iter()
        .filter(|(.., row)| row.is_none())
        .map(|(_, key, _)| key)
        .collect();
    assert_eq!(gone, [1]);
}

#[test]
fn a_lease_that_ends_within_this_very_millisecond_does_not_hold_up_the_book() {
    let mut book = Book::new(limits());
    book.put(1, row("a.example", 0, 100.000_4), 0.0);
    assert_eq!(book.pass(100.000_3), 0);
    assert_eq!(book.pass(100.001), 1);
}

#[test]
fn a_renewal_replaces_lease_and_secret_and_keeps_what_was_delivered() {
    let mut book = Book::new(limits());
    book.put(1, row("a.example", 5, 100.0), 0.0);
    book.edition(FEED, 6, 0.0);
    assert_eq!(keys(&mut book), [1]);
    let secret = Some(b"new".to_vec());
    book.put(
        1,
        Subscription { secret: secret.clone(), since: 50.0, ..row("a.example", 6, 500.0) },
        0.0,
    );
    assert_eq!(book.len(), 1);
    book.ended((1, serial(&book, 1)), "a.example", Ending::Failed { retry_after: None }, 60.0, 0.0);
    assert_eq!(book.pass(150.0), 0, "the old lease means nothing any more");
    let delivery = book.take().unwrap();
    assert_eq!(delivery.subscription.secret, secret);
    assert_eq!((delivery.subscription.since, delivery.subscription.delivered), (0.0, 5));
}

#[test]
fn a_slow_host_holds_up_nobody_else() {
    let mut book = Book::new(limits());
    for key in 0..10 {
        book.put(key, row("slow.example", 0, DAY), 0.0);
    }
    book.put(100, row("quick.example", 0, DAY), 0.0);
    book.edition(FEED, 1, 0.0);
    let taken = keys(&mut book);
    assert_eq!(taken.len(), PARALLEL_PER_HOST + 1);
    assert!(taken.contains(&100));
    let slow = *taken.iter().find(|key| **key < 100).unwrap();
    book.ended((slow, serial(&book, slow)), "slow.example", Ending::Delivered(1), 1.0, 0.0);
    assert_eq!(keys(&mut book).len(), 1);
}

#[test]
fn a_host_that_has_just_failed_is_tried_by_one_delivery_at_a_time() {
    let mut book = Book::new(limits());
    for key in 0..6 {
        book.put(key, row("dead.example", 0, DAY), 0.0);
    }
    book.edition(FEED, 1, 0.0);
    let first = keys(&mut book);
    assert_eq!(first.len(), PARALLEL_PER_HOST);
    for key in first {
        let whose = (key, serial(&book, key));
        book.ended(whose, "dead.example", Ending::Failed { retry_after: None }, 1.0, 0.0);
        assert!(book.in_flight + keys(&mut book).len() <= PARALLEL_PER_HOST);
    }
    assert_eq!(book.in_flight, 1, "two wait, and one of them is on the way");
    let last =
        *book.subscriptions.iter().find(|(_, it)| it.progress == Progress::InFlight).unwrap().0;
    book.ended((last, serial(&book, last)), "dead.example", Ending::Delivered(1), 2.0, 0.0);
    book.pass(1_000.0);
    assert_eq!(keys(&mut book).len(), PARALLEL_PER_HOST, "it is well again");
}

#[test]
fn limits_hold_for_new_subscriptions_and_not_for_renewals() {
    let few = Limits { most: 3, per_feed: 2, per_host: 1, ..limits() };
    let mut book = Book::new(few);
    book.put(1, row("a.example", 0, DAY), 0.0);
    assert!(book.room(2, FEED, "a.example").unwrap_err().contains("host"));
    assert!(book.room(1, FEED, "a.example").is_ok());
    book.put(2, row("b.example", 0, DAY), 0.0);
    assert!(book.room(3, FEED, "c.example").unwrap_err().contains("feed"));
    book.put(3, Subscription { feed: FeedId(2), ..row("c.example", 0, DAY) }, 0.0);
    assert!(book.room(4, FeedId(3), "d.example").unwrap_err().contains("hub"));
    book.remove(1);
    assert!(book.room(4, FEED, "a.example").is_ok());
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u8),
    Remove(u8),
    Change,
    Pass(u16),
    Take,
    End(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..12u8, 0..3u8).prop_map(|(key, host)| Step::Put(key, host)),
        (0..12u8).prop_map(Step::Remove),
        Just(Step::Change),
        (1..400u16).prop_map(Step::Pass),
        Just(Step::Take),
        (0..3u8).prop_map(Step::End),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_nobody_is_served_twice_at_once_and_everybody_in_the_end(
        steps in prop::collection::vec(step(), 1..200)
    ) {
        let mut book = Book::new(limits());
        let (mut now, mut edition) = (0.0, 1);
        let mut road: Vec<((Key, u64), String)> = Vec::new();
        for step in steps {
            match step {
                Step::Put(key, host) => {
                    let host = format!("h{}.example", if key % 2 == 0 { host } else { 0 });
                    let known = book.subscriptions.get(&Key::from(key)).map(|it| it.host.clone());
                    let host = known.unwrap_or(host);
                    book.put(key.into(), row(&host, edition, now + 500.0), now);
                }
                Step::Remove(key) => drop(book.remove(key.into())),
                Step::Change => {
                    edition += 1;
                    book.edition(FEED, edition, now);
                }
                Step::Pass(seconds) => {
                    now += f64::from(seconds);
                    book.pass(now);
                }
                Step::Take => {
                    if let Some(delivery) = book.take() {
                        prop_assert!(road.len() < limits().parallel);
                        prop_assert!(delivery.subscription.expires_at > now);
                        let to_host = road.iter().filter(|(_, host)| *host == delivery.host);
                        prop_assert!(to_host.count() < PARALLEL_PER_HOST);
                        let whose = (delivery.key, delivery.serial);
                        prop_assert!(!road.iter().any(|(other, _)| *other == whose));
                        road.push((whose, delivery.host));
                    }
                }
                Step::End(kind) => {
                    let Some((key, host)) = road.pop() else { continue };
                    let ending = match kind {
                        0 => Ending::Delivered(edition),
                        1 => Ending::Failed { retry_after: None },
                        _ => Ending::Gone,
                    };
                    book.ended(key, &host, ending, now, 0.5);
                }
            }
        }
        while let Some((key, host)) = road.pop() {
            book.ended(key, &host, Ending::Delivered(edition), now, 0.0);
        }
        // A renewal for everybody, so that no lease ends before the last delivery.
        for key in book.subscriptions.keys().copied().collect::<Vec<_>>() {
            let host = book.subscriptions[&key].host.clone();
            book.put(key, row(&host, 0, now + 1e6), now);
        }
        for _ in 0..20 {
            now += LONGEST_WAIT * 1.25;
            book.pass(now);
            while let Some(delivery) = book.take() {
                let whose = (delivery.key, delivery.serial);
                book.ended(whose, &delivery.host, Ending::Delivered(edition), now, 0.0);
            }
        }
        let behind = book.subscriptions.values().filter(|it| it.row.delivered < edition);
        prop_assert_eq!(behind.filter(|it| book.editions.contains_key(&it.row.feed)).count(), 0);
    }
}

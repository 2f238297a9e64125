//! Following, streams and marks.

use pergola_accounts::{Role, UserId, Wanted};
use pergola_node::node::{Follow, Followed, Mistake, NewSource, PeopleError, Stream};
use pergola_store::archive::ItemNumber;

use super::{Study, items};

fn folder(name: &str) -> Stream {
    Stream::Folder(name.into())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_in_several_feeds_is_shown_and_counted_once() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Reader).await;
    let news = study.source("/news", &[(1, 10), (2, 30), (3, 20)]).await;
    // Another source shows one of the same items.
    let blog = study.source("/blog", &[(3, 20), (4, 5)]).await;
    let create = r#"CREATE FEED Everything AS RETURN OPML "all";"#;
    study.node.run_script(create, "test").await.unwrap();
    let everything = Followed::Feed(study.node.feed("Everything").unwrap().id);
    study.follow(ada, Followed::Source(news), &["Tech/Rust"]).await;
    study.follow(ada, Followed::Source(blog), &["Tech"]).await;
    study.follow(ada, everything, &["Tech"]).await;
    assert_eq!(study.titles(ada, &Stream::All), items(&[2, 3, 1, 4]));
    assert_eq!(study.titles(ada, &folder("Tech")), items(&[2, 3, 1, 4]));
    assert_eq!(study.titles(ada, &folder("Tech/Rust")), items(&[2, 3, 1]));
    assert_eq!(study.titles(ada, &Stream::Source(blog)), items(&[3, 4]));
    let counts = study.node.unread_counts(ada).unwrap();
    assert_eq!((counts.all, counts.folders["Tech"].0, counts.folders["Tech/Rust"].0), (4, 4, 3));
    assert_eq!(counts.followed[&Followed::Source(blog)].0, 2);
    assert_eq!(counts.followed[&everything].0, 4);
    // Reading it in one place is reading it everywhere.
    let three = study.numbers(ada, &Stream::Source(blog))[0];
    assert_eq!(study.node.mark_read(ada, &[three, three], true).await.unwrap(), 1);
    assert_eq!(study.node.mark_read(ada, &[three], true).await.unwrap(), 0);
    let counts = study.node.unread_counts(ada).unwrap();
    assert_eq!((counts.all, counts.folders["Tech"].0, counts.folders["Tech/Rust"].0), (3, 3, 2));
    let unread = Wanted { read: Some(false), ..Wanted::newest(9) };
    assert_eq!(study.titles_of(ada, &Stream::All, &unread), items(&[2, 1, 4]));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_items_arrive_in_streams_and_counts_by_their_dates() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Reader).await;
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    study.follow(ada, Followed::Source(news), &[]).await;
    assert_eq!(study.titles(ada, &Stream::All), items(&[2, 1]));
    let far = 4_000_000_000;
    study.show("/news", &[(1, 10), (2, 30), (3, 20), (4, far)]);
    study.refresh(news).await;
    // A date in the future is not believed: that item came just now.
    assert_eq!(study.titles(ada, &Stream::All), items(&[4, 2, 3, 1]));
    let oldest = Wanted { oldest_first: true, ..Wanted::newest(9) };
    assert_eq!(study.titles_of(ada, &Stream::All, &oldest), items(&[1, 3, 2, 4]));
    assert_eq!(study.node.unread_counts(ada).unwrap().all, 4);
    let all = study.node.subscriptions(ada).unwrap();
    assert_eq!((all.len(), all[0].unread, all[0].title.as_str()), (1, 4, "Source /news"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_no_gaps_and_no_repeats_while_items_arrive() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Reader).await;
    let mut shown: Vec<(u32, i64)> = (0..10).map(|n| (n, 100 + 10 * i64::from(n))).collect();
    let news = study.source("/news", &shown).await;
    study.follow(ada, Followed::Source(news), &[]).await;
    let mut seen = Vec::new();
    let mut wanted = Wanted::newest(3);
    for round in 0.. {
        let page = study.node.stream_items(ada, &Stream::All, &wanted).unwrap();
        seen.extend(page.items.into_iter().map(|item| item.published.item.title.unwrap()));
        let Some(next) = page.next else { break };
        wanted.after = Some(next.to_string().parse().unwrap());
        // One arrives above, one below.
        shown.extend([(20 + round, 1000), (40 + round, i64::from(round))]);
        study.show("/news", &shown);
        study.refresh(news).await;
    }
    let first: Vec<u32> = (0..10).rev().collect();
    assert_eq!(seen[..10], items(&first));
    let each: std::collections::BTreeSet<&String> = seen.iter().collect();
    assert_eq!(each.len(), seen.len(), "{seen:?}");
    assert!(seen.iter().all(|title| !title.starts_with("Item 2") || title == "Item 2"), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_had_arrived_is_marked_at_once() {
    let study = Study::open().await;
    let (ada, grace) =
        (study.user("ada", Role::Admin).await, study.user("grace", Role::Reader).await);
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    for user in [ada, grace] {
        study.follow(user, Followed::Source(news), &["Tech"]).await;
    }
    let page = study.node.stream(ada, &Stream::All, &Wanted::newest(9)).unwrap();
    let until = page.items[0].arrived;
    study.show("/news", &[(1, 10), (2, 30), (3, 20)]);
    study.refresh(news).await;
    assert_eq!(study.node.mark_all_read(ada, &folder("Tech"), until).await.unwrap(), 2);
    let unread = Wanted { read: Some(false), ..Wanted::newest(9) };
    assert_eq!(study.titles_of(ada, &Stream::All, &unread), items(&[3]));
    assert_eq!(study.node.unread_counts(grace).unwrap().all, 3, "each reads for itself");
    assert_eq!(study.node.mark_all_read(ada, &folder("Elsewhere"), f64::MAX).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_or_marks_what_it_does_not_follow() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let grace = study.user("grace", Role::Reader).await;
    let news = study.source("/news", &[(1, 10)]).await;
    study.follow(ada, Followed::Source(news), &[]).await;
    let one = study.numbers(ada, &Stream::All);
    let node = &study.node;
    assert_eq!(node.items_by_number(ada, &one).unwrap().len(), 1);
    assert_eq!(node.items_by_number(grace, &one).unwrap(), []);
    assert_eq!(study.titles(grace, &Stream::Source(news)), items(&[]));
    assert_eq!(node.mark_read(grace, &one, true).await.unwrap(), 0);
    assert_eq!(node.mark_starred(grace, &one, true).await.unwrap(), 0);
    assert_eq!(node.mark_read(ada, &[ItemNumber(77)], true).await.unwrap(), 0);
    assert_eq!(node.items_by_number(UserId(99), &one).unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn private_sources_and_closed_feeds_are_not_for_every_reader() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let grace = study.user("grace", Role::Reader).await;
    let url = study.origin.url("/private");
    let private = NewSource { private: true, ..NewSource::feed(url.as_str()).unwrap() };
    let private = Followed::Source(study.node.add_sources(vec![private]).await.unwrap().new[0]);
    let create =
        r#"CREATE FEED Closed AS RETURN OPML "all"; CREATE FEED Hers AS RETURN OPML "all";"#;
    study.node.run_script(create, "test").await.unwrap();
    let feed = |name: &str| Followed::Feed(study.node.feed(name).unwrap().id);
    study.node.set_readers("Closed", Some(vec![])).await.unwrap();
    study.node.set_readers("Hers", Some(vec!["grace".into()])).await.unwrap();
    for what in [private, feed("Closed")] {
        let refused = study.node.subscribe(grace, what, Follow::default()).await.unwrap_err();
        assert!(matches!(refused, PeopleError::Mistake(Mistake::Unreadable(_))), "{refused}");
        study.node.subscribe(ada, what, Follow::default()).await.unwrap();
    }
    study.node.subscribe(grace, feed("Hers"), Follow::default()).await.unwrap();
    assert_eq!(study.node.subscriptions(grace).unwrap().len(), 1);
    study.node.set_readers("Hers", Some(vec![])).await.unwrap();
    assert_eq!(study.node.subscriptions(grace).unwrap(), [], "as soon as it is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_user_follows_everything_that_is_there_and_comes() {
    let study = Study::open().await;
    let url = study.origin.url("/news");
    study.show("/news", &[(1, 10)]);
    let folders = vec!["Tech".to_owned()];
    let new = NewSource { folders, ..NewSource::feed(url.as_str()).unwrap() };
    let news = study.node.add_sources(vec![new]).await.unwrap().new[0];
    study.refresh(news).await;
    let me = study.node.operator_user().await.unwrap();
    assert_eq!(study.titles(me, &folder("Tech")), items(&[1]));
    let blog = study.source("/blog", &[(2, 20)]).await;
    assert_eq!(study.titles(me, &Stream::Source(blog)), items(&[2]));
    assert_eq!(study.titles(me, &Stream::All), items(&[2, 1]));
    study.node.set_folders(blog, vec!["Tech".into()]).await.unwrap();
    assert_eq!(study.titles(me, &folder("Tech")), items(&[2, 1]), "in the folders of the source");
    let study = study.reopened().await;
    assert_eq!(study.titles(me, &Stream::All), items(&[2, 1]));
    study.node.remove_source(blog).await.unwrap();
    assert_eq!(study.titles(me, &Stream::All), items(&[1]));
    study.node.restore_source(blog).await.unwrap();
    assert_eq!(study.titles(me, &Stream::All), items(&[2, 1]));
    assert!(study.node.users().unwrap().is_empty(), "it is no account");
}

//! What stays of marks and stars, and what goes.

use std::ops::ControlFlow;
use std::time::Duration;

use pergola_accounts::{Role, Wanted};
use pergola_node::node::{Followed, Node, Stream, close};
use pergola_outside::clock::Clock;
use pergola_outside::surroundings::Surroundings;
use pergola_store::backup::{Replace, restore, write_backup};
use pergola_store::testing::FaultyStore;
use pergola_store::{Order, Store, Table, open};
use tempfile::TempDir;

use super::{Study, items};
use crate::house::quick_config;

/// The tables of people.
const PEOPLE: [Table; 6] = [
    Table::User,
    Table::Session,
    Table::AppPassword,
    Table::Following,
    Table::Mark,
    Table::Starred,
];

fn rows(store: &dyn Store, table: Table) -> usize {
    let mut rows = 0;
    let mut visit = |_: &[u8], _: &[u8]| {
        rows += 1;
        ControlFlow::Continue(())
    };
    store.scan(table, &[], None, Order::Ascending, &mut visit).unwrap();
    rows
}

/// How many rows each table of people has.
async fn counted(node: &Node) -> [usize; 6] {
    node.alone(|archive| PEOPLE.map(|table| rows(&**archive.store(), table))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_survive_a_restart_and_a_backup() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let news = study.source("/news", &[(1, 10), (2, 30), (3, 20)]).await;
    study.follow(ada, Followed::Source(news), &["Tech"]).await;
    let all = study.numbers(ada, &Stream::All);
    study.node.mark_read(ada, &all[..1], true).await.unwrap();
    study.node.mark_starred(ada, &all[1..2], true).await.unwrap();
    let unread = Wanted { read: Some(false), ..Wanted::newest(9) };
    let study = study.reopened().await;
    assert_eq!(study.titles_of(ada, &Stream::Folder("Tech".into()), &unread), items(&[3, 1]));
    assert_eq!(study.titles(ada, &Stream::Starred), items(&[3]));

    let mut backup = Vec::new();
    let Study { node, origin, folder } = study;
    close(node).await;
    let config = quick_config(&folder);
    let store = open(&config.node.data, None, 1 << 20).unwrap().store;
    write_backup(&*store, &mut backup, |_| ()).unwrap();
    let other = TempDir::new().unwrap();
    let config = quick_config(&other);
    let backend = config.store.backend.unwrap_or_default();
    restore(&config.node.data, backend, Replace::Never, &*backup, |_| ()).unwrap();
    let node = Node::open_here(config, Clock::real()).await.unwrap();
    let study = Study { node, origin, folder: other };
    assert_eq!(study.titles_of(ada, &Stream::Source(news), &unread), items(&[3, 1]));
    assert_eq!(study.titles(ada, &Stream::Starred), items(&[3]));
    assert!(study.node.check_password("ada", super::PASSWORD, None).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_user_who_is_removed() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let grace = study.user("grace", Role::Reader).await;
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    let blog = study.source("/blog", &[(3, 10)]).await;
    let node = &study.node;
    study.follow(ada, Followed::Source(news), &[]).await;
    for source in [news, blog] {
        study.follow(grace, Followed::Source(source), &[]).await;
    }
    let all = study.numbers(grace, &Stream::All);
    node.mark_read(grace, &all, true).await.unwrap();
    node.mark_starred(grace, &all, true).await.unwrap();
    node.mark_starred(ada, &study.numbers(ada, &Stream::All)[..1], true).await.unwrap();
    node.open_session(grace, "Browser").await.unwrap();
    node.make_app_password(grace, "Phone").await.unwrap();
    assert_eq!(counted(node).await, [2, 1, 1, 3, 7, 3]);
    node.remove_user(grace).await.unwrap();
    assert_eq!(counted(node).await, [1, 0, 0, 1, 1, 1], "only Ada's are left");
    let feeds = node.alone(|archive| archive.feeds().unwrap()).await.unwrap();
    assert_eq!(feeds.iter().map(|(_, feed)| feed.source()).collect::<Vec<_>>(), [Some(news)]);
    assert_eq!(study.titles(ada, &Stream::Starred), items(&[2]));
    assert_eq!(study.titles(grace, &Stream::All), items(&[]));
    node.remove_user(ada).await.unwrap();
    assert_eq!(counted(node).await, [0; 6]);
    for table in [Table::Feed, Table::Entry, Table::Member, Table::Edit, Table::Reader] {
        let left = node.alone(move |archive| rows(&**archive.store(), table)).await.unwrap();
        assert_eq!(left, 0, "{table:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_starred_item_stays_when_its_time_is_over_and_goes_with_the_last_star() {
    let study = Study::open_with(|config| config.store.keep = Duration::ZERO).await;
    let ada = study.user("ada", Role::Admin).await;
    let grace = study.user("grace", Role::Reader).await;
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    for user in [ada, grace] {
        study.follow(user, Followed::Source(news), &[]).await;
    }
    let all = study.numbers(ada, &Stream::All);
    let node = &study.node;
    node.mark_read(ada, &all, true).await.unwrap();
    node.mark_starred(ada, &all[..1], true).await.unwrap();
    node.mark_starred(grace, &all[..1], true).await.unwrap();
    assert_eq!(node.clear_out().await.unwrap().entries, 2);
    assert_eq!(study.titles(ada, &Stream::All), items(&[]));
    assert_eq!(study.titles(ada, &Stream::Starred), items(&[2]));
    assert_eq!(node.unread_counts(ada).unwrap().all, 0);
    let item = node.items_by_number(grace, &all).unwrap().remove(0);
    assert_eq!((item.number, item.starred, item.read), (all[0], true, false));
    assert_eq!(counted(node).await, [2, 0, 0, 2, 2, 1], "what was read is forgotten");
    node.mark_starred(ada, &all[..1], false).await.unwrap();
    assert_eq!(study.titles(ada, &Stream::Starred), items(&[]));
    assert_eq!(study.titles(grace, &Stream::Starred), items(&[2]));
    node.mark_starred(grace, &all[..1], false).await.unwrap();
    assert_eq!(counted(node).await, [2, 0, 0, 2, 0, 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_the_last_one_leaves_loses_its_feed_and_gets_it_back() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    let what = Followed::Source(news);
    study.follow(ada, what, &[]).await;
    let all = study.numbers(ada, &Stream::All);
    study.node.mark_read(ada, &all[..1], true).await.unwrap();
    study.node.unsubscribe(ada, what).await.unwrap();
    assert_eq!(study.titles(ada, &Stream::All), items(&[]));
    assert!(study.node.unsubscribe(ada, what).await.is_err());
    assert!(study.node.alone(|archive| archive.feeds().unwrap()).await.unwrap().is_empty());
    study.follow(ada, what, &[]).await;
    assert_eq!(study.titles(ada, &Stream::All), items(&[2, 1]));
    assert_eq!(study.node.unread_counts(ada).unwrap().all, 1, "what was read is still read");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follow_that_is_cut_short_leaves_nothing_that_stays() {
    let folder = TempDir::new().unwrap();
    let config = quick_config(&folder);
    let mut surroundings = Surroundings::real(&config, Clock::real()).unwrap();
    let store = std::sync::Arc::new(FaultyStore::over(surroundings.store.store));
    surroundings.store.store = store.clone();
    let node = Node::open(config, surroundings).await.unwrap();
    let study = Study { node, origin: crate::origin::Origin::builder().start().await, folder };
    let ada = study.user("ada", Role::Admin).await;
    let news = study.source("/news", &[(1, 10), (2, 30)]).await;
    // At each commit of it in turn.
    for table in [Table::Feed, Table::Entry, Table::Following] {
        store.refuse_commits_where(move |batch| batch.iter().any(|(changed, ..)| changed == table));
        let how = pergola_node::node::Follow::default();
        let refused = study.node.subscribe(ada, Followed::Source(news), how).await;
        assert!(refused.is_err(), "{table:?}");
        assert_eq!(study.titles(ada, &Stream::All), items(&[]));
        store.refuse_commits(false);
        let how = pergola_node::node::Follow::default();
        study.node.subscribe(ada, Followed::Source(news), how).await.unwrap();
        assert_eq!(study.titles(ada, &Stream::All), items(&[2, 1]), "{table:?}");
        study.node.unsubscribe(ada, Followed::Source(news)).await.unwrap();
    }
    store.refuse_commits_where(|batch| batch.iter().any(|(table, ..)| table == Table::Following));
    let how = pergola_node::node::Follow::default();
    study.node.subscribe(ada, Followed::Source(news), how).await.unwrap_err();
    store.refuse_commits(false);
    let feeds = async || study.node.alone(|archive| archive.feeds().unwrap().len()).await.unwrap();
    assert_eq!(feeds().await, 1, "a feed that nobody follows");
    study.node.clear_out().await.unwrap();
    assert_eq!(feeds().await, 0);
}

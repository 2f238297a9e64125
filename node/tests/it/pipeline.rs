//! An item's way through the node: crawled, selected, published.

use std::time::Duration;

use pergola_api::feed::Applied;
use pergola_config::BudgetRule;
use pergola_newsroom::serve::Headline;
use pergola_node::node::{FeedError, NewSource, SourceError};
use pergola_store::Backend;
use tempfile::TempDir;

use crate::house::{House, Press, eventually, quick_config};

async fn expect_titles(house: &House, feed: &str, titles: &[&str]) {
    eventually(feed, async || {
        let seen = house.titles(feed).await;
        if seen == titles { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

fn headline(press: &Press, source: &str, title: &str) {
    press.newsroom.publish_headline(source, Headline::new(title, &["news"])).unwrap();
}

async fn create(house: &House, query: &str) -> Vec<Applied> {
    house.node().run_script(query, "test").await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_reaches_every_feed_that_wants_it_and_no_other() {
    let (press, house) = (Press::start(&["news", "blog"]).await, House::start().await);
    headline(&press, "news", "A volcano erupts");
    let (news, blog) = (press.url("news"), press.url("blog"));
    create(
        &house,
        &format!(
            r#"CREATE FEED Volcanoes AS RETURN "{news}" | "{blog}" WHERE ITEM CONTAINS "volcano";
           CREATE FEED Iceland AS RETURN FEED Volcanoes WHERE TITLE CONTAINS "iceland";
           CREATE FEED Everything AS RETURN OPML "all";"#
        ),
    )
    .await;
    expect_titles(&house, "Volcanoes", &["A volcano erupts"]).await;
    headline(&press, "blog", "On Iceland another volcano");
    headline(&press, "blog", "Nothing of interest");
    expect_titles(&house, "Iceland", &["On Iceland another volcano"]).await;
    expect_titles(&house, "Volcanoes", &["On Iceland another volcano", "A volcano erupts"]).await;
    let all = ["Nothing of interest", "On Iceland another volcano", "A volcano erupts"];
    expect_titles(&house, "Everything", &all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_works_on_either_store_and_keeps_the_one_that_its_folder_has() {
    for backend in Backend::ALL {
        let (press, folder) = (Press::start(&["news"]).await, TempDir::new().unwrap());
        let mut config = quick_config(&folder);
        config.store.backend = Some(backend);
        let house = House::open(folder, config).await;
        headline(&press, "news", "First");
        let url = press.url("news");
        create(&house, &format!(r#"CREATE FEED News AS RETURN "{url}";"#)).await;
        expect_titles(&house, "News", &["First"]).await;
        let House { running, folder, .. } = house;
        running.stop(Duration::from_secs(10)).await;
        let mut config = quick_config(&folder);
        config.store.backend = None;
        let house = House::open(folder, config).await;
        assert_eq!(house.node().status().store, backend.to_string());
        headline(&press, "news", "Second");
        expect_titles(&house, "News", &["Second", "First"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_created_later_begins_with_what_its_sources_show() {
    let (press, house) = (Press::start(&["news"]).await, House::start().await);
    let added =
        house.node().add_sources(vec![NewSource::feed(&press.url("news")).unwrap()]).await.unwrap();
    headline(&press, "news", "First");
    headline(&press, "news", "Second");
    let report = house.node().refresh_now(added.new[0], true).await;
    if let Ok(report) = report {
        assert!(report.new_items <= 2);
    }
    eventually("the source to be seen", async || {
        let seen = house.node().source(added.new[0]).unwrap().0.items;
        if seen == 2 { Ok(()) } else { Err(seen.to_string()) }
    })
    .await;
    let url = press.url("news");
    let applied = create(&house, &format!(r#"CREATE FEED Late AS RETURN "{url}";"#)).await;
    assert_eq!(applied, [Applied::Created { name: "Late".into(), items: 2, sources: 0 }]);
    expect_titles(&house, "Late", &["Second", "First"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_survives_a_restart_and_nothing_comes_twice() {
    let (press, house) = (Press::start(&["news"]).await, House::start().await);
    let url = press.url("news");
    create(&house, &format!(r#"CREATE FEED News AS RETURN "{url}" WINDOW 5;"#)).await;
    headline(&press, "news", "One");
    expect_titles(&house, "News", &["One"]).await;
    let house = house.restart().await;
    expect_titles(&house, "News", &["One"]).await;
    headline(&press, "news", "Two");
    expect_titles(&house, "News", &["Two", "One"]).await;
    let card = house.node().feed("News").unwrap();
    let all = house.node().items_from(card.id, 0, 100).unwrap();
    let numbers: Vec<u64> = all.iter().map(|published| published.sequence).collect();
    assert_eq!(numbers, [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_last_reader_lets_its_sources_go() {
    let (press, house) = (Press::start(&["news", "blog"]).await, House::start().await);
    let (news, blog) = (press.url("news"), press.url("blog"));
    house.node().add_sources(vec![NewSource::feed(&blog).unwrap()]).await.unwrap();
    create(&house, &format!(r#"CREATE FEED Both AS RETURN "{news}" | "{blog}";"#)).await;
    assert_eq!(house.node().source_list().unwrap().len(), 2);
    let id = house.node().find_source(&news).unwrap();
    let error = house.node().remove_source(id).await.unwrap_err();
    assert!(matches!(error, SourceError::StillRead { .. }), "{error}");
    create(&house, "DROP FEED Both;").await;
    let left = house.node().source_list().unwrap();
    assert_eq!(left.iter().map(|source| &source.url).collect::<Vec<_>>(), [&blog]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_statement_changes_nothing_and_says_where_it_is_wrong() {
    let house = House::start().await;
    let script =
        r#"CREATE FEED A AS RETURN "https://a.example.org/"; CREATE FEED B AS RETRUN "x";"#;
    let error = house.node().run_script(script, "my.fql").await.unwrap_err();
    let FeedError::Query { rendered, conflict: false, .. } = error else { panic!("{error}") };
    assert!(rendered.contains("my.fql:1") && rendered.contains("RETURN"), "{rendered}");
    assert_eq!(house.node().feeds().len(), 0);
    create(&house, r#"CREATE FEED A AS RETURN "https://a.example.org/";"#).await;
    let again = r#"CREATE FEED A AS RETURN "https://b.example.org/";"#;
    let error = house.node().run_script(again, "my.fql").await.unwrap_err();
    assert!(matches!(error, FeedError::Query { conflict: true, .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_on_two_routes_is_published_once() {
    let (press, house) = (Press::start(&["news"]).await, House::start().await);
    let url = press.url("news");
    // The same document by another address: the same items.
    let other = format!("{url}?copy=1");
    create(&house, &format!(r#"CREATE FEED Twice AS RETURN "{url}" | "{other}";"#)).await;
    headline(&press, "news", "Once");
    expect_titles(&house, "Twice", &["Once"]).await;
    let other = house.node().find_source(&other).unwrap();
    eventually("the second route", async || {
        let seen = house.node().source(other).unwrap().0.items;
        if seen == 1 { Ok(()) } else { Err(seen.to_string()) }
    })
    .await;
    assert_eq!(house.titles("Twice").await, ["Once"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_that_comes_while_its_feed_is_made() {
    // The source of a new feed is refreshed while the feed is being put in force: whatever the order, the
    // items are in it. Many times and at several nodes at once, because it is a race.
    let one = async || {
        let names: Vec<String> = (0..100).map(|number| format!("source{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (press, house) = (Press::start(&names).await, House::start().await);
        for name in &names {
            headline(&press, name, "Only one");
            create(&house, &format!("CREATE FEED {name} AS RETURN \"{}\";", press.url(name))).await;
        }
        for name in names {
            expect_titles(&house, name, &["Only one"]).await;
        }
    };
    tokio::join!(one(), one(), one(), one(), one(), one(), one(), one());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_missed_of_many_sources_that_are_added_at_once() {
    // The first of them are refreshed while the last are still being stored.
    let names: Vec<String> = (0..1500).map(|number| format!("source{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (press, folder) = (Press::start(&names).await, TempDir::new().unwrap());
    let mut config = quick_config(&folder);
    config.budget.rule = BudgetRule::Refreshes { per_minute: 60_000.0 };
    let house = House::open(folder, config).await;
    names.iter().for_each(|name| headline(&press, name, "Only one"));
    create(&house, r#"CREATE FEED Everything AS RETURN OPML "all";"#).await;
    let sources = names.iter().map(|name| NewSource::feed(&press.url(name)).unwrap());
    house.node().add_sources(sources.collect()).await.unwrap();
    eventually("an item of each source", async || {
        let published = house.node().listing("Everything").unwrap().tally.next;
        let seen = house.node().status().items;
        if published == 1500 { Ok(()) } else { Err(format!("{published} of {seen}")) }
    })
    .await;
}

//! Full-text search over all stored items, as those who build on the node use it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use pergola_newsroom::serve::Headline;
use pergola_store::archive::{Asked, Find, Finding, ItemNumber};
use pergola_store::{Batch, Order, Table};

use crate::house::{House, Press, eventually, quick_config};

fn find(text: &str) -> Find {
    let asked = Asked::parse(text).unwrap();
    Find { asked, sources: None, after: None, limit: 10 }
}

async fn found(house: &House, text: &str) -> Finding {
    house.node().find_items(find(text)).await.unwrap()
}

/// Searches until so many items are found; what is stored can be found at once.
async fn expect(house: &House, text: &str, items: usize) -> Finding {
    eventually("items are found", async || {
        let finding = found(house, text).await;
        if finding.found.len() == items { Ok(()) } else { Err(format!("{text}: {finding:?}")) }
    })
    .await;
    found(house, text).await
}

/// A node that has crawled two sources with two items each, three of them about ash.
async fn crawled() -> (Press, House) {
    let (press, house) = (Press::start(&["one", "two"]).await, House::start().await);
    for (source, titles) in [
        ("one", ["Ash over Iceland", "Clear sky over Iceland"]),
        ("two", ["The ash cloud", "Åsh and clouds"]),
    ] {
        for title in titles {
            let headline = Headline::new(title, &["x"]);
            press.newsroom.publish_headline(source, headline).unwrap();
        }
        let url = press.url(source);
        let create = format!(r#"CREATE FEED {source} AS RETURN "{url}";"#);
        house.node().run_script(&create, "test").await.unwrap();
    }
    expect(&house, "ash", 3).await;
    expect(&house, "iceland", 2).await;
    (press, house)
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_items_are_found_before_and_after_they_are_indexed_and_after_a_restart() {
    let (_press, mut house) = crawled().await;
    for round in 0..3 {
        for (text, items) in [
            ("ASH", 3),
            ("cloud*", 2),
            ("\"ash cloud\"", 1),
            ("ash -iceland", 2),
            ("iceland \"clear sky\"", 1),
            ("nothing", 0),
        ] {
            assert_eq!(found(&house, text).await.found.len(), items, "{text}, round {round}");
        }
        let one = found(&house, "\"ash cloud\"").await.found[0];
        let mut there = find("ash");
        there.sources = Some(BTreeSet::from([one.source]));
        assert_eq!(house.node().find_items(there).await.unwrap().found.len(), 2);
        let located = house.node().locate(one.item).await.unwrap();
        assert_eq!(located, Some(one));
        house.node().index_now().await.unwrap();
        let size = house.node().index_size().await.unwrap();
        assert_eq!((size.waiting, size.documents, size.whole), (0, 4, true));
        assert!(found(&house, "ash").await.complete);
        if round == 1 {
            house = house.restart().await;
        }
    }
    assert_eq!(house.node().locate(ItemNumber(7)).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_results_follow_each_other() {
    let (_press, house) = crawled().await;
    let (mut page, mut seen) = (find("ash"), Vec::new());
    page.limit = 1;
    loop {
        let finding = house.node().find_items(page.clone()).await.unwrap();
        seen.extend(finding.found.iter().map(|found| found.item));
        page.after = finding.next;
        if page.after.is_none() {
            break;
        }
    }
    let all: Vec<_> = found(&house, "ash").await.found.iter().map(|found| found.item).collect();
    assert_eq!(seen, all);
    assert_eq!(all.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_without_an_index_or_with_a_damaged_one_gets_a_new_one() {
    let (_press, mut house) = crawled().await;
    house.node().index_now().await.unwrap();
    for damage in [true, false] {
        let House { running, folder, .. } = house;
        running.stop(Duration::from_secs(10)).await;
        let config = quick_config(&folder);
        let store = pergola_store::open(&config.node.data, None, 1 << 20).unwrap().store;
        let mut batch = Batch::default();
        for table in [Table::Arrival, Table::Index] {
            let mut visit = |key: &[u8], row: &[u8]| {
                match damage {
                    true => batch.put(table, key, [row, b"!"].concat()),
                    false => batch.delete(table, key),
                }
                ControlFlow::Continue(())
            };
            store.scan(table, &[], None, Order::Ascending, &mut visit).unwrap();
        }
        assert!(!batch.is_empty());
        store.commit(&batch).unwrap();
        drop(store);
        house = House::open(folder, config).await;
        assert!(house.node().find_items(find("ash")).await.is_ok(), "a search does not fail");
        eventually("the index is there again", async || {
            house.node().index_now().await.unwrap();
            let size = house.node().index_size().await.unwrap();
            if size.whole && size.documents == 4 { Ok(()) } else { Err(format!("{size:?}")) }
        })
        .await;
        let finding = found(&house, "ash").await;
        assert_eq!((finding.found.len(), finding.complete), (3, true));
        assert_eq!(house.metric("store_damaged_rows"), 0.0);
    }
}

//! Cursors through everything that can happen to a node.

use std::path::Path;
use std::time::Duration;

use pergola_proto::v1;
use tempfile::TempDir;

use super::{Stand, asked, connect, numbers, titles};
use crate::house::{House, eventually, quick_config};

#[tokio::test(flavor = "multi_thread")]
async fn pages_go_on_where_they_ended_across_a_restart() {
    let mut stand = Stand::open().await;
    stand.publish(10).await;
    let page = v1::FetchRequest { limit: 4, newest: u32::MAX, ..asked() };
    let first = stand.ask(page).await;
    assert_eq!((numbers(&first), first.more), (vec![0, 1, 2, 3], true));
    let mut stand = stand.restart().await;
    let rest = stand.fetch(&first.cursor).await;
    assert_eq!((numbers(&rest), rest.more), ((4..10).collect(), false));
    assert!(!rest.restarted && rest.expired == 0);
    stand.publish(2).await;
    let mut stand = stand.restart().await;
    assert_eq!(numbers(&stand.fetch(&rest.cursor).await), [10, 11]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_item_is_told_again_with_its_number() {
    let mut stand = Stand::open().await;
    stand.publish(6).await;
    let before = stand.fetch("").await;
    stand.edit(2, "corrected").await;
    let after = stand.fetch(&before.cursor).await;
    assert_eq!((numbers(&after), titles(&after)), (vec![2], vec!["corrected"]));
    assert!(after.entries[0].edited);
    let mut stand = stand.restart().await;
    assert!(stand.fetch(&after.cursor).await.entries.is_empty());
    // Housekeeping throws away what nobody needs, and only that.
    stand.edit(2, "corrected again").await;
    stand.house.node().clear_out().await.unwrap();
    assert_eq!(titles(&stand.fetch(&before.cursor).await), ["corrected again"]);
    assert_eq!(titles(&stand.fetch(&after.cursor).await), ["corrected again"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_thrown_away_is_counted() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.store.keep = Duration::from_millis(1);
    let mut stand = Stand::open_with(folder, config).await;
    stand.publish(4).await;
    let cursor = stand.fetch("").await.cursor;
    stand.publish(3).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    stand.house.node().clear_out().await.unwrap();
    let late = stand.fetch(&cursor).await;
    assert_eq!((late.expired, late.restarted, late.entries.len()), (3, false, 0));
    stand.publish(1).await;
    let next = stand.fetch(&late.cursor).await;
    assert_eq!((next.expired, numbers(&next)), (0, vec![7]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_edited_after_its_time_is_over_does_not_come_again() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.store.keep = Duration::ZERO;
    let mut stand = Stand::open_with(folder, config).await;
    stand.publish(4).await;
    let cursor = stand.fetch("").await.cursor;
    eventually("the items to go", async || {
        let left = stand.house.node().clear_out().await.unwrap().entries;
        if left == 4 { Ok(()) } else { Err(format!("{left} went")) }
    })
    .await;
    let mut stand = stand.restart().await;
    stand.items[1].1 = "corrected".into();
    stand.publish(1).await;
    // The document that showed the new item showed the edited one, too.
    let next = stand.fetch(&cursor).await;
    assert_eq!((numbers(&next), titles(&next)), (vec![4], vec!["title 4"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_that_was_dropped_and_made_again_begins_anew() {
    let mut stand = Stand::open().await;
    stand.publish(3).await;
    let cursor = stand.fetch("").await.cursor;
    stand.house.node().run_script("DROP FEED Paper;", "test").await.unwrap();
    let gone = stand.client.fetch(v1::FetchRequest { cursor: cursor.clone(), ..asked() }).await;
    assert_eq!(gone.unwrap_err().code(), tonic::Code::NotFound);
    stand.create().await;
    stand.publish(0).await;
    let anew = stand.fetch(&cursor).await;
    assert!(anew.restarted);
    assert_eq!(titles(&anew), ["title 0", "title 1", "title 2"]);
    assert!(!stand.fetch(&anew.cursor).await.restarted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_feed_keeps_its_cursors() {
    let mut stand = Stand::open().await;
    stand.publish(3).await;
    let cursor = stand.fetch("").await.cursor;
    let rename = "ALTER FEED Paper RENAME TO Journal;";
    stand.house.node().run_script(rename, "test").await.unwrap();
    let request = v1::FetchRequest { feed: "Journal".into(), cursor, ..asked() };
    let answer = stand.ask(request).await;
    assert!(!answer.restarted && answer.entries.is_empty());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let (path, target) = (file.path(), to.join(file.file_name()));
        match path.is_dir() {
            true => copy(&path, &target),
            false => {
                std::fs::copy(path, target).unwrap();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_backup_never_makes_a_reader_pass_over_what_it_has_not_seen() {
    let mut stand = Stand::open().await;
    stand.publish(3).await;
    let early = stand.fetch("").await.cursor;
    // The folder is copied, the node goes on, and a reader with it.
    let Stand { origin, house, items, .. } = stand;
    let House { running, folder, .. } = house;
    running.stop(Duration::from_secs(10)).await;
    let (data, saved) = (folder.path().join("data"), folder.path().join("saved"));
    copy(&data, &saved);
    let house = House::open(folder, quick_config_of(&data)).await;
    let client = connect(&house).await;
    let mut stand = Stand { origin, house, client, items, padding: 0 };
    stand.publish(4).await;
    let ahead = stand.fetch(&early).await;
    assert_eq!(numbers(&ahead), [3, 4, 5, 6]);
    // The copy takes its place, and other items come.
    let Stand { origin, house, mut items, .. } = stand;
    let House { running, folder, .. } = house;
    running.stop(Duration::from_secs(10)).await;
    std::fs::remove_dir_all(&data).unwrap();
    copy(&saved, &data);
    items.truncate(3);
    origin.set("/paper.json", super::document(&items, 0));
    let house = House::open(folder, quick_config_of(&data)).await;
    let client = connect(&house).await;
    let mut stand = Stand { origin, house, client, items, padding: 0 };
    let back = stand.fetch(&ahead.cursor).await;
    assert!(back.restarted, "the cursor is ahead of the feed");
    assert_eq!(numbers(&back), [0, 1, 2]);
    let other = |number: usize| (format!("http://items.example/other{number}"), "other".to_owned());
    stand.items.extend((0..6).map(other));
    stand.show().await;
    stand.until("the other items", |tally| tally.next >= 9).await;
    let overtaken = stand.fetch(&ahead.cursor).await;
    assert!(overtaken.restarted, "the numbers fit again, and the entries are others");
    assert_eq!(numbers(&overtaken), (0..9).collect::<Vec<_>>());
    let fine = stand.fetch(&early).await;
    assert!(!fine.restarted, "what was saved is as it was");
    assert_eq!(numbers(&fine), (3..9).collect::<Vec<_>>());
}

fn quick_config_of(data: &Path) -> pergola_config::Config {
    let scratch = TempDir::new().unwrap();
    let mut config = quick_config(&scratch);
    config.node.data = data.to_owned();
    config
}

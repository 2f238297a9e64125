//! However an address enters, its password is split from it.

use std::sync::Arc;

use pergola_config::Config;
use pergola_manners::source::{Credentials, Proof};
use pergola_node::node::{NewSource, Node, close};
use pergola_outside::clock::Clock;
use pergola_port::access::Caller;
use pergola_store::archive::{Archive, Commit, SourceId};
use serde_json::json;
use tempfile::TempDir;

use super::{SECRET, with_password};
use crate::api::{get, post, quiet_house};
use crate::house::{House, eventually, quick_config};
use crate::origin::{Origin, Reply};

/// Every source of a node has its credentials, and no address a password.
async fn all_are_split(house: &House, count: usize) {
    let (_, list) = get(house, "/api/v1/sources").await;
    let sources = list["sources"].as_array().unwrap();
    assert_eq!(sources.len(), count, "{list}");
    for source in sources {
        assert!(!source["url"].as_str().unwrap().contains('@'), "{source}");
        assert_eq!(source["credentials"]["kind"], "password", "{source}");
    }
    assert!(!list.to_string().contains(SECRET), "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_in_a_query_an_import_or_a_list_is_split() {
    let house = quiet_house().await;
    let origin = Origin::builder().start().await;
    let url = |path: &str| with_password(&origin, path);
    let query = format!("CREATE FEED A AS RETURN \"{}\";", url("/query"));
    post(&house, "/api/v1/feeds", json!({"query": query, "force": true})).await;
    let outline = |path: &str| {
        let url = url(path);
        format!("<opml><body><outline text=\"A\" xmlUrl=\"{url}\"/></body></opml>")
    };
    let import = json!({"opml": outline("/import"), "feed": "B"});
    let (status, imported) = post(&house, "/api/v1/opml", import).await;
    assert_eq!((status.as_u16(), &imported["new"]), (200, &json!(1)), "{imported}");
    all_are_split(&house, 2).await;
    origin.set("/list", Reply::ok(outline("/listed")).header("content-type", "text/x-opml"));
    post(&house, "/api/v1/sources", json!({"url": url("/list"), "list": true})).await;
    eventually("the list to be read", async || {
        let (_, list) = get(&house, "/api/v1/sources").await;
        let sources = list["sources"].as_array().unwrap().len();
        if sources == 4 { Ok(()) } else { Err(list.to_string()) }
    })
    .await;
    all_are_split(&house, 4).await;
    let (_, feeds) = get(&house, "/api/v1/feeds").await;
    assert!(!feeds.to_string().contains(SECRET), "{feeds}");
    for feed in house.node().feeds() {
        assert!(!feed.statement.contains('@'), "{}", feed.statement);
        let status = house.node().feed_status(&feed, &Caller::Operator).unwrap();
        assert_eq!(status.sources, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_of_the_configuration_is_split_or_has_keys_of_its_own() {
    let folder = TempDir::new().unwrap();
    let origin = super::site().await;
    let text = format!(
        "[hosts.\"127.0.0.1\"]\nspacing = 0\nfloor = 0\nprivate = true\n\
         [[source]]\nurl = {:?}\nprivate = true\n\
         [[source]]\nurl = {:?}\nheader = \"X-Token: {SECRET}\"\n",
        with_password(&origin, "/basic"),
        origin.url("/header").as_str()
    );
    let file = folder.path().join("secrets.toml");
    std::fs::write(&file, text).unwrap();
    let mut config = Config::load(Some(&file), []).unwrap();
    config.node.data = folder.path().join("data");
    let node = Node::open_here(config, Clock::real()).await.unwrap();
    for id in [SourceId(1), SourceId(2)] {
        let report = node.refresh_now(id, false).await.unwrap();
        assert_eq!((report.new_items, report.trouble), (1, None));
    }
    let sources = node.source_list().unwrap();
    assert!(sources[0].private && !sources[1].private);
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_version_stored_is_split_when_the_node_opens() {
    let folder = TempDir::new().unwrap();
    let data = quick_config(&folder).node.data;
    let open = async || Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let node = open().await;
    let plain = "http://127.0.0.1:9/rss";
    node.add_sources(vec![NewSource::feed(plain).unwrap()]).await.unwrap();
    node.run_script(&format!("CREATE FEED A AS RETURN \"{plain}\";"), "test").await.unwrap();
    close(node).await;

    let old = plain.replacen("//", "//bob:open%2Dsesame@", 1);
    let store = pergola_store::open(&data, None, 1 << 20).unwrap().store;
    let archive = Archive::new(Arc::clone(&store));
    let mut commit = Commit::new();
    let mut source = archive.source(SourceId(1)).unwrap().unwrap();
    source.url.clone_from(&old);
    source.formerly = vec![old.replace("/rss", "/former")];
    commit.source(SourceId(1)).put_record(&source);
    let (feed, mut record) = archive.feeds().unwrap().remove(0);
    record.statement = record.statement.replace(plain, &old);
    commit.feed(feed).put_record(&record);
    archive.commit(commit).unwrap();
    drop((archive, store));

    let node = open().await;
    let feed = node.feed("A").unwrap();
    assert!(feed.statement.contains(plain), "{}", feed.statement);
    let found = node.find_source(plain).unwrap();
    assert_eq!(found, SourceId(1));
    close(node).await;
    let archive = Archive::new(pergola_store::open(&data, None, 1 << 20).unwrap().store);
    let split = archive.source(SourceId(1)).unwrap().unwrap();
    assert_eq!((split.url.as_str(), &*split.formerly[0]), (plain, "http://127.0.0.1:9/former"));
    let Some(Credentials { origin, proof: Proof::Password { user, password } }) = split.credentials
    else {
        panic!("no password")
    };
    assert_eq!((origin.as_str(), user.as_str()), ("http://127.0.0.1:9", "bob"));
    assert!(password.matches(SECRET));
    assert!(!archive.feeds().unwrap()[0].1.statement.contains("bob"));
}

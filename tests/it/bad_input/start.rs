//! Wrong queries, and nodes that cannot start: the message says why and what to do, and nothing changes.

use std::fs;

use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::{Home, Press, eventually, run, silent};

#[tokio::test(flavor = "multi_thread")]
async fn a_query_with_a_typo_is_shown_with_the_place_and_the_nearest_word() {
    let press = Press::start([silent("news")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("news", "Before");
    node.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    let typo =
        format!(r#"CREATE FEED Other AS RETURN "{}" WERE ITEM CONTAINS "x";"#, press.url("news"));
    let (status, text) = node.post("/api/v1/feeds", &json!({ "query": typo })).await;
    assert_eq!(status, 400, "{text}");
    let problem: Value = serde_json::from_str(&text).unwrap();
    let detail = problem["detail"].as_str().unwrap();
    for part in ["WERE", "^", "WHERE"] {
        assert!(detail.contains(part), "`{part}` is not in:\n{detail}");
    }
    // The command line prints the same.
    let said = run(home.command(&["feed", "create", &typo])).await;
    assert_ne!(said.code, Some(0));
    for part in ["WERE", "^", "WHERE"] {
        assert!(said.stderr.contains(part), "`{part}` is not in:\n{}", said.stderr);
    }
    assert_eq!(node.json("/api/v1/feeds").await["feeds"].as_array().unwrap().len(), 1);
    node.shows("News", "Before").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_feed_of_the_same_name_is_refused_and_the_first_one_stays() {
    let press = Press::start([silent("news"), silent("blog")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("news", "Before");
    node.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    let again = format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("blog"));
    let (status, text) = node.post("/api/v1/feeds", &json!({ "query": again })).await;
    assert_eq!(status, 409, "{text}");
    assert!(text.contains("News"), "{text}");
    node.shows("News", "Before").await;
    press.publish("news", "After");
    node.shows("News", "After").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_feeds_of_one_name_in_the_configuration_are_refused_with_both_places() {
    let feed = r#"[[feed]]
query = 'CREATE FEED News AS RETURN "http://127.0.0.1:1/feed"'
"#;
    let home = Home::new(&format!("{feed}{feed}"));
    let said = run(home.command(&["run"])).await;
    assert_ne!(said.code, Some(0));
    assert!(said.stderr.contains("News"), "{}", said.stderr);
    assert!(said.stderr.matches("pergola.toml:").count() >= 2, "{}", said.stderr);
    assert!(!home.data().exists(), "the data folder was touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_is_named_and_the_data_folder_is_not_touched() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let home = Home::new("");
    let said = run(home.command(&["run", "--listen", &address])).await;
    assert_eq!(said.code, Some(1));
    for part in [&address, "another pergola", "node.listen"] {
        assert!(said.stderr.contains(part), "`{part}` is not in: {}", said.stderr);
    }
    assert!(!home.data().exists(), "the data folder was touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_in_use_is_named_and_its_node_goes_on() {
    let home = Home::new("");
    let node = home.start().await;
    let said = run(home.command(&["run"])).await;
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("another pergola is using"), "{}", said.stderr);
    assert_eq!(node.get("/readyz").await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_of_a_newer_version_is_refused_and_left_as_it_is() {
    let press = Press::start([silent("news")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("news", "Kept");
    node.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    node.shows("News", "Kept").await;
    node.stop().await;
    let file = home.data().join("format.json");
    let before = fs::read_to_string(&file).unwrap();
    let mut format: Value = serde_json::from_str(&before).unwrap();
    format["schema"] = json!(999);
    format["unheard_of"] = json!(true);
    let newer = format.to_string();
    fs::write(&file, &newer).unwrap();
    let said = run(home.command(&["run"])).await;
    assert_eq!(said.code, Some(1));
    for part in ["newer pergola", "999", "nothing was changed"] {
        assert!(said.stderr.contains(part), "`{part}` is not in: {}", said.stderr);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), newer);
    fs::write(&file, before).unwrap();
    let node = home.start().await;
    eventually("what was kept", async || {
        let titles = node.titles("News").await;
        if titles == ["Kept"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
}

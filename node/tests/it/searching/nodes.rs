//! Nodes that ask each other.

use std::time::Duration;

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use serde_json::{Value, json};
use tonic::Request;

use super::*;

/// Kind, name, address and node of everything that was found, in the order of the names.
fn told(answer: &Value) -> Vec<[&str; 4]> {
    let found = answer["found"].as_array().unwrap();
    let mut told: Vec<[&str; 4]> = found
        .iter()
        .map(|one| ["kind", "name", "url", "node"].map(|field| one[field].as_str().unwrap_or("")))
        .collect();
    told.sort_unstable();
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_of_a_peer_is_found_with_the_node_it_lives_on() {
    let Two { alpha, beta, .. } = Two::open().await;
    let answer = json(&beta, "/api/v1/search?q=chess&peers=true").await;
    let there = alpha.url("/feeds/Chess");
    assert_eq!(told(&answer), [["peer", "Chess", &there, "alpha"]]);
    assert_eq!(answer["found"][0]["source"], Value::Null);
    let terms = answer["found"][0]["terms"].as_array().unwrap();
    assert!(terms.contains(&json!("chess")), "{answer}");
    assert_eq!(answer["peers"], json!({ "asked": 1, "left_out": 0, "silent": [] }));
    // Nobody is asked who was not to be.
    let alone = json(&beta, "/api/v1/search?q=chess").await;
    assert_eq!(alone, json!({ "found": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peers_feed_that_is_read_here_is_told_once_as_the_source_it_is() {
    let Two { alpha, beta, .. } = Two::open().await;
    let answer = json(&beta, "/api/v1/search?q=volcano&peers=true").await;
    let (copy, read) = (beta.url("/feeds/Copy"), alpha.url("/feeds/Lava.atom"));
    let [feed, source] = told(&answer)[..] else { panic!("{answer}") };
    assert_eq!(feed, ["feed", "Copy", &copy, ""]);
    assert_eq!((source[0], source[2], source[3]), ("source", read.as_str(), "alpha"));
    let scores: Vec<f64> = answer["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] <= 1.0, "{scores:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_is_away_is_named_and_the_rest_is_answered() {
    let Two { alpha, beta, press } = Two::open().await;
    let away = alpha.url("");
    alpha.running.stop(Duration::from_secs(10)).await;
    let answer = json(&beta, "/api/v1/search?q=roses&peers=true").await;
    let (garden, feed) = (press.url("garden"), beta.url("/feeds/Garden"));
    let found: Vec<&str> = told(&answer).iter().map(|one| one[2]).collect();
    assert_eq!(found, [feed, garden], "{answer}");
    assert_eq!(answer["peers"]["asked"], 1);
    let [silent] = &answer["peers"]["silent"].as_array().unwrap()[..] else { panic!("{answer}") };
    assert_eq!((&silent["node"], &silent["url"]), (&json!("alpha"), &json!(away)));
    assert!(silent["why"].as_str().unwrap().contains("connect"), "{silent}");
}

async fn client(house: &House) -> SyndicationClient<tonic::transport::Channel> {
    SyndicationClient::connect(house.url("")).await.unwrap()
}

fn asked(text: &str, limit: u32) -> v1::SearchRequest {
    v1::SearchRequest { text: text.to_owned(), limit }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_node_is_told_of_feeds_and_of_nothing_else() {
    let Two { alpha, beta, .. } = Two::open().await;
    let mut client = client(&alpha).await;
    let answer = client.search(asked("volcano lava chess", 0)).await.unwrap().into_inner();
    assert_eq!(answer.node.unwrap().name, "alpha");
    let mut names = Vec::new();
    for found in &answer.found {
        let feed = found.feed.as_ref().unwrap();
        assert_eq!(feed.url, alpha.url(&format!("/feeds/{}", feed.name)));
        assert!(found.score > 0.0 && found.score <= 1.0, "{}", found.score);
        assert!(found.terms.iter().all(|term| term.weight > 0.0 && !term.text.is_empty()));
        names.push(feed.name.as_str());
    }
    let scores: Vec<f64> = answer.found.iter().map(|found| found.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    names.sort_unstable();
    assert_eq!(names, ["Chess", "Lava"]);
    let one = client.search(asked("volcano lava chess", 1)).await.unwrap().into_inner();
    assert_eq!(one.found.len(), 1);
    let none = client.search(asked("philately", 0)).await.unwrap().into_inner();
    assert!(none.found.is_empty());
    // It asks nobody else: beta reads alpha's Lava, not its Chess.
    let mut other = self::client(&beta).await;
    let chess = other.search(asked("chess", 0)).await.unwrap().into_inner();
    assert!(chess.found.is_empty(), "{chess:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_for_named_readers_is_found_by_them_only() {
    let press = Press::start(&["lava"]).await;
    publish(&press, "lava", &LAVA);
    let alpha = named("alpha", |config| {
        config.api.token = Some(pergola_config::Secret::new("the operator's token"));
        config.readers = vec![crate::trust::reader("alice")];
    })
    .await;
    make(&alpha, "Hidden", &press.url("lava")).await;
    alpha.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    let mut client = client(&alpha).await;
    let mut found = async |token: Option<&str>| {
        let mut request = Request::new(asked("volcano", 0));
        if let Some(token) = token {
            let value = format!("Bearer {token}").parse().unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        client.search(request).await.unwrap().into_inner().found.len()
    };
    eventually("alice to find it", async || match found(Some("the token of alice")).await {
        1 => Ok(()),
        other => Err(other.to_string()),
    })
    .await;
    assert_eq!(found(Some("the operator's token")).await, 1);
    assert_eq!(found(None).await, 0);
}

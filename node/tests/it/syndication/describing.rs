//! What is said of a feed, and to whom.

use pergola_config::Secret;
use pergola_proto::v1;
use tempfile::TempDir;
use tonic::Request;

use super::Stand;
use crate::house::quick_config;

async fn describe(stand: &mut Stand, token: Option<&str>) -> v1::DescribeResponse {
    let mut request = Request::new(v1::DescribeRequest { feed: "Lava".into() });
    if let Some(token) = token {
        let value = format!("Bearer {token}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    stand.client.describe(request).await.unwrap().into_inner()
}

async fn lava(stand: &Stand) {
    let url = stand.origin.url("/paper.json");
    let query = format!(
        r#"CREATE FEED Lava AS RETURN "{url}"
           WHERE ITEM CONTAINS "Lava" OR "ash cloud" OR "title" AND NOT ITEM CONTAINS "lamp";"#
    );
    stand.house.node().run_script(&query, "test").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_described_with_its_words_its_hints_and_what_it_reads() {
    let mut stand = Stand::open().await;
    lava(&stand).await;
    stand.publish(4).await;
    let described = describe(&mut stand, None).await;
    assert_eq!(described.profile.unwrap().keywords, ["ash cloud", "lava", "title"]);
    assert!(described.query.starts_with("CREATE FEED Lava"), "{}", described.query);
    assert_eq!(described.feed.unwrap().name, "Lava");
    let hints = described.hints.unwrap();
    assert!(hints.items_per_day.unwrap() > 0.0);
    // The test is on loopback and the node has no token.
    let [upstream] = &described.upstreams[..] else { panic!("{:?}", described.upstreams) };
    assert_eq!(upstream.url, stand.origin.url("/paper.json").as_str());
    assert!((0.0..=1.0).contains(&upstream.selectivity.unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_feed_reads_is_told_to_those_who_run_the_node() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.api.token = Some(Secret::new("secret-token-of-the-node"));
    let mut stand = Stand::open_with(folder, config).await;
    lava(&stand).await;
    assert!(describe(&mut stand, None).await.upstreams.is_empty());
    assert!(describe(&mut stand, Some("wrong")).await.upstreams.is_empty());
    assert_eq!(describe(&mut stand, Some("secret-token-of-the-node")).await.upstreams.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_described_by_what_it_has_published_and_how_it_keeps_to_it() {
    let mut stand = Stand::open().await;
    lava(&stand).await;
    let untold = describe(&mut stand, None).await.profile.unwrap();
    assert!(untold.learnt.is_empty() && untold.cohesion.is_none(), "{untold:?}");
    stand.publish(20).await;
    let young = describe(&mut stand, None).await.profile.unwrap();
    assert!(young.learnt.iter().any(|term| term.text == "title"), "{young:?}");
    let weights: Vec<f64> = young.learnt.iter().map(|term| term.weight).collect();
    assert!(weights.is_sorted_by(|a, b| a >= b) && weights.iter().all(|w| *w > 0.0), "{weights:?}");
    assert_eq!(young.cohesion, None, "a profile that still fills says nothing of that");
    stand.publish(10).await;
    let same = describe(&mut stand, None).await.profile.unwrap().cohesion.unwrap();
    assert!((same - 1.0).abs() < 1e-6, "always the same words, but {same}");
    let words = ["opera", "chess", "garden", "comet", "harbour"];
    for number in 0..20 {
        let title =
            format!("The title of {} and {}", words[number % 5], words[number * number % 5]);
        stand.items.push((format!("http://items.example/other/{number}"), title));
    }
    stand.show().await;
    let all = stand.items.len() as u64;
    stand.until("the other items to be published", |tally| tally.next >= all).await;
    let mixed = describe(&mut stand, None).await.profile.unwrap().cohesion.unwrap();
    assert!(mixed > 0.0 && mixed < 0.999, "{mixed}");
}

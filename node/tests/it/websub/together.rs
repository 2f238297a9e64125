//! Two nodes that have never heard of each other: one reads the other's feed, and push follows by itself.

use std::time::Duration;

use super::{eventually_counts, metric, newsstand, node, publish, shows};
use crate::house::{House, Press, Scene};

/// A node that publishes, and one that reads its feed and is told of what it publishes.
async fn two() -> (House, House, Press) {
    let (press, upstream) = newsstand(|_| {}).await;
    publish(&press, &upstream, "First").await;
    // It may refresh once an hour: whatever comes sooner was pushed.
    let downstream = node(|config| {
        // Two nodes would rather talk to each other in their own way.
        config.peers.enabled = false;
        for rule in config.hosts.named.values_mut() {
            rule.floor = Duration::from_secs(3_600);
            rule.floor_known = Duration::from_secs(3_600);
        }
    })
    .await;
    let url = upstream.url("/feeds/News.atom");
    let query = format!(r#"CREATE FEED Copy AS RETURN "{url}";"#);
    downstream.node().run_script(&query, "test").await.unwrap();
    shows(&downstream, "Copy", "First").await;
    eventually_counts(&upstream, "pergola_websub_subscriptions", 1.0).await;
    publish(&press, &upstream, "Second").await;
    shows(&downstream, "Copy", "Second").await;
    (upstream, downstream, press)
}

/// A node at whose hub somebody has subscribed.
pub(crate) async fn a_reader_subscribes() -> Scene {
    let (upstream, downstream, press) = two().await;
    (upstream, Box::new((downstream, press)))
}

/// A node that was told of something by a hub.
pub(crate) async fn a_hub_pushes() -> Scene {
    let (upstream, downstream, press) = two().await;
    (downstream, Box::new((upstream, press)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_is_told_at_once_of_what_another_publishes() {
    let (upstream, downstream, press) = two().await;
    publish(&press, &upstream, "Third").await;
    shows(&downstream, "Copy", "Third").await;
    assert_eq!(downstream.titles("Copy").await, ["Third", "Second", "First"]);
    assert_eq!(metric(&downstream, "pergola_websub_sources").await, 1.0);
    let id = downstream.node().find_source(&upstream.url("/feeds/News.atom")).unwrap();
    assert_eq!(downstream.node().source(id).unwrap().0.requests, 1);
    // Whoever stops reading says so.
    downstream.node().run_script("DROP FEED Copy;", "test").await.unwrap();
    eventually_counts(&upstream, "pergola_websub_subscriptions", 0.0).await;
}

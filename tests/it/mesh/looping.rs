//! Nodes that are wired in a loop.

use super::*;
use crate::harness::silent;

#[tokio::test(flavor = "multi_thread")]
async fn in_a_loop_items_pass_once_and_the_nodes_of_the_loop_are_named() {
    let press = Press::start([silent("origin").window(1_000)]).await;
    let ways = "[peers]\ncooperate = [\"archive\"]\n";
    let first = Member::start("the first", &[press.url("origin")], ways).await;
    let second = Member::start("the second", &[first.feed()], ways).await;
    let third = Member::start("the third", &[second.feed()], ways).await;
    let clause = format!("ALTER FEED News ADD \"{}\";", third.feed());
    let query = serde_json::json!({ "query": clause });
    let (status, text) = first.node().post("/api/v1/feeds", &query).await;
    assert_eq!(status, 200, "{text}");
    for _ in 0..3 {
        let wanted = publish(&press, 2 * WINDOW);
        for member in [&first, &second, &third] {
            member.holds(&wanted).await;
        }
    }
    let wanted = relevant(&press);
    eventually("items to come back to the first node", async || {
        let looped = first.node().metric("pergola_items_looped_total", &[]).await;
        if looped >= Some(WINDOW as f64) { Ok(()) } else { Err(format!("{looped:?}")) }
    })
    .await;
    for member in [&first, &second, &third] {
        member.holds(&wanted).await;
    }
    let mut nodes_of_loop = Vec::new();
    for member in [&first, &second, &third, &first] {
        let status = member.node().json("/api/v1/status").await;
        nodes_of_loop.push(status["id"].as_str().unwrap().to_owned());
    }
    let source = first.node().source(&third.feed()).await;
    assert_eq!(source["loop"], serde_json::json!(nodes_of_loop), "{source}");
    let named = nodes_of_loop.join(" → ");
    let warned = first.home.log().matches(&named).count();
    assert_eq!(warned, 1, "a warning names {named}, once:\n{}", first.home.log());
}

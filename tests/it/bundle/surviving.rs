//! Items flow from the newsroom to the leaf, though nodes on the way are killed or stopped.

use std::time::Duration;

use super::*;
use crate::harness::within;

/// The feed that is farthest from its sources, and its node.
const LEAF: (&str, &str) = ("airports", "Airports");
/// Long, because machines are busy and three programs are built without optimisation.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until every node has refreshed all its sources once.
async fn everybody_has_looked(bundle: &Bundle) {
    for name in bundle.names() {
        let client = bundle.client(&name);
        within(PATIENCE, &format!("{name} to have refreshed all its sources"), async || {
            let answer = client.try_get("/api/v1/sources?limit=500").await?;
            let listed: Value =
                serde_json::from_str(&answer.1).map_err(|error| error.to_string())?;
            let sources = listed["sources"].as_array().ok_or(answer.1)?;
            let seen =
                |source: &&Value| source["last_refresh"].is_string() && source["trouble"].is_null();
            match sources.iter().filter(seen).count() {
                count if count == sources.len() => Ok(()),
                count => Err(format!("{count} of {}: {sources:?}", sources.len())),
            }
        })
        .await;
    }
}

/// Waits until the leaf holds everything that was published for it between two instants, nothing twice, and nothing
/// else.
async fn arrived(bundle: &Bundle, from: f64, to: f64) -> usize {
    let (graph, truth) = (bundle.graph(), bundle.truth().await);
    let due = truth.iter().filter(|item| graph.arrives(item, LEAF.1));
    let due: BTreeSet<&str> =
        due.filter(|item| item.at > from && item.at <= to).map(|item| item.id.as_str()).collect();
    let client = bundle.client(LEAF.0);
    let held = within(PATIENCE, "everything at the leaf", async || {
        let archive = client.archive(LEAF.1, 0).await.ok_or("the leaf is away")?;
        let ids: Vec<String> = archive.into_iter().map(|item| item.id).collect();
        let held: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(held.len(), ids.len(), "the leaf holds an item twice");
        match due.difference(&held).count() {
            0 => Ok(ids),
            missing => Err(format!("{missing} of {} are missing", due.len())),
        }
    })
    .await;
    // Items that arrived meanwhile are in the newer truth.
    let truth = bundle.truth().await;
    let asked_for: BTreeSet<&str> = truth
        .iter()
        .filter(|item| graph.arrives(item, LEAF.1))
        .map(|item| item.id.as_str())
        .collect();
    let unasked: Vec<&String> = held.iter().filter(|id| !asked_for.contains(id.as_str())).collect();
    assert!(unasked.is_empty(), "nobody asked for {unasked:?}");
    due.len()
}

/// Waits for so many seconds of the newsroom's clock.
async fn pass(bundle: &Bundle, seconds: f64) {
    let until = bundle.now().await + seconds;
    within(PATIENCE, "time to pass", async || match bundle.now().await {
        now if now >= until => Ok(()),
        now => Err(format!("{now}")),
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seven_nodes_deliver_everything_once_whoever_is_killed_or_stopped() {
    let options = ["--keep-reach", "--speed", "30", "--cooperate", "watch,archive"];
    let bundle = Bundle::new(EXAMPLE, &options).await;
    assert_eq!(bundle.names().len(), 7);
    let said = bundle.does(&["start"]).await;
    assert_eq!(said.matches("ready (process").count(), 8, "{said}");
    everybody_has_looked(&bundle).await;
    let from = bundle.now().await;
    pass(&bundle, 300.0).await;
    let to = bundle.now().await;
    assert!(arrived(&bundle, from, to).await > 0, "nothing was due");

    // Killed, and started again on the same data.
    let killed = bundle.process("world");
    assert!(kill(killed, "-KILL"));
    pass(&bundle, 300.0).await;
    assert_eq!(bundle.script(&["status"]).await.code, Some(1));
    bundle.does(&["start"]).await;
    assert_ne!(bundle.process("world"), killed);
    // More is published than a feed shows while the upstream of the leaf is down.
    bundle.does(&["stop", "hazards"]).await;
    pass(&bundle, 900.0).await;
    bundle.does(&["start", "hazards"]).await;
    let to = bundle.now().await;
    let due = arrived(&bundle, from, to).await;
    assert!(due > 20, "only {due} items were due");

    let processes = bundle.processes();
    assert_eq!(processes.len(), 8);
    bundle.does(&["stop"]).await;
    assert!(processes.iter().all(|&process| !runs(process)), "somebody is still there");
    assert!(bundle.processes().is_empty());
    assert!(!bundle.logs().contains("panicked"), "{}", bundle.logs());
}

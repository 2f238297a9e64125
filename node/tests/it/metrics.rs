//! Every metric is changed by the event that it counts, and dashboards and alerts use metrics that exist.

mod crawling;
mod serving;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;

use pergola_api::source::SourceStanding;
use pergola_node::metrics::Metrics;
use serde_json::Value;
use tokio::task::LocalSet;

use crate::house::{House, Scene, eventually};
use crate::origin::Reply;

type Happening = Pin<Box<dyn Future<Output = Scene>>>;

/// An event and the metrics that it changes.
struct Event {
    what: &'static str,
    happens: fn() -> Happening,
    changes: &'static [&'static str],
}

macro_rules! events {
    ($($what:literal, $happens:path => [$($metric:literal),* $(,)?];)*) => {
        [$(Event { what: $what, happens: || Box::pin($happens()), changes: &[$($metric),*] }),*]
    };
}

/// Every metric stands in this table, without `pergola_`.
static EVENTS: [Event; 22] = events! {
    "a source is read", crawling::a_source_is_read => [
        "refreshes", "fetched_bytes", "items_delivered", "entries_published", "sources", "feeds",
        "spending_per_minute", "threshold", "freshness_ratio",
    ];
    "an item is edited", crawling::an_item_is_edited => ["items_edited"];
    "an item appears", crawling::an_item_appears => ["delay_seconds"];
    "items are missed", crate::subscribing::items_are_missed => ["items_lost", "completeness_ratio"];
    "missed items are in the archives", crawling::archives_have_them => ["archives_followed"];
    "an item comes back", crawling::an_item_comes_back => ["items_looped"];
    "an item comes by a node whose clock is ahead", crawling::a_clock_is_ahead => [
        "hop_age_seconds", "path_age_seconds", "ages_negative",
    ];
    "a source fails", crawling::a_source_fails => ["sources_failing"];
    "a source is slow", crawling::a_source_is_slow => ["requests_in_flight", "lanes_waiting"];
    "the budget is changed", crawling::the_budget_is_changed => ["budget_per_minute"];
    "much is stored", crawling::much_is_stored => ["store_bytes"];
    "a commit is refused", serving::a_commit_is_refused => ["commits_refused"];
    "rows are damaged", crate::damage::rows_are_damaged => [
        "store_damaged_rows", "entries_unreadable", "degraded",
    ];
    "a feed cannot be rendered", serving::a_feed_cannot_be_rendered => ["renderings_failed"];
    "a handshake fails", crate::trust::a_handshake_fails => ["handshakes_failed"];
    "a port is crowded", crate::overload::a_port_is_crowded => [
        "connections", "connections_shed", "connections_cut",
    ];
    "a node asks for too much", serving::a_node_asks_for_too_much => ["peer_calls_refused"];
    "a node reads a feed of this one", serving::a_node_reads_us => ["peer_entries"];
    "this node reads a feed of another", serving::we_read_a_node => [
        "peer_fetches", "peer_notifications", "peer_sources", "peer_streams",
    ];
    "a reader subscribes at the hub", crate::websub::a_reader_subscribes => [
        "websub_subscriptions", "websub_verifications", "websub_deliveries",
    ];
    "a hub pushes", crate::websub::a_hub_pushes => [
        "websub_sources", "websub_requests", "websub_pushes",
    ];
    "a hub leaves something out", crate::websub::a_hub_leaves_something_out => ["websub_items_missed"];
};

/// The values of each metric, by its name.
fn values(house: &House) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in house.node().metrics_text().lines() {
        if let Some(kind) = line.strip_prefix("# TYPE pergola_") {
            current = kind.split(' ').next().unwrap().to_owned();
        } else if !line.starts_with('#') {
            values.entry(current.clone()).or_default().push(line.to_owned());
        }
    }
    values
}

#[tokio::test(flavor = "multi_thread")]
async fn each_metric_is_changed_by_the_event_it_counts() {
    let idle = values(&House::start().await);
    let stage = LocalSet::new();
    let running = EVENTS.each_ref().map(|Event { what, happens, changes }| {
        let idle = idle.clone();
        stage.spawn_local(async move {
            let (house, _props) = happens().await;
            eventually(what, async || {
                let now = values(&house);
                let is_same = |metric: &&&str| now.get(**metric) == idle.get(**metric);
                let same: Vec<_> = changes.iter().filter(is_same).collect();
                if same.is_empty() { Ok(()) } else { Err(format!("no change of {same:?}")) }
            })
            .await;
        })
    });
    let all = async {
        for event in running {
            event.await.unwrap();
        }
    };
    stage.run_until(all).await;
}

#[test]
fn every_metric_has_its_event() {
    let mut named = BTreeSet::new();
    for metric in EVENTS.iter().flat_map(|event| event.changes) {
        assert!(named.insert(format!("pergola_{metric}")), "{metric} is named twice");
    }
    let registered: BTreeSet<String> = Metrics::new().names().iter().cloned().collect();
    assert_eq!(named, registered);
}

#[test]
fn dashboards_and_alerts_use_what_is_measured() {
    let samples = Metrics::new().samples().to_vec();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/monitoring");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let mut expressions = Vec::new();
    collect(&serde_json::from_str(&read("dashboard.json")).unwrap(), &mut expressions);
    let alerts = read("alerts.yml");
    expressions.extend(
        alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).map(str::to_owned),
    );
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = expressions.iter().flat_map(|text| text.split(|c| !is_letter(c)));
    let used: BTreeSet<&str> = words.filter(|word| word.starts_with("pergola_")).collect();
    assert!(used.len() > 20, "{used:?}");
    for name in used {
        assert!(samples.iter().any(|sample| sample == name), "nobody measures {name}");
    }
}

/// Every expression of a dashboard.
fn collect(value: &Value, expressions: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "expr" => expressions.push(text.clone()),
                    other => collect(other, expressions),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, expressions)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_failing_until_it_answers_again() {
    let failing = async |house: &House, count: f64| {
        eventually("the count", async || {
            let seen = house.metric("sources_failing");
            if seen == count { Ok(()) } else { Err(seen.to_string()) }
        })
        .await;
    };
    let (house, origin) = crawling::reading([("/feed", Reply::status(500))]).await;
    failing(&house, 1.0).await;
    let house = house.restart().await;
    failing(&house, 1.0).await;
    origin.set("/feed", crawling::document(Vec::new()));
    let id = house.node().find_source(origin.url("/feed").as_str()).unwrap();
    house.node().request_refresh(id).await.unwrap();
    failing(&house, 0.0).await;
    origin.set("/feed", Reply::status(404));
    failing(&house, 1.0).await;
    house.node().run_script("DROP FEED All;", "test").await.unwrap();
    failing(&house, 0.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_asks_for_quiet_is_not_failing() {
    let pause = Reply::status(429).header("retry-after", "600");
    let (house, origin) = crawling::reading([("/feed", pause)]).await;
    let id = house.node().find_source(origin.url("/feed").as_str()).unwrap();
    eventually("the pause", async || {
        let standing = house.node().source(id).unwrap().0.standing;
        if standing == SourceStanding::Paused { Ok(()) } else { Err(format!("{standing:?}")) }
    })
    .await;
    assert_eq!(house.metric("sources_failing"), 0.0);
}

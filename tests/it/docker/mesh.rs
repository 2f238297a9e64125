//! The mesh of seven nodes in containers: it starts, items flow, and it recovers from every outage.

use std::collections::BTreeMap;
use std::time::Duration;

use super::engine::{docker, no_engine};
use super::image::Image;
use super::project::{Feed, Project};
use crate::harness::within;

/// Time for all to be healthy.
const START: Duration = Duration::from_secs(60);
/// Time for everything to arrive after an outage: nodes back off from one that was down.
const RECOVERY: Duration = Duration::from_secs(240);
/// The most memory of a node in bytes, as `docker stats` counts it: without unused page cache.
const MOST_MEMORY: f64 = 64e6;
/// Items that are published during an outage.
const MEANWHILE: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn a_mesh_of_seven_containers_recovers_from_whatever_happens_and_loses_nothing() {
    let test = "a_mesh_of_seven_containers_recovers_from_whatever_happens_and_loses_nothing";
    if no_engine(test).await {
        return;
    }
    let image = Image::build().await;
    let mut mesh = Project::new(&image).await;
    assert_eq!(mesh.feeds.len(), 7);
    mesh.run(&["up", "--detach"]).await;
    within(START, "all containers to be healthy", async || {
        let health = mesh.health().await;
        match health.len() == 8 && health.values().all(|status| status.contains("(healthy)")) {
            true => Ok(()),
            false => Err(format!("{health:?}")),
        }
    })
    .await;

    // Items flow to the leaf, and a reader outside the mesh sees them there.
    mesh.subscribe().await;
    let leaf = mesh.leaf();
    something_happens(&mesh, leaf).await;
    arrived(&mesh).await;
    let document = leaf.client.document(&format!("/feeds/{}.atom", leaf.name)).await;
    assert!(!document.items.is_empty());
    let truth = mesh.truth().await;
    let known = &truth[&leaf.name].all;
    assert!(document.items.iter().all(|item| known.contains(&item.id.0)), "{document:?}");
    assert!(document.items.iter().any(|item| item.hops.len() > 2), "no item has passed two nodes");

    // The upstream of the leaf is stopped, and the node before it is killed.
    let middle = mesh.read_by(leaf).pop().expect("it reads from others");
    mesh.run(&["stop", &middle.node]).await;
    something_happens(&mesh, leaf).await;
    mesh.run(&["start", &middle.node]).await;
    let first = mesh.read_by(middle).pop().unwrap_or(middle);
    let container = mesh.container(&first.node).await;
    docker(&["kill", &container]).await;
    something_happens(&mesh, leaf).await;
    docker(&["start", &container]).await;
    arrived(&mesh).await;

    // A node is disconnected from the network, which it cannot notice.
    let (network, container) = (format!("{}_mesh", mesh.name), mesh.container(&middle.node).await);
    docker(&["network", "disconnect", &network, &container]).await;
    something_happens(&mesh, leaf).await;
    docker(&["network", "connect", "--alias", &middle.node, &network, &container]).await;
    arrived(&mesh).await;

    let memory = memory(&mesh).await;
    eprintln!("memory by container: {memory:?}");
    assert_eq!(memory.len(), 8);
    assert!(memory.values().all(|&bytes| bytes > 0.0 && bytes <= MOST_MEMORY), "{memory:?}");
}

/// Waits until every feed holds everything that was published for it so far, and nothing else.
async fn arrived(mesh: &Project) {
    let wanted = mesh.truth().await;
    for feed in &mesh.feeds {
        let wanted = &wanted[&feed.name].since;
        within(RECOVERY, &format!("every item at {}", feed.name), async || {
            let held = feed.ids().await?;
            let missing: Vec<&String> = wanted.difference(&held).collect();
            match missing.is_empty() {
                true => Ok(()),
                false => Err(format!("of {} missing {missing:?}", wanted.len())),
            }
        })
        .await;
    }
    // Every item was published. The truth is fetched afterwards, because more items come all the time.
    for feed in &mesh.feeds {
        let held = feed.ids().await.unwrap();
        let known = &mesh.truth().await[&feed.name].all;
        let unasked: Vec<&String> = held.difference(known).collect();
        assert!(
            unasked.is_empty(),
            "{} holds items that were not published: {unasked:?}",
            feed.name
        );
    }
}

/// Waits until some items for a feed were published.
async fn something_happens(mesh: &Project, feed: &Feed) {
    let before = mesh.truth().await[&feed.name].since.len();
    within(RECOVERY, "items to be published", async || {
        let after = mesh.truth().await[&feed.name].since.len();
        match after >= before + MEANWHILE {
            true => Ok(()),
            false => Err(format!("{} of {MEANWHILE}", after - before)),
        }
    })
    .await;
}

/// Bytes of each container.
async fn memory(mesh: &Project) -> BTreeMap<String, f64> {
    let names: Vec<String> = mesh.health().await.into_keys().collect();
    let mut args = vec!["stats", "--no-stream", "--format", "{{.Name}}\t{{.MemUsage}}"];
    args.extend(names.iter().map(String::as_str));
    let told = docker(&args).await;
    let used = |line: &str| {
        let (name, usage) = line.split_once('\t')?;
        let used = usage.split('/').next()?.trim();
        let digits = used.find(|c: char| c.is_ascii_alphabetic())?;
        let scale = match &used[digits..] {
            "B" => 1.0,
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            _ => return None,
        };
        Some((name.to_owned(), used[..digits].parse::<f64>().ok()? * scale))
    };
    told.lines().map(|line| used(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

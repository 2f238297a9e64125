//! Two nodes in a world of the test's own: names, connections and time exist in memory only.

mod led;
mod memory;
mod upgraded;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::get;
use pergola_api::source::Via;
use pergola_config::Config;
use pergola_node::node::{NewSource, Node, Running};
use pergola_outside::clock::ManualClock;
use pergola_outside::surroundings::{Blocking, Executor, Fill, Job, Randomness, Surroundings};
use pergola_port::serve::Port;
use pergola_store::archive::SourceId;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::house::{eventually, quick_config};
use memory::World;

/// When the world begins, in Unix seconds.
const DAWN: f64 = 1_000_000_000.0;

/// Bytes that look random and are the same in every run.
struct Counting(AtomicU64);

impl Fill for Counting {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        for byte in bytes {
            *byte = self.0.fetch_add(1, Ordering::Relaxed) as u8;
        }
        true
    }
}

/// A node that knows nothing but this world. Its randomness begins with `seed`.
async fn node(
    world: &World,
    clock: &ManualClock,
    folder: &TempDir,
    host: &str,
    seed: u64,
) -> Arc<Node> {
    node_on(world, clock, folder, (host, seed), Blocking::of_runtime()).await
}

/// The same with threads of its own for work that blocks.
async fn node_on(
    world: &World,
    clock: &ManualClock,
    folder: &TempDir,
    place: (&str, u64),
    blocking: Blocking,
) -> Arc<Node> {
    node_with(world, clock, quick_config(folder), place, blocking).await
}

/// The same with a configuration of its own.
async fn node_with(
    world: &World,
    clock: &ManualClock,
    mut config: Config,
    (host, seed): (&str, u64),
    blocking: Blocking,
) -> Arc<Node> {
    config.node.public_url = format!("http://{host}/").parse().unwrap();
    let store = pergola_store::open(&config.node.data, None, 1 << 20).unwrap();
    let surroundings = Surroundings {
        clock: clock.clock(),
        randomness: Randomness::of(Counting(AtomicU64::new(seed))),
        outside: world.outside(),
        blocking,
        store,
    };
    Node::open(config, surroundings).await.unwrap()
}

/// Counts the work that blocks.
#[derive(Clone, Default)]
struct Counted(Arc<AtomicU64>);

impl Executor for Counted {
    fn start(&self, job: Job) {
        self.0.fetch_add(1, Ordering::Relaxed);
        drop(tokio::task::spawn_blocking(job));
    }
}

/// A large feed that packs to little, though not to so little that it is taken for an attack.
fn packed_feed() -> Vec<u8> {
    let numbers: String = (0..4_000).map(|number| number.to_string()).collect();
    let feed = format!(
        "<rss version=\"2.0\"><channel><title>{numbers}{}</title></channel></rss>",
        "x".repeat(800 << 10)
    );
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, feed.as_bytes()).unwrap();
    packer.finish().unwrap()
}

/// Has a node read a source and publish it as the feed `News`.
async fn read(node: &Node, url: &str) -> SourceId {
    let added = node.add_sources(vec![NewSource::feed(url).unwrap()]).await.unwrap();
    let query = format!("CREATE FEED News AS RETURN \"{url}\";");
    node.run_script(&query, "test").await.unwrap();
    added.new[0]
}

/// A site that shows these items.
fn site(items: &Arc<Mutex<Vec<String>>>) -> Router {
    let items = Arc::clone(items);
    let page = move || {
        let items = items.lock().unwrap();
        let shown = items
            .iter()
            .rev()
            .map(|title| format!("<item><guid>urn:{title}</guid><title>{title}</title></item>"));
        let shown: String = shown.collect();
        std::future::ready(format!(
            "<rss version=\"2.0\"><channel><title>Site</title>{shown}</channel></rss>"
        ))
    };
    Router::new().route("/rss", get(page))
}

async fn titles(world: &World, host: &str) -> String {
    world.get(&format!("http://{host}/feeds/News.json")).await
}

async fn stop(nodes: Vec<Running>) {
    for node in nodes {
        node.stop(std::time::Duration::from_secs(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_live_in_a_world_without_sockets_resolver_or_real_time() {
    let (world, clock) = (World::default(), ManualClock::new(DAWN));
    let items = Arc::new(Mutex::new(vec!["first".to_owned()]));
    let port = Port::plain(site(&items));
    let closing = CancellationToken::new();
    tokio::spawn(port.serve(world.listen("site.example"), closing.clone()));

    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let upper = node(&world, &clock, &folders[0], "upper.example", 0).await;
    assert_eq!(upper.id().0, "000102030405060708090a0b0c0d0e0f", "by the randomness it was given");
    let lower = node(&world, &clock, &folders[1], "lower.example", 100).await;
    let source = read(&upper, "http://site.example/rss").await;
    let copy = read(&lower, "http://upper.example/feeds/News.atom").await;
    // By hand and before the nodes run: their crawlers would be faster.
    let report = upper.refresh_now(source, false).await.unwrap();
    assert_eq!(report.new_items, 1, "{report:?}");
    let upper = upper.start(world.listen("upper.example")).unwrap();
    let refreshed = upper.node.source(source).unwrap().0.last_refresh;
    assert_eq!(refreshed.map(|at| at.unix()), Some(DAWN), "time stands still");
    assert!(titles(&world, "upper.example").await.contains("\"first\""));

    let report = lower.refresh_now(copy, false).await.unwrap();
    assert_eq!(report.new_items, 1, "{report:?}");
    let lower = lower.start(world.listen("lower.example")).unwrap();
    assert_eq!(lower.node.source(copy).unwrap().0.via, Via::Peer, "it speaks gRPC from now on");

    items.lock().unwrap().push("second".to_owned());
    eventually("the second item, through both nodes", async || {
        // Nobody is refreshed before time goes on.
        clock.advance(600.0);
        let shown = titles(&world, "lower.example").await;
        if shown.contains("\"second\"") { Ok(()) } else { Err(shown) }
    })
    .await;
    assert!(world.connections("upper.example") >= 2, "one over HTTP and one over gRPC");
    assert!(lower.node.clock.now() > DAWN);
    stop(vec![upper, lower]).await;
    closing.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_vanishes_is_a_failure_like_any_other() {
    let (world, clock) = (World::default(), ManualClock::new(DAWN));
    let folder = TempDir::new().unwrap();
    let node = node(&world, &clock, &folder, "upper.example", 0).await;
    let source = read(&node, "http://nowhere.example/rss").await;
    let report = node.refresh_now(source, false).await.unwrap();
    let trouble = report.trouble.unwrap_or_default();
    assert!(trouble.contains("nowhere.example"), "{trouble}");
    pergola_node::node::close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_body_that_unpacks_to_a_large_one_is_not_read_on_an_async_thread() {
    let (world, clock) = (World::default(), ManualClock::new(DAWN));
    let packed = packed_feed();
    assert!(packed.len() < 16 * 1024, "{} bytes are not small", packed.len());
    let feed = "<rss version=\"2.0\"><channel><title>Small</title></channel></rss>";
    let packed = move || std::future::ready(([("content-encoding", "gzip")], packed.clone()));
    let router = Router::new()
        .route("/small", get(move || std::future::ready(feed)))
        .route("/packed", get(packed));
    let closing = CancellationToken::new();
    tokio::spawn(Port::plain(router).serve(world.listen("site.example"), closing.clone()));
    let folder = TempDir::new().unwrap();
    let jobs = Counted::default();
    let blocking = Blocking::on(jobs.clone());
    let node = node_on(&world, &clock, &folder, ("upper.example", 0), blocking).await;
    let mut taken = Vec::new();
    for path in ["small", "packed"] {
        let url = format!("http://site.example/{path}");
        let added = node.add_sources(vec![NewSource::feed(&url).unwrap()]).await.unwrap();
        let before = jobs.0.load(Ordering::Relaxed);
        let report = node.refresh_now(added.new[0], false).await.unwrap();
        assert_eq!(report.trouble, None);
        taken.push(jobs.0.load(Ordering::Relaxed) - before);
    }
    assert_eq!(taken[1], taken[0] + 1, "jobs for the small body, and for the packed one");
    pergola_node::node::close(node).await;
    closing.cancel();
}

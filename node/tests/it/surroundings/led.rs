//! Public hosts, one of which the configuration gives a token for: nobody else leads a source there for good.

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use pergola_config::{HostCredentials, Secret};
use pergola_outside::clock::ManualClock;
use pergola_outside::surroundings::Blocking;
use pergola_port::serve::Port;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::memory::World;
use super::{DAWN, node_with, read, site};
use crate::house::quick_config;

const DAY: f64 = 86_400.0;

/// Where a source is that was permanently redirected for two months, and where its first page leads.
async fn led(token: Option<&str>) -> [String; 2] {
    let (world, clock) = (World::default(), ManualClock::new(DAWN));
    let closing = CancellationToken::new();
    let _ends = closing.clone().drop_guard();
    let peer = site(&std::sync::Arc::new(std::sync::Mutex::new(vec!["first".to_owned()])));
    let away = Redirect::permanent("http://peer.example/rss");
    let page = "<html><head><link rel=\"alternate\" type=\"application/rss+xml\" \
                href=\"http://peer.example/rss\"></head></html>";
    let stranger = Router::new()
        .route("/moved", get(move || std::future::ready(away)))
        .route("/page", get(move || std::future::ready(axum::response::Html(page))));
    for (name, router) in [("peer.example", peer), ("stranger.example", stranger)] {
        tokio::spawn(Port::plain(router).serve(world.listen(name), closing.clone()));
    }
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    let mut rule = config.hosts.named["127.0.0.1"].clone();
    rule.private = false;
    let token = token.map(Secret::new);
    rule.credentials = HostCredentials { token, ..HostCredentials::default() };
    config.hosts.named.insert("peer.example".to_owned(), rule);
    let place = ("node.example", 0);
    let node = node_with(&world, &clock, config, place, Blocking::of_runtime()).await;
    let mut found = Vec::new();
    for path in ["moved", "page"] {
        let source = read(&node, &format!("http://stranger.example/{path}")).await;
        node.run_script("DROP FEED News;", "test").await.unwrap();
        for _ in 0..30 {
            let _maybe_too_early = node.refresh_now(source, false).await;
            clock.advance(2.0 * DAY);
        }
        found.push(node.source(source).unwrap().0.url);
        node.remove_source(source).await.unwrap();
    }
    pergola_node::node::close(node).await;
    found.try_into().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_not_led_for_good_to_where_credentials_are_shown() {
    let there = "http://peer.example/rss".to_owned();
    assert_eq!(led(None).await, [there.clone(), there], "as any source may");
    let kept = ["moved", "page"].map(|path| format!("http://stranger.example/{path}"));
    assert_eq!(led(Some("a token of ours")).await, kept);
}

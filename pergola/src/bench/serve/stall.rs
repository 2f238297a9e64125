//! This node's side: one feed of about 20 kB from a store in a temporary folder, on a port.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use http::Request;
use http::header::{ACCEPT_ENCODING, ETAG};
use pergola_feed::address::origin_of;
use pergola_feed::{Item, NodeId, Text, Timestamp};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use pergola_node::publish::{Imprint, Listing, Shelf, router};
use pergola_outside::clock::Clock;
use pergola_port::serve::Port;
use pergola_store as store;
use pergola_store::archive::{Archive, Commit, Entry, FeedId, FeedTally, SourceId, item_key};

const PATH: &str = "/feeds/Bench.atom";
const FEED: FeedId = FeedId(1);
const SOURCE: SourceId = SourceId(1);
const ITEMS: u16 = 20;
/// The time of the first item.
const START: f64 = 1_790_000_000.0;

/// A served feed.
pub(super) struct Stall {
    /// Where it is.
    pub(super) url: String,
    /// The document.
    pub(super) plain: Vec<u8>,
    /// The document in gzip.
    pub(super) gzip: Vec<u8>,
    /// The document's entity tag.
    pub(super) tag: String,
}

impl Stall {
    /// Fills a store, serves it in the background and takes a first copy.
    pub(super) async fn open(folder: &Path) -> anyhow::Result<Self> {
        let clock = Clock::real();
        let archive = filled(folder)?;
        let public_url = "http://127.0.0.1/".parse().context("an address")?;
        let imprint =
            Imprint { name: "Bench".into(), public_url, node: NodeId("bench".into()), hub: false };
        let tally = archive.feed_tally(FEED)?;
        let shelf = Arc::new(Shelf::new(archive, imprint, clock.clone()));
        shelf.put(Listing {
            id: FEED,
            name: "Bench".into(),
            statement: "CREATE FEED Bench AS\nRETURN \"https://example.org/feed\"".into(),
            window: usize::from(ITEMS),
            order: None,
            tally,
        });
        shelf.set_next_refresh(FEED, clock.now() + 600.0);
        let router = router(shelf);
        let (plain, tag) = copy(&router, "identity").await?;
        let (gzip, _) = copy(&router, "gzip").await?;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}{PATH}", listener.local_addr()?);
        let port = Port::plain(router);
        tokio::spawn(async move { port.serve(listener, CancellationToken::new()).await });
        Ok(Self { url, plain, gzip, tag })
    }
}

async fn copy(router: &Router, coding: &str) -> anyhow::Result<(Vec<u8>, String)> {
    let request = Request::builder().uri(PATH).header(ACCEPT_ENCODING, coding);
    let response = router.clone().oneshot(request.body(Body::empty())?).await?;
    let tag = response.headers().get(ETAG).context("the feed was not rendered")?;
    let tag = tag.to_str()?.to_owned();
    Ok((to_bytes(response.into_body(), 1 << 20).await?.to_vec(), tag))
}

/// A store with one feed of items of about a kilobyte each.
fn filled(folder: &Path) -> anyhow::Result<Archive> {
    let store = store::open(&folder.join("data"), None, 1 << 20)?.store;
    let items: Vec<Item> = (0..ITEMS).map(item).collect();
    let mut commit = Commit::new();
    commit.source(SOURCE).put_chunk(0, START, &items.iter().collect::<Vec<_>>());
    let mut tally = FeedTally::default();
    for (index, item) in (0..).zip(&items) {
        let at = START + 60.0 * f64::from(index);
        let key = item_key(&item.id, item, origin_of("https://example.org/feed"));
        let (changed_at, dated) = (at, at);
        let entry = Entry { key, source: SOURCE, chunk: 0, index, at, changed_at, dated };
        commit.feed(FEED).put_entry(u64::from(index), &entry);
        tally = FeedTally { next: tally.next + 1, edition: tally.edition + 1, changed_at: at };
    }
    commit.feed(FEED).put_tally(&tally);
    let archive = Archive::new(store);
    archive.commit(commit)?;
    Ok(archive)
}

/// An item whose words do not repeat too regularly, so that it compresses as news do.
fn item(number: u16) -> Item {
    const WORDS: [&str; 24] = [
        "harbour", "minister", "eruption", "rain", "railway", "museum", "vote", "island", "engine",
        "winter", "budget", "forest", "signal", "market", "bridge", "record", "village", "summit",
        "garden", "copper", "letter", "valley", "theatre", "comet",
    ];
    let mut state = u64::from(number) + 1;
    let mut word = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[(state >> 33) as usize % WORDS.len()]
    };
    let mut item = Item::new(format!("tag:example.org,2026:{number}"));
    item.title = Some(format!("{} {} and the {}", word(), word(), word()));
    item.link = Some(format!("https://example.org/items/{number}"));
    let text: Vec<&str> = (0..85).map(|_| word()).collect();
    item.content = Some(Text::html(format!("<p>{}</p>", text.join(" "))));
    item.published = Some(Timestamp::from_unix(START as i64 + 60 * i64::from(number)));
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_feed_has_about_20_kilobytes_and_compresses_as_text_does() {
        let folder = tempfile::tempdir().unwrap();
        let stall = Stall::open(folder.path()).await.unwrap();
        assert!((19_000..21_000).contains(&stall.plain.len()), "{}", stall.plain.len());
        assert!((2000..8000).contains(&stall.gzip.len()), "{}", stall.gzip.len());
        assert!(stall.tag.starts_with('"'));
    }
}

//! Archive documents (RFC 5005): every kept item can be reached from the feed, and stays where it is.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use pergola_feed::{Document, ParseOptions, parse};
use pergola_node::publish::Listing;
use pergola_store::Order;
use pergola_store::archive::FeedId;

use super::kiosk::{Answer, FEED, Kiosk, listing, numbered};

const BROWSER: (&str, &str) = ("accept", "text/html");
const ROOT: &str = "https://node.example/pergola";

/// A feed of numbered items with a window.
fn kiosk(window: usize, items: u64) -> Kiosk {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(Listing { window, ..listing(FEED, "News") });
    kiosk.publish_many(FEED, items);
    kiosk
}

fn read(answer: &Answer) -> Document {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let document = parse(&answer.body, &ParseOptions::default()).unwrap();
    assert_eq!(document.warnings, [""; 0]);
    document
}

fn ids(document: &Document) -> BTreeSet<String> {
    document.items.iter().map(|item| item.id.0.clone()).collect()
}

fn path(link: &str) -> &str {
    link.strip_prefix(ROOT).unwrap()
}

/// What the API would list.
fn kept(kiosk: &Kiosk) -> BTreeSet<String> {
    let entries = kiosk.archive.entries(FEED, 0, u64::MAX, Order::Ascending, usize::MAX).unwrap();
    kiosk.archive.with_items(entries).unwrap().into_iter().map(|p| p.item.id.0).collect()
}

/// All ids and titles on the way from the feed back to its oldest archive, and the documents' addresses.
async fn walk(kiosk: &Kiosk, extension: &str) -> (BTreeSet<String>, Vec<String>) {
    let mut at = format!("/feeds/News{extension}");
    let current = format!("{ROOT}{at}");
    let (mut found, mut passed) = (BTreeSet::new(), Vec::new());
    loop {
        let document = read(&kiosk.get(&at, &[]).await);
        assert_eq!(document.self_link(), Some(format!("{ROOT}{at}").as_str()));
        let archive = !passed.is_empty();
        assert_eq!(document.hints.archive, archive, "{at}");
        assert_eq!(document.link("current").is_some(), archive, "{at}");
        assert!(document.link("current").is_none_or(|link| link == current));
        found.append(&mut ids(&document));
        passed.push(at);
        match document.older() {
            Some(older) => at = path(older).to_owned(),
            None => return (found, passed),
        }
        assert!(passed.len() < 100, "the archives have no end");
    }
}

#[tokio::test]
async fn the_feed_and_its_archives_hold_every_kept_item_whatever_the_window() {
    for (window, items) in [(50, 30), (50, 437), (7, 437), (1, 301), (20, 400), (250, 437), (3, 60)]
    {
        let kiosk = kiosk(window, items);
        for extension in [".atom", ".rss", ".json"] {
            let (found, passed) = walk(&kiosk, extension).await;
            assert_eq!(found, kept(&kiosk), "{window} of {items}{extension}: {passed:?}");
            assert_eq!(passed.len() as u64 > 1, items > window as u64, "{passed:?}");
        }
        let newest = read(&kiosk.get("/feeds/News.atom", &[]).await);
        assert_eq!(
            newest.items.len(),
            window.min(items as usize),
            "the window is what was asked for"
        );
    }
}

#[tokio::test]
async fn archives_are_linked_both_ways_and_newest_first() {
    let kiosk = kiosk(50, 437);
    let middle = read(&kiosk.get("/feeds/News/archive/2.atom", &[]).await);
    let link = |rel: &str| path(middle.link(rel).unwrap()).to_owned();
    assert_eq!(link("prev-archive"), "/feeds/News/archive/1.atom");
    assert_eq!(link("next-archive"), "/feeds/News/archive/3.atom");
    assert_eq!(link("current"), "/feeds/News.atom");
    let titles: Vec<&str> = middle.items.iter().filter_map(|i| i.title.as_deref()).collect();
    assert_eq!((titles.len(), titles[0], titles[99]), (100, "Title of 0299", "Title of 0200"));
    let ends = |document: &Document| {
        (document.link("prev-archive").is_some(), document.link("next-archive").is_some())
    };
    let oldest = read(&kiosk.get("/feeds/News/archive/0.rss", &[]).await);
    let newest = read(&kiosk.get("/feeds/News/archive/3.json", &[]).await);
    assert_eq!((ends(&oldest), ends(&newest)), ((false, true), (true, false)));
    assert_eq!(newest.link("next"), newest.link("prev-archive"), "next_url is the way back");
}

#[tokio::test]
async fn an_archive_stays_the_same_until_one_of_its_items_is_edited() {
    let kiosk = kiosk(20, 350);
    let one = "/feeds/News/archive/1.atom";
    let first = kiosk.get(one, &[]).await;
    assert_eq!(first.header("cache-control"), "public, max-age=86400");
    assert_eq!(first.header("last-modified"), "Tue, 14 Nov 2023 22:16:39 GMT");
    kiosk.publish_many(FEED, 300);
    let later = kiosk.get(one, &[]).await;
    assert_eq!((later.header("etag"), &later.body), (first.header("etag"), &first.body));
    for asked in [
        ("if-none-match", first.header("etag")),
        ("if-modified-since", first.header("last-modified")),
    ] {
        let again = kiosk.get(one, &[asked]).await;
        assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{asked:?}");
    }
    let zero = kiosk.get("/feeds/News/archive/0.atom", &[]).await;
    let mut edited = numbered(150);
    edited.title = Some("Corrected".into());
    kiosk.edit(FEED, 150, &edited);
    let changed = kiosk.get(one, &[("if-none-match", first.header("etag"))]).await;
    assert!(changed.text().contains("Corrected") && !changed.text().contains("Title of 0150"));
    assert_eq!(changed.header("last-modified"), "Wed, 15 Nov 2023 22:13:20 GMT");
    let same = kiosk.get("/feeds/News/archive/0.atom", &[]).await;
    assert_eq!(same.header("etag"), zero.header("etag"), "the others are as they were");
    let (found, _) = walk(&kiosk, ".atom").await;
    assert_eq!(found, kept(&kiosk));
}

#[tokio::test]
async fn what_is_no_longer_kept_is_gone_and_the_rest_is_still_complete() {
    let kiosk = kiosk(20, 437);
    let before = kiosk.get("/feeds/News/archive/1.atom", &[]).await;
    kiosk.remove_below(FEED, 130);
    for extension in [".atom", ".json"] {
        let (found, passed) = walk(&kiosk, extension).await;
        assert_eq!(found, kept(&kiosk), "{passed:?}");
    }
    let after = kiosk.get("/feeds/News/archive/1.atom", &[]).await;
    assert_ne!(after.header("etag"), before.header("etag"));
    let after = read(&after);
    assert_eq!((after.items.len(), after.link("prev-archive")), (70, None));
    let gone = kiosk.get("/feeds/News/archive/0.atom", &[]).await;
    assert_eq!(gone.status, StatusCode::GONE);
    assert_eq!(gone.header("content-type"), "application/problem+json");
    assert!(gone.text().contains("/feeds/News/archive/1"), "{}", gone.text());
    // Removed up to the middle of the window: the feed shows what is left, and nothing older.
    kiosk.remove_below(FEED, 427);
    let (found, passed) = walk(&kiosk, ".atom").await;
    assert_eq!((found.len(), passed.len()), (10, 1), "{passed:?}");
    assert_eq!(found, kept(&kiosk));
    assert_eq!(kiosk.get("/feeds/News/archive/3.atom", &[]).await.status, StatusCode::GONE);
    kiosk.remove_below(FEED, 437);
    let (found, passed) = walk(&kiosk, ".atom").await;
    assert_eq!((found.len(), passed.len()), (0, 1), "{passed:?}");
}

#[tokio::test]
async fn items_that_come_go_and_change_while_somebody_walks_are_not_missed() {
    let kiosk = kiosk(5, 250);
    let first = read(&kiosk.get("/feeds/News.atom", &[]).await);
    let (mut found, mut at) = (ids(&first), path(first.older().unwrap()).to_owned());
    let mut step = 0;
    loop {
        // Meanwhile the feed goes on, one item is edited and the oldest are removed.
        kiosk.publish_many(FEED, 40);
        kiosk.edit(FEED, 120, &numbered(120));
        kiosk.remove_below(FEED, 10 * step);
        step += 1;
        let document = read(&kiosk.get(&at, &[]).await);
        found.append(&mut ids(&document));
        let Some(older) = document.older() else { break };
        at = path(older).to_owned();
    }
    let all: BTreeSet<String> = (0..250).map(|number| numbered(number).id.0).collect();
    let still: BTreeSet<String> = kept(&kiosk).intersection(&all).cloned().collect();
    assert!(still.len() > 200 && found.is_superset(&still), "{} of {}", found.len(), still.len());
}

#[tokio::test]
async fn an_archive_that_is_not_complete_says_where_its_items_are() {
    let kiosk = kiosk(20, 437);
    for path in ["/feeds/News/archive/4.atom", "/feeds/News/archive/4-38", "/feeds/News/archive/99"]
    {
        let answer = kiosk.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.text().contains("prev-archive"), "{}", answer.text());
    }
    for path in ["/feeds/News/archive/x", "/feeds/News/archive/04.atom", "/feeds/News/archive/"] {
        assert_eq!(kiosk.get(path, &[]).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let unknown = kiosk.get("/feeds/Nwes/archive/0.atom", &[]).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.text().contains("/feeds/News"), "{}", unknown.text());
    let page = kiosk.get("/feeds/News/archive/4", &[BROWSER]).await;
    assert!(page.header("content-type").starts_with("text/html"));
}

#[tokio::test]
async fn an_archive_is_had_in_every_form_and_coding_as_a_feed_is() {
    let kiosk = kiosk(20, 230);
    for (accept, kind) in [
        ("application/atom+xml", "application/atom+xml"),
        ("application/rss+xml", "application/rss+xml"),
        ("application/feed+json", "application/feed+json"),
        ("text/html", "text/html"),
    ] {
        let headers = [("accept", accept), ("accept-encoding", "gzip")];
        let get = kiosk.get("/feeds/News/archive/1", &headers).await;
        assert_eq!(get.header("content-type"), format!("{kind}; charset=utf-8"));
        assert_eq!(get.header("content-encoding"), "gzip");
        assert_eq!(get.header("vary"), "Accept, Accept-Encoding");
        let head = kiosk.ask(Method::HEAD, "/feeds/News/archive/1", &headers).await;
        assert_eq!((head.status, &head.headers), (get.status, &get.headers));
        assert!(head.body.is_empty());
    }
    let wrong = kiosk.get("/feeds/News/archive/1", &[("accept", "image/png")]).await;
    assert_eq!(wrong.status, StatusCode::NOT_ACCEPTABLE);
    assert!(wrong.text().contains("/feeds/News/archive/1.atom"), "{}", wrong.text());
}

#[tokio::test]
async fn people_find_the_archives_from_the_page_of_a_feed() {
    let kiosk = kiosk(20, 437);
    let page = kiosk.get("/feeds/News", &[BROWSER]).await;
    for number in 0..4 {
        assert!(page.text().contains(&format!("href=\"News/archive/{number}\"")));
    }
    // The window begins at 417: what lies between has a place of its own.
    assert!(page.text().contains("href=\"News/archive/4-20\""), "{}", page.text());
    let archive = kiosk.get("/feeds/News/archive/2", &[BROWSER]).await;
    for part in [
        "<h1>News, archive 2</h1>",
        "href=\"1\"",
        "href=\"3\"",
        "href=\"../../News\"",
        "href=\"2.atom\"",
        "href=\"../../../about\"",
        "Title of 0250",
    ] {
        assert!(archive.text().contains(part), "{part} in {}", archive.text());
    }
    assert!(!kiosk.get("/feeds/News", &[BROWSER]).await.text().contains("Title of 0250"));
}

#[tokio::test]
async fn archives_stay_within_memory_and_push_no_edition_out() {
    let limit = 200_000;
    let kiosk = Kiosk::with(pergola_outside::clock::Clock::accelerated(1e6), |shelf| {
        shelf.with_memory_limit(limit)
    });
    for feed in [FEED, FeedId(8)] {
        kiosk.shelf.put(listing(feed, &format!("News{}", feed.0)));
        kiosk.publish_many(feed, 620);
        kiosk.get(&format!("/feeds/News{}.atom", feed.0), &[]).await;
    }
    let rendered = kiosk.shelf.counts().rendered;
    let mut largest = 0;
    for number in [0, 1, 2, 3, 4, 5, 5, 5] {
        let archive = kiosk.get(&format!("/feeds/News7/archive/{number}.atom"), &[]).await;
        largest = largest.max(archive.body.len());
        let held = kiosk.shelf.counts().bytes_annexed as usize;
        assert!(held <= (limit / 4).max(largest), "{held} with documents of {largest}");
    }
    assert!(6 * largest > limit / 4, "there was something to drop");
    assert_eq!(kiosk.shelf.counts().rendered, rendered + 6, "the last one was kept");
    for feed in [7, 8] {
        kiosk.get(&format!("/feeds/News{feed}.atom"), &[]).await;
    }
    assert_eq!(kiosk.shelf.counts().rendered, rendered + 6, "the editions are still there");
}

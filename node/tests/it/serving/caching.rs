//! What is sent again, and what is not.

use std::io::Read;

use http::{Method, StatusCode};

use super::kiosk::{FEED, Kiosk, item, listing};

const ATOM: &str = "/feeds/News.atom";

#[tokio::test]
async fn a_document_is_rendered_once_for_each_change_and_never_for_nobody() {
    let kiosk = Kiosk::with_news();
    assert_eq!(kiosk.store.scans(), 0);
    let first = kiosk.get(ATOM, &[]).await;
    let again = kiosk.get(ATOM, &[]).await;
    assert_eq!((first.body, kiosk.store.scans()), (again.body, 1));
    kiosk.publish(FEED, vec![item("three"), item("four")]);
    let changed = kiosk.get(ATOM, &[]).await;
    assert!(changed.text().contains("Title of four"));
    assert_ne!(changed.header("etag"), first.headers["etag"].to_str().unwrap());
    assert_eq!(kiosk.store.scans(), 2);
    assert_eq!(kiosk.shelf.counts().rendered, 2);
}

#[tokio::test]
async fn those_who_come_together_are_served_from_one_rendering() {
    let kiosk = std::sync::Arc::new(Kiosk::with_news());
    let mut asking = tokio::task::JoinSet::new();
    let gate = kiosk.store.hold_next_scan();
    for _ in 0..50 {
        let kiosk = kiosk.clone();
        asking.spawn(async move { kiosk.get(ATOM, &[("accept-encoding", "gzip")]).await });
    }
    // On one thread this lets every one of them run until it waits.
    tokio::task::yield_now().await;
    drop(gate);
    let mut bodies: Vec<Vec<u8>> = asking.join_all().await.into_iter().map(|a| a.body).collect();
    bodies.dedup();
    assert_eq!((bodies.len(), kiosk.store.scans()), (1, 1));
    assert_eq!(kiosk.shelf.counts().sent, 50);
}

#[tokio::test]
async fn a_change_that_changes_no_byte_changes_no_tag() {
    let kiosk = Kiosk::with_news();
    let first = kiosk.get(ATOM, &[]).await;
    kiosk.shelf.changed(FEED, kiosk.archive.feed_tally(FEED).unwrap());
    let second = kiosk.get(ATOM, &[]).await;
    assert_eq!(first.header("etag"), second.header("etag"));
    assert_eq!(kiosk.shelf.counts().rendered, 2);
}

#[tokio::test]
async fn every_coding_has_the_same_text_and_a_tag_of_its_own_that_matches_everywhere() {
    let kiosk = Kiosk::with_news();
    let plain = kiosk.get(ATOM, &[]).await;
    let mut tags = vec![plain.header("etag").to_owned()];
    for coding in ["gzip", "br", "zstd"] {
        let coded = kiosk.get(ATOM, &[("accept-encoding", coding)]).await;
        assert_eq!(coded.header("content-encoding"), coding);
        assert_eq!(coded.header("content-length"), coded.body.len().to_string());
        assert_eq!(coded.header("vary"), "Accept-Encoding");
        let mut text = Vec::new();
        match coding {
            "gzip" => flate2::read::GzDecoder::new(&*coded.body).read_to_end(&mut text).unwrap(),
            "br" => brotli::Decompressor::new(&*coded.body, 4096).read_to_end(&mut text).unwrap(),
            _ => zstd::Decoder::new(&*coded.body).unwrap().read_to_end(&mut text).unwrap(),
        };
        assert_eq!(text, plain.body, "{coding}");
        assert!(!tags.iter().any(|tag| tag == coded.header("etag")), "{tags:?}");
        tags.push(coded.header("etag").to_owned());
    }
    for tag in &tags {
        for coding in ["identity", "br"] {
            let asked = [("if-none-match", tag.as_str()), ("accept-encoding", coding)];
            assert_eq!(kiosk.get(ATOM, &asked).await.status, StatusCode::NOT_MODIFIED, "{tag}");
        }
    }
}

#[tokio::test]
async fn a_304_has_no_body_but_everything_a_cache_needs() {
    let kiosk = Kiosk::with_news();
    let full = kiosk.get(ATOM, &[]).await;
    assert_eq!(full.header("last-modified"), "Tue, 14 Nov 2023 22:14:20 GMT");
    let weak = format!("\"x\", W/{}", full.header("etag"));
    for asked in [
        ("if-none-match", weak.as_str()),
        ("if-none-match", "*"),
        ("if-modified-since", "Tue, 14 Nov 2023 22:14:20 GMT"),
    ] {
        let answer = kiosk.get(ATOM, &[asked]).await;
        assert_eq!((answer.status, answer.body.len()), (StatusCode::NOT_MODIFIED, 0), "{asked:?}");
        for name in ["etag", "last-modified", "cache-control", "vary"] {
            assert_eq!(answer.header(name), full.header(name), "{name}");
        }
    }
    let earlier = ("if-modified-since", "Tue, 14 Nov 2023 22:14:19 GMT");
    assert_eq!(kiosk.get(ATOM, &[earlier]).await.status, StatusCode::OK);
    let contradicting =
        [("if-none-match", "\"other\""), ("if-modified-since", "Mon, 16 Nov 2026 02:00:00 GMT")];
    assert_eq!(kiosk.get(ATOM, &contradicting).await.status, StatusCode::OK, "the tag wins");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let kiosk = Kiosk::with_news();
    for path in [ATOM, "/feeds/News", "/opml", "/"] {
        for headers in [vec![], vec![("accept-encoding", "gzip")], vec![("accept", "text/html")]] {
            let get = kiosk.get(path, &headers).await;
            let head = kiosk.ask(Method::HEAD, path, &headers).await;
            assert_eq!((head.status, &head.headers), (get.status, &get.headers), "{path}");
            assert!(
                head.body.is_empty() && get.header("content-length") == get.body.len().to_string()
            );
        }
    }
    assert_eq!(kiosk.ask(Method::POST, ATOM, &[]).await.status, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_copy_may_be_kept_until_the_next_refresh_but_no_longer_than_an_hour() {
    let kiosk = Kiosk::with_news();
    assert_eq!(kiosk.get(ATOM, &[]).await.header("cache-control"), "public, max-age=0");
    kiosk.shelf.set_next_refresh(FEED, kiosk.clock.now() + 86_400.0);
    assert_eq!(kiosk.get(ATOM, &[]).await.header("cache-control"), "public, max-age=3600");
    kiosk.shelf.set_next_refresh(FEED, kiosk.clock.now() + 1000.0);
    let answer = kiosk.get(ATOM, &[]).await;
    let seconds: u32 =
        answer.header("cache-control").strip_prefix("public, max-age=").unwrap().parse().unwrap();
    assert!((900..=1000).contains(&seconds), "{seconds}");
    kiosk.shelf.put(listing(FEED, "News"));
    assert_ne!(kiosk.get(ATOM, &[]).await.header("cache-control"), "public, max-age=0");
}

#[tokio::test]
async fn documents_beyond_the_limit_are_dropped_and_rendered_again() {
    let kiosk = Kiosk::with(pergola_outside::clock::Clock::accelerated(1e6), |shelf| {
        shelf.with_memory_limit(5000)
    });
    let feeds: Vec<_> = (1..=6).map(pergola_store::archive::FeedId).collect();
    for feed in &feeds {
        kiosk.shelf.put(listing(*feed, &format!("News{}", feed.0)));
        kiosk.publish(*feed, vec![item("one"), item("two")]);
    }
    let mut tags = Vec::new();
    for feed in &feeds {
        let answer = kiosk.get(&format!("/feeds/News{}.atom", feed.0), &[]).await;
        tags.push(answer.header("etag").to_owned());
        assert!(answer.body.len() > 1000);
        assert!(kiosk.shelf.counts().bytes_held <= 5000, "{:?}", kiosk.shelf.counts());
        kiosk.get(&format!("/feeds/News{}.atom", feed.0), &[("accept-encoding", "gzip")]).await;
        assert!(kiosk.shelf.counts().bytes_held <= 5000, "{:?}", kiosk.shelf.counts());
    }
    let scans = kiosk.store.scans();
    let last = kiosk.get("/feeds/News6.atom", &[]).await;
    assert_eq!((last.header("etag"), kiosk.store.scans()), (tags[5].as_str(), scans));
    let first = kiosk.get("/feeds/News1.atom", &[]).await;
    assert_eq!((first.header("etag"), kiosk.store.scans()), (tags[0].as_str(), scans + 1));
}

#[tokio::test]
async fn a_feed_that_is_put_again_from_an_older_look_does_not_go_back() {
    let kiosk = Kiosk::with_news();
    let mut news = kiosk.shelf.follow(FEED).unwrap();
    let reached = kiosk.shelf.tally(FEED).unwrap();
    kiosk.shelf.put(listing(FEED, "Again"));
    assert_eq!(kiosk.shelf.tally(FEED), Some(reached));
    assert_eq!(news.see(), reached);
    // Whoever follows it is not left behind with its former self, and learns of its end.
    kiosk.publish(FEED, vec![item("three")]);
    assert_eq!(news.see().next, reached.next + 1);
    kiosk.shelf.remove(FEED);
    assert!(news.changed().await.is_err());
}

//! `A-IM: feed` (RFC 3229): whoever has an earlier edition gets only what is new or edited since.

use std::collections::BTreeMap;
use std::io::Read;

use http::{Method, StatusCode};
use pergola_feed::{ParseOptions, parse};
use pergola_node::publish::Listing;

use super::kiosk::{Answer, FEED, Kiosk, listing, numbered};

const ATOM: &str = "/feeds/News.atom";
const FEED_IM: (&str, &str) = ("a-im", "feed");

fn kiosk(window: usize, items: u64) -> Kiosk {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(Listing { window, ..listing(FEED, "News") });
    kiosk.publish_many(FEED, items);
    kiosk
}

/// The tag of the current edition.
async fn tag(kiosk: &Kiosk) -> String {
    kiosk.get(ATOM, &[]).await.header("etag").to_owned()
}

async fn since(kiosk: &Kiosk, tag: &str) -> Answer {
    kiosk.get(ATOM, &[FEED_IM, ("if-none-match", tag)]).await
}

fn titles(answer: &Answer) -> Vec<String> {
    let document = parse(&answer.body, &ParseOptions::default()).unwrap();
    document.items.into_iter().filter_map(|item| item.title).collect()
}

#[tokio::test]
async fn only_new_and_edited_items_are_sent_with_the_tag_of_the_current_edition() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    kiosk.publish_many(FEED, 2);
    let mut edited = numbered(45);
    edited.title = Some("Corrected".into());
    kiosk.edit(FEED, 45, &edited);
    let news = since(&kiosk, &earlier).await;
    assert_eq!(news.status.as_u16(), 226);
    assert_eq!(titles(&news), ["Title of 0051", "Title of 0050", "Corrected"]);
    let whole = kiosk.get(ATOM, &[]).await;
    assert_eq!(news.header("im"), "feed");
    assert_eq!(news.header("etag"), whole.header("etag"));
    assert_eq!(news.header("last-modified"), whole.header("last-modified"));
    assert_eq!(news.header("cache-control"), "no-store, im, max-age=0");
    assert_eq!(news.header("vary"), "A-IM, If-None-Match, Accept-Encoding");
    assert_eq!(news.header("content-length"), news.body.len().to_string());
    assert!(news.body.len() < whole.body.len() / 3);
    // Whoever has that edition now has nothing to get.
    let tag = news.header("etag").to_owned();
    assert_eq!(since(&kiosk, &tag).await.status, StatusCode::NOT_MODIFIED);
    assert_eq!(kiosk.shelf.counts().differences, 1);
}

#[tokio::test]
async fn a_difference_comes_in_every_form_and_coding() {
    let kiosk = kiosk(20, 50);
    for path in [ATOM, "/feeds/News.rss", "/feeds/News.json", "/feeds/News"] {
        let earlier = kiosk.get(path, &[("accept-encoding", "gzip")]).await;
        kiosk.publish_many(FEED, 1);
        let asked =
            [FEED_IM, ("if-none-match", earlier.header("etag")), ("accept-encoding", "gzip")];
        let news = kiosk.get(path, &asked).await;
        assert_eq!(
            (news.status.as_u16(), news.header("content-encoding")),
            (226, "gzip"),
            "{path}"
        );
        let mut body = Vec::new();
        flate2::read::GzDecoder::new(&*news.body).read_to_end(&mut body).unwrap();
        let document = parse(&body, &ParseOptions::default()).unwrap();
        assert_eq!(document.items.len(), 1, "{path}");
        let whole = kiosk.get(path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(news.header("etag"), whole.header("etag"));
        assert_eq!(news.header("content-type"), whole.header("content-type"));
        let head = kiosk.ask(Method::HEAD, path, &asked).await;
        assert_eq!((head.status, &head.headers, head.body.len()), (news.status, &news.headers, 0));
    }
    let page = kiosk.get("/feeds/News", &[("accept", "text/html")]).await;
    kiosk.publish_many(FEED, 1);
    let asked = [FEED_IM, ("if-none-match", page.header("etag")), ("accept", "text/html")];
    assert_eq!(kiosk.get("/feeds/News", &asked).await.status, StatusCode::OK, "people get pages");
}

#[tokio::test]
async fn whoever_does_not_ask_for_it_or_is_not_known_gets_the_whole() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    let date = kiosk.get(ATOM, &[]).await.header("last-modified").to_owned();
    kiosk.publish_many(FEED, 1);
    let known = ("if-none-match", earlier.as_str());
    for (im, status) in [
        ("feed", 226),
        ("vcdiff, feed;q=0.5, gzip", 226),
        ("FEED", 226),
        ("identity;q=0.5, feed", 226),
        ("feed;q=0", 200),
        ("feed;q=0.5, identity", 200),
        ("vcdiff", 200),
        ("feeds", 200),
    ] {
        let answer = kiosk.get(ATOM, &[("a-im", im), known]).await;
        assert_eq!(answer.status.as_u16(), status, "{im}");
        assert_eq!(answer.header("im").is_empty(), status == 200, "{im}");
    }
    assert_eq!(kiosk.get(ATOM, &[known]).await.status, StatusCode::OK);
    for unknown in ["\"0123\"", "\"\"", "W/\"x-gzip\"", "nonsense"] {
        assert_eq!(since(&kiosk, unknown).await.status, StatusCode::OK, "{unknown}");
    }
    let several = format!("\"0123\", W/{earlier}");
    assert_eq!(since(&kiosk, &several).await.status.as_u16(), 226);
    let whole = kiosk.get(ATOM, &[FEED_IM, ("if-modified-since", &date)]).await;
    assert!(matches!(whole.status.as_u16(), 200 | 304), "a date names no edition");
}

#[tokio::test]
async fn whoever_missed_more_than_the_window_gets_all_of_it_up_to_a_limit() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    kiosk.publish_many(FEED, 150);
    let news = since(&kiosk, &earlier).await;
    assert_eq!(news.status.as_u16(), 226);
    let expected: Vec<String> = (50..200).rev().map(|n| format!("Title of {n:04}")).collect();
    assert_eq!(titles(&news), expected);
    kiosk.publish_many(FEED, 850);
    assert_eq!(titles(&since(&kiosk, &earlier).await).len(), 1000);
    kiosk.publish_many(FEED, 1);
    let whole = since(&kiosk, &earlier).await;
    assert_eq!((whole.status, titles(&whole).len()), (StatusCode::OK, 20));
    assert!(whole.text().contains("prev-archive"), "the archives have the rest");
}

#[tokio::test]
async fn after_a_restart_nobody_is_told_a_wrong_difference() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    let kiosk = kiosk.restarted();
    assert_eq!(since(&kiosk, &earlier).await.status, StatusCode::NOT_MODIFIED);
    kiosk.publish_many(FEED, 1);
    // That edition was rendered again by now, and so it is known again.
    assert_eq!(since(&kiosk, &earlier).await.status.as_u16(), 226);
    let kiosk = kiosk.restarted();
    assert_eq!(since(&kiosk, &earlier).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_feed_of_the_same_name_is_another_feed() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    kiosk.shelf.remove(FEED);
    let other = pergola_store::archive::FeedId(9);
    kiosk.shelf.put(listing(other, "News"));
    kiosk.publish_many(other, 60);
    assert_eq!(since(&kiosk, &earlier).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_reader_of_differences_knows_what_a_reader_of_documents_knows() {
    let kiosk = kiosk(30, 40);
    let (mut known, mut seen) = (BTreeMap::new(), String::new());
    for round in 0u64..60 {
        // Items come in lots of different sizes, some are edited, the oldest go.
        kiosk.publish_many(FEED, (round * 7) % 45);
        let next = kiosk.archive.feed_tally(FEED).unwrap().next;
        let mut edited = numbered(next - 1 - (round * 5) % 30);
        edited.title = Some(format!("Edited in round {round}"));
        kiosk.edit(FEED, next - 1 - (round * 5) % 30, &edited);
        if round % 10 == 9 {
            kiosk.remove_below(FEED, next - 25);
        }
        // Not every edition is seen by this reader.
        if round % 3 == 0 {
            continue;
        }
        let news = since(&kiosk, &seen).await;
        assert_eq!(news.status.as_u16(), if seen.is_empty() { 200 } else { 226 }, "{round}");
        seen = news.header("etag").to_owned();
        let document = parse(&news.body, &ParseOptions::default()).unwrap();
        known.extend(document.items.into_iter().map(|item| (item.id.clone(), item)));
        let whole = kiosk.get(ATOM, &[]).await;
        for item in parse(&whole.body, &ParseOptions::default()).unwrap().items {
            assert_eq!(known.get(&item.id), Some(&item), "in round {round}");
        }
    }
}

#[tokio::test]
async fn a_difference_is_rendered_once_for_all_who_have_the_same_edition() {
    let kiosk = kiosk(20, 50);
    let earlier = tag(&kiosk).await;
    kiosk.publish_many(FEED, 3);
    tag(&kiosk).await;
    let before = kiosk.shelf.counts().rendered;
    for _ in 0..5 {
        assert_eq!(since(&kiosk, &earlier).await.status.as_u16(), 226);
    }
    assert_eq!(kiosk.shelf.counts().rendered, before + 1);
}

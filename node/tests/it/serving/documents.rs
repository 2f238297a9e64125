//! What stands in the documents.

use http::StatusCode;
use pergola_feed::address::origin_of;
use pergola_feed::opml::Opml;
use pergola_feed::{
    Document, Enclosure, Hop, Item, Link, Millis, NodeId, ParseOptions, Text, Timestamp, parse,
};
use pergola_query::syntax::OrderBy;
use pergola_store::archive::{FeedId, SourceId};

use super::kiosk::{FEED, Kiosk, START, item, listing, numbered};

async fn document(kiosk: &Kiosk, path: &str) -> Document {
    let answer = kiosk.get(path, &[]).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}");
    parse(&answer.body, &ParseOptions::default()).unwrap()
}

fn ids(document: &Document) -> Vec<&str> {
    let names = document.items.iter().map(|item| item.id.0.rsplit(':').next().unwrap());
    names.collect()
}

#[tokio::test]
async fn every_form_holds_the_same_items_with_their_ids_authors_and_origins() {
    let kiosk = Kiosk::with_news();
    for (path, kind) in [
        ("/feeds/News.atom", "application/atom+xml; charset=utf-8"),
        ("/feeds/News.rss", "application/rss+xml; charset=utf-8"),
        ("/feeds/News.json", "application/feed+json; charset=utf-8"),
    ] {
        assert_eq!(kiosk.get(path, &[]).await.header("content-type"), kind);
        let document = document(&kiosk, path).await;
        assert_eq!(document.title.as_deref(), Some("News"));
        let own = format!("https://node.example/pergola{path}");
        assert_eq!(document.self_link(), Some(own.as_str()));
        assert_eq!(document.home(), Some("https://node.example/pergola/feeds/News"));
        assert_eq!(ids(&document), ["two", "one"], "newest first");
        let newest = &document.items[0];
        assert_eq!(newest.title.as_deref(), Some("Title of two"));
        let way: Vec<&str> = newest.hops.iter().map(|hop| hop.node.0.as_str()).collect();
        assert_eq!(way, ["this-node"]);
        let origin = newest.origin.as_ref().unwrap();
        assert_eq!(origin.feed.as_deref(), Some("https://source2.example/feed"));
        assert_eq!(origin.title.as_deref(), Some("Source 2"));
    }
}

#[tokio::test]
async fn the_window_limits_what_is_shown_and_the_order_is_the_one_asked_for() {
    let kiosk = Kiosk::new();
    let mut dated = item("old");
    dated.published = Some(Timestamp::from_unix(1_000_000_000));
    for (source, item) in [(2, item("a")), (1, item("b")), (2, item("c")), (1, dated)] {
        kiosk.publish_from(FEED, SourceId(source), item);
    }
    let mut wanted = listing(FEED, "News");
    for (order, window, expected) in [
        (None, 20, vec!["c", "b", "a", "old"]),
        (None, 2, vec!["c", "old"]),
        (Some(OrderBy::Published), 20, vec!["c", "b", "a", "old"]),
        (Some(OrderBy::Source), 20, vec!["b", "old", "c", "a"]),
    ] {
        (wanted.order, wanted.window) = (order, window);
        kiosk.shelf.put(wanted.clone());
        assert_eq!(ids(&document(&kiosk, "/feeds/News.atom").await), expected, "{order:?}");
    }
}

#[tokio::test]
async fn items_are_sorted_by_publication_and_without_a_credible_date_by_arrival() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    // The first item comes at START, each one a minute after the one before.
    let at = |minutes: f64| Some(Timestamp::from_unix((START + minutes * 60.0) as i64));
    let year = 365.0 * 1440.0;
    for (name, published) in [
        ("yesterday", at(-1440.0)),
        ("undated", None),
        ("future", at(5.0 * year)),
        ("decade", at(-10.0 * year)),
        ("never-set", Some(Timestamp::from_unix(0))),
        ("just-now", at(4.5)),
        ("tomorrow", at(1440.0)),
    ] {
        kiosk.publish(FEED, vec![Item { published, ..item(name) }]);
    }
    let expected =
        ["tomorrow", "just-now", "never-set", "future", "undated", "yesterday", "decade"];
    for path in ["/feeds/News.atom", "/feeds/News.rss", "/feeds/News.json"] {
        assert_eq!(ids(&document(&kiosk, path).await), expected, "{path}");
    }
    let page = kiosk.get("/feeds/News", &[("accept", "text/html")]).await;
    let places = expected.map(|name| page.text().find(&format!("Title of {name}<")).unwrap());
    assert!(places.is_sorted(), "{places:?}");
    // Whoever is sent only what is new gets it as it came.
    let tag = kiosk.get("/feeds/News.atom", &[]).await.header("etag").to_owned();
    kiosk.publish(FEED, vec![item("late"), Item { published: at(-3.0 * year), ..item("later") }]);
    let asked = [("a-im", "feed"), ("if-none-match", tag.as_str())];
    let news = kiosk.get("/feeds/News.atom", &asked).await;
    assert_eq!(news.status.as_u16(), 226);
    let news = parse(&news.body, &ParseOptions::default()).unwrap();
    assert_eq!(ids(&news), ["later", "late"]);
    let whole = document(&kiosk, "/feeds/News.atom").await;
    assert_eq!(ids(&whole)[4..], ["undated", "late", "yesterday", "later", "decade"]);
}

#[tokio::test]
async fn an_edited_item_stays_where_it_was() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    let undated = |number: u64| Item { published: None, ..numbered(number) };
    kiosk.publish(FEED, (0..3).map(undated).collect());
    kiosk.edit(FEED, 0, &undated(0));
    assert_eq!(ids(&document(&kiosk, "/feeds/News.atom").await), ["0002", "0001", "0000"]);
}

#[tokio::test]
async fn archives_keep_the_order_of_arrival() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    for number in 0..100 {
        // The later one comes, the older it is.
        let published = Some(Timestamp::from_unix(START as i64 - 86_400 * number as i64));
        kiosk.publish(FEED, vec![Item { published, ..numbered(number) }]);
    }
    let volume = document(&kiosk, "/feeds/News/archive/0.atom").await;
    assert_eq!(ids(&volume)[..2], ["0099", "0098"]);
    assert_eq!(ids(&document(&kiosk, "/feeds/News.atom").await)[..2], ["0080", "0081"]);
}

#[tokio::test]
async fn nothing_that_is_published_could_harm_a_reader() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    let mut evil = item("evil");
    evil.content = Some(Text::html(
        "<p onmouseover=\"steal()\">Kept<script>alert(1)</script><a href=\"javascript:go()\">a</a>\
         <a href=\"data:text/html,x\">b</a><a href=\"more\">c</a><iframe src=\"//x.example\"></iframe></p>",
    ));
    evil.summary = Some(Text::html("<img src=x onerror=alert(2)> short"));
    evil.link = Some("https://source.example/evil/".into());
    evil.links = vec![Link::new("related", "javascript:alert(3)")];
    let enclosure = |url: &str| Enclosure { url: url.into(), ..Enclosure::default() };
    evil.enclosures = vec![enclosure("javascript:alert(4)"), enclosure("data:audio/mpeg,x")];
    let mut bare = item("bare");
    bare.link = Some("javascript:alert(5)".into());
    kiosk.publish(FEED, vec![evil, bare]);
    for path in ["/feeds/News.atom", "/feeds/News.rss", "/feeds/News.json", "/feeds/News"] {
        let answer = kiosk.get(path, &[("accept", "text/html, */*;q=0.5")]).await;
        let text = answer.text();
        for word in ["alert", "javascript", "onmouseover", "onerror", "data:", "iframe"] {
            assert!(!text.contains(word), "{word} in {path}: {text}");
        }
        for kept in ["Kept", "https://source.example/evil/more", "short", "Title of bare"] {
            assert!(text.contains(kept), "{kept} in {path}: {text}");
        }
    }
    // What is stored, and what other nodes get, is as it was published.
    let stored = kiosk.archive.window(FEED, 20).unwrap();
    let stored = stored.iter().find(|published| published.item.id.0.ends_with("evil")).unwrap();
    assert!(stored.item.content.as_ref().unwrap().body.contains("<script>"));
}

#[tokio::test]
async fn an_item_without_a_date_carries_when_it_was_first_seen_and_says_so() {
    let kiosk = Kiosk::with_news();
    let mut undated = item("undated");
    undated.published = None;
    kiosk.publish(FEED, vec![undated]);
    let atom = kiosk.get("/feeds/News.atom", &[]).await;
    assert!(atom.text().contains("<updated>2023-11-14T22:15:20Z</updated>"), "{}", atom.text());
    assert!(atom.text().contains("<pergola:stand-in>first-seen</pergola:stand-in>"));
    let page = kiosk.get("/feeds/News", &[("accept", "text/html")]).await;
    assert!(page.text().contains("first seen <time datetime=\"2023-11-14T22:15:20Z\">"));
}

#[tokio::test]
async fn an_item_that_came_by_another_node_keeps_its_origin_and_its_way() {
    let kiosk = Kiosk::with_news();
    let mut relayed = item("relayed");
    relayed.hops.push(Hop::at(NodeId("upstream".into())));
    let home = Some("https://origin.example/".to_owned());
    relayed.origin = Some(pergola_feed::Origin { home, ..pergola_feed::Origin::default() });
    kiosk.publish(FEED, vec![relayed.clone()]);
    let found = document(&kiosk, "/feeds/News.atom").await.items.swap_remove(0);
    // It does not name the feed itself, so it is told apart by the source that delivered it.
    let identity = Some(origin_of("https://source1.example/feed"));
    let origin = relayed.origin.map(|told| pergola_feed::Origin { identity, ..told });
    assert_eq!(found.origin, origin);
    let way: Vec<&str> = found.hops.iter().map(|hop| hop.node.0.as_str()).collect();
    assert_eq!(way, ["upstream", "this-node"]);
    // The third entry of the feed, published two minutes after the first.
    let at = Millis::from_seconds(START + 120.0);
    assert_eq!((found.hops[0].published, found.hops[1].published), (None, Some(at)));
}

/// The ids in a document as other programs see them.
async fn raw_ids(kiosk: &Kiosk, form: &str) -> Vec<String> {
    let text = kiosk.get(&format!("/feeds/News.{form}"), &[]).await.text().to_owned();
    let (before, after) = match form {
        "atom" => ("<entry>\n<id>", "</id>"),
        "rss" => ("<guid isPermaLink=\"false\">", "</guid>"),
        _ => ("\"id\":\"", "\""),
    };
    let items = if form == "json" { text.split_once("\"items\":").unwrap().1 } else { &text };
    items.split(before).skip(1).map(|rest| rest.split(after).next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn ids_that_clash_are_published_with_their_origin_and_old_ones_stay() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    let named = |id: &str| pergola_feed::Item { id: pergola_feed::ItemId(id.into()), ..item(id) };
    for (source, id) in [(1, "old"), (1, "1"), (2, "1"), (1, "2"), (2, "2")] {
        kiosk.publish_from(FEED, SourceId(source), named(id));
    }
    // As an upgrade leaves it: the first three were there, and the second and third clashed.
    let mut batch = pergola_store::Batch::default();
    let (table, key) = (pergola_store::Table::Feed, [2, 0, 0, 0, 7]);
    let row = pergola_store::testing::sealed(table, &key, vec![3, 2, 1, 2]);
    batch.put(table, key, row);
    kiosk.archive.store().commit(&batch).unwrap();
    let of = |source: u32, id: &str| {
        let origin = origin_of(&format!("https://source{source}.example/feed"));
        format!("urn:pergola:item:{origin}:{id}")
    };
    let new = [of(2, "2"), of(1, "2"), of(2, "1"), of(1, "1")];
    for (form, old) in [("atom", "urn:pergola:id:old"), ("rss", "old"), ("json", "old")] {
        let ids = raw_ids(&kiosk, form).await;
        assert_eq!(ids[..4], new, "{form}");
        assert_eq!(ids[4..], [old], "{form}");
    }
}

#[tokio::test]
async fn a_feed_without_items_is_a_document_too() {
    let kiosk = Kiosk::new();
    kiosk.shelf.put(listing(FEED, "News"));
    for path in ["/feeds/News.atom", "/feeds/News.rss", "/feeds/News.json"] {
        assert!(document(&kiosk, path).await.items.is_empty());
    }
}

#[tokio::test]
async fn a_feed_is_found_by_its_present_name_only_and_names_are_case_sensitive() {
    let kiosk = Kiosk::with_news();
    assert_eq!(kiosk.get("/feeds/news.atom", &[]).await.status, StatusCode::NOT_FOUND);
    kiosk.shelf.put(listing(FEED, "Tiếng_Việt"));
    assert_eq!(kiosk.get("/feeds/News.atom", &[]).await.status, StatusCode::NOT_FOUND);
    let path = "/feeds/Ti%E1%BA%BFng_Vi%E1%BB%87t.atom";
    let document = document(&kiosk, path).await;
    assert_eq!(document.self_link().unwrap(), format!("https://node.example/pergola{path}"));
    kiosk.shelf.remove(FEED);
    assert_eq!(kiosk.get(path, &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_list_of_feeds_is_opml_and_changes_with_the_feeds() {
    let kiosk = Kiosk::with_news();
    let first = kiosk.get("/opml", &[]).await;
    let list = Opml::parse(&first.body).unwrap();
    assert_eq!(list.title.as_deref(), Some("Feeds of Trellis"));
    let addresses: Vec<_> = list.outlines.iter().map(|feed| feed.feed.as_deref()).collect();
    assert_eq!(addresses, [Some("https://node.example/pergola/feeds/News.atom")]);
    let tag = first.header("etag");
    assert_eq!(
        kiosk.get("/opml", &[("if-none-match", tag)]).await.status,
        StatusCode::NOT_MODIFIED
    );
    kiosk.shelf.put(listing(FeedId(8), "Science"));
    let second = kiosk.get("/opml", &[("if-none-match", tag)]).await;
    assert_eq!(second.status, StatusCode::OK);
    assert_eq!(Opml::parse(&second.body).unwrap().outlines.len(), 2);
}

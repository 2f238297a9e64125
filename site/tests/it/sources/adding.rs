use super::*;
use crate::place::escaped;
use crate::vectors::{VECTORS, assert_harmless};

#[tokio::test]
async fn an_address_without_a_scheme_is_enough() {
    let origin = origin_with_feed("/feed.xml", "Bare").await;
    let place = Place::start().await;
    let bare = origin.url("/feed.xml").to_string().replace("http://", "");
    let id = added(&place, &[("url", &bare)]).await;
    let (status, text) = place.page(&format!("/sources/{id}?note=added")).await;
    assert_eq!(status, 200);
    assert!(text.contains("<h1>Bare</h1>") && text.contains("It was added."), "{text}");
    let (_, list) = place.page("/sources").await;
    assert!(list.contains(">Bare</a>"), "{list}");
}

#[tokio::test]
async fn a_page_with_several_feeds_offers_them_and_the_chosen_one_is_added() {
    let page = "<html><head><title>Site</title>\
                <link rel=alternate type='application/rss+xml' title='All &amp; more' href='/all.xml'>\
                <link rel=alternate type='application/atom+xml' title='Comments' href='/comments.xml'>\
                </head><body>Hello</body></html>";
    let origin = Origin::builder()
        .page("/", Reply::ok(page).header("content-type", "text/html"))
        .page("/all.xml", Reply::ok(rss("All", &[("1", "First")])))
        .start()
        .await;
    let place = Place::start().await;
    let url = origin.url("/").to_string();
    let sent = [("url", &*url), ("folders", "Kept/Typed"), ("do", "look")];
    let (status, leads, text) = place.send("/sources/new", &sent).await;
    assert_eq!((status, leads), (200, None), "{text}");
    assert!(text.contains("This page has 2 feeds") && text.contains("All &amp; more"), "{text}");
    assert!(text.contains("Atom") && text.contains("value=\"Kept/Typed\""), "{text}");
    let chosen = origin.url("/all.xml").to_string();
    assert!(text.contains(&format!("name=\"feed\" value=\"{chosen}\"")), "{text}");
    let id = added(&place, &[("url", &url), ("folders", "Kept/Typed"), ("feed", &chosen)]).await;
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("<h1>All</h1>") && text.contains("Kept/Typed"), "{text}");
    assert_eq!(origin.hits("/comments.xml"), 0, "nobody asked for the other feed");
}

const NEWS: &str = "<html><head><title>News</title></head><body><ul>\
     <li class=n><a href=/1>One &lt;b&gt;</a> <time datetime=2024-05-01T10:00:00Z>May</time>\
     <li class=n><a href='javascript:alert(1)'>Two</a></ul></body></html>";

#[tokio::test]
async fn a_page_without_a_feed_is_read_by_selectors_with_a_preview() {
    let html = Reply::ok(NEWS).header("content-type", "text/html");
    let origin = Origin::builder().page("/news", html).start().await;
    let place = Place::start().await;
    let url = origin.url("/news").to_string();
    let (status, _, text) = place.send("/sources/new", &[("url", &url)]).await;
    assert_eq!(status, 200);
    assert!(
        text.contains("This page has no feed") && text.contains("name=\"item_date\""),
        "{text}"
    );
    let tried = [("url", &*url), ("item", "li.n"), ("item_date", "time"), ("do", "preview")];
    let (_, _, text) = place.send("/sources/new", &tried).await;
    assert!(text.contains("2 items found") && text.contains("One &lt;b&gt;"), "{text}");
    assert!(text.contains("2024-05-01") && text.contains("value=\"li.n\""), "{text}");
    assert!(!text.contains("href=\"javascript:"), "{text}");
    let before = origin.hits("/news");
    let (status, _, part) = place.send("/sources/preview", &[("url", &url), ("item", "li[")]).await;
    assert_eq!(status, 200);
    assert!(part.contains("not a CSS selector") && !part.contains("<html"), "{part}");
    assert_eq!(origin.hits("/news"), before, "another selector asks for no other copy");
    let page = [("url", &*url), ("item", "li.n"), ("item_date", "time"), ("do", "page")];
    let id = added(&place, &page).await;
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("a web page, read by selectors") && text.contains("li.n"), "{text}");
    assert!(text.contains("asked once a day"), "{text}");
}

#[tokio::test]
async fn a_page_that_robots_txt_forbids_has_no_preview() {
    let html = Reply::ok(NEWS).header("content-type", "text/html");
    let robots = Reply::ok("User-agent: *\nDisallow: /news\n");
    let origin = Origin::builder().page("/news", html).page("/robots.txt", robots).start().await;
    let place = Place::start().await;
    let url = origin.url("/news").to_string();
    let tried = [("url", &*url), ("item", "li.n"), ("do", "preview")];
    let (status, _, text) = place.send("/sources/new", &tried).await;
    assert_eq!(status, 422, "{text}");
    assert!(text.contains("robots.txt") && text.contains("value=\"li.n\""), "{text}");
    assert_eq!(origin.hits("/news"), 0);
}

#[tokio::test]
async fn what_cannot_be_added_is_told_next_to_what_was_typed() {
    let origin = Origin::builder().page("/gone", Reply::status(404)).start().await;
    let place = Place::start().await;
    let gone = origin.url("/gone").to_string();
    let typed =
        [("url", &*gone), ("title", "My \"title\""), ("folders", "A, B"), ("private", "yes")];
    let (status, leads, text) = place.send("/sources/new", &typed).await;
    assert_eq!((status, leads), (422, None));
    for kept in
        ["role=\"alert\"", "404", &gone, "My &quot;title&quot;", "value=\"A, B\"", "checked"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(text.contains("Add it anyway"), "{text}");
    let anyway = [("url", &*gone), ("title", "Later"), ("do", "anyway")];
    let id = added(&place, &anyway).await;
    let (_, text) = place.page(&format!("/sources/{id}")).await;
    assert!(text.contains("<h1>Later</h1>"), "{text}");
    for (url, words) in [
        ("no address", "not the address of a source"),
        ("", "address"),
        ("ftp://x.example/", "ftp"),
    ] {
        let (status, _, text) = place.send("/sources/new", &[("url", url)]).await;
        assert!((400..500).contains(&status), "{url}: {status}");
        assert!(text.contains("role=\"alert\"") && text.contains(words), "{url}: {text}");
    }
}

#[tokio::test]
async fn a_list_is_imported_with_a_report() {
    let place = Place::start().await;
    let list = "<opml version=\"2.0\"><body><outline text=\"Tech\">\
         <outline text=\"A\" type=\"rss\" xmlUrl=\"http://127.0.0.1:9/a\"/>\
         <outline text=\"A again\" type=\"rss\" xmlUrl=\"http://127.0.0.1:9/a\"/></outline>\
         <outline text=\"&lt;b&gt;Broken\" type=\"rss\" xmlUrl=\"no address\"/></body></opml>";
    let (status, text) = upload(&place, "/sources/import", list).await;
    assert_eq!(status, 200, "{text}");
    for told in
        ["<dt>Added</dt><dd>1<", "<dt>Named twice</dt><dd>1<", "<dt>Broken</dt><dd>1<", "Tech"]
    {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(text.contains("&lt;b&gt;Broken") && !text.contains("<b>Broken"), "{text}");
    let (_, text) = upload(&place, "/sources/import", list).await;
    assert!(text.contains("<dt>Known already</dt><dd>1<"), "{text}");
    for bad in ["", "this is no list"] {
        let (status, text) = upload(&place, "/sources/import", bad).await;
        assert_eq!(status, 400, "{text}");
        assert!(text.contains("role=\"alert\"") && text.contains("type=\"file\""), "{text}");
    }
}

#[tokio::test]
async fn no_form_shows_what_was_typed_or_found_as_markup() {
    let place = Place::start().await;
    let links: String = VECTORS
        .iter()
        .map(|vector| {
            let title = escaped(vector);
            format!("<link rel=alternate type='application/rss+xml' title=\"{title}\" href=\"/x?{title}\">")
        })
        .collect();
    let items: String =
        VECTORS.iter().map(|vector| format!("<li><a href=/1>{}</a>", escaped(vector))).collect();
    let html = |body: &str| Reply::ok(body).header("content-type", "text/html");
    let origin = Origin::builder()
        .page("/links", html(&format!("<html><head>{links}</head><body></body></html>")))
        .page("/items", html(&format!("<html><body><ul>{items}</ul></body></html>")))
        .start()
        .await;
    let choice = [("url", &*origin.url("/links").to_string())];
    let (_, _, choice) = place.send("/sources/new", &choice).await;
    let url = origin.url("/items").to_string();
    let found = [("url", &*url), ("item", "li"), ("do", "preview")];
    let (_, _, found) = place.send("/sources/new", &found).await;
    assert!(choice.contains("This page has 32 feeds") && found.contains("items found"), "{found}");
    for vector in VECTORS {
        assert_harmless(&choice, vector, "the choice");
        assert_harmless(&found, vector, "the preview");
        let typed = [
            ("url", vector),
            ("title", vector),
            ("folders", vector),
            ("user", vector),
            ("item", vector),
            ("item_title", vector),
            ("do", "preview"),
        ];
        let (_, _, text) = place.send("/sources/new", &typed).await;
        assert_harmless(&text, vector, "the form");
    }
}

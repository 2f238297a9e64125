//! What somebody brings along from another reader, and takes away.

use std::io::{Cursor, Write as _};

use pergola_accounts::{Preferences, Role, UserId, Wanted};
use pergola_node::node::Stream;
use pergola_store::people::UserChange;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, EVIL, add, count};
use crate::origin::{Origin, Reply};
use crate::place::Place;
use crate::reading::{feed, source, subscribe};

/// An entry as FreshRSS exports it.
fn entry(feed: &str, guid: &str, states: &[&str]) -> Value {
    let states: Vec<String> =
        states.iter().map(|state| format!("user/-/state/com.google/{state}")).collect();
    json!({
        "id": "tag:google.com,2005:reader/item/0006205bd2a1c7c8", "crawlTimeMsec": "1767225600000",
        "timestampUsec": "1767225600123456", "published": 1767222000, "title": format!("Brought {guid}"),
        "canonical": [{ "href": format!("https://example.org/{guid}") }], "categories": states, "guid": guid,
        "origin": { "streamId": "feed/7", "title": "Elsewhere", "feedUrl": feed },
        "content": { "content": format!("<p>Kept text of {guid}.</p><script>alert(1)</script>") },
    })
}

/// A file of entries as FreshRSS exports it.
fn entries(items: &[Value]) -> Vec<u8> {
    serde_json::to_vec(&json!({ "id": "user/-/state/org.freshrss/starred", "items": items }))
        .unwrap()
}

/// An entry as Miniflux answers it, of which the id is not told.
fn of_miniflux(feed: &str, link: &str) -> Vec<u8> {
    let entry = json!({
        "id": 1, "feed_id": 2, "status": "read", "starred": true, "title": "Brought along", "url": link, "hash": "",
        "published_at": "2026-01-01T09:00:00Z", "content": "<p>Text</p>",
        "feed": { "id": 2, "feed_url": feed, "title": "Elsewhere" },
    });
    serde_json::to_vec(&json!({ "total": 1, "entries": [entry] })).unwrap()
}

/// A list of these addresses, in a folder.
fn list(addresses: &[&str]) -> String {
    let outline =
        |address: &&str| format!("<outline type=\"rss\" text=\"Mine\" xmlUrl=\"{address}\"/>");
    let outlines: String = addresses.iter().map(outline).collect();
    format!("<opml version=\"2.0\"><body><outline text=\"Tech\">{outlines}</outline></body></opml>")
}

fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Sends a file by the form.
async fn upload(browser: &mut Browser<'_>, place: &Place, file: &[u8]) -> Answer {
    let token = browser.token().unwrap_or_default().to_owned();
    let field =
        format!("--x\r\nContent-Disposition: form-data; name=\"form_token\"\r\n\r\n{token}\r\n");
    let head = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\n";
    let body = [field.as_bytes(), head.as_bytes(), file, b"\r\n--x--\r\n"].concat();
    let sent = place.client.post(place.url("/settings/account/import"));
    let sent = sent
        .header("content-type", "multipart/form-data; boundary=x")
        .header("accept", "text/html");
    browser.send(sent.header("origin", place.url("")).body(body)).await
}

/// The report of an import by the API, of a node where nobody has to log in.
async fn import(place: &Place, name: &str, file: Vec<u8>) -> Value {
    let (status, text) = post(place, name, file).await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

async fn post(place: &Place, name: &str, file: Vec<u8>) -> (u16, String) {
    let sent = place.client.post(place.url(&format!("/api/v1/users/{name}/import"))).body(file);
    let answer = sent.send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn export(place: &Place, name: &str) -> Vec<u8> {
    let asked = place.client.get(place.url(&format!("/api/v1/users/{name}/export")));
    let answer = asked.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

/// The titles of a stream, each with whether it is read.
fn titles(place: &Place, user: UserId, stream: &Stream) -> Vec<(String, bool)> {
    let page = place.node.stream_items(user, stream, &Wanted::newest(100)).unwrap();
    let title = |item: &pergola_node::node::StreamItem| item.published.item.title.clone().unwrap();
    let mut all: Vec<_> = page.items.iter().map(|item| (title(item), item.read)).collect();
    all.sort();
    all
}

fn told(titles: &[(&str, bool)]) -> Vec<(String, bool)> {
    titles.iter().map(|(title, read)| ((*title).to_owned(), *read)).collect()
}

/// Waits until a user has so many items.
async fn arrived(place: &Place, user: UserId, items: usize) {
    let all = async {
        while titles(place, user, &Stream::All).len() < items {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), all).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_freshrss_comes_with_stars_and_read_marks_and_doubles_nothing() {
    let place = Place::start().await;
    let (origin, id) = source(&place, &feed("News", 3)).await;
    let address = origin.url("/feed").to_string();
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let user = place.node.find_user("ada").unwrap().unwrap().id;
    subscribe(&place, user, id).await;
    let items = entries(&[
        entry(&address, "News-1", &["starred", "read"]),
        entry(&address, "News-2", &["read"]),
        entry(&address, "long-gone", &["starred"]),
        entry("https://left.example/feed", "left", &["starred", "read"]),
        entry(&address, "News-3", &["unread"]),
        json!({ "title": EVIL, "categories": ["user/-/state/com.google/starred"] }),
    ]);
    let file = zipped(&[
        ("feeds_2026-01-02.opml.xml", list(&[&address, "mailto:a@b.example"]).as_bytes()),
        ("starred_2026-01-02.json", &items),
    ]);
    ada.get("/settings/account/import").await.says(&["FreshRSS", "Miniflux"]);
    let done = upload(&mut ada, &place, &file).await;
    assert_eq!(done.status, 200, "{done:?}");
    done.says(&[
        "<dt>Subscriptions added</dt><dd>0</dd>",
        "<dt>Known already</dt><dd>1</dd>",
        "<dt>Starred</dt><dd>3</dd>",
        "<dt>Marked as read</dt><dd>3</dd>",
        "<dt>Left out</dt><dd>2</dd>",
        "1 folder: Tech",
        "2 starred items kept as the file has them",
        "starred_2026-01-02.json, items[5]",
        "it does not say from which feed it is",
        "feeds_2026-01-02.opml.xml",
    ]);
    done.never_says(&["<script>alert"]);
    let all = told(&[("News 1", true), ("News 2", true), ("News 3", false)]);
    let stars = told(&[("Brought left", true), ("Brought long-gone", false), ("News 1", true)]);
    assert_eq!(titles(&place, user, &Stream::All), all);
    assert_eq!(titles(&place, user, &Stream::Starred), stars);
    assert_eq!(titles(&place, user, &Stream::Folder("Tech".into())), all);
    let shown = ada.get("/read?starred=").await;
    shown.says(&["Kept text of long-gone.", "Elsewhere"]).never_says(&["<script>alert"]);
    let again = upload(&mut ada, &place, &file).await;
    again.says(&["<dt>Starred</dt><dd>0</dd>", "<dt>Starred already</dt><dd>3</dd>"]);
    assert_eq!(titles(&place, user, &Stream::Starred), stars);
    place.node.clear_out().await.unwrap();
    assert_eq!(titles(&place, user, &Stream::Starred), stars, "stars outlive their items");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_was_brought_before_its_source_shows_it_is_there_once() {
    let place = Place::start().await;
    let page = Reply::ok(feed("News", 2)).header("content-type", "application/rss+xml");
    let origin = Origin::builder().page("/feed", page).start().await;
    let address = origin.url("/feed").to_string();
    let items = entries(&[entry(&address, "News-1", &["starred", "read"])]);
    let done = import(&place, "operator", items).await;
    assert_eq!(
        (&done["starred"], &done["kept"], &done["read_ahead"]),
        (&json!(1), &json!(1), &json!(1))
    );
    place.node.clear_out().await.unwrap();
    let done = import(&place, "operator", list(&[&address]).into_bytes()).await;
    assert_eq!((&done["new_sources"], &done["subscribed"]), (&json!(1), &json!(1)), "{done}");
    arrived(&place, UserId::OPERATOR, 2).await;
    let all = told(&[("News 1", true), ("News 2", false)]);
    assert_eq!(titles(&place, UserId::OPERATOR, &Stream::All), all, "it was read before it came");
    assert_eq!(titles(&place, UserId::OPERATOR, &Stream::Starred).len(), 1);
    let shown = |page: &Answer| count(&page.text, "id=\"item-");
    let mut browser = Browser::new(&place);
    let unread = browser.get("/read").await;
    unread.says(&["News 2"]).never_says(&["News 1"]);
    assert_eq!(shown(&unread), 1, "{}", unread.text);
    let page = browser.get("/read?show=all").await;
    page.says(&["News 1", "News 2"]);
    assert_eq!(shown(&page), 2, "{}", page.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_star_of_miniflux_moves_to_its_item_once_that_is_here() {
    let place = Place::start().await;
    let page = Reply::ok(feed("News", 2)).header("content-type", "application/rss+xml");
    let origin = Origin::builder().page("/feed", page).start().await;
    let address = origin.url("/feed").to_string();
    let file = of_miniflux(&address, "https://example.org/News/2");
    let done = import(&place, "operator", file.clone()).await;
    assert_eq!((&done["starred"], &done["kept"]), (&json!(1), &json!(1)));
    let user = UserId::OPERATOR;
    assert_eq!(titles(&place, user, &Stream::Starred), told(&[("Brought along", true)]));
    import(&place, "operator", list(&[&address]).into_bytes()).await;
    arrived(&place, user, 2).await;
    let done = import(&place, "operator", file).await;
    assert_eq!((&done["starred"], &done["starred_already"]), (&json!(0), &json!(1)), "{done}");
    assert_eq!(titles(&place, user, &Stream::Starred), told(&[("News 2", true)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_owns_is_the_same_at_another_node() {
    let place = Place::start().await;
    let (origin, id) = source(&place, &feed("News", 3)).await;
    let ada = add(&place, "ada", Role::Admin).await;
    subscribe(&place, ada, id).await;
    let address = origin.url("/feed").to_string();
    let token = "Bearer none";
    let mut browser = Browser::from_afar(&place);
    assert_eq!(browser.log_in("ada", crate::browser::PASSWORD).await.status, 303);
    browser.get("/settings/account").await.says(&["everything.zip"]);
    let items = entries(&[
        entry(&address, "News-1", &["starred", "read"]),
        entry(&address, "gone", &["starred"]),
        entry("https://left.example/feed", "left", &["starred"]),
    ]);
    let file = zipped(&[("a.opml", list(&[&address]).as_bytes()), ("b.json", &items)]);
    assert_eq!(upload(&mut browser, &place, &file).await.status, 200);
    let mut own = Preferences { zone: Some("Europe/Rome".into()), ..Preferences::default() };
    own.set("order", Some("oldest"));
    let change = UserChange { preferences: Some(own.clone()), ..UserChange::default() };
    place.node.change_user(ada, change).await.unwrap();
    let asked = place.client.get(place.url("/settings/account/export/everything.zip"));
    let answer = browser.send(asked.header("authorization", token)).await;
    assert_eq!(
        (answer.status, &answer.headers["content-type"]),
        (200, &"application/zip".parse().unwrap())
    );
    let taken = export(&place, "ada").await;

    let other = Place::start().await;
    let done = import(&other, "operator", taken.clone()).await;
    assert_eq!((&done["broken"], &done["new_sources"]), (&json!(0), &json!(1)), "{done}");
    let there = UserId::OPERATOR;
    arrived(&other, there, 3).await;
    for stream in [Stream::All, Stream::Starred, Stream::Folder("Tech".into())] {
        assert_eq!(titles(&other, there, &stream), titles(&place, ada, &stream), "{stream:?}");
    }
    assert_eq!(other.node.user(there).unwrap().unwrap().preferences, own);
    let kept = other.node.stream_items(there, &Stream::Starred, &Wanted::newest(9)).unwrap().items;
    let content = |title: &str| {
        let found = kept.iter().find(|item| item.published.item.title.as_deref() == Some(title));
        found.and_then(|item| item.published.item.content.clone()).unwrap().body
    };
    assert_eq!(content("Brought gone"), "<p>Kept text of gone.</p>");
    let done = import(&other, "operator", taken).await;
    assert_eq!(
        (&done["starred"], &done["starred_already"], &done["known"]),
        (&json!(0), &json!(3), &json!(1))
    );
    for stream in [Stream::All, Stream::Starred] {
        assert_eq!(titles(&other, there, &stream), titles(&place, ada, &stream), "{stream:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_follows_what_the_node_has_and_is_told_what_it_has_not() {
    let place = Place::start().await;
    let (origin, _) = source(&place, &feed("News", 1)).await;
    let address = origin.url("/feed").to_string();
    add(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    let file = list(&[&address, "https://new.example/feed"]);
    let done = upload(&mut bob, &place, file.as_bytes()).await;
    done.says(&[
        "<dt>Subscriptions added</dt><dd>1</dd>",
        "<dt>Sources new to the node</dt><dd>0</dd>",
        "ask somebody who manages the node to add it",
    ]);
    assert!(place.node.find_source("https://new.example/feed").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_changes_nothing_and_is_told_to_people_and_programs() {
    let place = Place::start().await;
    let whole = zipped(&[("a.opml", list(&["https://new.example/feed"]).as_bytes())]);
    for (file, words) in [
        (&b"hello"[..], "not an export of a feed reader"),
        (&whole[..whole.len() / 2], "cannot be unpacked"),
        (br#"{"entries":[{"id":1"#, "not JSON, or cut off"),
        (b"", "empty"),
    ] {
        let (status, text) = post(&place, "operator", file.to_vec()).await;
        let problem: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &problem["code"]), (400, &json!("not-an-export")), "{text}");
        assert!(problem["detail"].as_str().unwrap().contains(words), "{text}");
        let page = upload(&mut Browser::new(&place), &place, file).await;
        assert_eq!(page.status, 400);
        page.says(&["role=\"alert\"", "Nothing was imported.", words]);
    }
    let (status, text) = post(&place, "nobody", whole).await;
    assert_eq!(status, 404, "{text}");
    assert!(text.contains("there is no user `nobody`"), "{text}");
    assert!(place.node.find_source("https://new.example/feed").is_err());
}

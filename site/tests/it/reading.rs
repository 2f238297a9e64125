//! Reading: streams, marks, counts.

use pergola_accounts::{Role, UserId};
use pergola_node::node::{Follow, Followed};
use pergola_store::archive::SourceId;
use serde_json::{Value, json};

use crate::browser::{Browser, EVIL, count};
use crate::origin::{Origin, Reply};
use crate::place::Place;

/// A feed with items of a minute each, newest first, numbered from 1.
pub(crate) fn feed(title: &str, items: usize) -> String {
    let item = |n: usize| {
        let minute = items - n;
        format!(
            "<item><guid>{title}-{n}</guid><title>{title} {n}</title>\
             <link>https://example.org/{title}/{n}</link><author>a@b.example (Somebody)</author>\
             <pubDate>Mon, 02 Mar 2026 {:02}:{:02}:00 GMT</pubDate>\
             <description>&lt;p&gt;The text of {title} {n}.&lt;/p&gt;</description></item>",
            minute / 60,
            minute % 60,
        )
    };
    let items: String = (1..=items).map(item).collect();
    format!("<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>")
}

/// An origin with one feed, which the node crawls; and the number of the source.
pub(crate) async fn source(place: &Place, document: &str) -> (Origin, u32) {
    let page = Reply::ok(document.to_owned()).header("content-type", "application/rss+xml");
    let origin = Origin::builder().page("/feed", page).start().await;
    let id = feed_of(place, &origin).await;
    (origin, id)
}

/// Adds the feed of an origin.
pub(crate) async fn feed_of(place: &Place, origin: &Origin) -> u32 {
    let body = json!({ "url": origin.url("/feed").as_str() }).to_string();
    let sent = place.client.post(place.url("/api/v1/sources"));
    let sent = sent.header("content-type", "application/json").body(body);
    let answer = sent.send().await.unwrap();
    assert_eq!(answer.status(), 201);
    let added: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    let id = added["source"]["id"].as_u64().unwrap();
    u32::try_from(id).unwrap()
}

pub(crate) async fn subscribe(place: &Place, user: UserId, source: u32) {
    let what = Followed::Source(SourceId(source));
    place.running.node.subscribe(user, what, Follow::default()).await.unwrap();
}

/// Somebody who follows a source of so many items.
async fn reader(place: &Place, items: usize) -> (Browser<'_>, Origin, u32) {
    let (origin, id) = source(place, &feed("News", items)).await;
    let ada = Browser::of(place, "ada", Role::Reader).await;
    let user = place.running.node.find_user("ada").unwrap().unwrap().id;
    subscribe(place, user, id).await;
    (ada, origin, id)
}

/// The numbers of the items of a page, in order.
fn numbers(text: &str) -> Vec<u64> {
    let parts = text.split("id=\"item-").skip(1);
    parts.map(|part| part.split('"').next().unwrap().parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_the_node_reads_everything_without_a_login() {
    let place = Place::start().await;
    let (_origin, id) = source(&place, &feed("News", 2)).await;
    let mut browser = Browser::new(&place);
    let read = browser.get("/read").await;
    assert_eq!(read.status, 200);
    read.says(&["News 1", "News 2", "Somebody", &format!("href=\"./read?source={id}\"")]);
    let [first, _] = numbers(&read.text)[..] else { panic!("{}", read.text) };
    let mark = format!("/read/item/{first}/mark");
    let marked = browser.post(&mark, &[("star", "1"), ("back", "read?starred=")]).await;
    assert_eq!((marked.status, marked.to.as_str()), (303, "../../../read?starred="));
    browser.get("/read?starred=").await.says(&["News 1"]).never_says(&["News 2"]);
    let subscriptions = browser.get("/read/subscriptions").await;
    subscriptions.says(&["follows every source"]).never_says(&["Unsubscribe"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_is_opened_is_read_and_the_counts_say_so() {
    let place = Place::start().await;
    let (mut ada, _origin, id) = reader(&place, 3).await;
    let unread =
        |number: u32| format!("data-stream=\"source={id}\"><span class=\"number\">{number}<");
    let all = ada.get("/read").await;
    all.says(&[&unread(3), "All items", "data-stream=\"all=\"><span class=\"number\">3<"]);
    let ids = numbers(&all.text);
    assert_eq!(ids.len(), 3);
    let open = ada.get(&format!("/read?all=&open={}", ids[1])).await;
    open.says(&[&unread(2), "The text of News 2.", "Visit the page"]);
    assert_eq!(numbers(&open.text), ids, "it is opened in its place");
    assert_eq!(count(&open.text, "class=\"whole\""), 1);
    let again = ada.get(&format!("/read?all=&open={}", ids[1])).await;
    assert_eq!(numbers(&again.text), ids, "it stays open when the page is loaded again");
    let left = ada.get("/read").await;
    assert_eq!(numbers(&left.text), [ids[0], ids[2]], "what is read is not shown");
    assert_eq!(numbers(&ada.get("/read?show=all").await.text), ids);
    let item = ada.get(&format!("/read/item/{}", ids[0])).await;
    item.says(&["The text of News 1.", "Mark unread"]);
    ada.get("/read").await.says(&[&unread(1)]);
    let mark = format!("/read/item/{}/mark", ids[0]);
    let back = ada.post(&mark, &[("read", "0"), ("back", "read?all=#item-1")]).await;
    assert_eq!((back.status, back.to.as_str()), (303, "../../../read?all=#item-1"));
    ada.get("/read").await.says(&[&unread(2), "News 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_marks_without_a_new_page() {
    let place = Place::start().await;
    let (mut ada, _origin, _) = reader(&place, 1).await;
    let [item] = numbers(&ada.get("/read").await.text)[..] else { panic!() };
    let sent = place.client.post(place.url(&format!("/read/item/{item}/mark")));
    let body = format!("read=1&form_token={}", ada.token().unwrap());
    let sent = sent.header("content-type", "application/x-www-form-urlencoded").body(body);
    let answer = ada.send(sent.header("accept", "application/json")).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    ada.get("/read").await.says(&["Everything is read."]);
    let script = ada.get("/assets/read.js").await;
    assert_eq!(script.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_stream_is_read_page_by_page_newest_first_and_marked_as_a_whole() {
    let place = Place::start().await;
    let (mut ada, _origin, id) = reader(&place, 120).await;
    let mut path = "/read?show=all".to_owned();
    let mut all = Vec::new();
    let mut pages = 0;
    loop {
        let page = ada.get(&path).await;
        assert!(page.text.len() < 100_000, "{}", page.text.len());
        let titles = page.text.split("class=\"open\"").skip(1);
        all.extend(titles.map(|part| {
            let title = part.split_once('>').unwrap().1.split('<').next().unwrap();
            title.trim_start_matches("News ").parse::<usize>().unwrap()
        }));
        pages += 1;
        let Some((_, rest)) = page.text.split_once("rel=\"next\" href=\".") else { break };
        path = rest.split('"').next().unwrap().replace("&amp;", "&");
    }
    assert_eq!((pages, all), (3, (1..=120).collect::<Vec<_>>()));
    assert_eq!(ada.get("/read?after=nonsense").await.status, 400);
    let first = ada.get(&format!("/read?source={id}")).await;
    let (_, rest) = first.text.split_once("name=\"until\" value=\"").unwrap();
    let until = rest.split('"').next().unwrap();
    let source = id.to_string();
    let fields = [("source", source.as_str()), ("until", until), ("back", "read?all=")];
    let marked = ada.post("/read/mark-all", &fields).await;
    assert_eq!((marked.status, marked.to.as_str()), (303, "../read?all=&note=marked"));
    let after = ada.get("/read?all=&note=marked").await;
    after.says(&["All of it is marked as read.", "Everything is read."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_star_outlives_the_subscription() {
    let place = Place::start().await;
    let (mut ada, _origin, id) = reader(&place, 2).await;
    let ids = numbers(&ada.get("/read").await.text);
    let mark = format!("/read/item/{}/mark", ids[1]);
    assert_eq!(ada.post(&mark, &[("star", "1")]).await.status, 303);
    let source = id.to_string();
    let left = ada.post("/read/subscriptions/leave", &[("source", &source)]).await;
    assert_eq!((left.status, left.to.as_str()), (303, "../subscriptions?note=left"));
    ada.get("/read").await.says(&["You follow nothing yet."]);
    ada.get(&format!("/read?starred=&open={}", ids[1])).await.says(&["The text of News 2."]);
    assert_eq!(ada.get(&format!("/read/item/{}", ids[0])).await.status, 404);
    let exported = ada.get("/settings/account/export/starred.json").await;
    let document: Value = serde_json::from_str(&exported.text).unwrap();
    assert_eq!(document["items"][0]["title"], "News 2");
    assert_eq!(document["items"].as_array().unwrap().len(), 1);
    assert_eq!(ada.post(&mark, &[("star", "0")]).await.status, 303);
    ada.get("/read?starred=").await.says(&["You have starred nothing yet."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_publisher_writes_runs_nowhere() {
    let place = Place::start().await;
    let evil = EVIL.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let twice = evil.replace('&', "&amp;");
    let document = format!(
        "<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel>\
         <title>{twice}</title><item><guid>1</guid><title>{twice}</title><dc:creator>{twice}</dc:creator>\
         <link>javascript:alert(1)</link><category>{twice}</category>\
         <enclosure url=\"javascript:alert(2)\" type=\"{twice}\" length=\"1\"/>\
         <description>{evil}&lt;img src=x onerror=alert(3)&gt;&lt;a href=\"javascript:alert(4)\"&gt;x&lt;/a&gt;\
         &lt;form method=\"post\" action=\"/logout\"&gt;&lt;/form&gt;&lt;iframe src=\"x\"&gt;</description>\
         </item></channel></rss>"
    );
    let (_origin, id) = source(&place, &document).await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let user = place.running.node.find_user("ada").unwrap().unwrap().id;
    subscribe(&place, user, id).await;
    let source = id.to_string();
    let change = [("source", source.as_str()), ("title", EVIL), ("folders", EVIL)];
    assert_eq!(ada.post("/read/subscriptions/change", &change).await.status, 303);
    let all = ada.get("/read").await;
    let item = numbers(&all.text)[0];
    let folder =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("folder", EVIL).finish();
    for path in [
        "/read".to_owned(),
        format!("/read?all=&open={item}"),
        format!("/read?{folder}&show=all"),
        format!("/read/item/{item}"),
        "/read/subscriptions".to_owned(),
        format!("/read/subscriptions?{}", folder.replace("folder", "find")),
        format!("/read/subscriptions?{}", folder.replace("folder", "q")),
    ] {
        let page = ada.get(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        page.never_says(&[
            "<script>alert",
            "onerror",
            "javascript:",
            "<iframe",
            "action=\"/logout\"",
        ]);
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_told_and_not_guessed() {
    let place = Place::start().await;
    let (mut ada, _origin, _) = reader(&place, 1).await;
    for (path, status) in [
        ("/read?feed=abc", 400),
        ("/read?source=99999999999", 400),
        ("/read?source=4711", 404),
        ("/read?folder=none", 404),
        ("/read?open=x", 400),
        ("/read/item/x", 400),
        ("/read/item/4711", 404),
    ] {
        assert_eq!(ada.get(path).await.status, status, "{path}");
    }
    let marked = ada.post("/read/mark-all", &[("until", "soon")]).await;
    assert_eq!(marked.status, 400);
}

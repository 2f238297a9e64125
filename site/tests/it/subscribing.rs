//! Subscribing: what may be followed, titles, folders, and taking it all along.

use pergola_accounts::Role;
use pergola_feed::opml::Opml;
use serde_json::json;

use crate::browser::Browser;
use crate::place::Place;
use crate::reading::{feed, source};

async fn set_private(place: &Place, source: u32) {
    let sent = place.client.patch(place.url(&format!("/api/v1/sources/{source}")));
    let body = json!({ "private": true }).to_string();
    let sent = sent.header("content-type", "application/json").body(body);
    assert_eq!(sent.send().await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_subscribes_renames_and_files_what_it_may_read() {
    let place = Place::start().await;
    let (origin, id) = source(&place, &feed("News", 2)).await;
    let mut ada = Browser::of(&place, "ada", Role::Reader).await;
    ada.get("/read").await.says(&["You follow nothing yet."]);
    let found = ada.get("/read/subscriptions?find=news").await;
    found.says(&["Subscribe to News", origin.url("/feed").as_str()]);
    let number = id.to_string();
    let what = ("source", number.as_str());
    let followed = ada.post("/read/subscriptions/follow", &[what]).await;
    assert_eq!((followed.status, followed.to.as_str()), (303, "../subscriptions?note=followed"));
    ada.get("/read/subscriptions?find=news").await.never_says(&["Subscribe to News"]);
    let change = [what, ("title", "My news"), ("folders", "Tech/Rust, Friends")];
    assert_eq!(ada.post("/read/subscriptions/change", &change).await.status, 303);
    let read = ada.get("/read").await;
    read.says(&["My news", "href=\"./read?folder=Tech%2FRust\"", "href=\"./read?folder=Tech\""]);
    ada.get("/read?folder=Tech").await.says(&["News 1", "News 2"]);
    ada.get("/read/subscriptions?q=friends").await.says(&["My news", "1 subscription found"]);
    ada.get("/read/subscriptions?q=nothing").await.says(&["0 subscriptions found"]);
    let opml = ada.get("/settings/account/export/subscriptions.opml").await;
    assert!(opml.headers["content-disposition"].to_str().unwrap().contains("subscriptions.opml"));
    let list = Opml::parse(opml.text.as_bytes()).unwrap();
    let names: Vec<_> = list.outlines.iter().map(|outline| outline.text.as_str()).collect();
    assert_eq!(names, ["Friends", "Tech"]);
    let inside = &list.outlines[1].children[0].children[0];
    assert_eq!(
        (inside.text.as_str(), inside.feed.as_deref()),
        ("My news", Some(origin.url("/feed").as_str()))
    );
    let change = [what, ("title", ""), ("folders", "")];
    assert_eq!(ada.post("/read/subscriptions/change", &change).await.status, 303);
    ada.get("/read").await.says(&["News"]).never_says(&["My news", "folder=Tech"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_source_and_a_closed_feed_are_for_those_who_manage() {
    let place = Place::start().await;
    let (origin, id) = source(&place, &feed("Secret", 1)).await;
    set_private(&place, id).await;
    let node = &place.running.node;
    node.run_script("CREATE FEED Closed AS RETURN OPML \"all\";", "test").await.unwrap();
    node.set_readers("Closed", Some(Vec::new())).await.unwrap();
    let feed = node.feed("Closed").unwrap().id.0.to_string();
    let source = id.to_string();
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    bob.get("/read/subscriptions?find=secret")
        .await
        .never_says(&["Subscribe to Secret", origin.url("/").as_str()]);
    for what in [("source", source.as_str()), ("feed", feed.as_str()), ("source", "4711")] {
        let refused = bob.post("/read/subscriptions/follow", &[what]).await;
        assert_eq!(refused.status, 400, "{what:?}");
        refused.says(&["that this user may read", "role=\"alert\""]);
    }
    assert_eq!(bob.post("/read/subscriptions/follow", &[("folder", "x")]).await.status, 400);
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    ada.get("/read/subscriptions?find=secret").await.says(&["Subscribe to Secret"]);
    for what in [("source", source.as_str()), ("feed", feed.as_str())] {
        assert_eq!(ada.post("/read/subscriptions/follow", &[what]).await.status, 303);
    }
    ada.get("/read").await.says(&["Secret 1", "Closed"]);
}

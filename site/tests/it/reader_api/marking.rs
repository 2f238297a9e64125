//! What was read and starred.

use pergola_accounts::Role;
use serde_json::json;

use super::{ALL, House, READ, STARRED, UNREAD, items};

#[tokio::test(flavor = "multi_thread")]
async fn many_items_are_marked_at_once_and_unmarked_again() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    let long = format!("tag:google.com,2005:reader/item/{:016x}", all[1].parse::<i64>().unwrap());
    let token = app.get("token").await.text;
    let form = [("i", all[0].as_str()), ("i", &long), ("a", READ), ("r", UNREAD), ("T", &token)];
    app.post("edit-tag", &form).await.is_ok();
    assert_eq!(app.titles(ALL, &format!("xt={READ}")).await, items(&[3, 2, 1]));
    let page = app.json(&format!("stream/contents?it={READ}")).await;
    assert_eq!(page["items"][0]["categories"][1], READ);
    // As newsboat keeps something unread.
    let kept = [
        ("i", long.as_str()),
        ("r", READ),
        ("a", UNREAD),
        ("a", "user/-/state/com.google/tracking-kept-unread"),
        ("ac", "edit"),
    ];
    app.post("edit-tag", &kept).await.is_ok();
    assert_eq!(app.titles(ALL, &format!("xt={READ}")).await, items(&[4, 3, 2, 1]));
    app.post("edit-tag", &[("i", &all[2]), ("a", STARRED)]).await.is_ok();
    app.post("edit-tag", &[("i", &all[3]), ("a", STARRED), ("a", READ)]).await.is_ok();
    assert_eq!(app.titles(STARRED, "").await, items(&[3, 2]));
    app.post("edit-tag", &[("i", &all[2]), ("r", STARRED)]).await.is_ok();
    assert_eq!(app.titles(STARRED, "").await, items(&[2]));
    app.post("edit-tag", &[("i", "77777"), ("a", READ)]).await.is_ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_on_an_item_is_refused_and_changes_nothing() {
    let house = House::open().await;
    let app = house.reader().await;
    let all = app.all().await;
    let form = [("i", all[0].as_str()), ("a", READ), ("a", "user/-/label/Later")];
    let refused = app.post("edit-tag", &form).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("labels are folders"), "{refused:?}");
    assert_eq!(app.ids(&format!("xt={READ}")).await, all);
    let none = app.post("edit-tag", &[("a", READ)]).await;
    assert!(none.status == 400 && none.text.contains("`i` is missing"), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_read_up_to_what_the_app_has_seen() {
    let house = House::open().await;
    let app = house.reader().await;
    app.post("mark-all-as-read", &[("s", &app.feed("Source /two").await)]).await.is_ok();
    assert_eq!(app.titles(ALL, &format!("xt={READ}")).await, items(&[3, 2, 1]));
    let early = [("s", ALL), ("ts", "1600000000000000")];
    app.post("mark-all-as-read", &early).await.is_ok();
    assert_eq!(app.ids(&format!("xt={READ}")).await.len(), 3, "nothing had come then");
    // The instant of the newest item that the app was told.
    let page = app.json("stream/contents?n=1000").await;
    let seen = page["items"].as_array().unwrap().iter();
    let seen = seen.map(|item| item["timestampUsec"].as_str().unwrap().to_owned()).max().unwrap();
    let form = [("s", "user/-/label/Tech"), ("ts", seen.as_str()), ("T", "")];
    app.post("mark-all-as-read", &form).await.is_ok();
    assert_eq!(app.ids(&format!("xt={READ}")).await, Vec::<String>::new());
    assert_eq!(app.json("unread-count").await["max"], 0);
    let none = app.post("mark-all-as-read", &[]).await;
    assert_eq!(none.status, 400, "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_or_marks_what_is_anothers() {
    let house = House::open().await;
    let ada = house.reader().await;
    let grace = house.user("grace", Role::Reader).await;
    let grace = house.app(grace).await;
    let all = ada.all().await;
    assert_eq!(grace.all().await, Vec::<String>::new());
    let seen = grace.post("stream/items/contents", &[("i", &all[0])]).await.json();
    assert_eq!(seen["items"], json!([]));
    grace.post("edit-tag", &[("i", &all[0]), ("a", READ), ("a", STARRED)]).await.is_ok();
    assert_eq!(grace.ids(&format!("s={STARRED}")).await, Vec::<String>::new());
    assert_eq!(ada.ids(&format!("xt={READ}")).await, all);
    assert_eq!(grace.ids(&format!("s={}", ada.feed("Source /one").await)).await.len(), 0);
}

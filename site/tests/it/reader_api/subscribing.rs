//! Following, leaving, folders, and lists.

use pergola_accounts::Role;
use pergola_feed::opml::Opml;
use serde_json::{Value, json};

use super::{App, House, call};

/// The titles of what somebody follows, each with its folders.
async fn followed(app: &App<'_>) -> Vec<(String, Vec<String>)> {
    let list = app.json("subscription/list").await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = list["subscriptions"].as_array().unwrap().iter();
    let mut all: Vec<_> = all
        .map(|own| {
            let folders = own["categories"].as_array().unwrap().iter();
            (text(&own["title"]), folders.map(|folder| text(&folder["label"])).collect())
        })
        .collect();
    all.sort();
    all
}

fn own(title: &str, folders: &[&str]) -> (String, Vec<String>) {
    (title.to_owned(), folders.iter().map(|name| (*name).to_owned()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_follows_an_address_that_the_node_then_crawls() {
    let house = House::open().await;
    let admin = house.user("ada", Role::Admin).await;
    let app = house.app(admin).await;
    house.show("/new", &[(1, 10)]);
    let stream = format!("feed/{}", house.origin.url("/new"));
    let form =
        [("ac", "subscribe"), ("s", stream.as_str()), ("t", "Mine"), ("a", "user/-/label/A/B")];
    app.post("subscription/edit", &form).await.is_ok();
    assert_eq!(followed(&app).await, [own("Mine", &["A/B"])]);
    assert_eq!(app.all().await.len(), 1);
    let none = format!("feed/{}", house.origin.url("/none"));
    let refused = app.post("subscription/edit", &[("ac", "subscribe"), ("s", &none)]).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.text.len() > 10, "it says why: {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_follows_what_the_node_has_and_nothing_else() {
    let house = House::open().await;
    house.source("/one", &[(1, 10)]).await;
    let grace = house.user("grace", Role::Reader).await;
    let app = house.app(grace).await;
    let address = house.origin.url("/one").to_string();
    let added = app.post("subscription/quickadd", &[("quickadd", &address)]).await.json();
    let id = app.feed("Source /one").await;
    assert_eq!(
        added,
        json!({"numResults": 1, "query": address, "streamId": id, "streamName": "Source /one"})
    );
    house.show("/other", &[(2, 10)]);
    let other = house.origin.url("/other").to_string();
    let refused = app.post("subscription/quickadd", &[("quickadd", &other)]).await.json();
    assert_eq!(refused["numResults"], 0);
    assert!(refused["error"].as_str().unwrap().contains("ask whoever manages"), "{refused}");
    let form = [("ac", "subscribe"), ("s", &format!("feed/{other}"))];
    assert_eq!(app.post("subscription/edit", &form).await.status, 403);
    assert_eq!(house.origin.hits("/other"), 0, "nobody has asked for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_and_folders_are_changed_and_feeds_left() {
    let house = House::open().await;
    let app = house.reader().await;
    let (one, two) = (app.feed("Source /one").await, app.feed("Source /two").await);
    let form = [
        ("ac", "edit"),
        ("s", one.as_str()),
        ("t", "First"),
        ("a", "user/-/label/New"),
        ("r", "user/-/label/Tech"),
    ];
    app.post("subscription/edit", &form).await.is_ok();
    let rest = own("Source /two", &["News & more"]);
    assert_eq!(followed(&app).await, [own("First", &["New"]), rest.clone()]);
    app.post("subscription/edit", &[("ac", "edit"), ("s", &one), ("a", "user/-/label/Too")])
        .await
        .is_ok();
    assert_eq!(followed(&app).await[0], own("First", &["New", "Too"]), "the title stays");
    app.post("subscription/edit", &[("ac", "unsubscribe"), ("s", &one)]).await.is_ok();
    assert_eq!(followed(&app).await, [rest]);
    assert_eq!(app.all().await.len(), 2);
    assert!(
        house.place.node.find_source(house.origin.url("/one").as_str()).is_ok(),
        "it is crawled"
    );
    for form in [
        vec![("ac", "unsubscribe"), ("s", one.as_str())],
        vec![("ac", "edit"), ("s", "feed/4711")],
        vec![("ac", "burn"), ("s", &two)],
        vec![("ac", "edit")],
    ] {
        assert_eq!(app.post("subscription/edit", &form).await.status, 400, "{form:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_are_renamed_with_those_inside_and_dropped() {
    let house = House::open().await;
    let app = house.reader().await;
    let one = app.feed("Source /one").await;
    app.post("subscription/edit", &[("ac", "edit"), ("s", &one), ("a", "user/-/label/Tech/Rust")])
        .await
        .is_ok();
    let form = [("s", "user/-/label/Tech"), ("dest", "user/-/label/Science")];
    app.post("rename-tag", &form).await.is_ok();
    assert_eq!(followed(&app).await[0], own("Source /one", &["Science", "Science/Rust"]));
    app.post("disable-tag", &[("s", "user/-/label/Science")]).await.is_ok();
    assert_eq!(followed(&app).await[0], own("Source /one", &[]));
    let gone = app.post("rename-tag", &form).await;
    assert!(gone.status == 400 && gone.text.contains("there is no label `Tech`"), "{gone:?}");
    let nowhere = app.post("rename-tag", &[("s", "user/-/label/News & more")]).await;
    assert!(nowhere.status == 400 && nowhere.text.contains("`dest` is missing"), "{nowhere:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_of_the_node_are_followed_by_their_address_or_number() {
    let house = House::open().await;
    house.source("/one", &[(1, 10), (2, 20)]).await;
    let query = format!("CREATE FEED News AS RETURN \"{}\";", house.origin.url("/one"));
    house.place.node.run_script(&query, "test").await.unwrap();
    let grace = house.user("grace", Role::Reader).await;
    let app = house.app(grace).await;
    let base = house.place.node.config().node.public_url.to_string();
    let address = format!("{}/feeds/News.atom", base.trim_end_matches('/'));
    let added = app.post("subscription/quickadd", &[("quickadd", &address)]).await.json();
    assert_eq!((&added["numResults"], &added["streamName"]), (&json!(1), &json!("News")));
    let id = app.feed("News").await;
    assert_eq!(app.titles(&id, "").await.len(), 2);
    app.post("subscription/edit", &[("ac", "unsubscribe"), ("s", &id)]).await.is_ok();
    app.post("subscription/edit", &[("ac", "subscribe"), ("s", &id)]).await.is_ok();
    assert_eq!(followed(&app).await, [own("News", &[])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_exported_and_imported_again() {
    let house = House::open().await;
    let ada = house.reader().await;
    let list = ada.get("subscription/export").await;
    assert_eq!(list.status, 200, "{list:?}");
    let read = Opml::parse(list.text.as_bytes()).unwrap();
    let folders: Vec<_> =
        read.subscriptions().into_iter().map(|(path, _)| path.join("/")).collect();
    assert_eq!(folders, ["News & more", "Tech"]);
    let before = followed(&ada).await;
    let grace = house.user("grace", Role::Reader).await;
    let grace = house.app(grace).await;
    let import = async |app: &App<'_>, text: String| {
        let url = house.place.url("/reader-api/reader/api/0/subscription/import");
        let asked = house.place.client.post(url).header("content-type", "text/xml");
        call(app.signed(asked).body(text)).await
    };
    import(&grace, list.text.clone()).await.is_ok();
    assert_eq!(followed(&grace).await, before);
    let unknown = list.text.replace("/one", "/three");
    let some = import(&grace, unknown.clone()).await;
    assert!(some.text.starts_with("OK: 1 of 2 are followed"), "{some:?}");
    let admin = house.user("admin", Role::Admin).await;
    let admin = house.app(admin).await;
    import(&admin, unknown).await.is_ok();
    assert_eq!(followed(&admin).await.len(), 2);
    let wrong = import(&admin, "no list".to_owned()).await;
    assert!(wrong.status == 400 && wrong.text.contains("this is not OPML"), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_user_has_titles_and_folders_but_leaves_nothing() {
    let house = House::open().await;
    house.source("/one", &[(1, 10)]).await;
    let app = house.log_in("me", "here").await;
    let id = app.feed("Source /one").await;
    let form = [("ac", "edit"), ("s", id.as_str()), ("t", "Mine"), ("a", "user/-/label/A")];
    app.post("subscription/edit", &form).await.is_ok();
    assert_eq!(followed(&app).await, [own("Mine", &["A"])]);
    let refused = app.post("subscription/edit", &[("ac", "unsubscribe"), ("s", &id)]).await;
    assert!(refused.status == 400 && refused.text.contains("follows everything"), "{refused:?}");
    house.show("/new", &[(2, 20)]);
    let address = house.origin.url("/new").to_string();
    let added = app.post("subscription/quickadd", &[("quickadd", &address)]).await.json();
    assert_eq!(added["numResults"], 1, "{added}");
}

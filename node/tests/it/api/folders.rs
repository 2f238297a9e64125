//! Folders of sources: given, changed, read by queries, imported and exported.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ask, feed, get, post, quiet_house, told};
use crate::house::{House, eventually};
use crate::origin::Origin;

async fn set_folders(house: &House, id: &Value, folders: Value) -> (StatusCode, Value) {
    let body = json!({"folders": folders}).to_string();
    let request = ask(house, Method::PATCH, &format!("/api/v1/sources/{id}"));
    told(request.header("content-type", "application/json").body(body).send().await.unwrap()).await
}

async fn create(house: &House, query: &str) -> (StatusCode, Value) {
    post(house, "/api/v1/feeds", json!({"query": query})).await
}

async fn add(house: &House, origin: &Origin, path: &str, folders: Value) -> Value {
    let body = json!({"url": origin.url(path).as_str(), "folders": folders});
    let (status, added) = post(house, "/api/v1/sources", body).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    added["source"]["id"].clone()
}

async fn export(house: &House) -> String {
    let exported = ask(house, Method::GET, "/api/v1/opml").send().await.unwrap();
    exported.text().await.unwrap()
}

async fn import(house: &House, list: &str) -> (StatusCode, Value) {
    told(ask(house, Method::POST, "/api/v1/opml").body(list.to_owned()).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_reads_the_folder_that_it_names_as_sources_come_and_go() {
    let house = quiet_house().await;
    let origin = Origin::builder()
        .page("/a", feed(&["Apple"]))
        .page("/b", feed(&["Bee"]))
        .page("/c", feed(&["Cat"]))
        .start()
        .await;
    add(&house, &origin, "/a", json!(["Tech"])).await;
    let b = add(&house, &origin, "/b", json!([" Tech / Rust "])).await;
    let c = add(&house, &origin, "/c", json!([])).await;
    let (status, made) = create(&house, "CREATE FEED Tech AS RETURN FOLDER \"Tech\";").await;
    assert_eq!((status, &made["applied"][0]["items"]), (StatusCode::OK, &json!(2)), "{made}");
    assert_eq!(get(&house, "/api/v1/sources/2").await.1["source"]["folders"], json!(["Tech/Rust"]));

    // What a source has shown comes with it; what is there stays when it goes.
    let (status, changed) = set_folders(&house, &c, json!(["Tech", "Friends", "Tech"])).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert_eq!(changed["folders"], json!(["Tech", "Friends"]));
    let mut titles = house.titles("Tech").await;
    titles.sort();
    assert_eq!(titles, ["Apple", "Bee", "Cat"]);
    set_folders(&house, &b, json!([])).await;
    assert_eq!(get(&house, "/api/v1/feeds/Tech").await.1["sources"], 2);
    assert_eq!(house.titles("Tech").await.len(), 3);
    let (_, listed) = get(&house, "/api/v1/sources?folder=Friends").await;
    assert_eq!(listed["sources"][0]["id"], c, "{listed}");

    // It is the same after a restart.
    let house = house.restart().await;
    assert_eq!(get(&house, "/api/v1/feeds/Tech").await.1["sources"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_nobody_is_in_is_refused_and_the_nearest_named() {
    let house = quiet_house().await;
    let origin = Origin::builder().page("/a", feed(&["Apple"])).start().await;
    let a = add(&house, &origin, "/a", json!(["Technology/Rust"])).await;
    let (status, problem) = create(&house, "CREATE FEED T AS RETURN FOLDER \"Tecnology\";").await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("no source is in a folder `Tecnology`"), "{detail}");
    assert!(detail.contains("did you mean FOLDER \"Technology\"?"), "{detail}");
    let (status, problem) = set_folders(&house, &a, json!(["/"])).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    assert_eq!(create(&house, "CREATE FEED T AS RETURN FOLDER \"Technology\";").await.0, 200);
    // A feed may still be changed when its folder has become empty.
    set_folders(&house, &a, json!([])).await;
    assert_eq!(create(&house, "ALTER FEED T SET WINDOW 5;").await.0, StatusCode::OK);
}

const LIST: &str = r#"<opml version="2.0" xmlns:pergola="urn:example"><body>
<outline text="Tech"><outline text="Rust">
<outline text="A" type="rss" xmlUrl="http://127.0.0.1:1/a"/>
<outline text="A again" type="rss" xmlUrl="http://127.0.0.1:1/a"/>
</outline>
<outline text="No address" type="rss"/>
</outline>
<outline text="Friends"><outline text="A" type="rss" xmlUrl="http://127.0.0.1:1/a"/></outline>
<outline text="B" type="rss" xmlUrl="http://127.0.0.1:1/b"/>
<outline text="Page" type="link" url="http://127.0.0.1:1/page" pergola:item="article" pergola:link="h2 a"/>
</body></opml>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_comes_in_with_its_folders_and_goes_out_with_them() {
    let house = quiet_house().await;
    let (status, report) = import(&house, LIST).await;
    assert_eq!(status, StatusCode::OK, "{report}");
    assert_eq!((&report["new"], &report["known"]), (&json!(3), &json!(0)), "{report}");
    assert_eq!((&report["duplicates"], &report["without_address"]), (&json!(1), &json!(1)));
    assert_eq!(report["folders"], json!(["Tech/Rust", "Friends"]));
    assert_eq!(report["skipped"][0]["line"], 6, "{report}");
    assert_eq!(report["skipped"][0]["title"], "No address");
    let exported = export(&house).await;
    assert!(exported.contains("<outline text=\"Tech\">\n<outline text=\"Rust\">"), "{exported}");

    let other = quiet_house().await;
    let (_, report) = import(&other, &exported).await;
    assert_eq!((&report["new"], &report["duplicates"]), (&json!(3), &json!(0)), "{report}");
    assert_eq!(report["skipped"], json!([]));
    assert_eq!(export(&other).await, exported, "selectors and folders survive");
    let (_, page) = get(&other, "/api/v1/sources?search=page").await;
    assert_eq!(page["sources"][0]["kind"], "page", "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_imported_again_changes_nothing_that_its_user_has_changed() {
    let house = quiet_house().await;
    import(&house, LIST).await;
    let body = json!({"url": "http://127.0.0.1:1/a", "title": "Mine", "importance": 3});
    post(&house, "/api/v1/sources", body).await;
    set_folders(&house, &json!(1), json!(["Elsewhere"])).await;
    set_folders(&house, &json!(2), json!([])).await;
    let (_, report) = import(&house, LIST).await;
    assert_eq!((&report["new"], &report["known"]), (&json!(0), &json!(3)), "{report}");
    let source = get(&house, "/api/v1/sources/1").await.1["source"].clone();
    assert_eq!((&source["title"], &source["importance"]), (&json!("Mine"), &json!(3.0)));
    assert_eq!(source["folders"], json!(["Elsewhere"]));
    // Adding it once more without saying what it is worth leaves that, too.
    post(&house, "/api/v1/sources", json!({"url": "http://127.0.0.1:1/a"})).await;
    assert_eq!(get(&house, "/api/v1/sources/1").await.1["source"]["importance"], 3.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_list_that_is_cut_off_nothing_is_imported() {
    let house = quiet_house().await;
    let cut = &LIST[..LIST.find("<outline text=\"B\"").unwrap()];
    let (status, problem) = import(&house, cut).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("cut off") && detail.contains("line 8"), "{detail}");
    assert_eq!(get(&house, "/api/v1/status").await.1["sources"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_source_shows_first_can_be_counted_as_old() {
    let house = quiet_house().await;
    let origin = Origin::builder().page("/a", feed(&["Old"])).start().await;
    create(&house, "CREATE FEED All AS RETURN OPML \"all\";").await;
    let list = format!("<opml><body><outline xmlUrl=\"{}\"/></body></opml>", origin.url("/a"));
    let (status, report) =
        post(&house, "/api/v1/opml", json!({"opml": list, "only_new": true})).await;
    assert_eq!((status, &report["new"]), (StatusCode::OK, &json!(1)), "{report}");
    let refresh = async || post(&house, "/api/v1/sources/1/refresh", json!({})).await;
    assert_eq!(refresh().await.0, StatusCode::OK);
    assert_eq!(house.titles("All").await, [""; 0]);
    origin.set("/a", feed(&["New", "Old"]));
    assert_eq!(refresh().await.0, StatusCode::OK);
    eventually("the new item", async || {
        let titles = house.titles("All").await;
        if titles == ["New"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    // A feed that is created later does not get it either.
    create(&house, "CREATE FEED Later AS RETURN OPML \"all\";").await;
    assert_eq!(house.titles("Later").await, ["New"]);
}

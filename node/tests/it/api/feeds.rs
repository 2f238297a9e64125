//! Feeds and their items over the API.

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{delete, feed, get, origin, post, quiet_house};
use crate::house::House;
use crate::origin::{Origin, Reply};

async fn run(house: &House, query: &str) -> (StatusCode, Value) {
    post(house, "/api/v1/feeds", json!({"query": query})).await
}

/// A node with a feed `News` that holds two items.
async fn with_news() -> (House, Origin) {
    let (house, origin) = (quiet_house().await, origin("/rss", feed(&["One", "Two"])).await);
    let url = origin.url("/rss").to_string();
    post(&house, "/api/v1/sources", json!({"url": url})).await;
    let (status, applied) = run(&house, &format!("CREATE FEED News AS RETURN \"{url}\";")).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    let created = json!({"did": "created", "name": "News", "items": 2, "sources": 0});
    assert_eq!(applied["applied"], json!([created]));
    (house, origin)
}

async fn items(house: &House, asked: &str) -> (Vec<(u64, String)>, u64) {
    let (status, page) = get(house, &format!("/api/v1/feeds/News/items{asked}")).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    let item = |item: &Value| {
        (item["sequence"].as_u64().unwrap(), item["title"].as_str().unwrap().to_owned())
    };
    let items = page["items"].as_array().unwrap().iter().map(item).collect();
    (items, page["next"].as_u64().unwrap())
}

/// Lets the source publish another item and the node find it.
async fn publish(house: &House, origin: &Origin, titles: &[&str]) {
    origin.set("/rss", feed(titles));
    let (status, refreshed) = post(house, "/api/v1/sources/1/refresh", json!({})).await;
    assert_eq!(status, StatusCode::OK, "{refreshed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_made_shown_changed_renamed_and_dropped() {
    let (house, origin) = with_news().await;
    let (_, all) = get(&house, "/api/v1/feeds").await;
    assert_eq!(all["feeds"][0]["name"], "News", "{all}");
    let (status, shown) = get(&house, "/api/v1/feeds/News").await;
    assert_eq!((status, &shown["published"]), (StatusCode::OK, &json!(2)), "{shown}");
    assert_eq!(shown["reads"][0]["url"], origin.url("/rss").as_str(), "{shown}");
    assert_eq!(shown["reads"][0]["weight"], 1.0, "{shown}");
    let script = "ALTER FEED News WHERE TITLE CONTAINS \"one\"; ALTER FEED News RENAME TO Old;
                  EXPLAIN FEED Old;";
    let (status, applied) = run(&house, script).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    let did: Vec<&str> =
        applied["applied"].as_array().unwrap().iter().map(|a| a["did"].as_str().unwrap()).collect();
    assert_eq!(did, ["changed", "renamed", "explained"]);
    assert_eq!(applied["applied"][1]["name"], "Old");
    assert_eq!(delete(&house, "/api/v1/feeds/Old").await.0, StatusCode::NO_CONTENT);
    assert_eq!(get(&house, "/api/v1/feeds/Old").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_query_is_shown_where_it_is_wrong_and_changes_nothing() {
    let house = quiet_house().await;
    let script = "CREATE FEED A AS RETURN OPML \"all\"; CREATE FEED B AS RETRUN OPML \"all\";";
    let (status, problem) = run(&house, script).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("RETRUN") && detail.contains('^'), "{detail}");
    let place = &problem["place"];
    assert_eq!((&place["line"], &place["column"]), (&json!(1), &json!(54)), "{problem}");
    assert_eq!(place["help"], "did you mean `RETURN`?", "{problem}");
    assert_eq!(get(&house, "/api/v1/feeds").await.1, json!({"feeds": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_create_the_same_feed_at_once_one_is_told_of_the_other() {
    let house = quiet_house().await;
    let query = "CREATE FEED News AS RETURN OPML \"all\";";
    let (first, second) = tokio::join!(run(&house, query), run(&house, query));
    let mut statuses = [first.0, second.0];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::CONFLICT]);
    let (_, all) = get(&house, "/api/v1/feeds").await;
    assert_eq!(all["feeds"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_that_another_reads_is_not_dropped() {
    let (house, _origin) = with_news().await;
    run(&house, "CREATE FEED Some AS RETURN FEED News;").await;
    let (status, problem) = delete(&house, "/api/v1/feeds/News").await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("Some"), "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_feed_is_not_found_but_the_nearest_is_named() {
    let (house, _origin) = with_news().await;
    for path in ["", "/items", "/explain"] {
        let (status, problem) = get(&house, &format!("/api/v1/feeds/Newz{path}")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
        assert!(problem["hint"].as_str().unwrap().contains("`News`"), "{problem}");
    }
    assert_eq!(delete(&house, "/api/v1/feeds/Newz").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_is_explained_whether_it_exists_or_not() {
    let (house, origin) = with_news().await;
    let (status, explained) = get(&house, "/api/v1/feeds/News/explain").await;
    assert_eq!((status, &explained["sources"]), (StatusCode::OK, &json!(1)), "{explained}");
    assert!(explained["text"].as_str().unwrap().contains(origin.url("/rss").as_str()));
    assert_eq!(
        (&explained["trial"]["items"], &explained["trial"]["examined"]),
        (&json!(2), &json!(2))
    );
    let url = origin.url("/rss");
    let both =
        format!("CREATE FEED Both AS RETURN FEED News | \"{url}\" WHERE TITLE CONTAINS \"two\";");
    let (_, explained) = post(&house, "/api/v1/explain", json!({"query": both})).await;
    assert_eq!(explained["trial"]["items"], 1, "{explained}");
    assert_eq!(
        explained["trial"]["newest"][0]["because"],
        json!(["TITLE CONTAINS \"two\""]),
        "{explained}"
    );
    let (_, untried) =
        post(&house, "/api/v1/explain", json!({"query": both, "trial": false})).await;
    assert_eq!(untried["trial"]["examined"], 0, "{untried}");
    let proposed = "CREATE FEED Next AS RETURN FEED News WHERE ITEM CONTAINS \"volcano\";";
    let (status, explained) = post(&house, "/api/v1/explain", json!({"query": proposed})).await;
    assert_eq!((status, &explained["phrases"]), (StatusCode::OK, &json!(1)), "{explained}");
    assert_eq!(get(&house, "/api/v1/feeds/Next").await.0, StatusCode::NOT_FOUND);
    for (query, status) in [
        ("DROP FEED News;", StatusCode::BAD_REQUEST),
        ("", StatusCode::BAD_REQUEST),
        ("EXPLAIN FEED News; EXPLAIN FEED News;", StatusCode::BAD_REQUEST),
        ("CREATE FEED News AS RETURN OPML \"all\";", StatusCode::CONFLICT),
    ] {
        let (got, problem) = post(&house, "/api/v1/explain", json!({"query": query})).await;
        assert_eq!(got, status, "{query}: {problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_told_by_their_numbers_oldest_first() {
    let (house, origin) = with_news().await;
    let (all, next) = items(&house, "").await;
    let numbers: Vec<u64> = all.iter().map(|(number, _)| *number).collect();
    assert_eq!((numbers, next), (vec![1, 2], 2));
    assert_eq!(items(&house, "?limit=1").await, (vec![all[1].clone()], 2));
    assert_eq!(items(&house, "?after=0&limit=1").await, (vec![all[0].clone()], 1));
    assert_eq!(items(&house, "?after=2").await, (vec![], 2));
    publish(&house, &origin, &["Three", "One", "Two"]).await;
    assert_eq!(items(&house, "?after=2").await, (vec![(3, "Three".to_owned())], 3));
    let (_, page) = get(&house, "/api/v1/feeds/News/items?limit=1").await;
    assert_eq!(page["items"][0]["source"], "Example", "{page}");
    assert_eq!(page["items"][0]["id"], "https://example.org/Three", "{page}");
    for wrong in ["?limit=0", "?limit=1001", "?wait=31", "?wait=-1", "?after=x", "?wait=NaN"] {
        let (status, _) = get(&house, &format!("/api/v1/feeds/News/items{wrong}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_items_are_told_by_date_and_those_after_a_number_by_arrival() {
    let item = |title: &str, year: u32| {
        let date = format!("{year}-01-01T00:00:00Z");
        format!(
            "<entry><id>urn:x:{title}</id><title>{title}</title><published>{date}</published></entry>"
        )
    };
    let feed = |entries: String| {
        Reply::ok(format!("<feed xmlns=\"http://www.w3.org/2005/Atom\">{entries}</feed>"))
    };
    let origin = origin("/rss", feed(item("New", 2024))).await;
    let house = quiet_house().await;
    let url = origin.url("/rss");
    run(&house, &format!("CREATE FEED News AS RETURN \"{url}\";")).await;
    let refresh = async || post(&house, "/api/v1/sources/1/refresh", json!({})).await;
    assert_eq!(refresh().await.0, StatusCode::OK);
    origin.set("/rss", feed(item("New", 2024) + &item("Old", 2020)));
    assert_eq!(refresh().await.0, StatusCode::OK);
    let (new, old) = ((1, "New".to_owned()), (2, "Old".to_owned()));
    assert_eq!(items(&house, "").await, (vec![old.clone(), new.clone()], 2));
    assert_eq!(items(&house, "?limit=1").await, (vec![old.clone()], 2), "the last that came");
    assert_eq!(items(&house, "?after=0").await, (vec![new, old], 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_items_is_told_as_soon_as_there_is_one() {
    let (house, origin) = with_news().await;
    let (waited, ()) = tokio::join!(
        items(&house, "?after=2&wait=30"),
        publish(&house, &origin, &["Three", "One", "Two"])
    );
    assert_eq!(waited, (vec![(3, "Three".to_owned())], 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_in_vain_is_told_so_in_time() {
    let (house, _origin) = with_news().await;
    assert_eq!(items(&house, "?after=2&wait=0.05").await, (vec![], 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_node_that_stops_or_a_feed_that_goes() {
    let (house, _origin) = with_news().await;
    run(&house, "CREATE FEED Empty AS RETURN FEED News WHERE TITLE CONTAINS \"never\";").await;
    let dropped = async {
        let asked = get(&house, "/api/v1/feeds/Empty/items?after=0&wait=30");
        let (waited, gone) = tokio::join!(asked, delete(&house, "/api/v1/feeds/Empty"));
        assert_eq!(gone.0, StatusCode::NO_CONTENT);
        waited
    };
    let limit = std::time::Duration::from_secs(20);
    let (status, _) = tokio::time::timeout(limit, dropped).await.unwrap();
    assert!(status == StatusCode::OK || status == StatusCode::NOT_FOUND, "{status}");
    let request = house.client.get(house.url("/api/v1/feeds/News/items?after=2&wait=30"));
    let waiting = tokio::spawn(async move { request.send().await.map(|answer| answer.status()) });
    let stopped = tokio::time::timeout(limit, house.running.stop(limit)).await;
    assert!(stopped.is_ok(), "the node waited for whoever waits for items");
    // Told, or never heard because the node was already closed.
    if let Ok(status) = waiting.await.unwrap() {
        assert_eq!(status, StatusCode::OK);
    }
}

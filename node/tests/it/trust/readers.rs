//! Feeds for named readers only: for everybody else they do not exist.

use pergola_config::{Limits, Secret};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{as_reader, house_with_readers, reader, text};
use crate::house::{House, quick_config};

/// Everything that tells of feeds over HTTP.
const LISTS: [&str; 3] = ["/", "/opml", "/api/v1/feeds"];
const ADDRESSES: [&str; 6] = [
    "/feeds/Hidden",
    "/feeds/Hidden.atom",
    "/feeds/Hidden.rss",
    "/feeds/Hidden.json",
    "/api/v1/feeds/Hidden",
    "/api/v1/feeds/Hidden/items",
];

async fn get(house: &House, path: &str, who: Option<&str>) -> (StatusCode, String) {
    let request = house.client.get(house.url(path));
    let request = match who {
        Some("operator") => request.header("authorization", "Bearer the operator's token"),
        Some(name) => as_reader(request, name),
        None => request,
    };
    text(request.send().await.unwrap()).await
}

async fn close(house: &House, feed: &str, readers: Value) -> (StatusCode, Value) {
    let url = house.url(&format!("/api/v1/feeds/{feed}/readers"));
    let request = house
        .client
        .request(Method::PUT, url)
        .header("authorization", "Bearer the operator's token")
        .header("content-type", "application/json")
        .body(json!({ "readers": readers }).to_string());
    let (status, body) = text(request.send().await.unwrap()).await;
    (status, serde_json::from_str(&body).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_feed_is_there_for_its_readers_and_the_operator_only() {
    let house = house_with_readers(|_| ()).await;
    for who in [Some("alice"), Some("operator")] {
        for path in LISTS {
            assert!(get(&house, path, who).await.1.contains("Hidden"), "{who:?} {path}");
        }
        for path in ADDRESSES {
            assert_eq!(get(&house, path, who).await.0, StatusCode::OK, "{who:?} {path}");
        }
    }
    for who in [None, Some("bob")] {
        for path in LISTS {
            let (status, body) = get(&house, path, who).await;
            assert_eq!(status, StatusCode::OK);
            assert!(body.contains("Open") && !body.contains("Hidden"), "{who:?} {path}: {body}");
        }
        for path in ADDRESSES.into_iter().chain(["/feeds/Hidden/archive/0.atom"]) {
            let (status, body) = get(&house, path, who).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{who:?} {path}");
            // As if nobody had made it: what is said is what is said of any other name.
            let missing = get(&house, &path.replace("Hidden", "Absent"), who).await;
            assert_eq!(missing, (status, body.replace("Hidden", "Absent")), "{who:?} {path}");
        }
        // Nor is it suggested to those who come near.
        for path in ["/feeds/Hiden.atom", "/api/v1/feeds/Hiden"] {
            assert!(!get(&house, path, who).await.1.contains("Hidden"), "{who:?} {path}");
        }
    }
    assert!(get(&house, "/feeds/Hiden.atom", Some("alice")).await.1.contains("Hidden"));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_closed_feed_are_for_private_caches_only() {
    let house = house_with_readers(|_| ()).await;
    let kept = async |feed: &str| {
        let request = house.client.get(house.url(&format!("/feeds/{feed}.atom")));
        let response = as_reader(request, "alice").send().await.unwrap();
        response.headers()["cache-control"].to_str().unwrap().to_owned()
    };
    assert!(kept("Hidden").await.starts_with("private"));
    assert!(kept("Open").await.starts_with("public"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_nobody_has_is_refused_where_it_matters() {
    let house = house_with_readers(|_| ()).await;
    for (path, status) in [
        ("/feeds/Hidden.atom", StatusCode::UNAUTHORIZED),
        ("/feeds/Absent.atom", StatusCode::UNAUTHORIZED),
        ("/api/v1/feeds/Hidden", StatusCode::UNAUTHORIZED),
        ("/feeds/Open.atom", StatusCode::OK),
    ] {
        let response =
            as_reader(house.client.get(house.url(path)), "mallory").send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let asked = response.headers().get("www-authenticate");
        assert_eq!(asked.is_some(), status == StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn feed_readers_send_the_token_as_a_password() {
    let house = house_with_readers(|_| ()).await;
    let ask = async |password: &str| {
        let request = house.client.get(house.url("/feeds/Hidden.rss"));
        request.basic_auth("whoever", Some(password)).send().await.unwrap().status()
    };
    assert_eq!(ask("the token of alice").await, StatusCode::OK);
    assert_eq!(ask("the token of bob").await, StatusCode::NOT_FOUND);
    assert_eq!(ask("the operator's token").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_reads_and_manages_nothing() {
    let house = house_with_readers(|_| ()).await;
    let (status, body) = get(&house, "/api/v1/sources", Some("alice")).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert!(body.contains("alice may read feeds and nothing else"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_says_who_may_read_and_it_stays_said() {
    let house = house_with_readers(|_| ()).await;
    let (status, body) = close(&house, "Open", json!(["bob", "alice", "bob"])).await;
    assert_eq!((status, &body["readers"]), (StatusCode::OK, &json!(["alice", "bob"])));
    assert_eq!(get(&house, "/feeds/Open.atom", None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(close(&house, "Hidden", json!([])).await.1["readers"], json!([]));
    assert_eq!(get(&house, "/feeds/Hidden.atom", Some("alice")).await.0, StatusCode::NOT_FOUND);
    let (status, problem) = close(&house, "Hidden", json!(["carol"])).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().unwrap().contains("carol"), "{problem}");
    assert_eq!(close(&house, "Absent", json!(null)).await.0, StatusCode::NOT_FOUND);

    // A restart changes nothing, nor does another name.
    let config = (*house.node().config()).clone();
    let House { running, folder, .. } = house;
    running.stop(std::time::Duration::from_secs(10)).await;
    let house = House::open(folder, config).await;
    assert_eq!(get(&house, "/feeds/Open.atom", None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&house, "/feeds/Open.atom", Some("bob")).await.0, StatusCode::OK);
    house.node().run_script("ALTER FEED Open RENAME TO Renamed;", "test").await.unwrap();
    assert_eq!(get(&house, "/feeds/Renamed.atom", None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(close(&house, "Renamed", json!(null)).await.1["readers"], Value::Null);
    assert_eq!(get(&house, "/feeds/Renamed.atom", None).await.0, StatusCode::OK);
    // A feed of the same name made later is another feed.
    close(&house, "Renamed", json!([])).await;
    let again = r#"DROP FEED Renamed; CREATE FEED Renamed AS RETURN "http://127.0.0.1:9/c";"#;
    house.node().run_script(again, "test").await.unwrap();
    assert_eq!(get(&house, "/feeds/Renamed.atom", None).await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn for_declared_feeds_the_configuration_says_who_may_read() {
    let folder = TempDir::new().unwrap();
    let load = |readers: &str, more: &str| {
        let text = format!(
            "[node]\ndata = \"data\"\n[api]\ntoken = \"the operator's token\"\n\
             [[reader]]\nname = \"alice\"\ntoken = \"the token of alice\"\n{more}\
             [[feed]]\nquery = 'CREATE FEED Ours AS RETURN \"http://127.0.0.1:9/a\"'\n{readers}\n"
        );
        let file = folder.path().join("declared.toml");
        std::fs::write(&file, text).unwrap();
        pergola_config::Config::load(Some(&file), [])
    };
    let config = load("readers = [\"alice\"]", "").unwrap();
    let house = House::open(TempDir::new().unwrap(), config).await;
    assert_eq!(get(&house, "/feeds/Ours.atom", None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&house, "/feeds/Ours.atom", Some("alice")).await.0, StatusCode::OK);
    let (status, problem) = close(&house, "Ours", json!(null)).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(problem["hint"].as_str().unwrap().contains("[[feed]]"), "{problem}");
    // Readers come and go, and feeds open and close, without a restart.
    let bob = "[[reader]]\nname = \"bob\"\ntoken = \"the token of bob\"\n";
    let reloaded = house.node().reload(load("readers = [\"bob\"]", bob).unwrap()).await.unwrap();
    assert_eq!(reloaded.changed, ["readers", "feeds"]);

    assert_eq!(get(&house, "/feeds/Ours.atom", Some("alice")).await.0, StatusCode::NOT_FOUND);
    assert_eq!(get(&house, "/feeds/Ours.atom", Some("bob")).await.0, StatusCode::OK);
    house.node().reload(load("", bob).unwrap()).await.unwrap();
    assert_eq!(get(&house, "/feeds/Ours.atom", None).await.0, StatusCode::OK);
    let wrong = load("readers = [\"carol\"]", "").unwrap_err().to_string();
    assert!(wrong.contains("no [[reader]] is `carol`"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_asks_too_often_waits_and_nobody_else_does() {
    let house = house_with_readers(|config| {
        let limits = Limits { requests_per_minute: 2, ..config.peers.limits };
        config.readers[1].limits = limits;
    })
    .await;
    for _ in 0..2 {
        assert_eq!(get(&house, "/feeds/Open.atom", Some("bob")).await.0, StatusCode::OK);
    }
    let request = as_reader(house.client.get(house.url("/feeds/Open.atom")), "bob");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    let (status, _) = get(&house, "/api/v1/feeds", Some("bob")).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(get(&house, "/feeds/Open.atom", Some("alice")).await.0, StatusCode::OK);
    assert_eq!(get(&house, "/feeds/Open.atom", None).await.0, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_node_without_a_token_whoever_is_near_sees_all() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.readers = vec![reader("alice")];
    config.readers[0].token = Some(Secret::new("the token of alice"));
    let house = House::open(folder, config).await;
    let query = r#"CREATE FEED Hidden AS RETURN "http://127.0.0.1:9/b";"#;
    house.node().run_script(query, "test").await.unwrap();
    house.node().set_readers("Hidden", Some(Vec::new())).await.unwrap();
    assert_eq!(get(&house, "/feeds/Hidden.atom", None).await.0, StatusCode::OK);
    assert_eq!(get(&house, "/feeds/Hidden.atom", Some("alice")).await.0, StatusCode::NOT_FOUND);
    let passed_on = house.client.get(house.url("/feeds/Hidden.atom")).header("via", "1.1 proxy");
    assert_eq!(passed_on.send().await.unwrap().status(), StatusCode::NOT_FOUND);
}

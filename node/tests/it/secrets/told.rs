//! Everything that a node tells, searched for what it must not tell.

use pergola_config::Secret;
use pergola_node::node::NewSource;
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use serde_json::{Value, json};

use super::{SECRET, change, site, with_password};
use crate::api::{feed, get, post, quiet_house, quiet_house_with};
use crate::house::{House, eventually};
use crate::origin::{Origin, Reply};

/// What can be asked for without changing anything.
const PATHS: [&str; 27] = [
    "/",
    "/opml",
    "/about",
    "/search?q=token+basic",
    "/feeds/All",
    "/feeds/All.atom",
    "/feeds/All.rss",
    "/feeds/All.json",
    "/feeds/Named",
    "/feeds/Named.atom",
    "/feeds/Named.rss",
    "/feeds/Named.json",
    "/metrics",
    "/readyz",
    "/api/v1/status",
    "/api/v1/sources",
    "/api/v1/feeds",
    "/api/v1/feeds/All",
    "/api/v1/feeds/Named",
    "/api/v1/feeds/Named/explain",
    "/api/v1/feeds/Named/suggestions",
    "/api/v1/feeds/Named/items",
    "/api/v1/profiles",
    "/api/v1/search?q=token+basic",
    "/api/v1/opml",
    "/api/v1/config",
    "/api/v1/history",
];

/// Everything that a node tells: by HTTP and to peers.
async fn everything(house: &House) -> Vec<(String, String)> {
    let mut told = Vec::new();
    let (_, list) = get(house, "/api/v1/sources").await;
    let ids = list["sources"].as_array().unwrap().iter().map(|source| source["id"].clone());
    let sources = ids.map(|id| format!("/api/v1/sources/{id}"));
    for path in PATHS.into_iter().map(str::to_owned).chain(sources) {
        let answer = house.client.get(house.url(&path)).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let head = format!("{:?}", answer.headers());
        told.push((path, head + &answer.text().await.unwrap()));
    }
    let mut peer = SyndicationClient::connect(house.url("")).await.unwrap();
    let listed = peer.list_feeds(v1::ListFeedsRequest::default()).await.unwrap().into_inner();
    told.push(("ListFeeds".into(), format!("{listed:?}")));
    for feed in ["All", "Named"] {
        let request = v1::DescribeRequest { feed: feed.into() };
        let described = peer.describe(request).await.unwrap().into_inner();
        told.push((format!("Describe {feed}"), format!("{described:?}")));
        let request = v1::FetchRequest { feed: feed.into(), ..v1::FetchRequest::default() };
        let fetched = peer.fetch(request).await.unwrap().into_inner();
        assert!(!fetched.entries.is_empty(), "{feed}");
        told.push((format!("Fetch {feed}"), format!("{fetched:?}")));
    }
    told
}

/// Nothing that is told has this in it.
#[track_caller]
fn assert_untold(told: &[(String, String)], hidden: &[&str]) {
    for (what, text) in told {
        for hidden in hidden {
            assert!(!text.contains(hidden), "{hidden} in {what}: {text}");
        }
    }
}

/// A node with three sources that are secrets in their own way, one that fails, and two feeds that read them.
async fn secretive() -> (House, Origin) {
    let (house, origin) = (quiet_house().await, site().await);
    let token = origin.url(&format!("/token?token={SECRET}")).to_string();
    let basic = with_password(&origin, "/basic");
    let header = json!({"url": origin.url("/header").as_str(),
                        "credentials": {"header": "X-Token", "value": SECRET}});
    for body in [json!({"url": token}), json!({"url": basic}), header] {
        let (status, added) = post(&house, "/api/v1/sources", body).await;
        assert_eq!(status.as_u16(), 201, "{added}");
    }
    origin.set(&format!("/wrong?key={SECRET}"), Reply::redirect(302, &format!("/?sig={SECRET}")));
    let wrong = origin.url(&format!("/wrong?key={SECRET}")).to_string();
    post(&house, "/api/v1/sources", json!({"url": wrong, "refresh": false})).await;
    post(&house, "/api/v1/sources/4/refresh", json!({})).await;
    let query = format!(
        "CREATE FEED All AS RETURN OPML \"all\"; CREATE FEED Named AS RETURN \"{token}\" | \"{basic}\";"
    );
    let (status, applied) = post(&house, "/api/v1/feeds", json!({"query": query})).await;
    assert_eq!(status.as_u16(), 200, "{applied}");
    assert!(!applied.to_string().contains(SECRET), "{applied}");
    (house, origin)
}

/// The node has published so many items in a feed.
async fn published(house: &House, feed: &str, count: usize) {
    eventually("items", async || {
        let titles = house.titles(feed).await;
        if titles.len() == count { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_told_anywhere() {
    let (house, origin) = secretive().await;
    published(&house, "All", 3).await;
    let told = everything(&house).await;
    assert_untold(&told, &[SECRET, "sesame", "Ym9iOm9wZW4"]);
    let text = |path: &str| told.iter().find(|(what, _)| what == path).unwrap().1.as_str();
    let masked = origin.url("/token?token=********").to_string();
    for path in ["/feeds/Named.atom", "/feeds/Named.rss", "/api/v1/sources", "/api/v1/opml"] {
        assert!(text(path).contains(&masked), "{path}: {}", text(path));
    }
    assert!(text("/api/v1/feeds").contains("token=********"), "{}", text("/api/v1/feeds"));
    // The operator's own copy has everything but headers.
    let (_, copy) = get(&house, "/api/v1/opml?secrets=true").await;
    let copy = copy.as_str().unwrap();
    assert!(copy.contains(&format!("token={SECRET}")), "{copy}");
    assert!(copy.contains("bob:open-sesame@"), "{copy}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_was_shown_can_be_given_back() {
    let (house, _origin) = secretive().await;
    let (_, shown) = get(&house, "/api/v1/feeds/Named").await;
    let query = shown["query"].as_str().unwrap_or_else(|| panic!("{shown}"));
    assert!(query.contains("token=********"), "{query}");
    let altered = query.replacen("CREATE FEED Named AS", "ALTER FEED Named AS", 1);
    let (status, applied) = post(&house, "/api/v1/feeds", json!({"query": altered})).await;
    assert_eq!(status.as_u16(), 200, "{applied}");
    let (_, again) = get(&house, "/api/v1/feeds/Named").await;
    assert_eq!(again["sources"], 2, "{again}");
    assert!(house.node().feed("Named").unwrap().statement.contains(SECRET));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_of_a_private_source_is_published_nowhere() {
    let house = quiet_house().await;
    let document = "<rss version=\"2.0\"><channel><title>Diary</title>\
                    <link>http://home.example/bob</link>\
                    <item><guid>1</guid><title>Dear diary</title></item></channel></rss>";
    let origin = Origin::builder().page("/diary", Reply::ok(document)).start().await;
    let url = origin.url("/diary").to_string();
    post(&house, "/api/v1/sources", json!({"url": url})).await;
    let query =
        format!("CREATE FEED All AS RETURN OPML \"all\"; CREATE FEED Named AS RETURN \"{url}\";");
    post(&house, "/api/v1/feeds", json!({"query": query})).await;
    published(&house, "Named", 1).await;
    let atom = async || {
        let text = house.client.get(house.url("/feeds/Named.atom")).send().await.unwrap();
        text.text().await.unwrap()
    };
    assert!(atom().await.contains(&url), "it is public");
    let (status, source) = change(&house, &json!(1), json!({"private": true})).await;
    assert_eq!((status.as_u16(), &source["private"]), (200, &json!(true)));

    let told = everything(&house).await;
    let operators =
        |what: &str| what.starts_with("/api/v1/sources") || what.starts_with("/api/v1/feeds");
    let published: Vec<_> = told.into_iter().filter(|(what, _)| !operators(what)).collect();
    let host = origin.url("/").host_str().unwrap().to_owned();
    let port = origin.url("/").port().unwrap();
    assert_untold(&published, &[&url, &format!("{host}:{port}/diary"), "home.example"]);
    let shown = atom().await;
    assert!(shown.contains("Dear diary") && shown.contains("<title>Diary</title>"), "{shown}");
    assert!(shown.contains("(a private source)"), "{shown}");
    // Its operator still knows it.
    let (_, list) = get(&house, "/api/v1/sources").await;
    assert_eq!(list["sources"][0]["url"], url.as_str());
    let (_, copy) = get(&house, "/api/v1/opml?secrets=true").await;
    assert!(matches!(&copy, Value::String(copy) if copy.contains(&url)), "{copy}");

    change(&house, &json!(1), json!({"private": false})).await;
    assert!(atom().await.contains(&url), "it is public again");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_read_a_feed_does_not_learn_which_private_sources_it_reads() {
    let house = quiet_house_with(|config| config.api.token = Some(Secret::new("operator"))).await;
    let origin = Origin::builder().page("/diary", feed(&["Dear diary"])).start().await;
    let url = origin.url("/diary").to_string();
    let new = NewSource { private: true, ..NewSource::feed(&url).unwrap() };
    house.node().add_sources(vec![new]).await.unwrap();
    let query = format!("CREATE FEED Named AS RETURN \"{url}\";");
    house.node().run_script(&query, "test").await.unwrap();
    for path in ["/api/v1/feeds", "/api/v1/feeds/Named", "/feeds/Named", "/feeds/Named.atom"] {
        let ask = || house.client.get(house.url(path));
        let stranger = ask().send().await.unwrap().text().await.unwrap();
        assert!(stranger.contains("(a private source)"), "{path}: {stranger}");
        assert!(!stranger.contains(&url), "{path}: {stranger}");
        if path.starts_with("/api/") {
            let operator = ask().header("authorization", "Bearer operator").send().await.unwrap();
            assert!(operator.text().await.unwrap().contains(&url), "{path}");
        }
    }
}

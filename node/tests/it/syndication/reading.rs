//! Listing and fetching, and that everything else on the port is as before.

use pergola_feed::ParseOptions;
use pergola_node::node::NewSource;
use pergola_proto::v1;
use prost::Message;
use tonic::Code;

use super::{Stand, asked, numbers, titles};
use crate::house::{House, plain_client};

#[tokio::test(flavor = "multi_thread")]
async fn feeds_are_listed_by_name_page_by_page() {
    let mut stand = Stand::open().await;
    let more = r#"CREATE FEED Again AS RETURN FEED Paper; CREATE FEED Zoo AS RETURN FEED Paper;"#;
    stand.house.node().run_script(more, "test").await.unwrap();
    stand.publish(3).await;
    let mut list = async |limit, after: &str| {
        let request = v1::ListFeedsRequest { limit, after: after.into() };
        stand.client.list_feeds(request).await.unwrap().into_inner()
    };
    let all = list(0, "").await;
    let names = |list: &v1::ListFeedsResponse| -> Vec<String> {
        list.feeds.iter().map(|feed| feed.name.clone()).collect()
    };
    assert_eq!(names(&all), ["Again", "Paper", "Zoo"]);
    assert!(!all.more);
    let node = all.node.unwrap();
    assert_eq!(node.id, stand.house.node().id().0);
    assert_eq!(node.version, env!("CARGO_PKG_VERSION"));
    let paper = &all.feeds[1];
    assert_eq!((paper.window, paper.published), (5, 3));
    assert!(paper.url.ends_with("/feeds/Paper") && paper.changed_at_ms.is_some(), "{paper:?}");
    let first = list(2, "").await;
    assert_eq!((names(&first), first.more), (vec!["Again".to_owned(), "Paper".to_owned()], true));
    let rest = list(2, "Paper").await;
    assert_eq!((names(&rest), rest.more), (vec!["Zoo".to_owned()], false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetch_tells_the_items_as_they_are_published() {
    let mut stand = Stand::open().await;
    stand.publish(8).await;
    let first = stand.fetch("").await;
    assert_eq!(titles(&first), ["title 3", "title 4", "title 5", "title 6", "title 7"]);
    assert_eq!((first.window, first.title.as_str(), first.more), (5, "Paper", false));
    let item = first.entries[0].item.as_ref().unwrap();
    assert_eq!(item.id, "http://items.example/3");
    let origin = item.origin.as_ref().unwrap();
    assert_eq!(origin.feed.as_deref(), Some(stand.origin.url("/paper.json").as_str()));
    assert_eq!(item.hops.last().unwrap().node, stand.house.node().id().0);
    let back = pergola_node::wire::entry_from_wire(first.entries[0].clone()).unwrap();
    assert_eq!(back.item.link.as_deref(), Some("http://items.example/3"));
    assert!(first.hints.is_none());
    let hinted = stand.ask(v1::FetchRequest { hints: true, ..asked() }).await.hints.unwrap();
    let now = stand.house.node().clock.now();
    assert!((hinted.now_ms as f64 / 1000.0 - now).abs() < 60.0);
    assert!(hinted.items_per_day.unwrap() > 0.0 && !hinted.planned.is_empty(), "{hinted:?}");
    // It is not known before something comes after the first refresh.
    assert!(hinted.completeness.is_none_or(|share| (0.0..=1.0).contains(&share)));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_pages_messages_and_the_api_name_the_same_origin() {
    let mut stand = Stand::open().await;
    let source = NewSource::feed(stand.origin.url("/paper.json").as_str()).unwrap();
    let source = NewSource { title: Some("The user's name".into()), ..source };
    stand.house.node().add_sources(vec![source]).await.unwrap();
    stand.publish(1).await;
    let fetched = stand.fetch("").await.entries.remove(0).item.unwrap();
    assert_eq!(fetched.origin.unwrap().title.as_deref(), Some("The user's name"));
    let client = plain_client().build().unwrap();
    let get = async |path: &str| {
        let request = client.get(stand.house.url(path)).header("accept", "text/html, */*;q=0.1");
        let answer = request.send().await.unwrap();
        answer.error_for_status().unwrap().text().await.unwrap()
    };
    let document = get("/feeds/Paper.atom").await;
    let document = pergola_feed::parse(document.as_bytes(), &ParseOptions::default()).unwrap();
    let origin = document.items[0].origin.as_ref().unwrap();
    assert_eq!(origin.title.as_deref(), Some("The user's name"));
    let page = get("/feeds/Paper").await;
    assert!(page.contains("The user's name · ") && !page.contains("Paper · "), "{page}");
    let items: serde_json::Value =
        serde_json::from_str(&get("/api/v1/feeds/Paper/items").await).unwrap();
    assert_eq!(items["items"][0]["source"], "The user's name", "{items}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_question_is_said() {
    let mut stand = Stand::open().await;
    let nowhere = v1::FetchRequest { feed: "Nowhere".into(), ..asked() };
    let status = stand.client.fetch(nowhere).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("\"Nowhere\""), "{status}");
    let damaged = v1::FetchRequest { cursor: "1-2-3".into(), ..asked() };
    let status = stand.client.fetch(damaged).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("the cursor is damaged"), "{status}");
    let later = v1::WatchRequest { feed: "Paper".into(), cursor: "9-abc".into() };
    let status = stand.client.watch(later).await.unwrap_err();
    assert!(status.message().contains("does not know"), "{status}");
}

/// Calls a method with bytes of our own and says how it went: the status of the call, and the answer.
async fn call(house: &House, method: &str, message: &[u8]) -> (String, Vec<u8>) {
    let client = plain_client().http2_prior_knowledge().no_proxy().build().unwrap();
    let mut body = vec![0];
    body.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
    body.extend_from_slice(message);
    let request = client
        .post(house.url(method))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "gRPC says what is wrong in its own way");
    let status =
        response.headers().get("grpc-status").map(|code| code.to_str().unwrap().to_owned());
    let body = response.bytes().await.unwrap();
    (status.unwrap_or_else(|| "0".into()), body.get(5..).unwrap_or_default().to_vec())
}

/// A question of the next version: with a field that nobody knows yet.
#[derive(Clone, PartialEq, prost::Message)]
struct LaterFetchRequest {
    #[prost(string, tag = "1")]
    feed: String,
    #[prost(uint32, tag = "3")]
    limit: u32,
    #[prost(string, tag = "4711")]
    unheard_of: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_nobody_knows_yet_are_passed_over() {
    let mut stand = Stand::open().await;
    stand.publish(4).await;
    let (feed, unheard_of) = ("Paper".to_owned(), "whatever".to_owned());
    let question = LaterFetchRequest { feed, limit: 2, unheard_of }.encode_to_vec();
    let method = "/pergola.v1.Syndication/Fetch";
    let (status, answer) = call(&stand.house, method, &question).await;
    assert_eq!(status, "0");
    let answer = v1::FetchResponse::decode(&answer[..]).unwrap();
    assert_eq!(numbers(&answer), [0, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_this_node_does_not_have_is_unimplemented_and_the_rest_of_the_port_is_as_before() {
    let mut stand = Stand::open().await;
    stand.publish(1).await;
    for method in ["/pergola.v1.Syndication/Dream", "/pergola.v2.Syndication/Fetch", "/a.B/C"] {
        assert_eq!(call(&stand.house, method, &[]).await.0, "12", "{method}");
    }
    let get =
        async |path: &str| stand.house.client.get(stand.house.url(path)).send().await.unwrap();
    assert_eq!(get("/nowhere").await.status(), 404);
    assert_eq!(get("/healthz").await.status(), 200);
    assert_eq!(get("/api/v1/nowhere").await.status(), 404);
    let document = get("/feeds/Paper.json").await;
    assert_eq!(document.version(), reqwest::Version::HTTP_11);
    assert_eq!(document.headers()["pergola-feed"], "v1 Paper");
    let tag = document.headers()["etag"].clone();
    let again = stand.house.client.get(stand.house.url("/feeds/Paper.json"));
    let again = again.header("if-none-match", tag).send().await.unwrap();
    assert_eq!(
        (again.status().as_u16(), &again.headers()["pergola-feed"]),
        (304, &"v1 Paper".parse().unwrap())
    );
    assert!(get("/opml").await.headers().get("pergola-feed").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_of_any_letters_is_found_by_the_header() {
    let mut stand = Stand::open().await;
    let query = r#"CREATE FEED Käse AS RETURN FEED Paper;"#;
    stand.house.node().run_script(query, "test").await.unwrap();
    stand.publish(1).await;
    let url = stand.house.url("/feeds/K%C3%A4se");
    let answer = stand.house.client.get(url).send().await.unwrap();
    assert_eq!(answer.headers()["pergola-feed"], "v1 K%C3%A4se");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_is_larger_than_an_answer_gets_through_alone() {
    let mut stand = Stand::open().await;
    stand.publish(1).await;
    stand.padding = 2_300_000;
    stand.publish(1).await;
    stand.until("the first item in its larger form", |tally| tally.edition >= 2).await;
    let first = stand.ask(v1::FetchRequest { newest: 1000, ..asked() }).await;
    assert!(first.encoded_len() > pergola_node::wire::ANSWER_BYTES, "{}", first.encoded_len());
    assert_eq!((first.entries.len(), first.more), (1, true));
    let rest = stand.fetch(&first.cursor).await;
    let content = rest.entries[0].item.as_ref().unwrap().content.as_ref().unwrap();
    assert!(content.body.len() > 2_300_000 && !rest.entries[0].cut);
}

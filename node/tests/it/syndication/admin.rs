//! Managing a node over gRPC: as over HTTP, and by the same rules.

use pergola_config::Secret;
use pergola_proto::v1;
use pergola_proto::v1::admin_client::AdminClient;
use tempfile::TempDir;
use tonic::transport::Channel;
use tonic::{Code, Request};

use super::Stand;
use crate::house::quick_config;

async fn open() -> (Stand, AdminClient<Channel>) {
    let stand = Stand::open().await;
    let client = AdminClient::connect(stand.house.url("")).await.unwrap();
    (stand, client)
}

fn query(text: &str) -> v1::Query {
    v1::Query { query: text.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn feeds_are_made_explained_shown_and_dropped() {
    let (mut stand, mut admin) = open().await;
    stand.publish(3).await;
    let made = admin.run_query(query("CREATE FEED Copy AS RETURN FEED Paper;")).await.unwrap();
    let [applied] = &made.get_ref().applied[..] else { panic!("{made:?}") };
    assert_eq!(
        (applied.did.as_str(), applied.name.as_str(), applied.items),
        ("created", "Copy", 3)
    );
    let list = admin.list_feed_status(v1::ListFeedStatusRequest {}).await.unwrap().into_inner();
    let names: Vec<&str> = list.feeds.iter().map(|feed| feed.name.as_str()).collect();
    assert_eq!(names, ["Copy", "Paper"]);
    let copy = v1::FeedName { feed: "Copy".into() };
    let shown = admin.get_feed(copy.clone()).await.unwrap().into_inner();
    assert_eq!((shown.feed.unwrap().published, shown.reads.len()), (3, 1));
    let explained = admin.explain_feed(copy.clone()).await.unwrap().into_inner();
    assert!(explained.sources == 1 && !explained.text.is_empty(), "{explained:?}");
    let explained = admin.explain_query(query("EXPLAIN Paper;")).await.unwrap().into_inner();
    assert_eq!(explained.name, "Paper");
    let items = v1::ListItemsRequest { feed: "Copy".into(), after: Some(1), ..Default::default() };
    let items = admin.list_items(items).await.unwrap().into_inner();
    let numbers: Vec<u64> = items.items.iter().map(|item| item.sequence).collect();
    assert_eq!((numbers, items.next), (vec![2, 3], 3));
    admin.drop_feed(copy.clone()).await.unwrap();
    let gone = admin.get_feed(copy).await.unwrap_err();
    assert_eq!(gone.code(), Code::NotFound, "{gone}");
    let wrong = admin.run_query(query("CRAETE FEED x;")).await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert!(wrong.message().contains("CREATE"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_are_added_looked_at_and_removed() {
    let (stand, mut admin) = open().await;
    let url = stand.origin.url("/paper.json?other").to_string();
    let missing = v1::AddSourceRequest { url: url.clone(), ..Default::default() };
    let refused = admin.add_source(missing.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    let unseen = v1::AddSourceRequest { unseen: true, title: Some("Late".into()), ..missing };
    let added = admin.add_source(unseen).await.unwrap().into_inner();
    let source = added.source.unwrap();
    assert_eq!((source.title.as_deref(), source.wanted, added.report), (Some("Late"), true, None));
    let page = v1::ListSourcesRequest { search: Some("late".into()), ..Default::default() };
    let listed = admin.list_sources(page).await.unwrap().into_inner();
    assert_eq!(listed.sources.iter().map(|s| s.id).collect::<Vec<_>>(), [source.id]);
    let name = v1::SourceName { source: url };
    let shown = admin.get_source(name.clone()).await.unwrap().into_inner();
    assert_eq!(shown.source.unwrap().id, source.id);
    admin.remove_source(name.clone()).await.unwrap();
    let gone = admin.refresh_source(name).await.unwrap_err();
    assert_eq!(gone.code(), Code::NotFound, "{gone}");
    let opml = admin.export_opml(v1::ExportOpmlRequest {}).await.unwrap().into_inner().opml;
    assert!(opml.contains("paper.json"), "{opml}");
    let import = v1::ImportOpmlRequest { opml, feed: None };
    let imported = admin.import_opml(import).await.unwrap().into_inner();
    assert_eq!((imported.new, imported.known), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_node_is_watched_steered_and_backed_up() {
    let (stand, mut admin) = open().await;
    let status = admin.get_status(v1::GetStatusRequest {}).await.unwrap().into_inner();
    assert_eq!(status.id, stand.house.node().id().0);
    assert!(status.running && status.feeds == 1);
    let budget = v1::SetBudgetRequest { refreshes_per_minute: Some(123.0), ..Default::default() };
    let status = admin.set_budget(budget).await.unwrap().into_inner();
    assert_eq!(status.budget_per_minute, 123.0);
    let nonsense = admin.set_budget(v1::SetBudgetRequest::default()).await.unwrap_err();
    assert_eq!(nonsense.code(), Code::InvalidArgument);
    let toml = admin.get_config(v1::GetConfigRequest {}).await.unwrap().into_inner().toml;
    assert!(toml.contains("[node]"), "{toml}");
    let history = admin.get_history(v1::GetHistoryRequest::default()).await.unwrap();
    assert!(history.get_ref().samples.len() <= 2);
    let reload = admin.reload(v1::ReloadRequest {}).await.unwrap_err();
    assert_eq!(reload.code(), Code::FailedPrecondition, "this node has no file to read: {reload}");
    let mut backup = admin.backup(v1::BackupRequest {}).await.unwrap().into_inner();
    let mut bytes = Vec::new();
    while let Some(piece) = backup.message().await.unwrap() {
        bytes.extend(piece.data);
    }
    let over_http = stand.house.client.get(stand.house.url("/api/v1/backup"));
    let over_http = over_http.send().await.unwrap().bytes().await.unwrap();
    assert_eq!(bytes.get(..16), over_http.get(..16), "the same kind of file");
    assert!(bytes.len() > 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_knows_the_token_may_manage() {
    let folder = TempDir::new().unwrap();
    let mut config = quick_config(&folder);
    config.api.token = Some(Secret::new("open sesame"));
    let stand = Stand::open_with(folder, config).await;
    let mut admin = AdminClient::connect(stand.house.url("")).await.unwrap();
    admin.get_status(v1::GetStatusRequest {}).await.expect("anybody may ask");
    let mut asked = async |token: Option<&str>| {
        let mut request = Request::new(v1::GetConfigRequest {});
        if let Some(token) = token {
            let value = format!("Bearer {token}").parse().unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        admin.get_config(request).await.map(drop).map_err(|status| status.code())
    };
    assert_eq!(asked(None).await, Err(Code::Unauthenticated));
    assert_eq!(asked(Some("open barley")).await, Err(Code::Unauthenticated));
    assert_eq!(asked(Some("open sesame")).await, Ok(()));
    let run = admin.run_query(query("DROP FEED Paper;")).await.unwrap_err();
    assert_eq!(run.code(), Code::Unauthenticated);
    let backup = admin.backup(v1::BackupRequest {}).await.unwrap_err();
    assert_eq!(backup.code(), Code::Unauthenticated);
    assert!(stand.house.node().desk.feed("Paper").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_a_token_is_not_managed_by_a_name_that_was_made_to_lead_here() {
    let (stand, _) = open().await;
    let address = stand.house.url("");
    let origin = "http://evil.example".parse().unwrap();
    let endpoint = tonic::transport::Endpoint::from_shared(address).unwrap().origin(origin);
    let mut admin = AdminClient::new(endpoint.connect().await.unwrap());
    let refused = admin.get_config(v1::GetConfigRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
}

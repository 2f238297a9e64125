//! The client over a transport that records requests and answers as it is told.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use super::*;
use crate::Code;
use crate::notification::{Mail, Often};
use crate::transport::Pending;

/// Answers every request alike and remembers them.
#[derive(Clone)]
struct Recorder {
    status: StatusCode,
    answer: &'static str,
    requests: Arc<Mutex<Vec<Request<Vec<u8>>>>>,
}

struct Chunks(Option<Bytes>);

impl Body for Chunks {
    fn chunk(&mut self) -> Pending<'_, Option<Bytes>> {
        let chunk = self.0.take();
        Box::pin(async { Ok(chunk) })
    }
}

impl Transport for Recorder {
    fn send(&self, request: Request<Vec<u8>>) -> Pending<'_, Response> {
        self.requests.lock().unwrap().push(request);
        let body = Box::new(Chunks(Some(Bytes::from_static(self.answer.as_bytes()))));
        Box::pin(async move { Ok(Response { status: self.status, body }) })
    }
}

fn recording(status: StatusCode, answer: &'static str) -> (Client, Recorder) {
    let recorder = Recorder { status, answer, requests: Arc::default() };
    let base = Url::parse("http://node.example:8080/below/").unwrap();
    (Client::new(recorder.clone(), base, Some("secret")).unwrap(), recorder)
}

/// Calls every method; what comes back does not matter.
async fn call_everything(client: &Client) {
    let _ = client.status().await;
    let _ = client.sources(&SourceFilter::default()).await;
    let _ = client.add_source(&AddSourceRequest::new("https://example.org/")).await;
    let _ = client.look(&LookRequest { url: "example.org".into(), page: None }).await;
    let _ = client.folders().await;
    let _ = client.source("ID").await;
    let _ = client.change_source("ID", &ChangeSourceRequest::default()).await;
    let _ = client.remove_source("ID").await;
    let _ = client.refresh_source("ID", RefreshRequest { force: true }).await;
    let _ = client.removed().await;
    let _ = client.restore_source("ID").await;
    let _ = client.restore_feed("NAME").await;
    let _ = client.feeds().await;
    let query = QueryRequest::new("");
    let _ = client.run_statements(&query).await;
    let _ = client.feed("NAME").await;
    let _ = client.drop_feed("NAME").await;
    let _ = client.readers("NAME").await;
    let _ = client.set_readers("NAME", &FeedReaders { readers: None }).await;
    let _ = client.notifications("NAME").await;
    let mail = Mail { address: "ada@example.org".into(), every: Often::Day };
    let _ = client.add_notification("NAME", &AddNotification::Mail(mail)).await;
    let _ = client.remove_notification("NAME", "ID").await;
    let _ = client.resume_notification("NAME", "ID").await;
    let _ = client.test_notification("NAME", "ID").await;
    let _ = client.explain_feed("NAME").await;
    let _ = client.explain_query(&ExplainRequest::new("")).await;
    let _ = client.suggestions("NAME", &SuggestRequest::default()).await;
    let _ = client.items("NAME", &ItemRange::default()).await;
    let _ = client.profiles(&ProfilesRequest::default()).await;
    let _ = client.search(&SearchRequest::default()).await;
    let _ = client.export_opml(&ExportRequest::default()).await;
    let _ = client
        .import_opml(&ImportRequest { opml: String::new(), feed: None, only_new: false })
        .await;
    let _ = client.config().await;
    let _ = client.keys().await;
    let _ = client.names().await;
    let _ = client.neighbours().await;
    let _ = client.set_key("KEY", &SetKeyRequest { value: "1".into() }).await;
    let _ = client.unset_key("KEY").await;
    let _ = client.reload().await;
    let _ = client.set_budget(&BudgetRequest::default()).await;
    let _ = client.predict_budgets(&PredictionRequest::default()).await;
    let _ = client.history(&HistoryRange::default()).await;
    let _ = client.users().await;
    let _ =
        client.add_user(&AddUserRequest { name: "ada".into(), role: None, password: None }).await;
    let _ = client.user("USER").await;
    let _ = client.change_user("USER", &ChangeUserRequest::default()).await;
    let _ = client.remove_user("USER").await;
    let _ = client.export_user("USER").await;
    let _ = client.import_user("USER", Vec::new()).await;
    let _ = client.backup().await;
    let _ = client.alive().await;
    let _ = client.ready().await;
}

#[tokio::test]
async fn the_client_calls_every_route_that_is_described_for_programs() {
    let (client, recorder) = recording(StatusCode::OK, "{}");
    call_everything(&client).await;
    let requests = recorder.requests.lock().unwrap();
    let called: BTreeSet<(String, String)> = requests
        .iter()
        .map(|request| {
            let path = request.uri().path().strip_prefix("/below").unwrap();
            let path =
                path.replace("/ID", "/{id}").replace("/NAME", "/{name}").replace("/KEY", "/{key}");
            let path = path.replace("/USER", "/{user}");
            (path, request.method().to_string().to_lowercase())
        })
        .collect();
    let document = serde_json::to_value(crate::openapi::document()).unwrap();
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        described.extend(methods.as_object().unwrap().keys().map(|m| (path.clone(), m.clone())));
    }
    for path in ["/metrics", "/api/openapi.json"] {
        assert!(described.remove(&(path.to_owned(), "get".to_owned())), "{path}");
    }
    assert_eq!(called, described);
    assert_eq!(requests.len(), called.len());
}

#[tokio::test]
async fn a_segment_stays_a_segment_and_a_query_is_encoded() {
    let (client, recorder) = recording(StatusCode::OK, "{}");
    let _ = client.source("https://example.org/a b?c=d").await;
    let search = SearchRequest { q: "iceland & volcano".to_owned(), limit: Some(3), peers: true };
    let _ = client.search(&search).await;
    let failing = SourceFilter {
        standing: Some(crate::source::SourceStanding::Failing),
        ..SourceFilter::default()
    };
    let _ = client.sources(&failing).await;
    let requests = recorder.requests.lock().unwrap();
    let urls: Vec<String> = requests.iter().map(|request| request.uri().to_string()).collect();
    let base = "http://node.example:8080/below/api/v1";
    assert_eq!(
        urls,
        [
            format!("{base}/sources/https:%2F%2Fexample.org%2Fa%20b%3Fc=d"),
            format!("{base}/search?q=iceland+%26+volcano&limit=3&peers=true"),
            format!("{base}/sources?standing=failing"),
        ]
    );
    assert!(requests.iter().all(|request| request.headers()["authorization"] == "Bearer secret"));
    assert!(!format!("{client:?} {requests:?}").contains("secret"));
}

#[tokio::test]
async fn a_refusal_is_told_with_its_code() {
    let body = r#"{"type":"about:blank","status":404,"code":"unknown-feed","title":"no such feed",
        "detail":"there is no feed `Newz`","nearest":"News"}"#;
    let (client, _) = recording(StatusCode::NOT_FOUND, body);
    let Err(ClientError::Refused(problem)) = client.feed("Newz").await else { panic!() };
    assert_eq!((problem.code, problem.nearest.as_deref()), (Code::UnknownFeed, Some("News")));
}

#[tokio::test]
async fn an_answer_of_something_else_is_told_apart() {
    let (client, _) = recording(StatusCode::BAD_GATEWAY, "<html>");
    assert_eq!(client.feeds().await.unwrap_err().to_string(), "the node answered 502 Bad Gateway");
    let (client, _) = recording(StatusCode::OK, "<html>");
    assert!(matches!(client.feeds().await, Err(ClientError::Foreign(_))));
}

#[tokio::test]
async fn a_node_that_is_not_ready_says_why() {
    let (client, _) = recording(
        StatusCode::SERVICE_UNAVAILABLE,
        r#"{"ready":false,"reasons":["the disk is full"]}"#,
    );
    assert_eq!(client.ready().await.unwrap().reasons, ["the disk is full"]);
}

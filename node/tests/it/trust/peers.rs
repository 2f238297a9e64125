//! The service for other nodes, secured, and for named readers only.

use std::sync::Arc;

use hyper_util::rt::TokioIo;
use pergola_config::{Clients, Limits, Secret};
use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use rustls::pki_types::ServerName;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Request, Status};

use super::{Authority, Papers, house_with_readers, secured_config};
use crate::house::House;

/// Sends a token with every call, if it has one.
#[derive(Clone)]
struct Bearer(Option<String>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            let value = format!("Bearer {token}").parse().unwrap();
            request.metadata_mut().insert("authorization", value);
        }
        Ok(request)
    }
}

type Client = SyndicationClient<InterceptedService<Channel, Bearer>>;

async fn plain(house: &House, token: Option<&str>) -> Client {
    let channel = Channel::from_shared(house.url("")).unwrap().connect().await.unwrap();
    SyndicationClient::with_interceptor(channel, Bearer(token.map(str::to_owned)))
}

/// A client over TLS that may show papers.
async fn secured(
    house: &House,
    authority: &Authority,
    papers: Option<&Papers>,
) -> Result<Client, tonic::transport::Error> {
    let identity = papers.map(|papers| (papers.chain.as_path(), papers.key.as_path()));
    let tls = Arc::new(pergola_outside::tls::client(&[&authority.file], identity).unwrap());
    let address = house.running.address();
    let connector = tower::service_fn(move |_: Uri| {
        let tls = TlsConnector::from(Arc::clone(&tls));
        async move {
            let stream = TcpStream::connect(address).await?;
            let stream = tls.connect(ServerName::from(address.ip()), stream).await?;
            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
            Ok::<_, std::io::Error>(TokioIo::new(stream))
        }
    });
    let endpoint = Endpoint::from_static("https://node.example");
    let channel = endpoint.connect_with_connector(connector).await?;
    Ok(SyndicationClient::with_interceptor(channel, Bearer(None)))
}

async fn names(client: &mut Client) -> Vec<String> {
    let answer = client.list_feeds(v1::ListFeedsRequest::default()).await.unwrap().into_inner();
    answer.feeds.into_iter().map(|feed| feed.name).collect()
}

/// What each way to ask for a feed is answered with.
async fn codes(client: &mut Client, feed: &str) -> [Code; 3] {
    let feed = feed.to_owned();
    let code = |failed: Option<Status>| failed.map_or(Code::Ok, |status| status.code());
    [
        code(client.describe(v1::DescribeRequest { feed: feed.clone() }).await.err()),
        code(
            client
                .fetch(v1::FetchRequest { feed: feed.clone(), ..v1::FetchRequest::default() })
                .await
                .err(),
        ),
        code(client.watch(v1::WatchRequest { feed, cursor: String::new() }).await.err()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_feed_is_there_for_those_with_its_token_only() {
    let house = house_with_readers(|_| ()).await;
    for (token, listed, code) in [
        (Some("the token of alice"), vec!["Hidden", "Open"], Code::Ok),
        (Some("the operator's token"), vec!["Hidden", "Open"], Code::Ok),
        (Some("the token of bob"), vec!["Open"], Code::NotFound),
        (Some("the token of mallory"), vec!["Open"], Code::Unauthenticated),
        (None, vec!["Open"], Code::NotFound),
    ] {
        let mut client = plain(&house, token).await;
        assert_eq!(names(&mut client).await, listed, "{token:?}");
        assert_eq!(codes(&mut client, "Hidden").await, [code; 3], "{token:?}");
        assert_eq!(codes(&mut client, "Open").await, [Code::Ok; 3], "{token:?}");
        let absent = if code == Code::Ok { Code::NotFound } else { code };
        assert_eq!(codes(&mut client, "Absent").await, [absent; 3], "{token:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_a_feed_that_is_closed_is_told_that_it_is_gone() {
    let house = house_with_readers(|_| ()).await;
    let watch = || v1::WatchRequest { feed: "Open".into(), cursor: String::new() };
    let mut stranger = plain(&house, None).await.watch(watch()).await.unwrap().into_inner();
    let mut alice = plain(&house, Some("the token of alice")).await;
    let mut alice = alice.watch(watch()).await.unwrap().into_inner();
    stranger.message().await.unwrap().unwrap();
    alice.message().await.unwrap().unwrap();
    house.node().set_readers("Open", Some(vec!["alice".to_owned()])).await.unwrap();
    assert_eq!(stranger.message().await.unwrap_err().code(), Code::NotFound);
    assert!(alice.message().await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_reader_has_limits_of_its_own() {
    let house = house_with_readers(|config| {
        let limits = Limits { streams: 1, requests_per_minute: 3, max_message: 1 << 20 };
        config.readers[1].limits = limits;
    })
    .await;
    let watch = || v1::WatchRequest { feed: "Open".into(), cursor: String::new() };
    let mut bob = plain(&house, Some("the token of bob")).await;
    let _stream = bob.watch(watch()).await.unwrap();
    let refused = bob.watch(watch()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(refused.message().contains("watches too many feeds"), "{refused}");
    assert_eq!(names(&mut bob).await, ["Open"]);
    let refused = bob.list_feeds(v1::ListFeedsRequest::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let wait: u64 =
        refused.metadata().get("retry-after").unwrap().to_str().unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    let mut alice = plain(&house, Some("the token of alice")).await;
    let _streams = [alice.watch(watch()).await.unwrap(), alice.watch(watch()).await.unwrap()];
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_are_known_by_their_certificates() {
    let authority = Authority::new("ours");
    let alices = authority.papers("alice", &["alice.example"]);
    let folder = TempDir::new().unwrap();
    let mut config = secured_config(&folder, &authority, Some(Clients::Required));
    config.api.token = Some(Secret::new("the operator's token"));
    config.readers = vec![super::reader("alice")];
    config.readers[0].certificates = vec![alices.fingerprint];
    let house = House::open(folder, config).await;
    let query = r#"CREATE FEED Hidden AS RETURN "http://127.0.0.1:9/b";"#;
    house.node().run_script(query, "test").await.unwrap();
    house.node().set_readers("Hidden", Some(vec!["alice".to_owned()])).await.unwrap();
    let mut alice = secured(&house, &authority, Some(&alices)).await.unwrap();
    assert_eq!(names(&mut alice).await, ["Hidden"]);
    assert_eq!(codes(&mut alice, "Hidden").await, [Code::Ok; 3]);
    let bobs = authority.papers("bob", &["bob.example"]);
    let mut bob = secured(&house, &authority, Some(&bobs)).await.unwrap();
    assert_eq!(names(&mut bob).await, [""; 0]);
    // Without a certificate, or with one that has expired, there is no connection to speak of.
    let expired = authority.papers_for("late", &["late.example"], (2020, 2021));
    for papers in [None, Some(&expired)] {
        let failed = match secured(&house, &authority, papers).await {
            Err(_) => true,
            Ok(mut client) => client.list_feeds(v1::ListFeedsRequest::default()).await.is_err(),
        };
        assert!(failed);
    }
}

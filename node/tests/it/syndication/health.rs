//! What tools that know nothing of Pergola ask of any gRPC server: is it well, and what does it offer?

use std::time::Duration;

use pergola_proto::v1::syndication_server;
use tonic::Code;
use tonic::codegen::tokio_stream::StreamExt;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::Stand;

async fn channel(stand: &Stand) -> Channel {
    Endpoint::from_shared(stand.house.url("")).unwrap().connect().await.unwrap()
}

fn about(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_node_serves_and_a_service_that_it_lacks_is_not_found() {
    let stand = Stand::open().await;
    let mut client = HealthClient::new(channel(&stand).await);
    for service in ["", syndication_server::SERVICE_NAME] {
        let answer = client.check(about(service)).await.unwrap().into_inner();
        assert_eq!(answer.status(), ServingStatus::Serving, "{service:?}");
    }
    let missing = client.check(about("pergola.v1.Admin")).await.unwrap_err();
    assert_eq!(missing.code(), Code::NotFound, "{missing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_watches_learns_that_the_node_stops() {
    let stand = Stand::open().await;
    let mut client = HealthClient::new(channel(&stand).await);
    let mut changes = client.watch(about("")).await.unwrap().into_inner();
    let first = changes.next().await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::Serving);
    let stopping = tokio::spawn(stand.house.running.stop(Duration::from_secs(5)));
    let last = changes.next().await.unwrap().unwrap();
    assert_eq!(last.status(), ServingStatus::NotServing);
    assert!(changes.next().await.is_none());
    stopping.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn reflection_names_the_services() {
    let stand = Stand::open().await;
    let mut client = ServerReflectionClient::new(channel(&stand).await);
    let list = MessageRequest::ListServices(String::new());
    let question = ServerReflectionRequest { host: String::new(), message_request: Some(list) };
    let questions = tonic::codegen::tokio_stream::iter([question]);
    let mut answers = client.server_reflection_info(questions).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("no list of services")
    };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in [syndication_server::SERVICE_NAME, "grpc.health.v1.Health"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

//! The bare server: it has copied the node's answers and gives them again, and knows nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use axum::Router;
use pergola_node::wire::MESSAGE_BYTES;
use pergola_proto::v1;
use pergola_proto::v1::syndication_server::{Syndication, SyndicationServer};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::codegen::tokio_stream::wrappers::ReceiverStream;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::caller;
use crate::bench::roles;
use crate::bench::usage::Usage;

type Told = Result<v1::WatchResponse, Status>;

#[derive(Clone, Default)]
struct Echo {
    /// Answers by the cursor they were asked with.
    answers: Arc<HashMap<String, v1::FetchResponse>>,
    message: v1::WatchResponse,
    watchers: Arc<Mutex<Vec<mpsc::Sender<Told>>>>,
}

/// Serves until the input ends.
pub(super) fn run() -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let mut echo = Echo::default();
        let mut tasks = tokio::task::JoinSet::new();
        roles::answer(async |line| match line.split_once(' ') {
            Some(("copy", address)) => {
                echo = Echo::copied(address).await?;
                let listener = TcpListener::bind("127.0.0.1:0").await?;
                let address = format!("http://{}", listener.local_addr()?);
                let service = SyndicationServer::new(echo.clone());
                let service = service.max_encoding_message_size(MESSAGE_BYTES);
                let router: Router = Routes::new(service).into_axum_router();
                tasks.spawn(async move { axum::serve(listener, router).await });
                Ok(serde_json::to_value(address)?)
            }
            _ if line == "change" => {
                let mut watchers = echo.watchers.lock().unwrap_or_else(PoisonError::into_inner);
                watchers.retain(|watcher| watcher.try_send(Ok(echo.message.clone())).is_ok());
                Ok(serde_json::Value::Null)
            }
            _ => Ok(serde_json::to_value(Usage::now())?),
        })
        .await
    })
}

impl Echo {
    async fn copied(address: &str) -> Result<Self> {
        let mut client = caller::connect(address).await?;
        let mut answers = HashMap::new();
        let mut question = caller::first_question();
        loop {
            let answer = client.fetch(question.clone()).await?.into_inner();
            let (cursor, more) = (answer.cursor.clone(), answer.more);
            answers.insert(std::mem::take(&mut question.cursor), answer);
            if !more {
                break;
            }
            question = caller::next_question(cursor);
        }
        let watch = v1::WatchRequest { feed: super::node::FEED.into(), cursor: String::new() };
        let mut stream = client.watch(watch).await?.into_inner();
        let message = stream.message().await?.unwrap_or_default();
        Ok(Self { answers: Arc::new(answers), message, watchers: Arc::default() })
    }
}

#[tonic::async_trait]
impl Syndication for Echo {
    type WatchStream = ReceiverStream<Told>;

    async fn list_feeds(
        &self,
        _: Request<v1::ListFeedsRequest>,
    ) -> Result<Response<v1::ListFeedsResponse>, Status> {
        Err(Status::unimplemented("it only gives what it has copied"))
    }

    async fn describe(
        &self,
        _: Request<v1::DescribeRequest>,
    ) -> Result<Response<v1::DescribeResponse>, Status> {
        Err(Status::unimplemented("it only gives what it has copied"))
    }

    async fn search(
        &self,
        _: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchResponse>, Status> {
        Err(Status::unimplemented("it only gives what it has copied"))
    }

    async fn fetch(
        &self,
        request: Request<v1::FetchRequest>,
    ) -> Result<Response<v1::FetchResponse>, Status> {
        let answer = self.answers.get(&request.into_inner().cursor);
        answer.cloned().map(Response::new).ok_or_else(|| Status::not_found("it was not copied"))
    }

    async fn watch(
        &self,
        _: Request<v1::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let (watcher, messages) = mpsc::channel(4);
        // At once how far it has come, as the node does.
        let _ = watcher.try_send(Ok(self.message.clone()));
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
        Ok(Response::new(ReceiverStream::new(messages)))
    }
}

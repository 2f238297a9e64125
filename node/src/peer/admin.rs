//! Managing the node over gRPC: the REST API by another door.
//!
//! A call becomes the request of the API that it stands for, with everything by which that decides who may
//! make it, and is answered by the same router in the same process. So there is one set of rules and one
//! set of answers; what is here only translates.

mod door;

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::Router;
use axum::body::{Body, HttpBody};
use http::Method;
use pergola_proto::v1;
use pergola_proto::v1::admin_server::Admin;
use serde_json::{Value, json};
use std::sync::Arc;
use tonic::codegen::tokio_stream::Stream;
use tonic::{Request, Response, Status};

use crate::node::Node;
use door::{Door, address, read, segment};

/// The API by another door.
#[derive(Clone)]
pub(super) struct Administration {
    api: Router,
}

type Answer<T> = Result<Response<T>, Status>;

impl Administration {
    pub(super) fn new(node: Arc<Node>) -> Self {
        Self { api: crate::api::router(node) }
    }

    async fn get<M, T: serde::de::DeserializeOwned>(
        &self,
        request: Request<M>,
        path: impl FnOnce(M) -> String,
    ) -> Answer<T> {
        let (door, message) = Door::of(request);
        let text = door.text(&self.api, Method::GET, &path(message), None).await?;
        Ok(Response::new(read(&text)?))
    }

    async fn post<M, T: serde::de::DeserializeOwned>(
        &self,
        request: Request<M>,
        path: &str,
        body: impl FnOnce(M) -> Value,
    ) -> Answer<T> {
        let (door, message) = Door::of(request);
        let text = door.text(&self.api, Method::POST, path, Some(body(message))).await?;
        Ok(Response::new(read(&text)?))
    }

    async fn delete<M, T: Default>(
        &self,
        request: Request<M>,
        path: impl FnOnce(M) -> String,
    ) -> Answer<T> {
        let (door, message) = Door::of(request);
        door.text(&self.api, Method::DELETE, &path(message), None).await?;
        Ok(Response::new(T::default()))
    }
}

fn source_path(name: v1::SourceName) -> String {
    format!("/api/v1/sources/{}", segment(&name.source))
}

fn feed_path(name: v1::FeedName) -> String {
    format!("/api/v1/feeds/{}", segment(&name.feed))
}

fn query(query: v1::Query) -> Value {
    json!({ "query": query.query })
}

#[tonic::async_trait]
impl Admin for Administration {
    async fn get_status(&self, request: Request<v1::GetStatusRequest>) -> Answer<v1::NodeStatus> {
        self.get(request, |_| "/api/v1/status".into()).await
    }

    async fn list_sources(
        &self,
        request: Request<v1::ListSourcesRequest>,
    ) -> Answer<v1::ListSourcesResponse> {
        self.get(request, |asked| {
            address(
                "/api/v1/sources",
                [
                    ("standing", asked.standing),
                    ("search", asked.search),
                    ("after", asked.after.map(|number| number.to_string())),
                    ("limit", asked.limit.map(|number| number.to_string())),
                ],
            )
        })
        .await
    }

    async fn add_source(
        &self,
        request: Request<v1::AddSourceRequest>,
    ) -> Answer<v1::AddSourceResponse> {
        self.post(request, "/api/v1/sources", |asked| {
            let page = asked.page.map(|page| {
                let v1::Page { item, title, link, date, content } = page;
                json!({ "item": item, "title": title, "link": link, "date": date,
                        "content": content })
            });
            json!({
                "url": asked.url,
                "title": asked.title,
                "importance": asked.importance,
                "list": asked.list,
                "page": page,
                "refresh": !asked.unseen,
            })
        })
        .await
    }

    async fn get_source(&self, request: Request<v1::SourceName>) -> Answer<v1::GetSourceResponse> {
        self.get(request, source_path).await
    }

    async fn remove_source(
        &self,
        request: Request<v1::SourceName>,
    ) -> Answer<v1::RemoveSourceResponse> {
        self.delete(request, source_path).await
    }

    async fn refresh_source(
        &self,
        request: Request<v1::SourceName>,
    ) -> Answer<v1::RefreshSourceResponse> {
        let path = format!("{}/refresh", source_path(request.get_ref().clone()));
        self.post(request, &path, |_| Value::Null).await
    }

    async fn list_feed_status(
        &self,
        request: Request<v1::ListFeedStatusRequest>,
    ) -> Answer<v1::ListFeedStatusResponse> {
        self.get(request, |_| "/api/v1/feeds".into()).await
    }

    async fn get_feed(&self, request: Request<v1::FeedName>) -> Answer<v1::GetFeedResponse> {
        let (door, name) = Door::of(request);
        let text = door.text(&self.api, Method::GET, &feed_path(name), None).await?;
        // The API tells how the feed stands and what it reads in one breath.
        let read: v1::GetFeedResponse =
            v1::GetFeedResponse { feed: Some(read(&text)?), ..read(&text)? };
        Ok(Response::new(read))
    }

    async fn run_query(&self, request: Request<v1::Query>) -> Answer<v1::RunQueryResponse> {
        self.post(request, "/api/v1/feeds", query).await
    }

    async fn drop_feed(&self, request: Request<v1::FeedName>) -> Answer<v1::DropFeedResponse> {
        self.delete(request, feed_path).await
    }

    async fn explain_feed(&self, request: Request<v1::FeedName>) -> Answer<v1::Explained> {
        self.get(request, |name| format!("{}/explain", feed_path(name))).await
    }

    async fn explain_query(&self, request: Request<v1::Query>) -> Answer<v1::Explained> {
        self.post(request, "/api/v1/explain", query).await
    }

    async fn list_items(
        &self,
        request: Request<v1::ListItemsRequest>,
    ) -> Answer<v1::ListItemsResponse> {
        self.get(request, |asked| {
            let v1::ListItemsRequest { feed, after, limit, wait } = asked;
            let path = format!("{}/items", feed_path(v1::FeedName { feed }));
            address(
                &path,
                [
                    ("after", after.map(|number| number.to_string())),
                    ("limit", limit.map(|number| number.to_string())),
                    ("wait", wait.map(|seconds| seconds.to_string())),
                ],
            )
        })
        .await
    }

    async fn export_opml(
        &self,
        request: Request<v1::ExportOpmlRequest>,
    ) -> Answer<v1::ExportOpmlResponse> {
        let (door, _) = Door::of(request);
        let opml = door.text(&self.api, Method::GET, "/api/v1/opml", None).await?;
        Ok(Response::new(v1::ExportOpmlResponse { opml }))
    }

    async fn import_opml(
        &self,
        request: Request<v1::ImportOpmlRequest>,
    ) -> Answer<v1::ImportOpmlResponse> {
        self.post(
            request,
            "/api/v1/opml",
            |asked| json!({ "opml": asked.opml, "feed": asked.feed }),
        )
        .await
    }

    async fn get_config(
        &self,
        request: Request<v1::GetConfigRequest>,
    ) -> Answer<v1::GetConfigResponse> {
        let (door, _) = Door::of(request);
        let toml = door.text(&self.api, Method::GET, "/api/v1/config", None).await?;
        Ok(Response::new(v1::GetConfigResponse { toml }))
    }

    async fn reload(&self, request: Request<v1::ReloadRequest>) -> Answer<v1::ReloadResponse> {
        self.post(request, "/api/v1/reload", |_| Value::Null).await
    }

    async fn set_budget(&self, request: Request<v1::SetBudgetRequest>) -> Answer<v1::NodeStatus> {
        self.post(request, "/api/v1/budget", |asked| {
            json!({
                "refreshes_per_minute": asked.refreshes_per_minute,
                "bytes_per_hour": asked.bytes_per_hour,
                "freshness": asked.freshness,
                "max_refreshes_per_minute": asked.max_refreshes_per_minute,
            })
        })
        .await
    }

    async fn get_history(
        &self,
        request: Request<v1::GetHistoryRequest>,
    ) -> Answer<v1::GetHistoryResponse> {
        self.get(request, |asked| {
            address(
                "/api/v1/history",
                [
                    ("from", asked.from.map(|minute| minute.to_string())),
                    ("to", asked.to.map(|minute| minute.to_string())),
                ],
            )
        })
        .await
    }

    type BackupStream = Pieces;

    async fn backup(&self, request: Request<v1::BackupRequest>) -> Answer<Pieces> {
        let (door, _) = Door::of(request);
        let answer = door.answer(&self.api, Method::GET, "/api/v1/backup", None).await?;
        Ok(Response::new(Pieces { body: Some(answer.into_body()) }))
    }
}

/// A body in pieces.
pub(super) struct Pieces {
    body: Option<Body>,
}

impl Stream for Pieces {
    type Item = Result<v1::BackupPiece, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Some(body) = &mut self.body else { return Poll::Ready(None) };
            match ready!(Pin::new(body).poll_frame(context)) {
                None => self.body = None,
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        let data = data.into();
                        return Poll::Ready(Some(Ok(v1::BackupPiece { data })));
                    }
                }
                Some(Err(error)) => {
                    self.body = None;
                    let message = format!("the backup was broken off: {error}");
                    return Poll::Ready(Some(Err(Status::unavailable(message))));
                }
            }
        }
    }
}

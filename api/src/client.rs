//! A client with a method for each route.

use std::fmt;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::feed::{
    AppliedList, ExplainRequest, Explained, FeedDetail, FeedList, FeedReaders, FeedStatus,
    QueryRequest,
};
use crate::item::{ItemPage, ItemRange};
use crate::mesh::{MeshFile, ProfilesRequest};
use crate::neighbours::Neighbours;
use crate::next::RefreshRequest;
use crate::notification::{AddNotification, NotificationList, NotificationStatus};
use crate::operation::{
    BudgetPrediction, BudgetRequest, ExportRequest, History, HistoryRange, ImportRequest, Imported,
    KeyList, KeySetting, Names, NodeStatus, PredictionRequest, Readiness, Reloaded, SetKeyRequest,
};
use crate::problem::Problem;
use crate::search::{SearchRequest, SearchResults, SuggestRequest};
use crate::source::{
    AddSourceRequest, AddedSource, ChangeSourceRequest, FolderList, LookRequest, Looked, Refreshed,
    RemovedList, SourceDetail, SourceFilter, SourcePage, SourceStatus,
};
use crate::transport::{Body, Response, Transport, TransportError};
use crate::user::{AddUserRequest, ChangeUserRequest, TakenOver, UserDetail, UserList, UserStatus};

/// Bytes of an answer at most; only a backup may be larger, and it is read in chunks.
const MAX_ANSWER: usize = 256 << 20;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The node refused the request.
    #[error("{}", .0.detail)]
    Refused(Box<Problem>),
    /// The answer is an error, but not one of a node.
    #[error("the node answered {0}")]
    Status(StatusCode),
    /// The answer is not what the route answers.
    #[error("the answer does not come from a Pergola node; is something else listening there?")]
    Foreign(#[source] serde_json::Error),
    /// The node was not reached.
    #[error("the node at {node} cannot be reached")]
    Unreachable {
        /// The scheme, host and port of the node.
        node: String,
        /// Why.
        source: TransportError,
    },
    /// The answer ended too early.
    #[error("the node's answer was cut off")]
    CutOff(#[source] TransportError),
    /// The answer is larger than any should be.
    #[error("the node's answer is larger than {} MiB", MAX_ANSWER >> 20)]
    TooLarge,
    /// The URL cannot be the URL of a node.
    #[error("{0} is not the URL of a node; give one such as http://127.0.0.1:8080/")]
    BadUrl(Url),
    /// The token has characters that cannot be sent.
    #[error("the token has characters that cannot be sent; use letters, digits and ASCII signs")]
    BadToken,
    /// The request cannot be written.
    #[error("the request cannot be written")]
    Unwritable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

type Result<T> = std::result::Result<T, ClientError>;

/// A client of one node.
pub struct Client {
    transport: Box<dyn Transport>,
    base: Url,
    token: Option<HeaderValue>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the node at `base`.
    ///
    /// # Errors
    /// When `base` cannot have paths below it, or `token` cannot be sent in a header.
    pub fn new(
        transport: impl Transport + 'static,
        base: Url,
        token: Option<&str>,
    ) -> Result<Self> {
        if base.cannot_be_a_base() {
            return Err(ClientError::BadUrl(base));
        }
        let bearer = |token: &str| {
            let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let token = token.map(|token| bearer(token).ok_or(ClientError::BadToken)).transpose()?;
        Ok(Self { transport: Box::new(transport), base, token })
    }

    /// `GET /api/v1/status`
    pub async fn status(&self) -> Result<NodeStatus> {
        self.get(&["status"], &()).await
    }

    /// `GET /api/v1/sources`
    pub async fn sources(&self, filter: &SourceFilter) -> Result<SourcePage> {
        self.get(&["sources"], filter).await
    }

    /// `POST /api/v1/sources`
    pub async fn add_source(&self, source: &AddSourceRequest) -> Result<AddedSource> {
        self.send(Method::POST, &["sources"], source).await
    }

    /// `GET /api/v1/folders`
    pub async fn folders(&self) -> Result<FolderList> {
        self.get(&["folders"], &()).await
    }

    /// `POST /api/v1/look`
    pub async fn look(&self, at: &LookRequest) -> Result<Looked> {
        self.send(Method::POST, &["look"], at).await
    }

    /// `GET /api/v1/sources/{id}`, by its number or URL.
    pub async fn source(&self, id: &str) -> Result<SourceDetail> {
        self.get(&["sources", id], &()).await
    }

    /// `PATCH /api/v1/sources/{id}`, by its number or URL.
    pub async fn change_source(
        &self,
        id: &str,
        changes: &ChangeSourceRequest,
    ) -> Result<SourceStatus> {
        self.send(Method::PATCH, &["sources", id], changes).await
    }

    /// `GET /api/v1/removed`
    pub async fn removed(&self) -> Result<RemovedList> {
        self.get(&["removed"], &()).await
    }

    /// `POST /api/v1/sources/{id}/restore`, by its number or URL.
    pub async fn restore_source(&self, id: &str) -> Result<SourceStatus> {
        self.send(Method::POST, &["sources", id, "restore"], &()).await
    }

    /// `POST /api/v1/feeds/{name}/restore`
    pub async fn restore_feed(&self, name: &str) -> Result<FeedStatus> {
        self.send(Method::POST, &["feeds", name, "restore"], &()).await
    }

    /// `DELETE /api/v1/sources/{id}`, by its number or URL.
    pub async fn remove_source(&self, id: &str) -> Result<()> {
        self.delete(&["sources", id]).await
    }

    /// `POST /api/v1/sources/{id}/refresh`, by its number or URL.
    pub async fn refresh_source(&self, id: &str, request: RefreshRequest) -> Result<Refreshed> {
        let mut url = self.url(&["api", "v1", "sources", id, "refresh"])?;
        url.set_query(request.force.then_some("force=true"));
        read(self.good(Method::POST, url, None).await?).await
    }

    /// `GET /api/v1/feeds`
    pub async fn feeds(&self) -> Result<FeedList> {
        self.get(&["feeds"], &()).await
    }

    /// `POST /api/v1/feeds`
    pub async fn run_statements(&self, statements: &QueryRequest) -> Result<AppliedList> {
        self.send(Method::POST, &["feeds"], statements).await
    }

    /// `GET /api/v1/feeds/{name}`
    pub async fn feed(&self, name: &str) -> Result<FeedDetail> {
        self.get(&["feeds", name], &()).await
    }

    /// `DELETE /api/v1/feeds/{name}`
    pub async fn drop_feed(&self, name: &str) -> Result<()> {
        self.delete(&["feeds", name]).await
    }

    /// `GET /api/v1/feeds/{name}/readers`
    pub async fn readers(&self, feed: &str) -> Result<FeedReaders> {
        self.get(&["feeds", feed, "readers"], &()).await
    }

    /// `PUT /api/v1/feeds/{name}/readers`
    pub async fn set_readers(&self, feed: &str, readers: &FeedReaders) -> Result<FeedReaders> {
        self.send(Method::PUT, &["feeds", feed, "readers"], readers).await
    }

    /// `GET /api/v1/feeds/{name}/notifications`
    pub async fn notifications(&self, feed: &str) -> Result<NotificationList> {
        self.get(&["feeds", feed, "notifications"], &()).await
    }

    /// `POST /api/v1/feeds/{name}/notifications`
    pub async fn add_notification(
        &self,
        feed: &str,
        new: &AddNotification,
    ) -> Result<NotificationStatus> {
        self.send(Method::POST, &["feeds", feed, "notifications"], new).await
    }

    /// `DELETE /api/v1/feeds/{name}/notifications/{id}`
    pub async fn remove_notification(&self, feed: &str, id: &str) -> Result<()> {
        self.delete(&["feeds", feed, "notifications", id]).await
    }

    /// `POST /api/v1/feeds/{name}/notifications/{id}/resume`
    pub async fn resume_notification(&self, feed: &str, id: &str) -> Result<NotificationStatus> {
        self.send(Method::POST, &["feeds", feed, "notifications", id, "resume"], &()).await
    }

    /// `POST /api/v1/feeds/{name}/notifications/{id}/test`
    pub async fn test_notification(&self, feed: &str, id: &str) -> Result<NotificationStatus> {
        self.send(Method::POST, &["feeds", feed, "notifications", id, "test"], &()).await
    }

    /// `GET /api/v1/feeds/{name}/explain`
    pub async fn explain_feed(&self, name: &str) -> Result<Explained> {
        self.get(&["feeds", name, "explain"], &()).await
    }

    /// `POST /api/v1/explain`
    pub async fn explain_query(&self, query: &ExplainRequest) -> Result<Explained> {
        self.send(Method::POST, &["explain"], query).await
    }

    /// `GET /api/v1/feeds/{name}/suggestions`
    pub async fn suggestions(&self, feed: &str, request: &SuggestRequest) -> Result<SearchResults> {
        self.get(&["feeds", feed, "suggestions"], request).await
    }

    /// `GET /api/v1/feeds/{name}/items`
    pub async fn items(&self, feed: &str, range: &ItemRange) -> Result<ItemPage> {
        self.get(&["feeds", feed, "items"], range).await
    }

    /// `GET /api/v1/profiles`
    pub async fn profiles(&self, request: &ProfilesRequest) -> Result<MeshFile> {
        self.get(&["profiles"], request).await
    }

    /// `GET /api/v1/search`
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchResults> {
        self.get(&["search"], request).await
    }

    /// `GET /api/v1/opml`
    pub async fn export_opml(&self, request: &ExportRequest) -> Result<Vec<u8>> {
        let mut url = self.url(&["api", "v1", "opml"])?;
        let query = serde_urlencoded::to_string(request).map_err(unwritable)?;
        url.set_query(Some(&query).filter(|query| !query.is_empty()).map(String::as_str));
        whole(self.good(Method::GET, url, None).await?).await
    }

    /// `POST /api/v1/opml`
    pub async fn import_opml(&self, list: &ImportRequest) -> Result<Imported> {
        self.send(Method::POST, &["opml"], list).await
    }

    /// `GET /api/v1/config`
    pub async fn config(&self) -> Result<String> {
        let url = self.url(&["api", "v1", "config"])?;
        let bytes = whole(self.good(Method::GET, url, None).await?).await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// `PUT /api/v1/config/{key}`
    pub async fn set_key(&self, key: &str, value: &SetKeyRequest) -> Result<KeySetting> {
        self.send(Method::PUT, &["config", key], value).await
    }

    /// `DELETE /api/v1/config/{key}`
    pub async fn unset_key(&self, key: &str) -> Result<()> {
        self.delete(&["config", key]).await
    }

    /// `POST /api/v1/reload`
    pub async fn reload(&self) -> Result<Reloaded> {
        self.send(Method::POST, &["reload"], &()).await
    }

    /// `POST /api/v1/budget`
    pub async fn set_budget(&self, budget: &BudgetRequest) -> Result<NodeStatus> {
        self.send(Method::POST, &["budget"], budget).await
    }

    /// `GET /api/v1/budget/prediction`
    pub async fn predict_budgets(&self, budgets: &PredictionRequest) -> Result<BudgetPrediction> {
        self.get(&["budget", "prediction"], budgets).await
    }

    /// `GET /api/v1/config/keys`
    pub async fn keys(&self) -> Result<KeyList> {
        self.get(&["config", "keys"], &()).await
    }

    /// `GET /api/v1/names`
    pub async fn names(&self) -> Result<Names> {
        self.get(&["names"], &()).await
    }

    /// `GET /api/v1/neighbours`
    pub async fn neighbours(&self) -> Result<Neighbours> {
        self.get(&["neighbours"], &()).await
    }

    /// `GET /api/v1/history`
    pub async fn history(&self, range: &HistoryRange) -> Result<History> {
        self.get(&["history"], range).await
    }

    /// `GET /api/v1/users`
    pub async fn users(&self) -> Result<UserList> {
        self.get(&["users"], &()).await
    }

    /// `POST /api/v1/users`
    pub async fn add_user(&self, user: &AddUserRequest) -> Result<UserStatus> {
        self.send(Method::POST, &["users"], user).await
    }

    /// `GET /api/v1/users/{user}`
    pub async fn user(&self, name: &str) -> Result<UserDetail> {
        self.get(&["users", name], &()).await
    }

    /// `PATCH /api/v1/users/{user}`
    pub async fn change_user(&self, name: &str, change: &ChangeUserRequest) -> Result<UserStatus> {
        self.send(Method::PATCH, &["users", name], change).await
    }

    /// `DELETE /api/v1/users/{user}`
    pub async fn remove_user(&self, name: &str) -> Result<()> {
        self.delete(&["users", name]).await
    }

    /// `GET /api/v1/users/{user}/export`, to be read in chunks.
    pub async fn export_user(&self, name: &str) -> Result<Download> {
        let url = self.url(&["api", "v1", "users", name, "export"])?;
        Ok(Download(self.good(Method::GET, url, None).await?))
    }

    /// `POST /api/v1/users/{user}/import`
    pub async fn import_user(&self, name: &str, file: Vec<u8>) -> Result<TakenOver> {
        let url = self.url(&["api", "v1", "users", name, "import"])?;
        read(self.good(Method::POST, url, Some(file)).await?).await
    }

    /// `GET /api/v1/backup`, to be read in chunks.
    pub async fn backup(&self) -> Result<Download> {
        let url = self.url(&["api", "v1", "backup"])?;
        Ok(Download(self.good(Method::GET, url, None).await?))
    }

    /// `GET /healthz`
    pub async fn alive(&self) -> Result<()> {
        self.good(Method::GET, self.url(&["healthz"])?, None).await.map(drop)
    }

    /// `GET /readyz`
    pub async fn ready(&self) -> Result<Readiness> {
        // A node that is not ready says so with 503 and the same body.
        let response = self.request(Method::GET, self.url(&["readyz"])?, None).await?;
        let status = response.status;
        let bytes = whole(response.body).await?;
        let readiness = serde_json::from_slice(&bytes);
        readiness.map_err(|error| match status.is_success() {
            true => ClientError::Foreign(error),
            false => refused(status, &bytes),
        })
    }

    async fn get<T: DeserializeOwned>(&self, path: &[&str], query: &impl Serialize) -> Result<T> {
        let mut url = self.url(&[&["api", "v1"], path].concat())?;
        let query = serde_urlencoded::to_string(query).map_err(unwritable)?;
        url.set_query(Some(&query).filter(|query| !query.is_empty()).map(String::as_str));
        read(self.good(Method::GET, url, None).await?).await
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        body: &impl Serialize,
    ) -> Result<T> {
        let url = self.url(&[&["api", "v1"], path].concat())?;
        let body = serde_json::to_vec(body).map_err(unwritable)?;
        read(self.good(method, url, Some(body)).await?).await
    }

    async fn delete(&self, path: &[&str]) -> Result<()> {
        let url = self.url(&[&["api", "v1"], path].concat())?;
        self.good(Method::DELETE, url, None).await.map(drop)
    }

    /// The URL of a path below the node's. Each segment stays one segment, whatever characters it has.
    fn url(&self, path: &[&str]) -> Result<Url> {
        let mut url = self.base.clone();
        match url.path_segments_mut() {
            Ok(mut segments) => drop(segments.pop_if_empty().extend(path)),
            Err(()) => return Err(ClientError::BadUrl(self.base.clone())),
        }
        Ok(url)
    }

    /// The body of a good answer, or why there is none.
    async fn good(&self, method: Method, url: Url, body: Option<Vec<u8>>) -> Result<Box<dyn Body>> {
        let response = self.request(method, url, body).await?;
        if response.status.is_success() {
            return Ok(response.body);
        }
        Err(refused(response.status, &whole(response.body).await?))
    }

    async fn request(&self, method: Method, url: Url, body: Option<Vec<u8>>) -> Result<Response> {
        let mut request = Request::builder().method(method).uri(url.as_str());
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token);
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let request = request.body(body.unwrap_or_default()).map_err(unwritable)?;
        self.transport.send(request).await.map_err(|source| {
            let node = self.base.origin().ascii_serialization();
            ClientError::Unreachable { node, source }
        })
    }
}

/// A body that is read in chunks.
pub struct Download(Box<dyn Body>);

impl Download {
    /// The next chunk; nothing at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        self.0.chunk().await.map_err(ClientError::CutOff)
    }
}

fn unwritable(error: impl std::error::Error + Send + Sync + 'static) -> ClientError {
    ClientError::Unwritable(Box::new(error))
}

fn refused(status: StatusCode, body: &[u8]) -> ClientError {
    match serde_json::from_slice(body) {
        Ok(problem) => ClientError::Refused(problem),
        Err(_) => ClientError::Status(status),
    }
}

async fn whole(mut body: Box<dyn Body>) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(chunk) = body.chunk().await.map_err(ClientError::CutOff)? {
        if all.len() + chunk.len() > MAX_ANSWER {
            return Err(ClientError::TooLarge);
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all)
}

async fn read<T: DeserializeOwned>(body: Box<dyn Body>) -> Result<T> {
    serde_json::from_slice(&whole(body).await?).map_err(ClientError::Foreign)
}

#[cfg(test)]
mod tests;

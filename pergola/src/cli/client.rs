//! Asks a node, wherever it is: over the network, or in the data folder when no node runs.
//!
//! Both ways end in the same routes, so a command is written once and means the same. A command never
//! touches the data of a node other than the one that was meant: what `node.json` says counts only while
//! somebody holds the folder's lock.

mod answer;
mod network;
mod place;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Method, Request, header};
use pergola_config::Secret;
use pergola_node::clock::Clock;
use pergola_node::node::{self, Node};
use serde::Serialize;
use serde_json::Value;
use tower::ServiceExt as _;
use url::Url;

use super::failure::Failure;
use super::settings::Settings;
pub(super) use answer::Answer;
use network::Network;
pub(super) use place::{Place, in_use};

/// One node, to be asked.
pub(super) struct Client {
    way: Way,
    base: Url,
    token: Option<Secret>,
}

enum Way {
    Network(Network),
    Folder { node: Arc<Node>, router: Router },
}

/// What is put after the `/api/v1` of an address.
pub(super) type Segments<'a> = &'a [&'a str];

impl Client {
    /// Finds the node, lets `work` ask it, and leaves it as it should be left.
    pub(super) async fn with<T>(
        settings: &Settings,
        work: impl AsyncFnOnce(&Self) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let client = Self::connect(settings).await?;
        let done = work(&client).await;
        if let Way::Folder { node, router } = client.way {
            drop(router);
            node::close(node).await;
        }
        done
    }

    async fn connect(settings: &Settings) -> anyhow::Result<Self> {
        match Place::find(settings).await? {
            Place::At { base, token, network } => {
                Ok(Self { way: Way::Network(network), base, token })
            }
            Place::Folder(config) => {
                let token = config.api.token.clone();
                let data = config.node.data.clone();
                let clock = Clock::configured(&config.clock);
                let opened = Node::open(*config, clock).await;
                let node = opened.map_err(|error| place::not_opened(error, &data))?;
                let router = pergola_node::api::router(Arc::clone(&node));
                let base = Url::parse("http://localhost/")?;
                Ok(Self { way: Way::Folder { node, router }, base, token })
            }
        }
    }

    /// Whether the node crawls, so that something new may come.
    pub(super) fn is_running(&self) -> bool {
        matches!(self.way, Way::Network(_))
    }

    /// Reads something.
    pub(super) async fn get(
        &self,
        segments: Segments<'_>,
        query: &[(&str, String)],
    ) -> anyhow::Result<Answer> {
        let mut url = self.address(segments)?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.ask(Method::GET, url, None).await
    }

    /// Changes something.
    pub(super) async fn post(
        &self,
        segments: Segments<'_>,
        body: &impl Serialize,
    ) -> anyhow::Result<Value> {
        let body = serde_json::to_vec(body)?;
        self.ask(Method::POST, self.address(segments)?, Some(body)).await?.json().await
    }

    /// Replaces something.
    pub(super) async fn put(
        &self,
        segments: Segments<'_>,
        body: &impl Serialize,
    ) -> anyhow::Result<Value> {
        let body = serde_json::to_vec(body)?;
        self.ask(Method::PUT, self.address(segments)?, Some(body)).await?.json().await
    }

    /// Removes something.
    pub(super) async fn delete(&self, segments: Segments<'_>) -> anyhow::Result<()> {
        self.ask(Method::DELETE, self.address(segments)?, None).await.map(drop)
    }

    /// The address of something: each segment is one, whatever characters it has.
    fn address(&self, segments: Segments<'_>) -> anyhow::Result<Url> {
        let mut url = self.base.clone();
        let unusable = || Failure::new(format!("{} is no address of a node", self.base));
        url.path_segments_mut()
            .map_err(|()| unusable())?
            .pop_if_empty()
            .extend(["api", "v1"])
            .extend(segments);
        Ok(url)
    }

    async fn ask(&self, method: Method, url: Url, body: Option<Vec<u8>>) -> anyhow::Result<Answer> {
        let mut request = Request::builder().method(method);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {}", token.reveal()));
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.unwrap_or_default();
        let answer = match &self.way {
            Way::Network(network) => network.ask(request.uri(url.as_str()).body(body)?).await?,
            Way::Folder { router, .. } => {
                let path = &url[url::Position::BeforePath..];
                let mut request = request.uri(path).body(Body::from(body))?;
                let here = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
                request.extensions_mut().insert(ConnectInfo(here));
                match router.clone().oneshot(request).await {
                    Ok(response) => Answer::here(response),
                    Err(never) => match never {},
                }
            }
        };
        answer.or_problem().await
    }
}

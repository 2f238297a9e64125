//! HTTP: one request, one response.
//!
//! Redirects, limits and politeness are the fetcher's business; here a request is sent as it is.

use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::Resolve;
use reqwest::{Request, Response};
use rustls::ClientConfig;
use thiserror::Error;
use url::Url;

use super::Pending;

/// Makes HTTP clients.
pub trait Http: Send + Sync {
    /// A client of its own, with its own connections.
    fn client(&self, setup: ClientSetup) -> Result<Arc<dyn HttpClient>, SetupError>;
}

/// Sends requests. Connections are kept alive and shared.
pub trait HttpClient: Send + Sync {
    /// Sends a request and waits for the headers of the response. Follows no redirect.
    fn execute(&self, request: Request) -> Pending<'static, Result<Response, ExchangeError>>;
}

/// How a client is set up.
pub struct ClientSetup {
    pub tls: ClientConfig,
    pub resolver: Arc<dyn Resolve>,
    /// A proxy for all requests.
    pub proxy: Option<Url>,
    /// Whether `HTTP_PROXY` and its kin count, if no proxy is named.
    pub proxy_from_environment: bool,
    pub connect_timeout: Duration,
    /// Connections to one host that are kept alive while idle.
    pub idle_per_host: usize,
}

/// What cannot be used to set up a client.
#[derive(Debug, Clone, Error)]
#[error("{what} cannot be used: {why}")]
pub struct SetupError {
    pub what: &'static str,
    pub why: String,
}

/// Why there is no response.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The client says why.
    #[error(transparent)]
    Client(#[from] reqwest::Error),
    /// There is no connection.
    #[error("no connection: {0}")]
    NoConnection(String),
}

/// The clients of production.
pub(super) struct Reqwest;

impl Http for Reqwest {
    fn client(&self, setup: ClientSetup) -> Result<Arc<dyn HttpClient>, SetupError> {
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(setup.tls)
            .dns_resolver(setup.resolver)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(setup.connect_timeout)
            .pool_max_idle_per_host(setup.idle_per_host);
        let wrong = |what| move |error: reqwest::Error| SetupError { what, why: error.to_string() };
        if let Some(proxy) = setup.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(wrong("the proxy"))?);
        } else if !setup.proxy_from_environment {
            builder = builder.no_proxy();
        }
        Ok(Arc::new(builder.build().map_err(wrong("the HTTP client"))?))
    }
}

impl HttpClient for reqwest::Client {
    fn execute(&self, request: Request) -> Pending<'static, Result<Response, ExchangeError>> {
        let response = self.execute(request);
        Box::pin(async move { Ok(response.await?) })
    }
}

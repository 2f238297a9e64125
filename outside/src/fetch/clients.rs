//! The HTTP clients: the usual one, and one for each host with certificates of its own.
//!
//! Connections are shared within a client only, so a connection with one host's certificates is never used
//! for another host.

use std::collections::HashMap;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use reqwest::{Request, Response};
use rustls::ClientConfig;

use super::{FetchError, FetchSettings};
use crate::credentials::Credentials;
use crate::guard::GuardedResolver;
use crate::surroundings::{ClientSetup, ExchangeError, HttpClient, SetupError};

/// The clients. Cheap to clone.
#[derive(Clone)]
pub(super) struct Clients {
    usual: Arc<dyn HttpClient>,
    special: Arc<HashMap<String, Arc<dyn HttpClient>>>,
    credentials: Credentials,
}

impl Clients {
    pub(super) fn new(settings: &FetchSettings) -> Result<Self, FetchError> {
        let credentials = settings.credentials()?;
        let special = credentials.special();
        let special = special.map(|(host, tls)| Ok((host.to_owned(), client(settings, tls)?)));
        let special: Result<_, FetchError> = special.collect();
        let usual = client(settings, credentials.usual())?;
        Ok(Self { usual, special: Arc::new(special?), credentials })
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Sends a request with the client certificate for its host, but without a token.
    pub(super) async fn execute(&self, request: Request) -> Result<Response, ExchangeError> {
        let host = request.url().host_str().unwrap_or_default().trim_end_matches('.');
        self.special.get(host).unwrap_or(&self.usual).execute(request).await
    }

    /// The same, and with the token for its host if there is one and the request shows nothing else.
    pub(super) async fn execute_with_token(
        &self,
        mut request: Request,
    ) -> Result<Response, ExchangeError> {
        let token = self.credentials.shown_to(request.url()).token.cloned();
        if let Some(token) = token.filter(|_| !request.headers().contains_key(AUTHORIZATION)) {
            request.headers_mut().insert(AUTHORIZATION, token);
        }
        self.execute(request).await
    }
}

fn client(settings: &FetchSettings, tls: &ClientConfig) -> Result<Arc<dyn HttpClient>, FetchError> {
    let names = Arc::clone(&settings.outside.names);
    let setup = ClientSetup {
        tls: tls.clone(),
        resolver: Arc::new(GuardedResolver::new(settings.guard.clone(), names)),
        proxy: settings.proxy.clone(),
        proxy_from_environment: settings.proxy_from_environment,
        connect_timeout: settings.connect_timeout,
        idle_per_host: settings.idle_per_host,
    };
    let wrong =
        |error: SetupError| FetchError::Settings { what: error.what.to_owned(), why: error.why };
    settings.outside.http.client(setup).map_err(wrong)
}

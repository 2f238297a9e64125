//! The HTTP clients: the usual one, and one for each host with certificates of its own.
//!
//! Connections are shared within a client only, so a connection with one host's certificates is never used
//! for another host.

use std::collections::HashMap;
use std::sync::Arc;

use http::Method;
use http::header::{AUTHORIZATION, HeaderMap};
use rustls::ClientConfig;
use url::Url;

use super::{FetchError, FetchSettings};
use crate::crawl::guard::GuardedResolver;
use crate::credentials::Credentials;

/// The clients. Cheap to clone.
#[derive(Clone)]
pub(super) struct Clients {
    usual: reqwest::Client,
    special: Arc<HashMap<String, reqwest::Client>>,
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

    /// The client for an address. It presents the certificate for its host, but no token.
    pub(super) fn of(&self, url: &Url) -> &reqwest::Client {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        self.special.get(host).unwrap_or(&self.usual)
    }

    /// A GET with these headers, and the token for its host if there is one.
    pub(super) async fn get(
        &self,
        url: &Url,
        headers: HeaderMap,
    ) -> reqwest::Result<reqwest::Response> {
        let mut request = reqwest::Request::new(Method::GET, url.clone());
        *request.headers_mut() = headers;
        if let Some(token) = self.credentials.shown_to(url).token {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        self.of(url).execute(request).await
    }
}

fn client(settings: &FetchSettings, tls: &ClientConfig) -> Result<reqwest::Client, FetchError> {
    let resolver = GuardedResolver::new(settings.guard.clone(), &settings.resolver_files);
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls.clone())
        .dns_resolver(resolver)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(settings.connect_timeout)
        .pool_max_idle_per_host(settings.idle_per_host);
    let wrong = |what: &str, error: reqwest::Error| FetchError::Settings {
        what: what.to_owned(),
        why: error.to_string(),
    };
    if let Some(proxy) = &settings.proxy {
        let proxy = reqwest::Proxy::all(proxy.clone()).map_err(|e| wrong("the proxy", e))?;
        builder = builder.proxy(proxy);
    } else if !settings.proxy_from_environment {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| wrong("the HTTP client", error))
}

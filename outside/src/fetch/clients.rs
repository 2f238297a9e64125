//! The HTTP clients: for whoever was named by the operator and for whoever was led somewhere by strangers, and for
//! each host with certificates of its own.
//!
//! Connections are shared within a client only, so a connection with one host's certificates is never used
//! for another host, and one into a private network never for somebody who may not reach it.

use std::collections::HashMap;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use reqwest::{Request, Response};
use rustls::ClientConfig;

use super::{FetchError, FetchSettings};
use crate::credentials::Credentials;
use crate::guard::{Guard, GuardedResolver};
use crate::mandate::Mandate;
use crate::surroundings::{ClientSetup, ExchangeError, HttpClient, SetupError};

/// The clients. Cheap to clone.
#[derive(Clone)]
pub(super) struct Clients {
    usual: Reaching,
    special: Arc<HashMap<String, Reaching>>,
    credentials: Credentials,
}

/// The clients for one host, by what a request may reach there.
#[derive(Clone)]
struct Reaching {
    /// Its origin was named: private addresses, our certificate.
    origin: Arc<dyn HttpClient>,
    /// Only its host was named: private addresses.
    host: Arc<dyn HttpClient>,
    /// It was not named: public addresses.
    nothing: Arc<dyn HttpClient>,
}

impl Reaching {
    fn new(
        settings: &FetchSettings,
        tls: &ClientConfig,
        anonymous: Option<&ClientConfig>,
    ) -> Result<Self, FetchError> {
        let own = &settings.guard;
        let led = own.for_led(settings.proxy.as_ref());
        let origin = client(settings, own, tls)?;
        let host = match anonymous {
            Some(tls) => client(settings, own, tls)?,
            None => Arc::clone(&origin),
        };
        Ok(Self { origin, host, nothing: client(settings, &led, anonymous.unwrap_or(tls))? })
    }
}

impl Clients {
    pub(super) fn new(settings: &FetchSettings) -> Result<Self, FetchError> {
        let credentials = settings.credentials()?;
        let special = credentials.special().map(|(host, tls, anonymous)| {
            Ok((host.to_owned(), Reaching::new(settings, tls, Some(anonymous))?))
        });
        let special: Result<_, FetchError> = special.collect();
        let usual = Reaching::new(settings, credentials.usual(), None)?;
        Ok(Self { usual, special: Arc::new(special?), credentials })
    }

    pub(super) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// Sends a request without a token; with our certificate for its host if its origin was named.
    pub(super) async fn execute(
        &self,
        request: Request,
        mandate: &Mandate,
    ) -> Result<Response, ExchangeError> {
        let url = request.url();
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let reaching = self.special.get(host).unwrap_or(&self.usual);
        let client = match (mandate.names_origin(url), mandate.names_host(url)) {
            (true, _) => &reaching.origin,
            (false, true) => &reaching.host,
            (false, false) => &reaching.nothing,
        };
        client.execute(request).await
    }

    /// The same, and with the token for its host if there is one, its origin was named and the request shows nothing
    /// else.
    pub(super) async fn execute_with_token(
        &self,
        mut request: Request,
        mandate: &Mandate,
    ) -> Result<Response, ExchangeError> {
        let url = request.url();
        let token = self.credentials.shown_to(url).token.filter(|_| mandate.names_origin(url));
        if let Some(token) =
            token.cloned().filter(|_| !request.headers().contains_key(AUTHORIZATION))
        {
            request.headers_mut().insert(AUTHORIZATION, token);
        }
        self.execute(request, mandate).await
    }
}

fn client(
    settings: &FetchSettings,
    guard: &Guard,
    tls: &ClientConfig,
) -> Result<Arc<dyn HttpClient>, FetchError> {
    let names = Arc::clone(&settings.outside.names);
    let setup = ClientSetup {
        tls: tls.clone(),
        resolver: Arc::new(GuardedResolver::new(guard.clone(), names)),
        proxy: settings.proxy.clone(),
        proxy_from_environment: settings.proxy_from_environment,
        connect_timeout: settings.connect_timeout,
        idle_per_host: settings.idle_per_host,
    };
    let wrong =
        |error: SetupError| FetchError::Settings { what: error.what.to_owned(), why: error.why };
    settings.outside.http.client(setup).map_err(wrong)
}

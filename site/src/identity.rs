//! Asks the OpenID provider who a visitor is.
//!
//! The provider's description and keys are kept for a while. All requests pass the guard of the node, and no
//! secret goes to an address that others on the way could read.

use std::net::IpAddr;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use pergola_accounts::tries::{TooEarly, Tries};
use pergola_config::OpenId;
use pergola_node::node::Node;
use pergola_openid::{
    BadClaims, BadKeys, BadProvider, BadToken, Begun, Claims, Client, Expected, Grant, KeySet,
    NoGrant, Provider, configuration_of, verified,
};
use pergola_outside::fetch::{Call, Called, FetchError};
use pergola_outside::locks::Mutex;
use pergola_outside::mandate::Mandate;
use url::Url;

/// Seconds for which it is believed what a provider said of itself.
const KEPT: f64 = 3600.0;
/// Seconds before keys are asked for again because of a token.
const KEYS_KEPT: f64 = 30.0;
/// How long a provider may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const LONGEST: usize = 1 << 20;

/// What is known of the provider.
#[derive(Default)]
pub(crate) struct Identity {
    known: Mutex<Option<Known>>,
    tries: Mutex<Tries>,
}

#[derive(Clone)]
struct Known {
    /// As it is configured.
    issuer: String,
    provider: Provider,
    keys: KeySet,
    at: f64,
}

/// Why it is not known who somebody is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("the OpenID provider cannot be asked: {0}")]
    Unreachable(#[from] FetchError),
    #[error("the OpenID provider answered `{url}` with status {status}")]
    Status { url: Url, status: u16 },
    #[error(
        "`{0}` is not encrypted: the OpenID provider must be at https://, or in a private network that \
         `crawl.allow_private` names"
    )]
    InTheClear(Url),
    #[error(transparent)]
    Provider(#[from] BadProvider),
    #[error(transparent)]
    Keys(#[from] BadKeys),
    #[error(transparent)]
    NoGrant(#[from] NoGrant),
    #[error(transparent)]
    Token(#[from] BadToken),
    #[error(transparent)]
    Claims(#[from] BadClaims),
    #[error(transparent)]
    TooEarly(#[from] TooEarly),
}

impl Identity {
    /// The provider.
    pub(crate) async fn provider(
        &self,
        node: &Node,
        settings: &OpenId,
    ) -> Result<Provider, Trouble> {
        Ok(self.known(node, settings, KEPT).await?.provider)
    }

    /// The provider, if it has been asked already.
    pub(crate) fn provider_so_far(&self, settings: &OpenId) -> Option<Provider> {
        let known = self.known.lock();
        let known = known.as_ref().filter(|known| known.issuer == settings.issuer)?;
        Some(known.provider.clone())
    }

    /// What is known of the provider, and not older than this.
    async fn known(&self, node: &Node, settings: &OpenId, age: f64) -> Result<Known, Trouble> {
        let now = node.clock.now();
        let is_good = |known: &Known| {
            known.issuer == settings.issuer && (0.0..age).contains(&(now - known.at))
        };
        if let Some(known) = self.known.lock().clone().filter(is_good) {
            return Ok(known);
        }
        let asks = Asks { node, settings };
        let document = asks.get(configuration_of(&settings.issuer)?, None).await?;
        let provider = Provider::read(&document, &settings.issuer)?;
        let keys = KeySet::read(&asks.get(provider.keys.clone(), None).await?)?;
        let known = Known { issuer: settings.issuer.clone(), provider, keys, at: now };
        *self.known.lock() = Some(known.clone());
        Ok(known)
    }

    /// Who somebody is who came back with this code. Wrong tries are counted by address.
    pub(crate) async fn who(
        &self,
        node: &Node,
        settings: &OpenId,
        (begun, code, from): (&Begun, &str, Option<IpAddr>),
    ) -> Result<(Provider, Claims), Trouble> {
        let state = begun.state();
        self.tries.lock().begin(&state, from, node.clock.now())?;
        let known = self.known(node, settings, KEPT).await?;
        let grant = exchange(node, settings, &known.provider, begun, code).await?;
        let expected = Expected {
            issuer: &known.provider.issuer,
            client: &settings.client_id,
            nonce: &begun.nonce(),
            now: node.clock.now(),
        };
        let claims = match verified(&grant.id_token, &known.keys, expected) {
            Err(error) if error.is_by_unknown_key() => {
                // The provider may have changed its keys.
                let renewed = self.known(node, settings, KEYS_KEPT).await?;
                verified(&grant.id_token, &renewed.keys, expected)?
            }
            other => other?,
        };
        let claims = completed(node, settings, &known.provider, grant, claims).await?;
        self.tries.lock().succeeded(&state, from);
        Ok((known.provider, claims))
    }
}

/// The address to which the provider sends people back.
pub(crate) fn redirect(node: &Node) -> Url {
    own(node, "login/openid/back")
}

/// A page of this node, as others reach it.
pub(crate) fn own(node: &Node, path: &str) -> Url {
    let public = node.config().node.public_url.clone();
    let base = public.as_str().trim_end_matches('/');
    Url::parse(&format!("{base}/{path}")).unwrap_or(public)
}

/// This node, as the provider knows it.
pub(crate) fn client<'a>(settings: &'a OpenId, redirect: &'a Url) -> Client<'a> {
    let secret = settings.client_secret.as_ref().map(|secret| secret.reveal());
    Client { id: &settings.client_id, secret, redirect }
}

/// What the provider gives for a code.
async fn exchange(
    node: &Node,
    settings: &OpenId,
    provider: &Provider,
    begun: &Begun,
    code: &str,
) -> Result<Grant, Trouble> {
    let redirect = redirect(node);
    let request = client(settings, &redirect).token_for(provider, begun, code);
    let mut headers = HeaderMap::new();
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    headers.insert(CONTENT_TYPE, form);
    if let Some(proof) = request.authorization.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert(AUTHORIZATION, proof);
    }
    let asks = Asks { node, settings };
    let called = asks.call(Method::POST, provider.token.clone(), headers, request.body).await?;
    Ok(Grant::read(called.status, &called.body)?)
}

/// What the provider says of somebody, also where the token does not say it.
async fn completed(
    node: &Node,
    settings: &OpenId,
    provider: &Provider,
    grant: Grant,
    claims: Claims,
) -> Result<Claims, Trouble> {
    let by_group = settings.user_group.is_some() || settings.admin_group.is_some();
    let complete =
        claims.has(&settings.name_claim) && (!by_group || claims.has(&settings.groups_claim));
    match (&provider.userinfo, grant.access_token) {
        (Some(address), Some(token)) if !complete => {
            let document = Asks { node, settings }.get(address.clone(), Some(&token)).await?;
            Ok(claims.completed(&document)?)
        }
        _ => Ok(claims),
    }
}

/// Asks a provider.
struct Asks<'a> {
    node: &'a Node,
    settings: &'a OpenId,
}

impl Asks<'_> {
    /// What is at an address of the provider.
    async fn get(&self, url: Url, token: Option<&str>) -> Result<Vec<u8>, Trouble> {
        let mut headers = HeaderMap::new();
        let proof = token.and_then(|token| HeaderValue::try_from(format!("Bearer {token}")).ok());
        proof.map(|proof| headers.insert(AUTHORIZATION, proof));
        let called = self.call(Method::GET, url.clone(), headers, String::new()).await?;
        match called.status {
            200 => Ok(called.body.to_vec()),
            status => Err(Trouble::Status { url, status }),
        }
    }

    async fn call(
        &self,
        method: Method,
        url: Url,
        mut headers: HeaderMap,
        body: String,
    ) -> Result<Called, Trouble> {
        let fetcher = self.node.fetcher();
        if url.scheme() != "https" && !fetcher.is_neighbour(&url) {
            return Err(Trouble::InTheClear(url));
        }
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        // Whoever configured the issuer has named its host, and no other.
        let issuer = Url::parse(&self.settings.issuer).ok();
        let mandate = issuer.map_or_else(Mandate::none, |issuer| Mandate::of(&issuer));
        let (timeout, body) = (PATIENCE, body.into());
        let call = Call { url, method, headers, body, mandate, timeout, answer_bytes: LONGEST };
        Ok(fetcher.call(call).await?)
    }
}

//! Fetching: one conditional GET, within limits.
//!
//! This layer over the HTTP client exists because redirects are checked and recorded hop by hop, the whole
//! exchange has one deadline that a slow body cannot extend, and bodies are decompressed later, off the async
//! threads and with limits.
//!
//! Never: cookies, a Referer, a false user agent, an unchecked certificate, an unbounded body.

mod agent;
mod answer;
mod call;
mod clients;
mod decode;
mod error;
mod picture;
mod settings;

use std::borrow::Cow;
use std::pin::Pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    USER_AGENT,
};
use http::{Method, StatusCode};
use pergola_feed::address::take_user;
use pergola_manners::courtesy::{Head, Hop, Validators};
use pergola_manners::reply::Presented;
use pergola_manners::source::Credentials as SourceCredentials;
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use answer::Answer;
pub use answer::decompressed;
pub use call::{Call, Called};
pub use decode::DecodeLimits;
pub use error::{FetchError, Stage};
pub use picture::{NoPicture, Picture};
pub use settings::FetchSettings;

use crate::clock::network_now;
use crate::credentials::Credentials;
use crate::guard::Guard;
use crate::mandate::Mandate;
use agent::Agent;
use clients::Clients;
use error::{shown, shown_location};

const A_IM: HeaderName = HeaderName::from_static("a-im");
/// What a feed reader understands, best first.
const ACCEPTED: HeaderValue = HeaderValue::from_static(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, \
     application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, text/html;q=0.5, */*;q=0.1",
);
const ENCODINGS: HeaderValue = HeaderValue::from_static("zstd, br, gzip");
/// Bytes of an unused body that are received, so that the connection can be used again …
const DRAINED: usize = 64 * 1024;
/// … and for how long.
const DRAINING: Duration = Duration::from_secs(1);
/// Longer addresses are not followed.
const LONGEST_URL: usize = 4_096;

/// What to ask for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub url: Url,
    /// The document that we have, as [`Courtesy::request`](pergola_manners::courtesy::Courtesy::request) says.
    pub validators: Validators,
    /// Only new items are wanted (`A-IM: feed`); this is sent together with a validator.
    pub delta: bool,
    /// How many feeds read this source through us.
    pub subscribers: u32,
    /// What to accept instead of any kind of feed.
    pub accept: Option<HeaderValue>,
    /// What the source is shown to let us in; sent to the origin they were given for, and nowhere else.
    pub credentials: Option<SourceCredentials>,
    /// What may be reached: the address itself, as if it was named, unless something else is said.
    pub mandate: Mandate,
}

impl Ask {
    pub fn new(url: Url, validators: Validators, subscribers: u32) -> Self {
        let mandate = Mandate::of(&url);
        Self {
            url,
            validators,
            delta: false,
            subscribers,
            accept: None,
            credentials: None,
            mandate,
        }
    }
}

/// Says whether an address may be asked.
pub trait Permission: Send + Sync {
    fn ask<'a>(&'a self, url: &'a Url) -> Answered<'a>;
}

/// Whether an address may be asked, or why not.
pub type Answered<'a> = Pin<Box<dyn Future<Output = Result<(), FetchError>> + Send + 'a>>;

/// The node's HTTP client. Cheap to clone; connections are kept alive and shared.
#[derive(Clone)]
pub struct Fetcher {
    clients: Clients,
    guard: Guard,
    agent: Agent,
    total_timeout: Duration,
    max_body: usize,
    max_redirects: usize,
    decode: DecodeLimits,
}

impl Fetcher {
    /// A client with these settings. Create and use it inside a Tokio runtime.
    pub fn new(settings: FetchSettings) -> Result<Self, FetchError> {
        Ok(Self {
            clients: Clients::new(&settings)?,
            agent: Agent::new(&settings.product()),
            guard: settings.guard,
            total_timeout: settings.total_timeout,
            max_body: settings.max_body,
            max_redirects: settings.max_redirects,
            decode: settings.decode,
        })
    }

    /// Which private addresses may be reached.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// How far a body may decompress.
    pub fn decode_limits(&self) -> &DecodeLimits {
        &self.decode
    }

    /// Credentials for single hosts, and the certificates we trust there.
    pub fn credentials(&self) -> &Credentials {
        self.clients.credentials()
    }

    /// Asks once, follows redirects, and returns what the source answered, whatever its status.
    pub async fn fetch(&self, ask: &Ask) -> Result<Answer, FetchError> {
        self.fetch_if(ask, None).await
    }

    /// The same, and asks for permission before it follows a redirect.
    pub async fn fetch_if(
        &self,
        ask: &Ask,
        permission: Option<&dyn Permission>,
    ) -> Result<Answer, FetchError> {
        let deadline = network_now() + self.total_timeout;
        let mut url = ask.url.clone();
        let mut mandate = Cow::Borrowed(&ask.mandate);
        let mut hops: Vec<Hop> = Vec::new();
        loop {
            let mut headers = self.headers(ask);
            let presented = self.present(&mut headers, &url, &mandate, ask.credentials.as_ref());
            let mut response = self.send(&url, headers, &mandate, deadline).await?;
            let status = response.status();
            let head = Head::take(response.headers_mut());
            if is_redirect(status) {
                let to = self.target(&url, &head, hops.len())?;
                drain(response, deadline).await;
                mandate = Cow::Owned(mandate.into_owned().after(&to));
                self.check(&to, &mandate)?;
                if let Some(permission) = permission {
                    permission.ask(&to).await?;
                }
                hops.push(Hop { status: status.as_u16(), to: to.clone() });
                url = to;
                continue;
            }
            let body = if matches!(status.as_u16(), 200 | 226) {
                self.body(&url, response, self.max_body, deadline).await?
            } else {
                drain(response, deadline).await;
                Bytes::new()
            };
            let wire_bytes = body.len() as u64;
            let status = status.as_u16();
            return Ok(Answer { status, url, hops, head, body, wire_bytes, presented });
        }
    }

    /// The user agent without the number of subscribers.
    pub fn agent(&self) -> String {
        self.agent.plain()
    }

    fn headers(&self, ask: &Ask) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(ACCEPT, ask.accept.clone().unwrap_or(ACCEPTED));
        headers.insert(ACCEPT_ENCODING, ENCODINGS);
        if let Some(agent) = self.agent.of(ask.subscribers) {
            headers.insert(USER_AGENT, agent);
        }
        let mut validator = |name, bytes: &Option<Vec<u8>>| {
            let value = bytes.as_ref().and_then(|bytes| HeaderValue::from_bytes(bytes).ok());
            value.map(|value| headers.insert(name, value)).is_some()
        };
        let etag = validator(IF_NONE_MATCH, &ask.validators.etag);
        let date = validator(IF_MODIFIED_SINCE, &ask.validators.last_modified);
        if ask.delta && (etag || date) {
            headers.insert(A_IM, HeaderValue::from_static("feed"));
        }
        headers
    }

    /// Adds a source's credentials, if they are for this address and nobody on the way can read them.
    fn present(
        &self,
        headers: &mut HeaderMap,
        url: &Url,
        mandate: &Mandate,
        credentials: Option<&SourceCredentials>,
    ) -> Presented {
        let Some(credentials) = credentials else { return Presented::Nothing };
        if !credentials.are_for(url) || !mandate.names_origin(url) {
            return Presented::Elsewhere;
        }
        if !self.credentials().keeps_secrets(url) && !self.guard.is_exception(url) {
            return Presented::InTheClear;
        }
        let Some((name, value)) = credentials.proof.header() else { return Presented::Nothing };
        headers.insert(name, value);
        Presented::Credentials
    }

    /// One request, up to the headers of its answer.
    async fn send(
        &self,
        url: &Url,
        headers: HeaderMap,
        mandate: &Mandate,
        deadline: Instant,
    ) -> Result<reqwest::Response, FetchError> {
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(FetchError::BadUrl { url: shown(url) });
        }
        self.check(url, mandate)?;
        let mut request = reqwest::Request::new(Method::GET, url.clone());
        *request.headers_mut() = headers;
        let sent = self.clients.execute_with_token(request, mandate);
        match timeout_at(deadline, sent).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(FetchError::of_exchange(error, url, Stage::Headers)),
            Err(_) => Err(FetchError::timeout(url, Stage::Headers)),
        }
    }

    /// Whether an address may be asked, as far as that is known before its name is resolved. A proxy resolves names
    /// itself, so hosts that are known to be private are refused by name, too.
    fn check(&self, url: &Url, mandate: &Mandate) -> Result<(), FetchError> {
        if mandate.names_host(url) {
            return Ok(self.guard.check_literal(url)?);
        }
        self.guard.for_led(None).check_literal(url)?;
        if self.guard.is_exception(url) {
            return Err(FetchError::NotNamed {
                host: url.host_str().unwrap_or_default().to_owned(),
            });
        }
        Ok(())
    }

    /// Where a redirect leads, if it may be followed.
    fn target(&self, from: &Url, head: &Head, hops: usize) -> Result<Url, FetchError> {
        if hops >= self.max_redirects {
            return Err(FetchError::TooManyRedirects {
                url: shown(from),
                most: self.max_redirects,
            });
        }
        let location = head.location.as_ref().map_or(&b""[..], HeaderValue::as_bytes);
        let bad = || FetchError::BadRedirect {
            url: shown(from),
            location: shown_location(&location[..location.len().min(200)]),
        };
        if location.is_empty() || location.len() > LONGEST_URL {
            return Err(bad());
        }
        let text = std::str::from_utf8(location).map_err(|_| bad())?;
        let mut to = from.join(text).map_err(|_| bad())?;
        if !matches!(to.scheme(), "http" | "https") || to.as_str().len() > LONGEST_URL {
            return Err(bad());
        }
        to.set_fragment(None);
        // Nobody gives us a user and a password that way.
        take_user(&mut to);
        Ok(to)
    }

    /// The body as received, if it has at most so many bytes.
    async fn body(
        &self,
        url: &Url,
        mut response: reqwest::Response,
        most: usize,
        deadline: Instant,
    ) -> Result<Bytes, FetchError> {
        let too_large = || FetchError::TooLarge { url: shown(url), most };
        let announced = response.content_length().unwrap_or(0);
        if announced > most as u64 {
            return Err(too_large());
        }
        // Most feeds come in one piece, which is then the body without a copy.
        let mut whole = Bytes::new();
        let mut pieces = BytesMut::new();
        loop {
            let chunk = match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(FetchError::of_client(error, url, Stage::Body)),
                Err(_) => return Err(FetchError::timeout(url, Stage::Body)),
            };
            if whole.len().max(pieces.len()) + chunk.len() > most {
                return Err(too_large());
            }
            if whole.is_empty() {
                whole = chunk;
                continue;
            }
            if pieces.is_empty() {
                pieces.reserve(usize::try_from(announced).unwrap_or(0));
                pieces.extend_from_slice(&whole);
            }
            pieces.extend_from_slice(&chunk);
        }
        Ok(if pieces.is_empty() { whole } else { pieces.freeze() })
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Receives a short body that is not used, so that the connection can be used again. The answer is already
/// known: a failure here only costs the connection.
async fn drain(mut response: reqwest::Response, deadline: Instant) {
    if response.content_length() == Some(0) {
        return;
    }
    let deadline = deadline.min(network_now() + DRAINING);
    let mut drained = 0;
    while let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await {
        drained += chunk.len();
        if drained > DRAINED {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use pergola_manners::secret::Secret;
    use pergola_manners::source::Proof;

    use super::*;

    #[tokio::test]
    async fn credentials_go_to_their_origin_over_tls_or_within_a_private_network() {
        let guard = Guard::allowing(["nas.example".parse().unwrap()]);
        let fetcher = Fetcher::new(FetchSettings { guard, ..FetchSettings::default() }).unwrap();
        let url = |text: &str| Url::parse(text).unwrap();
        for (given_for, asked, presented) in [
            ("https://a.example/", "https://a.example:443/x", Presented::Credentials),
            ("http://10.0.0.7/", "http://10.0.0.7/", Presented::Credentials),
            ("http://[::1]:8080/", "http://[::1]:8080/", Presented::Credentials),
            ("http://nas.example/", "http://nas.example/", Presented::Credentials),
            ("http://a.example/", "http://a.example/", Presented::InTheClear),
            ("http://203.0.113.9/", "http://203.0.113.9/", Presented::InTheClear),
            ("http://a.example/", "https://a.example/", Presented::Elsewhere),
            ("https://a.example/", "http://a.example/", Presented::Elsewhere),
            ("https://a.example/", "https://a.example:8443/", Presented::Elsewhere),
            ("https://a.example/", "https://www.a.example/", Presented::Elsewhere),
        ] {
            let proof = Proof::Header { name: "X-Token".into(), value: Secret::new("sesame") };
            let credentials = SourceCredentials::new(&url(given_for), proof);
            let mut headers = HeaderMap::new();
            let mandate = Mandate::of(&url(asked));
            let shown = fetcher.present(&mut headers, &url(asked), &mandate, Some(&credentials));
            assert_eq!(shown, presented, "{given_for} {asked}");
            assert_eq!(headers.contains_key("x-token"), shown == Presented::Credentials);
        }
        let home = url("https://a.example/");
        let present = |mandate: &Mandate, given: Option<&SourceCredentials>| {
            fetcher.present(&mut HeaderMap::new(), &home, mandate, given)
        };
        assert_eq!(present(&Mandate::of(&home), None), Presented::Nothing);
        let proof = Proof::Header { name: "X-Token".into(), value: Secret::new("sesame") };
        let given = SourceCredentials::new(&home, proof);
        let moved = Mandate::of(&url("https://b.example/"));
        assert_eq!(present(&moved, Some(&given)), Presented::Elsewhere, "led back by another");
    }
}

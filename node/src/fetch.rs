//! Asking: one conditional GET, politely, within bounds.
//!
//! Why our own layer over the client: redirects must be checked and recorded hop by hop, the whole
//! exchange has one deadline that a dripping body cannot extend, and a body is unpacked by whoever
//! reads it, off the async threads and with limits.
//!
//! Never: cookies, a Referer, a disguise, an unchecked certificate, an unbounded body.

mod answer;
mod call;
mod clients;
mod decode;
mod error;
mod page;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    USER_AGENT,
};
use http::{Method, StatusCode};
use pergola_manners::courtesy::{Head, Hop, Validators};
use tokio::time::{Instant, timeout_at};
use url::Url;

pub use answer::Answer;
pub use call::{Call, Called};
pub use decode::DecodeLimits;
pub use error::{FetchError, Stage};
pub use page::Page;
pub use settings::FetchSettings;

use crate::clock::network_now;
use crate::credentials::Credentials;
use crate::guard::Guard;
use clients::Clients;

const A_IM: HeaderName = HeaderName::from_static("a-im");
/// What a reader of feeds understands, best first.
const ACCEPTED: HeaderValue = HeaderValue::from_static(
    "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, \
     application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.7, text/html;q=0.5, */*;q=0.1",
);
const ENCODINGS: HeaderValue = HeaderValue::from_static("zstd, br, gzip");
/// How much of a body that nobody reads is taken in, so that the connection can be used again.
const DRAINED: usize = 64 * 1024;
/// And for how long.
const DRAINING: Duration = Duration::from_secs(1);
/// Longer addresses are not followed.
const LONGEST_URL: usize = 4_096;

/// What to ask for.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The source.
    pub url: Url,
    /// What we have, as [`Courtesy::request`](pergola_manners::courtesy::Courtesy::request) says.
    pub validators: Validators,
    /// Whether only new items are wanted (`A-IM: feed`); it is asked for together with a validator.
    pub delta: bool,
    /// How many people read this source through us.
    pub subscribers: u32,
    /// What to accept instead of any kind of feed.
    pub accept: Option<HeaderValue>,
}

impl Ask {
    /// Asks for a feed.
    pub fn new(url: Url, validators: Validators, subscribers: u32) -> Self {
        Self { url, validators, delta: false, subscribers, accept: None }
    }
}

/// The node's HTTP client. Cheap to clone; connections are kept alive and shared.
#[derive(Clone)]
pub struct Fetcher {
    clients: Clients,
    guard: Arc<Guard>,
    product: Arc<str>,
    total_timeout: Duration,
    max_body: usize,
    max_redirects: usize,
}

impl Fetcher {
    /// A client with these settings. It must be made and used inside a Tokio runtime.
    pub fn new(settings: FetchSettings) -> Result<Self, FetchError> {
        Ok(Self {
            clients: Clients::new(&settings)?,
            product: settings.product().into(),
            guard: Arc::new(settings.guard),
            total_timeout: settings.total_timeout,
            max_body: settings.max_body,
            max_redirects: settings.max_redirects,
        })
    }

    /// What hosts are shown, and whom we trust there.
    pub fn credentials(&self) -> &Credentials {
        self.clients.credentials()
    }

    /// Asks once, follows redirects, and returns whatever the source answered.
    pub async fn fetch(&self, ask: &Ask) -> Result<Answer, FetchError> {
        let started = network_now();
        let deadline = started + self.total_timeout;
        let mut url = ask.url.clone();
        let mut hops: Vec<Hop> = Vec::new();
        loop {
            let mut response = self.send(&url, self.headers(ask), deadline).await?;
            let status = response.status();
            let head = Head::take(response.headers_mut());
            if is_redirect(status) {
                let to = self.target(&url, &head, hops.len())?;
                drain(response, deadline).await;
                hops.push(Hop { status: status.as_u16(), to: to.clone() });
                url = to;
                continue;
            }
            let body = if matches!(status.as_u16(), 200 | 226) {
                self.body(&url, response, deadline).await?
            } else {
                drain(response, deadline).await;
                Bytes::new()
            };
            let took = started.elapsed();
            let wire_bytes = body.len() as u64;
            return Ok(Answer {
                status: status.as_u16(),
                url,
                hops,
                head,
                body,
                wire_bytes,
                took,
                page: None,
            });
        }
    }

    fn headers(&self, ask: &Ask) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(8);
        headers.insert(ACCEPT, ask.accept.clone().unwrap_or(ACCEPTED));
        headers.insert(ACCEPT_ENCODING, ENCODINGS);
        let agent = format!("{}; {} subscribers)", self.product, ask.subscribers);
        if let Ok(agent) = HeaderValue::try_from(agent) {
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

    /// One hop, up to the headers of its answer.
    async fn send(
        &self,
        url: &Url,
        headers: HeaderMap,
        deadline: Instant,
    ) -> Result<reqwest::Response, FetchError> {
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(FetchError::BadUrl { url: url.to_string() });
        }
        self.guard.check_literal(url)?;
        let mut request = reqwest::Request::new(Method::GET, url.clone());
        *request.headers_mut() = headers;
        let sent = self.clients.execute_with_token(request);
        match timeout_at(deadline, sent).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(FetchError::of_exchange(error, url, Stage::Headers)),
            Err(_) => Err(FetchError::timeout(url, Stage::Headers)),
        }
    }

    /// Where a redirect leads, if it may be followed.
    fn target(&self, from: &Url, head: &Head, hops: usize) -> Result<Url, FetchError> {
        if hops >= self.max_redirects {
            return Err(FetchError::TooManyRedirects {
                url: from.to_string(),
                most: self.max_redirects,
            });
        }
        let location = head.location.as_ref().map_or(&b""[..], HeaderValue::as_bytes);
        let bad = || FetchError::BadRedirect {
            url: from.to_string(),
            location: String::from_utf8_lossy(&location[..location.len().min(200)]).into_owned(),
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
        Ok(to)
    }

    /// The body as it comes over the wire.
    async fn body(
        &self,
        url: &Url,
        mut response: reqwest::Response,
        deadline: Instant,
    ) -> Result<Bytes, FetchError> {
        let too_large = || FetchError::TooLarge { url: url.to_string(), most: self.max_body };
        let announced = response.content_length().unwrap_or(0);
        if announced > self.max_body as u64 {
            return Err(too_large());
        }
        // Most feeds come in one piece, which then is the body.
        let mut whole = Bytes::new();
        let mut pieces = BytesMut::new();
        loop {
            let chunk = match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(FetchError::of_client(error, url, Stage::Body)),
                Err(_) => return Err(FetchError::timeout(url, Stage::Body)),
            };
            if whole.len().max(pieces.len()) + chunk.len() > self.max_body {
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

/// Takes in a short body that nobody reads, so that the connection can be used again. The answer is
/// already known: whatever goes wrong here only costs the connection.
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

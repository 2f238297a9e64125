//! One request that is no refresh: to a hub, or to a subscriber's callback.
//!
//! It is made by the same client, so the same networks are out of reach. Redirects are not followed: the
//! caller may make another request, which is checked again.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{LOCATION, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::timeout_at;
use url::Url;

use super::error::shown;
use super::{FetchError, Fetcher, LONGEST_URL, Stage};
use crate::clock::network_now;
use crate::mandate::Mandate;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    pub url: Url,
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// What it may reach.
    pub mandate: Mandate,
    /// From the first byte sent to the last byte received.
    pub timeout: Duration,
    /// Bytes of the answer that are read; the rest is ignored.
    pub answer_bytes: usize,
}

/// What was answered.
#[derive(Clone, Debug)]
pub struct Called {
    pub status: u16,
    pub location: Option<Url>,
    /// Seconds to wait, if the answer says so.
    pub retry_after: Option<f64>,
    /// The beginning of the body.
    pub body: Bytes,
}

impl Called {
    pub fn is_fine(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Fetcher {
    /// Whether an address may be called at all, as far as that is known before its name is resolved.
    pub fn may_call(&self, url: &Url, mandate: &Mandate) -> Result<(), FetchError> {
        let right = matches!(url.scheme(), "http" | "https") && url.has_host();
        if !right || url.as_str().len() > LONGEST_URL {
            return Err(FetchError::BadUrl { url: shown(url) });
        }
        self.check(url, mandate)
    }

    /// Whether the configuration names this host or its network as a private one that may be reached.
    pub fn is_neighbour(&self, url: &Url) -> bool {
        self.guard.is_exception(url)
    }

    /// Makes one request and reads the beginning of its answer.
    pub async fn call(&self, call: Call) -> Result<Called, FetchError> {
        let Call { url, method, mut headers, body, mandate, timeout, answer_bytes } = call;
        self.may_call(&url, &mandate)?;
        if let Ok(agent) = HeaderValue::try_from(self.agent()) {
            headers.insert(USER_AGENT, agent);
        }
        let deadline = network_now() + timeout.min(self.total_timeout);
        let mut request = reqwest::Request::new(method, url.clone());
        *request.headers_mut() = headers;
        *request.body_mut() = Some(body.into());
        let sent = self.clients.execute(request, &mandate);
        let mut response = match timeout_at(deadline, sent).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(FetchError::of_exchange(error, &url, Stage::Headers)),
            Err(_) => return Err(FetchError::timeout(&url, Stage::Headers)),
        };
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let location = text(LOCATION).and_then(|place| url.join(place).ok());
        let retry_after = text(RETRY_AFTER).and_then(|seconds| seconds.trim().parse::<u32>().ok());
        let status = response.status().as_u16();
        let mut answer = BytesMut::new();
        while answer.len() < answer_bytes {
            match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(chunk))) => {
                    let room = answer_bytes - answer.len();
                    answer.extend_from_slice(&chunk[..chunk.len().min(room)]);
                }
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(FetchError::of_client(error, &url, Stage::Body)),
                Err(_) => return Err(FetchError::timeout(&url, Stage::Body)),
            }
        }
        let retry_after = retry_after.map(f64::from);
        Ok(Called { status, location, retry_after, body: answer.freeze() })
    }
}

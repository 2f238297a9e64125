//! What a source answered.

use std::borrow::Cow;

use bytes::Bytes;
use http::HeaderValue;
use pergola_manners::courtesy::{Head, Hop};
use pergola_manners::link::Refusal;
use pergola_manners::reply::{HttpAnswer, Presented, Reply};
use url::Url;

use super::FetchError;
use super::decode::{DecodeLimits, decode};

/// What a source answered, with its body as received.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status of the last hop.
    pub status: u16,
    /// The address that answered, after all redirects.
    pub url: Url,
    /// The redirects that led there.
    pub hops: Vec<Hop>,
    /// The headers that matter.
    pub head: Head,
    /// The body of a 200 or 226 as received, else empty.
    pub body: Bytes,
    /// Its length.
    pub wire_bytes: u64,
    /// What the address that answered was shown.
    pub presented: Presented,
}

impl Answer {
    /// The body without its content encodings. This takes time: do it where the body is parsed, not on
    /// an async thread.
    pub fn decoded(&self, limits: &DecodeLimits) -> Result<Cow<'_, [u8]>, FetchError> {
        decode(&self.body, self.head.content_encoding.as_ref(), limits, &self.url)
    }

    /// This answer as a reply. Decompresses the body, which takes time.
    pub fn into_reply(
        self,
        conditional: bool,
        refusal: Option<Refusal>,
        limits: &DecodeLimits,
    ) -> Reply {
        let Self { status, url, hops, head, body, wire_bytes: bytes, presented } = self;
        let body = decompressed(body, head.content_encoding.as_ref(), limits, &url);
        let body = body.map_err(|error| error.failure());
        Reply::Http(Box::new(HttpAnswer {
            status,
            url,
            hops,
            head,
            body,
            bytes,
            conditional,
            refusal,
            presented,
        }))
    }
}

/// A body without its content encodings; it is not copied if it has none.
pub fn decompressed(
    body: Bytes,
    encodings: Option<&HeaderValue>,
    limits: &DecodeLimits,
    url: &Url,
) -> Result<Bytes, FetchError> {
    let decoded = match decode(&body, encodings, limits, url)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(decoded) => Some(decoded),
    };
    Ok(decoded.map_or(body, Bytes::from))
}

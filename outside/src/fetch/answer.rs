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

    /// Whether the body without its content encodings has at most `most` bytes. If so, it has none from now on.
    pub fn decompress_within(&mut self, most: usize) -> bool {
        if self.body.len() > most {
            return false;
        }
        if self.head.content_encoding.is_none() {
            return true;
        }
        let limits = DecodeLimits { max_decoded: most, ..DecodeLimits::default() };
        let Ok(decoded) = self.decoded(&limits).map(Cow::into_owned) else { return false };
        self.body = decoded.into();
        self.head.content_encoding = None;
        true
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: Vec<u8>, encoding: Option<&'static str>) -> Answer {
        let wire_bytes = body.len() as u64;
        let content_encoding = encoding.map(HeaderValue::from_static);
        Answer {
            status: 200,
            url: Url::parse("http://a.example/feed").unwrap(),
            hops: Vec::new(),
            head: Head { content_encoding, ..Head::default() },
            body: body.into(),
            wire_bytes,
            presented: Presented::Nothing,
        }
    }

    #[test]
    fn only_a_body_that_is_small_without_its_encodings_is_decompressed_at_once() {
        let packed = |length: usize| zstd::encode_all(&vec![b'x'; length][..], 1).unwrap();
        let mut small = answer(packed(1_000), Some("zstd"));
        let wire = small.wire_bytes;
        assert!(small.decompress_within(1_000));
        assert_eq!((small.body.len(), small.wire_bytes), (1_000, wire));
        assert_eq!(small.decoded(&DecodeLimits::default()).unwrap().len(), 1_000);
        for mut other in [
            answer(packed(1_001), Some("zstd")),
            answer(vec![b'x'; 900], Some("zstd")),
            answer(vec![b'x'; 1_001], None),
        ] {
            let before = other.body.clone();
            assert!(!other.decompress_within(1_000));
            assert_eq!(other.body, before);
        }
        assert!(answer(vec![b'x'; 1_000], None).decompress_within(1_000));
    }
}

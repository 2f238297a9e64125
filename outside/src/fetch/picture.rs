//! Fetching a picture that an item shows.
//!
//! By the same client and the same guard as a refresh of the item's source, but nothing is shown there: no token, no
//! password, no cookie, no referrer. What comes is taken for what its first bytes say, never for what its sender says.
//!
//! Never: an SVG, which may run scripts; a redirect that reaches more than the first address.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method};
use pergola_manners::courtesy::Head;
use thiserror::Error;
use tokio::time::timeout_at;
use url::Url;

use super::{FetchError, Fetcher, Stage, drain, is_redirect};
use crate::clock::network_now;
use crate::mandate::Mandate;

/// Bytes of a picture.
const LARGEST_PICTURE: usize = 8 << 20;
/// From the first byte sent to the last byte received, redirects included.
const PATIENCE: Duration = Duration::from_secs(15);
const PICTURES: HeaderValue =
    HeaderValue::from_static("image/avif, image/webp, image/png, image/jpeg, image/gif");

/// A picture as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What its first bytes say.
    pub media_type: &'static str,
    pub bytes: Bytes,
}

/// Why there is no picture.
#[derive(Debug, Clone, Error)]
pub enum NoPicture {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("it was answered with status {0}")]
    Status(u16),
    #[error("it has more than {LARGEST_PICTURE} bytes")]
    TooLarge,
    #[error("it is no PNG, JPEG, GIF, WebP, AVIF or BMP")]
    NoPicture,
}

impl Fetcher {
    /// Fetches a picture on behalf of a source.
    pub async fn picture(&self, url: Url, mandate: Mandate) -> Result<Picture, NoPicture> {
        let deadline = network_now() + PATIENCE.min(self.total_timeout);
        let (mut url, mut mandate, mut hops) = (url, mandate, 0);
        loop {
            self.may_call(&url, &mandate)?;
            let mut request = reqwest::Request::new(Method::GET, url.clone());
            *request.headers_mut() = self.picture_headers();
            let sent = timeout_at(deadline, self.clients.execute(request, &mandate)).await;
            let answered = sent.map_err(|_| FetchError::timeout(&url, Stage::Headers))?;
            let mut response =
                answered.map_err(|error| FetchError::of_exchange(error, &url, Stage::Headers))?;
            if is_redirect(response.status()) {
                let to = self.target(&url, &Head::take(response.headers_mut()), hops)?;
                drain(response, deadline).await;
                mandate = mandate.after(&to);
                (url, hops) = (to, hops + 1);
                continue;
            }
            if response.status() != 200 {
                return Err(NoPicture::Status(response.status().as_u16()));
            }
            let most = LARGEST_PICTURE.min(self.max_body);
            let bytes = match self.body(&url, response, most, deadline).await {
                Err(FetchError::TooLarge { .. }) => return Err(NoPicture::TooLarge),
                other => other?,
            };
            let media_type = kind_of(&bytes).ok_or(NoPicture::NoPicture)?;
            return Ok(Picture { media_type, bytes });
        }
    }

    fn picture_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(3);
        headers.insert(ACCEPT, PICTURES);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Ok(agent) = HeaderValue::try_from(self.agent()) {
            headers.insert(USER_AGENT, agent);
        }
        headers
    }
}

/// The kind of a picture, by its first bytes.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    const BEGINNINGS: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
    ];
    if let Some((_, kind)) = BEGINNINGS.iter().find(|(first, _)| bytes.starts_with(first)) {
        return Some(kind);
    }
    match (bytes.get(..4)?, bytes.get(4..8)?, bytes.get(8..12)?) {
        (b"RIFF", _, b"WEBP") => Some("image/webp"),
        (_, b"ftyp", b"avif" | b"avis") => Some("image/avif"),
        ([b'B', b'M', ..], [_, _, 0, 0], [0, 0, ..]) => Some("image/bmp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_first_bytes() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n\x1a\n..."[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"GIF89a;", "image/gif"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
            (b"\0\0\0\x20ftypavif", "image/avif"),
            (b"BM\x46\0\0\0\0\0\0\0\x36\0", "image/bmp"),
        ] {
            assert_eq!(kind_of(bytes), Some(kind), "{bytes:?}");
        }
    }

    #[test]
    fn whatever_could_be_read_in_another_way_is_none() {
        for text in [
            "",
            "BM",
            "BMW <script>alert(1)</script>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
            "<?xml version=\"1.0\"?><svg/>",
            "<!doctype html><script>alert(1)</script>",
            "GIF90a<script>",
            "RIFF....WAVE",
            "%PDF-1.7 and more",
        ] {
            assert_eq!(kind_of(text.as_bytes()), None, "{text}");
        }
    }
}

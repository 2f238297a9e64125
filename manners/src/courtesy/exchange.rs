//! What was said in one exchange, in the words that courtesy needs.

use http::HeaderMap;
use http::header::{self, HeaderName, HeaderValue};
use pergola_feed::Hints;
use url::Url;

use super::FailureKind;
use crate::link::ANNOUNCEMENT;

/// The header that says which instance manipulations were applied (RFC 3229).
const IM: HeaderName = HeaderName::from_static("im");

/// What a source uses to recognise a document that we have; byte for byte as it was received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, quotes included.
    pub etag: Option<Vec<u8>>,
    /// `Last-Modified`.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// One request and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// The source's address as we remember it, before any redirect.
    pub asked: &'a Url,
    /// Whether validators were sent.
    pub conditional: bool,
    /// What came back.
    pub reply: Reply<'a>,
}

/// What came back.
#[derive(Clone, Copy, Debug)]
pub enum Reply<'a> {
    /// An answer, whatever its status.
    Answer {
        /// The status of the last hop.
        status: u16,
        /// Its headers.
        head: &'a Head,
        /// The redirects that led there.
        hops: &'a [Hop],
        /// What the body turned out to be.
        reading: Reading<'a>,
    },
    /// No answer.
    Failure(FailureKind),
}

/// What the body of an answer turned out to be.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// Nobody read it: a 304, or a status that says enough.
    Nothing,
    /// The same bytes as last time.
    Same,
    /// A document.
    Document {
        /// When it says that one should come back.
        hints: &'a Hints,
        /// How many items it has that we had not.
        new_items: u32,
    },
    /// Not a feed, or one that cannot be read.
    Failure(FailureKind),
}

/// One redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// 301, 302, 303, 307 or 308.
    pub status: u16,
    /// Where it led, resolved and checked.
    pub to: Url,
}

/// The header values of an answer that matter to a crawler.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// `ETag`.
    pub etag: Option<HeaderValue>,
    /// `Last-Modified`.
    pub last_modified: Option<HeaderValue>,
    /// `Cache-Control` (several lines are joined).
    pub cache_control: Option<HeaderValue>,
    /// `Age`.
    pub age: Option<HeaderValue>,
    /// `Expires`.
    pub expires: Option<HeaderValue>,
    /// `Date`.
    pub date: Option<HeaderValue>,
    /// `Retry-After`.
    pub retry_after: Option<HeaderValue>,
    /// `Content-Type`.
    pub content_type: Option<HeaderValue>,
    /// `Content-Encoding` (several lines are joined).
    pub content_encoding: Option<HeaderValue>,
    /// `Location`.
    pub location: Option<HeaderValue>,
    /// `Link`, each line by itself.
    pub link: Vec<HeaderValue>,
    /// `IM`.
    pub im: Option<HeaderValue>,
    /// `Pergola-Feed`: the document is a feed of another node.
    pub pergola_feed: Option<HeaderValue>,
}

impl Head {
    /// Takes what matters out of `headers`; nothing is copied.
    pub fn take(headers: &mut HeaderMap) -> Self {
        let link = if headers.contains_key(header::LINK) {
            headers.get_all(header::LINK).iter().take(16).cloned().collect()
        } else {
            Vec::new()
        };
        Self {
            cache_control: joined(headers, header::CACHE_CONTROL),
            content_encoding: joined(headers, header::CONTENT_ENCODING),
            etag: headers.remove(header::ETAG),
            last_modified: headers.remove(header::LAST_MODIFIED),
            age: headers.remove(header::AGE),
            expires: headers.remove(header::EXPIRES),
            date: headers.remove(header::DATE),
            retry_after: headers.remove(header::RETRY_AFTER),
            content_type: headers.remove(header::CONTENT_TYPE),
            location: headers.remove(header::LOCATION),
            link,
            im: headers.remove(IM),
            pergola_feed: headers.remove(ANNOUNCEMENT),
        }
    }

    /// The media type with its parameters, if it is text.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_ref()?.to_str().ok()
    }
}

/// A list header that may be spread over several lines.
fn joined(headers: &mut HeaderMap, name: HeaderName) -> Option<HeaderValue> {
    let mut lines = headers.get_all(&name).iter();
    let first = lines.next()?;
    let Some(second) = lines.next() else {
        return headers.remove(name);
    };
    let mut list = first.as_bytes().to_vec();
    for line in std::iter::once(second).chain(lines) {
        list.extend_from_slice(b", ");
        list.extend_from_slice(line.as_bytes());
    }
    HeaderValue::from_bytes(&list).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_over_several_lines_is_one_list() {
        let mut headers = HeaderMap::new();
        headers.append(header::CACHE_CONTROL, HeaderValue::from_static("public"));
        headers.append(header::CACHE_CONTROL, HeaderValue::from_static("max-age=5"));
        headers.append(header::ETAG, HeaderValue::from_static("W/\"x\""));
        let head = Head::take(&mut headers);
        assert_eq!(head.cache_control.unwrap(), "public, max-age=5");
        assert_eq!(head.etag.unwrap(), "W/\"x\"");
    }
}

//! What was said in one exchange, in the terms of politeness.

use http::HeaderMap;
use http::header::{self, HeaderName, HeaderValue};
use pergola_feed::Hints;
use url::Url;

use super::{FailureKind, Terms};
use crate::link::ANNOUNCEMENT;

/// The header that says which instance manipulations were applied (RFC 3229).
const IM: HeaderName = HeaderName::from_static("im");

/// A longer validator is not stored; no honest one is that long.
const LONGEST_VALIDATOR: usize = 4_096;

/// How a source recognises the document that we have; byte for byte as received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, quotes included.
    pub etag: Option<Vec<u8>>,
    /// `Last-Modified`.
    pub last_modified: Option<Vec<u8>>,
}

impl Validators {
    /// Those that an answer names, if they are worth storing.
    pub fn of(head: &Head) -> Self {
        Self {
            etag: head.etag.as_ref().and_then(stored),
            last_modified: head.last_modified.as_ref().and_then(stored),
        }
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// What an answer does to the validators that we have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Nothing: it was no answer about the document.
    Kept,
    /// The document that we have is still the one; what the answer names replaces what we have.
    Confirmed(Validators),
    /// There is another document, with these validators and no others.
    Replaced(Validators),
}

/// One request and what came of it, in the terms of politeness.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// The source's address as we remember it, before any redirect.
    pub url: &'a Url,
    /// The document was asked for without validators.
    pub unconditional: bool,
    pub gist: Gist<'a>,
    /// How long the answer asks us to wait.
    pub terms: Terms,
    pub validation: &'a Validation,
    /// The redirects that led to the answer.
    pub hops: &'a [Hop],
}

/// What was said, as far as politeness is concerned.
#[derive(Clone, Copy, Debug)]
pub enum Gist<'a> {
    /// It has nothing new, and sent nothing.
    NothingNew,
    /// It sent the document that we have.
    SameDocument,
    /// It sent a document.
    Document {
        span: Span,
        /// When it says that one should come back, if it can say so.
        hints: Option<&'a Hints>,
        /// Items that were not known.
        new_items: u32,
    },
    /// What it sent cannot be used.
    Unusable(FailureKind),
    /// It answered and refused.
    Refused(No),
    /// It did not answer.
    Silence(FailureKind),
}

/// How much of a feed a document shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// The window: its newest items, as many as it shows at one time.
    Window,
    /// Only what has changed since we last asked.
    Changes,
}

/// What a refusal means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum No {
    /// The source has ended; with the status that says so.
    Gone(u16),
    /// It asks for quiet; with the status, if it came over HTTP.
    Quiet(Option<u16>),
    /// 403: we may not have it. Several in a row count as a wish for quiet.
    Forbidden,
    /// It did not work.
    Failed(FailureKind),
}

impl No {
    /// What a status means that brings no document.
    pub fn of_status(status: u16) -> Self {
        match status {
            410 => Self::Gone(status),
            429 | 503 => Self::Quiet(Some(status)),
            403 => Self::Forbidden,
            404 => Self::Failed(FailureKind::NotFound),
            400..=499 => Self::Failed(FailureKind::ClientError),
            500..=599 => Self::Failed(FailureKind::ServerError),
            _ => Self::Failed(FailureKind::UnexpectedStatus),
        }
    }
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

fn stored(value: &HeaderValue) -> Option<Vec<u8>> {
    let bytes = value.as_bytes();
    (!bytes.is_empty() && bytes.len() <= LONGEST_VALIDATOR).then(|| bytes.to_vec())
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

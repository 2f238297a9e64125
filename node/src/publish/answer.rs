//! From a document to an answer: 304 if the client has it already, else its bytes in the best coding, or
//! only what is new to the client (226).

use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::document::{Coded, Rendered, compress};
use super::edition::{Publication, RenderError};
use super::negotiate::{Coding, Form, is_unchanged};
use super::shelf::Shelf;

/// The longest that an answer may be kept without asking again, in seconds.
const LONGEST: usize = 3600;

/// An archive document changes only when one of its items is edited or no longer kept.
pub(super) const VOLUME_KEPT: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// How a document was made smaller (RFC 3229).
const IM: HeaderName = HeaderName::from_static("im");

/// Every `Cache-Control` that is ever sent: none is written while somebody waits.
static MAX_AGES: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| {
    let values = (0..=LONGEST).map(|seconds| format!("public, max-age={seconds}"));
    values.map(|text| HeaderValue::try_from(text).expect("letters and digits")).collect()
});

/// What the answer depends on besides the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Varies {
    /// The coding was chosen.
    Coding,
    /// The form was chosen too.
    FormAndCoding,
}

/// Answers a request for a document. What is needed of the request are its headers.
pub(super) async fn answer(
    shelf: &Shelf,
    document: &Rendered,
    asked: &HeaderMap,
    varies: Varies,
    max_age: HeaderValue,
) -> Response {
    let coding = Coding::preferred(asked);
    let unchanged = is_unchanged(asked, document.tag(), document.modified());
    let (mut response, counter) = if unchanged {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.headers_mut() = document.unchanged(coding).clone();
        (response, &shelf.counters.not_modified)
    } else {
        let coded = coded(shelf, document, coding).await;
        let mut response = Response::new(Body::from(coded.body.clone()));
        *response.headers_mut() = coded.headers.clone();
        (response, &shelf.counters.sent)
    };
    counter.fetch_add(1, Relaxed);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, max_age);
    headers.insert(VARY, varies.header());
    response
}

/// Answers by the difference that leads to `document`, the current edition: whoever applies it has that
/// edition, and so it is that one's tag which is sent.
pub(super) async fn answer_difference(
    shelf: &Shelf,
    difference: &Rendered,
    document: &Rendered,
    asked: &HeaderMap,
    varies: Varies,
    max_age: &HeaderValue,
) -> Response {
    let mut coding = Coding::preferred(asked);
    let coded = coded(shelf, difference, coding).await;
    if !coded.headers.contains_key(CONTENT_ENCODING) {
        coding = Coding::Identity;
    }
    let mut response = Response::new(Body::from(coded.body.clone()));
    *response.status_mut() = StatusCode::IM_USED;
    let headers = response.headers_mut();
    *headers = coded.headers.clone();
    for (name, value) in document.unchanged(coding) {
        headers.insert(name, value.clone());
    }
    headers.insert(IM, HeaderValue::from_static("feed"));
    // Only a cache that knows what `im` means may keep it (RFC 3229, 10.8.3).
    let age = max_age.to_str().unwrap_or_default().rsplit(", ").next().unwrap_or_default();
    let whose = if max_age.as_bytes().starts_with(b"private") { "private, " } else { "" };
    let kept = HeaderValue::try_from(format!("no-store, {whose}im, {age}"));
    headers.extend(kept.ok().map(|kept| (CACHE_CONTROL, kept)));
    headers.insert(VARY, varies.header_of_difference());
    shelf.counters.differences.fetch_add(1, Relaxed);
    response
}

/// The body in a coding, compressed now if nobody has wanted that yet.
async fn coded<'a>(shelf: &Shelf, document: &'a Rendered, coding: Coding) -> &'a Coded {
    if let Some(ready) = document.ready(coding) {
        return ready;
    }
    let work = |body: Bytes| async move {
        let done = shelf.blocking(move || compress(coding, &body)).await?;
        done.map_err(|_| RenderError::Aborted)
    };
    let compressed = document.compress_once(coding, work).await;
    shelf.make_room();
    // Who cannot have it compressed has it as it is.
    compressed.unwrap_or(document.plain())
}

/// How long a feed cannot change: until the next planned refresh one of its sources.
pub(super) fn max_age(shelf: &Shelf, publication: &Publication, now: f64) -> HeaderValue {
    let seconds = (publication.next_refresh() - now) / shelf.clock.speed();
    kept_for(seconds.ceil() as usize)
}

/// `Cache-Control` for a number of seconds, for whoever asked and nobody else.
pub(super) fn kept_privately(value: &HeaderValue) -> HeaderValue {
    let public = value.to_str().unwrap_or_default();
    let private = public.replacen("public", "private", 1);
    HeaderValue::try_from(private).unwrap_or(HeaderValue::from_static("private"))
}

/// `Cache-Control` for a number of seconds.
pub(super) fn kept_for(seconds: usize) -> HeaderValue {
    MAX_AGES[seconds.min(LONGEST)].clone()
}

impl Varies {
    /// By whether the address names a form.
    pub(super) fn of(named: Option<Form>) -> Self {
        if named.is_some() { Self::Coding } else { Self::FormAndCoding }
    }

    fn header(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Coding => "Accept-Encoding",
            Self::FormAndCoding => "Accept, Accept-Encoding",
        })
    }

    fn header_of_difference(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Coding => "A-IM, If-None-Match, Accept-Encoding",
            Self::FormAndCoding => "A-IM, If-None-Match, Accept, Accept-Encoding",
        })
    }
}

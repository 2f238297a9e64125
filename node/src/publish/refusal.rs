//! Why a request is refused: a page for browsers, problem details (RFC 9457) for everybody else.

use std::num::NonZeroU16;
use std::ops::{Deref, Range};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::X_CONTENT_TYPE_OPTIONS;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use pergola_api::{Code, Instant, Place, Problem, problem};

use super::negotiate::is_browser;
use super::shelf::ARCHIVE;
use super::shown::respond;
use super::volume::Volume;
use pergola_pages::public;

/// Seconds after which a request to an unavailable node may succeed.
const RETRY_SECONDS: u16 = 10;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal(Box<Refused>);

#[derive(Debug, Clone, PartialEq)]
struct Refused {
    problem: Problem,
    /// For the `Retry-After` header, in seconds.
    retry_after: Option<NonZeroU16>,
}

impl Deref for Refusal {
    type Target = Problem;

    fn deref(&self) -> &Problem {
        &self.0.problem
    }
}

impl Refusal {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Refused { problem: Problem::new(code, detail), retry_after: None }))
    }

    /// Says what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.problem.hint = Some(hint.into());
        self
    }

    /// Names what was probably meant.
    pub(crate) fn nearest(mut self, nearest: impl Into<String>) -> Self {
        self.0.problem.nearest = Some(nearest.into());
        self
    }

    /// Says when to try again, in Unix seconds.
    pub(crate) fn retry_at(mut self, at: f64) -> Self {
        self.0.problem.retry_at = Some(Instant::from_unix(at));
        self
    }

    /// Names the key of the configuration that stands in the way.
    pub(crate) fn key(mut self, key: Option<String>) -> Self {
        self.0.problem.key = key;
        self
    }

    /// Says where the mistake in a query is.
    pub(crate) fn place(mut self, place: Place) -> Self {
        self.0.problem.place = Some(place);
        self
    }

    /// Names feeds that were found instead.
    pub(crate) fn feeds(mut self, feeds: Vec<String>) -> Self {
        self.0.problem.feeds = feeds;
        self
    }

    fn links(mut self, links: impl IntoIterator<Item = String>) -> Self {
        self.0.problem.links = links.into_iter().collect();
        self
    }

    /// No feed has this name; `nearest` is the most similar name.
    pub(super) fn unknown_feed(name: &str, nearest: Option<String>) -> Self {
        let shown: String = name.chars().take(80).collect();
        let meant = nearest.as_ref().map(|nearest| format!("did you mean {nearest:?}? "));
        let meant = meant.unwrap_or_default();
        let detail = format!("no feed is called {shown:?}; {meant}All feeds are listed at /opml");
        let refusal = Self::new(Code::UnknownFeed, detail);
        let link = nearest.as_ref().map(|nearest| format!("/feeds/{nearest}"));
        let refusal = refusal.links(link.into_iter().chain(["/opml".to_owned()]));
        match nearest {
            Some(nearest) => refusal.nearest(nearest),
            None => refusal,
        }
    }

    /// No operator or reader has the token that was sent.
    pub(crate) fn unknown_token() -> Self {
        Self::new(Code::TokenUnknown, "this node does not know the token")
            .hint("send it as `Authorization: Bearer TOKEN`, or as a password with any name")
    }

    /// The caller has sent too many requests.
    pub(crate) fn too_often(seconds: u64, now: f64) -> Self {
        let detail = format!("too many requests; the next may come in {seconds} s");
        let mut refusal = Self::new(Code::TooManyRequests, detail).retry_at(now + seconds as f64);
        refusal.0.retry_after = NonZeroU16::new(u16::try_from(seconds).unwrap_or(u16::MAX));
        refusal
    }

    /// No archive document can have this name.
    pub(super) fn unknown_volume(name: &str, volume: &str) -> Self {
        let shown: String = volume.chars().take(80).collect();
        let detail = format!(
            "no archive document of {name} is called {shown:?}; they are numbered from 0, and the feed \
             links to the newest"
        );
        Self::new(Code::UnknownVolume, detail).links([format!("/feeds/{name}")])
    }

    /// The archive document is not complete.
    pub(super) fn volume_incomplete(name: &str, volume: Volume) -> Self {
        let detail = format!(
            "archive document {volume} of {name} is not complete; its items are in the feed itself, or in \
             the document that the feed links to as prev-archive"
        );
        Self::new(Code::VolumeIncomplete, detail)
            .links([format!("/feeds/{name}")])
            .hint("read the feed, and follow its prev-archive link")
    }

    /// Nothing of the archive document is kept; `kept` are the documents that are.
    pub(super) fn volume_expired(name: &str, volume: Volume, kept: Range<u64>) -> Self {
        let feed = format!("/feeds/{name}");
        let oldest = (!kept.is_empty()).then(|| format!("{feed}/{ARCHIVE}/{}", kept.start));
        let instead = oldest.as_ref().map(|oldest| format!("; the oldest kept one is {oldest}"));
        let detail = format!(
            "the items of archive document {volume} of {name} are older than this node keeps them{}",
            instead.unwrap_or_default()
        );
        Self::new(Code::VolumeExpired, detail).links(oldest.into_iter().chain([feed]))
    }

    /// The client accepts no format that feeds have.
    pub(super) fn not_acceptable(name: &str) -> Self {
        let links = [".atom", ".rss", ".json"].map(|extension| format!("/feeds/{name}{extension}"));
        let detail = "this feed exists as application/atom+xml, application/rss+xml, \
                      application/feed+json and text/html; ask for one of these, or use a URL that \
                      names the format";
        Self::new(Code::NotAcceptable, detail).links(links)
    }

    /// The store does not answer.
    pub(super) fn unavailable() -> Self {
        let detail = format!(
            "the items cannot be read now; try again in {RETRY_SECONDS} seconds. The node's log says why"
        );
        Self::new(Code::Unavailable, detail)
    }

    /// The response in a form that the client can read.
    pub(crate) fn answer(self, request: &HeaderMap) -> Response {
        if !is_browser(request) {
            return self.into_response();
        }
        let mut response = respond(self.status_code(), &public::problem::page(&self));
        self.add_headers(response.headers_mut());
        response
    }

    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn add_headers(&self, headers: &mut HeaderMap) {
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        if self.status_code() == StatusCode::UNAUTHORIZED {
            let schemes = "Bearer realm=\"pergola\", Basic realm=\"pergola\", charset=\"UTF-8\"";
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(schemes));
        }
        if let Some(seconds) = self.0.retry_after {
            headers.insert(RETRY_AFTER, seconds.get().into());
        }
        if self.status_code() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, RETRY_SECONDS.into());
        }
    }
}

impl IntoResponse for Refusal {
    /// As problem details.
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&*self).expect("strings and numbers are JSON");
        let kind = HeaderValue::from_static(problem::MEDIA_TYPE);
        let mut response =
            (self.status_code(), [(CONTENT_TYPE, kind)], Body::from(text)).into_response();
        self.add_headers(response.headers_mut());
        response
    }
}

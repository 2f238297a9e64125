//! What went wrong, for whoever asked: a page for browsers, problem details (RFC 9457) for the rest.

use std::num::NonZeroU16;
use std::ops::Range;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::X_CONTENT_TYPE_OPTIONS;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use super::negotiate::is_browser;
use super::shelf::ARCHIVE;
use super::volume::Volume;
use crate::publish::pages;

/// Seconds after which it may work again.
const RETRY_SECONDS: u16 = 10;

/// Why a request was not answered as asked. Its `type` says that the status tells the kind.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "type", rename = "about:blank")]
#[schema(as = Problem)]
pub(crate) struct Problem {
    /// The status code.
    pub(crate) status: u16,
    /// What it is, in a few words.
    pub(crate) title: &'static str,
    /// What it is in this case, and what to do next.
    #[schema(value_type = String)]
    pub(crate) detail: Box<str>,
    /// What to do next, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(crate) hint: Option<Box<str>>,
    /// When it may be tried again, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_at: Option<f64>,
    /// The same, in seconds from now, for the head of the answer.
    #[serde(skip)]
    pub(crate) retry_after: Option<NonZeroU16>,
    /// Feeds that were found instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feeds: Vec<String>,
    /// Where to go instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) links: Vec<String>,
}

impl Problem {
    /// A problem in words.
    pub(crate) fn new(
        status: StatusCode,
        title: &'static str,
        detail: impl Into<Box<str>>,
    ) -> Self {
        Self {
            status: status.as_u16(),
            title,
            detail: detail.into(),
            hint: None,
            retry_at: None,
            retry_after: None,
            feeds: Vec::new(),
            links: Vec::new(),
        }
    }

    /// With what to do next.
    pub(crate) fn hint(self, hint: impl Into<Box<str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// There is no such feed; perhaps another one was meant.
    pub(super) fn no_feed(name: &str, nearest: Option<String>) -> Self {
        let shown: String = name.chars().take(80).collect();
        let hint = nearest.as_ref().map(|nearest| format!("did you mean {nearest:?}? "));
        let hint = hint.unwrap_or_default();
        let detail = format!("no feed is called {shown:?}; {hint}All feeds are listed at /opml");
        let nearest = nearest.map(|nearest| format!("/feeds/{nearest}"));
        let links = nearest.into_iter().chain(["/opml".to_owned()]).collect();
        Self { links, ..Self::new(StatusCode::NOT_FOUND, "no such feed", detail) }
    }

    /// The caller has sent a token that nobody has.
    pub(crate) fn unknown_token() -> Self {
        let detail = "the token is none that this node knows";
        Self::new(StatusCode::UNAUTHORIZED, "not allowed", detail)
            .hint("send it as `Authorization: Bearer TOKEN`, or as a password with any name")
    }

    /// The caller has asked too often.
    pub(crate) fn too_often(seconds: u64, now: f64) -> Self {
        let retry_after = NonZeroU16::new(u16::try_from(seconds).unwrap_or(u16::MAX));
        let detail = format!("too many requests; the next may come in {seconds} s");
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "too many requests", detail);
        Self { retry_at: Some(now + seconds as f64), retry_after, ..problem }
    }

    /// No volume can be called that.
    pub(super) fn no_volume(name: &str, volume: &str) -> Self {
        let shown: String = volume.chars().take(80).collect();
        let detail = format!(
            "no archive document of {name} is called {shown:?}; they have numbers from 0 on, and the \
             feed links to the newest"
        );
        let links = vec![format!("/feeds/{name}")];
        Self { links, ..Self::new(StatusCode::NOT_FOUND, "no such archive document", detail) }
    }

    /// A volume that is not complete.
    pub(super) fn volume_to_come(name: &str, volume: Volume) -> Self {
        let detail = format!(
            "archive document {volume} of {name} is not complete; its items are in the feed itself, or \
             in what that calls prev-archive"
        );
        let links = vec![format!("/feeds/{name}")];
        let problem = Self::new(StatusCode::NOT_FOUND, "not yet complete", detail);
        Self { links, ..problem.hint("read the feed, and follow its prev-archive link") }
    }

    /// A volume of which nothing is kept; these are.
    pub(super) fn volume_gone(name: &str, volume: Volume, kept: Range<u64>) -> Self {
        let feed = format!("/feeds/{name}");
        let oldest = (!kept.is_empty()).then(|| format!("{feed}/{ARCHIVE}/{}", kept.start));
        let instead = oldest.as_ref().map(|oldest| format!("; the oldest kept one is {oldest}"));
        let detail = format!(
            "the items of archive document {volume} of {name} are older than this node keeps them{}",
            instead.unwrap_or_default()
        );
        let links = oldest.into_iter().chain([feed]).collect();
        Self { links, ..Self::new(StatusCode::GONE, "no longer kept", detail) }
    }

    /// The client wants a form that feeds do not have.
    pub(super) fn no_form(name: &str) -> Self {
        let links = [".atom", ".rss", ".json"].map(|extension| format!("/feeds/{name}{extension}"));
        let detail = "this feed can be had as application/atom+xml, application/rss+xml, \
                      application/feed+json or text/html; ask for one of them, or use an address \
                      that names the form";
        let problem = Self::new(StatusCode::NOT_ACCEPTABLE, "no acceptable form", detail);
        Self { links: links.into(), ..problem }
    }

    /// The store does not answer.
    pub(super) fn unavailable() -> Self {
        let detail = format!(
            "the items cannot be read just now; try again in {RETRY_SECONDS} seconds. The node's log \
             says why"
        );
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "temporarily unavailable", detail)
    }

    /// As whoever asked can read it.
    pub(crate) fn answer(self, asked: &HeaderMap) -> Response {
        if !is_browser(asked) {
            return self.into_response();
        }
        let mut response = pages::respond(self.status(), &pages::problem::page(&self));
        self.head(response.headers_mut());
        response
    }

    fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn head(&self, headers: &mut HeaderMap) {
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        if self.status() == StatusCode::UNAUTHORIZED {
            let schemes = "Bearer realm=\"pergola\", Basic realm=\"pergola\", charset=\"UTF-8\"";
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static(schemes));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, seconds.get().into());
        }
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, RETRY_SECONDS.into());
        }
    }
}

impl IntoResponse for Problem {
    /// As programs read it.
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self).expect("strings and numbers are JSON");
        let kind = HeaderValue::from_static("application/problem+json");
        let mut response =
            (self.status(), [(CONTENT_TYPE, kind)], Body::from(text)).into_response();
        self.head(response.headers_mut());
        response
    }
}

//! What went wrong, for whoever asked: a page for browsers, problem details (RFC 9457) for the rest.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;

use super::negotiate::is_browser;
use crate::pages;

/// Seconds after which it may work again.
const RETRY_SECONDS: u16 = 10;

/// Why a request was not answered as asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// The status code.
    pub(crate) status: u16,
    /// What it is, in a few words.
    pub(crate) title: &'static str,
    /// What it is in this case, and what to do next.
    pub(crate) detail: String,
    /// Where to go instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) links: Vec<String>,
}

impl Problem {
    /// There is no such feed; perhaps another one was meant.
    pub(super) fn no_feed(name: &str, nearest: Option<String>) -> Self {
        let shown: String = name.chars().take(80).collect();
        let hint = nearest.as_ref().map(|nearest| format!("did you mean {nearest:?}? "));
        let hint = hint.unwrap_or_default();
        let detail = format!("no feed is called {shown:?}; {hint}All feeds are listed at /opml");
        let nearest = nearest.map(|nearest| format!("/feeds/{nearest}"));
        let links = nearest.into_iter().chain(["/opml".to_owned()]).collect();
        Self { status: 404, title: "no such feed", detail, links }
    }

    /// The client wants a form that feeds do not have.
    pub(super) fn no_form(name: &str) -> Self {
        let links = [".atom", ".rss", ".json"].map(|extension| format!("/feeds/{name}{extension}"));
        let detail = "this feed can be had as application/atom+xml, application/rss+xml, \
                      application/feed+json or text/html; ask for one of them, or use an address \
                      that names the form"
            .to_owned();
        Self { status: 406, title: "no acceptable form", detail, links: links.into() }
    }

    /// The store does not answer.
    pub(super) fn unavailable() -> Self {
        let detail = format!(
            "the items cannot be read just now; try again in {RETRY_SECONDS} seconds. The node's log \
             says why"
        );
        Self { status: 503, title: "temporarily unavailable", detail, links: Vec::new() }
    }

    /// As whoever asked can read it.
    pub(super) fn answer(&self, asked: &HeaderMap) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = if is_browser(asked) {
            pages::respond(status, &pages::problem::page(self))
        } else {
            let text = serde_json::to_string(self).expect("strings and numbers are JSON");
            let kind = HeaderValue::from_static("application/problem+json");
            (status, [(CONTENT_TYPE, kind)], Body::from(text)).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, RETRY_SECONDS.into());
        }
        response
    }
}

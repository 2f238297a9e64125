//! Addresses that neither the site nor the node knows, and those that only browsers ask for.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{Method, StatusCode};
use pergola_node::publish::{is_browser, respond};
use pergola_pages::inside::metrics;
use pergola_pages::public::lost;
use tower::ServiceExt as _;

use crate::answer::{page, page_with};
use crate::door::identify;
use crate::site::Site;
use crate::visitor::Visitor;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/favicon.ico", get(icon)).route("/metrics", get(show_metrics))
}

/// Browsers ask for it wherever they are, pages or not.
async fn icon() -> Response {
    (StatusCode::PERMANENT_REDIRECT, [(LOCATION, "assets/icon.svg")]).into_response()
}

/// Metrics: a page for browsers, and for programs what the node answers.
async fn show_metrics(State(site): State<Site>, visitor: Visitor, request: Request) -> Response {
    let browser = is_browser(request.headers());
    let Ok(answer) = site.inner.clone().oneshot(request).await;
    if !browser || answer.status() != StatusCode::OK {
        return answer;
    }
    match axum::body::to_bytes(answer.into_body(), MOST_BYTES).await {
        Ok(text) => page(&metrics::page(visitor.viewer(), &String::from_utf8_lossy(&text))),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be read");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Bytes of all metrics.
const MOST_BYTES: usize = 8 << 20;

/// Passes a request on to the node. Where the node has nothing either, people get a page; what the API says stays as
/// it is.
pub(crate) async fn pass_on(State(site): State<Site>, request: Request) -> Response {
    let again = is_of_a_person(&request).then(|| without_body(&request));
    let Ok(answer) = site.inner.clone().oneshot(request).await;
    match again {
        Some(again) if answer.status() == StatusCode::NOT_FOUND && !is_page(&answer) => {
            // Only now it matters who asks: feeds are served without that.
            let known = from_fn_with_state(site.clone(), identify);
            let Ok(lost) = Router::new().fallback(nowhere).layer(known).oneshot(again).await;
            lost
        }
        _ => answer,
    }
}

async fn nowhere(visitor: Visitor, request: Request) -> Response {
    let shown = lost::page(visitor.viewer(), request.uri().path());
    match visitor {
        Visitor::Stranger => respond(StatusCode::NOT_FOUND, &shown),
        Visitor::Operator | Visitor::User(_) => page_with(StatusCode::NOT_FOUND, &shown),
    }
}

/// Whether a browser asks for a page.
fn is_of_a_person(request: &Request) -> bool {
    let looks = matches!(*request.method(), Method::GET | Method::HEAD);
    looks && !request.uri().path().starts_with("/api/") && is_browser(request.headers())
}

fn without_body(request: &Request) -> Request {
    let mut again = Request::new(Body::empty());
    again.method_mut().clone_from(request.method());
    again.uri_mut().clone_from(request.uri());
    again.headers_mut().clone_from(request.headers());
    again.extensions_mut().clone_from(request.extensions());
    again
}

fn is_page(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("text/html"))
}

//! Pages for people: the feeds, one feed, what there is about a subject, what this node is, and what went wrong.
//!
//! Plain HTML with one small stylesheet inside: no script, nothing loaded from elsewhere except the
//! pictures of the items themselves. Links are relative, so a node can live under any prefix.
//!
//! Never: a script, whoever wrote the item; markup of an item that was not sanitised.

pub(crate) mod about;
pub(crate) mod feed;
pub(crate) mod home;
pub(crate) mod problem;
pub(crate) mod search;
mod way;

use axum::body::Body;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pergola_feed::Timestamp;

const STYLE: &str = include_str!("pages/style.css");

/// Nothing may run, and only our own stylesheet (known by its digest) may style.
const POLICY: &str = "default-src 'none'; \
    style-src 'sha256-cVs2J9wSBvrcK6bs8zF1zIRFUAG/C6GTTJRJN30Yuyg='; \
    img-src http: https:; media-src http: https:; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'";

/// The frame of every page. `root` leads from the page to the node's own address.
fn layout(title: &str, root: &str, head: Markup, content: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
                (head)
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header {
                    nav aria-label="This node" {
                        a.brand href=(root) { "Pergola" }
                        a href={ (root) "search" } { "Search" }
                        a href={ (root) "opml" } { "Feeds (OPML)" }
                        a href={ (root) "about" } { "About" }
                    }
                }
                main #content { (content) }
            }
        }
    }
}

/// A page as an answer that is made anew for everybody.
pub(crate) fn respond(status: StatusCode, page: &Markup) -> Response {
    let text = page.0.clone();
    let length = text.len();
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_LENGTH, length.into());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    protect(headers);
    response
}

/// The headers that keep a page from doing anything but being read.
pub(crate) fn protect(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// A point in time, for people and machines.
fn time(at: Timestamp) -> Markup {
    let machine = at.to_rfc3339();
    let people = machine.get(..16).unwrap_or(&machine).replacen('T', " ", 1);
    html! { time datetime=(machine) { (people) " UTC" } }
}

/// "1 item", "2 items".
fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;

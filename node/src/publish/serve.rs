//! The addresses under which feeds, their list and the pages for people are found.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use axum::routing::get;
use http::{HeaderMap, HeaderName, StatusCode};
use serde::Deserialize;

use super::answer::{Varies, answer, kept_for, max_age};
use super::edition::Publication;
use super::negotiate::Form;
use super::problem::Problem;
use super::shelf::Shelf;
use crate::pages;

const FEEDS: &str = "/feeds/";
/// Tells other nodes that the feed can be had over gRPC at the same origin, and by which name.
const PERGOLA_FEED: HeaderName = HeaderName::from_static("pergola-feed");

/// Everything that is published.
pub fn router(shelf: Arc<Shelf>) -> Router {
    Router::new()
        .route("/feeds/{name}", get(feed))
        .route("/opml", get(opml))
        .route("/", get(home))
        .route("/about", get(about))
        .with_state(shelf)
}

async fn feed(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let path = request.uri().path();
    let file = decoded(path.strip_prefix(FEEDS).unwrap_or(path));
    let asked = request.headers();
    let Some((publication, named)) = find(&shelf, &file) else {
        return Problem::no_feed(stem(&file), shelf.nearest(stem(&file))).answer(asked);
    };
    let Some(form) = named.or_else(|| Form::preferred(asked)) else {
        return Problem::no_form(&file).answer(asked);
    };
    let now = shelf.clock.now();
    publication.touch(now);
    let varies = if named.is_some() { Varies::Coding } else { Varies::FormAndCoding };
    match shelf.document(&publication, form).await {
        Ok((document, true)) => {
            let max_age = max_age(&shelf, &publication, now);
            marked(&publication, answer(&shelf, &document, asked, varies, max_age).await)
        }
        Ok((earlier, false)) => {
            marked(&publication, answer(&shelf, &earlier, asked, varies, kept_for(0)).await)
        }
        Err(_) => Problem::unavailable().answer(asked),
    }
}

/// An answer with a feed, which other nodes can have from this one in a better way.
fn marked(publication: &Publication, mut response: Response) -> Response {
    response.headers_mut().insert(PERGOLA_FEED, publication.marker().clone());
    response
}

/// The feed that a file name stands for, and the form if the name says it.
fn find(shelf: &Shelf, file: &str) -> Option<(Arc<Publication>, Option<Form>)> {
    let named = Form::FEEDS
        .into_iter()
        .find_map(|form| Some((shelf.named(file.strip_suffix(form.extension())?)?, Some(form))));
    named.or_else(|| Some((shelf.named(file)?, None)))
}

/// The file name without what looks like a form.
fn stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

async fn opml(State(shelf): State<Arc<Shelf>>, headers: HeaderMap) -> Response {
    let list = shelf.opml();
    answer(&shelf, &list, &headers, Varies::Coding, kept_for(60)).await
}

async fn home(State(shelf): State<Arc<Shelf>>) -> Response {
    let page = pages::home::page(&shelf.imprint, &shelf.listings());
    pages::respond(StatusCode::OK, &page)
}

/// Which hosts the ledger shows.
#[derive(Debug, Default, Deserialize)]
struct LedgerQuery {
    #[serde(default)]
    host: String,
}

async fn about(
    State(shelf): State<Arc<Shelf>>,
    Query(query): Query<LedgerQuery>,
    headers: HeaderMap,
) -> Response {
    let archive = shelf.archive.clone();
    let hosts = shelf.blocking(move || pages::about::Ledger::read(&archive, &query.host)).await;
    match hosts {
        Ok(Ok(ledger)) => {
            let page = pages::about::page(&shelf.imprint, shelf.contact.as_deref(), &ledger);
            pages::respond(StatusCode::OK, &page)
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the ledger of hosts could not be read");
            Problem::unavailable().answer(&headers)
        }
        Err(_) => Problem::unavailable().answer(&headers),
    }
}

/// The bytes that `%41` and the like stand for. What cannot be decoded stays as it is: no feed is
/// called that.
fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).filter(|_| *first == b'%');
        let pair = pair.and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

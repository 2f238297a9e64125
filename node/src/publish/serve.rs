//! The addresses under which feeds, their list and the pages for people are found.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::response::Response;
use axum::routing::get;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, StatusCode};
use serde::Deserialize;

use super::answer::{Varies, answer, kept_for, kept_privately, max_age};
use super::edition::Publication;
use super::negotiate::Form;
use super::problem::Problem;
use super::shelf::Shelf;
use crate::access::{Caller, ClientCertificate, TooOften};
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
    let (publication, named) = match look_up(&shelf, &request, &file) {
        Ok(found) => found,
        Err(problem) => return problem.answer(asked),
    };
    let private = |value| match shelf.access.is_open(publication.id()) {
        true => value,
        false => kept_privately(&value),
    };
    let Some(form) = named.or_else(|| Form::preferred(asked)) else {
        return Problem::no_form(&file).answer(asked);
    };
    let now = shelf.clock.now();
    publication.touch(now);
    let varies = if named.is_some() { Varies::Coding } else { Varies::FormAndCoding };
    match shelf.document(&publication, form).await {
        Ok((document, true)) => {
            let max_age = private(max_age(&shelf, &publication, now));
            marked(&publication, answer(&shelf, &document, asked, varies, max_age).await)
        }
        Ok((earlier, false)) => {
            let max_age = private(kept_for(0));
            marked(&publication, answer(&shelf, &earlier, asked, varies, max_age).await)
        }
        Err(_) => Problem::unavailable().answer(asked),
    }
}

/// The feed that a request asks for and may have, and the form if the address says it.
fn look_up(
    shelf: &Shelf,
    request: &Request,
    file: &str,
) -> Result<(Arc<Publication>, Option<Form>), Problem> {
    let found = find(shelf, file);
    let known = is_known(request);
    let open = found.as_ref().is_some_and(|(feed, _)| shelf.access.is_open(feed.id()));
    if let (true, false, Some(found)) = (open, known, &found) {
        return Ok(found.clone());
    }
    let caller = caller(shelf, request);
    counted(shelf, &caller)?;
    match found {
        Some(found) if shelf.access.may_read(&caller, found.0.id()) => Ok(found),
        _ if matches!(caller, Caller::Stranger { wrong: true, .. }) => {
            Err(Problem::unknown_token())
        }
        _ => Err(Problem::no_feed(stem(file), shelf.nearest(stem(file), &caller))),
    }
}

/// Whether a request says who it comes from.
fn is_known(request: &Request) -> bool {
    request.headers().contains_key(AUTHORIZATION)
        || request.extensions().get::<ClientCertificate>().is_some()
}

fn caller(shelf: &Shelf, request: &Request) -> Caller {
    let authority = request.uri().authority().map(|authority| authority.as_str());
    shelf.access.caller(request.headers(), request.extensions(), authority)
}

/// Readers may take what they are allowed; documents for anybody are not counted.
fn counted(shelf: &Shelf, caller: &Caller) -> Result<(), Problem> {
    match caller {
        Caller::Reader(_) => shelf
            .access
            .count(caller)
            .map_err(|TooOften { seconds }| Problem::too_often(seconds, shelf.clock.now())),
        Caller::Operator | Caller::Stranger { .. } => Ok(()),
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

async fn opml(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let caller = caller(&shelf, &request);
    let list = shelf.opml(&caller);
    let max_age = match caller {
        Caller::Stranger { .. } => kept_for(60),
        Caller::Operator | Caller::Reader(_) => kept_privately(&kept_for(60)),
    };
    answer(&shelf, &list, request.headers(), Varies::Coding, max_age).await
}

async fn home(State(shelf): State<Arc<Shelf>>, request: Request) -> Response {
    let listings = shelf.listings_for(&caller(&shelf, &request));
    pages::respond(StatusCode::OK, &pages::home::page(&shelf.imprint, &listings))
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

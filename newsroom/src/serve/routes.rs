//! The HTTP routes.
//!
//! Nothing here waits: a desk is locked at most while one document is rendered.

use std::sync::atomic::Ordering;

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, DATE, ETAG, LAST_MODIFIED, RETRY_AFTER, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use pergola_feed::opml::{Opml, Outline};
use serde::{Deserialize, Serialize};

use super::conditions::{accepts_gzip, copy_is_fresh, http_date};
use super::desk::Desk;
use super::document::{Article, escape, render};
use super::{Newsroom, NewsroomError, ServedSource, SourceTruth, read};

/// Seconds in the Retry-After of a stopped source.
const RETRY_AFTER_SECONDS: &str = "30";
/// Sources on the page for people.
const LISTED: usize = 100;

pub(super) fn router(newsroom: Newsroom) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/opml", get(opml))
        .route("/truth", get(truth))
        .route("/sources/{*name}", get(source))
        .route("/items/{*item}", get(item))
        .fallback(async || {
            let paths = "/, /opml, /truth, /sources/{name} and /items/{name}/{number}";
            (StatusCode::NOT_FOUND, format!("not found; try {paths}\n"))
        })
        .with_state(newsroom)
}

impl IntoResponse for NewsroomError {
    fn into_response(self) -> Response {
        let status = match self {
            Self::UnknownSource { .. } => StatusCode::NOT_FOUND,
            Self::Factor { .. } => StatusCode::BAD_REQUEST,
        };
        (status, format!("{self}\n")).into_response()
    }
}

async fn source(
    State(newsroom): State<Newsroom>,
    Path(name): Path<String>,
    method: Method,
    request: HeaderMap,
) -> Result<Response, NewsroomError> {
    let index = newsroom.index(&name)?;
    let served = &newsroom.inner.sources[index as usize];
    let response = {
        let rates = read(&newsroom.inner.rates);
        let mut desk = served.lock();
        let moment = newsroom.moment(&rates);
        if desk.catch_up(&served.source, moment) {
            newsroom.inner.shelf.discard(&mut desk);
        }
        let mut answer = newsroom.answer(index, served, &mut desk, &request);
        answer.headers.push((DATE, http_date(moment.now)));
        desk.counters.requests += 1;
        desk.counters.not_modified += u64::from(answer.status == StatusCode::NOT_MODIFIED);
        if method != Method::HEAD {
            desk.counters.bytes += answer.body.len() as u64;
        }
        answer.into_response()
    };
    newsroom.inner.shelf.tidy(&newsroom.inner.sources);
    Ok(response)
}

/// What a source answers, before it is put on the wire.
struct Answer {
    status: StatusCode,
    headers: Vec<(HeaderName, String)>,
    body: Bytes,
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        // An answer sets its own media type, or has none.
        response.headers_mut().remove(CONTENT_TYPE);
        for (name, value) in self.headers {
            if let Ok(value) = HeaderValue::try_from(value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

impl Newsroom {
    fn answer(
        &self,
        index: u32,
        served: &ServedSource,
        desk: &mut Desk,
        request: &HeaderMap,
    ) -> Answer {
        let source = &served.source;
        if !desk.answering || !self.inner.answering.load(Ordering::Relaxed) {
            return Answer {
                status: StatusCode::SERVICE_UNAVAILABLE,
                headers: vec![
                    (RETRY_AFTER, RETRY_AFTER_SECONDS.to_owned()),
                    (CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
                ],
                body: Bytes::from_static(b"this source is stopped; retry later\n"),
            };
        }
        if let Some(Ok(status)) = source.quirks.status.map(StatusCode::from_u16) {
            return Answer { status, headers: Vec::new(), body: Bytes::new() };
        }
        let compressed = accepts_gzip(request);
        let tag = format!("{:x}-{:016x}", desk.published(), desk.fingerprint());
        let modified = desk.newest().unwrap_or(self.inner.opening);
        let mut headers = vec![(VARY, "accept-encoding".to_owned())];
        if !source.quirks.without_validators {
            let suffix = if compressed { "-gzip" } else { "" };
            headers.push((ETAG, format!("\"{tag}{suffix}\"")));
            headers.push((LAST_MODIFIED, http_date(modified)));
        }
        if let Some(seconds) = source.max_age {
            headers.push((CACHE_CONTROL, format!("max-age={seconds}")));
        }
        let conditional = !source.quirks.without_validators && !source.quirks.ignores_conditions;
        if conditional && copy_is_fresh(request, &tag, modified) {
            return Answer { status: StatusCode::NOT_MODIFIED, headers, body: Bytes::new() };
        }
        headers.push((CONTENT_TYPE, source.format.media_type().to_owned()));
        if compressed {
            headers.push((CONTENT_ENCODING, "gzip".to_owned()));
        }
        let render = |desk: &Desk| render(self.house(), source, desk);
        let body = self.inner.shelf.document(index, desk, compressed, render);
        Answer { status: StatusCode::OK, headers, body }
    }
}

async fn item(State(newsroom): State<Newsroom>, Path(path): Path<String>) -> Response {
    let missing = |status, text: String| (status, format!("{text}\n")).into_response();
    let numbered = path.rsplit_once('/').and_then(|(name, n)| Some((name, n.parse::<u64>().ok()?)));
    let Some((name, number)) = numbered else {
        let text = format!("`{path}` is not an item; use /items/{{source}}/{{number}}");
        return missing(StatusCode::NOT_FOUND, text);
    };
    let served = match newsroom.served(name) {
        Ok(served) => served,
        Err(unknown) => return unknown.into_response(),
    };
    let rates = read(&newsroom.inner.rates);
    let mut desk = served.lock();
    if desk.catch_up(&served.source, newsroom.moment(&rates)) {
        newsroom.inner.shelf.discard(&mut desk);
    }
    if number < desk.forgotten() {
        let text = format!("item {number} of `{name}` is no longer remembered");
        return missing(StatusCode::GONE, text);
    }
    match desk.items_from(number).next() {
        Some((number, item)) => {
            Html(Article::new(newsroom.house(), &served.source, &desk, number, item).page())
                .into_response()
        }
        None => {
            let text = format!(
                "item {number} of `{name}` is not published yet; there are {} so far",
                desk.published()
            );
            missing(StatusCode::NOT_FOUND, text)
        }
    }
}

/// The requested part of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    first: Option<usize>,
    count: Option<usize>,
}

async fn opml(
    State(newsroom): State<Newsroom>,
    part: Result<Query<Part>, QueryRejection>,
) -> Response {
    let Query(part) = match part {
        Ok(part) => part,
        Err(wrong) => return refuse(&wrong, "first=NUMBER and count=NUMBER"),
    };
    let (first, count) = (part.first.unwrap_or(0), part.count.unwrap_or(usize::MAX));
    let base = newsroom.base();
    let outline = |served: &ServedSource| Outline {
        text: served.source.shown_title().into_owned(),
        feed: Some(format!("{base}/sources/{}", served.source.name)),
        home: Some(format!("{base}/")),
        ..Outline::default()
    };
    let list = Opml {
        title: Some("Newsroom".to_owned()),
        outlines: newsroom.inner.sources.iter().skip(first).take(count).map(outline).collect(),
    };
    ([(CONTENT_TYPE, "text/x-opml; charset=utf-8")], list.write()).into_response()
}

/// The requested source, and after which item.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    source: Option<String>,
    after: Option<u64>,
}

/// The ground truth on the wire.
#[derive(Debug, Serialize)]
struct Truth {
    now: f64,
    opening: f64,
    sources: Vec<SourceTruth>,
}

async fn truth(
    State(newsroom): State<Newsroom>,
    question: Result<Query<Question>, QueryRejection>,
) -> Response {
    let allowed = "source=NAME, and with it after=NUMBER";
    let Query(question) = match question {
        Ok(question) => question,
        Err(wrong) => return refuse(&wrong, allowed),
    };
    let sources = match (question.source, question.after) {
        (None, None) => newsroom.truths().collect(),
        (None, Some(_)) => return refuse(&"`after` needs a source", allowed),
        (Some(name), after) => {
            let first = after.map_or(0, |after| after.saturating_add(1));
            match newsroom.truth_from(&name, first) {
                Ok(truth) => vec![truth],
                Err(unknown) => return unknown.into_response(),
            }
        }
    };
    let truth = Truth { now: newsroom.now(), opening: newsroom.opening(), sources };
    axum::Json(truth).into_response()
}

fn refuse(wrong: &dyn std::fmt::Display, allowed: &str) -> Response {
    (StatusCode::BAD_REQUEST, format!("{wrong}; give {allowed}\n")).into_response()
}

async fn page(State(newsroom): State<Newsroom>) -> Html<String> {
    let sources = &newsroom.inner.sources;
    let row = |served: &ServedSource| {
        let (name, title) = (&served.source.name, escape(&served.source.shown_title()));
        format!("<li><a href=\"/sources/{name}\">{title}</a></li>\n")
    };
    let rows: String = sources.iter().take(LISTED).map(row).collect();
    Html(format!(
        "<!doctype html>\n<html lang=\"en\">\n<title>Newsroom</title>\n<h1>Newsroom</h1>\n\
         <p>{} sources; the first {}: (<a href=\"/opml\">all as OPML</a>, \
         <a href=\"/truth\">what they have published</a>)</p>\n<ul>\n{rows}</ul>\n</html>\n",
        sources.len(),
        sources.len().min(LISTED),
    ))
}

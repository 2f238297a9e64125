//! What hubs ask and send: `/websub/{token}`, where the token is ours to know and the hub's.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use http::{Request, StatusCode};
use pergola_manners::courtesy::Head;
use url::{Url, form_urlencoded};

use super::Subscriber;
use crate::crawl::driver::NotReceived;
use crate::fetch::Answer;
use crate::websub::signature;

/// The longest challenge that is echoed.
const CHALLENGE_BYTES: usize = 1_024;
/// Characters of a reason that are kept.
const REASON: usize = 200;
/// A hub that sends more slowly is cut off.
const PATIENCE: Duration = Duration::from_secs(30);

/// A hub asks whether we want something, or says that there will be nothing.
pub(super) async fn verify(
    State(subscriber): State<Arc<Subscriber>>,
    Path(token): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let (mut mode, mut topic, mut challenge, mut lease, mut reason) =
        (None, String::new(), String::new(), None, String::new());
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        match &*name {
            "hub.mode" => mode = Some(value.into_owned()),
            "hub.topic" => topic = value.into_owned(),
            "hub.challenge" => challenge = value.into_owned(),
            "hub.lease_seconds" => lease = value.trim().parse::<u32>().ok().map(f64::from),
            "hub.reason" => reason = value.chars().take(REASON).collect(),
            _ => {}
        }
    }
    let now = subscriber.clock.now();
    let agreed = match mode.as_deref() {
        Some("denied") => {
            let ours = subscriber.book().denied(&token, &topic, &reason, now);
            subscriber.replan();
            subscriber.nudge.notify_one();
            return if ours { StatusCode::OK } else { StatusCode::NOT_FOUND }.into_response();
        }
        Some(mode @ ("subscribe" | "unsubscribe")) if is_harmless(&challenge) => {
            subscriber.book().verifies(&token, mode == "subscribe", &topic, lease, now)
        }
        _ => false,
    };
    if !agreed {
        return StatusCode::NOT_FOUND.into_response();
    }
    subscriber.replan();
    subscriber.nudge.notify_one();
    // Not a page, whatever the challenge looks like.
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, challenge).into_response()
}

fn is_harmless(challenge: &str) -> bool {
    (1..=CHALLENGE_BYTES).contains(&challenge.len())
        && challenge.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A hub sends news.
pub(super) async fn receive(
    State(subscriber): State<Arc<Subscriber>>,
    Path(token): Path<String>,
    request: Request<Body>,
) -> Response {
    let counts = &subscriber.metrics.websub;
    let Some((source, secret, topic)) = subscriber.book().expected(&token) else {
        counts.pushed("unknown");
        return StatusCode::GONE.into_response();
    };
    let Ok(_turn) = subscriber.receiving.try_acquire() else {
        counts.pushed("busy");
        return busy();
    };
    let (parts, body) = request.into_parts();
    let body = match tokio::time::timeout(PATIENCE, to_bytes(body, subscriber.max_body)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            counts.pushed("unreadable");
            let why = format!("the hub sent more than {} bytes, or broke off", subscriber.max_body);
            subscriber.book().unreadable(&token, why);
            return StatusCode::PAYLOAD_TOO_LARGE.into_response();
        }
        Err(_) => {
            counts.pushed("unreadable");
            return StatusCode::REQUEST_TIMEOUT.into_response();
        }
    };
    let protected = subscriber.base.scheme() == "https";
    let value = parts.headers.get(signature::HEADER).and_then(|value| value.to_str().ok());
    if !value.is_some_and(|value| signature::fits(value, secret.as_bytes(), &body, protected)) {
        counts.pushed("forged");
        subscriber.book().forged(&token);
        // Whoever guesses learns nothing from the answer.
        return StatusCode::NO_CONTENT.into_response();
    }
    let answer = answer(&parts.headers, body, &topic, &subscriber.base);
    let taken = subscriber.crawler.receive(source, answer).await;
    let response = match taken {
        Ok(new_items) => {
            counts.pushed("taken");
            subscriber.book().told(&token, new_items);
            StatusCode::NO_CONTENT.into_response()
        }
        // It would not be any better if it were sent again.
        Err(NotReceived::Unreadable(why)) => {
            counts.pushed("unreadable");
            tracing::info!(topic, why, "what a hub sent cannot be read");
            subscriber.book().unreadable(&token, why);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(NotReceived::Vanished) => {
            counts.pushed("unknown");
            StatusCode::GONE.into_response()
        }
        Err(trouble) => {
            counts.pushed("busy");
            tracing::warn!(topic, %trouble, "news could not be taken in; they are to come again");
            busy()
        }
    };
    subscriber.replan();
    subscriber.nudge.notify_one();
    response
}

/// What a hub sent, as if it had been fetched.
fn answer(headers: &HeaderMap, body: bytes::Bytes, topic: &str, base: &Url) -> Answer {
    let head = Head {
        content_type: headers.get(CONTENT_TYPE).cloned(),
        content_encoding: headers.get(CONTENT_ENCODING).cloned(),
        ..Head::default()
    };
    Answer {
        status: 200,
        url: Url::parse(topic).unwrap_or_else(|_| base.clone()),
        hops: Vec::new(),
        head,
        wire_bytes: body.len() as u64,
        body,
        took: Duration::ZERO,
        page: None,
    }
}

fn busy() -> Response {
    let wait = [(RETRY_AFTER, HeaderValue::from_static("10"))];
    (StatusCode::SERVICE_UNAVAILABLE, wait).into_response()
}

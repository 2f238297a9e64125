//! The callback for hubs: `/websub/{token}`, where only we and the hub know the token.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use http::{Request, StatusCode};
use pergola_feed::address::Shown;
use pergola_notify::signature;
use url::{Url, form_urlencoded};

use super::Subscriber;
use crate::crawl::driver::{NotReceived, Pushed};

/// The longest challenge that is echoed, in bytes.
const CHALLENGE_BYTES: usize = 1_024;
/// Characters of a reason that are kept.
const REASON: usize = 200;
/// A hub that sends more slowly is disconnected.
const PATIENCE: Duration = Duration::from_secs(30);

/// A hub verifies a request, or denies it.
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
    let now = subscriber.tools.clock.now();
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
    // No browser may take the challenge for a page.
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

/// A hub pushes a document.
pub(super) async fn receive(
    State(subscriber): State<Arc<Subscriber>>,
    Path(token): Path<String>,
    request: Request<Body>,
) -> Response {
    let counts = &subscriber.tools.metrics.websub;
    let Some((source, secret, topic)) = subscriber.book().expected(&token) else {
        counts.pushed("unknown");
        return StatusCode::GONE.into_response();
    };
    let Ok(_turn) = subscriber.receiving.try_acquire() else {
        counts.pushed("busy");
        return busy();
    };
    let (parts, body) = request.into_parts();
    let body = match subscriber.body(&token, body).await {
        Ok(body) => body,
        Err(status) => return status.into_response(),
    };
    let protected = subscriber.tools.base.scheme() == "https";
    let value = parts.headers.get(signature::HEADER).and_then(|value| value.to_str().ok());
    if !value.is_some_and(|value| signature::fits(value, secret.as_bytes(), &body, protected)) {
        counts.pushed("forged");
        subscriber.book().forged(&token);
        // Whoever guesses learns nothing from the answer.
        return StatusCode::NO_CONTENT.into_response();
    }
    let pushed = Pushed {
        topic: Url::parse(&topic).unwrap_or_else(|_| subscriber.tools.base.clone()),
        content_type: parts.headers.get(CONTENT_TYPE).cloned(),
        content_encoding: parts.headers.get(CONTENT_ENCODING).cloned(),
        body,
    };
    let received = subscriber.tools.crawler.receive(source, pushed).await;
    let response = subscriber.answer(&token, &topic, received);
    subscriber.replan();
    subscriber.nudge.notify_one();
    response
}

impl Subscriber {
    /// The body of a push, within limits of size and time.
    async fn body(&self, token: &str, body: Body) -> Result<Bytes, StatusCode> {
        let counts = &self.tools.metrics.websub;
        let most = self.tools.max_body;
        match tokio::time::timeout(PATIENCE, to_bytes(body, most)).await {
            Ok(Ok(body)) => Ok(body),
            Ok(Err(_)) => {
                counts.pushed("unreadable");
                let why = format!("the hub sent more than {most} bytes, or broke off");
                self.book().unreadable(token, why);
                Err(StatusCode::PAYLOAD_TOO_LARGE)
            }
            Err(_) => {
                counts.pushed("unreadable");
                Err(StatusCode::REQUEST_TIMEOUT)
            }
        }
    }

    /// What the hub is told about its push.
    fn answer(&self, token: &str, topic: &str, received: Result<u32, NotReceived>) -> Response {
        let counts = &self.tools.metrics.websub;
        match received {
            Ok(new_items) => {
                counts.pushed("taken");
                self.book().told(token, new_items);
                StatusCode::NO_CONTENT.into_response()
            }
            // Sending it again would not help.
            Err(NotReceived::Unreadable(why)) => {
                counts.pushed("unreadable");
                tracing::info!(topic = %Shown(topic), why, "a push cannot be read");
                self.book().unreadable(token, why);
                StatusCode::NO_CONTENT.into_response()
            }
            Err(NotReceived::Vanished) => {
                counts.pushed("unknown");
                StatusCode::GONE.into_response()
            }
            Err(trouble) => {
                counts.pushed("busy");
                tracing::warn!(topic = %Shown(topic), %trouble, "a push could not be stored; the hub is to repeat it");
                busy()
            }
        }
    }
}

fn busy() -> Response {
    let wait = [(RETRY_AFTER, HeaderValue::from_static("10"))];
    (StatusCode::SERVICE_UNAVAILABLE, wait).into_response()
}

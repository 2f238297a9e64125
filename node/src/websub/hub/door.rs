//! Where subscribers ask: what makes no sense is refused at once, the rest waits for its verification,
//! within bounds for each host and for all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::book::host_of;
use super::request::Request;
use super::{Hub, locked};

/// Bytes of a request.
const REQUEST_BYTES: usize = 16 << 10;
/// Requests of callbacks on one host that wait or are being verified.
const WAITING_PER_HOST: usize = 8;

/// A request to be verified, and which address it came to.
pub(super) struct Asked {
    pub(super) request: Request,
    pub(super) host: Option<String>,
    pub(super) _seat: Seat,
}

pub(super) type Pending = Arc<Mutex<HashMap<String, usize>>>;

/// A request's place among those of its host, given back when it is dropped.
pub(super) struct Seat {
    pending: Pending,
    host: String,
}

impl Seat {
    fn take(pending: &Pending, host: String) -> Option<Self> {
        let mut places = locked(pending);
        let taken = places.get(&host).copied().unwrap_or(0);
        if taken >= WAITING_PER_HOST {
            return None;
        }
        places.insert(host.clone(), taken + 1);
        Some(Self { pending: Arc::clone(pending), host })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut places = locked(&self.pending);
        match places.get_mut(&self.host) {
            Some(taken) if *taken > 1 => *taken -= 1,
            _ => drop(places.remove(&self.host)),
        }
    }
}

impl Hub {
    /// Where subscribers ask.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/hub", post(subscribe))
            .layer(DefaultBodyLimit::max(REQUEST_BYTES))
            .with_state(Arc::clone(self))
    }
}

/// `POST /hub`.
async fn subscribe(State(hub): State<Arc<Hub>>, headers: HeaderMap, form: Bytes) -> Response {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let wrong = "send the request as application/x-www-form-urlencoded\n";
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, wrong).into_response();
    }
    let request = match Request::read(&form) {
        Ok(request) => request,
        Err(wrong) => return (StatusCode::BAD_REQUEST, format!("{wrong}\n")).into_response(),
    };
    if let Err(error) = hub.fetcher.may_call(&request.callback) {
        // What the operator could do about it is not the subscriber's business.
        tracing::debug!(callback = %request.callback, %error, "a callback is refused");
        let wrong = "`hub.callback` is an address that this hub does not send to\n";
        return (StatusCode::BAD_REQUEST, wrong).into_response();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).map(str::to_owned);
    if let Some(seat) = Seat::take(&hub.pending, host_of(request.callback.as_str()))
        && hub.asked.try_send(Asked { request, host, _seat: seat }).is_ok()
    {
        return StatusCode::ACCEPTED.into_response();
    }
    let wait = [(RETRY_AFTER, HeaderValue::from_static("30"))];
    let busy = "too many requests wait for their verification; try again in a moment\n";
    (StatusCode::SERVICE_UNAVAILABLE, wait, busy).into_response()
}

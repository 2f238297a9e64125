//! The hub's endpoint: invalid requests are refused at once, the others wait for their verification, within
//! limits for each host and in all.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use pergola_feed::address::Shown;
use tokio::time::Instant;

use super::Hub;
use super::book::host_of;
use super::request::Request;
use crate::websub::HUB;
use pergola_outside::clock::network_now;
use pergola_outside::locks::Mutex;
use pergola_outside::mandate::Mandate;

/// Bytes of a request.
const REQUEST_BYTES: usize = 16 << 10;
/// Requests of callbacks on one host that wait or are being verified.
const WAITING_PER_HOST: usize = 8;

/// After a denied or unconfirmed request, no other is accepted for the same host for this long …
const REST: Duration = Duration::from_millis(500);
/// … and only one at a time for this long, so that nobody can use this node to flood another.
const CAREFUL: Duration = Duration::from_secs(60);
/// Hosts that are remembered before those without recent trouble are forgotten.
const REMEMBERED: usize = 1024;

/// A request to be verified, and the host that it was sent to.
pub(super) struct PendingRequest {
    pub(super) request: Request,
    pub(super) host: Option<String>,
    pub(super) seat: Seat,
}

pub(super) type Pending = Arc<Mutex<HashMap<String, HostRequests>>>;

/// The requests of one host.
#[derive(Default)]
pub(super) struct HostRequests {
    taken: usize,
    refused_at: Option<Instant>,
}

impl HostRequests {
    fn is_careful(&self, now: Instant) -> bool {
        self.refused_at.is_some_and(|at| now < at + CAREFUL)
    }

    fn has_room(&self, now: Instant) -> bool {
        let rests = self.refused_at.is_some_and(|at| now < at + REST);
        !rests && self.taken < if self.is_careful(now) { 1 } else { WAITING_PER_HOST }
    }
}

/// A slot for one request of a host, released when it is dropped.
pub(super) struct Seat {
    pending: Pending,
    host: String,
}

impl Seat {
    fn take(pending: &Pending, host: String, now: Instant) -> Option<Self> {
        let mut hosts = pending.lock();
        if hosts.len() > REMEMBERED {
            hosts.retain(|_, places| places.taken > 0 || places.is_careful(now));
        }
        let places = hosts.entry(host.clone()).or_default();
        if !places.has_room(now) {
            return None;
        }
        places.taken += 1;
        Some(Self { pending: Arc::clone(pending), host })
    }

    /// How the request ended.
    pub(super) fn ends(self, confirmed: bool, now: Instant) {
        if let Some(places) = self.pending.lock().get_mut(&self.host) {
            places.refused_at = (!confirmed).then_some(now);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut hosts = self.pending.lock();
        if let Some(places) = hosts.get_mut(&self.host) {
            places.taken -= 1;
            if places.taken == 0 && places.refused_at.is_none() {
                hosts.remove(&self.host);
            }
        }
    }
}

impl Hub {
    /// The route by which subscribers ask.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route(HUB, post(subscribe))
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
    if let Err(error) =
        hub.tools.fetcher.may_call(&request.callback, &Mandate::of(&request.callback))
    {
        // The error advises the operator, so it is not shown to the subscriber.
        let callback = Shown(request.callback.as_str());
        tracing::debug!(%callback, %error, "a callback is refused");
        let wrong = "`hub.callback` is an address that this hub does not send to\n";
        return (StatusCode::BAD_REQUEST, wrong).into_response();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).map(str::to_owned);
    let seat = Seat::take(&hub.pending, host_of(request.callback.as_str()), network_now());
    if let Some(seat) = seat
        && hub.requests.try_send(PendingRequest { request, host, seat }).is_ok()
    {
        return StatusCode::ACCEPTED.into_response();
    }
    let wait = [(RETRY_AFTER, HeaderValue::from_static("1"))];
    let busy = "too many requests are waiting for verification; try again in a moment\n";
    (StatusCode::SERVICE_UNAVAILABLE, wait, busy).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_host_that_did_not_confirm_rests_and_is_then_asked_one_thing_at_a_time() {
        let pending = Pending::default();
        let start = network_now();
        let take = |at| Seat::take(&pending, "victim.example".into(), at);
        let seats: Vec<Seat> = (0..WAITING_PER_HOST).map(|_| take(start).unwrap()).collect();
        assert!(take(start).is_none(), "enough of one host");
        assert!(Seat::take(&pending, "other.example".into(), start).is_some());
        seats.into_iter().for_each(|seat| seat.ends(false, start));
        assert!(take(start + REST / 2).is_none());
        let one = take(start + REST).unwrap();
        assert!(take(start + REST).is_none());
        drop(one);
        let late = start + CAREFUL;
        let (one, two) = (take(late).unwrap(), take(late).unwrap());
        one.ends(false, late);
        two.ends(true, late);
        assert_eq!(pending.lock().len(), 0, "who confirms is trusted again");
    }
}

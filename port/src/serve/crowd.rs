//! Connections beyond the limit.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use pergola_api::{Code, Problem, problem};
use pergola_manners::seats::{Admission, Crowd, Places, Seats};
use pergola_outside::clock::network_now;
use pergola_outside::locks::Mutex;
use pergola_outside::pace::Patience;
use pergola_outside::surroundings::Connection;
use tokio::io::AsyncWriteExt as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::counts::PortMetrics;

/// Seconds after which a client that was turned away may come back.
const RETRY_SECONDS: u16 = 30;
/// The log has a line about clients turned away at most this often.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// How long those without a seat may take. Whoever checks the health of a node is quick.
const STANDING: Patience = Patience {
    head: Duration::from_secs(5),
    stall: Duration::from_secs(5),
    idle: Duration::from_secs(1),
};
/// Time to hand over the shortest answer.
const BRIEF: Duration = Duration::from_secs(1);

/// Everybody who is connected.
pub(super) struct Crowds {
    state: Mutex<State>,
    /// Whether all seats are taken.
    crowded: Arc<AtomicBool>,
    metrics: PortMetrics,
}

struct State {
    seats: Seats,
    /// How those who stand are told to leave.
    standing: HashMap<u64, CancellationToken>,
    /// Clients turned away since the log last said so, and when it did.
    shed: u64,
    told: Option<Instant>,
}

impl Crowds {
    pub(super) fn new(places: Places, metrics: PortMetrics) -> Arc<Self> {
        let seats = Seats::new(places);
        let state = State { seats, standing: HashMap::new(), shed: 0, told: None };
        Arc::new(Self { state: Mutex::new(state), crowded: Arc::default(), metrics })
    }

    /// Whether all seats are taken, now and later.
    pub(super) fn crowded(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.crowded)
    }

    /// Finds a place for a new connection, and sends away whoever stands in its way.
    pub(super) fn admit(self: &Arc<Self>, number: u64, from: IpAddr) -> Found {
        let mut state = self.state.lock();
        let place = |kind| Place { crowds: Arc::clone(self), kind };
        let found = match state.seats.admit(number, from) {
            Admission::Seated => Found::Seat(place(Kind::Seat(from))),
            Admission::Standing { why, instead_of } => {
                if let Some(leaving) = instead_of.and_then(|one| state.standing.remove(&one)) {
                    leaving.cancel();
                }
                let leave = CancellationToken::new();
                state.standing.insert(number, leave.clone());
                Found::Standing { place: place(Kind::Standing { number, why }), leave, why }
            }
            Admission::Refused { why } => Found::None(why),
        };
        self.note_level(&state);
        found
    }

    fn note_level(&self, state: &State) {
        self.crowded.store(state.seats.is_full(), Ordering::Relaxed);
        let open = state.seats.taken() + state.standing.len();
        self.metrics.open.set(i64::try_from(open).unwrap_or(i64::MAX));
    }

    /// Counts a client that was turned away, and says so now and then.
    pub(super) fn shed(&self, caller: SocketAddr, why: Crowd, reason: &'static str) {
        self.metrics.shed(reason);
        let now = network_now();
        let mut state = self.state.lock();
        state.shed += 1;
        if state.told.is_some_and(|told| now.duration_since(told) < TELL_EVERY) {
            return;
        }
        let (count, open) = (state.shed, state.seats.taken());
        (state.shed, state.told) = (0, Some(now));
        drop(state);
        let key = match why {
            Crowd::Full => "node.connections",
            Crowd::Address | Crowd::Network => "node.connections_per_address",
        };
        tracing::warn!(
            last = %caller.ip(), count, open, reason = why.name(),
            "clients are turned away: too many connections; the limit is {key}"
        );
    }
}

/// What was found for a new connection.
pub(super) enum Found {
    Seat(Place),
    /// `leave` is cancelled when somebody else needs the place.
    Standing {
        place: Place,
        leave: CancellationToken,
        why: Crowd,
    },
    None(Crowd),
}

/// A place of a connection, free again when this is dropped.
pub(super) struct Place {
    crowds: Arc<Crowds>,
    kind: Kind,
}

enum Kind {
    Seat(IpAddr),
    Standing { number: u64, why: Crowd },
}

impl Place {
    /// Why there is no seat, if there is none.
    pub(super) fn crowd(&self) -> Option<Crowd> {
        match self.kind {
            Kind::Seat(_) => None,
            Kind::Standing { why, .. } => Some(why),
        }
    }

    /// How long its client is waited for.
    pub(super) fn patience(&self, usual: Patience) -> Patience {
        match self.kind {
            Kind::Seat(_) => usual,
            Kind::Standing { .. } => STANDING,
        }
    }

    /// Nobody takes the place of this client from now on.
    pub(super) fn keep(&self) {
        if let Kind::Standing { number, .. } = self.kind {
            self.crowds.state.lock().seats.heard(number);
        }
    }

    /// Counts that its client was turned away.
    pub(super) fn shed(&self, caller: SocketAddr) {
        if let Kind::Standing { why, .. } = self.kind {
            self.crowds.shed(caller, why, why.name());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.crowds.state.lock();
        match self.kind {
            Kind::Seat(from) => state.seats.leave(from),
            Kind::Standing { number, .. } => {
                state.seats.go(number);
                state.standing.remove(&number);
            }
        }
        self.crowds.note_level(&state);
    }
}

/// The answer to a client for whom there is no place.
pub(super) fn come_back(why: Crowd) -> Response {
    let detail = match why {
        Crowd::Full => "all connections of this node are taken",
        Crowd::Address => "your address has too many connections to this node",
        Crowd::Network => "your network has too many connections to this node",
    };
    let hint = format!("try again in {RETRY_SECONDS} seconds, with fewer connections at once");
    let problem = Problem { hint: Some(hint), ..Problem::new(Code::Crowded, detail) };
    refusal(&problem, Some(RETRY_SECONDS))
}

/// The answer to a request whose body came too slowly.
pub(super) fn too_slow(waited: Duration) -> Response {
    let detail = format!("the body of the request has not come on for {} s", waited.as_secs());
    refusal(&Problem::new(Code::TooSlow, detail), None)
}

fn refusal(problem: &Problem, retry: Option<u16>) -> Response {
    let text = serde_json::to_string(problem).expect("strings and numbers are JSON");
    let headers = [(CONTENT_TYPE, problem::MEDIA_TYPE), (CONNECTION, "close")];
    let mut response = (problem.code.status(), headers, Body::from(text)).into_response();
    if let Some(seconds) = retry {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// Tells a client to come back, whatever it wanted.
pub(super) async fn turn_away(stream: &mut Connection) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: {RETRY_SECONDS}\r\nconnection: close\r\n\
         content-length: 0\r\n\r\n"
    );
    let send = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    };
    // Whoever does not take it does not need it.
    let _ = tokio::time::timeout(BRIEF, send).await;
}

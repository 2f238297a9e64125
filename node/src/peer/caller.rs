//! Who is calling, what that caller may read, and how much it may take.
//!
//! A caller is an address. Everything it does is counted as long as it lasts: calls in a bucket that fills
//! up again by time, answers until the last byte is sent, streams until they end. So a reader that stops
//! reading costs a bounded number of answers, and nothing else has to know of limits.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::uri::Authority;
use hyper::body::{Frame, SizeHint};
use tonic::{Code, Status};

use crate::api::access;
use crate::node::Node;
use crate::publish::Listing;

/// What callers may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Calls in a minute by one caller; as many may come at once.
    pub calls_per_minute: f64,
    /// Streams that one caller may have open.
    pub streams_per_caller: usize,
    /// Streams open in all.
    pub streams: usize,
    /// Answers under way to one caller.
    pub answers_per_caller: usize,
    /// Answers under way in all.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls_per_minute: 6_000.0,
            streams_per_caller: 256,
            streams: 8_192,
            answers_per_caller: 32,
            answers: 256,
        }
    }
}

/// Somebody who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caller {
    /// Runs the node, so it may know everything about it.
    pub(super) operator: bool,
}

/// The name under which the node was called.
#[derive(Debug, Clone)]
pub(super) struct Addressed(pub(super) Option<Authority>);

impl Caller {
    /// Who made a call.
    pub(super) fn of<T>(request: &tonic::Request<T>) -> Self {
        let known = request.extensions().get::<Self>();
        known.copied().unwrap_or(Self { operator: false })
    }

    /// Whether a feed exists for this caller.
    pub(super) fn may_read(&self, _feed: &Listing) -> bool {
        true
    }
}

/// Everybody who calls, and what they have under way.
pub(super) struct Callers {
    node: Arc<Node>,
    limits: Limits,
    ledger: Mutex<Ledger>,
}

impl Callers {
    pub(super) fn new(node: Arc<Node>, limits: Limits) -> Arc<Self> {
        Arc::new(Self { node, limits, ledger: Mutex::default() })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(self: &Arc<Self>, address: IpAddr, kind: Kind) -> Result<Ticket, Refused> {
        // The limits are about what the machine bears, so they go by real time.
        let now = self.node.clock.now() / self.node.clock.speed();
        self.ledger().admit(address, kind, &self.limits, now)?;
        Ok(Ticket { callers: Arc::clone(self), address, kind })
    }
}

/// Lets a call through, or not; it counts until its answer is sent.
pub(super) async fn check(
    State(callers): State<Arc<Callers>>,
    mut request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let address = peer.map_or(Ipv4Addr::UNSPECIFIED.into(), |ConnectInfo(peer)| network(peer.ip()));
    let watches = request.uri().path().ends_with("/Watch");
    let ticket = match callers.admit(address, if watches { Kind::Stream } else { Kind::Answer }) {
        Ok(ticket) => ticket,
        Err(refused) => {
            callers.node.metrics.peer_calls_refused.inc();
            return refused.into_status().into_http();
        }
    };
    let operator = access::is_operator(&callers.node.config(), &request);
    let addressed = Addressed(request.uri().authority().cloned());
    request.extensions_mut().insert(Caller { operator });
    request.extensions_mut().insert(addressed);
    let (head, body) = next.run(request).await.into_parts();
    Response::from_parts(head, Body::new(Counted { body, _ticket: ticket }))
}

/// The address that limits go by: of IPv6, what one subscriber is usually given.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            [a, b, c, d, 0, 0, 0, 0].into()
        }
        v4 => v4,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Answer,
    Stream,
}

/// Why a call is not let through.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Refused {
    TooOften { wait: f64 },
    TooMany(Kind),
    Full(Kind),
}

impl Refused {
    fn into_status(self) -> Status {
        let (wait, message) = match self {
            Self::TooOften { wait } => {
                (wait, "too many calls; `retry-after` says how long to wait")
            }
            Self::TooMany(Kind::Answer) => {
                (1.0, "too many answers are on their way to this caller; read them first")
            }
            Self::TooMany(Kind::Stream) => {
                (60.0, "this caller watches too many feeds already; end a stream, or poll")
            }
            Self::Full(Kind::Answer) => (1.0, "the node is busy; try again in a moment"),
            Self::Full(Kind::Stream) => (60.0, "too many feeds are watched already; poll instead"),
        };
        let mut status = Status::new(Code::ResourceExhausted, message);
        let seconds = wait.ceil().max(1.0) as u64;
        status.metadata_mut().insert("retry-after", seconds.into());
        status
    }
}

/// What each caller has under way. Pure: it is told the time.
#[derive(Default)]
struct Ledger {
    accounts: HashMap<IpAddr, Account>,
    under_way: UnderWay,
}

#[derive(Debug, Clone, Copy, Default)]
struct UnderWay {
    answers: usize,
    streams: usize,
}

impl UnderWay {
    fn count(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Answer => &mut self.answers,
            Kind::Stream => &mut self.streams,
        }
    }
}

struct Account {
    under_way: UnderWay,
    /// Calls that may still be made …
    calls: f64,
    /// … as of this instant.
    at: f64,
}

impl Ledger {
    /// Callers remembered; beyond, those who have nothing under way are forgotten.
    const REMEMBERED: usize = 10_000;

    fn admit(
        &mut self,
        address: IpAddr,
        kind: Kind,
        limits: &Limits,
        now: f64,
    ) -> Result<(), Refused> {
        let per_second = limits.calls_per_minute / 60.0;
        if self.accounts.len() >= Self::REMEMBERED && !self.accounts.contains_key(&address) {
            let busy =
                |account: &Account| account.under_way.answers + account.under_way.streams > 0;
            self.accounts.retain(|_, account| busy(account));
        }
        let (in_all, each) = match kind {
            Kind::Answer => (limits.answers, limits.answers_per_caller),
            Kind::Stream => (limits.streams, limits.streams_per_caller),
        };
        let account = self.accounts.entry(address).or_insert(Account {
            under_way: UnderWay::default(),
            calls: limits.calls_per_minute,
            at: now,
        });
        let gained = (now - account.at).max(0.0) * per_second;
        account.calls = (account.calls + gained).min(limits.calls_per_minute);
        account.at = now;
        if account.calls < 1.0 {
            return Err(Refused::TooOften { wait: (1.0 - account.calls) / per_second });
        }
        account.calls -= 1.0;
        if *account.under_way.count(kind) >= each {
            return Err(Refused::TooMany(kind));
        }
        if *self.under_way.count(kind) >= in_all {
            return Err(Refused::Full(kind));
        }
        *account.under_way.count(kind) += 1;
        *self.under_way.count(kind) += 1;
        Ok(())
    }

    fn release(&mut self, address: IpAddr, kind: Kind) {
        *self.under_way.count(kind) -= 1;
        if let Some(account) = self.accounts.get_mut(&address) {
            *account.under_way.count(kind) -= 1;
        }
    }
}

/// Something under way, counted as long as this lives.
struct Ticket {
    callers: Arc<Callers>,
    address: IpAddr,
    kind: Kind,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.callers.ledger().release(self.address, self.kind);
    }
}

/// An answer that counts until it is sent or given up.
struct Counted {
    body: Body,
    _ticket: Ticket,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        calls_per_minute: 6.0,
        streams_per_caller: 1,
        streams: 2,
        answers_per_caller: 100,
        answers: 100,
    };

    fn address(last: u8) -> IpAddr {
        Ipv4Addr::new(192, 0, 2, last).into()
    }

    #[test]
    fn a_caller_has_a_minute_of_calls_at_once_and_then_one_at_a_time() {
        let mut ledger = Ledger::default();
        let mut call = |now| ledger.admit(address(1), Kind::Answer, &LIMITS, now);
        assert!((0..6).all(|_| call(100.0).is_ok()));
        assert_eq!(call(100.0), Err(Refused::TooOften { wait: 10.0 }));
        assert_eq!(call(105.0), Err(Refused::TooOften { wait: 5.0 }));
        assert_eq!(call(110.0), Ok(()));
        assert_eq!(call(110.0), Err(Refused::TooOften { wait: 10.0 }));
        // Long silence does not pile up more than a minute of calls.
        assert!((0..6).all(|_| call(10_000.0).is_ok()));
        assert!(call(10_000.0).is_err());
    }

    #[test]
    fn streams_are_limited_for_each_caller_and_in_all_until_they_end() {
        let mut ledger = Ledger::default();
        let watch = |ledger: &mut Ledger, who| ledger.admit(who, Kind::Stream, &LIMITS, 0.0);
        assert_eq!(watch(&mut ledger, address(1)), Ok(()));
        assert_eq!(watch(&mut ledger, address(1)), Err(Refused::TooMany(Kind::Stream)));
        assert_eq!(watch(&mut ledger, address(2)), Ok(()));
        assert_eq!(watch(&mut ledger, address(3)), Err(Refused::Full(Kind::Stream)));
        ledger.release(address(2), Kind::Stream);
        assert_eq!(watch(&mut ledger, address(3)), Ok(()));
    }

    #[test]
    fn callers_who_are_gone_are_forgotten_and_those_who_are_there_are_not() {
        let mut ledger = Ledger::default();
        ledger.admit(address(1), Kind::Stream, &LIMITS, 0.0).unwrap();
        for number in 0..2 * Ledger::REMEMBERED as u32 {
            let stranger = Ipv4Addr::from(0x0a00_0000 + number).into();
            ledger.admit(stranger, Kind::Answer, &LIMITS, 0.0).unwrap();
            ledger.release(stranger, Kind::Answer);
        }
        assert!(ledger.accounts.len() <= Ledger::REMEMBERED);
        assert!(ledger.accounts.contains_key(&address(1)));
    }

    #[test]
    fn neighbours_in_one_ipv6_network_are_one_caller() {
        let one: IpAddr = "2001:db8:1:2:3::4".parse().unwrap();
        let other: IpAddr = "2001:db8:1:2::9".parse().unwrap();
        assert_eq!(network(one), network(other));
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        assert_eq!(network(mapped), address(1));
    }
}

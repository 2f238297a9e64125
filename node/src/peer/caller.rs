//! What callers have under way, and how much that may be. Who somebody is, what it may read and how often
//! it may call is decided in [`crate::access`].
//!
//! Everything is counted as long as it lasts: answers until the last byte is sent, streams until they
//! end. So a reader that stops reading costs a bounded number of answers, and nothing else has to know
//! of limits.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::Frame;
use pergola_store::archive::FeedId;
use tonic::{Code, Status};

use crate::access::{self, Who};
use crate::node::Node;
use crate::wire::ANSWER_BYTES;
use pergola_outside::locks::{Mutex, MutexGuard};

/// What callers may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Streams open in all.
    pub streams: usize,
    /// Answers under way to one caller.
    pub answers_per_caller: usize,
    /// Answers under way in all.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { streams: 8_192, answers_per_caller: 16, answers: 128 }
    }
}

/// Somebody who calls.
#[derive(Clone)]
pub(super) struct Caller {
    who: access::Caller,
    /// The node that knows who may read what; without it, nobody may read anything.
    node: Option<Arc<Node>>,
}

impl Caller {
    /// Who made a call.
    pub(super) fn of<T>(request: &tonic::Request<T>) -> Self {
        let known = request.extensions().get::<Self>();
        let who = access::Caller::Stranger { address: None, wrong: false };
        known.cloned().unwrap_or(Self { who, node: None })
    }

    /// Whether it runs the node, so that it may know everything about it.
    pub(super) fn is_operator(&self) -> bool {
        self.who.is_operator()
    }

    /// Whether a feed exists for this caller.
    pub(super) fn may_read(&self, feed: FeedId) -> bool {
        self.node.as_ref().is_some_and(|node| node.may_read(&self.who, feed))
    }

    /// Whether it has sent a token that nobody has.
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self.who, access::Caller::Stranger { wrong: true, .. })
    }

    /// Bytes of one answer to it, unless a single entry is larger.
    pub(super) fn message_bytes(&self) -> usize {
        let limits = self.node.as_ref().map(|node| node.limits_of(&self.who));
        limits.map_or(ANSWER_BYTES, |limits| limits.max_message)
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
        self.ledger.lock()
    }

    fn admit(self: &Arc<Self>, caller: &access::Caller, kind: Kind) -> Result<Ticket, Refused> {
        self.node.count_call(caller).map_err(|often| Refused::TooOften { wait: often.seconds })?;
        let who = caller.who();
        let streams = self.node.limits_of(caller).streams;
        self.ledger().admit(&who, kind, streams, &self.limits)?;
        Ok(Ticket { callers: Arc::clone(self), who, kind })
    }
}

/// Lets a call through, or not; it counts until its answer is sent.
pub(super) async fn check(
    State(callers): State<Arc<Callers>>,
    mut request: Request,
    next: Next,
) -> Response {
    let who = callers.node.caller(&request);
    let watches = request.uri().path().ends_with("/Watch");
    let ticket = match callers.admit(&who, if watches { Kind::Stream } else { Kind::Answer }) {
        Ok(ticket) => ticket,
        Err(refused) => {
            callers.node.count_refused_call();
            return refused.into_status().into_http();
        }
    };
    let caller = Caller { who, node: Some(Arc::clone(&callers.node)) };
    request.extensions_mut().insert(caller);
    let (head, body) = next.run(request).await.into_parts();
    Response::from_parts(head, Body::new(Counted::new(body, ticket)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Answer,
    Stream,
}

/// Why a call is not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    TooOften { wait: u64 },
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
                (1, "too many answers are on their way to this caller; read them first")
            }
            Self::TooMany(Kind::Stream) => {
                (60, "this caller watches too many feeds already; end a stream, or poll")
            }
            Self::Full(Kind::Answer) => (1, "the node is busy; try again in a moment"),
            Self::Full(Kind::Stream) => (60, "too many feeds are watched already; poll instead"),
        };
        let mut status = Status::new(Code::ResourceExhausted, message);
        status.metadata_mut().insert("retry-after", wait.into());
        status
    }
}

/// What each caller has under way. Whoever has nothing is not in it.
#[derive(Default)]
struct Ledger {
    accounts: HashMap<Who, UnderWay>,
    under_way: UnderWay,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

impl Ledger {
    /// Counts something that a caller begins, unless it is too much. `streams`: what it may have open.
    fn admit(
        &mut self,
        who: &Who,
        kind: Kind,
        streams: usize,
        limits: &Limits,
    ) -> Result<(), Refused> {
        let (in_all, each) = match kind {
            Kind::Answer => (limits.answers, limits.answers_per_caller),
            Kind::Stream => (limits.streams, streams),
        };
        let mut own = self.accounts.get(who).copied().unwrap_or_default();
        if *own.count(kind) >= each {
            return Err(Refused::TooMany(kind));
        }
        if *self.under_way.count(kind) >= in_all {
            return Err(Refused::Full(kind));
        }
        *own.count(kind) += 1;
        *self.under_way.count(kind) += 1;
        self.accounts.insert(who.clone(), own);
        Ok(())
    }

    fn release(&mut self, who: &Who, kind: Kind) {
        *self.under_way.count(kind) -= 1;
        if let Some(own) = self.accounts.get_mut(who) {
            *own.count(kind) -= 1;
            if *own == UnderWay::default() {
                self.accounts.remove(who);
            }
        }
    }
}

/// Something under way, counted as long as this lives.
struct Ticket {
    callers: Arc<Callers>,
    who: Who,
    kind: Kind,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.callers.ledger().release(&self.who, self.kind);
    }
}

/// An answer that counts until it is sent or given up. It is handed over in pieces, the next one when there
/// is room: as a whole it would be out of our hands at once and lie in a buffer that nobody counts.
struct Counted {
    body: Body,
    rest: Bytes,
    _ticket: Ticket,
}

impl Counted {
    const PIECE: usize = 64 << 10;

    fn new(body: Body, ticket: Ticket) -> Self {
        Self { body, rest: Bytes::new(), _ticket: ticket }
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                other => return Poll::Ready(other),
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(Self::PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { streams: 2, answers_per_caller: 100, answers: 100 };

    fn who(name: &str) -> Who {
        Who::Reader(name.to_owned())
    }

    #[test]
    fn streams_are_limited_for_each_caller_and_in_all_until_they_end() {
        let mut ledger = Ledger::default();
        let watch = |ledger: &mut Ledger, name| ledger.admit(&who(name), Kind::Stream, 1, &LIMITS);
        assert_eq!(watch(&mut ledger, "a"), Ok(()));
        assert_eq!(watch(&mut ledger, "a"), Err(Refused::TooMany(Kind::Stream)));
        assert_eq!(watch(&mut ledger, "b"), Ok(()));
        assert_eq!(watch(&mut ledger, "c"), Err(Refused::Full(Kind::Stream)));
        ledger.release(&who("b"), Kind::Stream);
        assert_eq!(watch(&mut ledger, "c"), Ok(()));
    }

    #[test]
    fn callers_who_are_gone_are_forgotten_and_those_who_are_there_are_not() {
        let mut ledger = Ledger::default();
        ledger.admit(&who("a"), Kind::Stream, 1, &LIMITS).unwrap();
        ledger.admit(&who("b"), Kind::Answer, 1, &LIMITS).unwrap();
        ledger.release(&who("b"), Kind::Answer);
        assert_eq!(ledger.accounts.keys().collect::<Vec<_>>(), [&who("a")]);
    }
}

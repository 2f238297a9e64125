//! What callers have under way, and how much that may be. Who somebody is, what it may read and how often
//! it may call is decided in [`pergola_port::access`].
//!
//! Everything is counted as long as it lasts: answers until the last byte is sent, streams until they
//! end. So a reader that stops reading costs a bounded number of answers, and nothing else has to know
//! of limits. The operator is not counted.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::node::Node;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;
use hyper::body::{Frame, SizeHint};
use pergola_manners::ledger::{Account, Begun, Kind, Ledger, Limit, Limits};
use pergola_outside::locks::Mutex;
use pergola_peers::wire::ANSWER_BYTES;
use pergola_port::access::{self, Who};
use pergola_port::serve::ConnectionNumber;
use pergola_store::archive::FeedId;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::{Code, Status};

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
    under_way: Mutex<UnderWay>,
}

#[derive(Default)]
struct UnderWay {
    ledger: Ledger<Who>,
    /// How each is told to end.
    words: HashMap<u64, CancellationToken>,
}

impl Callers {
    pub(super) fn new(node: Arc<Node>, limits: Limits) -> Arc<Self> {
        Arc::new(Self { node, limits, under_way: Mutex::default() })
    }

    /// Counts what a caller begins. The operator has no limit.
    fn admit(
        self: &Arc<Self>,
        caller: &access::Caller,
        connection: Option<ConnectionNumber>,
        kind: Kind,
    ) -> Result<Option<Ticket>, Refused> {
        self.node.count_call(caller).map_err(|often| Refused::TooOften { wait: often.seconds })?;
        if caller.is_operator() {
            return Ok(None);
        }
        let named = matches!(caller, access::Caller::Reader(_));
        let connection = connection.filter(|_| !named).map(|number| number.0);
        let account = Account { who: caller.who(), connection };
        let streams = self.node.limits_of(caller).streams;
        let mut under_way = self.under_way.lock();
        let begun = under_way.ledger.begin(account, kind, streams, &self.limits);
        let Begun { number, instead_of } = begun.map_err(|limit| match limit {
            Limit::TooMany => Refused::TooMany(kind),
            Limit::Full => Refused::Full(kind),
        })?;
        if let Some(ended) = instead_of.and_then(|number| under_way.words.remove(&number)) {
            ended.cancel();
        }
        let word = CancellationToken::new();
        under_way.words.insert(number, word.clone());
        Ok(Some(Ticket { callers: Arc::clone(self), number, word }))
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
    let connection = request.extensions().get::<ConnectionNumber>().copied();
    let kind = if watches { Kind::Stream } else { Kind::Answer };
    let ticket = match callers.admit(&who, connection, kind) {
        Ok(ticket) => ticket,
        Err(refused) => {
            callers.node.count_refused_call();
            return refused.into_status().into_http();
        }
    };
    let caller = Caller { who, node: Some(Arc::clone(&callers.node)) };
    request.extensions_mut().insert(caller);
    let (head, body) = next.run(request).await.into_parts();
    match ticket {
        Some(ticket) => Response::from_parts(head, Body::new(Counted::new(body, ticket))),
        None => Response::from_parts(head, body),
    }
}

/// Why a call is not let through, or has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refused {
    TooOften {
        wait: u64,
    },
    TooMany(Kind),
    Full(Kind),
    /// Somebody with fewer streams needed the place.
    MadeRoom,
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
            Self::MadeRoom => (60, "this stream made room for a caller with fewer; poll instead"),
        };
        let mut status = Status::new(Code::ResourceExhausted, message);
        status.metadata_mut().insert("retry-after", wait.into());
        status
    }
}

/// Something under way, counted as long as this lives.
struct Ticket {
    callers: Arc<Callers>,
    number: u64,
    /// Cancelled when somebody with less needs the place.
    word: CancellationToken,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut under_way = self.callers.under_way.lock();
        under_way.ledger.end(self.number);
        under_way.words.remove(&self.number);
    }
}

/// An answer that counts until it is sent or given up.
struct Counted {
    body: Body,
    /// Waits for the word that it has to end; nothing once it has.
    word: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _ticket: Ticket,
}

impl Counted {
    fn new(body: Body, ticket: Ticket) -> Self {
        let word = Some(Box::pin(ticket.word.clone().cancelled_owned()));
        Self { body, word, _ticket: ticket }
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(word) = &mut self.word else { return Poll::Ready(None) };
        if word.as_mut().poll(context).is_ready() {
            self.word = None;
            let mut end = HeaderMap::new();
            // What it says is plain text, so this cannot fail.
            let _ = Refused::MadeRoom.into_status().add_header(&mut end);
            return Poll::Ready(Some(Ok(Frame::trailers(end))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.word.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

//! Bodies of requests and answers that keep the pace.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::{Exchange, LEAST_TAKEN, Pace};
use crate::clock::network_now;

/// The most of an answer that is handed over at once where answers share a connection. As a whole it would be out of
/// our hands at once, and lie in a buffer that nobody counts, while the connection itself takes what others get. So a
/// client takes at least this much in time, or is late. An answer that has the connection for itself needs no pieces:
/// the connection is blocked for as long as it is not taken ([`super::Paced`]), and every piece costs a system call.
const PIECE: usize = LEAST_TAKEN;

/// The body of a request came too slowly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body of the request came too slowly")]
pub struct TooSlow;

/// The body of a request. It fails when it comes too slowly.
pub struct Arriving<B> {
    body: B,
    pace: Arc<Pace>,
    number: u64,
}

impl<B> Arriving<B> {
    /// The body of this request.
    pub fn new(body: B, request: &Exchange) -> Self {
        Self { body, pace: Arc::clone(&request.pace), number: request.number }
    }
}

impl<B> Drop for Arriving<B> {
    fn drop(&mut self) {
        self.pace.state.lock().got_all(self.number);
    }
}

impl<B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Unpin> Body
    for Arriving<B>
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let came = Pin::new(&mut self.body).poll_frame(context);
        let mut state = self.pace.state.lock();
        match came {
            Poll::Pending => match state.await_body(self.number, context.waker(), network_now()) {
                true => Poll::Ready(Some(Err(TooSlow.into()))),
                false => Poll::Pending,
            },
            Poll::Ready(Some(Ok(frame))) => {
                state.got(self.number, frame.data_ref().map_or(0, Bytes::len));
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => {
                state.got_all(self.number);
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer. Where answers share a connection it is handed over in pieces, the next one when there is
/// room.
pub struct Leaving<B> {
    body: B,
    rest: Bytes,
    exchange: Exchange,
}

impl<B> Leaving<B> {
    /// The answer to this request.
    pub fn new(body: B, exchange: Exchange) -> Self {
        Self { body, rest: Bytes::new(), exchange }
    }
}

impl Exchange {
    /// Whether the body of the request came too slowly.
    pub fn was_slow(&self) -> bool {
        self.pace.state.lock().was_slow(self.number)
    }

    fn hand(&self, handed: bool) {
        if !self.shares {
            return;
        }
        self.pace.state.lock().hand(self.number, handed.then(network_now));
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Leaving<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        self.exchange.hand(false);
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
        self.exchange.hand(true);
        let most = if self.exchange.shares { PIECE } else { usize::MAX };
        let length = self.rest.len().min(most);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, of_body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(of_body.lower() + rest);
        hint
    }
}

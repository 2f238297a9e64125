//! A connection: two pipes, one for each direction.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, Bytes};
use pergola_outside::locks::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::Net;
use crate::host::{Death, Host, Life};

/// Bytes on the way before whoever sends has to wait.
const ROOM: usize = 256 << 10;

/// One direction of a connection.
pub(super) struct Pipe {
    from: usize,
    to: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is on the way, and when it arrives.
    queue: VecDeque<(Instant, Bytes)>,
    bytes: usize,
    /// Nothing overtakes this.
    last: Option<Instant>,
    /// How it ends, and when that arrives.
    end: Option<(Instant, Ending)>,
    broken: bool,
    /// Nobody will read what is sent.
    abandoned: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Closed,
    Reset,
}

impl Pipe {
    fn new(from: usize, to: usize) -> Arc<Self> {
        Arc::new(Self { from, to, state: Mutex::default() })
    }

    pub(super) fn is_between(&self, one: usize, other: usize) -> bool {
        (self.from, self.to) == (one, other) || (self.from, self.to) == (other, one)
    }

    pub(super) fn wake(&self) {
        let mut state = self.state.lock();
        let wakers = [state.reader.take(), state.writer.take()];
        drop(state);
        wakers.into_iter().flatten().for_each(Waker::wake);
    }

    /// Wakes whoever reads when something arrives, and not before: to poll a connection for nothing costs more than
    /// this task.
    fn announce(self: &Arc<Self>, at: Instant) {
        let pipe = Arc::clone(self);
        tokio::spawn(async move {
            sleep_until(at).await;
            let reader = pipe.state.lock().reader.take();
            reader.into_iter().for_each(Waker::wake);
        });
    }

    pub(super) fn reset(&self) {
        self.state.lock().broken = true;
        self.wake();
    }

    fn ends(&self, at: Instant, how: Ending) {
        let mut state = self.state.lock();
        if state.end.is_none() {
            let at = state.last.map_or(at, |last| last.max(at));
            state.end = Some((at, how));
        }
        drop(state);
        self.wake();
    }
}

/// One end of a connection.
pub struct End {
    net: Arc<Net>,
    life: Life,
    /// The machine at the other end.
    other: Arc<Host>,
    incoming: Arc<Pipe>,
    outgoing: Arc<Pipe>,
    /// Until something arrives.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl End {
    pub(super) fn pair(net: &Arc<Net>, one: &Life, other: &Life) -> (Self, Self) {
        let forth = Pipe::new(one.host.number, other.host.number);
        let back = Pipe::new(other.host.number, one.host.number);
        let end = |life: &Life, other: &Life, incoming: &Arc<Pipe>, outgoing: &Arc<Pipe>| Self {
            net: Arc::clone(net),
            life: life.clone(),
            other: Arc::clone(&other.host),
            incoming: Arc::clone(incoming),
            outgoing: Arc::clone(outgoing),
            waiting: None,
        };
        (end(one, other, &back, &forth), end(other, one, &forth, &back))
    }

    pub(super) fn pipes(&self) -> [Weak<Pipe>; 2] {
        [Arc::downgrade(&self.incoming), Arc::downgrade(&self.outgoing)]
    }

    /// Waits until something arrives.
    fn wait(&mut self, until: Instant, context: &mut Context<'_>) -> Poll<()> {
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if waiting.deadline() != until {
            waiting.as_mut().reset(until);
        }
        waiting.as_mut().poll(context)
    }
}

/// What is next on a pipe.
enum Next {
    Arrived,
    Later(Instant),
    Ended(Ending),
    Nothing,
}

fn next(state: &State) -> Next {
    let now = Instant::now();
    if state.broken {
        return Next::Ended(Ending::Reset);
    }
    match (state.queue.front(), state.end) {
        (Some((at, _)), _) if *at <= now => Next::Arrived,
        (Some((at, _)), _) => Next::Later(*at),
        (None, Some((at, how))) if at <= now => Next::Ended(how),
        (None, Some((at, _))) => Next::Later(at),
        (None, None) => Next::Nothing,
    }
}

impl AsyncRead for End {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let pipe = Arc::clone(&self.incoming);
            let mut state = pipe.state.lock();
            state.reader = Some(context.waker().clone());
            if !self.life.goes_on() || self.net.is_cut(pipe.from, pipe.to) && !state.broken {
                return Poll::Pending;
            }
            match next(&state) {
                Next::Nothing => return Poll::Pending,
                Next::Ended(Ending::Closed) => return Poll::Ready(Ok(())),
                Next::Ended(Ending::Reset) => {
                    return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
                }
                Next::Later(at) => {
                    drop(state);
                    if self.wait(at, context).is_pending() {
                        return Poll::Pending;
                    }
                }
                Next::Arrived => {
                    if !self.life.survives() {
                        return Poll::Pending;
                    }
                    let Some((_, bytes)) = state.queue.front_mut() else { return Poll::Pending };
                    let taken = bytes.len().min(buffer.remaining());
                    buffer.put_slice(&bytes[..taken]);
                    bytes.advance(taken);
                    if bytes.is_empty() {
                        state.queue.pop_front();
                    }
                    state.bytes -= taken;
                    let writer = state.writer.take();
                    drop(state);
                    writer.into_iter().for_each(Waker::wake);
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !self.life.survives() {
            return Poll::Pending;
        }
        let (from, to) = (self.outgoing.from, self.outgoing.to);
        self.net.trace.detail("sends", from, to);
        let delay = self.net.delay();
        let now = Instant::now();
        let mut state = self.outgoing.state.lock();
        if state.broken || state.end.is_some() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if state.abandoned {
            drop(state);
            // The other machine answers that it knows no such connection, unless it has no power.
            if !self.other.is_dark() {
                self.incoming.ends(now + 2 * delay, Ending::Reset);
            }
            return Poll::Ready(Ok(bytes.len()));
        }
        if state.bytes >= ROOM {
            state.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        let at = state.last.map_or(now + delay, |last| last.max(now + delay));
        state.last = Some(at);
        state.bytes += bytes.len();
        let is_first = state.queue.is_empty();
        state.queue.push_back((at, Bytes::copy_from_slice(bytes)));
        drop(state);
        // Whoever reads knows of what is on the way already, and waits for it.
        if is_first {
            self.outgoing.announce(at);
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.life.goes_on() {
            self.net.trace.detail("closes", self.outgoing.from, self.outgoing.to);
            self.outgoing.ends(Instant::now() + self.net.delay(), Ending::Closed);
        }
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.incoming.state.lock().abandoned = true;
        self.incoming.wake();
        self.net.trace.detail("drops", self.outgoing.from, self.outgoing.to);
        let ending = match (self.life.goes_on(), self.life.host.death()) {
            (true, _) => Ending::Closed,
            (false, Death::Killed) => Ending::Reset,
            // Nobody is told.
            (false, Death::PowerCut) => return,
        };
        self.outgoing.ends(Instant::now() + self.net.delay(), ending);
    }
}

//! The pace that a client must keep, so that no connection is held for nothing.
//!
//! What is limited is the time without progress, not the time in all: a download, a stream of news or an answer that
//! takes long to find may go on for hours. Three things are waited for from a client: the head of its request, the
//! body, and that it takes what it is sent. While the node itself has something to do, or has no news to tell,
//! nobody is late.
//!
//! Progress means [`LEAST_SENT`] or [`LEAST_TAKEN`] bytes within the time, so a byte now and then is none.

mod body;
mod state;
mod stream;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

use crate::clock::network_now;
use crate::locks::Mutex;
pub use body::{Arriving, Leaving, TooSlow};
use state::State;
pub use stream::Paced;

/// Bytes of a body that a client must send within the time.
pub const LEAST_SENT: usize = 1 << 10;
/// Bytes of an answer that a client must take within the time.
pub const LEAST_TAKEN: usize = 16 << 10;
/// How often a client is looked at, at least.
const LOOK: Duration = Duration::from_secs(5);
/// How long a connection may be idle while others find no place.
const CROWDED: Duration = Duration::from_secs(5);

/// How long a client is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request, once it has begun; for the first one, once it is connected.
    pub head: Duration,
    /// For progress of a body, or of an answer.
    pub stall: Duration,
    /// For the next request.
    pub idle: Duration,
}

impl Patience {
    /// The longest pause between two looks that finds somebody late in time.
    fn look(&self) -> Duration {
        LOOK.min(self.head / 2).min(self.stall / 2).min(self.idle / 2).max(Duration::from_millis(1))
    }
}

/// What a client is late with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// The head of a request.
    Head,
    /// The next request. That is nothing bad.
    Idle,
    /// Taking an answer.
    Reader,
}

impl Late {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Head => "head",
            Self::Idle => "idle",
            Self::Reader => "reader",
        }
    }
}

/// The pace of one client on one connection.
#[derive(Debug)]
pub struct Pace {
    state: Mutex<State>,
    /// Whether others find no place.
    crowded: Arc<AtomicBool>,
}

impl Pace {
    /// A client that has just connected.
    pub fn new(patience: Patience, crowded: Arc<AtomicBool>) -> Arc<Self> {
        let state = Mutex::new(State::new(patience, network_now()));
        Arc::new(Self { state, crowded })
    }

    /// Waits longer or shorter from now on.
    pub fn set_patience(&self, patience: Patience) {
        self.state.lock().patience = patience;
    }

    /// No further request is wanted: once nothing is under way, the connection is kept for a moment only.
    pub fn part(&self) {
        self.state.lock().part(network_now());
    }

    /// A request has begun; it lasts until its answer is dropped. `shares`: whether others may be under way on the
    /// same connection.
    pub fn exchange(self: &Arc<Self>, shares: bool) -> Exchange {
        let number = self.state.lock().begin(shares);
        Exchange { pace: Arc::clone(self), number, shares }
    }

    /// Waits until the client is late with something for which the whole connection has to end. A body that does not
    /// come ends only its own request.
    pub async fn late(&self) -> Late {
        loop {
            let now = network_now();
            let (found, slow, look) = self.look(now);
            slow.into_iter().for_each(Waker::wake);
            match found {
                Some((at, late)) if at <= now => return late,
                Some((at, _)) => tokio::time::sleep_until(at.min(now + look)).await,
                None => tokio::time::sleep(look).await,
            }
        }
    }

    fn look(&self, now: Instant) -> (Option<(Instant, Late)>, Vec<Waker>, Duration) {
        let mut state = self.state.lock();
        let idle = match self.crowded.load(Ordering::Relaxed) {
            true => state.patience.idle.min(CROWDED),
            false => state.patience.idle,
        };
        (state.due(idle), state.too_slow(now), state.patience.look())
    }
}

/// A request and its answer, as long as they last.
#[derive(Debug)]
pub struct Exchange {
    pace: Arc<Pace>,
    number: u64,
    shares: bool,
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.pace.state.lock().end(self.number, network_now());
    }
}

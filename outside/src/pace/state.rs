//! What is waited for from a client, and since when. It is told the time.

use std::collections::HashMap;
use std::task::Waker;
use std::time::Duration;

use tokio::time::Instant;

use super::{LEAST_SENT, LEAST_TAKEN, Late, Patience};

/// How long a connection is kept that is to be closed, so that the client can hear of it and take the rest of its
/// answer.
const PARTING: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct State {
    pub(super) patience: Patience,
    /// Requests begun.
    asked: u64,
    /// Requests under way.
    open: HashMap<u64, Request>,
    /// Since when none is.
    quiet_since: Instant,
    /// Since when the head of the next request is on its way.
    head_since: Option<Instant>,
    /// Whether requests share the connection. Then bytes without a request are no sign of a head.
    shares: bool,
    /// Since when the connection takes no more, and what it took since.
    blocked: Option<(Instant, usize)>,
    /// No further request is wanted.
    parting: bool,
}

/// A request under way.
#[derive(Debug, Default)]
struct Request {
    /// Since when its body is waited for, what came since, and who waits.
    body: Option<(Instant, usize, Waker)>,
    /// Its body does not come.
    slow: bool,
    /// Since when the client has a part of the answer to take.
    handed: Option<Instant>,
}

impl State {
    pub(super) fn new(patience: Patience, now: Instant) -> Self {
        Self {
            patience,
            asked: 0,
            open: HashMap::new(),
            quiet_since: now,
            head_since: None,
            shares: false,
            blocked: None,
            parting: false,
        }
    }

    /// The client has sent something.
    pub(super) fn read(&mut self, now: Instant) {
        if self.open.is_empty() && self.head_since.is_none() {
            self.head_since = Some(now);
        }
    }

    /// The connection takes no more for the moment.
    pub(super) fn block(&mut self, now: Instant) {
        self.blocked.get_or_insert((now, 0));
    }

    /// The connection has taken something.
    pub(super) fn written(&mut self, bytes: usize) {
        if let Some((_, taken)) = &mut self.blocked {
            *taken += bytes;
            if *taken >= LEAST_TAKEN {
                self.blocked = None;
            }
        }
    }

    /// Nothing is left to write.
    pub(super) fn flushed(&mut self) {
        self.blocked = None;
    }

    pub(super) fn begin(&mut self, shares: bool) -> u64 {
        self.asked += 1;
        self.shares |= shares;
        self.head_since = None;
        self.open.insert(self.asked, Request::default());
        self.asked
    }

    pub(super) fn end(&mut self, request: u64, now: Instant) {
        self.open.remove(&request);
        if self.open.is_empty() {
            self.quiet_since = now;
        }
    }

    pub(super) fn part(&mut self, now: Instant) {
        self.parting = true;
        self.quiet_since = now;
    }

    /// Somebody waits for more of a body; whether it has come too slowly.
    pub(super) fn await_body(&mut self, request: u64, waker: &Waker, now: Instant) -> bool {
        let Some(request) = self.open.get_mut(&request) else { return false };
        match &mut request.body {
            Some((_, _, waiting)) => waiting.clone_from(waker),
            None => request.body = Some((now, 0, waker.clone())),
        }
        request.slow
    }

    /// A part of a body has come.
    pub(super) fn got(&mut self, request: u64, bytes: usize) {
        let Some(request) = self.open.get_mut(&request) else { return };
        if let Some((_, got, _)) = &mut request.body {
            *got += bytes;
            if *got >= LEAST_SENT {
                request.body = None;
            }
        }
    }

    /// A body is complete, or nobody wants it.
    pub(super) fn got_all(&mut self, request: u64) {
        if let Some(request) = self.open.get_mut(&request) {
            request.body = None;
        }
    }

    /// Whether the body of a request came too slowly.
    pub(super) fn was_slow(&self, request: u64) -> bool {
        self.open.get(&request).is_some_and(|request| request.slow)
    }

    /// The client has a part of an answer to take, or has taken it.
    pub(super) fn hand(&mut self, request: u64, since: Option<Instant>) {
        if let Some(request) = self.open.get_mut(&request) {
            request.handed = since;
        }
    }

    /// What the client will be late with first, and when. `idle`: how long it may be.
    pub(super) fn due(&self, idle: Duration) -> Option<(Instant, Late)> {
        let Patience { head, stall, .. } = self.patience;
        let handed = self.open.values().filter_map(|request| request.handed);
        let taking = handed.chain(self.blocked.map(|(since, _)| since)).min();
        let taking = taking.map(|since| (since + stall, Late::Reader));
        let quiet = self.open.is_empty() && self.blocked.is_none();
        let asking = quiet.then(|| match self.head_since {
            _ if self.parting => (self.quiet_since + PARTING.min(idle), Late::Idle),
            _ if self.asked == 0 => (self.quiet_since + head, Late::Head),
            Some(since) if !self.shares => (since + head, Late::Head),
            _ => (self.quiet_since + idle, Late::Idle),
        });
        [taking, asking].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// Who waits for a body that comes too slowly.
    pub(super) fn too_slow(&mut self, now: Instant) -> Vec<Waker> {
        let stall = self.patience.stall;
        let mut waiting = Vec::new();
        for request in self.open.values_mut().filter(|request| !request.slow) {
            if let Some((since, _, waker)) = &request.body
                && *since + stall <= now
            {
                request.slow = true;
                waiting.push(waker.clone());
            }
        }
        waiting
    }
}

#[cfg(test)]
mod tests;

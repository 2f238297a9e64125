//! Pending events in order of time; of two at the same instant the one that was queued first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::node::View;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Happening {
    /// A node decides; `count` is the number of its decisions before.
    Decision { node: u32, count: u64 },
    /// A request arrives.
    Request { node: u32, place: u32 },
    /// Its answer arrives.
    Answer { node: u32, place: u32, view: View },
    /// A request has failed.
    Failure { node: u32, place: u32 },
    /// A node hears that a feed has news.
    Notice { node: u32, place: u32 },
    /// Items of a feed arrive by push, up to number `end`.
    Delivery { node: u32, place: u32, end: u32 },
    /// A node is up again.
    Return { node: u32 },
    /// Thresholds and budgets are sampled.
    Sample,
}

/// An event: its time, its number in the queue, and what happens.
struct Event(f64, u64, Happening);

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

#[derive(Default)]
pub(super) struct Queue {
    pending: BinaryHeap<Reverse<Event>>,
    sequence: u64,
}

impl Queue {
    pub(super) fn push(&mut self, at: f64, happening: Happening) {
        self.sequence += 1;
        self.pending.push(Reverse(Event(at, self.sequence, happening)));
    }

    /// The next event, and when it happens.
    pub(super) fn pop(&mut self) -> Option<(f64, Happening)> {
        self.pending.pop().map(|Reverse(Event(at, _, happening))| (at, happening))
    }
}

//! What is still to happen, in the order of time; of two at the same instant, first the one that was made first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::node::View;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Happening {
    /// A node decides, for the so-manieth time.
    Decision { node: u32, count: u64 },
    /// A request arrives.
    Request { node: u32, place: u32 },
    /// Its answer arrives.
    Answer { node: u32, place: u32, view: View },
    /// No answer will come any more.
    Failure { node: u32, place: u32 },
    /// A node hears that a feed has news.
    Notice { node: u32, place: u32 },
    /// The items of a feed arrive by themselves, up to a place in it.
    Delivery { node: u32, place: u32, end: u32 },
    /// A node is back.
    Return { node: u32 },
    /// Thresholds are noted down.
    Sample,
}

/// An event and its place in the order: by time, then as they were made.
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

/// Everything that is still to happen.
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

    /// What happens next, and when.
    pub(super) fn pop(&mut self) -> Option<(f64, Happening)> {
        self.pending.pop().map(|Reverse(Event(at, _, happening))| (at, happening))
    }
}

//! A delivery from the book to a subscriber, and what became of it.

use pergola_store::archive::Subscription;

/// What identifies a subscription: its topic and its callback.
pub(super) type Key = u128;

/// A delivery to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Delivery {
    pub(super) key: Key,
    pub(super) host: String,
    /// Which of those that had this key.
    pub(super) serial: u64,
    pub(super) subscription: Subscription,
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// The subscriber has this edition.
    Delivered(u64),
    /// It did not work; the subscriber may have said how long to wait.
    Failed { retry_after: Option<f64> },
    /// The subscriber says that the subscription is over.
    Gone,
}

/// What follows from an ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Delivered,
    /// It is tried again.
    Delayed,
    /// It is not tried again; the next change is.
    GivenUp,
    Gone,
}

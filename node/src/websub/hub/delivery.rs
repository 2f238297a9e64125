//! A delivery to a subscriber, and how it ended.

use pergola_store::archive::Subscription;

/// What identifies a subscription: its topic and its callback.
pub(super) type Key = u128;

/// A delivery to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Delivery {
    pub(super) key: Key,
    pub(super) host: String,
    /// Tells it from an earlier subscription with the same key.
    pub(super) serial: u64,
    pub(super) subscription: Subscription,
}

/// How a delivery ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// The subscriber has this edition.
    Delivered(u64),
    /// It failed; the subscriber may have said how long to wait.
    Failed { retry_after: Option<f64> },
    /// The subscriber says that the subscription is over.
    Gone,
}

/// What follows from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Delivered,
    /// It is retried.
    Delayed,
    /// It is not retried; the next edition will be sent.
    GivenUp,
    Gone,
}

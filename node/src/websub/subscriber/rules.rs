//! How long hubs are waited for, asked and believed.

use pergola_manners::backoff::backoff;

/// Seconds that a hub has to verify a request.
pub(super) const VERIFYING: f64 = 600.0;
/// Seconds that a hub has to push an item that a refresh has found first.
pub(super) const GRACE: f64 = 600.0;
/// The longest wait before a hub is asked again, in seconds.
pub(super) const LONGEST_WAIT: f64 = 86_400.0;
/// Unsubscribe requests sent before a subscription is dropped without an answer.
pub(super) const FAREWELLS: u32 = 3;
/// The shortest and the longest lease that is believed: a minute and a year.
pub(super) const LEASES: (f64, f64) = (60.0, 365.0 * 86_400.0);

/// The settings of the book.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// Seconds of a lease to ask for.
    pub(super) lease: f64,
    /// Seconds before a failed request is retried; they double.
    pub(super) backoff: f64,
    /// Seconds between two refreshes of a source whose hub is trusted.
    pub(super) poll: f64,
}

/// Seconds before a request is retried that has failed so often.
pub(super) fn wait(rules: &Rules, tries: u32) -> f64 {
    backoff(rules.backoff, 2.0, tries).min(LONGEST_WAIT)
}

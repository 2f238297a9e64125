//! How long hubs are waited for, asked and believed.

use pergola_manners::backoff::backoff;

/// Seconds that a hub has for verifying a request.
pub(super) const VERIFYING: f64 = 600.0;
/// Seconds that a hub has for telling of an item that a refresh has found.
pub(super) const GRACE: f64 = 600.0;
/// The longest wait before a hub is asked again, in seconds.
pub(super) const LONGEST_WAIT: f64 = 86_400.0;
/// How often a hub is asked to let us go before we just go.
pub(super) const FAREWELLS: u32 = 3;
/// Leases are believed from a minute to a year.
pub(super) const LEASES: (f64, f64) = (60.0, 365.0 * 86_400.0);

/// How the book does its work.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    /// Seconds asked for.
    pub(super) lease: f64,
    /// Seconds before a failed request is repeated; they double.
    pub(super) backoff: f64,
    /// Seconds between two refreshes of a source that a trusted hub tells of.
    pub(super) poll: f64,
}

/// Seconds before a request is repeated that has failed so often.
pub(super) fn wait(rules: &Rules, tries: u32) -> f64 {
    backoff(rules.backoff, 2.0, tries).min(LONGEST_WAIT)
}

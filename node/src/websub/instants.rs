//! Instants in whole milliseconds, which the books sort by.

/// The last millisecond that is over, with a little tolerance for rounding.
pub(super) fn passed(now: f64) -> u64 {
    (now * 1_000.0 + 0.001).floor() as u64
}

/// Rounded up, so that nothing is due before its instant.
pub(super) fn millis(at: f64) -> u64 {
    (at * 1_000.0).ceil() as u64
}

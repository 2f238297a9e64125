//! Instants as the books keep them in order: whole milliseconds.

/// The last millisecond that is over, give or take what numbers lose on the way.
pub(super) fn passed(now: f64) -> u64 {
    (now * 1_000.0 + 0.001).floor() as u64
}

/// Rounded up, so that what is due at an instant is due when that instant has come.
pub(super) fn millis(at: f64) -> u64 {
    (at * 1_000.0).ceil() as u64
}

//! Lengths of time in seconds.

pub const HOUR: f64 = 3600.0;
pub const DAY: f64 = 24.0 * HOUR;
pub const WEEK: f64 = 7.0 * DAY;

//! Points in time, and the dates that feeds write.

mod dates;
mod duration;
mod millis;
mod timestamp;

pub use dates::parse_date;
pub(crate) use duration::parse_duration;
pub use millis::Millis;
pub use timestamp::Timestamp;

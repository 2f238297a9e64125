//! Points in time, and the dates that feeds write.

mod dates;
mod millis;
mod timestamp;

pub use dates::parse_date;
pub use millis::Millis;
pub use timestamp::Timestamp;

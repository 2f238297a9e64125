//! Points in time, in whole seconds.
//!
//! RSS cannot express anything finer, and an item must not change when it is written in one format
//! and read in another.

use chrono::{DateTime, Datelike, Timelike, Utc};

/// Seconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The range of years with four digits, which every format can express.
const EARLIEST: i64 = -62_135_596_800; // 0001-01-01T00:00:00Z
const LATEST: i64 = 253_402_300_799; // 9999-12-31T23:59:59Z

impl Timestamp {
    /// Clamps times outside the years 1 to 9999.
    pub fn from_unix(seconds: i64) -> Self {
        Self(seconds.clamp(EARLIEST, LATEST))
    }

    /// Seconds since the Unix epoch.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Formats for Atom and JSON Feed: `2026-11-16T02:00:00Z`.
    pub fn to_rfc3339(self) -> String {
        let t = self.civil();
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            t.year(),
            t.month(),
            t.day(),
            t.hour(),
            t.minute(),
            t.second()
        )
    }

    /// Formats for RSS: `Mon, 16 Nov 2026 02:00:00 GMT`.
    pub fn to_rfc822(self) -> String {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let t = self.civil();
        format!(
            "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
            t.weekday(),
            t.day(),
            MONTHS[t.month0() as usize % 12],
            t.year(),
            t.hour(),
            t.minute(),
            t.second()
        )
    }

    pub(crate) fn civil(self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0, 0).unwrap_or_default()
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self::from_unix(at.timestamp())
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

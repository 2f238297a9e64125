//! Points in time to the millisecond: between nearby nodes an item travels for less than a second.

use chrono::{DateTime, SecondsFormat, Utc};

/// Milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(i64);

/// The range of years with four digits.
const EARLIEST: i64 = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const LATEST: i64 = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

impl Millis {
    /// Clamps times outside the years 1 to 9999.
    pub fn from_unix(milliseconds: i64) -> Self {
        Self(milliseconds.clamp(EARLIEST, LATEST))
    }

    /// Converts seconds since the Unix epoch.
    pub fn from_seconds(seconds: f64) -> Self {
        // The cast saturates, and turns NaN into 0.
        Self::from_unix((seconds * 1000.0).round() as i64)
    }

    /// Milliseconds since the Unix epoch.
    pub fn unix(self) -> i64 {
        self.0
    }

    /// Seconds since the Unix epoch.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Parses `2026-11-16T02:00:00.250Z`, with any offset and any number of decimals.
    pub fn parse(text: &str) -> Option<Self> {
        let at = DateTime::parse_from_rfc3339(text.trim()).ok()?;
        Some(Self::from_unix(at.timestamp_millis()))
    }

    /// Formats as `2026-11-16T02:00:00.250Z`.
    pub fn to_rfc3339(self) -> String {
        let at = self.0.clamp(EARLIEST, LATEST);
        let at: DateTime<Utc> = DateTime::from_timestamp_millis(at).unwrap_or_default();
        at.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_survive_writing_and_reading() {
        let at = Millis::from_seconds(1_794_880_800.25);
        assert_eq!(at.unix(), 1_794_880_800_250);
        assert_eq!(at.to_rfc3339(), "2026-11-17T02:00:00.250Z");
        assert_eq!(Millis::parse("2026-11-17T03:00:00.250499+01:00"), Some(at));
        assert_eq!(Millis::parse("yesterday"), None);
    }

    #[test]
    fn times_that_cannot_be_written_are_clamped() {
        for wild in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let at = Millis::from_seconds(wild);
            assert_eq!(Millis::parse(&at.to_rfc3339()), Some(at), "{wild}");
        }
        assert_eq!(Millis::from_unix(i64::MAX).to_rfc3339(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Millis::from_unix(i64::MIN).to_rfc3339(), "0001-01-01T00:00:00.000Z");
    }
}

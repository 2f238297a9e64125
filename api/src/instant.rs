//! Instants, as every answer of the API writes them: RFC 3339 in UTC, to the millisecond.
//!
//! Earlier releases wrote seconds since 1970 as a number. Such numbers are still read, for one release.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

/// The range of years with four digits, in milliseconds since 1970.
const EARLIEST: i64 = -62_135_596_800_000; // 0001-01-01T00:00:00.000Z
const LATEST: i64 = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

/// An instant in RFC 3339, such as `2026-11-17T22:06:38.125Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, format = DateTime)]
pub struct Instant(i64);

/// Text that is no instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an instant in RFC 3339 such as 2026-11-17T22:06:38Z")]
pub struct NoInstant;

impl Instant {
    /// Seconds since 1970, rounded to milliseconds and clamped to the years 1 to 9999.
    pub fn from_unix(seconds: f64) -> Self {
        Self(((seconds * 1000.0).round() as i64).clamp(EARLIEST, LATEST))
    }

    /// Seconds since 1970.
    pub fn unix(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = DateTime::<Utc>::from_timestamp_millis(self.0).unwrap_or_default();
        formatter.write_str(&at.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Instant {
    type Err = NoInstant;

    fn from_str(text: &str) -> Result<Self, NoInstant> {
        let at = DateTime::parse_from_rfc3339(text).map_err(|_| NoInstant)?;
        Ok(Self(at.timestamp_millis().clamp(EARLIEST, LATEST)))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading { unit: 1.0 })
    }
}

/// The beginning of a minute. As a number it counts minutes since 1970.
pub(crate) fn minute<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
    deserializer.deserialize_any(Reading { unit: 60.0 })
}

/// The same for a parameter that may be left out.
pub(crate) fn minute_if_given<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Instant>, D::Error> {
    minute(deserializer).map(Some)
}

/// Reads an instant, or a number of units since 1970.
struct Reading {
    /// In seconds.
    unit: f64,
}

impl Reading {
    fn number<E: Error>(&self, number: f64) -> Result<Instant, E> {
        match number.is_finite() {
            true => Ok(Instant::from_unix(number * self.unit)),
            false => Err(E::custom(NoInstant)),
        }
    }
}

impl Visitor<'_> for Reading {
    type Value = Instant;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an instant in RFC 3339")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Instant, E> {
        // A parameter of a URL is text even if it is a number.
        match text.parse() {
            Ok(number) => self.number(number),
            Err(_) => text.parse().map_err(E::custom),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Instant, E> {
        self.number(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Instant, E> {
        self.number(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Instant, E> {
        self.number(number as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Instant {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_instant_is_written_in_rfc_3339_with_milliseconds() {
        let at = Instant::from_unix(1_794_953_198.125);
        assert_eq!(serde_json::to_string(&at).unwrap(), "\"2026-11-17T22:06:38.125Z\"");
        assert_eq!(Instant::default().to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn what_was_written_reads_back_as_the_same_instant() {
        for seconds in [0.0, -1.5, 0.001, 1_794_953_198.125, 4_102_444_800.999] {
            let at = Instant::from_unix(seconds);
            assert_eq!(read(&serde_json::to_string(&at).unwrap()), at, "{seconds}");
            assert_eq!(at.unix(), seconds);
        }
    }

    #[test]
    fn the_numbers_of_earlier_releases_are_still_read() {
        let at = Instant::from_unix(1_794_953_198.125);
        for json in ["1794953198.125", "\"1794953198.125\"", "\"2026-11-17T23:06:38.125+01:00\""] {
            assert_eq!(read(json), at, "{json}");
        }
        assert_eq!(read("60"), Instant::from_unix(60.0));
    }

    #[test]
    fn what_is_no_instant_is_refused_with_an_example() {
        for json in ["\"yesterday\"", "\"NaN\"", "\"inf\"", "\"\"", "null", "true", "[]"] {
            let error = serde_json::from_str::<Instant>(json).unwrap_err().to_string();
            assert!(error.contains("RFC 3339"), "{json}: {error}");
        }
    }

    #[test]
    fn an_instant_beyond_all_years_with_four_digits_is_clamped() {
        assert_eq!(Instant::from_unix(f64::INFINITY).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Instant::from_unix(-1e300).to_string(), "0001-01-01T00:00:00.000Z");
    }
}

//! Dates as publishers really write them.
//!
//! feed-rs tries three strict formats with regular expressions. About one feed in fifty has a date
//! that matches none of them: no zone, a named zone, a month in French, a day without a time. This
//! parser does not expect a format: it searches for the parts of a date (a time, a zone, a month,
//! numbers). It is also several times faster, because it runs no regular expressions. It returns
//! `None` for a date that it does not understand, and never consults a clock.

mod fast;
mod iso;
mod scan;
mod words;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

use crate::time::Timestamp;

/// No real date is longer than this many bytes.
const LONGEST: usize = 80;

/// Parses a date in any of the styles seen in feeds; `None` if the text is not a date.
///
/// A date without a zone is in UTC. A date without a time means midnight. A year with two digits lies
/// between 1969 and 2068. `a/b/year` has the month first, unless `a` exceeds 12.
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return None;
    }
    if let Some(at) = fast::parse(text.as_bytes()) {
        return Some(at);
    }
    let parts = if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        digits_only(text)?
    } else {
        iso::parse(text).or_else(|| scan::parse(text))?
    };
    let at = parts.resolve()?;
    Some(Timestamp::from_unix(at))
}

impl Timestamp {
    /// Parses a date in any style; see [`parse_date`].
    pub fn parse(text: &str) -> Option<Self> {
        parse_date(text)
    }
}

/// The parts of a date, before they become a point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Parts {
    year: i32,
    month: u32,
    day: u32,
    /// Seconds since midnight; 86,400 for `24:00`.
    seconds: u32,
    /// Seconds east of Greenwich.
    offset: i32,
    /// Set instead of all other fields if the text was a count of seconds.
    epoch: Option<i64>,
}

impl Parts {
    fn resolve(&self) -> Option<i64> {
        if let Some(epoch) = self.epoch {
            return Some(epoch);
        }
        if !(1..=9999).contains(&self.year) || !(1..=12).contains(&self.month) {
            return None;
        }
        if !(1..=31).contains(&self.day) {
            return None;
        }
        // The 31st of a shorter month means its last day: some publishers count one day too far.
        let date = (0..4).find_map(|less| {
            NaiveDate::from_ymd_opt(self.year, self.month, self.day.saturating_sub(less))
        })?;
        let midnight = NaiveDateTime::new(date, NaiveTime::MIN).and_utc().timestamp();
        Some(midnight + i64::from(self.seconds) - i64::from(self.offset))
    }
}

/// Seconds since midnight; `None` if there is no such time.
fn clock(hour: u32, minute: u32, second: u32) -> Option<u32> {
    let leap = second.min(59); // Unix time has no leap seconds
    match (hour, minute, second) {
        (24, 0, 0) => Some(86_400),
        (0..=23, 0..=59, 0..=60) => Some(hour * 3600 + minute * 60 + leap),
        _ => None,
    }
}

/// Two digits mean 1969 to 2068, as in POSIX and most mail software.
fn full_year(year: i32, digits: usize) -> i32 {
    match (digits, year) {
        (1 | 2, 0..=68) => year + 2000,
        (1 | 2, _) => year + 1900,
        (3, 100..=199) => year + 1900, // years since 1900, printed as they are
        _ => year,
    }
}

/// A bare number: a count of seconds or milliseconds, a compact date, or a year.
fn digits_only(text: &str) -> Option<Parts> {
    let whole = text.split('.').next().unwrap_or(text);
    if whole.len() != text.len() && !(9..=11).contains(&whole.len()) {
        return scan::parse(text); // 15.11.2022
    }
    let field =
        |range: std::ops::Range<usize>| whole.get(range).and_then(|t| t.parse::<u32>().ok());
    let date = |parts: Parts| {
        Some(Parts {
            year: field(0..4)?.try_into().ok()?,
            month: field(4..6).unwrap_or(1),
            day: field(6..8).unwrap_or(1),
            ..parts
        })
    };
    match whole.len() {
        4 | 8 => date(Parts::default()),
        6 if field(4..6).is_some_and(|month| (1..=12).contains(&month)) => date(Parts::default()),
        12 => date(Parts { seconds: clock(field(8..10)?, field(10..12)?, 0)?, ..Parts::default() }),
        14 => date(Parts {
            seconds: clock(field(8..10)?, field(10..12)?, field(12..14)?)?,
            ..Parts::default()
        }),
        9..=11 => Some(Parts { epoch: Some(whole.parse().ok()?), ..Parts::default() }),
        13 => Some(Parts { epoch: Some(whole.parse::<i64>().ok()? / 1000), ..Parts::default() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_date;

    fn read(text: &str) -> String {
        parse_date(text).map_or("none".into(), |at| at.to_rfc3339())
    }

    #[test]
    fn every_style_of_date_seen_in_feeds_is_parsed() {
        let styles = [
            ("Tue, 15 Nov 2022 20:15:04 +0000", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022 20:15:04 GMT", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022 20:15:04 Z", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022 20:15 +0100", "2022-11-15T19:15:00Z"),
            ("15 Nov 2022 20:15:04 EST", "2022-11-16T01:15:04Z"),
            ("Tue, 15 Nov 22 20:15:04 PDT", "2022-11-16T03:15:04Z"),
            ("Tue, 15 Nov 99 20:15:04 CEST", "1999-11-15T18:15:04Z"),
            ("Tue, 15 Jul 2022 20:15:04 BST", "2022-07-15T19:15:04Z"),
            ("Tue,15 Nov 2022 20:15:04 +0000", "2022-11-15T20:15:04Z"),
            ("Wed, 15 Nov 2022 20:15:04 +0000", "2022-11-15T20:15:04Z"),
            ("Tuesday, 15 November 2022 20:15:04 GMT", "2022-11-15T20:15:04Z"),
            ("Tue, 15-Nov-2022 20:15:04 GMT", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022", "2022-11-15T00:00:00Z"),
            ("Tue, 15 Nov 2022 20:15:04", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022 20:15:04 -0700 (PDT)", "2022-11-16T03:15:04Z"),
            ("Tue, 15 Nov 2022 20:15:04 GMT+2", "2022-11-15T18:15:04Z"),
            ("Tue, 15 Nov 2022 20:15:04 UTC+02:00", "2022-11-15T18:15:04Z"),
            ("Tue, 15 Nov 2022 8:15:04 PM GMT", "2022-11-15T20:15:04Z"),
            ("Tue, 15 Nov 2022 24:00:00 GMT", "2022-11-16T00:00:00Z"),
            ("Tue, 15 Nov 2022 20:15:60 GMT", "2022-11-15T20:15:59Z"),
            ("Thu, 31 Jun 2022 10:00:00 GMT", "2022-06-30T10:00:00Z"),
            ("Tue Nov 15 20:15:04 2022", "2022-11-15T20:15:04Z"),
            ("Tue Nov 15 20:15:04 UTC 2022", "2022-11-15T20:15:04Z"),
            ("Tue Nov 15 20:15:04 +0100 2022", "2022-11-15T19:15:04Z"),
            ("Nov 15, 2022", "2022-11-15T00:00:00Z"),
            ("November 15th, 2022 at 8:15 pm", "2022-11-15T20:15:00Z"),
            ("15th of November 2022", "2022-11-15T00:00:00Z"),
            ("2022-11-15T20:15:04Z", "2022-11-15T20:15:04Z"),
            ("2022-11-15T20:15:04.123Z", "2022-11-15T20:15:04Z"),
            ("2022-11-15T20:15:04+01:00", "2022-11-15T19:15:04Z"),
            ("2022-11-15T20:15:04-0500", "2022-11-16T01:15:04Z"),
            ("2022-11-15T20:15:04+01", "2022-11-15T19:15:04Z"),
            ("2022-11-15T20:15:04", "2022-11-15T20:15:04Z"),
            ("2022-11-15T20:15+01:00", "2022-11-15T19:15:00Z"),
            ("2022-11-15T20:15Z", "2022-11-15T20:15:00Z"),
            ("2022-11-15T24:00:00Z", "2022-11-16T00:00:00Z"),
            ("2022-11-15 20:15:04", "2022-11-15T20:15:04Z"),
            ("2022-11-15 20:15:04 EST", "2022-11-16T01:15:04Z"),
            ("2022-11-15 20:15:04 +0100", "2022-11-15T19:15:04Z"),
            ("2022-11-15 20:15:04.0", "2022-11-15T20:15:04Z"),
            ("2022-11-15 8:15:04 PM", "2022-11-15T20:15:04Z"),
            ("2022-11-15", "2022-11-15T00:00:00Z"),
            ("2022-11-15Z", "2022-11-15T00:00:00Z"),
            ("2022-11", "2022-11-01T00:00:00Z"),
            ("2022", "2022-01-01T00:00:00Z"),
            ("2022-319", "2022-11-15T00:00:00Z"),
            ("2022-W46-2", "2022-11-15T00:00:00Z"),
            ("2022/11/15 20:15", "2022-11-15T20:15:00Z"),
            ("2022.11.15", "2022-11-15T00:00:00Z"),
            ("20221115T201504Z", "2022-11-15T20:15:04Z"),
            ("20221115201504", "2022-11-15T20:15:04Z"),
            ("20221115", "2022-11-15T00:00:00Z"),
            ("1668543304", "2022-11-15T20:15:04Z"),
            ("1668543304.5", "2022-11-15T20:15:04Z"),
            ("1668543304123", "2022-11-15T20:15:04Z"),
            ("11/15/2022", "2022-11-15T00:00:00Z"),
            ("11/15/2022 8:15:04 PM", "2022-11-15T20:15:04Z"),
            ("15/11/2022 20:15", "2022-11-15T20:15:00Z"),
            ("06/09/2021 10:00", "2021-06-09T10:00:00Z"),
            ("15.11.2022 20:15", "2022-11-15T20:15:00Z"),
            ("15.11.2022", "2022-11-15T00:00:00Z"),
            ("mar. 15 nov. 2022 20:15:04 +0100", "2022-11-15T19:15:04Z"),
            ("mardi 15 février 2022 à 20h15", "2022-02-15T20:15:00Z"),
            ("Di, 15 Mär 2022 20:15:04 +0100", "2022-03-15T19:15:04Z"),
            ("Dienstag, 15. Dezember 2022 20:15 MEZ", "2022-12-15T19:15:00Z"),
            ("martes, 15 de agosto de 2022 20:15:04", "2022-08-15T20:15:04Z"),
            ("Mar, 15 Ott 2022 20:15:04 +0200", "2022-10-15T18:15:04Z"),
            ("Вт, 15 ноя 2022 20:15:04 +0300", "2022-11-15T17:15:04Z"),
            ("Τρι, 15 Νοέ 2022 20:15:04 EET", "2022-11-15T18:15:04Z"),
            ("2022年11月15日 20:15:04", "2022-11-15T20:15:04Z"),
            ("2022년 11월 15일 오후 8:15:04", "2022-11-15T20:15:04Z"),
        ];
        for (text, expected) in styles {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_date_gives_none() {
        for text in ["", "yesterday", "soon", "99", "0000-00-00 00:00:00", "2022-13-45", "n/a", "-"]
        {
            assert_eq!(read(text), "none", "{text}");
        }
    }
}

//! Dates in queries.
//!
//! A date without a time means the whole day in UTC, so that `<= "2026-03-31"` includes noon of that
//! day and `BETWEEN` includes the last day.

use std::fmt;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime};

const DAY: i64 = 86_400;

/// A day or a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    start: i64,
    whole_day: bool,
}

impl Moment {
    /// Parses `2026-03-31`, `2026-03-31T12:00:00Z`, any other RFC 3339 time, or one without a zone (UTC).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let day = |date: NaiveDate| Self {
            start: date.and_time(chrono::NaiveTime::MIN).and_utc().timestamp(),
            whole_day: true,
        };
        let second = |at: i64| Self { start: at, whole_day: false };
        let moment = if text.len() == "2026-03-31".len() {
            day(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?)
        } else if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            second(time.timestamp())
        } else {
            let forms =
                ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
            let local = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
            second(forms.iter().find_map(local)?.and_utc().timestamp())
        };
        // The year has four digits, so that the printed form can be parsed.
        let year = DateTime::from_timestamp(moment.start, 0)?.year();
        (1..=9999).contains(&year).then_some(moment)
    }

    /// The first second, in Unix time.
    pub fn start(self) -> i64 {
        self.start
    }

    /// The second after the last one.
    pub fn end(self) -> i64 {
        self.start + if self.whole_day { DAY } else { 1 }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(time) = DateTime::from_timestamp(self.start, 0) else {
            return write!(f, "{}", self.start);
        };
        if self.whole_day {
            write!(f, "{:04}-{:02}-{:02}", time.year(), time.month(), time.day())
        } else {
            let clock = self.start.rem_euclid(DAY);
            write!(f, "{:04}-{:02}-{:02}", time.year(), time.month(), time.day())?;
            write!(f, "T{:02}:{:02}:{:02}Z", clock / 3600, clock / 60 % 60, clock % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_means_the_whole_day_and_a_time_one_second() {
        let day = Moment::parse("2026-03-31").unwrap();
        assert_eq!((day.start(), day.end()), (1_774_915_200, 1_775_001_600));
        let time = Moment::parse("2026-03-31T02:00:00+02:00").unwrap();
        assert_eq!((time.start(), time.end()), (1_774_915_200, 1_774_915_201));
    }

    #[test]
    fn every_form_prints_as_an_equal_moment() {
        for text in
            ["2026-03-31", "2026-03-31 12:30", "2026-03-31T12:30:05", "1969-12-31T23:59:59Z"]
        {
            let moment = Moment::parse(text).unwrap();
            assert_eq!(Moment::parse(&moment.to_string()), Some(moment), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_date_is_rejected() {
        for text in ["", "yesterday", "2026-02-30", "31.03.2026", "2026-3-1", "+12026-01-01"] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}

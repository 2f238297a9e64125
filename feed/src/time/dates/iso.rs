//! ISO 8601 and similar formats that begin with the year.

use chrono::{Datelike, NaiveDate, Weekday};

use super::{Parts, scan};

/// Parses `2022-11-15T20:15:04Z`, shorter forms, week and ordinal dates, and other separators.
pub(super) fn parse(text: &str) -> Option<Parts> {
    let bytes = text.as_bytes();
    let year: i32 = text.get(..4)?.parse().ok()?;
    if !bytes[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let rest = &text[4..];
    let (date, rest) = if let Some(week) = rest.strip_prefix("-W").or(rest.strip_prefix("W")) {
        week_date(year, week)?
    } else {
        month_and_day(year, rest)?
    };
    let rest = rest.trim_start_matches(['T', 't', ' ', ',', '_']);
    scan::time_and_zone(date, rest)
}

/// Splits off up to `most` leading digits.
fn digits(text: &str, most: usize) -> Option<(u32, usize, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let value = text.get(..count)?.parse().ok()?;
    Some((value, count, &text[count..]))
}

fn month_and_day(year: i32, rest: &str) -> Option<(Parts, &str)> {
    let date = |month, day| Parts { year, month, day, ..Parts::default() };
    let Some(separator) = rest.chars().next() else {
        return Some((date(1, 1), rest));
    };
    if separator.is_ascii_digit() {
        // 20221115T201504Z
        let (value, 4, rest) = digits(rest, 4)? else {
            return None;
        };
        return Some((date(value / 100, value % 100), rest));
    }
    if !matches!(separator, '-' | '/' | '.' | '年' | ':') {
        return None;
    }
    let (value, count, rest) = digits(rest[separator.len_utf8()..].trim_start(), 3)?;
    if count == 3 {
        let day = NaiveDate::from_yo_opt(year, value)?;
        return Some((date(day.month(), day.day()), rest));
    }
    let Some(rest) = rest.trim_start().strip_prefix(['-', '/', '.', '月', ':']) else {
        return Some((date(value, 1), rest));
    };
    let (day, _, rest) = digits(rest.trim_start(), 2)?;
    Some((date(value, day), rest.strip_prefix('日').unwrap_or(rest)))
}

fn week_date(year: i32, text: &str) -> Option<(Parts, &str)> {
    let (week, 2, rest) = digits(text, 2)? else {
        return None;
    };
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    let (weekday, rest) = match digits(rest, 1) {
        Some((day @ 1..=7, 1, rest)) => (day, rest),
        _ => (1, rest),
    };
    let weekday = Weekday::try_from(u8::try_from(weekday - 1).ok()?).ok()?;
    let day = NaiveDate::from_isoywd_opt(year, week, weekday)?;
    Some((Parts { year: day.year(), month: day.month(), day: day.day(), ..Parts::default() }, rest))
}

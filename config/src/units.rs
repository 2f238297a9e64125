//! Durations such as "15 min" and sizes such as "10 MiB".
//!
//! A number without a unit counts seconds or bytes. What is written here reads back as the same value.

use std::ops::RangeInclusive;
use std::time::Duration;

use toml::Value;

use crate::codec::{Codec, quoted};
use crate::setting::Setting;

/// The names of a unit and its worth. The first name is the one that is written.
type Unit = (&'static [&'static str], u64);

/// In milliseconds, from the largest.
const TIMES: [Unit; 6] = [
    (&["days", "day", "d"], 86_400_000),
    (&["h", "hours", "hour"], 3_600_000),
    (&["min", "minutes", "minute"], 60_000),
    (&["s", "sec", "seconds", "second"], 1_000),
    (&["ms", "milliseconds", "millisecond"], 1),
    (&["weeks", "week"], 7 * 86_400_000),
];

/// In bytes; of those that divide a size, the first is written.
const SIZES: [Unit; 9] = [
    (&["TiB"], 1 << 40),
    (&["TB"], 1_000_000_000_000),
    (&["GiB"], 1 << 30),
    (&["GB"], 1_000_000_000),
    (&["MiB"], 1 << 20),
    (&["MB"], 1_000_000),
    (&["KiB"], 1 << 10),
    (&["kB"], 1_000),
    (&["bytes", "byte", "B"], 1),
];

/// A duration within a range.
pub(crate) fn duration(range: RangeInclusive<Duration>) -> Codec<Duration> {
    let limits =
        format!("from {} to {}", written_duration(*range.start()), written_duration(*range.end()));
    let wrong = format!("must be {limits}");
    let read = move |setting: &Setting| {
        let example = "must be a duration such as \"30 s\", \"15 min\" or \"90 days\"";
        let duration = Duration::from_millis(amount(setting, &TIMES, 1_000).ok_or(example)?);
        if range.contains(&duration) { Ok(duration) } else { Err(wrong.clone()) }
    };
    Codec::new(format!("a duration {limits}"), read, |duration| quoted(written_duration(*duration)))
}

/// A size in bytes within a range.
pub(crate) fn size(range: RangeInclusive<u64>) -> Codec<u64> {
    let limits = format!("from {} to {}", written_size(*range.start()), written_size(*range.end()));
    let wrong = format!("must be {limits}");
    let read = move |setting: &Setting| {
        let example = "must be a size such as \"50 MB\" or \"10 MiB\"";
        let size = amount(setting, &SIZES, 1).ok_or(example)?;
        if range.contains(&size) { Ok(size) } else { Err(wrong.clone()) }
    };
    Codec::new(format!("a size {limits}"), read, |size| quoted(written_size(*size)))
}

/// A size of something that is held in memory.
pub(crate) fn memory_size(range: RangeInclusive<u64>) -> Codec<usize> {
    size(range).map(
        |size| usize::try_from(size).map_err(|_| "must fit into memory".to_owned()),
        |size| *size as u64,
    )
}

/// A duration as it would be written in the file, without quotes.
fn written_duration(duration: Duration) -> String {
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if milliseconds == 0 { "0 s".to_owned() } else { written(milliseconds, &TIMES[..5]) }
}

/// A size as it would be written in the file, without quotes.
fn written_size(bytes: u64) -> String {
    if bytes == 0 { "0 bytes".to_owned() } else { written(bytes, &SIZES) }
}

fn written(amount: u64, units: &[Unit]) -> String {
    let fitting = units.iter().find(|(_, worth)| amount.is_multiple_of(*worth));
    let Some((names, worth)) = fitting else { return amount.to_string() };
    match (amount / worth, names) {
        (1, ["days" | "bytes", singular, ..]) => format!("1 {singular}"),
        (number, names) => format!("{number} {}", names[0]),
    }
}

/// The amount in the smallest unit; a number without a unit counts `plain` of them.
fn amount(setting: &Setting, units: &[Unit], plain: u64) -> Option<u64> {
    let (number, worth) = match &setting.value {
        Value::Integer(number) => return u64::try_from(*number).ok()?.checked_mul(plain),
        Value::Float(number) => (*number, plain),
        Value::String(text) => {
            let text = text.trim();
            let unit_at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
            let (number, unit) = text.split_at(unit_at);
            let worth = match unit {
                "" if setting.is_text() => plain,
                unit => named(unit, units)?,
            };
            let number = number.trim();
            if let Ok(whole) = number.parse::<u64>() {
                return whole.checked_mul(worth);
            }
            (number.parse().ok()?, worth)
        }
        _ => return None,
    };
    let amount = (number * worth as f64).round();
    (0.0..=1e15).contains(&amount).then_some(amount as u64)
}

fn named(unit: &str, units: &[Unit]) -> Option<u64> {
    let is_it = |(names, _): &&Unit| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    units.iter().find(is_it).map(|(_, worth)| *worth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(toml: &str) -> Setting {
        let table: toml::Table = toml::from_str(&format!("key = {toml}")).unwrap();
        Setting::new(table["key"].clone())
    }

    fn any_duration(toml: &str) -> Result<Duration, String> {
        duration(Duration::ZERO..=Duration::MAX).read(&setting(toml))
    }

    fn any_size(toml: &str) -> Result<u64, String> {
        size(0..=u64::MAX).read(&setting(toml))
    }

    #[test]
    fn durations_are_read_with_their_units() {
        let cases = [
            ("\"90 days\"", 90 * 86_400_000),
            ("\"1 week\"", 7 * 86_400_000),
            ("\"1.5 h\"", 5_400_000),
            ("\"15min\"", 900_000),
            ("\"2 s\"", 2_000),
            ("\"250 ms\"", 250),
            ("2", 2_000),
            ("0.25", 250),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(any_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        let wrong = ["\"soon\"", "\"\"", "\"5\"", "\"-1 s\"", "-1", "\"1 s 2\"", "nan", "true"];
        for text in wrong {
            let message = "must be a duration such as \"30 s\", \"15 min\" or \"90 days\"";
            assert_eq!(any_duration(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_duration_out_of_range_is_told_the_range() {
        let second = Duration::from_secs(1);
        let refused = duration(second..=second * 3600).read(&setting("\"2 h\""));
        assert_eq!(refused, Err("must be from 1 s to 1 h".to_owned()));
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        let cases = [
            ("\"50 MB\"", 50_000_000),
            ("\"10 MiB\"", 10 << 20),
            ("\"1.5 kb\"", 1_500),
            ("\"7 bytes\"", 7),
            ("1024", 1024),
        ];
        for (text, bytes) in cases {
            assert_eq!(any_size(text), Ok(bytes), "{text}");
        }
        assert!(any_size("\"10 M\"").is_err());
        assert!(any_size("\"99999999999 TB\"").is_err(), "more than fits");
    }

    #[test]
    fn what_is_written_reads_back() {
        for milliseconds in [0, 1, 999, 1_000, 61_000, 3_600_000, 86_400_000, 604_800_000] {
            let duration = Duration::from_millis(milliseconds);
            let text = format!("\"{}\"", written_duration(duration));
            assert_eq!(any_duration(&text), Ok(duration), "{text}");
        }
        for bytes in [0, 1, 1_000, 1_024, 50_000_000, 32 << 20, 1_048_577] {
            let text = format!("\"{}\"", written_size(bytes));
            assert_eq!(any_size(&text), Ok(bytes), "{text}");
        }
        assert_eq!(written_size(50_000_000), "50 MB");
        assert_eq!(written_duration(Duration::from_secs(5_400)), "90 min");
        assert_eq!(written_duration(Duration::from_secs(86_400)), "1 day");
        assert_eq!(written_size(1), "1 byte");
    }
}

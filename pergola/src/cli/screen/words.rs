//! Times, sizes and counts as text.

use pergola_api::Instant;
use pergola_feed::Timestamp;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// "12 min ago" or "in 3 h"; empty for an unknown time.
pub(in crate::cli) fn relative(at: Option<Instant>, now: f64) -> String {
    match at.map(|at| at.unix() - now) {
        None => String::new(),
        Some(ahead) if ahead.abs() < 1.0 => "now".to_owned(),
        Some(ahead) if ahead > 0.0 => format!("in {}", span(ahead)),
        Some(ahead) => format!("{} ago", span(-ahead)),
    }
}

/// Seconds in a readable unit.
pub(in crate::cli) fn span(seconds: f64) -> String {
    let (amount, unit) = match seconds {
        s if s < 2.0 * MINUTE => (s, "s"),
        s if s < 2.0 * HOUR => (s / MINUTE, "min"),
        s if s < 2.0 * DAY => (s / HOUR, "h"),
        s => (s / DAY, "days"),
    };
    format!("{amount:.0} {unit}")
}

/// An instant as RFC 3339, to the second.
pub(in crate::cli) fn instant(at: Instant) -> String {
    Timestamp::from_unix(at.unix() as i64).to_rfc3339()
}

/// Bytes in a readable unit.
pub(in crate::cli) fn size(bytes: u64) -> String {
    let mut amount = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if amount < 999.5 {
            let digits = usize::from(unit != "bytes" && amount < 9.95);
            return format!("{amount:.digits$} {unit}");
        }
        amount /= 1000.0;
    }
    format!("{amount:.1} TB")
}

/// The time of day of an instant, in UTC; with the date if it is further away than a day.
pub(in crate::cli) fn clock(at: Instant, now: f64) -> String {
    let text = instant(at);
    match (text.get(..10), text.get(11..16)) {
        (Some(_), Some(time)) if (at.unix() - now).abs() < DAY => format!("{time} UTC"),
        (Some(date), Some(time)) => format!("{date} {time} UTC"),
        _ => text,
    }
}

/// A share of 1 in per cent, once it is known.
pub(in crate::cli) fn known_percent(share: Option<f64>) -> String {
    share.map_or_else(|| "not known yet".to_owned(), |share| format!("{:.0} %", share * 100.0))
}

/// "1 item", "2 items".
pub(in crate::cli) fn count(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_now() {
        let at = |seconds| Some(Instant::from_unix(seconds));
        assert_eq!(relative(at(1000.0), 1720.0), "12 min ago");
        assert_eq!(relative(at(1000.0 + 3.0 * HOUR), 1000.0), "in 3 h");
        assert_eq!(relative(at(1000.4), 1000.0), "now");
        assert_eq!(relative(at(0.0), 90.0 * DAY), "90 days ago");
        assert_eq!(relative(None, 5.0), "");
    }

    #[test]
    fn a_time_far_away_has_a_date() {
        assert_eq!(clock(Instant::from_unix(14.0 * HOUR), 13.0 * HOUR), "14:00 UTC");
        assert_eq!(clock(Instant::from_unix(50.0 * HOUR), 0.0), "1970-01-03 02:00 UTC");
    }

    #[test]
    fn what_is_not_known_has_no_percentage() {
        assert_eq!(known_percent(Some(0.995)), "100 %");
        assert_eq!(known_percent(None), "not known yet");
    }

    #[test]
    fn sizes_have_the_unit_that_says_most() {
        assert_eq!(size(0), "0 bytes");
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(1234), "1.2 kB");
        assert_eq!(size(999_600), "1.0 MB");
        assert_eq!(size(52_000_000), "52 MB");
    }
}

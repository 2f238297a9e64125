//! Figures as people read them: shares, bytes, rates, and how long ago something was by the node's own clock.

use maud::{Markup, html};
use pergola_api::Instant;

use crate::words::span;

const MINUTE: f64 = 60.0;
const DAY: f64 = 86_400.0;

/// How long ago something was, or in how long it will be: "3 min ago", "in 2 h", "just now".
pub fn distance(at: Instant, now: f64) -> String {
    match at.unix() - now {
        later if later >= 1.0 => format!("in {}", age(later)),
        earlier if earlier > -5.0 => "just now".to_owned(),
        earlier => format!("{} ago", age(-earlier)),
    }
}

/// Parts of a second are of no interest.
fn age(seconds: f64) -> String {
    if seconds < 9.95 { format!("{seconds:.0} s") } else { span(seconds) }
}

/// The same for people and machines; the script shows the exact time when pointed at.
pub fn moment(at: Instant, now: f64) -> Markup {
    let exact = at.to_string();
    let people = exact.get(..16).unwrap_or(&exact).replacen('T', " ", 1);
    html! { time data-relative datetime=(exact) title={ (people) " UTC" } { (distance(at, now)) } }
}

/// A share as a percentage, "not known yet" while it is not.
pub fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "not known yet".to_owned(), percent)
}

/// "98.3 %", "100 %", "0.04 %".
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 99.95 || p == 0.0 => format!("{p:.0} %"),
        p if p >= 1.0 => format!("{p:.1} %"),
        p if p >= 0.01 => format!("{p:.2} %"),
        _ => "below 0.01 %".to_owned(),
    }
}

/// Bytes in a unit that leaves few digits: "512 B", "12.3 MB".
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ if size < 99.95 => format!("{size:.1} {}", UNITS[unit]),
        _ => format!("{size:.0} {}", UNITS[unit]),
    }
}

/// A count with spaces between thousands: "12 345".
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// Items a day: "4.2", "1 in 5 days", "not known yet".
pub fn per_day(items: Option<f64>) -> String {
    match items {
        None => "not known yet".to_owned(),
        Some(rate) if rate >= 99.5 => count(rate.round() as u64),
        Some(rate) if rate >= 9.95 => format!("{rate:.0}"),
        Some(rate) if rate >= 0.95 => format!("{rate:.1}"),
        Some(rate) if rate > 0.0 => {
            let days = (1.0 / rate).round().min(3_650.0);
            if days <= 1.0 { "1".to_owned() } else { format!("1 in {days:.0} days") }
        }
        Some(_) => "0".to_owned(),
    }
}

/// A number of any size in three digits.
pub fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if !(1e-3..1e5).contains(&v) => format!("{value:.2e}"),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => trimmed(format!("{value:.1}")),
        v if v >= 1.0 => trimmed(format!("{value:.2}")),
        v if v >= 0.1 => trimmed(format!("{value:.3}")),
        _ => trimmed(format!("{value:.4}")),
    }
}

/// A fraction without zeros at its end.
fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text as it stands in HTML.
pub fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
}

/// A number of seconds as a site would say it: "15 minutes", "a day".
pub fn wait(seconds: f64) -> String {
    match seconds {
        s if s == DAY => "a day".to_owned(),
        s if s == MINUTE * MINUTE => "an hour".to_owned(),
        s => span(s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_by_its_distance_from_the_clock_of_the_node() {
        let now = 1_794_953_198.0;
        let told = |seconds: f64| distance(Instant::from_unix(now + seconds), now);
        assert_eq!(told(-180.0), "3 min ago");
        assert_eq!(told(-2.0), "just now");
        assert_eq!(told(0.4), "just now");
        assert_eq!(told(7_300.0), "in 2 h");
        assert_eq!([told(-7.2), told(3.6)], ["7 s ago", "in 4 s"]);
        let markup = moment(Instant::from_unix(now - 180.0), now).into_string();
        assert!(
            markup.contains("data-relative") && markup.contains("2026-11-17 22:03 UTC"),
            "{markup}"
        );
    }

    #[test]
    fn figures_keep_the_digits_that_matter() {
        assert_eq!(
            [0.0, 0.000_001, 0.0004, 0.123_4, 0.99, 1.0].map(percent),
            ["0 %", "below 0.01 %", "0.04 %", "12.3 %", "99.0 %", "100 %"]
        );
        assert_eq!([0, 999, 1_000, 123_456_789].map(bytes), ["0 B", "999 B", "1.0 kB", "123 MB"]);
        assert_eq!(
            [7, 1_234, 1_000_000].map(count),
            ["7", "1\u{202f}234", "1\u{202f}000\u{202f}000"]
        );
        let rates = [None, Some(250.0), Some(24.0), Some(1.0), Some(0.2), Some(0.0)];
        assert_eq!(rates.map(per_day), ["not known yet", "250", "24", "1.0", "1 in 5 days", "0"]);
        assert_eq!(
            [0.0, 3.21e-7, 0.25, 4.5, 1234.0].map(number),
            ["0", "3.21e-7", "0.25", "4.5", "1234"]
        );
    }
}

//! Times, counts and spans, as people read them.

use maud::{Markup, html};
use pergola_feed::Timestamp;

/// A point in time, for people and machines. A script may show it in the reader's own zone.
pub fn time(at: Timestamp) -> Markup {
    let machine = at.to_rfc3339();
    let people = machine.get(..16).unwrap_or(&machine).replacen('T', " ", 1);
    html! { time datetime=(machine) { (people) " UTC" } }
}

/// "1 item", "2 items".
pub fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// A length of time in a few characters: "8 ms", "3.0 s", "12 min", "5 h", "3 days".
pub fn span(seconds: f64) -> String {
    match seconds {
        s if s < 0.0995 => format!("{:.0} ms", s * 1000.0),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7_200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3_600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// Bytes in a readable unit: "812 bytes", "4.2 MB".
pub fn size(bytes: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!([812, 4_200_000, 52_000].map(size), ["812 bytes", "4.2 MB", "52 kB"]);
    }

    #[test]
    fn short_spans_are_told_in_milliseconds() {
        let spans = [0.0, 0.008, 0.0994, 0.0996, 3.0].map(span);
        assert_eq!(spans, ["0 ms", "8 ms", "99 ms", "0.1 s", "3.0 s"]);
    }
}

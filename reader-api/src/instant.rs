//! Instants, in whatever unit an app sends them.
//!
//! The API has seconds in some places, milliseconds in others and microseconds in a third, and apps mix them up. Between
//! 1973 and 2286, the number of digits tells which one it is.

/// Seconds since 1970, from a number of seconds, milliseconds, microseconds or nanoseconds. Nothing for what is no
/// number, and for zero, by which apps mean that there is none.
pub fn instant(text: &str) -> Option<f64> {
    let number: u64 = text.trim().parse().ok().filter(|number| *number > 0)?;
    let unit = match number {
        0..100_000_000_000 => 1.0,
        100_000_000_000..100_000_000_000_000 => 1e3,
        100_000_000_000_000..100_000_000_000_000_000 => 1e6,
        _ => 1e9,
    };
    Some(number as f64 / unit)
}

/// Whole microseconds, as a text.
pub fn microseconds(instant: f64) -> String {
    ((instant * 1e6).round().max(0.0) as u64).to_string()
}

/// Whole milliseconds, as a text.
pub fn milliseconds(instant: f64) -> String {
    ((instant * 1e3).floor().max(0.0) as u64).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_gives_the_same_instant() {
        for text in ["1700000000", "1700000000000", "1700000000000000", "1700000000000000000"] {
            assert_eq!(instant(text), Some(1_700_000_000.0), "{text}");
        }
        assert_eq!(instant("1700000000123456"), Some(1_700_000_000.123_456));
        for none in ["0", "", "soon", "-5", "1.5"] {
            assert_eq!(instant(none), None, "{none}");
        }
    }

    #[test]
    fn instants_are_written_without_fractions() {
        assert_eq!(microseconds(1_700_000_000.123_456), "1700000000123456");
        assert_eq!(milliseconds(1_700_000_000.123_456), "1700000000123");
        assert_eq!((microseconds(-1.0), milliseconds(f64::NAN)), ("0".into(), "0".into()));
        let own = 1_700_000_000.25;
        assert_eq!(instant(&microseconds(own)), Some(own));
    }
}

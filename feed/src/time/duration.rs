//! How long something takes, as podcasts write it.

/// Seconds from `754`, `754.5`, `12:34` or `1:02:03`; `None` for anything else.
pub(crate) fn parse_duration(text: &str) -> Option<u32> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut seconds: u32 = 0;
    for (at, part) in whole.split(':').enumerate() {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits || at > 2 {
            return None;
        }
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_style() {
        for (text, seconds) in
            [("754", 754), (" 12:34 ", 754), ("1:02:03", 3723), ("00:00:07", 7), ("61.9", 61)]
        {
            assert_eq!(parse_duration(text), Some(seconds), "{text}");
        }
        for text in ["", ":", "1:", "-1", "1h", "1:2:3:4", "99999999999", "4294967295:00", "1.x"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}

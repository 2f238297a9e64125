//! The two formats that nearly all dates have, parsed by position.

use super::{Parts, clock, words};
use crate::time::Timestamp;

/// Parses `Mon, 16 Nov 2026 02:00:00 GMT` (or `+0000`) and `2026-11-16T02:00:00Z`; leaves anything
/// else to the slower parsers.
pub(super) fn parse(text: &[u8]) -> Option<Timestamp> {
    let parts = match text.len() {
        20 if text[19] == b'Z' => iso(text)?,
        29 | 31 if text[3] == b',' => rfc822(text)?,
        _ => return None,
    };
    Some(Timestamp::from_unix(parts.resolve()?))
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0'))
    })
}

fn time(text: &[u8]) -> Option<u32> {
    if text[2] != b':' || text[5] != b':' {
        return None;
    }
    clock(digits(&text[..2])?, digits(&text[3..5])?, digits(&text[6..8])?)
}

fn iso(text: &[u8]) -> Option<Parts> {
    if text[4] != b'-' || text[7] != b'-' || text[10] != b'T' {
        return None;
    }
    Some(Parts {
        year: digits(&text[..4])?.try_into().ok()?,
        month: digits(&text[5..7])?,
        day: digits(&text[8..10])?,
        seconds: time(&text[11..19])?,
        ..Parts::default()
    })
}

fn rfc822(text: &[u8]) -> Option<Parts> {
    let spaces = [4, 7, 11, 16, 25].iter().all(|at| text[*at] == b' ');
    if !spaces || !matches!(&text[26..], b"GMT" | b"UTC" | b"+0000" | b"-0000") {
        return None;
    }
    Some(Parts {
        year: digits(&text[12..16])?.try_into().ok()?,
        month: words::english(&text[8..11])?,
        day: digits(&text[5..7])?,
        seconds: time(&text[17..25])?,
        ..Parts::default()
    })
}

//! From when until when a certificate is valid.
//!
//! This is the only thing that the node itself parses in a certificate, and it serves advice, never trust:
//! webpki decides what is trusted.

use chrono::NaiveDateTime;
use rustls::pki_types::CertificateDer;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// From when until when a certificate is good, in Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// From this second.
    pub from: i64,
    /// Until this second.
    pub until: i64,
}

impl Validity {
    /// What a certificate says; nothing if it cannot be understood.
    pub fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        let (_, whole, _) = element(certificate, Some(SEQUENCE))?;
        let (_, signed, _) = element(whole, Some(SEQUENCE))?;
        let (first, _, after) = element(signed, None)?;
        // The version may be left out; then the first element is the serial number.
        let rest = if first == VERSION { element(after, None)?.2 } else { after };
        let (_, _, rest) = element(rest, Some(SEQUENCE))?; // how it was signed
        let (_, _, rest) = element(rest, Some(SEQUENCE))?; // by whom
        let (_, times, _) = element(rest, Some(SEQUENCE))?;
        let (kind, from, rest) = element(times, None)?;
        let from = instant(kind, from)?;
        let (kind, until, _) = element(rest, None)?;
        Some(Self { from, until: instant(kind, until)? })
    }
}

/// One element of DER: its tag, its content and what follows it.
fn element(bytes: &[u8], tag: Option<u8>) -> Option<(u8, &[u8], &[u8])> {
    let (&found, rest) = bytes.split_first()?;
    if tag.is_some_and(|tag| tag != found) {
        return None;
    }
    let (&short, rest) = rest.split_first()?;
    let (length, rest) = match short {
        0..=0x7f => (usize::from(short), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
            (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((found, content, rest))
}

/// A point in time: two digits of the year until 2049, four from then on.
fn instant(kind: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let text = match kind {
        UTC_TIME => format!("{}{text}", if text.get(..2)? < "50" { "20" } else { "19" }),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let parsed = NaiveDateTime::parse_from_str(&text, "%Y%m%d%H%M%SZ").ok()?;
    Some(parsed.and_utc().timestamp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_certificate_says_is_read() {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut about = rcgen::CertificateParams::new(vec!["node.example".to_owned()]).unwrap();
        about.not_before = rcgen::date_time_ymd(2020, 1, 2);
        about.not_after = rcgen::date_time_ymd(2060, 3, 4);
        let certificate = about.self_signed(&key).unwrap();
        // 2020-01-02 is in the short form, 2060-03-04 in the long one.
        let expected = Validity { from: 1_577_923_200, until: 2_845_584_000 };
        assert_eq!(Validity::of(certificate.der()), Some(expected));
    }

    proptest! {
        #[test]
        fn whatever_is_no_certificate_is_passed_over(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(Validity::of(&CertificateDer::from(bytes)), None);
        }
    }

    #[test]
    fn a_certificate_that_is_cut_off_says_nothing() {
        let key = rcgen::KeyPair::generate().unwrap();
        let about = rcgen::CertificateParams::new(vec!["node.example".to_owned()]).unwrap();
        let certificate = about.self_signed(&key).unwrap();
        let whole = certificate.der();
        assert!(Validity::of(whole).is_some());
        for length in 0..whole.len() {
            let cut = CertificateDer::from(&whole[..length]);
            assert_eq!(Validity::of(&cut), None, "{length} of {} bytes", whole.len());
        }
    }
}

//! The two forms of an item's id: a decimal number with a sign, and 16 hexadecimal digits behind a prefix.
//!
//! Both stand for the same 64 bits. A number of 2⁶³ and more is negative in the decimal form. Ids that are given out
//! are smaller than that, since some apps read them into a signed number.

use std::fmt;
use std::str::FromStr;

/// What the long form begins with.
const PREFIX: &str = "tag:google.com,2005:reader/item/";

/// The id of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub u64);

/// A text that is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no id of an item: send a decimal number, or {PREFIX} and 16 hexadecimal digits")]
pub struct BadItemId(String);

impl ItemId {
    /// The long form.
    pub fn long(self) -> String {
        format!("{PREFIX}{:016x}", self.0)
    }
}

/// The short form.
impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.cast_signed())
    }
}

/// Either form. Some apps send the digits of the long form without its prefix, so a number with a leading zero is
/// hexadecimal.
impl FromStr for ItemId {
    type Err = BadItemId;

    fn from_str(text: &str) -> Result<Self, BadItemId> {
        let digits = text.trim();
        let found = match digits.strip_prefix(PREFIX) {
            Some(digits) => hexadecimal(digits),
            None => decimal(digits).or_else(|| hexadecimal(digits).filter(|_| digits.len() == 16)),
        };
        found.map(Self).ok_or_else(|| BadItemId(text.chars().take(100).collect()))
    }
}

fn decimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || digits.starts_with('0') && digits != "0" {
        return None;
    }
    text.parse::<i64>().map(i64::cast_unsigned).or_else(|_| text.parse()).ok()
}

fn hexadecimal(digits: &str) -> Option<u64> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if plain { u64::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_forms_and_the_bare_digits_are_read() {
        for (text, number) in [
            ("0", 0),
            ("17", 17),
            ("tag:google.com,2005:reader/item/0000000000000011", 17),
            ("tag:google.com,2005:reader/item/11", 17),
            ("0000000000000011", 17),
            ("00000000000000ff", 255),
            ("00000000000000FF", 255),
            ("9223372036854775807", i64::MAX as u64),
            ("-1", u64::MAX),
            ("18446744073709551615", u64::MAX),
            ("tag:google.com,2005:reader/item/ffffffffffffffff", u64::MAX),
            (" 17\n", 17),
        ] {
            assert_eq!(text.parse(), Ok(ItemId(number)), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "-",
            "+5",
            "ff",
            "017",
            "1.5",
            "18446744073709551616",
            "tag:google.com,2005:reader/item/",
            "tag:google.com,2005:reader/item/+1",
            "tag:google.com,2005:reader/item/10000000000000000",
            "feed/17",
        ] {
            let error = text.parse::<ItemId>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}` is no id")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn an_id_is_read_as_it_was_written(number: u64) {
            let id = ItemId(number);
            prop_assert_eq!(id.to_string().parse(), Ok(id));
            prop_assert_eq!(id.long().parse(), Ok(id));
            prop_assert_eq!(number.to_string().parse(), Ok(id));
        }
    }
}

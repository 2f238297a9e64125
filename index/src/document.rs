//! What an index knows of an item, and the order of results.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// One version of an item at one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Document {
    /// Identifies the item, whichever source it comes from.
    pub number: u64,
    /// The source that delivered it …
    pub source: u32,
    /// … the chunk that it is stored in; a later version of an item is in a later chunk …
    pub chunk: u32,
    /// … and its index there.
    pub index: u16,
    /// Results are in the order of this date, in seconds since 1970.
    pub date: i64,
    /// When it was delivered, in seconds since 1970.
    pub arrived: i64,
}

impl Document {
    /// The order of results: the newest first.
    pub(crate) fn order(&self) -> Order {
        (self.cursor(), self.source, Reverse(self.version()))
    }

    /// The place of the item among results.
    pub fn cursor(&self) -> Cursor {
        Cursor { date: self.date, number: self.number }
    }

    /// Of two documents for the same item and source, that with the higher version counts.
    pub(crate) fn version(&self) -> (u32, u16) {
        (self.chunk, self.index)
    }
}

/// The place of a document among all.
pub(crate) type Order = (Cursor, u32, Reverse<(u32, u16)>);

/// A place among results: a later one is the place of an older item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// The date of the item that it stands at.
    pub date: i64,
    /// The item's number.
    pub number: u64,
}

impl Ord for Cursor {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (Reverse(self.date), self.number).cmp(&(Reverse(other.date), other.number))
    }
}

impl PartialOrd for Cursor {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A text that is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no place among results: use the one that the page before gave")]
pub struct NotACursor(String);

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:016x}", self.date, self.number)
    }
}

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let read = |(date, number): (&str, &str)| {
            let number = u64::from_str_radix(number, 16).ok()?;
            Some(Self { date: date.parse().ok()?, number })
        };
        text.rsplit_once('-').and_then(read).ok_or_else(|| NotACursor(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for cursor in
            [Cursor { date: 1_774_958_400, number: 7 }, Cursor { date: -5, number: u64::MAX }]
        {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for nonsense in ["", "-", "5", "x-0", "5-xyz"] {
            let error = nonsense.parse::<Cursor>().unwrap_err();
            assert!(error.to_string().contains("the page before"), "{error}");
        }
    }

    #[test]
    fn newer_items_come_first() {
        let at = |date, number| Cursor { date, number };
        assert!(at(9, 5) < at(8, 1) && at(8, 1) < at(8, 2));
    }
}

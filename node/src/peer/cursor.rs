//! Cursors: how far a reader of a feed has come, in a text that only the node that made it understands.
//!
//! A cursor holds numbers of the feed and not of its rows, so it outlives restarts and the removal of old
//! entries. It also holds what proves that the numbers still mean the same: whose feed it is, and which
//! entry it stands after. A data folder that was restored from a backup gives numbers a second time;
//! then the entry is another one, and the reader begins anew instead of passing over what it never saw.

use std::fmt;
use std::str::FromStr;

use pergola_feed::{NodeId, digest};

use pergola_store::archive::{Edit, FeedId, ItemKey};

/// How far a reader has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Whose feed it is: a digest of the node's id.
    pub node: u32,
    /// The feed.
    pub feed: FeedId,
    /// The number of the next entry it has not seen.
    pub next: u64,
    /// The entry before that one: a digest of its item's key. 0 if there was none to be seen.
    pub last: u32,
    /// Edits up to this one are known.
    pub edits: Edit,
}

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadCursor {
    /// Another version of the program may have made it.
    #[error("the cursor is of a kind that this node does not know; begin again without one")]
    Unknown,
    /// It was cut off or changed on the way.
    #[error("the cursor is damaged; send it as it was received, or begin again without one")]
    Damaged,
}

impl Cursor {
    /// The digest of a node's id.
    pub fn of_node(id: &NodeId) -> u32 {
        short(digest(&[&id.0]))
    }

    /// The digest of an entry's item.
    pub fn of_entry(key: ItemKey) -> u32 {
        short(key.0).max(1)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, feed, next, last, edits: Edit { edition, sequence } } = self;
        // All but the last edit of an edition is rare, and the end of it has a short name.
        let within = match *sequence {
            u64::MAX => String::new(),
            sequence => format!("{sequence:x}"),
        };
        let numbers = format!("1-{node:x}-{:x}-{next:x}-{last:x}-{edition:x}-{within}", feed.0);
        write!(f, "{numbers}-{:x}", check(&numbers))
    }
}

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (version, _) = text.split_once('-').ok_or(BadCursor::Damaged)?;
        if version != "1" {
            let number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
            return Err(if number { BadCursor::Unknown } else { BadCursor::Damaged });
        }
        let (numbers, sum) = text.rsplit_once('-').ok_or(BadCursor::Damaged)?;
        let parts: Vec<&str> = numbers.split('-').collect();
        let &[_, node, feed, next, last, edition, within] = &parts[..] else {
            return Err(BadCursor::Damaged);
        };
        let cursor = Self {
            node: narrow(node)?,
            feed: FeedId(narrow(feed)?),
            next: number(next)?,
            last: narrow(last)?,
            edits: Edit {
                edition: number(edition)?,
                sequence: if within.is_empty() { u64::MAX } else { number(within)? },
            },
        };
        // There is one way to write a cursor, so two that are equal are equal as texts.
        let same = narrow(sum)? == check(numbers) && cursor.to_string() == text;
        same.then_some(cursor).ok_or(BadCursor::Damaged)
    }
}

fn number(text: &str) -> Result<u64, BadCursor> {
    u64::from_str_radix(text, 16).map_err(|_| BadCursor::Damaged)
}

fn narrow(text: &str) -> Result<u32, BadCursor> {
    u32::from_str_radix(text, 16).map_err(|_| BadCursor::Damaged)
}

/// Against accidents, not against forgery: whoever makes a cursor up cheats nobody but itself.
fn check(numbers: &str) -> u32 {
    short(digest(&["cursor", numbers]))
}

fn short(digest: u128) -> u32 {
    (digest ^ (digest >> 32) ^ (digest >> 64) ^ (digest >> 96)) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cursor() -> impl Strategy<Value = Cursor> {
        let edition_end = prop_oneof![Just(u64::MAX), any::<u64>()];
        (any::<[u32; 3]>(), any::<[u64; 2]>(), edition_end).prop_map(
            |([node, feed, last], [next, edition], sequence)| Cursor {
                node,
                feed: FeedId(feed),
                next,
                last,
                edits: Edit { edition, sequence },
            },
        )
    }

    proptest! {
        #[test]
        fn a_cursor_is_read_as_it_was_written(cursor in cursor()) {
            prop_assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }

        #[test]
        fn a_cursor_that_was_changed_in_one_place_is_noticed(
            cursor in cursor(),
            place: prop::sample::Index,
            other in "[0-9a-f-]",
        ) {
            let text = cursor.to_string();
            let at = place.index(text.len());
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            prop_assume!(changed != text);
            prop_assert!(changed.parse::<Cursor>().is_err(), "{} became {}", text, changed);
        }

        #[test]
        fn whatever_is_sent_instead_of_a_cursor_is_refused_without_a_panic(text in ".*") {
            prop_assert!(text.parse::<Cursor>().is_err());
        }
    }

    #[test]
    fn a_cursor_of_a_later_version_is_told_apart_from_a_damaged_one() {
        assert_eq!("2-whatever".parse::<Cursor>(), Err(BadCursor::Unknown));
        assert_eq!("1-0-0".parse::<Cursor>(), Err(BadCursor::Damaged));
        assert_eq!("".parse::<Cursor>(), Err(BadCursor::Damaged));
    }
}

//! Moving: a source's address has changed, or its page leads to a feed.

use url::Url;

use crate::courtesy::Courtesy;
use crate::heard::Said;
use crate::source::{SourceRecord, SourceState};

/// Where a source has gone.
#[derive(Debug, Default)]
pub(super) struct Move {
    /// Its address is another one.
    pub(super) moved: bool,
    /// It was a page, and the feed that it leads to is read from now on.
    pub(super) to_feed: bool,
    /// A sentence for the log.
    pub(super) note: Option<String>,
}

/// Follows a redirect that may now be believed, or a page that leads to a feed.
pub(super) fn follow(
    record: &mut SourceRecord,
    state: &mut SourceState,
    said: &Said,
    adopted: Option<Url>,
    now: f64,
) -> Move {
    let moved = adopted.is_some_and(|url| move_to(record, url));
    let Said::LeadsTo(feed) = said else { return Move { moved, ..Move::default() } };
    // What was remembered belongs to the page.
    state.courtesy = Courtesy::default();
    state.next_at = now;
    let note = Some(format!("the page leads to the feed {feed}, which is read instead"));
    let moved = move_to(record, feed.clone()) || moved;
    Move { moved, to_feed: true, note }
}

/// The address of a source has changed; the old ones are remembered.
fn move_to(record: &mut SourceRecord, url: Url) -> bool {
    let named = record.is_named();
    let before = std::mem::replace(&mut record.url, url.into());
    if before == record.url {
        return false;
    }
    // The first one is that by which it was named.
    if record.formerly.first() != Some(&before) {
        record.formerly.retain(|old| *old != before);
        record.formerly.push(before);
    }
    if !named && record.is_named() {
        // It is back where a list has named it, which is not the operator.
        record.formerly.remove(0);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn moved(record: &mut SourceRecord, to: &str) {
        move_to(record, Url::parse(to).unwrap());
    }

    #[test]
    fn a_source_keeps_the_address_by_which_it_was_named_wherever_it_is_led() {
        let mut record = SourceRecord::new("https://a.example/", 0.0);
        record.wanted = true;
        for to in
            ["https://b.example/", "https://c.example/", "https://a.example/", "https://b.example/"]
        {
            moved(&mut record, to);
            assert_eq!(record.named_address(), "https://a.example/", "{to}");
        }
        record.name_here();
        assert_eq!(record.named_address(), "https://b.example/");
        moved(&mut record, "https://d.example/");
        assert_eq!(record.named_address(), "https://b.example/");
    }

    #[test]
    fn what_only_a_list_names_is_not_named_by_leading_it_away_and_back() {
        let mut record = SourceRecord::new("https://a.example/", 0.0);
        record.lists = vec![SourceId(1)];
        assert!(!record.is_named());
        for to in ["https://b.example/", "https://a.example/", "https://b.example/"] {
            moved(&mut record, to);
            assert!(!record.is_named(), "{to}");
        }
        record.name_here();
        assert!(record.is_named());
    }
}

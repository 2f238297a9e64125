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
    let before = std::mem::replace(&mut record.url, url.into());
    if before == record.url {
        return false;
    }
    record.formerly.retain(|old| *old != before);
    record.formerly.push(before);
    true
}

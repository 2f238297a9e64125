//! What a query finds among the items that a node has stored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;

/// What a query finds among the stored items of its sources: what a feed would start with. NOVEL is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Trial {
    /// Items that it finds, each once.
    pub items: u64,
    /// Items that were looked at.
    pub examined: u64,
    /// How many of the found items are of each of the last days, oldest first; the last one is the last 24 hours.
    pub per_day: Vec<TriedDay>,
    /// The newest of the found items, newest first; at most 20.
    pub newest: Vec<TriedItem>,
    /// The sources of the query, those with most found items first; at most 200.
    pub sources: Vec<TriedSource>,
    /// Addresses in the query of which nothing is stored yet; at most 200.
    pub not_stored: Vec<String>,
    /// Whether there was more than could be looked at in a moment.
    pub cut_off: bool,
}

/// Days that are counted one by one, and the seconds of one.
const DAYS: usize = 14;
const DAY: f64 = 86_400.0;

impl Trial {
    /// Counts the found items of each of the last days, by their dates in Unix seconds.
    pub fn count_days(&mut self, dates: impl IntoIterator<Item = f64>, now: f64) {
        let begins = |day: usize| Instant::from_unix(now - (DAYS - day) as f64 * DAY);
        self.per_day = (0..DAYS).map(|day| TriedDay { from: begins(day), items: 0 }).collect();
        for date in dates {
            let ago = ((now - date).max(0.0) / DAY) as usize;
            if let Some(day) = (DAYS - 1).checked_sub(ago) {
                self.per_day[day].items += 1;
            }
        }
    }
}

/// The found items of 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TriedDay {
    /// When they begin.
    pub from: Instant,
    /// How many items.
    pub items: u64,
}

/// An item that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TriedItem {
    /// Its title.
    pub title: Option<String>,
    /// The URL of its page.
    pub link: Option<String>,
    /// When it was published, or first seen.
    pub dated: Option<Instant>,
    /// The title or URL of its source.
    pub source: String,
    /// The tests of the query that it passes, as they are written; none if every item passes.
    pub because: Vec<String>,
}

/// A source of the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TriedSource {
    /// Its number.
    pub source: u32,
    /// Its URL.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// Items that were looked at.
    pub examined: u64,
    /// Items that were found.
    pub found: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_by_days_up_to_now_and_older_ones_not_at_all() {
        let mut trial = Trial::default();
        let now = 100.0 * DAY + 5.0;
        let dates =
            [now, now + 60.0, now - 0.5 * DAY, now - 1.5 * DAY, now - 13.9 * DAY, now - 14.1 * DAY];
        trial.count_days(dates, now);
        let counts: Vec<u64> = trial.per_day.iter().map(|day| day.items).collect();
        assert_eq!(counts, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3]);
        assert_eq!(trial.per_day[13].from, Instant::from_unix(99.0 * DAY + 5.0));
    }
}

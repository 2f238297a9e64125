//! `[feeds]`: how the node publishes feeds.

use crate::codec::whole;
use crate::table::Table;

/// `[feeds]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeds {
    pub window: usize,
    pub most: usize,
}

impl Feeds {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("How the node publishes feeds.");
        Self {
            window: table
                .key(
                    "window",
                    "How many items the newest page of a feed has, unless its query says otherwise.",
                )
                .required(whole(1..=10_000), 50, |feeds| feeds.window),
            most: table
                .key("most", "The most feeds that the node publishes.")
                .required(whole(1..=1_000_000), 10_000, |feeds| feeds.most),
        }
    }
}

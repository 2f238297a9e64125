//! What became of a file that a user has brought along.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TakenOver {
    /// Sources that were added to the node.
    pub new_sources: usize,
    /// Subscriptions that the user has from now on.
    pub subscribed: usize,
    /// Subscriptions that the user had already. They keep their title; folders are added.
    pub known: usize,
    /// Subscriptions that the file names once more.
    pub duplicates: usize,
    /// The folders that the file names.
    pub folders: Vec<String>,
    /// Items that the user has starred from now on.
    pub starred: usize,
    /// … among them those that no source of the node shows. They are kept as the file has them.
    pub kept: usize,
    /// Stars that the user had already.
    pub starred_already: usize,
    /// Items that count as read from now on.
    pub read: usize,
    /// … among them those that are not here yet. They count as read if they come.
    pub read_ahead: usize,
    /// Items of the file that are neither read nor starred. They come with their sources.
    pub unmarked: usize,
    /// Settings that the user has from now on.
    pub settings: usize,
    /// How many entries were left out.
    pub broken: usize,
    /// These entries; at most 1000.
    pub left_out: Vec<LeftOut>,
}

impl TakenOver {
    /// Tells of an entry that was left out.
    pub fn leave_out(&mut self, entry: LeftOut) {
        self.broken += 1;
        if self.left_out.len() < 1_000 {
            self.left_out.push(entry);
        }
    }
}

/// An entry of a file that was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeftOut {
    /// The file and the entry.
    pub place: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Why it was left out.
    pub reason: String,
}

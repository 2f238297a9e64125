//! What `account.json` says of a user: read items and settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of `account.json` that is written and read.
pub(crate) const VERSION: u32 = 1;

/// What was read, and settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The version of this file.
    #[serde(rename = "pergola_account")]
    pub(crate) version: u32,
    /// Whose it is.
    pub user: String,
    /// The time zone in which dates are read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Other settings, by name.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The numbers of items that were read, as texts: not every program can read numbers of this size. They follow from
    /// the ids of the items, so they are the same at every node.
    #[serde(default)]
    pub(crate) read: Vec<String>,
}

impl Account {
    /// The account of a user who has read the items with these numbers.
    pub fn new(user: impl Into<String>, read: impl IntoIterator<Item = u64>) -> Self {
        let read = read.into_iter().map(|number| number.to_string()).collect();
        Self { version: VERSION, user: user.into(), read, ..Self::default() }
    }

    /// The numbers of items that were read. What is none is left out.
    pub fn read(&self) -> Vec<u64> {
        self.read.iter().filter_map(|number| number.parse().ok()).collect()
    }
}

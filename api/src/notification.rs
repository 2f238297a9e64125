//! Who is sent the new entries of a feed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;

/// Somebody to notify from now on.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum AddNotification {
    /// Posts entries as JSON to an address as they come.
    Webhook(Webhook),
    /// Sends a digest of entries by e-mail.
    Mail(Mail),
}

/// It may hold a secret.
impl std::fmt::Debug for AddNotification {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("AddNotification(…)")
    }
}

/// An address that takes entries.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// What is signed with, at least 16 characters; by default the node makes one up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// A person who gets digests.
#[derive(Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Mail {
    /// The address of the person.
    pub address: String,
    /// How often, at most; once a day by default.
    #[serde(default)]
    pub every: Often,
}

/// How often a digest is sent, at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Often {
    /// Once an hour.
    Hour,
    /// Once a day.
    #[default]
    Day,
    /// Once a week.
    Week,
}

impl Often {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
        }
    }
}

/// Everybody who is notified of a feed's new entries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NotificationList {
    /// Oldest first.
    pub notifications: Vec<NotificationStatus>,
}

/// A webhook or a digest, and how it does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NotificationStatus {
    /// What it is called in requests.
    pub id: String,
    /// Where entries are posted, without secrets; null for a digest.
    pub webhook: Option<String>,
    /// Who gets digests; null for a webhook.
    pub mail: Option<String>,
    /// How often digests are sent, at most; null for a webhook.
    pub every: Option<Often>,
    /// Since when.
    pub since: Instant,
    /// Entries that were not delivered yet.
    pub waiting: u64,
    /// When something was last delivered.
    pub delivered_at: Option<Instant>,
    /// When the next delivery is tried; null if nothing waits, or if it is paused.
    pub next_at: Option<Instant>,
    /// Deliveries that have failed in a row.
    pub failures: u32,
    /// Why the last of them failed.
    pub error: Option<String>,
    /// It failed for so long that nothing is tried until somebody resumes it.
    pub paused: bool,
    /// What is signed with. Shown only once, in the answer to the request that added a webhook without a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

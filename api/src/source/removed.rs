//! What was removed and can still be restored.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;

/// The sources and feeds that were removed and can still be restored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RemovedList {
    /// In the order of their numbers.
    pub sources: Vec<RemovedSource>,
    /// In the order in which they were created.
    pub feeds: Vec<RemovedFeed>,
}

/// A source that was removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RemovedSource {
    /// Its number.
    pub id: u32,
    /// Its URL.
    pub url: String,
    /// The title that its user gave it.
    pub title: Option<String>,
    /// When it was removed.
    pub removed_at: Instant,
    /// Until when it can be restored.
    pub restorable_until: Instant,
}

/// A feed that was removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RemovedFeed {
    /// Its name.
    pub name: String,
    /// The statement that creates it.
    pub query: String,
    /// When it was removed.
    pub removed_at: Instant,
    /// Until when it can be restored.
    pub restorable_until: Instant,
}

//! What is remembered of a source between refreshes: what it wants, what went wrong, where it went.

use super::FailureKind;

/// The source wants to be left alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Pause {
    pub until: f64,
    /// What it answered: 429, 503 or 403; nothing if it is a peer and said so over gRPC.
    pub status: Option<u16>,
    /// Pauses in a row.
    pub count: u32,
}

/// What has gone wrong since the last good answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// Failures in a row.
    pub count: u32,
    /// The first of them.
    pub since: f64,
    /// The last of them.
    pub kind: FailureKind,
}

/// A permanent redirect that is not yet believed.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    pub to: String,
    /// Since when it leads there.
    pub since: f64,
}

/// The source says that it is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// What it answered.
    pub status: u16,
    pub at: f64,
}

//! How we stand with a source: what it wants, what went wrong, where it went.

use super::FailureKind;

/// The source wants quiet.
#[derive(Clone, Debug, PartialEq)]
pub struct Pause {
    /// Until then.
    pub until: f64,
    /// What it answered: 429, 503 or 403.
    pub status: u16,
    /// How often in a row.
    pub count: u32,
}

/// What has gone wrong since it last went well.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// How often in a row.
    pub count: u32,
    /// When it began.
    pub since: f64,
    /// What it was the last time.
    pub kind: FailureKind,
}

/// A permanent redirect that is not yet believed.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Where it leads.
    pub to: String,
    /// Since when it has led there.
    pub since: f64,
}

/// The source has said that it is gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// What it answered.
    pub status: u16,
    /// When.
    pub at: f64,
}

//! When a source is refreshed next, and why not earlier.

use crate::instant::Instant;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The next refresh of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NextRefresh {
    /// When it comes, as far as the node can foresee; null if it never comes.
    pub at: Option<Instant>,
    /// What decides.
    #[serde(flatten)]
    pub because: Reason,
    /// What would stand in the way without that, the longest first.
    pub also: Vec<Reason>,
}

/// Why a source is not refreshed earlier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Reason {
    /// The reason in a word.
    pub reason: ReasonKind,
    /// Until when it holds; null if it does not pass by itself or nobody can say.
    pub until: Option<Instant>,
    /// The reason in a sentence, for people.
    pub detail: String,
    /// The key of the configuration that changes it, such as `crawl.floor`; null if none does.
    pub key: Option<String>,
}

/// Why a source is not refreshed earlier, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// It is being refreshed, or waits until its site may be asked.
    UnderWay,
    /// It was never refreshed, so it is among the next.
    NeverRefreshed,
    /// It has ended.
    Ended,
    /// Whoever runs the node has paused it.
    Paused,
    /// It answered 429, 503 or several times 403.
    Quiet,
    /// Several addresses of its site asked for quiet.
    SiteQuiet,
    /// Its last answer said when to come back.
    RetryAfter,
    /// Its document says how long it stays as it is (`max-age`, `Expires`).
    MaxAge,
    /// Its document says how often to come (`ttl`, `sy:updatePeriod`).
    Ttl,
    /// Its document names hours or days without refreshes (`skipHours`, `skipDays`).
    SkippedTimes,
    /// The node does not ask more often.
    Floor,
    /// It has failed.
    BackOff,
    /// The node that publishes it says at once when it has news.
    Watched,
    /// Its hub pushes its news.
    Pushed,
    /// A refresh is worth less than it must be at this budget.
    Threshold,
    /// The plan for this budget has it then.
    Planned,
    /// The time was set by an earlier version, or after trouble of the node's own.
    SetBefore,
}

/// How to refresh a source by hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RefreshRequest {
    /// Ask although the node would rather wait. A site that has itself asked for quiet is left alone all the
    /// same.
    #[serde(default)]
    pub force: bool,
}

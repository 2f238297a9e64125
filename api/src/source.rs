//! Sources: what a node crawls.

mod change;
mod list;
mod look;
mod removed;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;
use crate::next::NextRefresh;
pub use change::{ChangeSourceRequest, CredentialsKind, GivenCredentials, HeldCredentials};
pub use list::{FolderList, FolderSize, SourceFilter, SourcePage, SourceSort};
pub use look::{LookRequest, Looked, SeenFeed, SeenItem, SeenKind};
pub use removed::{RemovedFeed, RemovedList, RemovedSource};

/// The state of a source in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceStanding {
    /// Never refreshed.
    New,
    /// The last refresh worked.
    Well,
    /// The source asked not to be fetched for a while, or whoever runs the node has paused it.
    Paused,
    /// The last refresh failed.
    Failing,
    /// The source is gone for good.
    Ended,
}

impl SourceStanding {
    /// The word that stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Well => "well",
            Self::Paused => "paused",
            Self::Failing => "failing",
            Self::Ended => "ended",
        }
    }
}

/// What kind of document a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// RSS, Atom or JSON Feed.
    Feed,
    /// A web page, read by CSS selectors.
    Page,
    /// An OPML list that names other sources.
    List,
}

impl SourceKind {
    /// The word that stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::Page => "page",
            Self::List => "list",
        }
    }
}

/// How a source is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// As a document over HTTP.
    Http,
    /// From the node that publishes it, over gRPC.
    Peer,
}

impl Via {
    /// The word that stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Peer => "peer",
        }
    }
}

/// A source to add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSourceRequest {
    /// Its URL. Without a scheme, https is tried first, and http if nobody can be reached by https.
    pub url: String,
    /// Its title; by default the one that the source gives itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How much one of its items counts, compared with items of other sources; 1 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<f32>,
    /// Whether it is an OPML list. The node then crawls the sources on the list while they are on it.
    #[serde(default)]
    pub list: bool,
    /// If it is a web page, the selectors that find the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageSelectors>,
    /// How to cooperate with the node that publishes it, if one does: any of `hints`, `watch`, `archive`. By
    /// default as `peers.cooperate` in the configuration says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooperate: Option<Vec<String>>,
    /// The folders to put it in, if it is in none; one inside another as `Tech/Rust`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Whether the items that it shows at its first refresh are old: feeds then get only what it publishes later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_new: bool,
    /// Whether to publish its address nowhere; false by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// What the source is shown to let the node in. A user and a password in `url` mean the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<GivenCredentials>,
    /// Whether to refresh it at once and reject it if that fails for good; true by default.
    #[serde(default = "yes")]
    pub refresh: bool,
}

impl AddSourceRequest {
    /// A feed with nothing said but its URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            title: None,
            importance: None,
            list: false,
            page: None,
            cooperate: None,
            folders: Vec::new(),
            only_new: false,
            private: false,
            credentials: None,
            refresh: true,
        }
    }
}

fn yes() -> bool {
    true
}

/// The CSS selectors that find items on a web page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageSelectors {
    /// Matches once for each item; the others are applied inside the match.
    pub item: String,
    /// The title; by default the text of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The link; by default the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A source that was added, or that was there already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AddedSource {
    /// Its state now.
    pub source: SourceStatus,
    /// The result of the first refresh, if there was one.
    pub report: Option<RefreshReport>,
    /// Which URL was taken, if the given one had no scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether it was there already, at this URL or at one that has moved.
    #[serde(default)]
    pub known: bool,
}

/// The result of a refresh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RefreshReport {
    /// `changed`, `unchanged`, `delta`, `paused`, `gone` or `failed`.
    pub outcome: String,
    /// If it failed, the kind of failure, such as `dns`, `timeout` or `not-a-feed`.
    pub failure: Option<String>,
    /// Items that the node had never seen.
    pub new_items: u32,
    /// What went wrong.
    pub trouble: Option<String>,
    /// When the next refresh is allowed; null if the source has ended.
    pub next_refresh: Option<Instant>,
}

/// The answer to a refresh by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Refreshed {
    /// The result.
    pub report: RefreshReport,
}

/// The state of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceStatus {
    /// Its number.
    pub id: u32,
    /// Its URL, with the secrets in it masked.
    pub url: String,
    /// Whether its address is published nowhere.
    #[serde(default)]
    pub private: bool,
    /// What it is shown to let the node in.
    #[serde(default)]
    pub credentials: Option<HeldCredentials>,
    /// Its title.
    pub title: Option<String>,
    /// What kind of document it is.
    pub kind: SourceKind,
    /// Its state in one word.
    pub standing: SourceStanding,
    /// Whether whoever runs the node has paused it.
    #[serde(default)]
    pub paused: bool,
    /// What went wrong last, if something did.
    pub trouble: Option<String>,
    /// What has gone wrong since the last good answer; null if nothing has.
    pub failing: Option<FailingStatus>,
    /// Whether somebody added it by itself, and not only a feed or a list names it.
    pub wanted: bool,
    /// How much one of its items counts.
    pub importance: f32,
    /// The folders that it is in; one inside another as `Tech/Rust`.
    #[serde(default)]
    pub folders: Vec<String>,
    /// How many feeds read it.
    pub readers: u32,
    /// When it was last refreshed.
    pub last_refresh: Option<Instant>,
    /// When the next refresh is allowed; null if it has ended.
    pub next_refresh: Option<Instant>,
    /// Whether it is being refreshed now.
    pub busy: bool,
    /// Items a day, as the node estimates; null while it is not known, because no refresh has succeeded.
    pub items_per_day: Option<f64>,
    /// How many items its document shows.
    pub window: u32,
    /// Requests sent.
    pub requests: u64,
    /// Requests that were answered with 304 (not modified).
    pub not_modified: u64,
    /// Requests that failed.
    pub failures: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Items delivered.
    pub items: u64,
    /// The share of its items that was delivered, as the node estimates; null while it is not known, because
    /// nothing was delivered since the first refresh.
    pub completeness: Option<f64>,
    /// The share of its document that the node had on average, as the node estimates; null while it is not
    /// known, because it was not refreshed twice.
    pub freshness: Option<f64>,
    /// If its items come back to this node: the nodes on the way, this one first and last.
    #[serde(rename = "loop")]
    pub way_back: Option<Vec<String>>,
    /// How it is fetched.
    pub via: Via,
    /// The node that publishes it, if one does.
    pub peer: Option<PeerStatus>,
}

/// What has gone wrong with a source since its last good answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FailingStatus {
    /// The first failure.
    pub since: Instant,
    /// Failures in a row.
    pub count: u32,
    /// The kind of the last one, such as `dns`, `timeout` or `not-a-feed`.
    pub kind: String,
}

/// The node that publishes a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PeerStatus {
    /// Its id; null before it has answered.
    pub node: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// The name of the feed there.
    pub feed: String,
    /// How this node cooperates with it: any of `hints`, `watch`, `archive`.
    pub cooperate: Vec<String>,
    /// Whether it announces new items at once.
    pub watched: bool,
    /// When something last came from it.
    pub cursor_at: Option<Instant>,
    /// Until when the source is fetched over HTTP instead.
    pub http_until: Option<Instant>,
    /// Why the source is fetched over HTTP instead.
    pub http_because: Option<String>,
    /// The share of its own sources' items that it received, as it estimates.
    pub completeness: Option<f64>,
    /// The share of its own sources' current documents that it has, as it estimates.
    pub freshness: Option<f64>,
}

/// Everything about a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceDetail {
    /// Its state.
    pub source: SourceStatus,
    /// Its next refresh, and why it is not earlier.
    pub next: NextRefresh,
    /// The last refreshes, oldest first.
    pub recent: Vec<RecentRefresh>,
    /// Its URLs before it moved.
    pub formerly: Vec<String>,
    /// What identifies its items: `id`, `link` or `digest`.
    pub identity: String,
    /// The subscription at its WebSub hub, if there is one.
    pub push: Option<PushStatus>,
    /// What the node has learnt of when it publishes; null while it was never refreshed.
    #[serde(default)]
    pub rhythm: Option<Rhythm>,
    /// What its site and its document ask of readers.
    #[serde(default)]
    pub wishes: Wishes,
    /// The feeds that read it, by name.
    #[serde(default)]
    pub read_by: Vec<ReadingFeed>,
    /// If it is a web page, the selectors that find its items.
    #[serde(default)]
    pub page: Option<PageSelectors>,
    /// The page that its document belongs to.
    #[serde(default)]
    pub home: Option<String>,
}

/// When a source publishes, as the node has learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Rhythm {
    /// Items expected in each hour of the day (UTC), from midnight on.
    pub by_hour: Vec<f64>,
    /// `peaks` (busy hours and silent ones), `uniform` (the same at every hour) or `waves` (busy days, quiet nights).
    pub shape: String,
    /// Items expected since the last refresh that the node does not have yet.
    pub waiting: f64,
    /// How likely more items than its document shows come before the next refresh, so that some are lost; null if
    /// nobody can say when that is.
    pub risk_of_loss: Option<f64>,
}

/// What a site and a document ask of readers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Wishes {
    /// Seconds for which the document stays as it is (`max-age`, `Expires`).
    pub max_age: Option<f64>,
    /// Seconds to wait, by the document itself (`ttl`, `sy:updatePeriod`).
    pub period: Option<f64>,
    /// Hours of the day (UTC) without refreshes (`skipHours`).
    pub skip_hours: Vec<u8>,
    /// Days without refreshes (`skipDays`), as English names.
    pub skip_days: Vec<String>,
    /// Until when it wants quiet (429, 503 or several times 403).
    pub quiet_until: Option<Instant>,
    /// What it answered when it asked for quiet.
    pub quiet_status: Option<u16>,
    /// Until when its last answer asks to stay away (`Retry-After`, `max-age`).
    pub asked_until: Option<Instant>,
    /// Whether it recognises the document that the node has (`ETag`, `Last-Modified`).
    pub validators: bool,
}

/// A feed that reads a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadingFeed {
    /// Its name.
    pub feed: String,
    /// The share of the source's items that it keeps, as the node estimates; null while it is not known.
    pub share: Option<f64>,
}

/// A refresh in the past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecentRefresh {
    /// When it was.
    pub at: Instant,
    /// `changed`, `unchanged`, `delta`, `paused`, `gone` or `failed`.
    pub outcome: String,
    /// If it failed, the kind of failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Items that the node had never seen.
    pub new_items: u32,
    /// Bytes received.
    pub bytes: u32,
}

/// The subscription to a source at its WebSub hub.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PushStatus {
    /// The URL of the hub.
    pub hub: String,
    /// The URL by which the hub knows the source.
    pub topic: String,
    /// Whether the hub has confirmed the subscription and its lease runs.
    pub active: bool,
    /// Whether the hub has proved reliable, so that the node polls the source only once a day.
    pub trusted: bool,
    /// When the lease ends.
    pub lease_until: Option<Instant>,
    /// Why the hub last refused.
    pub trouble: Option<String>,
    /// Documents that the hub sent and the node accepted.
    pub pushes: u64,
    /// Items in these documents.
    pub items: u64,
    /// Items that only a refresh found: the hub never sent them.
    pub missed: u64,
    /// Documents that were ignored because their signature was missing or wrong.
    pub forged: u64,
    /// Requests that the hub refused or did not verify, and documents that could not be read.
    pub failures: u64,
}

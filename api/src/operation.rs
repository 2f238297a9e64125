//! Running a node: status, health, configuration, budget, history, OPML.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::instant::{self, Instant};

/// The state of the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NodeStatus {
    /// The version of the program.
    pub version: String,
    /// The node's name.
    pub name: String,
    /// The node's id, which items carry that have passed it.
    pub id: String,
    /// Whether it crawls. False if a command only opened its data folder.
    pub running: bool,
    /// What its clock shows, by which all its times are to be read.
    pub now: Instant,
    /// How many times as fast as the real time its clock runs; 1 unless it is configured otherwise.
    pub speed: f64,
    /// Seconds since it started.
    pub uptime: f64,
    /// How many sources it has.
    pub sources: usize,
    /// How many feeds it has.
    pub feeds: usize,
    /// The scheduler's threshold τ.
    pub threshold: f64,
    /// Refreshes a minute that the budget allows.
    pub budget_per_minute: f64,
    /// Refreshes since it started.
    pub refreshes: u64,
    /// Refreshes that found nothing changed.
    pub unchanged: u64,
    /// Refreshes that failed.
    pub failed: u64,
    /// Items delivered since it started.
    pub items: u64,
    /// Items believed lost since it started.
    pub lost: f64,
    /// Bytes received since it started.
    pub bytes: u64,
    /// The share of the sources' current documents that it has, as it estimates; null while it is not known,
    /// because no source was ever refreshed.
    pub freshness: Option<f64>,
    /// The share of items that it delivered since it started, as it estimates; null while it is not known,
    /// because there were none.
    pub completeness: Option<f64>,
    /// Sources that are due and wait until their host may be asked.
    pub waiting: usize,
    /// Requests under way.
    pub in_flight: usize,
    /// The storage engine: `sled` or `redb`.
    pub store: String,
    /// Bytes of the store on disk.
    pub store_bytes: u64,
    /// What the operator should know.
    pub notices: Vec<String>,
}

/// Whether the node works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Readiness {
    /// Whether it does.
    pub ready: bool,
    /// If not, why.
    pub reasons: Vec<String>,
    /// What is wrong although the node works: damaged rows, or no room to store anything new.
    #[serde(default)]
    pub degraded: Vec<String>,
}

/// What a new configuration changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reloaded {
    /// The parts that changed at once, such as `budget` or `feeds`.
    pub changed: Vec<String>,
    /// The keys that take effect at the next start.
    pub restart: Vec<String>,
}

/// A new value for a key of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetKeyRequest {
    /// The value: text as in an environment variable, a number, true or false, or a list of texts.
    pub value: serde_json::Value,
}

/// A key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeySetting {
    /// Its full name.
    pub key: String,
    /// The value in force, as TOML; null if there is none. A secret is masked.
    pub value: Option<String>,
    /// Where the value in force was set: `stored in FILE`, or the environment variable that overrides it.
    pub origin: String,
}

/// A budget: one of `refreshes_per_minute`, `bytes_per_hour`, and `freshness` with
/// `max_refreshes_per_minute`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetRequest {
    /// Refreshes a minute, on average; above 0, up to 1000000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refreshes_per_minute: Option<f64>,
    /// Bytes an hour, on average; at least 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_hour: Option<u64>,
    /// As few refreshes as keep the node this fresh; between 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<f64>,
    /// With `freshness`: refreshes a minute that are never exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_refreshes_per_minute: Option<f64>,
}

/// Which budgets to predict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PredictionRequest {
    /// Refreshes a minute, at most 50 numbers separated by commas; by default the budget in force and others around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refreshes_per_minute: Option<String>,
}

/// What budgets bring, as the node expects from what it has learnt of its sources. Sources that say themselves when they
/// have news cost nothing and are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BudgetPrediction {
    /// Refreshes a minute that the budget in force allows.
    pub in_force: f64,
    /// Sources that are asked for news.
    pub polled: usize,
    /// Sources that say themselves when they have news.
    pub told: usize,
    /// One for each budget, the smallest first; none if no source is asked.
    pub budgets: Vec<PredictedBudget>,
}

/// What a budget brings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PredictedBudget {
    /// Refreshes a minute that it allows.
    pub refreshes_per_minute: f64,
    /// Refreshes a minute that are made: fewer if every source is asked as often as it may be.
    pub spent_per_minute: f64,
    /// The share of the sources' current documents that the node has.
    pub freshness: f64,
    /// The share of the items that are delivered.
    pub completeness: f64,
    /// Seconds from the publication of an item to its arrival here, on average.
    pub delay: f64,
}

/// All keys of the configuration that stand in tables which are there once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// In the order of the file.
    pub keys: Vec<ConfigKey>,
}

/// A key of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfigKey {
    /// Its full name.
    pub key: String,
    /// The value in force, as TOML; null if there is none. A secret is masked.
    pub value: Option<String>,
    /// Where the value in force was set.
    pub origin: String,
    /// What it is for.
    pub help: String,
    /// Whether it can be set while the node runs.
    pub settable: bool,
}

/// The names under which things can be put or are known: what a query or a list of readers may name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Names {
    /// The folders that have sources, and those around them.
    pub folders: Vec<String>,
    /// The readers of the configuration.
    pub readers: Vec<String>,
}

/// Which minutes to show.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryRange {
    /// The first minute, as an instant in it; by default a day before `to`.
    #[serde(
        default,
        deserialize_with = "instant::minute_if_given",
        skip_serializing_if = "Option::is_none"
    )]
    #[param(value_type = Option<String>, format = DateTime)]
    pub from: Option<Instant>,
    /// The minute after the last; by default now. At most 31 days after `from`.
    #[serde(
        default,
        deserialize_with = "instant::minute_if_given",
        skip_serializing_if = "Option::is_none"
    )]
    #[param(value_type = Option<String>, format = DateTime)]
    pub to: Option<Instant>,
}

/// The node's figures, minute by minute.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct History {
    /// Oldest first; minutes in which the node did not run are missing.
    pub samples: Vec<MinuteSample>,
}

/// The node's figures of one minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MinuteSample {
    /// Its beginning.
    #[serde(deserialize_with = "instant::minute")]
    pub minute: Instant,
    /// The scheduler's threshold τ.
    pub threshold: f64,
    /// Refreshes that the budget allowed.
    pub budget: f64,
    /// Refreshes made.
    pub refreshes: u32,
    /// Refreshes that found nothing changed.
    pub not_modified: u32,
    /// Refreshes that failed.
    pub failures: u32,
    /// Items delivered.
    pub items: u32,
    /// Bytes received.
    pub bytes: u64,
    /// The share of items delivered, as the node estimated; null if there were none.
    pub completeness: Option<f64>,
    /// The share of the sources' current documents that the node had, as it estimated; null if it had never
    /// refreshed any.
    pub freshness: Option<f64>,
}

/// An OPML list to import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// The list, in OPML.
    pub opml: String,
    /// Also create a feed of this name that reads the whole list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feed: Option<String>,
    /// Whether the items that new sources show at their first refresh are old: feeds then get only what they publish
    /// later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_new: bool,
}

/// How to export the sources.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ExportRequest {
    /// Whether to write private sources, users and passwords, and secrets in URLs. By default the list may be
    /// given to others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secrets: bool,
}

/// What the import of a list did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Imported {
    /// Sources that were added.
    pub new: usize,
    /// Sources that were there already. They keep their title, their importance and their folders.
    pub known: usize,
    /// Entries that name a source of the same folder once more.
    #[serde(default)]
    pub duplicates: usize,
    /// Entries without an address.
    #[serde(default)]
    pub without_address: usize,
    /// The folders that the sources are in.
    #[serde(default)]
    pub folders: Vec<String>,
    /// Entries that are not sources; at most 1000.
    pub skipped: Vec<SkippedEntry>,
}

/// An entry of a list that is not a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedEntry {
    /// Its line in the list, if that is known.
    #[serde(default)]
    pub line: Option<usize>,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// Its URL; empty if it has none.
    pub url: String,
    /// Why it was skipped.
    pub reason: String,
}

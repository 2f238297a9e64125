//! Lists of sources: filtered, sorted, in pages; and the folders that they are in.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{SourceStanding, SourceStatus};

/// By what sources are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceSort {
    /// In the order in which they were added.
    #[default]
    Number,
    /// By title, or by URL if they have none.
    Title,
    /// By their last refresh; those that were never refreshed come first.
    LastRefresh,
    /// By their next refresh; those that are refreshed no more come last.
    NextRefresh,
    /// By items a day; those of which nothing is known come first.
    ItemsPerDay,
    /// By standing: ended, failing, paused, new, well.
    Standing,
}

impl SourceSort {
    /// Every order.
    pub const ALL: [Self; 6] = [
        Self::Number,
        Self::Title,
        Self::LastRefresh,
        Self::NextRefresh,
        Self::ItemsPerDay,
        Self::Standing,
    ];

    /// The word that stands in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Title => "title",
            Self::LastRefresh => "last-refresh",
            Self::NextRefresh => "next-refresh",
            Self::ItemsPerDay => "items-per-day",
            Self::Standing => "standing",
        }
    }
}

/// Which sources to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SourceFilter {
    /// Only those with this standing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(inline)]
    pub standing: Option<SourceStanding>,
    /// Only those with this text in their URL or title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Only those in this folder, or in one inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Only those with these numbers, separated by commas; at most 500.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<String>,
    /// Only those after this number. Not together with `sort` or `offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// In which order; by number if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(inline)]
    pub sort: Option<SourceSort>,
    /// Whether to turn the order round; false by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descending: bool,
    /// How many to pass over. With it, or with `sort`, the answer has the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// How many to list at most; 500 by default, up to 5000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// A page of sources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourcePage {
    /// In the order of their numbers, or in the one that was asked for.
    pub sources: Vec<SourceStatus>,
    /// Where the next page starts: send it as `after`. Null on the last page, and with `sort` or `offset`.
    pub next: Option<u32>,
    /// How many sources there are on all pages; null unless `sort` or `offset` was sent.
    #[serde(default)]
    pub total: Option<usize>,
}

/// The folders that sources are in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FolderList {
    /// By name; one inside another as `Tech/Rust`, after the one around it.
    pub folders: Vec<FolderSize>,
}

/// A folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FolderSize {
    /// Its name.
    pub name: String,
    /// How many sources are in it, and in those inside it.
    pub sources: usize,
}

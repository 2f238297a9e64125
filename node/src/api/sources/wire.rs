//! What is said of sources, and what may be asked for.

use pergola_feed::html::Selectors;
use pergola_manners::Cooperation;
use pergola_manners::courtesy::Outcome;
use pergola_store::archive::{PastRefresh, SourceKind};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::bad_request;
use crate::crawl::driver::Report;
use crate::node::{NewSource, SourceStatus, Standing};
use crate::publish::Problem;
use crate::websub::subscriber::PushStatus;

/// Bytes of an address, a title or a selector.
const TEXT_BYTES: usize = 4_096;

/// Which sources are told.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::api) struct Which {
    /// Only those that stand like this.
    pub(in crate::api) standing: Option<Standing>,
    /// Only those with this in their address or title.
    pub(in crate::api) search: Option<String>,
    /// Only those after this number.
    pub(in crate::api) after: Option<u32>,
    /// At most so many: 500 unless told, 5000 at most.
    pub(in crate::api) limit: Option<usize>,
}

/// Some sources.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct SourcePage {
    /// In the order of their numbers.
    pub(in crate::api) sources: Vec<SourceStatus>,
    /// Go on after this number; nothing if these were the last.
    pub(in crate::api) next: Option<u32>,
}

/// A source to be added.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct AskedSource {
    /// Where it is.
    pub(in crate::api) url: String,
    /// What to call it.
    pub(in crate::api) title: Option<String>,
    /// What one of its items is worth beside those of others; 1 unless told.
    pub(in crate::api) importance: Option<f32>,
    /// It is an OPML list, whose sources are subscribed to as long as they are on it.
    #[serde(default)]
    pub(in crate::api) list: bool,
    /// It is a page, read by these selectors.
    pub(in crate::api) page: Option<AskedPage>,
    /// What is asked of it if another node publishes it: `hints`, `watch`, `archive`, or none of them;
    /// what the node usually asks unless told.
    pub(in crate::api) cooperate: Option<Vec<String>>,
    /// Refresh it at once, and do not keep it if that fails for good; true unless told.
    #[serde(default = "yes")]
    pub(in crate::api) refresh: bool,
}

/// Where the parts of an item are on a page, as CSS selectors.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::api) struct AskedPage {
    /// One match for each item.
    pub(in crate::api) item: String,
    /// The title.
    pub(in crate::api) title: Option<String>,
    /// The link.
    pub(in crate::api) link: Option<String>,
    /// The date.
    pub(in crate::api) date: Option<String>,
    /// The content.
    pub(in crate::api) content: Option<String>,
}

/// What became of a source that was to be added.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct AddedSource {
    /// How it stands.
    pub(in crate::api) source: SourceStatus,
    /// What the first refresh has brought, if there was one.
    pub(in crate::api) report: Option<RefreshReport>,
}

/// How a refresh ended.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct RefreshReport {
    /// `changed`, `unchanged`, `delta`, `paused`, `gone` or `failed`.
    pub(in crate::api) outcome: &'static str,
    /// What kind of failure it was.
    pub(in crate::api) failure: Option<&'static str>,
    /// Items never seen before.
    pub(in crate::api) new_items: u32,
    /// What went wrong.
    pub(in crate::api) trouble: Option<String>,
    /// Not to be refreshed before, in Unix seconds; nothing if it has ended.
    pub(in crate::api) next_refresh: Option<f64>,
}

/// The report of a refresh that was asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct Refreshed {
    /// How it ended.
    pub(in crate::api) report: RefreshReport,
}

/// A source, closely.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct SourceDetail {
    /// How it stands.
    pub(in crate::api) source: SourceStatus,
    /// The last refreshes, oldest first.
    pub(in crate::api) recent: Vec<RecentRefresh>,
    /// Where it was before it moved.
    pub(in crate::api) formerly: Vec<String>,
    /// What tells its items apart: `id`, `link` or `digest`.
    pub(in crate::api) identity: &'static str,
    /// What a hub does for it, if it names one that was asked to.
    pub(in crate::api) push: Option<PushStatus>,
}

/// One refresh of the past.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct RecentRefresh {
    /// When, in Unix seconds.
    pub(in crate::api) at: f64,
    /// How it ended.
    pub(in crate::api) outcome: &'static str,
    /// What kind of failure it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::api) failure: Option<&'static str>,
    /// Items never seen before.
    pub(in crate::api) new_items: u32,
    /// Bytes that came over the wire.
    pub(in crate::api) bytes: u32,
}

impl AskedSource {
    /// What is to be added, if it makes sense.
    pub(in crate::api) fn checked(self) -> Result<NewSource, Problem> {
        let Self { url, title, importance, list, page, cooperate, .. } = self;
        let cooperate = cooperate.map(Cooperation::of).transpose();
        let cooperate = cooperate.map_err(|error| bad_request(format!("`cooperate`: {error}")))?;
        let importance = importance.unwrap_or(1.0);
        if !(importance > 0.0 && importance <= 1_000.0) {
            return Err(bad_request("`importance` must be above 0, up to 1000"));
        }
        short(&url)?;
        title.as_ref().map_or(Ok(()), |title| short(title))?;
        let kind = match (page, list) {
            (Some(_), true) => {
                return Err(bad_request("a source is a `list` or a `page`, not both"));
            }
            (Some(page), false) => SourceKind::Page(page.checked()?),
            (None, true) => SourceKind::List,
            (None, false) => SourceKind::Feed,
        };
        Ok(NewSource { title, kind, importance, cooperate, ..NewSource::feed(&url)? })
    }
}

impl AskedPage {
    fn checked(self) -> Result<Selectors, Problem> {
        let Self { item, title, link, date, content } = self;
        if item.trim().is_empty() {
            return Err(bad_request("`page.item` must be a CSS selector"));
        }
        for text in [&title, &link, &date, &content].into_iter().flatten().chain([&item]) {
            short(text)?;
        }
        Ok(Selectors { item, title, link, date, content })
    }
}

fn short(text: &str) -> Result<(), Problem> {
    if text.len() <= TEXT_BYTES {
        return Ok(());
    }
    Err(bad_request(format!("an address, title or selector has at most {TEXT_BYTES} bytes")))
}

impl From<Report> for RefreshReport {
    fn from(report: Report) -> Self {
        Self {
            outcome: report.outcome.name(),
            failure: failure(report.outcome),
            new_items: report.new_items,
            trouble: report.trouble,
            next_refresh: report.next_at.is_finite().then_some(report.next_at),
        }
    }
}

impl From<&PastRefresh> for RecentRefresh {
    fn from(refresh: &PastRefresh) -> Self {
        let PastRefresh { at, outcome, new_items, bytes } = *refresh;
        Self { at, outcome: outcome.name(), failure: failure(outcome), new_items, bytes }
    }
}

fn failure(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Failed(kind) => Some(kind.name()),
        _ => None,
    }
}

fn yes() -> bool {
    true
}

//! Tries the addresses that statements name for the first time, so that a mistyped one is noticed at once.
//!
//! Each is added as a source and refreshed through its lane like any other. Only what certainly leads nowhere
//! refuses the statements: whatever may be better tomorrow is a warning.

use std::collections::HashSet;
use std::time::Duration;

use pergola_feed::address::{is_masked, masked};
use pergola_manners::courtesy::{FailureKind, Outcome};
use pergola_query::syntax::{FeedBody, SourceRef, Span};
use pergola_query::{Change, ErrorKind, QueryError};
use pergola_store::archive::{ArchiveError, SourceId};

use super::{FeedError, source_of};
use crate::node::{NewSource, Node};

/// Addresses that are tried at most. The crawler gets to the others by itself.
const TRIED: usize = 16;
/// How long to wait for all of them.
const PATIENCE: Duration = Duration::from_secs(5);

/// What became of new addresses.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// The sources that were added.
    pub(super) new: HashSet<SourceId>,
    /// What may go wrong with them.
    pub(super) warnings: Vec<String>,
}

/// An address in a query.
struct Place {
    source: NewSource,
    span: Span,
    /// Whether a peer may begin to publish the feed later.
    may_come: bool,
}

/// What the first refresh says about an address.
enum Finding {
    Well,
    /// It may be better later.
    Doubtful(String),
    /// It certainly leads nowhere.
    Wrong(String),
}

impl Node {
    /// Adds the sources that changes name for the first time, and refreshes them. Refuses if one leads nowhere,
    /// unless that is forced; then nothing stays added.
    pub(super) async fn try_addresses(
        &self,
        changes: &[Change],
        force: bool,
        render: impl Fn(&QueryError) -> String,
    ) -> Result<Tried, FeedError> {
        let places = self.new_places(changes)?;
        if places.is_empty() {
            return Ok(Tried::default());
        }
        let sources = places.iter().map(|place| place.source.clone()).collect();
        let new = self.add_sources_in_turn(sources).await?.new;
        self.refresh_all(&new).await;
        let mut tried = Tried { new: new.iter().copied().collect(), warnings: Vec::new() };
        let mut wrong = Vec::new();
        for (&id, place) in new.iter().zip(&places) {
            let url = masked(place.source.url.as_str()).into_owned();
            match self.finding(id)? {
                Finding::Well => {}
                Finding::Wrong(why) if !force && !place.may_come => {
                    let help = Some("correct the address".to_owned());
                    let kind = ErrorKind::Unreadable { url, why };
                    wrong.push(render(&QueryError { kind, span: place.span, help }));
                }
                Finding::Doubtful(why) | Finding::Wrong(why) => {
                    tried.warnings.push(format!("{url} cannot be read now: {why}"));
                }
            }
        }
        if wrong.is_empty() {
            return Ok(tried);
        }
        // Nobody else can want them yet: feeds and lists change one at a time.
        self.take_back(&new).await?;
        Err(FeedError::Unreadable(wrong.join("\n")))
    }

    /// The first addresses in changes that this node does not know.
    fn new_places(&self, changes: &[Change]) -> Result<Vec<Place>, FeedError> {
        let (mut places, mut seen) = (Vec::new(), HashSet::new());
        let clauses = changes.iter().filter_map(body_of).flat_map(|body| &body.sources);
        for clause in clauses.map(|clause| &clause.source) {
            let Some((url, kind)) = source_of(&clause.value) else { continue };
            if is_masked(&url) {
                // It was shown like this, so it is known; which one it is becomes clear when it is applied.
                continue;
            }
            let source = NewSource { kind, wanted: false, ..NewSource::feed(&url)? };
            if self.at(&url).is_none() && seen.insert(source.url.clone()) {
                let may_come = matches!(clause.value, SourceRef::Peer { .. });
                places.push(Place { source, span: clause.span, may_come });
            }
            if places.len() == TRIED {
                break;
            }
        }
        Ok(places)
    }

    /// Refreshes sources, each as soon as its lane is free, and waits for them for a while.
    async fn refresh_all(&self, ids: &[SourceId]) {
        let all = async {
            if !self.is_running() {
                for &id in ids {
                    self.crawler.refresh_once(id).await;
                }
                return;
            }
            let reports: Vec<_> = ids.iter().map(|&id| self.crawler.request(id)).collect();
            for report in reports {
                // If there is none, the crawler was faster.
                let _ = report.await;
            }
        };
        // What takes longer goes on without us.
        let _ = tokio::time::timeout(PATIENCE, all).await;
    }

    /// What the last refresh of a source says.
    fn finding(&self, id: SourceId) -> Result<Finding, ArchiveError> {
        let state = self.archive.state(id)?;
        let last = state.as_ref().and_then(|state| state.recent.back());
        let Some(outcome) = last.map(|refresh| refresh.outcome) else {
            return Ok(Finding::Doubtful("it has not answered yet".to_owned()));
        };
        let trouble = state.and_then(|state| state.trouble);
        let why = trouble.unwrap_or_else(|| outcome.name().to_owned());
        Ok(match outcome {
            Outcome::Changed | Outcome::Unchanged | Outcome::Delta => Finding::Well,
            Outcome::Gone | Outcome::Failed(FailureKind::NotFound | FailureKind::NotAFeed) => {
                Finding::Wrong(why)
            }
            Outcome::Paused | Outcome::Failed(_) => Finding::Doubtful(why),
        })
    }
}

/// The body that a change puts in force.
fn body_of(change: &Change) -> Option<&FeedBody> {
    match change {
        Change::Create { body, .. } | Change::Replace { body, .. } => Some(body),
        Change::Rename { .. } | Change::Drop { .. } | Change::Explain { .. } => None,
    }
}

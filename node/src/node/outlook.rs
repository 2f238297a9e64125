//! Estimates for a published feed: how many items it brings, how complete and fresh it is, and when it may
//! have news.

use pergola_refresh::DAY;
use pergola_store::archive::{ArchiveError, FeedId, SourceId};

use super::Node;

/// Sources of a feed that are counted; in a larger feed they stand for all.
const SOURCES: usize = 1_000;
/// A feed with more sources has no plan.
const PLANNED_SOURCES: usize = 200;
/// Refreshes closer than this share of a cycle come from one decision.
const SAME_DECISION: f64 = 0.1;
/// Refreshes in a plan.
const REFRESHES: usize = 16;

/// Estimates for a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// Items per day that it publishes.
    pub items_per_day: f64,
    /// The share of its sources' items that it received; nothing while it is not known of any source.
    pub completeness: Option<f64>,
    /// The share of its sources' windows that it holds; nothing while it is not known of any source.
    pub freshness: Option<f64>,
}

/// A mean of what is known, each by its weight.
#[derive(Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, share: Option<f64>, weight: f64) {
        if let Some(share) = share {
            self.sum += weight * share;
            self.weight += weight;
        }
    }

    fn value(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| (self.sum / self.weight).clamp(0.0, 1.0))
    }
}

impl Node {
    /// Estimates for a feed; each source counts by the items it brings. Blocks.
    pub fn outlook(&self, feed: FeedId) -> Result<Outlook, ArchiveError> {
        let sources = self.rates_of(feed);
        let mut rate = 0.0;
        let (mut complete, mut fresh) = (Mean::default(), Mean::default());
        for (source, brought) in &sources {
            let Some(state) = self.archive.state_alone(*source)? else { continue };
            rate += brought;
            // A peer cannot deliver what it missed, so the shares multiply.
            let before = self.crawler.tools.peers.quality(*source);
            let (delivered, held) = (state.quality.completeness(), state.quality.freshness());
            complete.add(delivered.map(|share| share * before.completeness), *brought);
            fresh.add(held.map(|share| share * before.freshness), *brought);
        }
        let all = self.desk.sources_of(feed).len().max(1) as f64;
        let scale = all / sources.len().clamp(1, all as usize) as f64;
        Ok(Outlook {
            items_per_day: rate * scale * DAY,
            completeness: complete.value(),
            freshness: fresh.value(),
        })
    }

    /// When a feed may have news, in order, and the items that may come: just after the refreshes planned of its
    /// sources. Those of one decision count as one. Nothing is said if news can come at any time, because a source
    /// is pushed or there are very many: whoever believed in half a plan would come late for the rest.
    pub fn planned_refreshes(&self, feed: FeedId) -> Vec<(f64, f64)> {
        let now = self.clock.now();
        let shares = self.desk.shares_of(feed, now, PLANNED_SOURCES + 1);
        if shares.len() > PLANNED_SOURCES {
            return Vec::new();
        }
        let planned = self.crawler.planned_of(&shares, now, now + DAY);
        let Some(mut refreshes) = planned else { return Vec::new() };
        refreshes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let together = SAME_DECISION * self.crawler.tools.cycle;
        refreshes.dedup_by(|next, kept| {
            let same = next.0 - kept.0 < together;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        refreshes.truncate(REFRESHES);
        refreshes
    }

    /// The sources of a feed, with the items per second that each brings it.
    fn rates_of(&self, feed: FeedId) -> Vec<(SourceId, f64)> {
        let shares = self.desk.shares_of(feed, self.clock.now(), SOURCES);
        let rate = |(source, share): (SourceId, f64)| {
            Some((source, share * self.crawler.mean_rate(source)?))
        };
        shares.into_iter().filter_map(rate).collect()
    }
}

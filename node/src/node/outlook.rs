//! What a node can say about a feed of its own: how busy it is, how good, and when it may have news.

use pergola_refresh::DAY;
use pergola_store::archive::{ArchiveError, FeedId, SourceId};

use super::Node;

/// Sources that are refreshed for one feed; those of a feed with more stand for the rest.
const SOURCES: usize = 1_000;
/// Refreshes are foreseen for feeds of at most so many sources.
const PLANNED_SOURCES: usize = 200;
/// Refreshes as near to each other as this share of a cycle come from one decision.
const SAME_DECISION: f64 = 0.1;
/// Refreshes told of.
const REFRESHES: usize = 16;

/// How busy and how good a feed is, as estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// Items a day that it publishes.
    pub items_per_day: f64,
    /// The share of its sources' items that it has got.
    pub completeness: f64,
    /// The share of its sources' windows that it holds.
    pub freshness: f64,
}

impl Node {
    /// How busy and how good a feed is. What a source is worth to it is what it brings. Blocks.
    pub fn outlook(&self, feed: FeedId) -> Result<Outlook, ArchiveError> {
        let sources = self.rates_of(feed);
        let (mut rate, mut complete, mut fresh) = (0.0, 0.0, 0.0);
        for (source, brought) in &sources {
            let Some(state) = self.archive.state_alone(*source)? else { continue };
            rate += brought;
            // What a peer has missed cannot come through it: shares multiply along the way.
            let before = self.crawler.peers.quality(*source);
            complete += brought * state.quality.completeness() * before.completeness;
            fresh += brought * state.quality.freshness() * before.freshness;
        }
        let all = self.desk.sources_of(feed).len().max(1) as f64;
        let scale = all / sources.len().clamp(1, all as usize) as f64;
        let mean = |sum: f64| if rate > 0.0 { (sum / rate).clamp(0.0, 1.0) } else { 1.0 };
        Ok(Outlook {
            items_per_day: rate * scale * DAY,
            completeness: mean(complete),
            freshness: mean(fresh),
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
        let together = SAME_DECISION * self.crawler.cycle;
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

//! The state of feeds.

use pergola_api::Instant;
use pergola_api::feed::{FeedDetail, FeedStatus, ReadSource};
use pergola_feed::address::masked_in;
use pergola_refresh::WEEK;
use pergola_store::Order;
use pergola_store::archive::{ArchiveError, FeedId, SourceId};

use super::sources::standing;
use crate::node::{Node, Upstream};
use crate::select::FeedCard;
use pergola_port::access::Caller;

/// Sources that are listed for one feed.
const READS: usize = 1_000;

impl Node {
    /// The state of a feed, as far as a caller may know it. Blocks.
    pub fn feed_status(
        &self,
        card: &FeedCard,
        caller: &Caller,
    ) -> Result<FeedStatus, ArchiveError> {
        let tally = self.archive.feed_tally(card.id)?;
        let base = self.config().node.public_url.as_str().trim_end_matches('/').to_owned();
        let since = self.clock.now() - WEEK;
        Ok(FeedStatus {
            name: card.name.clone(),
            query: match caller.is_operator() {
                true => masked_in(&card.statement).into_owned(),
                false => self.public_statement(&card.name, &card.body),
            },
            sources: self.desk.sources_of(card.id).len(),
            published: tally.next,
            changed_at: (tally.edition > 0).then(|| Instant::from_unix(tally.changed_at)),
            url: format!("{base}/feeds/{}", card.name),
            last_week: self.published_since(card.id, tally.next, since)?,
            closed: !self.access.is_open(card.id),
            declared: self.config().declared.iter().any(|feed| feed.name == card.name),
        })
    }

    /// How many entries a feed with numbers below `next` has published since an instant.
    fn published_since(&self, feed: FeedId, next: u64, since: f64) -> Result<u64, ArchiveError> {
        // Numbers and instants rise together.
        let (mut low, mut high) = (0, next);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = self.archive.entries(feed, middle, high, Order::Ascending, 1)?;
            match entry.first() {
                Some((sequence, entry)) if entry.at < since => low = sequence + 1,
                _ => high = middle,
            }
        }
        Ok(next - low)
    }

    /// Everything about a feed, as far as a caller may know it. Blocks.
    pub fn feed_detail(
        &self,
        card: &FeedCard,
        caller: &Caller,
    ) -> Result<FeedDetail, ArchiveError> {
        let weight = card.body.options.weight.unwrap_or(1.0);
        let mut upstreams = self.upstreams(card.id, READS)?;
        upstreams.retain(|upstream| caller.is_operator() || !upstream.private);
        let ids: Vec<SourceId> = upstreams.iter().map(|upstream| upstream.id).collect();
        let mut reads = Vec::with_capacity(ids.len());
        let (mut late, mut brought) = (0.0, 0.0);
        for (upstream, delay) in upstreams.into_iter().zip(self.delays(&ids)) {
            let Upstream { id, url, title, share, items_per_day, .. } = upstream;
            let state = self.archive.state_alone(id)?;
            let items = share.unwrap_or(1.0) * items_per_day.unwrap_or_default();
            if let Some(delay) = delay {
                late += items * delay;
                brought += items;
            }
            let quality = state.as_ref().map(|state| state.quality).unwrap_or_default();
            reads.push(ReadSource {
                source: id.0,
                url,
                share,
                weight,
                title: title.or_else(|| state.as_ref().and_then(|state| state.title.clone())),
                standing: state.as_ref().map(|state| standing(state.standing())),
                items_per_day,
                completeness: quality.completeness(),
                freshness: quality.freshness(),
                delay,
            });
        }
        let outlook = self.outlook(card.id)?;
        Ok(FeedDetail {
            status: self.feed_status(card, caller)?,
            reads,
            items_per_day: outlook.items_per_day,
            completeness: outlook.completeness,
            freshness: outlook.freshness,
            delay: (brought > 0.0).then(|| late / brought),
        })
    }
}

//! How the node, its sources and its feeds stand, as the API and the pages tell it.

mod sources;

use pergola_store::archive::{ArchiveError, SourceId};
use serde::Serialize;
use utoipa::ToSchema;

use super::Node;
use crate::select::FeedCard;
pub use sources::{PeerStatus, SourceStatus, Standing};

/// Sources whose items come back that are named one by one.
const LOOPS_TOLD: usize = 10;

/// How a feed stands.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FeedStatus {
    /// Its name.
    pub name: String,
    /// The statement that makes it.
    pub query: String,
    /// Sources that it reads, directly or through other feeds.
    pub sources: usize,
    /// Items published so far.
    pub published: u64,
    /// When it last changed, in Unix seconds; nothing if it is empty.
    pub changed_at: Option<f64>,
    /// Where it is served, without the ending.
    pub url: String,
}

/// How the node stands.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct NodeStatus {
    /// The version of the program.
    pub version: &'static str,
    /// The node's name.
    pub name: String,
    /// What items carry when they have passed it.
    pub id: String,
    /// Whether it crawls; `false` if it was only opened.
    pub running: bool,
    /// Seconds since it was opened.
    pub uptime: f64,
    /// Sources.
    pub sources: usize,
    /// Feeds.
    pub feeds: usize,
    /// τ.
    pub threshold: f64,
    /// Refreshes per minute allowed.
    pub budget_per_minute: f64,
    /// Refreshes since it was opened.
    pub refreshes: u64,
    /// … answered that nothing has changed.
    pub unchanged: u64,
    /// … that failed.
    pub failed: u64,
    /// Items delivered since it was opened.
    pub items: u64,
    /// Items believed lost since it was opened.
    pub lost: f64,
    /// Bytes received since it was opened.
    pub bytes: u64,
    /// Estimated share of windows held now.
    pub freshness: f64,
    /// Estimated share of items delivered since it was opened.
    pub completeness: f64,
    /// Sources due that wait for their lane.
    pub waiting: usize,
    /// Requests on the way.
    pub in_flight: usize,
    /// `sled` or `redb`.
    pub store: String,
    /// Bytes of the store on disk.
    pub store_bytes: u64,
    /// What the operator should know.
    pub notices: Vec<String>,
}

impl Node {
    /// How the node stands.
    pub fn status(&self) -> NodeStatus {
        let now = self.clock.now();
        let config = self.config();
        let counts = self.metrics.refresh_counts();
        let (items, lost) = (self.metrics.items.get(), self.metrics.lost.get());
        let delivered = items as f64;
        let (waiting, in_flight) = self.crawler.queue();
        let store = self.archive.store();
        // Before the roster is locked: whoever changes queries locks the desk first.
        let feeds = self.desk.count();
        let roster = self.crawler.roster();
        NodeStatus {
            version: env!("CARGO_PKG_VERSION"),
            name: config.node.name.clone(),
            id: self.id().0,
            running: self.is_running(),
            uptime: now - self.opened_at,
            sources: roster.len(),
            feeds,
            threshold: roster.threshold().value(),
            budget_per_minute: roster.purse.per_minute(),
            refreshes: counts.all,
            unchanged: counts.unchanged,
            failed: counts.failed,
            items,
            lost,
            bytes: self.metrics.bytes.get(),
            freshness: roster.freshness(now),
            completeness: if delivered + lost > 0.0 { delivered / (delivered + lost) } else { 1.0 },
            waiting,
            in_flight,
            store: store.backend().to_string(),
            store_bytes: store.bytes_on_disk(),
            notices: self.notices().into_iter().chain(self.loop_notices()).collect(),
        }
    }

    /// Sets the levels that Prometheus is told, and tells it everything.
    pub fn metrics_text(&self) -> String {
        let status = self.status();
        let levels = &self.metrics.levels;
        let whole = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        levels.threshold.set(status.threshold);
        levels.budget.set(status.budget_per_minute);
        levels.freshness.set(status.freshness);
        levels.completeness.set(status.completeness);
        levels.sources.set(whole(status.sources));
        levels.feeds.set(whole(status.feeds));
        levels.in_flight.set(whole(status.in_flight));
        levels.waiting.set(whole(status.waiting));
        let (peers, usable) = (&self.metrics.peers, self.peers_in_use());
        peers.sources.set(whole(usable));
        peers.watched.set(whole(self.crawler.tools.peers.count_watched()));
        levels.disk.set(i64::try_from(status.store_bytes).unwrap_or(i64::MAX));
        let pushed = &self.metrics.websub;
        pushed.subscriptions.set(whole(self.hub.as_ref().map_or(0, |hub| hub.subscriptions())));
        pushed.sources.set(whole(self.subscriber.as_ref().map_or(0, |it| it.sources())));
        self.metrics.text()
    }

    /// Sentences about sources whose items come back, the first few of them.
    fn loop_notices(&self) -> impl Iterator<Item = String> {
        self.crawler.loops.all().into_iter().take(LOOPS_TOLD).map(|(id, found)| {
            format!("items of source {} come back to this node and are dropped: {found}", id.0)
        })
    }

    /// How many sources are read from peers now.
    fn peers_in_use(&self) -> usize {
        let (peers, now) = (&self.crawler.tools.peers, self.clock.now());
        let usable = |id: &SourceId| {
            peers.link(*id).is_some_and(|link| peers.is_usable(*id, &link.url, now))
        };
        peers.ids().iter().filter(|id| usable(id)).count()
    }

    /// How a feed stands.
    pub fn feed_status(&self, card: &FeedCard) -> Result<FeedStatus, ArchiveError> {
        let tally = self.archive.feed_tally(card.id)?;
        let base = self.config().node.public_url.as_str().trim_end_matches('/').to_owned();
        Ok(FeedStatus {
            name: card.name.clone(),
            query: card.statement.clone(),
            sources: self.desk.sources_of(card.id).len(),
            published: tally.next,
            changed_at: (tally.edition > 0).then_some(tally.changed_at),
            url: format!("{base}/feeds/{}", card.name),
        })
    }
}

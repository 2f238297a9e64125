//! How the node, its sources and its feeds stand, as the API and the pages tell it.

use pergola_refresh::PublicationModel;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Node, SourceError};
use crate::archive::{ArchiveError, SourceId, SourceKind, SourceRecord, SourceState};
use crate::select::FeedCard;

/// Sources whose items come back that are named one by one.
const LOOPS_TOLD: usize = 10;

/// How a source stands, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Never looked at.
    New,
    /// All is well.
    Well,
    /// It wants quiet.
    Paused,
    /// It fails.
    Failing,
    /// It has ended.
    Ended,
}

impl Standing {
    fn of(state: &SourceState) -> Self {
        let courtesy = &state.courtesy;
        if courtesy.ended.is_some() {
            Self::Ended
        } else if courtesy.pause.is_some() {
            Self::Paused
        } else if courtesy.failures.is_some() {
            Self::Failing
        } else if state.tally.requests == 0 {
            Self::New
        } else {
            Self::Well
        }
    }
}

/// How a source stands.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SourceStatus {
    /// Its number.
    pub id: u32,
    /// Where it is.
    pub url: String,
    /// What it is called.
    pub title: Option<String>,
    /// `feed`, `page` or `list`.
    pub kind: &'static str,
    /// In one word.
    pub standing: Standing,
    /// What went wrong last, if something did.
    pub trouble: Option<String>,
    /// Asked for by itself, not only by a feed or list.
    pub wanted: bool,
    /// What one of its items is worth.
    pub importance: f32,
    /// How many feeds read it.
    pub readers: u32,
    /// When it was last looked at, in Unix seconds.
    pub last_look: Option<f64>,
    /// Not to be looked at before, in Unix seconds; nothing if it has ended.
    pub next_look: Option<f64>,
    /// Being looked at now.
    pub busy: bool,
    /// Items a day, as far as is known.
    pub items_per_day: f64,
    /// Items that its document shows.
    pub window: u32,
    /// Requests made.
    pub requests: u64,
    /// … answered by 304.
    pub not_modified: u64,
    /// … that failed.
    pub failures: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Items delivered.
    pub items: u64,
    /// Estimated share of its items that were delivered.
    pub completeness: f64,
    /// Estimated share of its window that is held.
    pub freshness: f64,
    /// The nodes by which its items come back to this one, this one first and last; nothing if they do
    /// not.
    #[serde(rename = "loop")]
    pub way_back: Option<Vec<String>>,
    /// How it is read: `http`, or `peer` if another node publishes it and is asked over gRPC.
    pub via: &'static str,
    /// The node that publishes it, if one does.
    pub peer: Option<PeerStatus>,
}

/// How a source stands that another node publishes.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PeerStatus {
    /// What items carry that have passed it; nothing before it has answered.
    pub node: Option<String>,
    /// What it is called.
    pub name: Option<String>,
    /// The feed's name there.
    pub feed: String,
    /// What is asked of it: `hints`, `watch`, `archive`.
    pub cooperate: Vec<&'static str>,
    /// Whether it says at once when it has news.
    pub watched: bool,
    /// When something last came from it, in Unix seconds.
    pub cursor_at: Option<f64>,
    /// It is read over HTTP until then, in Unix seconds …
    pub http_until: Option<f64>,
    /// … because of this.
    pub http_because: Option<String>,
    /// The share of its own sources' items that it got, as it estimates.
    pub completeness: Option<f64>,
    /// The share of its own sources' windows that it holds, as it estimates.
    pub freshness: Option<f64>,
}

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
        peers.watched.set(whole(self.crawler.peers.count_watched()));
        levels.disk.set(i64::try_from(status.store_bytes).unwrap_or(i64::MAX));
        let pushed = &self.metrics.websub;
        pushed.subscriptions.set(whole(self.hub.as_ref().map_or(0, |hub| hub.subscriptions())));
        pushed.sources.set(whole(self.subscriber.as_ref().map_or(0, |it| it.sources())));
        self.metrics.text()
    }

    /// How every source stands, in the order of their numbers.
    pub fn source_list(&self) -> Result<Vec<SourceStatus>, ArchiveError> {
        let mut records = self.archive.sources()?.into_iter().peekable();
        let mut all = Vec::new();
        self.archive.each_state(|id, state| {
            while records.next_if(|(other, _)| *other < id).is_some() {}
            if let Some((_, record)) = records.next_if(|(other, _)| *other == id) {
                all.push(self.source_status(id, record, &state));
            }
        })?;
        Ok(all)
    }

    /// How the sources after a number stand that somebody wants to see, at most `limit` of them.
    pub fn source_page(
        &self,
        after: Option<SourceId>,
        limit: usize,
        wanted: impl Fn(&SourceStatus) -> bool,
    ) -> Result<Vec<SourceStatus>, ArchiveError> {
        let (mut page, mut after) = (Vec::new(), after);
        while page.len() < limit {
            let some = self.archive.sources_after(after, limit)?;
            let Some((last, _)) = some.last() else { break };
            after = Some(*last);
            for (id, record) in some {
                let Some(state) = self.archive.state(id)? else { continue };
                let status = self.source_status(id, record, &state);
                if page.len() < limit && wanted(&status) {
                    page.push(status);
                }
            }
        }
        Ok(page)
    }

    /// How one source stands, and what is kept of it.
    pub fn source(&self, id: SourceId) -> Result<(SourceStatus, SourceState), SourceError> {
        let unknown = || SourceError::Unknown(id.0.to_string());
        let record = self.archive.source(id)?.ok_or_else(unknown)?;
        let state = self.archive.state(id)?.ok_or_else(unknown)?;
        Ok((self.source_status(id, record, &state), state))
    }

    /// The source that somebody means: by its number or its address, present or former.
    pub fn find_source(&self, named: &str) -> Result<SourceId, SourceError> {
        if let Ok(number) = named.parse() {
            let id = SourceId(number);
            if self.archive.source(id)?.is_some() {
                return Ok(id);
            }
        }
        let known = super::normal_url(named)
            .ok()
            .and_then(|url| self.crawler.roster().by_address(url.as_str()));
        if let Some(id) = known {
            return Ok(id);
        }
        let mut all = self.archive.sources()?.into_iter();
        all.find(|(_, record)| record.formerly.iter().any(|old| old == named))
            .map(|(id, _)| id)
            .ok_or_else(|| SourceError::Unknown(named.to_owned()))
    }

    fn source_status(
        &self,
        id: SourceId,
        record: SourceRecord,
        state: &SourceState,
    ) -> SourceStatus {
        let (busy, next_at) = self.crawler.roster().standing(id).unwrap_or((false, state.next_at));
        let kind = match record.kind {
            SourceKind::Feed => "feed",
            SourceKind::Page(_) => "page",
            SourceKind::List => "list",
        };
        let peer = self.peer_status(id, &record.url);
        let by_peer = self.crawler.peers.is_usable(id, &record.url, self.clock.now());
        SourceStatus {
            via: if by_peer { "peer" } else { "http" },
            peer,
            id: id.0,
            url: record.url,
            title: record.title.or_else(|| state.title.clone()),
            kind,
            standing: Standing::of(state),
            trouble: state.trouble.clone(),
            wanted: record.wanted,
            importance: record.importance,
            readers: self.desk.readers_of(id),
            last_look: state.recent.back().map(|look| look.at),
            next_look: next_at.is_finite().then_some(next_at),
            busy,
            items_per_day: state.schedule.model.mean_rate() * pergola_refresh::DAY,
            window: state.schedule.shown,
            requests: state.tally.requests,
            not_modified: state.tally.not_modified,
            failures: state.tally.failures,
            bytes: state.tally.bytes,
            items: state.tally.items,
            completeness: state.quality.completeness(),
            freshness: state.quality.freshness(),
            way_back: self.way_back(id),
        }
    }

    /// The nodes by which a source's items come back to this one.
    fn way_back(&self, id: SourceId) -> Option<Vec<String>> {
        let found = self.crawler.loops.of(id)?;
        Some(found.nodes.into_iter().map(|node| node.0).collect())
    }

    /// Sentences about sources whose items come back, the first few of them.
    fn loop_notices(&self) -> impl Iterator<Item = String> {
        self.crawler.loops.all().into_iter().take(LOOPS_TOLD).map(|(id, found)| {
            format!("items of source {} come back to this node and are dropped: {found}", id.0)
        })
    }

    /// How many sources are read from peers now.
    fn peers_in_use(&self) -> usize {
        let (peers, now) = (&self.crawler.peers, self.clock.now());
        let usable = |id: &SourceId| {
            peers.link(*id).is_some_and(|link| peers.is_usable(*id, &link.url, now))
        };
        peers.ids().iter().filter(|id| usable(id)).count()
    }

    fn peer_status(&self, id: SourceId, url: &str) -> Option<PeerStatus> {
        let peers = &self.crawler.peers;
        let link = peers.link(id).filter(|link| peers.enabled && link.url == url)?;
        let now = self.clock.now();
        let setback = link.setback.filter(|setback| setback.until > now);
        let (node, name) = link.node.map(|node| (node.id, node.name)).unzip();
        Some(PeerStatus {
            node,
            name,
            feed: link.feed,
            cooperate: peers.cooperation(id).names(),
            watched: peers.is_watched(id),
            cursor_at: link.moved_at,
            http_until: setback.as_ref().map(|setback| setback.until),
            http_because: setback.map(|setback| setback.why),
            completeness: link.quality.map(|quality| quality.completeness),
            freshness: link.quality.map(|quality| quality.freshness),
        })
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

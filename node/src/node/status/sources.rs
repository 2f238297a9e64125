//! How sources stand, one or many, and which one somebody means.

use pergola_refresh::PublicationModel;
use pergola_store::archive::{ArchiveError, SourceId, SourceKind, SourceRecord, SourceState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::node::{Node, SourceError, normal_url};

/// How a source stands, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Never refreshed.
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
    /// When it was last refreshed, in Unix seconds.
    pub last_refresh: Option<f64>,
    /// Not to be refreshed before, in Unix seconds; nothing if it has ended.
    pub next_refresh: Option<f64>,
    /// Being refreshed now.
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

impl Node {
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
        let known =
            normal_url(named).ok().and_then(|url| self.crawler.roster().by_address(url.as_str()));
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
        let by_peer = self.crawler.tools.peers.is_usable(id, &record.url, self.clock.now());
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
            last_refresh: state.recent.back().map(|refresh| refresh.at),
            next_refresh: next_at.is_finite().then_some(next_at),
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

    fn peer_status(&self, id: SourceId, url: &str) -> Option<PeerStatus> {
        let peers = &self.crawler.tools.peers;
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
}

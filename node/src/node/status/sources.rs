//! The state of sources, and which source a number or URL means.

use pergola_api::Instant;
use pergola_api::source::{
    self as api, CredentialsKind, FailingStatus, HeldCredentials, PeerStatus, SourceSort,
    SourceStanding, SourceStatus, Via,
};
use pergola_feed::address::{is_masked, masked, masked_in};
use pergola_feed::html::Selectors;
use pergola_feed::identity::Policy;
use pergola_manners::source::{Credentials, Proof};
use pergola_refresh::PublicationModel;
use pergola_store::archive::{
    ArchiveError, SourceCard, SourceId, SourceKind, SourceRecord, SourceState, Standing,
};

use crate::node::{Node, SourceError};

/// A standing as the API names it.
pub(crate) fn standing(standing: Standing) -> SourceStanding {
    match standing {
        Standing::Ended => SourceStanding::Ended,
        Standing::Paused => SourceStanding::Paused,
        Standing::Failing => SourceStanding::Failing,
        Standing::New => SourceStanding::New,
        Standing::Well => SourceStanding::Well,
    }
}

/// What a list is sorted by: a number, and a text among equal numbers.
type SortKey = (f64, String);

/// That there are credentials, and of which kind.
fn credentials(held: &Credentials) -> HeldCredentials {
    let kind = match held.proof {
        Proof::Password { .. } => CredentialsKind::Password,
        Proof::Header { .. } => CredentialsKind::Header,
    };
    HeldCredentials { kind, origin: held.origin.clone() }
}

impl Node {
    /// The state of every source, in the order of their numbers.
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

    /// The state of the sources after a number that are `wanted`, at most `limit` of them.
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

    /// How many sources are wanted, and the state of at most `limit` of them after the first `offset`, in an order.
    pub fn sorted_sources(
        &self,
        wanted: impl Fn(&SourceCard) -> bool,
        (order, descending): (SourceSort, bool),
        (offset, limit): (usize, usize),
    ) -> Result<(usize, Vec<SourceStatus>), ArchiveError> {
        let mut all: Vec<(SortKey, SourceId)> = Vec::new();
        self.archive.each_card(|id, card| {
            if wanted(card) {
                all.push((self.sort_key(id, card, order), id));
            }
        })?;
        all.sort_by(|((a, a_text), a_id), ((b, b_text), b_id)| {
            a.total_cmp(b).then_with(|| a_text.cmp(b_text)).then(a_id.cmp(b_id))
        });
        if descending {
            all.reverse();
        }
        let mut page = Vec::new();
        for (_, id) in all.iter().skip(offset).take(limit) {
            match self.source(*id) {
                Ok((status, _)) => page.push(status),
                Err(SourceError::Archive(error)) => return Err(error),
                // It was removed meanwhile.
                Err(_) => {}
            }
        }
        Ok((all.len(), page))
    }

    fn sort_key(&self, id: SourceId, card: &SourceCard, order: SourceSort) -> SortKey {
        let number = match order {
            SourceSort::Number => f64::from(id.0),
            SourceSort::Title => {
                return (0.0, card.title.as_deref().unwrap_or(&card.url).to_lowercase());
            }
            SourceSort::LastRefresh => card.last_refresh.unwrap_or(f64::NEG_INFINITY),
            SourceSort::NextRefresh => {
                self.crawler.busy_and_next(id).map_or(f64::INFINITY, |(_, at)| at)
            }
            SourceSort::ItemsPerDay => match card.last_refresh {
                Some(_) => self.crawler.mean_rate(id).unwrap_or(0.0),
                None => -1.0,
            },
            SourceSort::Standing => f64::from(card.standing as u8),
        };
        (number, String::new())
    }

    /// The state of one source, and what is stored of it.
    pub fn source(&self, id: SourceId) -> Result<(SourceStatus, SourceState), SourceError> {
        let unknown = || SourceError::Unknown(id.0.to_string());
        let record = self.archive.source(id)?.ok_or_else(unknown)?;
        let state = self.archive.state(id)?.ok_or_else(unknown)?;
        Ok((self.source_status(id, record, &state), state))
    }

    /// The addresses that a source had before, without secrets. Blocks.
    pub fn former_addresses(&self, id: SourceId) -> Result<Vec<String>, ArchiveError> {
        let Some(SourceRecord { url, formerly, .. }) = self.archive.source(id)? else {
            return Ok(Vec::new());
        };
        let former = formerly.iter().filter(|address| **address != url);
        Ok(former.map(|address| masked(address).into_owned()).collect())
    }

    /// The selectors by which a source is read, if it is a page. Blocks.
    pub fn selectors(&self, id: SourceId) -> Result<Option<Selectors>, ArchiveError> {
        Ok(match self.archive.source(id)?.map(|record| record.kind) {
            Some(SourceKind::Page(selectors)) => Some(selectors),
            _ => None,
        })
    }

    /// How the node tells the items of a source apart. Blocks.
    pub fn identity_policy(&self, id: SourceId) -> Result<Policy, ArchiveError> {
        Ok(self.archive.known(id)?.unwrap_or_default().identity.policy())
    }

    /// The addresses of the first sources without secrets, at most `limit`. Blocks.
    pub fn first_addresses(&self, limit: usize) -> Result<Vec<String>, ArchiveError> {
        let some = self.archive.sources_after(None, limit)?;
        Ok(some.into_iter().map(|(_, record)| masked(&record.url).into_owned()).collect())
    }

    /// The source with this number, or with this URL now or before it moved. A URL may be masked as it is
    /// shown.
    pub fn find_source(&self, named: &str) -> Result<SourceId, SourceError> {
        if let Ok(number) = named.parse() {
            let id = SourceId(number);
            if self.archive.source(id)?.is_some() {
                return Ok(id);
            }
        }
        if let Some(id) = self.at(named) {
            return Ok(id);
        }
        let mut all = self.archive.sources()?.into_iter();
        let same = |url: &str| is_masked(named) && masked(url) == named;
        all.find(|(_, record)| record.addresses().any(same))
            .map(|(id, _)| id)
            .ok_or_else(|| SourceError::Unknown(named.to_owned()))
    }

    fn source_status(
        &self,
        id: SourceId,
        record: SourceRecord,
        state: &SourceState,
    ) -> SourceStatus {
        let (busy, next_at) = self.crawler.busy_and_next(id).unwrap_or((false, state.next_at));
        let kind = match record.kind {
            SourceKind::Feed => api::SourceKind::Feed,
            SourceKind::Page(_) => api::SourceKind::Page,
            SourceKind::List => api::SourceKind::List,
        };
        let peer = self.peer_status(id, &record.url);
        let by_peer = self.crawler.tools.peers.is_usable(id, &record.url, self.clock.now());
        SourceStatus {
            via: if by_peer { Via::Peer } else { Via::Http },
            peer,
            id: id.0,
            url: masked(&record.url).into_owned(),
            private: record.private,
            credentials: record.credentials.as_ref().map(credentials),
            title: record.title.or_else(|| state.title.clone()),
            kind,
            standing: standing(state.standing()),
            paused: state.courtesy.halted,
            trouble: state.trouble.as_deref().map(|words| masked_in(words).into_owned()),
            failing: state.courtesy.failures.as_ref().map(|failures| FailingStatus {
                since: Instant::from_unix(failures.since),
                count: failures.count,
                kind: failures.kind.name().to_owned(),
            }),
            wanted: record.wanted,
            importance: record.importance,
            folders: record.folders,
            readers: self.desk.readers_of(id),
            last_refresh: state.recent.back().map(|refresh| Instant::from_unix(refresh.at)),
            // A new source was due from the start.
            next_refresh: next_at
                .is_finite()
                .then(|| Instant::from_unix(next_at.max(record.added_at))),
            busy,
            // Before the first refresh the model is a guess.
            items_per_day: state
                .schedule
                .last
                .map(|_| state.schedule.model.mean_rate() * pergola_refresh::DAY),
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
            cooperate: peers.cooperation(id).names().into_iter().map(str::to_owned).collect(),
            watched: peers.is_watched(id),
            cursor_at: link.moved_at.map(Instant::from_unix),
            http_until: setback.as_ref().map(|setback| Instant::from_unix(setback.until)),
            http_because: setback.map(|setback| setback.why),
            completeness: link.quality.map(|quality| quality.completeness),
            freshness: link.quality.map(|quality| quality.freshness),
        })
    }
}

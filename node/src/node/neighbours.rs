//! The nodes around this one: those that it reads, and those who read it.

use std::collections::BTreeMap;

use pergola_api::neighbours::{Downstream, DownstreamKind, Neighbours, UpstreamFeed};
use pergola_store::archive::{ArchiveError, SourceId};

use super::{Node, SourceError};
use pergola_port::access::Who;

/// Neighbours of each kind that are told of.
const LISTED: usize = 200;
/// Items that the time from one node to the next is taken from.
const AGED: usize = 50;

impl Node {
    /// The nodes around this one. Blocks.
    pub fn neighbours(&self) -> Result<Neighbours, SourceError> {
        let peers = self.crawler.tools.peers.ids();
        let mut upstream = Vec::new();
        for &id in peers.iter().take(LISTED) {
            let Ok((status, _)) = self.source(id) else { continue };
            let age = self.age_of(id)?;
            upstream.extend(UpstreamFeed::of(&status, age));
        }
        let plain_sources = self.crawler.count().saturating_sub(peers.len());
        let name = self.config().node.name.clone();
        let downstream = self.downstream();
        Ok(Neighbours { name, id: self.id().0, plain_sources, upstream, downstream })
    }

    /// The names of all folders and readers.
    pub fn names(&self) -> (Vec<String>, Vec<String>) {
        let folders = self.folders.lock().names().into_iter().map(str::to_owned).collect();
        (folders, self.access.readers())
    }

    /// Seconds that the newest items of a source took on the last part of their way: the median. Blocks.
    fn age_of(&self, source: SourceId) -> Result<Option<f64>, ArchiveError> {
        let mut known = self.archive.known(source)?.unwrap_or_default();
        known.items.sort_by(|a, b| b.first_seen.total_cmp(&a.first_seen));
        known.items.truncate(AGED);
        known.items.sort_unstable_by_key(|memory| (memory.chunk, memory.index));
        let mut ages = Vec::new();
        for together in known.items.chunk_by(|a, b| a.chunk == b.chunk) {
            let items = self.archive.chunk(source, together[0].chunk)?;
            let some = together.iter().filter_map(|memory| items.get(usize::from(memory.index)));
            let passed = some.filter(|item| item.hops.len() > 1);
            ages.extend(passed.filter_map(|item| item.ages().last().flatten()));
        }
        ages.sort_unstable();
        Ok(ages.get(ages.len() / 2).map(|age| (*age).max(0) as f64 / 1000.0))
    }

    fn downstream(&self) -> Vec<Downstream> {
        let calls: BTreeMap<String, (DownstreamKind, u64)> = (self.access.callers().into_iter())
            .filter_map(|(who, ago)| match who {
                Who::Reader(name) => Some((name, (DownstreamKind::Reader, ago))),
                Who::Address(address) => Some((address.to_string(), (DownstreamKind::Caller, ago))),
                Who::Operator | Who::Others => None,
            })
            .collect();
        let feeds = self.desk.feeds();
        let may_read = |name: &String| {
            let own = feeds.iter().filter(|card| {
                self.access.readers_of(card.id).is_some_and(|readers| readers.contains(name))
            });
            own.map(|card| card.name.clone()).collect()
        };
        let readers = self.access.readers().into_iter().map(|name| Downstream {
            kind: DownstreamKind::Reader,
            feeds: may_read(&name),
            called: calls.get(&name).map(|(_, ago)| *ago),
            name,
        });
        let strangers = calls.iter().filter(|(_, (kind, _))| *kind == DownstreamKind::Caller);
        let strangers = strangers.map(|(name, (kind, ago))| Downstream {
            kind: *kind,
            name: name.clone(),
            feeds: Vec::new(),
            called: Some(*ago),
        });
        let mut hosts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (feed, host) in self.hub.as_ref().map_or_else(Vec::new, |hub| hub.subscribers()) {
            if let Some(card) = feeds.iter().find(|card| card.id == feed) {
                hosts.entry(host).or_default().push(card.name.clone());
            }
        }
        let subscribers = hosts.into_iter().map(|(name, feeds)| Downstream {
            kind: DownstreamKind::Subscriber,
            name,
            feeds,
            called: None,
        });
        readers.take(LISTED).chain(strangers.take(LISTED)).chain(subscribers.take(LISTED)).collect()
    }
}

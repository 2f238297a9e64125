//! What a running mesh has done, in the form that the lab measures.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

use super::answers::{Items, SourceTruth, Sources, Truth};
use super::bundle::{Bundle, Published};
use crate::mesh::{Channel, Mesh, Origins, Record, Spent};

/// What the newsroom and the nodes have answered.
pub(super) struct Observed {
    /// When all nodes were ready.
    pub(super) start: f64,
    /// What each source has published.
    pub(super) truths: Vec<Truth>,
    /// The items of each feed.
    pub(super) items: Vec<Items>,
    /// The sources of each node, at the beginning and at the end of measuring.
    pub(super) before: Vec<Sources>,
    pub(super) after: Vec<Sources>,
}

/// The same by the clock of the lab, which starts when all nodes are ready.
pub(super) struct Recorded {
    pub(super) mesh: Mesh,
    pub(super) origins: Origins,
    came: Vec<Vec<(u32, f64)>>,
    spent: Vec<Vec<Spent>>,
    /// Seconds from one node to the next, of the median item.
    pub(super) step: f64,
    /// Refreshes that failed while measuring.
    pub(super) failures: u64,
    /// Items at feeds that no source has published, or that the feed should not have.
    pub(super) unknown: u64,
}

impl Recorded {
    pub(super) fn new(bundle: &Bundle, seen: &Observed) -> Result<Self> {
        let mut catalogue = Catalogue::default();
        for truth in seen.truths.iter().flat_map(|truth| &truth.sources) {
            catalogue.add(truth, seen.start)?;
        }
        let mesh = Mesh::new(bundle.wiring(&catalogue.kinds, &catalogue.of_source));
        let origins = Origins::told(&catalogue.published);
        let mut unknown = 0;
        let mut arrivals = |(feed, items): (usize, &Items)| {
            let mut arrived = Vec::new();
            for item in &items.items {
                let number = catalogue.by_id.get(item.id.as_str()).copied();
                match number.filter(|&number| mesh.can_have(feed, &origins, number)) {
                    Some(number) => arrived.push((number, item.at.unix() - seen.start)),
                    None => unknown += 1,
                }
            }
            arrived
        };
        let came = seen.items.iter().enumerate().map(&mut arrivals).collect();
        let (mut spent, mut failures) = (Vec::new(), 0);
        for (node, (before, after)) in seen.before.iter().zip(&seen.after).enumerate() {
            let (own, failed) = spent_by(bundle, node, before, after);
            spent.push(own);
            failures += failed;
        }
        Ok(Self { came, spent, step: median_step(seen), failures, unknown, mesh, origins })
    }

    pub(super) fn record(&self) -> Record<'_> {
        Record { origins: &self.origins, came: self.came.clone(), spent: self.spent.clone() }
    }
}

/// Everything that the newsroom's sources have published, in numbers.
#[derive(Default)]
struct Catalogue<'a> {
    /// Sets of keywords, each once: the topics of the wiring.
    kinds: Vec<Vec<String>>,
    numbers: HashMap<Vec<String>, u32>,
    /// The kinds that each source publishes, in order.
    of_source: Vec<Vec<u32>>,
    /// For each source when its items appeared, and which of its own kinds each is.
    published: Vec<Vec<(f64, u32)>>,
    /// Numbers of the items, over all sources.
    by_id: HashMap<&'a str, u32>,
}

impl<'a> Catalogue<'a> {
    fn add(&mut self, truth: &'a SourceTruth, start: f64) -> Result<()> {
        // What was published before the start may be forgotten.
        let whole = truth.items.first().is_none_or(|first| first.at <= start);
        ensure!(
            truth.forgotten == 0 || whole,
            "the newsroom has forgotten {} items of {}; measure for a shorter time",
            truth.forgotten,
            truth.name
        );
        let mut own: Vec<u32> = Vec::new();
        let mut items = Vec::new();
        for item in &truth.items {
            let kind = self.kind(&item.keywords);
            own.push(kind);
            let number = u32::try_from(self.by_id.len()).context("too many items")?;
            self.by_id.insert(&item.guid, number);
            items.push((item.at - start, kind));
        }
        own.sort_unstable();
        own.dedup();
        for (_, kind) in &mut items {
            *kind = own.partition_point(|other| other < kind) as u32;
        }
        // A source that has published nothing still needs a kind.
        if own.is_empty() {
            own.push(u32::MAX);
        }
        self.of_source.push(own);
        self.published.push(items);
        Ok(())
    }

    /// The number of a set of keywords.
    fn kind(&mut self, keywords: &[String]) -> u32 {
        let mut words = keywords.to_vec();
        words.sort_unstable();
        *self.numbers.entry(words).or_insert_with_key(|words| {
            self.kinds.push(words.clone());
            self.kinds.len() as u32 - 1
        })
    }
}

/// Seconds from one node to the next, of the median item.
fn median_step(seen: &Observed) -> f64 {
    let mut took = Vec::new();
    for item in seen.items.iter().flat_map(|items| &items.items) {
        if let [.., before, here] = &item.hops[..]
            && item.at.unix() > seen.start
        {
            let both = here.fetched.zip(before.published);
            took.extend(both.map(|(fetched, published)| fetched.unix() - published.unix()));
        }
    }
    took.sort_unstable_by(f64::total_cmp);
    took.get(took.len() / 2).copied().unwrap_or(0.0).max(0.0)
}

/// What a node has requested while measuring, and how many of the requests failed.
fn spent_by(bundle: &Bundle, node: usize, before: &Sources, after: &Sources) -> (Vec<Spent>, u64) {
    let (mut spent, mut failures) = (Vec::new(), 0);
    for source in &after.sources {
        let Some(channel) = channel(bundle, &source.url) else { continue };
        let was = before.sources.iter().find(|was| was.url == source.url);
        let (requests, failed) = was.map_or((0, 0), |was| (was.requests, was.failures));
        failures += source.failures.saturating_sub(failed);
        let reads =
            |(_, feed): &(usize, &Published)| feed.node == node && feed.inputs.contains(&channel);
        let feeds = bundle.feeds.iter().enumerate().filter(reads);
        spent.push(Spent {
            channel,
            feeds: feeds.map(|(number, _)| number as u32).collect(),
            requests: source.requests.saturating_sub(requests),
        });
    }
    (spent, failures)
}

/// What an address is: a source of the newsroom, or a feed of a node.
fn channel(bundle: &Bundle, url: &str) -> Option<Channel> {
    let within =
        |base: &str, folder: &str| Some(url.strip_prefix(base)?.strip_prefix(folder)?.to_owned());
    if let Some(name) = within(&bundle.newsroom, "/sources/") {
        let number = bundle.sources.iter().position(|source| *source == name)?;
        return Some(Channel::Source(number as u32));
    }
    let mut hosts = bundle.nodes.iter().enumerate();
    let (node, document) =
        hosts.find_map(|(node, host)| Some((node, within(&host.url, "/feeds/")?)))?;
    let name = document.rsplit_once('.').map_or(document.as_str(), |(name, _)| name);
    let feed = |feed: &Published| feed.node == node && feed.name == name;
    Some(Channel::Feed(bundle.feeds.iter().position(feed)? as u32))
}

//! What a running mesh has done, brought into the form in which the lab measures.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

use super::answers::{Items, Sources, Truth};
use super::bundle::Bundle;
use crate::mesh::{Channel, Mesh, Origins, Record, Spent};

/// What was seen of a running mesh.
pub(super) struct Seen {
    /// When everybody was ready.
    pub(super) start: f64,
    /// What each source has published.
    pub(super) truths: Vec<Truth>,
    /// What each feed has.
    pub(super) items: Vec<Items>,
    /// What each node reads, when measuring began and when it ended.
    pub(super) before: Vec<Sources>,
    pub(super) after: Vec<Sources>,
}

/// The same, by the lab's clock, which begins when everybody was ready.
pub(super) struct Recorded {
    pub(super) mesh: Mesh,
    pub(super) origins: Origins,
    came: Vec<Vec<(u32, f64)>>,
    spent: Vec<Vec<Spent>>,
    /// Seconds from one node to the next, of the item in the middle.
    pub(super) step: f64,
    /// Looks that failed while measuring.
    pub(super) failures: u64,
    /// Items at feeds that nobody has published, or that the feed should not have.
    pub(super) unknown: u64,
}

impl Recorded {
    pub(super) fn new(bundle: &Bundle, seen: &Seen) -> Result<Self> {
        let mut kinds: Vec<Vec<String>> = Vec::new();
        let mut numbers: HashMap<Vec<String>, u32> = HashMap::new();
        let (mut of_source, mut published) = (Vec::new(), Vec::new());
        let mut by_id: HashMap<&str, u32> = HashMap::new();
        for truth in seen.truths.iter().flat_map(|truth| &truth.sources) {
            // What was there before anybody looked may be forgotten.
            let whole = truth.items.first().is_none_or(|first| first.at <= seen.start);
            ensure!(
                truth.forgotten == 0 || whole,
                "the newsroom has forgotten {} items of {}; measure for a shorter time",
                truth.forgotten,
                truth.name
            );
            let mut own: Vec<u32> = Vec::new();
            let mut items = Vec::new();
            for item in &truth.items {
                let mut words = item.keywords.clone();
                words.sort_unstable();
                let kind = *numbers.entry(words).or_insert_with_key(|words| {
                    kinds.push(words.clone());
                    kinds.len() as u32 - 1
                });
                own.push(kind);
                let number = u32::try_from(by_id.len()).context("too many items")?;
                by_id.insert(&item.guid, number);
                items.push((item.at - seen.start, kind));
            }
            own.sort_unstable();
            own.dedup();
            for (_, kind) in &mut items {
                *kind = own.partition_point(|other| other < kind) as u32;
            }
            // A source that has published nothing is about something all the same.
            if own.is_empty() {
                own.push(u32::MAX);
            }
            of_source.push(own);
            published.push(items);
        }
        let mesh = Mesh::new(bundle.wiring(&kinds, &of_source));
        let origins = Origins::told(&published);
        let (mut came, mut took, mut unknown) = (Vec::new(), Vec::new(), 0);
        for (feed, items) in seen.items.iter().enumerate() {
            let mut arrived = Vec::new();
            for item in &items.items {
                let number = by_id.get(item.id.as_str()).copied();
                match number.filter(|&number| mesh.can_have(feed, &origins, number)) {
                    Some(number) => arrived.push((number, item.at - seen.start)),
                    None => unknown += 1,
                }
                if let [.., before, here] = &item.hops[..]
                    && item.at > seen.start
                {
                    let both = here.fetched.zip(before.published);
                    took.extend(both.map(|(fetched, published)| fetched - published));
                }
            }
            came.push(arrived);
        }
        took.sort_unstable_by(f64::total_cmp);
        let step = took.get(took.len() / 2).copied().unwrap_or(0.0).max(0.0);
        let (mut spent, mut failures) = (Vec::new(), 0);
        for (node, (before, after)) in seen.before.iter().zip(&seen.after).enumerate() {
            let mut own = Vec::new();
            for source in &after.sources {
                let Some(channel) = channel(bundle, &source.url) else { continue };
                let was = before.sources.iter().find(|was| was.url == source.url);
                let (requests, failed) = was.map_or((0, 0), |was| (was.requests, was.failures));
                failures += source.failures.saturating_sub(failed);
                let reads = |feed: &(usize, &super::bundle::Published)| {
                    feed.1.node == node && feed.1.inputs.contains(&channel)
                };
                let feeds = bundle.feeds.iter().enumerate().filter(reads);
                own.push(Spent {
                    channel,
                    feeds: feeds.map(|(number, _)| number as u32).collect(),
                    requests: source.requests.saturating_sub(requests),
                });
            }
            spent.push(own);
        }
        Ok(Self { mesh, origins, came, spent, step, failures, unknown })
    }

    /// To be measured.
    pub(super) fn record(&self) -> Record<'_> {
        Record { origins: &self.origins, came: self.came.clone(), spent: self.spent.clone() }
    }
}

/// What is read at an address: a source of the newsroom, or a feed of another node.
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
    let feed = |feed: &super::bundle::Published| feed.node == node && feed.name == name;
    Some(Channel::Feed(bundle.feeds.iter().position(feed)? as u32))
}

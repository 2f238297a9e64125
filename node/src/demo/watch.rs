//! What arrives, beside what the newsroom knows: the truth that a node in the world never learns.

use std::collections::{BTreeSet, HashMap, VecDeque};

use pergola_feed::Timestamp;
use serde::Serialize;

use super::world::{EVERYTHING, Stage};
use crate::archive::{ArchiveError, FeedId};
use crate::store::Order;

/// Items read at a time.
const AT_ONCE: usize = 500;
/// Delays that the median is taken of.
const DELAYS: usize = 20_000;

/// An item that has arrived.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Arrival {
    /// When, in seconds since the Unix epoch of the demonstration's time.
    pub at: f64,
    /// What the source is called.
    pub source: String,
    /// The item's title.
    pub title: String,
    /// Seconds from its publication.
    pub delay: f64,
    /// The feeds that took it, besides the one that takes everything.
    pub feeds: Vec<String>,
}

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    /// The demonstration's time.
    pub at: f64,
    /// Seconds of that time since the beginning.
    pub lasted: f64,
    /// Items that the sources have published since the beginning.
    pub published: u64,
    /// … of which arrived.
    pub delivered: u64,
    /// … of which left their documents unseen.
    pub lost: u64,
    /// Requests.
    pub requests: u64,
    /// Share of them answered by 304.
    pub not_modified: f64,
    /// τ.
    pub threshold: f64,
    /// Refreshes per minute allowed.
    pub budget: f64,
    /// … and made, on average.
    pub spent: f64,
    /// Share of items delivered, as the node estimates it, and in truth.
    pub completeness: [f64; 2],
    /// Share of windows held, as the node estimates it, and in truth.
    pub freshness: [f64; 2],
    /// Half of the items arrived within so many minutes.
    pub median_delay: Option<f64>,
    /// Items in each feed.
    pub feeds: Vec<(String, u64)>,
}

/// Follows what arrives.
pub(super) struct Watch {
    began: f64,
    everything: FeedId,
    others: Vec<(String, FeedId)>,
    titles: HashMap<String, String>,
    next: u64,
    /// Delivered items by source: how many since the opening, and which of the present window.
    delivered: HashMap<String, (u64, BTreeSet<u64>)>,
    opening: HashMap<String, u64>,
    delays: VecDeque<f64>,
}

impl Watch {
    pub(super) fn new(stage: &Stage) -> anyhow::Result<Self> {
        let mut others = Vec::new();
        let mut everything = None;
        for card in stage.running.node.desk.feeds() {
            match card.name == EVERYTHING {
                true => everything = Some(card.id),
                false => others.push((card.name, card.id)),
            }
        }
        let everything = everything.ok_or_else(|| anyhow::anyhow!("the feeds were not created"))?;
        let opening = stage.newsroom.truths().map(|truth| (truth.name, truth.before_opening));
        Ok(Self {
            began: stage.clock.now(),
            everything,
            others,
            titles: HashMap::new(),
            next: 0,
            delivered: HashMap::new(),
            opening: opening.collect(),
            delays: VecDeque::new(),
        })
    }

    /// What has arrived since the last time, oldest first; items older than the demonstration are
    /// counted and not shown.
    pub(super) fn arrivals(&mut self, stage: &Stage) -> Result<Vec<Arrival>, ArchiveError> {
        let archive = &stage.running.node.archive;
        let entries =
            archive.entries(self.everything, self.next, u64::MAX, Order::Ascending, AT_ONCE)?;
        let mut arrivals = Vec::new();
        for published in archive.with_items(entries)? {
            self.next = published.sequence + 1;
            let item = &published.item;
            let link = item.link.as_deref().unwrap_or_default();
            let Some((name, number)) = place(link) else { continue };
            let opening = self.opening.get(name).copied().unwrap_or(0);
            let own = self.delivered.entry(name.to_owned()).or_default();
            own.1.insert(number);
            if number < opening {
                continue;
            }
            own.0 += 1;
            let appeared = item.published.map_or(published.entry.at, seconds);
            let delay = (published.entry.at - appeared).max(0.0);
            if self.delays.len() >= DELAYS {
                self.delays.pop_front();
            }
            self.delays.push_back(delay);
            let mut feeds = Vec::new();
            for (feed, id) in &self.others {
                if archive.member(*id, published.entry.key)?.is_some() {
                    feeds.push(feed.clone());
                }
            }
            let source = self.title(stage, published.entry.source, name);
            let title = item.title.as_ref().map(ToString::to_string).unwrap_or_default();
            arrivals.push(Arrival { at: published.entry.at, source, title, delay, feeds });
        }
        Ok(arrivals)
    }

    fn title(&mut self, stage: &Stage, id: crate::archive::SourceId, name: &str) -> String {
        if let Some(title) = self.titles.get(name) {
            return title.clone();
        }
        let stated = stage.running.node.source(id).ok().and_then(|(status, _)| status.title);
        let title = stated.unwrap_or_else(|| name.to_owned());
        self.titles.insert(name.to_owned(), title.clone());
        title
    }

    /// How everything stands now.
    pub(super) fn state(&mut self, stage: &Stage) -> Result<State, ArchiveError> {
        let node = &stage.running.node;
        let status = node.status();
        let (mut published, mut delivered, mut lost) = (0, 0, 0);
        let (mut fresh, mut sources) = (0.0, 0.0);
        for truth in stage.newsroom.truths() {
            let own = self.delivered.entry(truth.name).or_default();
            let since = truth.published - truth.before_opening;
            let first_shown = truth.published.saturating_sub(truth.window as u64);
            own.1 = own.1.split_off(&first_shown);
            let newest = truth.before_opening.max(first_shown);
            let held = own.1.range(newest..).count() as u64;
            let waiting = (truth.published - newest).saturating_sub(held);
            published += since;
            delivered += own.0;
            lost += since.saturating_sub(own.0 + waiting);
            let shown = truth.published - first_shown;
            if shown > 0 {
                fresh += own.1.len() as f64 / shown as f64;
                sources += 1.0;
            }
        }
        let mut delays: Vec<f64> = self.delays.iter().copied().collect();
        delays.sort_by(f64::total_cmp);
        let counters = stage.newsroom.total_counters();
        let lasted = (stage.clock.now() - self.began).max(1.0);
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
        let all = std::iter::once((EVERYTHING.to_owned(), self.everything));
        let mut feeds = Vec::new();
        for (name, id) in all.chain(self.others.iter().cloned()) {
            feeds.push((name, node.archive.feed_tally(id)?.next));
        }
        let known = share(delivered as f64, (delivered + lost) as f64);
        Ok(State {
            at: stage.clock.now(),
            lasted,
            published,
            delivered,
            lost,
            requests: counters.requests,
            not_modified: counters.not_modified as f64 / (counters.requests.max(1)) as f64,
            threshold: status.threshold,
            budget: status.budget_per_minute,
            spent: counters.requests as f64 / lasted * 60.0,
            completeness: [status.completeness, known],
            freshness: [status.freshness, share(fresh, sources)],
            median_delay: delays.get(delays.len() / 2).map(|seconds| seconds / 60.0),
            feeds,
        })
    }
}

fn seconds(at: Timestamp) -> f64 {
    at.unix() as f64
}

/// The source and number that an item's link names.
fn place(link: &str) -> Option<(&str, u64)> {
    let (_, rest) = link.split_once("/items/")?;
    let (name, number) = rest.rsplit_once('/')?;
    Some((name, number.parse().ok()?))
}

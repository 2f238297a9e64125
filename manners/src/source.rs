//! A source: what it is, its state after the last refresh, and what was seen of its items.

mod credentials;

use std::collections::VecDeque;

use pergola_feed::address::{identity_of, origin_of};
use pergola_feed::html::Selectors;
use pergola_feed::identity::{self, SourceIdentity};
use pergola_feed::{Item, ItemId, NodeId, OriginId, digest, digest_after};
use pergola_refresh::quality::Estimate;
use pergola_refresh::{DAY, Invalid, ModelKind, Observation, Source};

use crate::courtesy::{Courtesy, Outcome};
pub use credentials::{Credentials, Proof, Unsendable};

/// The number of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// What identifies an item, whichever route it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey(pub u128);

/// A number that stands for an item for ever: 63 bits that follow from its key, so that it is positive wherever
/// numbers have 64 bits and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemNumber(pub u64);

impl From<ItemKey> for ItemNumber {
    /// All bits of the key are mixed: the keys of similar ids differ in few bits, and no part of a key is enough to
    /// tell them apart.
    fn from(key: ItemKey) -> Self {
        fn mixed(bits: u64) -> u64 {
            let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bits ^ (bits >> 31)
        }
        let (high, low) = ((key.0 >> 64) as u64, key.0 as u64);
        Self(mixed(high ^ mixed(low)) >> 1)
    }
}

/// The key of an item: its id where that means the same everywhere, else its id within the feed it first
/// appeared in. `source` identifies the feed that delivered it.
///
/// Two items have the same key exactly if they are published under the same id.
pub fn item_key(id: &ItemId, item: &Item, source: OriginId) -> ItemKey {
    if let Some((origin, own)) = identity::original(id) {
        return ItemKey(digest_after(origin.0, &[&own.0]));
    }
    if identity::is_global(id) {
        return ItemKey(digest(&[&id.0]));
    }
    ItemKey(digest_after(origin_of_item(item, source).0, &[&id.0]))
}

/// The feed in which an item first appeared: `source`, which delivered it, unless it names another.
pub fn origin_of_item(item: &Item, source: OriginId) -> OriginId {
    item.origin.as_ref().and_then(identity_of).unwrap_or(source)
}

/// How a source is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceKind {
    /// A feed, or a page that is marked up or leads to one.
    Feed,
    /// A page read by CSS selectors.
    Page(Selectors),
    /// An OPML list whose sources are subscribed to as long as they are on it.
    List,
}

/// A source as it was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceRecord {
    /// Where it is now.
    pub url: String,
    /// Addresses that it had before.
    pub formerly: Vec<String>,
    /// The name that its user gave it.
    pub title: Option<String>,
    /// How it is read.
    pub kind: SourceKind,
    /// What one of its items is worth, relative to those of other sources.
    pub importance: f32,
    pub added_at: f64,
    /// Somebody asked for it, not only a feed or a list.
    pub wanted: bool,
    /// The configuration names it; it goes when it is no longer named there.
    pub declared: bool,
    /// The lists it is on.
    pub lists: Vec<SourceId>,
    /// Identifies it in ids of its items; unchanged by moves.
    pub origin: OriginId,
    /// Its address is published nowhere.
    pub private: bool,
    /// What it is shown to let us in.
    pub credentials: Option<Credentials>,
    /// The folders that its user put it in; one inside another as `Tech/Rust`.
    pub folders: Vec<String>,
    /// What its first document shows is old: it is known, but neither kept nor published.
    pub only_new: bool,
}

impl SourceRecord {
    /// A feed that nobody has asked for yet.
    pub fn new(url: impl Into<String>, added_at: f64) -> Self {
        let url = url.into();
        Self {
            origin: origin_of(&url),
            url,
            formerly: Vec::new(),
            title: None,
            kind: SourceKind::Feed,
            importance: 1.0,
            added_at,
            wanted: false,
            declared: false,
            lists: Vec::new(),
            private: false,
            credentials: None,
            folders: Vec::new(),
            only_new: false,
        }
    }

    /// The address by which the operator has named it, before any redirect or page led it elsewhere. Whatever it
    /// may reach beyond what is public belongs to this address. First among the former addresses, because a source
    /// that was named where it is now has that address there once more.
    pub fn named_address(&self) -> &str {
        self.formerly.first().unwrap_or(&self.url)
    }

    /// Whether the operator has named it, and not only a list.
    pub fn is_named(&self) -> bool {
        self.wanted || self.declared || self.lists.is_empty() || self.is_named_here()
    }

    /// Whether the operator has named it by its address of today.
    pub fn is_at_its_name(&self) -> bool {
        self.is_named() && self.named_address() == self.url
    }

    fn is_named_here(&self) -> bool {
        self.formerly.first() == Some(&self.url)
    }

    /// The operator has named it by its address of today.
    pub fn name_here(&mut self) {
        if !self.is_named_here() {
            self.formerly.retain(|old| *old != self.url);
            self.formerly.insert(0, self.url.clone());
        }
    }

    /// Every address that it has or had.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.url).chain(&self.formerly).map(String::as_str)
    }
}

/// A source after its last refresh.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceState {
    /// What the scheduler believes; stored in a row of its own, which is large and seldom changes.
    pub schedule: Source,
    /// The last refresh that found nothing new, if that row does not know of it.
    pub unchanged_at: Option<f64>,
    /// What the source has asked of us.
    pub courtesy: Courtesy,
    /// The scheduler does not refresh it before.
    pub next_at: f64,
    /// The title that its document has.
    pub title: Option<String>,
    /// The page that its document belongs to.
    pub home: Option<String>,
    /// Digest of the last document, by which the same bytes are recognised.
    pub document: u64,
    /// Counts since it was added.
    pub tally: Tally,
    /// Our own estimate of how well we follow it.
    pub quality: Estimate,
    /// The last refreshes, oldest first.
    pub recent: VecDeque<PastRefresh>,
    /// What is wrong, in words, until a refresh succeeds.
    pub trouble: Option<String>,
}

/// The state of a source in one word, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It is gone for good.
    Ended,
    /// The last refresh failed.
    Failing,
    /// It wants quiet, or whoever runs the node has paused it.
    Paused,
    /// Never refreshed.
    New,
    /// The last refresh worked.
    Well,
}

impl SourceState {
    /// The state in one word.
    pub fn standing(&self) -> Standing {
        let courtesy = &self.courtesy;
        match self.tally.requests {
            _ if courtesy.ended.is_some() => Standing::Ended,
            _ if courtesy.halted || courtesy.pause.is_some() => Standing::Paused,
            _ if courtesy.failures.is_some() => Standing::Failing,
            0 => Standing::New,
            _ => Standing::Well,
        }
    }

    /// A source that was never refreshed.
    pub fn new(schedule: Source) -> Self {
        Self {
            schedule,
            unchanged_at: None,
            courtesy: Courtesy::default(),
            next_at: 0.0,
            title: None,
            home: None,
            document: 0,
            tally: Tally::default(),
            quality: Estimate::default(),
            recent: VecDeque::new(),
            trouble: None,
        }
    }

    /// Joins the two rows: the time that the model's row does not cover brought no news.
    pub fn with_schedule(mut self, schedule: Source) -> Result<Self, Invalid> {
        self.schedule = schedule;
        if let Some(at) = self.unchanged_at {
            let since = self.schedule.last;
            let nothing =
                Observation { at, since, new_items: 0, window: 0, censored: false, dates: &[] };
            self.schedule = self.schedule.after(&nothing)?;
        }
        Ok(self)
    }

    /// When the source was last asked. What was pushed does not count.
    pub fn last_asked(&self) -> Option<f64> {
        let bad = self.recent.iter().rev().find(|refresh| !refresh.outcome.is_good());
        let bad = bad.map(|refresh| refresh.at);
        [self.courtesy.pace.last_refresh(), bad].into_iter().flatten().reduce(f64::max)
    }

    /// Until when the headers of the last answer ask us to stay away. Nothing if that is not known: rows
    /// of schema 2 have the time of the next refresh in its place.
    pub fn asked_until(&self) -> Option<f64> {
        let asked = self.courtesy.asked_until;
        (asked != self.next_at).then_some(asked)
    }

    /// Remembers a refresh and forgets the oldest one beyond [`SourceState::REMEMBERED`].
    pub fn remember(&mut self, refresh: PastRefresh) {
        if self.recent.len() == Self::REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(refresh);
    }

    /// Refreshes remembered for plots.
    pub const REMEMBERED: usize = 48;
}

/// A placeholder for a model that is elsewhere.
pub fn unknown() -> Source {
    let model = ModelKind::Gamma.build(1.0 / DAY).expect("an item a day is a rate");
    Source::new(model, 1)
}

/// One refresh, as a plot shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastRefresh {
    pub at: f64,
    pub outcome: Outcome,
    pub new_items: u32,
    /// Bytes received.
    pub bytes: u32,
}

/// Counts of one source.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    pub requests: u64,
    /// Requests answered without sending anything, because nothing was new (304, or an empty page).
    pub not_modified: u64,
    /// Requests that failed.
    pub failures: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Items delivered.
    pub items: u64,
    /// Items that were edited after delivery.
    pub updates: u64,
    /// Refreshes that found no known item: something was lost before them.
    pub overruns: u64,
}

/// What was seen of a source's items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Known {
    /// How its items are told apart.
    pub identity: SourceIdentity,
    /// Items seen, the longest gone first.
    pub items: Vec<KnownItem>,
    /// The number of the next chunk.
    pub next_chunk: u32,
}

/// In place of a chunk's number: the item is known, but it was old when its source was added.
pub const NOT_KEPT: u32 = u32::MAX;

/// In place of a digest: what is stored of the item is damaged, so it is stored again when a document or an archive
/// shows it.
pub const LOST: u128 = u128::MAX;

/// Like [`LOST`], after the archives were looked through.
pub const SOUGHT: u128 = u128::MAX - 1;

/// One item that was seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownItem {
    pub key: ItemKey,
    /// Digest of its content: an edited item has another one.
    pub digest: u128,
    /// The chunk that holds it …; [`NOT_KEPT`] if none does.
    pub chunk: u32,
    /// … and its index there.
    pub index: u16,
    pub first_seen: f64,
    /// When the document last had it.
    pub seen_at: f64,
}

/// A loop of nodes by which items of a source come back to this node.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    pub since: f64,
    /// When an item last came back, to the hour.
    pub seen: f64,
    /// The nodes in order, this one first and last.
    pub nodes: Vec<NodeId>,
}

impl std::fmt::Display for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.nodes.iter().map(|node| node.0.as_str()).collect();
        f.write_str(&names.join(" → "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn items_with_similar_ids_have_different_numbers() {
        for start in ["https://example.org/items/", "urn:x:", "", "tag:example.org,2026:"] {
            let number = |n: u32| {
                let item = Item::new(format!("{start}{n}"));
                ItemNumber::from(item_key(&item.id, &item, origin_of("https://example.org/")))
            };
            let numbers: HashSet<ItemNumber> = (700_000..750_000).map(number).collect();
            assert_eq!(numbers.len(), 50_000, "{start}");
            assert!(numbers.iter().all(|number| number.0 < 1 << 63));
        }
    }
}

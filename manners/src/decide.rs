//! What is new in a document: compares it with what was known of its source.
//!
//! A pure function, so a decision can be printed, tested and compared without a network or a store, and a
//! failed commit leaves nothing half done. Dates never decide what is new. An item that has already passed
//! this node is dropped, so nodes that are wired in a circle do not send items around for ever.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use pergola_feed::identity::{self, Assigned, Degraded, Policy};
use pergola_feed::{Document, Hop, Item, Millis, NodeId, Origin, OriginId, Timestamp, disarm};
use pergola_refresh::DAY;

use crate::courtesy::Span;
use crate::loops::Returned;
use crate::source::{ItemKey, Known, KnownItem, LOST, NOT_KEPT, SOUGHT, item_key, origin_of_item};

/// Items kept together in one row.
pub const CHUNK: usize = 32;
/// Items that have left the document are remembered this long …
const REMEMBERED: f64 = 60.0 * DAY;
/// … and no more of them than this.
const MOST_GONE: usize = 5_000;

/// What a document is compared with.
pub struct Before<'a> {
    /// What was seen of the source so far.
    pub known: Known,
    /// Where the document was fetched.
    pub url: &'a str,
    /// What identifies the source.
    pub origin: OriginId,
    /// This node.
    pub node: &'a NodeId,
    /// Whether the document shows the window or only what has changed.
    pub span: Span,
    /// Items that archives add behind those of the document.
    pub older: Vec<Item>,
    /// The ids come from a peer, which has judged them already.
    pub judged: bool,
}

/// What a document brought.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What is known from now on.
    pub known: Known,
    /// New and edited items, oldest first.
    pub news: Vec<News>,
    pub observed: Observed,
    /// The source's ids proved bad.
    pub degraded: Option<Degraded>,
    /// Items dropped because they had already passed this node.
    pub returned: Returned,
}

/// An item that was not known, or not like this.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// The item.
    pub item: Item,
    /// What identifies it.
    pub key: ItemKey,
    /// It was known and says something else now.
    pub edited: bool,
    /// The chunk that will hold it …
    pub chunk: u32,
    /// … and its index there.
    pub index: u16,
}

/// What a model can learn from a refresh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Items never seen before.
    pub new_items: u32,
    /// Items in the document; 0 if it did not show the window.
    pub window: u32,
    /// No known item was left: some may have been missed.
    pub censored: bool,
    /// Publication instants of the new items, oldest first, if all have one.
    pub dates: Vec<f64>,
}

/// Decides what a document brought. Its items are taken out of it.
pub fn decide(document: &mut Document, before: Before<'_>, now: f64) -> Decision {
    let Before { mut known, url, origin, node, span, judged, older } = before;
    let window = document.items.len();
    // Archives follow behind it.
    let cut_off = if document.cut_off { window.checked_sub(1) } else { None };
    document.items.extend(older);
    // The same feed may have degraded over HTTP; its items are then known by what identifies them there.
    let (assigned, degraded) = match judged && known.identity.policy() == Policy::Id {
        true => (document.items.iter().map(as_it_is).collect(), None),
        false => known.identity.assign(document),
    };
    let items = std::mem::take(&mut document.items);
    let mut comparison = Comparison::new(&mut known, origin_of(document, url), origin, node, now);
    for (number, (item, assigned)) in items.into_iter().zip(assigned).enumerate() {
        comparison.take(item, assigned, Some(number) != cut_off);
    }
    let Comparison { had_any, met, news, returned, .. } = comparison;
    let mut news = chronological(news);
    place_in_chunks(&mut news, &mut known);
    let news: Vec<News> = news.into_iter().map(|(_, news)| news).collect();
    let observed = observe(&news, window, span, had_any && met == 0, now);
    // The archives were looked through for them, as far as they may be.
    let lost = known.items.iter_mut().filter(|item| item.digest == LOST);
    lost.for_each(|item| item.digest = SOUGHT);
    forget(&mut known, now);
    Decision { known, news, observed, degraded, returned }
}

/// A document's items compared with what is known, one after the other.
struct Comparison<'a> {
    known: &'a mut Known,
    node: &'a NodeId,
    now: f64,
    /// The feed that items come from, unless they name another.
    origin: Origin,
    /// What identifies it.
    source: OriginId,
    /// Where each known item stands in `known`.
    places: HashMap<ItemKey, usize>,
    seen: HashSet<ItemKey>,
    /// Items were known before this document.
    had_any: bool,
    /// How many of its items were known.
    met: usize,
    news: Vec<(usize, News)>,
    returned: Returned,
}

impl<'a> Comparison<'a> {
    fn new(
        known: &'a mut Known,
        origin: Origin,
        source: OriginId,
        node: &'a NodeId,
        now: f64,
    ) -> Self {
        let places = known.items.iter().enumerate().map(|(place, item)| (item.key, place));
        Self {
            places: places.collect(),
            had_any: !known.items.is_empty(),
            known,
            node,
            now,
            origin,
            source,
            seen: HashSet::new(),
            met: 0,
            news: Vec::new(),
            returned: Returned::default(),
        }
    }

    /// Says in the item where it comes from. An id that names its feed becomes the id within that feed again, so
    /// that an item is the same by whatever route it comes.
    fn name_origin(&self, item: &mut Item) {
        if let Some((origin, own)) = identity::original(&item.id) {
            item.origin.get_or_insert_default().identity = Some(origin);
            (item.guid, item.id) = (Some(own.0.clone()), own);
            return;
        }
        let identity = origin_of_item(item, self.source);
        let origin = item.origin.get_or_insert_with(|| self.origin.clone());
        origin.identity = Some(identity);
    }

    /// Takes an item. One that is not whole is news if it was not known, and no edit if it was.
    fn take(&mut self, mut item: Item, assigned: Assigned, whole: bool) {
        if item.has_passed(self.node) {
            return self.returned.count(&item, self.node);
        }
        let key = item_key(&item.id, &item, self.source);
        if !self.seen.insert(key) {
            return;
        }
        let (now, digest) = (self.now, item.content_digest());
        let former = assigned.formerly.map(|id| item_key(&id, &item, self.source));
        let place = self.places.get(&key).or_else(|| self.places.get(&former?)).copied();
        self.name_origin(&mut item);
        let fetched = Some(Millis::from_seconds(now));
        item.hops.push(Hop { fetched, ..Hop::at(self.node.clone()) });
        clamp_dates(&mut item, now);
        let Some(place) = place else {
            item.first_seen = Some(Timestamp::from_unix(now as i64));
            let place = self.known.items.len();
            let (chunk, index) = (0, 0);
            let memory = KnownItem { key, digest, chunk, index, first_seen: now, seen_at: now };
            self.known.items.push(memory);
            self.places.insert(key, place);
            return self.news.push((place, News { item, key, edited: false, chunk, index }));
        };
        self.met += 1;
        let memory = &mut self.known.items[place];
        let edited = whole && memory.digest != digest && !was_disarmed(&item, memory.digest);
        (memory.key, memory.seen_at) = (key, now);
        if edited {
            memory.digest = digest;
        }
        if edited && memory.chunk != NOT_KEPT {
            item.first_seen = Some(Timestamp::from_unix(memory.first_seen as i64));
            self.news.push((place, News { item, key, edited, chunk: 0, index: 0 }));
        }
    }
}

/// Whether this is what another node had published disarmed, with this digest: over HTTP every reader gets items
/// that way, over gRPC a node gets them as they were.
fn was_disarmed(item: &Item, digest: u128) -> bool {
    let passed_another = item.hops.len() > 1;
    passed_another && {
        let mut disarmed = item.clone();
        disarm(&mut disarmed);
        disarmed.normalised().content_digest() == digest
    }
}

/// An item that keeps its id.
fn as_it_is(item: &Item) -> Assigned {
    Assigned { id: item.id.clone(), formerly: None }
}

/// The feed that an item comes from, unless it says so itself.
fn origin_of(document: &Document, url: &str) -> Origin {
    Origin {
        id: document.id.clone(),
        title: document.title.clone(),
        feed: Some(url.to_owned()),
        home: document.home().map(str::to_owned),
        series: document.series.clone(),
        identity: None,
    }
}

/// A date in the future is clamped to now.
fn clamp_dates(item: &mut Item, now: f64) {
    let now = Timestamp::from_unix(now as i64);
    item.published = item.published.map(|at| at.min(now));
    item.updated = item.updated.map(|at| at.min(now));
}

/// Oldest first: by date if every item has one, else in the reverse order of the document.
fn chronological(mut news: Vec<(usize, News)>) -> Vec<(usize, News)> {
    news.reverse();
    if news.iter().all(|(_, news)| news.item.published.is_some()) {
        news.sort_by_key(|(_, news)| news.item.published);
    }
    news
}

fn place_in_chunks(news: &mut [(usize, News)], known: &mut Known) {
    for group in news.chunks_mut(CHUNK) {
        let number = known.next_chunk;
        known.next_chunk += 1;
        for (index, (place, news)) in (0..).zip(group) {
            (news.chunk, news.index) = (number, index);
            let memory = &mut known.items[*place];
            (memory.chunk, memory.index) = (number, index);
        }
    }
}

fn observe(news: &[News], window: usize, span: Span, none_known: bool, now: f64) -> Observed {
    let new: Vec<&News> = news.iter().filter(|news| !news.edited).collect();
    let dates: Option<Vec<f64>> =
        new.iter().map(|news| news.item.published.map(|at| (at.unix() as f64).min(now))).collect();
    let mut dates = dates.unwrap_or_default();
    dates.sort_unstable_by(f64::total_cmp);
    Observed {
        new_items: u32::try_from(new.len()).unwrap_or(u32::MAX),
        window: match span {
            Span::Window => u32::try_from(window).unwrap_or(u32::MAX),
            Span::Changes => 0,
        },
        censored: none_known && span == Span::Window && !new.is_empty(),
        dates,
    }
}

/// Items long gone are forgotten, the longest gone first.
fn forget(known: &mut Known, now: f64) {
    known.items.sort_by(|a, b| a.seen_at.total_cmp(&b.seen_at));
    let gone = known.items.iter().take_while(|item| item.seen_at < now).count();
    let old = known.items.iter().take_while(|item| item.seen_at < now - REMEMBERED).count();
    known.items.drain(..old.max(gone.saturating_sub(MOST_GONE)));
}

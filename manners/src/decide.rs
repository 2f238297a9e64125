//! What is new in a document: compares it with what was known of its source.
//!
//! A pure function, so a decision can be printed, tested and compared without a network or a store, and a
//! failed commit leaves nothing half done. Dates never decide what is new. An item that has already passed
//! this node is dropped, so nodes that are wired in a circle do not send items around for ever.

use std::collections::{HashMap, HashSet};

use pergola_feed::identity::{self, Assigned, Degraded, Policy};
use pergola_feed::{Document, Hop, Item, Millis, NodeId, Origin, OriginId, Timestamp, disarm};
use pergola_refresh::DAY;

use crate::courtesy::Span;
use crate::loops::Returned;
use crate::source::{ItemKey, Known, KnownItem, NOT_KEPT, item_key, origin_of_item};

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
    document.items.extend(older);
    // The same feed may have degraded over HTTP; its items are then known by what identifies them there.
    let (assigned, degraded) = match judged && known.identity.policy() == Policy::Id {
        true => (document.items.iter().map(as_it_is).collect(), None),
        false => known.identity.assign(document),
    };
    let items = std::mem::take(&mut document.items);
    let mut comparison = Comparison::new(&mut known, origin_of(document, url), origin, node, now);
    for (item, assigned) in items.into_iter().zip(assigned) {
        comparison.take(item, assigned);
    }
    let Comparison { had_any, met, news, returned, .. } = comparison;
    let mut news = chronological(news);
    place_in_chunks(&mut news, &mut known);
    let news: Vec<News> = news.into_iter().map(|(_, news)| news).collect();
    let observed = observe(&news, window, span, had_any && met == 0, now);
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

    fn take(&mut self, mut item: Item, assigned: Assigned) {
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
        let edited = memory.digest != digest && !was_disarmed(&item, memory.digest);
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

#[cfg(test)]
mod tests {
    use pergola_feed::{Format, ItemId, Text};

    use super::*;

    fn item(id: &str, title: &str) -> Item {
        Item { guid: Some(id.into()), title: Some(title.into()), ..Item::new(id) }
    }

    fn document(items: &[(&str, &str)]) -> Document {
        let items = items.iter().map(|(id, title)| item(id, title)).collect();
        Document { items, title: Some("News".into()), ..Document::new(Format::Rss2) }
    }

    fn refresh(document: Document, known: Known, now: f64) -> Decision {
        compared(document, Span::Window, vec![], known, now)
    }

    fn compared(
        mut document: Document,
        span: Span,
        older: Vec<Item>,
        known: Known,
        now: f64,
    ) -> Decision {
        let node = NodeId("here".into());
        let url = "https://example.org/rss";
        let origin = pergola_feed::address::origin_of(url);
        let before = Before { known, url, origin, node: &node, span, judged: false, older };
        decide(&mut document, before, now)
    }

    /// `+title` for a new item, `~title` for an edited one.
    fn told(decision: &Decision) -> Vec<String> {
        let sign = |news: &News| if news.edited { '~' } else { '+' };
        let title = |news: &News| news.item.title.clone().unwrap_or_default();
        decision.news.iter().map(|news| format!("{}{}", sign(news), title(news))).collect()
    }

    #[test]
    fn everything_is_new_at_first_and_the_oldest_comes_first() {
        let first = refresh(document(&[("b", "Two"), ("a", "One")]), Known::default(), 100.0);
        assert_eq!(told(&first), ["+One", "+Two"]);
        assert_eq!((first.observed.new_items, first.observed.window), (2, 2));
        assert!(!first.observed.censored, "nothing was known, so nothing is known to be missed");
        let item = &first.news[0].item;
        assert_eq!(item.first_seen, Some(Timestamp::from_unix(100)));
        let fetched = Some(Millis::from_unix(100_000));
        assert_eq!(item.hops, [Hop { fetched, ..Hop::at(NodeId("here".into())) }]);
        let origin = item.origin.as_ref().unwrap();
        assert_eq!(origin.feed.as_deref(), Some("https://example.org/rss"));
        let identity = pergola_feed::address::origin_of("https://example.org/rss");
        assert_eq!(origin.identity, Some(identity));
    }

    #[test]
    fn an_item_is_the_same_by_whatever_route_its_id_comes() {
        let origin = OriginId(7);
        let by_peer = Item {
            origin: Some(Origin { identity: Some(origin), ..Origin::default() }),
            ..item("1", "One")
        };
        let named = identity::published(&by_peer.id, origin).0;
        let by_document = item(&named, "One");
        let direct = compared(document(&[]), Span::Window, vec![by_peer], Known::default(), 1.0);
        let relayed =
            compared(document(&[]), Span::Window, vec![by_document], Known::default(), 1.0);
        assert_eq!(direct.news[0].key, relayed.news[0].key);
        let relayed = &relayed.news[0].item;
        assert_eq!((relayed.id.0.as_str(), relayed.guid.as_deref()), ("1", Some("1")));
        assert_eq!(relayed.origin.as_ref().unwrap().identity, Some(origin));
        let ours = refresh(document(&[("1", "One")]), Known::default(), 1.0);
        assert_ne!(ours.news[0].key, direct.news[0].key, "the same id in another feed");
    }

    #[test]
    fn a_source_that_moves_brings_nothing_twice() {
        let node = NodeId("here".into());
        let at = |url, known, now| {
            let (origin, span, older) = (OriginId(7), Span::Window, vec![]);
            let before = Before { known, url, origin, node: &node, span, judged: false, older };
            decide(&mut document(&[("b", "Two"), ("a", "One")]), before, now)
        };
        let first = at("https://example.org/rss", Known::default(), 100.0);
        assert_eq!(told(&first), ["+One", "+Two"]);
        assert_eq!(told(&at("https://example.com/moved", first.known, 200.0)), [""; 0]);
    }

    #[test]
    fn two_items_of_a_merged_feed_with_the_same_id_are_two() {
        let named = |origin| identity::published(&ItemId("1".into()), OriginId(origin)).0;
        let (a, b) = (named(1), named(2));
        let both = refresh(document(&[(&a, "A"), (&b, "B")]), Known::default(), 1.0);
        assert_eq!(told(&both), ["+B", "+A"]);
        assert!(both.news.iter().all(|news| news.item.id.0 == "1"));
        let again = refresh(document(&[(&a, "A"), (&b, "B")]), both.known, 2.0);
        assert_eq!(told(&again), [""; 0]);
    }

    #[test]
    fn an_edited_item_is_an_update_and_no_divergence() {
        let first = refresh(document(&[("b", "Two"), ("a", "One")]), Known::default(), 100.0);
        let second =
            refresh(document(&[("c", "Three"), ("b", "Two!"), ("a", "One")]), first.known, 200.0);
        assert_eq!(told(&second), ["~Two!", "+Three"]);
        assert_eq!(second.observed.new_items, 1);
        assert_eq!(second.news[0].item.first_seen, Some(Timestamp::from_unix(100)));
        let third = refresh(document(&[("c", "Three"), ("b", "Two!")]), second.known, 300.0);
        assert_eq!(told(&third), Vec::<String>::new());
    }

    #[test]
    fn an_item_that_another_node_disarmed_is_no_other_item() {
        let relayed = |body: &str| {
            let mut document = document(&[("a", "One")]);
            document.items[0].content = Some(Text::html(body));
            document.items[0].hops.push(Hop::at(NodeId("there".into())));
            document
        };
        let original = "<p onclick=\"x()\">One <script>x()</script></p> ";
        let mut published = relayed(original);
        disarm(&mut published.items[0]);
        published.items[0] = published.items[0].normalised();
        let over_http = refresh(published.clone(), Known::default(), 100.0);
        let over_grpc = refresh(relayed(original), over_http.known, 200.0);
        assert_eq!(told(&over_grpc), Vec::<String>::new());
        let again = refresh(published, over_grpc.known, 300.0);
        assert_eq!(told(&again), Vec::<String>::new());
        let edited = refresh(relayed(&original.replace("One", "1")), again.known, 400.0);
        assert_eq!(told(&edited), ["~One"]);
    }

    #[test]
    fn a_window_without_a_known_item_is_censored() {
        let first = refresh(document(&[("b", "Two"), ("a", "One")]), Known::default(), 100.0);
        let next = refresh(document(&[("d", "Four"), ("c", "Three")]), first.known, 200.0);
        assert!(next.observed.censored);
        // What has left the document is still known when it comes back.
        let back = refresh(document(&[("d", "Four"), ("a", "One")]), next.known, 300.0);
        assert_eq!(told(&back), Vec::<String>::new());
    }

    #[test]
    fn an_item_that_has_passed_this_node_is_dropped() {
        let mut looped = document(&[("a", "One"), ("b", "Two")]);
        looped.items[0].hops = ["there", "here"].map(|node| Hop::at(NodeId(node.into()))).into();
        let decision = refresh(looped, Known::default(), 100.0);
        assert_eq!((told(&decision), decision.returned.items), (vec!["+Two".to_owned()], 1));
        let way_back = decision.returned.way.unwrap();
        assert_eq!(way_back, ["here", "here"].map(|node| NodeId(node.into())));
    }

    #[test]
    fn a_date_in_the_future_is_clamped_and_dates_decide_nothing() {
        let mut first = document(&[("a", "One")]);
        first.items[0].published = Some(Timestamp::from_unix(9_999));
        let decision = refresh(first.clone(), Known::default(), 100.0);
        assert_eq!(decision.news[0].item.published, Some(Timestamp::from_unix(100)));
        assert_eq!(decision.observed.dates, [100.0]);
        first.items[0].published = Some(Timestamp::from_unix(5));
        assert_eq!(told(&refresh(first, decision.known, 200.0)), Vec::<String>::new());
    }

    #[test]
    fn items_lie_in_chunks_and_are_remembered_where() {
        let ids: Vec<String> = (0..70).map(|n| format!("id {n}")).collect();
        let items: Vec<(&str, &str)> = ids.iter().map(|id| (id.as_str(), id.as_str())).collect();
        let decision = refresh(document(&items), Known::default(), 100.0);
        let places: Vec<(u32, u16)> =
            decision.news.iter().map(|news| (news.chunk, news.index)).collect();
        assert_eq!(
            (places[0], places[31], places[32], places[69]),
            ((0, 0), (0, 31), (1, 0), (2, 5))
        );
        for news in &decision.news {
            let memory = decision.known.items.iter().find(|item| item.key == news.key).unwrap();
            assert_eq!((memory.chunk, memory.index), (news.chunk, news.index));
        }
        assert_eq!(decision.known.next_chunk, 3);
    }

    #[test]
    fn a_delta_shows_no_window_and_is_never_censored() {
        let known = refresh(document(&[("a", "One")]), Known::default(), 100.0).known;
        let decision = compared(document(&[("b", "Two")]), Span::Changes, vec![], known, 200.0);
        assert_eq!(told(&decision), ["+Two"]);
        assert_eq!((decision.observed.window, decision.observed.censored), (0, false));
    }

    #[test]
    fn items_from_archives_are_new_and_fill_the_gap_but_belong_to_no_window() {
        let known = refresh(document(&[("b", "Two"), ("a", "One")]), Known::default(), 100.0).known;
        let older = document(&[("d", "Four"), ("c", "Three"), ("b", "Two")]).items;
        let window = document(&[("f", "Six"), ("e", "Five")]);
        let decision = compared(window, Span::Window, older, known, 200.0);
        assert_eq!(told(&decision), ["+Three", "+Four", "+Five", "+Six"]);
        let Observed { new_items, window, censored, .. } = decision.observed;
        assert_eq!((new_items, window, censored), (4, 2, false));
    }

    #[test]
    fn memory_is_bounded() {
        let mut known = Known::default();
        for round in 0..60u32 {
            let ids: Vec<String> = (0..100).map(|n| format!("{round}-{n}")).collect();
            let items: Vec<_> = ids.iter().map(|id| (id.as_str(), id.as_str())).collect();
            known = refresh(document(&items), known, f64::from(round)).known;
        }
        assert_eq!(known.items.len(), MOST_GONE + 100);
        let later = refresh(document(&[("x", "X")]), known, 61.0 * DAY);
        assert_eq!(later.known.items.len(), 1);
    }
}

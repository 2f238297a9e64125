//! Documents compared with what was known.

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
    let relayed = compared(document(&[]), Span::Window, vec![by_document], Known::default(), 1.0);
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
    assert_eq!((places[0], places[31], places[32], places[69]), ((0, 0), (0, 31), (1, 0), (2, 5)));
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

#[test]
fn what_is_left_of_an_item_at_the_end_of_a_torn_document_is_no_edit() {
    let whole = [("b", "Two"), ("a", "One")];
    let first = refresh(document(&whole), Known::default(), 100.0);
    let torn = Document { cut_off: true, ..document(&[("b", "Two, edited"), ("a", "O")]) };
    let second = refresh(torn, first.known, 200.0);
    assert_eq!(told(&second), ["~Two, edited"]);
    let third = refresh(document(&[("b", "Two, edited"), ("a", "One")]), second.known, 300.0);
    assert_eq!(told(&third), [""; 0], "it says what it said before");
    // One that was not known is better than nothing, and whole as soon as the document is.
    let torn = Document { cut_off: true, ..document(&[("c", "Thr")]) };
    let fourth = refresh(torn, third.known, 400.0);
    assert_eq!(told(&fourth), ["+Thr"]);
    assert_eq!(told(&refresh(document(&[("c", "Three")]), fourth.known, 500.0)), ["~Three"]);
}

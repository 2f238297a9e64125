//! What follows from a reply, for each of those who take it.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use pergola_feed::write::write_atom;
use pergola_feed::{Document, Format, Hop as Passed, Item};
use pergola_refresh::ModelKind;

use super::*;
use crate::courtesy::{Courtesy, FailureKind, Head, Hop, Outcome, Rules, Span};
use crate::heard::hear;
use crate::hints::Hints;
use crate::hub::Advertised;
use crate::link::Refusal;
use crate::loops::LoopChange;
use crate::reply::{
    Failure, HttpAnswer, Page, PeerReply, PeerWord, Presented, Push, Reply, Silence,
};
use crate::source::SourceKind;

const FEED: &str = "https://a.example/feed";
const ID: SourceId = SourceId(7);

fn manners() -> Manners {
    Manners {
        node: NodeId("here".into()),
        rules: RuleBook::new(Rules::default()),
        limits: Limits::default(),
        peers: true,
    }
}

fn subject() -> Subject {
    let record = SourceRecord { wanted: true, ..SourceRecord::new(FEED, 0.0) };
    let model = ModelKind::Gamma.build(1e-3).unwrap();
    Subject {
        id: ID,
        url: Url::parse(FEED).unwrap(),
        record,
        state: SourceState::new(pergola_refresh::Source::new(model, 20)),
        known: Known::default(),
        looped: None,
        link: None,
    }
}

/// The source after an answer, for the next one.
fn next(refreshed: Refreshed) -> Subject {
    let change = Arc::into_inner(refreshed.change).unwrap();
    Subject {
        url: Url::parse(&change.record.url).unwrap(),
        record: change.record,
        state: change.state,
        known: change.known.unwrap_or_default(),
        link: change.link,
        ..subject()
    }
}

fn items(numbers: std::ops::Range<u32>) -> Vec<Item> {
    let item = |number| {
        let id = format!("urn:item:{number}");
        Item { guid: Some(id.clone()), title: Some(id.clone()), ..Item::new(id) }
    };
    numbers.rev().map(item).collect()
}

fn document(numbers: std::ops::Range<u32>) -> Document {
    Document { title: Some("News".into()), items: items(numbers), ..Document::new(Format::Atom) }
}

fn answer(status: u16, headers: &[(&'static str, &str)], text: String) -> HttpAnswer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_str(value).unwrap());
    }
    HttpAnswer {
        status,
        url: Url::parse(FEED).unwrap(),
        hops: Vec::new(),
        head: Head::take(&mut map),
        bytes: text.len() as u64,
        body: Ok(Bytes::from(text)),
        conditional: true,
        refusal: None,
        presented: Presented::Nothing,
    }
}

fn ok(numbers: std::ops::Range<u32>) -> Reply {
    Reply::Http(Box::new(answer(200, &[], write_atom(&document(numbers)))))
}

fn status(status: u16, headers: &[(&'static str, &str)]) -> Reply {
    Reply::Http(Box::new(answer(status, headers, String::new())))
}

fn silence() -> Reply {
    let failure = Failure { kind: FailureKind::Connect, words: "nobody there".into() };
    Reply::Silence(Silence { failure, conditional: true })
}

fn link() -> Link {
    Link::new(FEED, "F".into())
}

fn word() -> PeerWord {
    PeerWord {
        link: Link { cursor: "c9".into(), sequence: Some(9), window: 5, ..link() },
        missed: 0,
        more: false,
        must_meet: false,
        hints: None,
        notes: Vec::new(),
    }
}

fn page(numbers: std::ops::Range<u32>, span: Span, word: PeerWord) -> Reply {
    let page = Page { document: document(numbers), span, bytes: 50, word };
    Reply::Peer(PeerReply::Page(Box::new(page)))
}

fn push(numbers: std::ops::Range<u32>) -> Reply {
    let body = write_atom(&document(numbers));
    let (topic, bytes) = (Url::parse(FEED).unwrap(), body.len() as u64);
    Reply::Push(Box::new(Push { topic, content_type: None, body: Ok(Bytes::from(body)), bytes }))
}

fn refresh(subject: Subject, reply: Reply, now: f64) -> Refreshed {
    refresh_with(subject, reply, Backlog::default(), now)
}

fn refresh_with(subject: Subject, reply: Reply, backlog: Backlog, now: f64) -> Refreshed {
    let manners = manners();
    let heard = hear(reply, subject.hearing(&manners, now));
    conclude(subject, heard, backlog, &manners, Moment { now, random: 0.0 }).unwrap()
}

#[test]
fn a_document_brings_news_to_the_store_and_an_observation_to_the_scheduler() {
    let first = refresh(subject(), ok(0..3), 1_000.0);
    assert_eq!((first.change.news.len(), first.new_items()), (3, 3));
    assert_eq!(first.change.state.title.as_deref(), Some("News"));
    assert_eq!(first.account.outcome, Outcome::Changed);
    let tally = first.change.state.tally;
    assert_eq!((tally.requests, tally.items, tally.bytes), (1, 3, first.schedule.bytes));
    assert_eq!(first.schedule.next_at, 1_000.0 + 3_600.0);
    let second = refresh(next(first), ok(1..5), 5_000.0);
    assert_eq!(second.new_items(), 2);
    let (since, observed) = second.schedule.observed.as_ref().unwrap();
    assert_eq!((*since, observed.window, observed.censored), (Some(1_000.0), 4, false));
    assert_eq!(second.change.state.schedule.last, Some(5_000.0));
}

#[test]
fn nothing_new_is_an_observation_that_costs_no_row_of_the_model() {
    let first = refresh(subject(), ok(0..3), 1_000.0);
    let second = refresh(next(first), status(304, &[]), 5_000.0);
    assert_eq!(second.change.state.unchanged_at, Some(5_000.0));
    assert!(second.change.known.is_none() && second.change.news.is_empty());
    let (_, observed) = second.schedule.observed.as_ref().unwrap();
    assert_eq!((observed.new_items, observed.window), (0, 0));
    assert_eq!(second.change.state.tally.not_modified, 1);
    assert!(second.visit.unwrap().not_modified);
    assert_eq!(second.schedule.plan, Plan::Unknown);
    let third = refresh(next(second), ok(0..4), 9_000.0);
    assert_eq!(third.change.state.unchanged_at, None, "the model is written with the items");
}

#[test]
fn a_failure_teaches_nothing_and_says_what_is_wrong_until_it_goes_right() {
    let failed = refresh(subject(), silence(), 1_000.0);
    assert_eq!(failed.account.outcome, Outcome::Failed(FailureKind::Connect));
    assert!(failed.schedule.observed.is_none() && failed.hub.is_none());
    assert_eq!(failed.schedule.plan, Plan::AsBefore);
    assert_eq!(failed.change.state.trouble.as_deref(), Some("nobody there"));
    assert_eq!(failed.change.state.tally.failures, 1);
    assert_eq!(failed.change.state.schedule.last, None);
    let well = refresh(next(failed), ok(0..1), 9_000.0);
    assert_eq!(well.change.state.trouble, None);
}

#[test]
fn what_was_wrong_with_a_document_is_still_known_after_a_304() {
    let html = answer(200, &[("etag", "\"1\"")], "<html><p>Hello".into());
    let unusable = refresh(subject(), Reply::Http(Box::new(html)), 1_000.0);
    let words = unusable.change.state.trouble.clone().unwrap();
    let again = refresh(next(unusable), status(304, &[]), 9_000.0);
    assert_eq!(again.account.outcome, Outcome::Failed(FailureKind::NotAFeed));
    assert_eq!(again.change.state.trouble, Some(words));
}

#[test]
fn quiet_is_told_to_the_scheduler_and_to_the_host() {
    let paused = refresh(subject(), status(429, &[("retry-after", "7200")]), 1_000.0);
    assert_eq!(paused.account.outcome, Outcome::Paused);
    assert_eq!(paused.schedule.quiet_until, Some(8_200.0));
    let visit = paused.visit.unwrap();
    assert!(visit.paused);
    assert_eq!(visit.pause_until, Some(8_200.0));
    assert_eq!(paused.change.state.trouble.as_deref(), Some("the source answered 429"));
}

#[test]
fn an_archive_that_asks_for_quiet_speaks_for_its_source() {
    let limits = Limits::default();
    let (kind, last, formerly, now) = (&SourceKind::Feed, 0, &[][..], 1_000.0);
    let hearing = Hearing { kind, last, formerly, limits: &limits, now };
    let quiet = hear(status(429, &[("retry-after", "7200")]), hearing);
    let backlog = Backlog {
        items: items(0..2),
        documents: 2,
        bytes: 10,
        quiet: Some(Box::new(quiet)),
        ..Backlog::default()
    };
    let refreshed = refresh_with(subject(), ok(2..4), backlog, now);
    assert_eq!(refreshed.account.outcome, Outcome::Changed);
    assert_eq!(refreshed.new_items(), 4, "what the archives added is news as well");
    assert_eq!(
        (refreshed.schedule.next_at, refreshed.schedule.quiet_until),
        (8_200.0, Some(8_200.0))
    );
    assert_eq!(refreshed.change.state.courtesy.pause, None);
    assert_eq!((refreshed.schedule.more_requests, refreshed.account.archives), (2, 2));
    assert_eq!(refreshed.visit.unwrap().requests, 3);
    assert_eq!(refreshed.change.state.tally.requests, 3);
}

#[test]
fn a_page_that_leads_to_a_feed_moves_the_source_there_at_once() {
    let html = "<html><head><link rel=alternate type='application/rss+xml' href='/rss'>";
    let html = Reply::Http(Box::new(answer(200, &[("etag", "\"1\"")], html.into())));
    let refreshed = refresh(subject(), html, 1_000.0);
    let SourceChange { record, moved, state, .. } = &*refreshed.change;
    assert!(*moved);
    assert_eq!(
        (record.url.as_str(), &*record.formerly),
        ("https://a.example/rss", &[FEED.to_owned()][..])
    );
    assert_eq!((state.courtesy.clone(), state.next_at), (Courtesy::default(), 1_000.0));
    assert_eq!(refreshed.schedule.again, Again::Unfinished);
    assert!(refreshed.account.notes[0].contains("https://a.example/rss"));
}

#[test]
fn a_permanent_redirect_to_tls_is_adopted() {
    let mut moved = subject();
    moved.record.url = "http://a.example/feed".into();
    moved.url = Url::parse(&moved.record.url).unwrap();
    let hops = vec![Hop { status: 301, to: Url::parse(FEED).unwrap() }];
    let answer = HttpAnswer { hops, ..answer(200, &[], write_atom(&document(0..1))) };
    let refreshed = refresh(moved, Reply::Http(Box::new(answer)), 1_000.0);
    assert!(refreshed.change.moved);
    assert_eq!(refreshed.change.record.url, FEED);
}

#[test]
fn no_secret_of_an_address_is_told_in_notes_and_troubles() {
    let mut moved = subject();
    moved.record.url = "http://a.example/feed?token=open-sesame".into();
    moved.url = Url::parse(&moved.record.url).unwrap();
    let to = Url::parse("https://a.example/feed?token=open-sesame").unwrap();
    let answer = HttpAnswer {
        hops: vec![Hop { status: 301, to }],
        ..answer(200, &[], write_atom(&document(0..1)))
    };
    let refreshed = refresh(moved, Reply::Http(Box::new(answer)), 1_000.0);
    assert!(refreshed.change.record.url.starts_with("https://"));
    let told = refreshed.account.notes.join(" ");
    assert!(told.contains("https://a.example/feed?token=********"), "{told}");
    assert!(!told.contains("sesame"), "{told}");
    let words = "https://a.example/feed?token=open-sesame is odd".to_owned();
    let failure = Failure { kind: FailureKind::Protocol, words };
    let silence = Reply::Silence(Silence { failure, conditional: true });
    let trouble = refresh(subject(), silence, 1_000.0).change.state.trouble.clone().unwrap();
    assert_eq!(trouble, "https://a.example/feed?token=******** is odd");
}

#[test]
fn a_list_goes_to_whoever_follows_lists() {
    let mut list = subject();
    list.record.kind = SourceKind::List;
    let opml = r#"<opml><body><outline text="A" xmlUrl="https://b.example/f"/></body></opml>"#;
    let refreshed = refresh(list, Reply::Http(Box::new(answer(200, &[], opml.into()))), 1_000.0);
    assert_eq!(refreshed.list.as_ref().unwrap()[0].url, "https://b.example/f");
    assert_eq!(refreshed.account.outcome, Outcome::Changed);
    let same = refresh(
        Subject {
            record: refreshed.change.record.clone(),
            state: refreshed.change.state.clone(),
            ..subject()
        },
        Reply::Http(Box::new(answer(200, &[], opml.into()))),
        9_000.0,
    );
    assert_eq!((same.list, same.account.outcome), (None, Outcome::Unchanged));
}

#[test]
fn a_document_that_names_a_feed_of_a_node_reveals_a_peer() {
    let text = write_atom(&document(0..1));
    let found = answer(200, &[("pergola-feed", "v1 F")], text.clone());
    let refreshed = refresh(subject(), Reply::Http(Box::new(found)), 1_000.0);
    assert_eq!(refreshed.change.link, Some(link()));
    assert_eq!(refreshed.schedule.again, Again::FoundPeer);
    let hops = vec![Hop { status: 302, to: Url::parse(FEED).unwrap() }];
    let redirected = HttpAnswer { hops, ..answer(200, &[("pergola-feed", "v1 F")], text) };
    let refreshed = refresh(subject(), Reply::Http(Box::new(redirected)), 1_000.0);
    assert_eq!(refreshed.change.link, None, "it speaks for another address");
}

#[test]
fn a_peer_that_answers_over_http_only_is_read_that_way_for_a_while() {
    let known = Subject { link: Some(link()), ..subject() };
    let refusal = Some(Refusal::firm("unimplemented"));
    let answer = HttpAnswer { refusal, ..answer(200, &[], write_atom(&document(0..1))) };
    let refreshed = refresh(known, Reply::Http(Box::new(answer)), 1_000.0);
    let setback = refreshed.change.link.as_ref().unwrap().setback.as_ref().unwrap();
    assert_eq!((setback.until, setback.why.as_str()), (1_000.0 + 3_600.0, "unimplemented"));
}

#[test]
fn a_peer_that_is_away_is_tried_again_soon_however_it_was_asked() {
    for reply in [silence(), status(502, &[])] {
        let known = Subject { link: Some(link()), ..subject() };
        let refreshed = refresh(known, reply, 1_000.0);
        assert!(matches!(refreshed.account.outcome, Outcome::Failed(_)));
        assert!(refreshed.schedule.next_at <= 1_060.0, "{}", refreshed.schedule.next_at);
        assert_eq!(refreshed.change.link, None, "nothing was learnt about the peer");
    }
    let stranger = refresh(subject(), silence(), 1_000.0);
    assert_eq!(stranger.schedule.next_at, 4_600.0);
}

#[test]
fn a_page_of_a_peer_moves_the_cursor_and_corrects_what_was_observed() {
    let known = Subject { link: Some(link()), ..subject() };
    let hints = Hints { now: 1_000.0, ..Hints::default() };
    let said = PeerWord { missed: 4, more: true, hints: Some(hints.clone()), ..word() };
    let mut refreshed = refresh(known, page(0..3, Span::Changes, said), 1_000.0);
    assert_eq!(refreshed.account.outcome, Outcome::Delta);
    assert_eq!(refreshed.change.link.as_ref().unwrap().cursor, "c9");
    assert_eq!(refreshed.schedule.plan, Plan::Planned(hints));
    assert_eq!(refreshed.schedule.again, Again::Unfinished, "there is more");
    let (_, observed) = refreshed.schedule.observed.take().unwrap();
    assert_eq!((observed.window, observed.censored), (5, true));
    assert_eq!(refreshed.change.state.document, 0, "no document was shown");
}

#[test]
fn a_page_without_news_has_to_wait_for_its_turn() {
    let known = Subject { link: Some(link()), ..subject() };
    let said = PeerWord { more: true, ..word() };
    let refreshed = refresh(known, page(0..0, Span::Changes, said), 1_000.0);
    assert_eq!(refreshed.account.outcome, Outcome::Unchanged);
    assert_eq!(refreshed.schedule.again, Again::No);
    assert_eq!(refreshed.change.state.tally.not_modified, 1);
}

#[test]
fn a_first_window_that_meets_nothing_known_is_followed_from_the_oldest_entry() {
    let mut known = next(refresh(subject(), ok(0..3), 1_000.0));
    known.link = Some(link());
    let said = PeerWord { must_meet: true, ..word() };
    let refreshed = refresh(known, page(10..13, Span::Window, said), 2_000.0);
    let link = refreshed.change.link.as_ref().unwrap();
    assert_eq!((link.cursor.as_str(), link.from_oldest, link.sequence), ("", true, None));
    assert_eq!(refreshed.schedule.again, Again::Unfinished);
    let (_, observed) = refreshed.schedule.observed.as_ref().unwrap();
    assert!(!observed.censored, "nothing is lost: it is fetched now");
}

#[test]
fn losses_that_a_peer_has_counted_are_not_estimated() {
    let mut known = next(refresh(subject(), ok(0..3), 1_000.0));
    known.link = Some(link());
    let said = PeerWord { missed: 4, ..word() };
    let refreshed = refresh(known, page(3..5, Span::Changes, said), 2_000.0);
    assert_eq!(refreshed.account.lost, 4.0);
}

#[test]
fn a_push_brings_news_and_leaves_alone_what_the_source_asked_for() {
    let before = refresh(subject(), ok(0..3), 1_000.0);
    let (courtesy, next_at) = (before.change.state.courtesy.clone(), before.schedule.next_at);
    let pushed = refresh(next(before), push(2..5), 2_000.0);
    assert_eq!((pushed.account.outcome, pushed.new_items()), (Outcome::Delta, 2));
    let state = &pushed.change.state;
    assert_eq!((&state.courtesy, state.next_at), (&courtesy, next_at));
    assert_eq!((state.tally.requests, state.tally.items), (1, 5));
    assert!(pushed.visit.is_none());
    let (since, observed) = pushed.schedule.observed.as_ref().unwrap();
    assert_eq!((*since, observed.window, observed.censored), (Some(1_000.0), 0, false));
    let again = refresh(next(pushed), push(2..5), 3_000.0);
    assert_eq!((again.account.outcome, again.new_items()), (Outcome::Unchanged, 0));
}

#[test]
fn hubs_are_heard_of_in_documents_over_http_only() {
    let links = "<https://hub.example/>; rel=hub, <https://a.example/feed>; rel=self";
    let text = write_atom(&document(0..1));
    let named = Reply::Http(Box::new(answer(200, &[("link", links)], text)));
    let hub = refresh(subject(), named, 1_000.0).hub.unwrap();
    assert!(matches!(&hub.advertised, Advertised::Hub(hub) if hub.hub.path() == "/"), "{hub:?}");
    assert_eq!((hub.id, hub.at, hub.new_items), (ID, 1_000.0, 1));
    let advertised = |reply| refresh(subject(), reply, 1_000.0).hub.unwrap().advertised;
    assert_eq!(advertised(ok(0..1)), Advertised::NoHub);
    assert_eq!(advertised(page(0..1, Span::Window, word())), Advertised::NoHub);
    assert_eq!(advertised(status(304, &[])), Advertised::Unknown);
    assert_eq!(advertised(push(0..1)), Advertised::Unknown);
}

#[test]
fn items_that_come_back_are_dropped_and_the_loop_is_told() {
    let mut document = document(0..2);
    document.items[0].hops = vec![Passed::at(NodeId("here".into()))];
    let reply = Reply::Http(Box::new(answer(200, &[], write_atom(&document))));
    let refreshed = refresh(subject(), reply, 1_000.0);
    assert_eq!((refreshed.new_items(), refreshed.account.returned), (1, 1));
    assert!(matches!(refreshed.change.loop_change, LoopChange::Found(_)));
}

#[test]
fn a_window_without_a_known_item_counts_as_loss() {
    let first = refresh(subject(), ok(0..3), 1_000.0);
    let second = refresh(next(first), ok(10..13), 1_000_000.0);
    assert!(second.account.lost > 0.0);
    assert_eq!(second.change.state.tally.overruns, 1);
}

#[test]
fn what_a_source_shows_first_is_old_if_only_new_items_are_wanted() {
    let mut first = subject();
    first.record.only_new = true;
    let refreshed = refresh(first, ok(0..3), 100.0);
    assert!(refreshed.change.news.is_empty());
    assert_eq!(refreshed.change.known.as_ref().unwrap().items.len(), 3);
    // Only what comes later is new, also if something old was edited meanwhile.
    let mut later = document(0..5);
    later
        .items
        .iter_mut()
        .for_each(|item| item.summary = Some(pergola_feed::Text::plain("edited")));
    let later = Reply::Http(Box::new(answer(200, &[], write_atom(&later))));
    let refreshed = refresh(next(refreshed), later, 200.0);
    let news: Vec<_> = refreshed.change.news.iter().map(|news| news.item.id.0.as_str()).collect();
    assert_eq!(news, ["urn:item:3", "urn:item:4"]);
}

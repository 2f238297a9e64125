//! Every kind of reply, and what it means.

use bytes::Bytes;
use http::HeaderMap;
use pergola_feed::write::write_atom;
use pergola_feed::{Format, Item, Link as FeedLink};

use super::*;
use crate::link::Link;

const FEED: &str = "https://a.example/feed";

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn document() -> Document {
    let items = vec![Item { title: Some("One".into()), ..Item::new("urn:1") }];
    Document { title: Some("News".into()), items, ..Document::new(Format::Atom) }
}

fn answer(status: u16, headers: &[(&'static str, &str)], text: &str) -> HttpAnswer {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_str(value).unwrap());
    }
    HttpAnswer {
        status,
        url: url(FEED),
        hops: Vec::new(),
        head: Head::take(&mut map),
        body: Ok(Bytes::copy_from_slice(text.as_bytes())),
        bytes: text.len() as u64,
        conditional: true,
        refusal: None,
        presented: Presented::Nothing,
    }
}

/// What is heard of a feed whose last document had this digest.
fn after(last: u64, reply: Reply) -> Heard {
    read(&SourceKind::Feed, last, &[], reply)
}

fn read(kind: &SourceKind, last: u64, formerly: &[String], reply: Reply) -> Heard {
    let limits = Limits::default();
    hear(reply, Hearing { kind, last, formerly, limits: &limits, now: 100.0 })
}

fn http(answer: HttpAnswer) -> Heard {
    after(0, Reply::Http(Box::new(answer)))
}

fn side(heard: &Heard) -> &HttpSide {
    match &heard.carrier {
        Carrier::Http(http) => http,
        other => panic!("not over HTTP: {other:?}"),
    }
}

fn page(items: Vec<Item>, span: Span) -> Heard {
    let word = PeerWord {
        link: Link::new(FEED, "F".into()),
        missed: 2,
        more: true,
        must_meet: false,
        hints: None,
        notes: Vec::new(),
    };
    let document = Document { items, ..Document::new(Format::Atom) };
    after(0, Reply::Peer(PeerReply::Page(Box::new(Page { document, span, bytes: 9, word }))))
}

fn push(text: &str) -> Reply {
    let body = Ok(Bytes::copy_from_slice(text.as_bytes()));
    let (topic, bytes) = (url(FEED), text.len() as u64);
    Reply::Push(Box::new(Push { topic, content_type: None, body, bytes }))
}

#[test]
fn a_document_is_a_window_or_only_what_has_changed() {
    let text = write_atom(&document());
    for (status, span) in [(200, Span::Window), (226, Span::Changes)] {
        let heard = http(answer(status, &[("etag", "\"1\"")], &text));
        let told = heard.said.document().unwrap();
        assert_eq!((told.span, told.document.items.len()), (span, 1));
        assert_eq!(told.digest, Some(body::digest(text.as_bytes())));
        let named = Validators { etag: Some(b"\"1\"".to_vec()), last_modified: None };
        assert_eq!(side(&heard).validation, Validation::Replaced(named));
        assert_eq!(heard.bytes, text.len() as u64);
    }
}

#[test]
fn the_same_bytes_are_the_same_document_and_are_not_parsed() {
    let nonsense = "not a feed at all";
    let last = body::digest(nonsense.as_bytes());
    let heard = after(last, Reply::Http(Box::new(answer(200, &[], nonsense))));
    assert!(matches!(heard.said, Said::SameDocument), "{heard:?}");
    assert!(matches!(after(last, push(nonsense)).said, Said::SameDocument));
}

#[test]
fn a_304_means_nothing_new_only_if_it_was_asked_for() {
    let heard = http(answer(304, &[("etag", "\"2\"")], ""));
    assert!(matches!(heard.said, Said::NothingNew));
    assert!(matches!(side(&heard).validation, Validation::Confirmed(_)));
    let unasked = http(HttpAnswer { conditional: false, ..answer(304, &[], "") });
    let Said::Refused(refused) = &unasked.said else { panic!("{unasked:?}") };
    assert_eq!(refused.no, No::of_status(304));
    assert_eq!(side(&unasked).validation, Validation::Kept);
}

#[test]
fn every_other_status_is_a_refusal_with_its_words() {
    for (status, no) in [
        (410, No::Gone(410)),
        (429, No::Quiet(Some(429))),
        (503, No::Quiet(Some(503))),
        (403, No::Forbidden),
    ] {
        let heard = http(answer(status, &[("retry-after", "60")], ""));
        let Said::Refused(refused) = &heard.said else { panic!("{heard:?}") };
        assert_eq!((refused.no, heard.terms.retry_after), (no, Some(60.0)));
        assert_eq!(refused.words, format!("the source answered {status}"));
        assert_eq!(heard.is_away(), status >= 500);
    }
}

#[test]
fn a_401_says_what_to_do_about_it() {
    for (presented, advice) in [
        (Presented::Nothing, "wants a user and a password: give them with `--user NAME`"),
        (Presented::Nothing, "`token` of a.example"),
        (Presented::Credentials, "does not accept the user and password"),
        (Presented::Elsewhere, "for another address than https://a.example,"),
        (Presented::InTheClear, "use an address that begins with https://"),
    ] {
        let heard = http(HttpAnswer { presented, ..answer(401, &[], "") });
        let trouble = heard.said.trouble().unwrap();
        assert!(trouble.contains(advice), "{presented:?}: {trouble}");
    }
}

#[test]
fn a_page_that_leads_to_a_feed_gives_no_password() {
    let page = r#"<html><head><link rel="alternate" type="application/rss+xml"
                  href="https://bob:secret@a.example/rss">"#;
    let heard = http(answer(200, &[("content-type", "text/html")], page));
    let Said::LeadsTo(feed) = &heard.said else { panic!("{heard:?}") };
    assert_eq!(feed.as_str(), "https://a.example/rss");
}

#[test]
fn a_body_that_cannot_be_used_says_why_and_its_validators_count() {
    let failure = Failure { kind: crate::courtesy::FailureKind::Bomb, words: "too large".into() };
    let packed = HttpAnswer { body: Err(failure), ..answer(200, &[], "") };
    let html = answer(200, &[], "<html><p>Hello");
    for (answer, words) in [(packed, "too large"), (html, "links to none")] {
        let heard = http(answer);
        assert!(matches!(heard.said, Said::Unusable(_)), "{heard:?}");
        assert!(heard.said.trouble().unwrap().contains(words), "{heard:?}");
        assert!(matches!(side(&heard).validation, Validation::Replaced(_)));
        assert!(heard.said.is_answer());
    }
}

#[test]
fn a_page_leads_to_its_feed_unless_it_leads_back() {
    let html = "<html><head><link rel=alternate type='application/rss+xml' href='/rss'>";
    let reply = || Reply::Http(Box::new(answer(200, &[], html)));
    let heard = after(0, reply());
    assert!(matches!(&heard.said, Said::LeadsTo(to) if to.path() == "/rss"), "{heard:?}");
    let formerly = ["https://a.example/rss".to_owned()];
    let back = read(&SourceKind::Feed, 0, &formerly, reply());
    assert!(back.said.trouble().unwrap().contains("link to each other"), "{back:?}");
}

#[test]
fn a_list_names_its_sources() {
    let opml = r#"<opml><body><outline text="A" xmlUrl="https://b.example/f"/></body></opml>"#;
    let heard = read(&SourceKind::List, 0, &[], Reply::Http(Box::new(answer(200, &[], opml))));
    let Said::List(list) = &heard.said else { panic!("{heard:?}") };
    let member = Member { url: "https://b.example/f".into(), title: Some("A".into()) };
    assert_eq!(list.members, [member]);
    assert_eq!(heard.said.digest(), Some(list.digest));
}

#[test]
fn a_page_of_a_peer_is_a_window_at_first_and_then_what_has_changed() {
    let items = document().items;
    assert_eq!(page(vec![], Span::Window).said.document().unwrap().span, Span::Window);
    let heard = page(items, Span::Changes);
    let told = heard.said.document().unwrap();
    assert_eq!((told.span, told.digest), (Span::Changes, None));
    assert!(matches!(&heard.carrier, Carrier::Peer(Some(word)) if word.missed == 2 && word.more));
    let nothing = page(vec![], Span::Changes);
    assert!(matches!(nothing.said, Said::NothingNew));
    assert!(matches!(nothing.carrier, Carrier::Peer(Some(_))), "what it says besides counts");
}

#[test]
fn a_busy_peer_asks_for_quiet_without_any_status() {
    let heard = after(0, Reply::Peer(PeerReply::Busy { retry_after: Some(40.0) }));
    let Said::Refused(Refused { status, no, .. }) = &heard.said else { panic!("{heard:?}") };
    assert_eq!((*status, *no, heard.terms.retry_after), (None, No::Quiet(None), Some(40.0)));
    assert!(!heard.is_away());
}

#[test]
fn a_push_is_never_the_whole_window() {
    let heard = after(0, push(&write_atom(&document())));
    assert_eq!(heard.said.document().unwrap().span, Span::Changes);
    assert!(matches!(heard.carrier, Carrier::Hub));
}

#[test]
fn silence_is_away_and_says_why() {
    let failure = Failure { kind: crate::courtesy::FailureKind::Dns, words: "no such host".into() };
    let heard = after(0, Reply::Silence(Silence { failure, conditional: false }));
    assert!(heard.is_away() && !heard.said.is_answer());
    assert_eq!(heard.said.trouble(), Some("no such host"));
    assert!(matches!(heard.carrier, Carrier::Nobody { conditional: false }));
}

#[test]
fn older_documents_are_followed_from_a_window_on_the_same_host() {
    let mut document = document();
    document.links.push(FeedLink::new("prev-archive", "https://a.example/archive/1"));
    let text = write_atom(&document);
    let older = http(answer(200, &[], &text)).older();
    assert_eq!(older, Some(url("https://a.example/archive/1")));
    assert_eq!(http(answer(226, &[], &text)).older(), None);
    assert_eq!(after(0, push(&text)).older(), None);
}

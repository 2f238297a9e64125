//! Which items are the same, within a document and across fetches.

use pergola_feed::identity::{IdentityParts, Policy, SourceIdentity};
use pergola_feed::{Document, Format, Item};

use crate::{read, rss};

fn fetched(items: impl Iterator<Item = (String, String, String)>) -> Document {
    let mut document = Document::new(Format::Rss2);
    document.items = items
        .map(|(guid, link, title)| {
            let mut item = Item::new("");
            item.guid = (!guid.is_empty()).then_some(guid);
            item.link = (!link.is_empty()).then_some(link);
            item.title = Some(title);
            item
        })
        .collect();
    document
}

fn window(guid: impl Fn(usize) -> String) -> Document {
    fetched((0..20).map(|n| (guid(n), format!("https://example.org/{n}"), format!("item {n}"))))
}

#[test]
fn a_guid_that_two_items_share_identifies_neither() {
    let document = read(&rss(
        "<item><guid>same</guid><link>https://example.org/1</link><title>a</title></item>\
         <item><guid>same</guid><link>https://example.org/2</link><title>b</title></item>",
    ));
    let ids: Vec<&str> = document.items.iter().map(|item| item.id.0.as_str()).collect();
    assert_eq!(ids, ["https://example.org/1", "https://example.org/2"]);
}

#[test]
fn an_item_without_id_and_link_keeps_its_id_when_its_date_changes() {
    let at = |date: &str| {
        let text = rss(&format!(
            "<item><title>a</title><description>b</description><pubDate>{date}</pubDate></item>"
        ));
        read(&text).items[0].id.clone()
    };
    assert_eq!(at("Mon, 16 Nov 2026 01:00:00 GMT"), at("Tue, 17 Nov 2026 01:00:00 GMT"));
}

#[test]
fn good_ids_are_trusted_for_ever() {
    let mut source = SourceIdentity::default();
    for _ in 0..50 {
        let (_, degraded) = source.assign(&mut window(|n| format!("id-{n}")));
        assert_eq!(degraded, None);
    }
    assert_eq!(source.policy(), Policy::Id);
}

#[test]
fn one_bad_id_in_twenty_is_tolerated_and_two_are_not() {
    let bad = |count: usize| {
        move |n: usize| {
            if n < count { "dup".into() } else { format!("id-{n}") }
        }
    };
    let mut source = SourceIdentity::default();
    let mut document = window(bad(2)); // the first of two equal ids is not counted
    assert_eq!(source.assign(&mut document).1, None);
    assert_eq!(document.items[0].id.0, "dup");
    assert_ne!(document.items[1].id.0, "dup", "a tolerated duplicate must stay a separate item");

    let degraded = SourceIdentity::default().assign(&mut window(bad(3))).1.unwrap();
    assert_eq!((degraded.from, degraded.to), (Policy::Id, Policy::Link));
    assert!(degraded.reason.contains("2 duplicated"), "{}", degraded.reason);
}

#[test]
fn ids_that_change_at_each_fetch_degrade_the_source_and_old_items_are_recognised() {
    let mut source = SourceIdentity::default();
    assert_eq!(source.assign(&mut window(|n| format!("first-{n}"))).1, None);
    let mut second = window(|n| format!("second-{n}"));
    let (assigned, degraded) = source.assign(&mut second);
    assert_eq!(degraded.unwrap().to, Policy::Link);
    assert_eq!(second.items[3].id.0, "https://example.org/3");
    assert_eq!(assigned[3].formerly.as_ref().unwrap().0, "second-3");
    let (third, degraded) = source.assign(&mut window(|n| format!("third-{n}")));
    assert_eq!((third[3].formerly.clone(), degraded), (None, None));
}

#[test]
fn a_source_with_bad_links_too_falls_back_to_digests() {
    let mut source = SourceIdentity::default();
    let mut document = fetched(
        (0..20)
            .map(|n| ("same".to_owned(), "https://example.org/".to_owned(), format!("item {n}"))),
    );
    let degraded = source.assign(&mut document).1.unwrap();
    assert_eq!((degraded.from, degraded.to), (Policy::Id, Policy::Digest));
    assert!(document.items[0].id.0.starts_with("urn:pergola:digest:"));
    assert_eq!(source.assign(&mut document).1, None);
}

#[test]
fn an_edited_item_with_a_known_id_keeps_it() {
    let mut source = SourceIdentity::default();
    source.assign(&mut window(|n| format!("id-{n}")));
    let mut edited = window(|n| format!("id-{n}"));
    edited.items[0].title = Some("corrected".into());
    let (assigned, degraded) = source.assign(&mut edited);
    assert_eq!((assigned[0].id.0.as_str(), degraded), ("id-0", None));
}

#[test]
fn the_state_survives_storage() {
    let mut source = SourceIdentity::default();
    source.assign(&mut window(|n| format!("first-{n}")));
    let IdentityParts { policy, judged, bad, lately } = source.parts();
    let parts = IdentityParts { policy, judged, bad, lately: lately.clone() };
    let mut restored = SourceIdentity::from_parts(parts);
    assert_eq!(restored, source);
    assert!(restored.assign(&mut window(|n| format!("second-{n}"))).1.is_some());
}

#[test]
fn an_item_that_a_document_shows_twice_is_one_item() {
    let name = |n: usize| (format!("item-{n}"), String::new(), format!("title {n}"));
    let once = fetched((0..12).map(name)).items;
    let window = |items: Vec<Item>| {
        let mut document = Document::new(Format::Rss2);
        document.items = items;
        document
    };
    let known: Vec<_> = once.iter().map(|item| item.guid.clone().unwrap()).collect();
    let twice: Vec<Item> = once.iter().flat_map(|item| [item.clone(), item.clone()]).collect();
    for repeated in [twice.clone(), twice[..6].to_vec()] {
        let mut document = window(repeated.clone());
        pergola_feed::identity::assign(&mut document);
        let expected: Vec<_> = repeated.iter().map(|item| item.guid.clone().unwrap()).collect();
        let ids = |document: &Document| -> Vec<String> {
            document.items.iter().map(|item| item.id.0.clone()).collect()
        };
        assert_eq!(ids(&document), expected, "in one document");
        let mut source = SourceIdentity::default();
        source.assign(&mut window(once.clone()));
        let (_, degraded) = source.assign(&mut document);
        assert_eq!(degraded, None, "the ids are as good as before");
        assert_eq!(ids(&document), expected, "over several documents");
        assert!(ids(&document).iter().all(|id| known.contains(id)));
    }
}

//! The rules of the W3C feed validator and of the JSON Feed specification.
//!
//! Written documents break none of the error rules. We accept four of the validator's warnings, to keep
//! data: an item without title and summary has an empty `description` (RSS demands one of the two), an
//! enclosure of unknown length has length 0, an unregistered relation is kept as published, and an entry
//! without a title has an empty one.

mod rules;

use pergola_feed::write::{write_atom, write_json, write_rss};
use pergola_feed::{Document, Format, Item, Link, ParseOptions, Person, Text, Timestamp, parse};
use proptest::prelude::*;

use crate::roundtrip::{document, item, unique};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn written_documents_break_no_rule(items in prop::collection::vec(item(), 0..4)) {
        let document = document(unique(items));
        for (text, check) in [
            (write_rss(&document), rules::rss as fn(&str) -> Vec<String>),
            (write_atom(&document), rules::atom),
            (write_json(&document), rules::json),
        ] {
            let broken = check(&text);
            prop_assert!(broken.is_empty(), "{:?}\n{}", broken, text);
        }
    }
}

#[test]
fn archives_break_no_rule_but_a_second_neighbour_would() {
    let mut archive = document(vec![Item { title: Some("x".into()), ..Item::new("urn:x:1") }]);
    archive.hints.archive = true;
    archive.links.push(Link::new("next-archive", "https://example.org/feed/3"));
    archive.links.push(Link::new("current", "https://example.org/feed"));
    let (rss, atom, json) = (write_rss(&archive), write_atom(&archive), write_json(&archive));
    assert_eq!(rules::rss(&rss), [""; 0], "{rss}");
    assert_eq!(rules::atom(&atom), [""; 0], "{atom}");
    assert_eq!(rules::json(&json), [""; 0], "{json}");
    assert!(!rules::rss(&rss.replace("next-archive", "prev-archive")).is_empty());
    assert!(!rules::atom(&atom.replace("next-archive", "prev-archive")).is_empty());
}

#[test]
fn a_feed_without_its_own_data_is_valid() {
    let mut bare = Document::new(Format::Rss2);
    let mut item = Item::new("1");
    item.content = Some(Text::plain("x"));
    bare.items.push(item);
    // A feed without an address cannot have a self link; the validator has no other complaint.
    assert_eq!(rules::rss(&write_rss(&bare)), ["no self link"]);
    assert_eq!(rules::atom(&write_atom(&bare)), ["no self link"]);
    assert_eq!(rules::json(&write_json(&bare)), Vec::<String>::new());
}

#[test]
fn the_summary_of_an_entry_without_a_link_is_not_hidden_by_empty_content() {
    let item = Item { summary: Some(Text::html("<p>told</p>")), ..Item::new("urn:x:1") };
    let atom = write_atom(&document(vec![item.clone()]));
    assert!(atom.contains("<content type=\"html\">&lt;p&gt;told&lt;/p&gt;</content>"), "{atom}");
    assert_eq!(rules::atom(&atom), [""; 0], "{atom}");
    let again = parse(atom.as_bytes(), &ParseOptions::default()).unwrap();
    assert_eq!((&again.items[0].summary, &again.items[0].content), (&item.summary, &None));
}

#[test]
fn the_rules_detect_mistakes() {
    let mut document = document(vec![Item::new("urn:example:1")]);
    document.items[0].published = Timestamp::parse("2026-11-16");
    document.items[0].authors = vec![Person::named("desk")];
    document.links.push(Link::new("related", "https://example.org/r"));
    let rss = write_rss(&document);
    for (right, wrong) in [
        ("Mon, 16 Nov 2026", "2026-11-16"),
        ("<link>https://example.org/</link>", "<link>/</link>"),
        ("<title>Feed</title>", ""),
        ("isPermaLink=\"false\"", "isPermaLink=\"true\""),
        ("rel=\"self\"", "rel=\"via\""),
        ("</item>", "<guid>urn:example:2</guid></item>"),
        ("<item>", "<item><unknown/>"),
    ] {
        assert!(rss.contains(right), "{right} is not in {rss}");
        assert!(!rules::rss(&rss.replace(right, wrong)).is_empty(), "{wrong} passed");
    }
    let atom = write_atom(&document);
    for (right, wrong) in [
        ("<id>urn:example:1</id>", "<id>1</id>"),
        ("<updated>2026-11-16T00:00:00Z</updated>", "<updated>Mon</updated>"),
        ("<name>desk</name>", "<name></name>"),
        ("</entry>", "</entry><entry><id>urn:example:1</id></entry>"),
    ] {
        assert!(atom.contains(right), "{right} is not in {atom}");
        assert!(!rules::atom(&atom.replace(right, wrong)).is_empty(), "{wrong} passed");
    }
    let json = write_json(&document);
    for (right, wrong) in [("version/1.1", "version/2"), ("content_text", "content_texts")] {
        assert!(!rules::json(&json.replace(right, wrong)).is_empty(), "{wrong} passed");
    }
}

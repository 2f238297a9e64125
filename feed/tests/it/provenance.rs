//! Where an item comes from and which nodes it has passed.

use pergola_feed::write::{write_atom, write_json, write_rss};
use pergola_feed::{Document, Format, Item, NodeId, Origin};

use crate::{atom, read};

#[test]
fn the_source_of_an_atom_entry_is_kept() {
    let document = read(&atom(
        "<entry><id>urn:x:1</id><title>a</title><source><id>urn:x:feed</id><title>Elsewhere</title>\
         <link rel=\"self\" href=\"https://example.com/feed\"/><link href=\"https://example.com/\"/>\
         <updated>2026-11-16T00:00:00Z</updated></source></entry>",
    ));
    assert!(document.warnings.is_empty(), "{:?}", document.warnings);
    let origin = Origin {
        id: Some("urn:x:feed".into()),
        title: Some("Elsewhere".into()),
        feed: Some("https://example.com/feed".into()),
        home: Some("https://example.com/".into()),
    };
    assert_eq!(document.items[0].origin, Some(origin));
    assert_eq!(document.title.as_deref(), Some("Feed"), "the source's title is not the feed's");
}

#[test]
fn the_source_of_an_rss_item_is_kept_even_if_the_document_is_broken() {
    let document = read(&crate::rss(
        "<item><title>a & b</title><source url=\"https://example.com/feed\">Elsewhere</source></item>",
    ));
    let origin = document.items[0].origin.as_ref().unwrap();
    assert_eq!(origin.feed.as_deref(), Some("https://example.com/feed"));
    assert_eq!(origin.title.as_deref(), Some("Elsewhere"));
}

#[test]
fn an_item_knows_the_nodes_it_has_passed_whatever_the_format() {
    let (here, there) = (NodeId("node-a".into()), NodeId("node b & c".into()));
    let mut document = Document::new(Format::Atom);
    let mut item = Item::new("urn:x:1");
    item.hops = vec![here.clone(), there.clone()];
    document.items.push(item);
    for write in [write_rss, write_atom, write_json] {
        let read = read(&write(&document));
        assert_eq!(read.items[0].hops, [here.clone(), there.clone()]);
        assert!(read.items[0].has_passed(&here));
        assert!(!read.items[0].has_passed(&NodeId("node".into())));
    }
}

#[test]
fn an_id_that_is_no_uri_passes_through_atom_unchanged() {
    let mut document = Document::new(Format::Atom);
    for id in ["12345", "Ünï cöde", "urn:pergola:id:x", "a:b", "https://example.org/%zz?<>"] {
        document.items.push(Item::new(id));
    }
    let read = read(&write_atom(&document));
    let ids: Vec<&str> = read.items.iter().map(|item| item.id.0.as_str()).collect();
    let wanted: Vec<&str> = document.items.iter().map(|item| item.id.0.as_str()).collect();
    assert_eq!(ids, wanted);
}

#[test]
fn nothing_in_a_document_tells_when_it_was_written() {
    let mut document = Document::new(Format::Atom);
    document.items.push(Item::new("urn:x:1"));
    for write in [write_rss, write_atom, write_json] {
        let text = write(&document);
        for word in ["lastBuildDate", "generator", "20"] {
            let absent = !text.replace("2.0", "").replace("2005/Atom", "").contains(word);
            assert!(absent, "{word} in {text}");
        }
    }
}

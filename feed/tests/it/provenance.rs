//! Where an item comes from and which nodes it has passed.

use pergola_feed::write::{write_atom, write_json, write_rss};
use pergola_feed::{
    Document, Format, Hop, Item, Limits, Millis, NodeId, Origin, OriginId, ParseOptions, parse,
};

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
        ..Origin::default()
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
fn passed_nodes_survive_in_every_format() {
    let (here, there) = (NodeId("node-a".into()), NodeId("node b & c".into()));
    let mut document = Document::new(Format::Atom);
    let mut item = Item::new("urn:x:1");
    let (fetched, published) = (Millis::from_unix(1_794_880_800_250), Millis::from_unix(-1));
    item.hops = vec![
        Hop { node: here.clone(), fetched: Some(fetched), published: Some(published) },
        Hop::at(there.clone()),
    ];
    document.items.push(item);
    for write in [write_rss, write_atom, write_json] {
        let read = read(&write(&document));
        assert_eq!(read.items[0].hops, document.items[0].hops);
        assert!(read.items[0].has_passed(&here));
        assert!(!read.items[0].has_passed(&NodeId("node".into())));
    }
}

#[test]
fn passed_nodes_without_times_are_read() {
    let entry = "<entry><id>urn:x:1</id><title>a</title>\
                 <pergola:hop>one</pergola:hop><pergola:hop>two</pergola:hop></entry>";
    let in_namespace =
        |name: &str| atom(entry).replacen("xmlns=", &format!("xmlns:pergola=\"{name}\" xmlns="), 1);
    let xml = in_namespace("urn:pergola:ns:1");
    // Its name in documents that earlier versions wrote.
    let old_xml = in_namespace("https://pergola.example.org/ns/1.0");
    let json = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "x", "items":
        [{"id": "urn:x:1", "content_text": "a", "_pergola": {"hops": ["one", "two"]}}]}"#;
    for text in [xml.as_str(), &old_xml, json] {
        let document = read(text);
        assert_eq!(document.warnings, Vec::<String>::new());
        assert_eq!(document.items[0].hops, ["one", "two"].map(|node| Hop::at(NodeId(node.into()))));
    }
}

#[test]
fn the_namespace_names_no_address_that_somebody_else_could_own() {
    let mut document = Document::new(Format::Atom);
    document.items.push(Item::new("urn:x:1"));
    for write in [write_rss, write_atom] {
        let text = write(&document);
        assert!(text.contains("xmlns:pergola=\"urn:pergola:ns:1\""), "{text}");
        assert!(!text.contains("pergola.example.org"), "{text}");
    }
}

#[test]
fn the_identity_of_a_feed_survives_without_its_address() {
    let identity = Some(OriginId(0x1234_5678));
    let mut document = Document::new(Format::Atom);
    let mut item = Item::new("urn:x:1");
    item.origin = Some(Origin { identity, ..Origin::default() });
    document.items.push(item.clone());
    for write in [write_rss, write_atom, write_json] {
        assert_eq!(read(&write(&document)).items[0].origin, item.origin);
    }
    let damaged = write_json(&document).replace("0012345678\"", "001234567x\"");
    assert_eq!(read(&damaged).items[0].origin, None, "the item is still read");
}

#[test]
fn invalid_times_are_dropped_and_the_node_is_kept() {
    let mut document = Document::new(Format::Atom);
    let mut item = Item::new("urn:x:1");
    let fetched = Some(Millis::from_unix(1_794_880_800_250));
    item.hops = vec![Hop { node: NodeId("one".into()), fetched, published: None }];
    document.items.push(item);
    for write in [write_rss, write_atom, write_json] {
        let text = write(&document).replace("2026-11-17T02:00:00.250Z", "the other day");
        assert_eq!(read(&text).items[0].hops, [Hop::at(NodeId("one".into()))], "{text}");
    }
}

#[test]
fn a_long_list_of_nodes_is_cut() {
    let mut document = Document::new(Format::Atom);
    let mut item = Item::new("urn:x:1");
    item.hops = (0..300).map(|n| Hop::at(NodeId(format!("node {n}")))).collect();
    document.items.push(item);
    let limits = Limits { list: 100, ..Limits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    for write in [write_rss, write_atom, write_json] {
        let read = parse(write(&document).as_bytes(), &options).unwrap();
        assert_eq!(read.items[0].hops, document.items[0].hops[..100]);
    }
}

#[test]
fn a_node_changes_only_its_own_hop_when_it_publishes() {
    let (here, there) = (NodeId("here".into()), NodeId("there".into()));
    let at = Millis::from_unix(5);
    let fetched = Some(Millis::from_unix(4));
    let mut item = Item::new("urn:x:1");
    item.hops = vec![Hop::at(there.clone()), Hop { fetched, ..Hop::at(here.clone()) }];
    item.published_by(&here, at);
    assert_eq!(item.hops[1], Hop { node: here.clone(), fetched, published: Some(at) });
    assert_eq!(item.hops[0], Hop::at(there.clone()));
    // A node that never fetched the item adds a hop; an earlier hop stays unchanged.
    item.published_by(&NodeId("third".into()), at);
    item.published_by(&there, at);
    assert_eq!(item.hops.len(), 3);
    assert_eq!(item.hops[2].published, Some(at));
    assert_eq!(item.hops[0], Hop::at(there));
}

#[test]
fn an_id_that_is_not_a_uri_survives_atom() {
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
fn a_written_document_does_not_contain_the_time_of_writing() {
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

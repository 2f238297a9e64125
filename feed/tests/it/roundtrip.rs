//! Writing and parsing gives the same items, in each format and across formats.

use pergola_feed::write::{write_atom, write_json, write_rss};
use pergola_feed::{
    Category, Credit, Details, Document, Enclosure, Format, Hop, Item, Link, Media, Millis, NodeId,
    Origin, OriginId, ParseOptions, Person, Picture, Series, Text, TextKind, Timestamp, parse,
};
use proptest::option::of;
use proptest::prelude::*;

type Writer = fn(&Document) -> String;
const WRITERS: [(&str, Writer); 3] =
    [("rss", write_rss), ("atom", write_atom), ("json", write_json)];

/// Difficult texts: any Unicode, markup, partial markup, references, ends of CDATA, long runs.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        any::<String>(),
        Just("]]> <![CDATA[ ]]]]><![CDATA[>".to_owned()),
        Just("<b>bold</b> &amp; &lt;i&gt; &amp;amp; &copy; &#65; &bogus; & <".to_owned()),
        Just("</item></channel></rss><entry>".to_owned()),
        Just("line\nbreak\ttab\r\nreturn\u{2028}".to_owned()),
        Just("\0\u{1}\u{b}\u{fffe}\u{ffff}only forbidden around\u{7f}".to_owned()),
        "[a-z<>&\"']{0,20}".prop_map(|s| s.repeat(40)),
    ]
}

fn text() -> impl Strategy<Value = Text> {
    (nasty(), any::<bool>()).prop_map(|(body, html)| Text {
        kind: if html { TextKind::Html } else { TextKind::Plain },
        body,
    })
}

fn web() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9/?=&#.;%+_-]{0,20}".prop_map(|path| format!("https://example.org/{path}"))
}

fn person() -> impl Strategy<Value = Person> {
    let email = "[a-z]{1,8}@example\\.org";
    (of(nasty()), of(web()), of(email)).prop_map(|(name, uri, email)| Person { name, uri, email })
}

fn when() -> impl Strategy<Value = Option<Timestamp>> {
    of((-2_000_000_000i64..5_000_000_000).prop_map(Timestamp::from_unix))
}

fn to_the_millisecond() -> impl Strategy<Value = Option<Millis>> {
    of(any::<i64>().prop_map(Millis::from_unix))
}

fn enclosure() -> impl Strategy<Value = Enclosure> {
    let details = (of("(image|audio|video)"), of(0..5000u32), of(0..5000u32), of(0..90_000u32));
    let details = of(details.prop_map(|(medium, width, height, duration)| {
        Box::new(Details { medium, width, height, duration })
    }));
    (web(), of("(audio/mpeg|image/png)"), of(1u64..1 << 40), details).prop_map(
        |(url, media_type, length, details)| Enclosure { url, media_type, length, details },
    )
}

fn media() -> impl Strategy<Value = Media> {
    let picture = (web(), of(1..5000u32), of(any::<u32>()))
        .prop_map(|(url, width, height)| Picture { url, width, height });
    let credit =
        (nasty(), of("[a-z]{1,5} ?[a-z]{1,5}")).prop_map(|(name, role)| Credit { name, role });
    let lists = (prop::collection::vec(picture, 0..3), prop::collection::vec(credit, 0..3));
    let numbers = (of(any::<u32>()), of(any::<u32>()), of(any::<u32>()), of(any::<bool>()));
    let texts = (of("(full|trailer)"), of(nasty()), of(nasty()), of(nasty()), of(nasty()));
    (lists, numbers, texts, of(web())).prop_map(|(lists, numbers, texts, image)| Media {
        thumbnails: lists.0,
        image,
        duration: numbers.0,
        season: numbers.1,
        episode: numbers.2,
        kind: texts.0,
        explicit: numbers.3,
        title: texts.1,
        author: texts.2,
        subtitle: texts.3,
        summary: texts.4,
        credits: lists.1,
    })
}

fn series() -> impl Strategy<Value = Series> {
    let categories = prop::collection::vec("[A-Za-z&, ]{0,12}", 0..3);
    (of(web()), of("[A-Za-zäöü&<' ]{0,12}"), of("(episodic|serial)"), of(any::<bool>()), categories)
        .prop_map(|(image, author, kind, explicit, categories)| Series {
            image,
            author,
            kind,
            explicit,
            categories,
        })
}

fn origin() -> impl Strategy<Value = Origin> {
    let told = (of(nasty()), of(nasty()), of(web()), of(web()));
    (told, of(any::<u128>()), of(series())).prop_map(|(told, identity, series)| Origin {
        id: told.0,
        title: told.1,
        feed: told.2,
        home: told.3,
        identity: identity.map(OriginId),
        series: series.map(Box::new),
    })
}

pub(crate) fn item() -> impl Strategy<Value = Item> {
    let words = (nasty(), of(nasty()), of(text()), of(text()));
    let places = (of(web()), prop::collection::vec(("(related|via|replies|self)", web()), 0..3));
    let lists = (
        prop::collection::vec(person(), 0..4),
        prop::collection::vec((nasty(), of(web())), 0..4),
        prop::collection::vec(enclosure(), 0..3),
        prop::collection::vec((nasty(), to_the_millisecond(), to_the_millisecond()), 0..4),
    );
    let more = (of(media()), of(origin()));
    (words, places, lists, more, when(), when()).prop_map(
        |(words, places, lists, more, published, updated)| {
            let mut item = Item::new(words.0);
            (item.title, item.summary, item.content) = (words.1, words.2, words.3);
            item.link = places.0;
            item.links = places.1.into_iter().map(|(rel, href)| Link::new(rel, href)).collect();
            item.authors = lists.0;
            let categories = lists.1.into_iter();
            item.categories = categories.map(|(term, scheme)| Category { term, scheme }).collect();
            item.enclosures = lists.2;
            let hop = |(node, fetched, published)| Hop { node: NodeId(node), fetched, published };
            item.hops = lists.3.into_iter().map(hop).collect();
            (item.media, item.origin) = (more.0.map(Box::new), more.1);
            (item.published, item.updated) = (published, updated);
            item
        },
    )
}

pub(crate) fn document(items: Vec<Item>) -> Document {
    let mut document = Document::new(Format::Atom);
    document.title = Some("Feed".into());
    document.links = vec![
        Link::new("alternate", "https://example.org/"),
        Link::new("self", "https://example.org/feed"),
        Link::new("hub", "https://hub.example.org/"),
        Link::new("prev-archive", "https://example.org/feed/1"),
    ];
    document.items = items;
    document
}

/// What must come back: the normal forms.
fn expected(document: &Document) -> Vec<Item> {
    document.normalised().items
}

pub(crate) fn unique(mut items: Vec<Item>) -> Vec<Item> {
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(item.normalised().id));
    items
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn any_items_survive_any_format(items in prop::collection::vec(item(), 0..4)) {
        let document = document(unique(items));
        let expected = expected(&document);
        for (format, write) in WRITERS {
            let written = write(&document);
            let read = parse(written.as_bytes(), &ParseOptions::default());
            let read = read.map_err(|e| TestCaseError::fail(format!("{format}: {e}\n{written}")))?;
            prop_assert_eq!(&read.items, &expected, "{}\n{}", format, written);
            prop_assert_eq!(&read.warnings, &Vec::<String>::new(), "{}", format);
        }
    }

    #[test]
    fn items_survive_repairs_of_other_parts(items in prop::collection::vec(item(), 0..4)) {
        let document = document(unique(items));
        let expected = expected(&document);
        for (format, write) in &WRITERS[..2] {
            let broken = write(&document).replacen("<title>Feed", "<title>Fe & ed", 1);
            let read = parse(broken.as_bytes(), &ParseOptions::default()).unwrap();
            prop_assert_eq!(&read.items, &expected, "{}\n{}", format, broken);
            prop_assert!(!read.warnings.is_empty());
        }
    }

    #[test]
    fn a_document_written_twice_is_the_same_bytes(items in prop::collection::vec(item(), 0..3)) {
        let document = document(items);
        for (_, write) in WRITERS {
            prop_assert_eq!(write(&document), write(&document));
        }
    }

    #[test]
    fn items_survive_a_chain_of_different_formats(items in prop::collection::vec(item(), 1..3)) {
        let start = document(unique(items));
        let expected = expected(&start);
        let mut passed = start;
        for (_, write) in WRITERS {
            passed = parse(write(&passed).as_bytes(), &ParseOptions::default()).unwrap();
        }
        prop_assert_eq!(passed.items, expected);
    }
}

#[test]
fn an_item_in_json_has_content_whatever_its_source_gave() {
    let base = Item { title: Some("Title".into()), ..Item::new("urn:example:1") };
    let (html, plain) = (Text::html("<p>Des<b>cription</b></p>"), Text::plain("1 < 2"));
    let with = |summary: &Text| Item { summary: Some(summary.clone()), ..base.clone() };
    let both = Item { content: Some(plain.clone()), ..with(&html) };
    let bare = Item::new("urn:example:1");
    for (item, key, content, summary) in [
        (&with(&html), "content_html", "<p>Des<b>cription</b></p>", Some("Description")),
        (&with(&plain), "content_text", "1 < 2", Some("1 < 2")),
        (&both, "content_text", "1 < 2", Some("Description")),
        (&base, "content_text", "Title", None),
        (&bare, "content_text", "", None),
    ] {
        let document = document(vec![item.clone()]);
        let written: serde_json::Value = serde_json::from_str(&write_json(&document)).unwrap();
        let written = &written["items"][0];
        assert_eq!(written[key], content, "{written}");
        assert_eq!(written["summary"].as_str(), summary, "{written}");
        let read = parse(write_json(&document).as_bytes(), &ParseOptions::default()).unwrap();
        assert_eq!(read.items, expected(&document));
    }
}

#[test]
fn titles_that_look_like_markup_survive() {
    let titles = ["<b>bold</b>", "Use <em> in HTML", "a <b & c> d", "&lt;i&gt;x&lt;/i&gt;", "<br>"];
    let items = titles.iter().enumerate().map(|(number, title)| Item {
        title: Some((*title).to_owned()),
        ..Item::new(format!("urn:example:{number}"))
    });
    let document = document(items.collect());
    for (format, write) in WRITERS {
        let read = parse(write(&document).as_bytes(), &ParseOptions::default()).unwrap();
        assert_eq!(read.items, expected(&document), "{format}");
    }
}

#[test]
fn very_long_fields_survive() {
    let mut item = Item::new("urn:example:long");
    item.title = Some("wörd & <b> ".repeat(2000).trim().to_owned());
    item.content = Some(Text::html("<p>&amp; ]]> x</p>".repeat(60_000)));
    let document = document(vec![item]);
    for (format, write) in WRITERS {
        let read = parse(write(&document).as_bytes(), &ParseOptions::default()).unwrap();
        assert!(read.items == expected(&document), "{format}");
    }
}

#[test]
fn the_archive_flag_and_its_links_survive_in_every_format() {
    let mut archive = document(vec![Item::new("urn:example:1")]);
    archive.hints.archive = true;
    archive.links.push(Link::new("next-archive", "https://example.org/feed/3"));
    archive.links.push(Link::new("current", "https://example.org/feed"));
    for (format, write) in WRITERS {
        let read = parse(write(&archive).as_bytes(), &ParseOptions::default()).unwrap();
        assert!(read.hints.archive && !read.hints.complete, "{format}");
        for rel in ["prev-archive", "next-archive", "current"] {
            assert_eq!(read.link(rel), archive.link(rel), "{rel} in {format}");
        }
        archive.hints = pergola_feed::Hints { complete: true, ..Default::default() };
        let read = parse(write(&archive).as_bytes(), &ParseOptions::default()).unwrap();
        assert!(read.hints.complete && !read.hints.archive, "{format}");
        archive.hints = pergola_feed::Hints { archive: true, ..Default::default() };
    }
}

#[test]
fn links_of_the_feed_survive_too() {
    let document = document(vec![Item::new("urn:example:1")]);
    for (format, write) in WRITERS {
        let read = parse(write(&document).as_bytes(), &ParseOptions::default()).unwrap();
        assert_eq!(read.self_link(), document.self_link(), "{format}");
        assert_eq!(read.hub(), document.hub(), "{format}");
        assert_eq!(read.older(), document.older(), "{format}");
        assert_eq!(read.home(), document.home(), "{format}");
        assert_eq!(read.title, document.title, "{format}");
    }
}

//! Subscription lists.

use pergola_feed::html::Selectors;
use pergola_feed::opml::{Flaw, FlawKind, Opml, OpmlError, Outline};
use proptest::prelude::*;

const LIST: &str = "<?xml version=\"1.0\"?><opml version=\"2.0\"><head><title>Mine &amp; yours</title></head>\
    <body><outline text=\"News\"><outline text=\"Towns\"><outline type=\"rss\" text=\"A & B\" \
    xmlUrl=\"https://example.org/a?x=1&y=2\" htmlUrl=\"https://example.org/\"/></outline>\
    <outline title=\"Second\" xmlurl='https://example.org/b'/></outline>\
    <outline text=\"Third\" type=\"rss\" url=\"https://example.org/c\"/></body></opml>";

#[test]
fn nested_folders_and_bare_ampersands_are_read() {
    let list = Opml::parse(LIST.as_bytes()).unwrap();
    assert_eq!(list.title.as_deref(), Some("Mine & yours"));
    let found: Vec<(Vec<&str>, &str, &str)> = list
        .subscriptions()
        .into_iter()
        .map(|(path, o)| (path, o.text.as_str(), o.feed.as_deref().unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            (vec!["News", "Towns"], "A & B", "https://example.org/a?x=1&y=2"),
            (vec!["News"], "Second", "https://example.org/b"),
            (vec![], "Third", "https://example.org/c"),
        ]
    );
}

#[test]
fn a_list_that_is_cut_off_keeps_its_first_entries() {
    let cut = &LIST[..LIST.find("<outline title").unwrap() + 20];
    assert_eq!(Opml::parse(cut.as_bytes()).unwrap().subscriptions().len(), 1);
}

#[test]
fn what_is_wrong_with_a_list_is_told_with_its_line() {
    let list = "<opml version=\"2.0\">\n<body>\n<outline text=\"Folder\">\n\
        <outline text=\"Nowhere\" type=\"rss\"/>\n\
        <outline text=\"A\" xmlUrl=\"https://example.org/a\"/>\n\
        <outline text=\"Also nowhere\" htmlUrl=\"https://example.org/\"></outline>\n\
        <outline text=\"Empty folder\"></outline>\n</outline>\n</body>\n</opml>\n";
    let flaw = |line, text: &str, kind| Flaw { line, text: text.to_owned(), kind };
    let (_, flaws) = Opml::inspect(list.as_bytes()).unwrap();
    let expected =
        [flaw(4, "Nowhere", FlawKind::NoAddress), flaw(6, "Also nowhere", FlawKind::NoAddress)];
    assert_eq!(flaws, expected);
    for end in ["</outline>\n</body>", "</opml>", "xmlUrl"] {
        let cut = &list[..list.find(end).unwrap()];
        let (_, flaws) = Opml::inspect(cut.as_bytes()).unwrap();
        let line = cut.trim_end().lines().count();
        assert_eq!(flaws.last(), Some(&flaw(line, "", FlawKind::CutOff)), "{end}");
    }
    assert_eq!(Opml::inspect(LIST.as_bytes()).unwrap().1, []);
}

#[test]
fn a_page_keeps_its_selectors_and_is_no_subscription_for_others() {
    let page = Outline {
        text: "Page".into(),
        feed: Some("https://example.org/news".into()),
        page: Some(Selectors {
            item: "article > \"x\"".into(),
            title: Some("h2".into()),
            link: Some("h2 a".into()),
            date: None,
            content: Some("p".into()),
        }),
        ..Outline::default()
    };
    let list = Opml { title: Some("Mine".into()), outlines: vec![page] };
    let written = list.write();
    assert!(written.contains(" xmlns:pergola=") && !written.contains("xmlUrl"), "{written}");
    assert_eq!(Opml::parse(written.as_bytes()).unwrap(), list);
}

#[test]
fn a_list_with_ten_thousand_levels_is_flattened() {
    let deep = format!(
        "<opml><body>{}<outline xmlUrl=\"https://example.org/\"/>",
        "<outline text=\"f\">".repeat(10_000)
    );
    let list = Opml::parse(deep.as_bytes()).unwrap();
    let found = list.subscriptions();
    assert_eq!(found.len(), 1);
    assert!(found[0].0.len() <= 64);
}

#[test]
fn a_document_that_is_not_a_list_is_rejected() {
    assert_eq!(Opml::parse(b"<rss/>"), Err(OpmlError::NotOpml));
    assert_eq!(Opml::parse(b""), Err(OpmlError::NotOpml));
    let page = b"<html><body>Please log in</body></html>";
    assert_eq!(Opml::parse(page), Err(OpmlError::NotOpml));
}

#[test]
fn the_text_of_a_list_is_decoded_as_it_declares() {
    let list = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><opml><body><outline text=\"Caf\u{e9}\" \
                xmlUrl=\"https://example.org/\"/></body></opml>";
    let latin: Vec<u8> = list.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(list.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [&latin, &wide] {
        let text = Opml::text(bytes);
        assert_eq!(text, list);
        // Text that was decoded is not decoded once more.
        assert_eq!(Opml::parse(text.as_bytes()).unwrap().outlines[0].text, "Caf\u{e9}");
    }
}

fn name() -> impl Strategy<Value = String> {
    "[\\PC]{1,12}".prop_map(|s| s.trim().to_owned()).prop_filter("not empty", |s| !s.is_empty())
}

fn outlines() -> impl Strategy<Value = Vec<Outline>> {
    let leaf = (name(), name()).prop_map(|(text, feed)| Outline {
        text,
        feed: Some(format!("https://example.org/{feed}")),
        ..Default::default()
    });
    let any = leaf.prop_recursive(4, 24, 4, |inner| {
        (name(), prop::collection::vec(inner, 1..4)).prop_map(|(text, children)| Outline {
            text,
            children,
            ..Default::default()
        })
    });
    prop::collection::vec(any, 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_list_reads_back_the_same(title in name(), outlines in outlines()) {
        let list = Opml { title: Some(title), outlines };
        prop_assert_eq!(Opml::parse(list.write().as_bytes()).unwrap(), list);
    }
}

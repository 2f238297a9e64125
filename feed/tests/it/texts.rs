//! Titles, summaries, contents, links and dates.

use pergola_feed::{Dated, Item, Limits, ParseOptions, Text, TextKind, Timestamp, parse, sanitize};
use url::Url;

use crate::{atom, read, rss};

fn first(text: &str) -> Item {
    read(text).items.swap_remove(0)
}

#[test]
fn an_rss_description_is_html_and_an_atom_text_has_its_declared_type() {
    let item =
        first(&rss("<item><title>a</title><description>&lt;p&gt;x&lt;/p&gt;</description></item>"));
    assert_eq!(item.summary, Some(Text::html("<p>x</p>")));
    let item = first(&atom(
        "<entry><title>a</title><id>urn:x:1</id><summary>1 &lt; 2</summary>\
         <content type=\"html\">1 &amp;lt; 2</content></entry>",
    ));
    assert_eq!(item.summary, Some(Text::plain("1 < 2")));
    assert_eq!(item.content, Some(Text::html("1 &lt; 2")));
}

#[test]
fn a_title_is_text_whatever_its_publisher_made_of_it() {
    for (title, text) in [
        ("A &lt;em&gt;real&lt;/em&gt; surprise", "A real surprise"),
        ("<![CDATA[A <em>real</em> surprise &amp; more]]>", "A real surprise & more"),
        ("<![CDATA[<a href=\"https://example.org/\">Link</a>]]>", "Link"),
        ("One&lt;br/&gt;two", "One two"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;News", "News"),
        ("a &lt; b", "a < b"),
        ("Use &lt;em&gt; in HTML", "Use <em> in HTML"),
        ("Vec&lt;String&gt; explained", "Vec<String> explained"),
        ("&amp;lt;b&amp;gt;literally&amp;lt;/b&amp;gt;", "<b>literally</b>"),
        ("Fish &amp;amp; chips", "Fish & chips"),
        ("Fish &amp; chips", "Fish & chips"),
    ] {
        let item = first(&rss(&format!("<item><title>{title}</title></item>")));
        assert_eq!(item.title.as_deref(), Some(text), "{title}");
    }
    for (title, text) in [
        ("<title>A &lt;em&gt;word&lt;/em&gt;</title>", "A <em>word</em>"),
        (
            "<title type=\"html\">A &lt;em&gt;real&lt;/em&gt; &amp;amp; true</title>",
            "A real & true",
        ),
        ("<title type=\"html\"><![CDATA[A <b>real</b> one]]></title>", "A real one"),
        (
            "<title type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">A <i>real</i> one\
             </div></title>",
            "A real one",
        ),
    ] {
        let item = first(&atom(&format!("<entry><id>urn:x:1</id>{title}</entry>")));
        assert_eq!(item.title.as_deref(), Some(text), "{title}");
    }
}

#[test]
fn the_title_of_a_feed_is_text_too() {
    let text = rss("").replace("<title>Feed", "<title>The &lt;b&gt;Feed&lt;/b&gt;");
    assert_eq!(read(&text).title.as_deref(), Some("The Feed"));
}

#[test]
fn xhtml_keeps_its_attributes_and_loses_its_wrapper() {
    let item = first(&atom(
        "<entry><title>a</title><id>urn:x:1</id><content type=\"xhtml\">\
         <div xmlns=\"http://www.w3.org/1999/xhtml\"><a title=\"&quot;&amp;\" href=\"https://example.org/\">x\
         </a><br/><span/></div></content></entry>",
    ));
    assert_eq!(
        item.content.unwrap().body,
        "<a title=\"&quot;&amp;\" href=\"https://example.org/\">x</a><br><span></span>"
    );
}

#[test]
fn relative_addresses_are_resolved_against_xml_base_in_links_and_content() {
    let item = first(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base=\"https://example.org/a/\"><title>f</title>\
         <entry xml:base=\"b/\"><title>t</title><id>urn:x:1</id><link href=\"c\"/>\
         <content type=\"html\" xml:base=\"d/\">&lt;img src=\"e.png\"&gt;&lt;a href='#f'&gt;</content>\
         </entry></feed>",
    );
    assert_eq!(item.link.as_deref(), Some("https://example.org/a/b/c"));
    assert_eq!(
        item.content.unwrap().body,
        "<img src=\"https://example.org/a/b/d/e.png\"><a href='#f'>"
    );
}

#[test]
fn relative_addresses_are_resolved_against_the_address_of_the_document() {
    let options = ParseOptions {
        url: url::Url::parse("https://example.com/x/feed").ok(),
        ..Default::default()
    };
    let text = rss("<item><title>a</title><link>y</link></item>");
    let document = parse(text.as_bytes(), &options).unwrap();
    assert_eq!(document.items[0].link.as_deref(), Some("https://example.com/x/y"));
}

#[test]
fn the_charset_of_the_transport_is_used_if_the_document_declares_none() {
    let options = ParseOptions { charset: Some("windows-1251".into()), ..Default::default() };
    let mut bytes = b"<rss version=\"2.0\"><channel><title>f</title><item><title>".to_vec();
    bytes.extend([0xCF, 0xF0, 0xE8]);
    bytes.extend(b"</title></item></channel></rss>");
    assert_eq!(parse(&bytes, &options).unwrap().items[0].title.as_deref(), Some("При"));
}

#[test]
fn people_are_read_in_the_forms_that_publishers_use() {
    let item = first(&rss("<item><title>a</title><author>desk@example.org (News desk)</author>\
         <author>Night desk &lt;night@example.org&gt;</author><author>Somebody</author></item>"));
    let people: Vec<_> =
        item.authors.iter().map(|p| (p.name.as_deref(), p.email.as_deref())).collect();
    assert_eq!(
        people,
        [
            (Some("News desk"), Some("desk@example.org")),
            (Some("Night desk"), Some("night@example.org")),
            (Some("Somebody"), None)
        ]
    );
}

#[test]
fn an_enclosure_survives_beside_media_rss() {
    let item = first(
        "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel><title>f</title><item>\
         <title>a</title><enclosure url=\"https://example.org/a.mp3\" length=\"7\" type=\"audio/mpeg\"/>\
         <media:content url=\"https://example.org/b.jpg\" type=\"image/jpeg\"/></item></channel></rss>",
    );
    let urls: Vec<&str> = item.enclosures.iter().map(|e| e.url.as_str()).collect();
    assert_eq!(urls, ["https://example.org/a.mp3", "https://example.org/b.jpg"]);
    assert_eq!(item.enclosures[0].length, Some(7));
}

#[test]
fn without_a_credible_date_an_item_is_dated_by_when_it_was_first_seen() {
    let at = |text: &str| Timestamp::parse(text).unwrap();
    let (now, seen) = (at("2026-11-16T00:00:00Z"), at("2026-11-15T00:00:00Z"));
    let item = |published: Option<&str>, updated: Option<&str>| Item {
        published: published.map(at),
        updated: updated.map(at),
        first_seen: Some(seen),
        ..Item::new("x")
    };
    let first_seen = Some((seen, Dated::FirstSeen));
    for (published, updated, expected) in [
        (Some("2001-02-03"), None, Some((at("2001-02-03"), Dated::Published))),
        (Some("2001-02-03"), Some("2020-02-03"), Some((at("2001-02-03"), Dated::Published))),
        (None, Some("2020-02-03"), Some((at("2020-02-03"), Dated::Updated))),
        (Some("1970-01-01"), Some("2020-02-03"), Some((at("2020-02-03"), Dated::Updated))),
        (None, None, first_seen),
        (Some("2099-01-01"), None, first_seen),
        (Some("1970-01-01"), None, first_seen),
        (Some("0001-01-01"), Some("1969-12-31"), first_seen),
    ] {
        let item = item(published, updated);
        assert_eq!(item.dated(now), expected, "{published:?} {updated:?}");
        assert_eq!(item.credible_date(now), expected.filter(|(_, kind)| *kind != Dated::FirstSeen));
    }
    let unseen = |published| Item { first_seen: None, ..item(published, None) };
    assert_eq!(unseen(None).dated(now), None);
    assert_eq!(unseen(Some("2099-01-01")).dated(now), Some((now, Dated::Clamped)));
}

#[test]
fn an_rss_item_without_an_update_date_has_none() {
    let item = first(&rss(
        "<item><title>a</title><pubDate>Mon, 16 Nov 2026 01:00:00 GMT</pubDate></item>",
    ));
    assert_eq!(item.published, Timestamp::parse("2026-11-16T01:00:00Z"));
    assert_eq!(item.updated, None);
}

#[test]
fn content_beyond_a_limit_is_cut_with_a_warning() {
    let items: String = (0..50).map(|n| format!("<item><title>t{n}</title></item>")).collect();
    let limits = Limits { items: 10, ..Limits::default() };
    let options = ParseOptions { limits, ..Default::default() };
    let document = parse(rss(&items).as_bytes(), &options).unwrap();
    assert_eq!(document.items.len(), 10);
    assert!(document.warnings.iter().any(|w| w.contains("more than 10 items")));

    let limits = Limits { bytes: 600, text: 100, ..Limits::default() };
    let options = ParseOptions { limits, ..Default::default() };
    let long = "x".repeat(300);
    let text =
        rss(&format!("<item><title>a</title><description>{long}</description></item>{items}"));
    let document = parse(text.as_bytes(), &options).unwrap();
    assert_eq!(document.items[0].summary.as_ref().unwrap().body.len(), 100);
    assert!(document.items.len() < 10);
    assert!(document.warnings.iter().any(|w| w.contains("longer than 600 bytes")));
}

#[test]
fn deeply_nested_markup_is_flattened_and_not_rejected() {
    let deep = format!("{}x{}", "<div>".repeat(3000), "</div>".repeat(3000));
    let document = read(&rss(&format!(
        "<item><title>a</title><description>{deep}</description></item><item><title>b</title></item>"
    )));
    assert_eq!(document.items.len(), 2);
    assert_eq!(document.items[0].summary.as_ref().unwrap().kind, TextKind::Html);
}

#[test]
fn an_entity_that_the_document_declares_is_resolved_but_never_expanded_twice() {
    let text = "<!DOCTYPE rss [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;\">]><rss version=\"2.0\"><channel>\
                <title>f</title><item><title>&a; &b;</title></item></channel></rss>";
    assert_eq!(first(text).title.as_deref(), Some("lol &a;&a;"));
}

#[test]
fn lists_of_an_item_are_limited_in_every_form() {
    let words: Vec<String> = (0..5000).map(|n| format!("w{n}")).collect();
    let text = format!(
        "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel>\
         <title>f</title><item><title>a</title>{}<itunes:keywords>{}</itunes:keywords></item></channel></rss>",
        "<category>c</category>".repeat(3000),
        words.join(",")
    );
    assert_eq!(first(&text).categories.len(), Limits::default().list);
}

#[test]
fn a_text_that_shows_how_a_link_is_written_stays_as_it_is() {
    let base = Url::parse("https://example.org/news/").unwrap();
    let shown = "<p>Write <code>&lt;a href=\"b\"&gt;</code>, or src=\"c\".</p>";
    assert_eq!(sanitize(&Text::html(shown), Some(&base)), shown);
    let link = sanitize(&Text::html("<a title='2 > 1' href=\"b\">x</a>"), Some(&base));
    assert!(link.contains("href=\"https://example.org/news/b\""), "{link}");
}

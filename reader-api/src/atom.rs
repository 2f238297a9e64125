//! A stream as an Atom document: what the oldest apps read, newsboat among them.
//!
//! The states of an entry are categories of a scheme of their own. Newsboat takes from their labels whether an entry is
//! read; `fresh` says that it is not.

use pergola_feed::Timestamp;

use crate::answer::{Article, Contents};
use crate::stream::{State, Stream};

/// The vocabulary of states and labels.
const SCHEME: &str = "http://www.google.com/reader/";
const NAMESPACES: &str = "xmlns=\"http://www.w3.org/2005/Atom\" \
    xmlns:gr=\"http://www.google.com/schemas/reader/atom/\"";

/// A page of a stream as an Atom document.
pub fn document(page: &Contents) -> String {
    let mut out = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed {NAMESPACES}>\n");
    element(&mut out, "id", "", &format!("tag:google.com,2005:reader/{}", page.id));
    element(&mut out, "title", "", &page.title);
    if let Some(continuation) = &page.continuation {
        element(&mut out, "gr:continuation", "", continuation);
    }
    element(&mut out, "updated", "", &date(page.updated));
    page.items.iter().for_each(|item| entry(&mut out, item));
    out.push_str("</feed>\n");
    out
}

fn entry(out: &mut String, item: &Article) {
    out.push_str(&format!("<entry gr:crawl-timestamp-msec=\"{}\">\n", item.crawl_time_msec));
    element(out, "id", "", &item.id);
    element(out, "title", "", &item.title);
    element(out, "published", "", &date(item.published));
    element(out, "updated", "", &date(item.updated));
    for link in item.alternate.iter().filter(|link| !link.href.is_empty()) {
        empty(
            out,
            "link",
            &[("rel", "alternate"), ("href", &link.href), ("type", link.media_type)],
        );
    }
    for file in &item.enclosure {
        let length = file.length.unwrap_or(0).to_string();
        let kind = &file.media_type;
        empty(
            out,
            "link",
            &[("rel", "enclosure"), ("href", &file.href), ("type", kind), ("length", &length)],
        );
    }
    let is_read = item.categories.contains(&State::Read.id());
    for id in &item.categories {
        category(out, id);
    }
    if !is_read {
        category(out, "user/-/state/com.google/fresh");
    }
    out.push_str("<author>\n");
    element(
        out,
        "name",
        "",
        if item.author.is_empty() { &item.origin.title } else { &item.author },
    );
    out.push_str("</author>\n");
    element(out, "content", " type=\"html\"", &item.summary.content);
    out.push_str("<source gr:stream-id=\"");
    escape(out, &item.origin.stream_id);
    out.push_str("\">\n");
    element(out, "id", "", &format!("tag:google.com,2005:reader/{}", item.origin.stream_id));
    element(out, "title", "", &item.origin.title);
    element(out, "updated", "", &date(item.updated));
    out.push_str("</source>\n</entry>\n");
}

/// A state, a label, or what the publisher calls an entry.
fn category(out: &mut String, id: &str) {
    let label = match Stream::parse(id) {
        Stream::State(state) => state.name(),
        Stream::Label(_) => id.strip_prefix("user/-/label/").unwrap_or(id),
        Stream::Other(_) if id.starts_with("user/") => id.rsplit('/').next().unwrap_or(id),
        Stream::Feed(_) | Stream::Other(_) => return empty(out, "category", &[("term", id)]),
    };
    empty(out, "category", &[("term", id), ("scheme", SCHEME), ("label", label)]);
}

fn element(out: &mut String, name: &str, attributes: &str, text: &str) {
    out.push_str(&format!("<{name}{attributes}>"));
    escape(out, text);
    out.push_str(&format!("</{name}>\n"));
}

fn empty(out: &mut String, name: &str, attributes: &[(&str, &str)]) {
    out.push_str(&format!("<{name}"));
    for (name, value) in attributes {
        out.push_str(&format!(" {name}=\""));
        escape(out, value);
        out.push('"');
    }
    out.push_str("/>\n");
}

fn date(seconds: i64) -> String {
    Timestamp::from_unix(seconds).to_rfc3339()
}

/// Escapes a text, and leaves out what XML cannot hold.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\u{0}'..='\u{8}'
            | '\u{b}'
            | '\u{c}'
            | '\u{e}'..='\u{1f}'
            | '\u{fffe}'
            | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use pergola_feed::{Item, ParseOptions, Text, parse};

    use super::*;
    use crate::answer::{DIRECTION, Origin};
    use crate::article::{Facts, article};
    use crate::item_id::ItemId;

    fn page(read: bool) -> Contents {
        let mut item = Item::new("urn:1");
        item.title = Some("A < B & \u{7}C".into());
        item.link = Some("https://news.example/1?a=b&c=d".into());
        item.content = Some(Text::html("<p>Hi &amp; ho</p>"));
        let origin =
            Origin { stream_id: "feed/7".into(), title: "News".into(), html_url: String::new() };
        let folders = ["A \"B\"".to_owned()];
        let facts = Facts {
            id: ItemId(255),
            arrived: 1000.5,
            dated: 900.0,
            read,
            starred: true,
            origin,
            folders: &folders,
        };
        Contents {
            direction: DIRECTION,
            id: "feed/7".into(),
            title: "News".into(),
            updated: 1000,
            items: vec![article(&item, facts)],
            continuation: Some("7-1".into()),
        }
    }

    #[test]
    fn a_reader_of_atom_reads_what_was_written() {
        let text = document(&page(true));
        let read = parse(text.as_bytes(), &ParseOptions::default()).unwrap();
        assert_eq!(read.title.as_deref(), Some("News"));
        let [item] = read.items.as_slice() else { panic!("{text}") };
        assert_eq!(item.guid.as_deref(), Some("tag:google.com,2005:reader/item/00000000000000ff"));
        assert_eq!(item.title.as_deref(), Some("A < B & C"));
        assert_eq!(item.link.as_deref(), Some("https://news.example/1?a=b&c=d"));
        assert_eq!(item.published, Some(Timestamp::from_unix(900)));
        assert_eq!(item.content.as_ref().unwrap().body.trim(), "<p>Hi &amp; ho</p>");
        assert!(text.contains("<gr:continuation>7-1</gr:continuation>"), "{text}");
    }

    #[test]
    fn the_labels_say_whether_an_entry_is_read() {
        let (read, unread) = (document(&page(true)), document(&page(false)));
        assert!(read.contains("label=\"read\"") && !read.contains("label=\"fresh\""), "{read}");
        assert!(
            unread.contains("label=\"fresh\"") && !unread.contains("label=\"read\""),
            "{unread}"
        );
        assert!(read.contains("label=\"starred\"") && read.contains("label=\"A &quot;B&quot;\""));
    }
}

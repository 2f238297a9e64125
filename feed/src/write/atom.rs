//! Atom 1.0 (RFC 4287).

use super::xml::Xml;
use super::{change_date, document_date, feed_id, media};
use crate::identity::to_uri;
use crate::markup::names::PERGOLA_NS;
use crate::model::{Document, Item, Person, Text, TextKind};
use crate::time::Timestamp;

/// The document as Atom 1.0.
pub fn write_atom(document: &Document) -> String {
    let document = document.normalised();
    let changed = document_date(&document);
    let mut xml = Xml::new();
    let mut attributes = vec![("xmlns", "http://www.w3.org/2005/Atom")];
    attributes.push(("xmlns:fh", "http://purl.org/syndication/history/1.0"));
    attributes.push(("xmlns:pergola", PERGOLA_NS));
    attributes.extend(media::NAMESPACES);
    attributes.extend(document.language.as_deref().map(|language| ("xml:lang", language)));
    xml.open("feed", &attributes);
    xml.text("id", &[], &feed_id(&document));
    xml.text("title", &[], document.title.as_deref().unwrap_or("Untitled"));
    if let Some(about) = &document.description {
        text(&mut xml, "subtitle", about);
    }
    xml.text("updated", &[], &changed.to_rfc3339());
    for author in &document.authors {
        person(&mut xml, author);
    }
    // Every entry needs an author: its own or that of the feed.
    let anonymous = document.items.iter().any(|item| item.authors.is_empty());
    if document.authors.is_empty() && (anonymous || document.items.is_empty()) {
        person(&mut xml, &Person::named(document.title.as_deref().unwrap_or("Unknown")));
    }
    for link in &document.links {
        let mut attributes = vec![("href", link.href.as_str()), ("rel", link.rel.as_str())];
        let own = (link.rel == "self").then_some("application/atom+xml");
        attributes.extend(link.media_type.as_deref().or(own).map(|kind| ("type", kind)));
        xml.empty("link", &attributes);
    }
    if document.hints.archive {
        xml.empty("fh:archive", &[]);
    }
    if document.hints.complete {
        xml.empty("fh:complete", &[]);
    }
    if let Some(series) = &document.series {
        media::series(&mut xml, series);
    }
    for item in &document.items {
        entry(&mut xml, item, changed);
    }
    xml.close("feed");
    xml.finish()
}

fn entry(xml: &mut Xml, item: &Item, feed_changed: Timestamp) {
    xml.open("entry", &[]);
    xml.text("id", &[], &to_uri(&item.id.0));
    xml.text("title", &[], item.title.as_deref().unwrap_or(""));
    let (changed, stand_in) = change_date(item, feed_changed);
    xml.text("updated", &[], &changed.to_rfc3339());
    xml.maybe("pergola:stand-in", stand_in);
    if let Some(at) = item.published {
        xml.text("published", &[], &at.to_rfc3339());
    }
    if let Some(link) = &item.link {
        xml.empty("link", &[("href", link), ("rel", "alternate")]);
    }
    for link in &item.links {
        let mut attributes = vec![("href", link.href.as_str()), ("rel", link.rel.as_str())];
        attributes.extend(link.media_type.as_deref().map(|kind| ("type", kind)));
        xml.empty("link", &attributes);
    }
    for enclosure in &item.enclosures {
        let length = enclosure.length.map(|length| length.to_string());
        let mut attributes = vec![("href", enclosure.url.as_str()), ("rel", "enclosure")];
        attributes.extend(enclosure.media_type.as_deref().map(|kind| ("type", kind)));
        attributes.extend(length.as_deref().map(|length| ("length", length)));
        xml.empty("link", &attributes);
    }
    for author in &item.authors {
        person(xml, author);
    }
    for category in &item.categories {
        let mut attributes = vec![("term", category.term.as_str())];
        attributes.extend(category.scheme.as_deref().map(|scheme| ("scheme", scheme)));
        xml.empty("category", &attributes);
    }
    texts(xml, item);
    for enclosure in item.enclosures.iter().filter(|enclosure| enclosure.details.is_some()) {
        media::content(xml, enclosure);
    }
    if let Some(media) = &item.media {
        media::media(xml, media);
    }
    origin(xml, item);
    super::hops(xml, item);
    xml.close("entry");
}

/// The summary and the content. An entry without an alternate link must have content, and readers show it in place
/// of a summary even if it is empty: so the summary takes its place.
fn texts(xml: &mut Xml, item: &Item) {
    match (&item.summary, &item.content) {
        (Some(summary), None) if item.link.is_none() => {
            text(xml, "content", summary);
            xml.text("pergola:content-is", &[], "summary");
        }
        (None, None) if item.link.is_none() => xml.text("content", &[("type", "text")], ""),
        (summary, content) => {
            summary.iter().for_each(|summary| text(xml, "summary", summary));
            content.iter().for_each(|content| text(xml, "content", content));
        }
    }
}

fn origin(xml: &mut Xml, item: &Item) {
    media::origin(xml, item);
    let Some(origin) = item.origin.as_ref().filter(|origin| origin.is_told()) else { return };
    xml.open("source", &[]);
    xml.maybe("id", origin.id.as_deref().map(to_uri).as_deref());
    xml.maybe("title", origin.title.as_deref());
    if let Some(feed) = &origin.feed {
        xml.empty("link", &[("href", feed), ("rel", "self")]);
    }
    if let Some(home) = &origin.home {
        xml.empty("link", &[("href", home), ("rel", "alternate")]);
    }
    xml.close("source");
}

fn text(xml: &mut Xml, name: &str, text: &Text) {
    let kind = match text.kind {
        TextKind::Plain => "text",
        TextKind::Html => "html",
    };
    xml.text(name, &[("type", kind)], &text.body);
}

fn person(xml: &mut Xml, person: &Person) {
    xml.open("author", &[]);
    xml.text("name", &[], person.label().unwrap_or(""));
    xml.maybe("uri", person.uri.as_deref());
    xml.maybe("email", person.email.as_deref());
    xml.close("author");
}

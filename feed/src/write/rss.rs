//! RSS 2.0, with the Atom elements that fill its gaps.

use super::xml::Xml;
use super::{document_date, media, title};
use crate::identity::{from_uri, to_uri};
use crate::markup::chars::escaped;
use crate::markup::names::PERGOLA_NS;
use crate::model::{Document, Item, Person, Text, TextKind};

/// The document as RSS 2.0.
pub fn write_rss(document: &Document) -> String {
    let document = document.normalised();
    let mut xml = Xml::new();
    let mut attributes = vec![
        ("version", "2.0"),
        ("xmlns:atom", "http://www.w3.org/2005/Atom"),
        ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
        ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
        ("xmlns:fh", "http://purl.org/syndication/history/1.0"),
        ("xmlns:pergola", PERGOLA_NS),
    ];
    attributes.extend(media::NAMESPACES);
    xml.open("rss", &attributes);
    xml.open("channel", &[]);
    xml.text("title", &[], &title(document.title.as_deref().unwrap_or("Untitled")));
    let home = document.home().or(document.self_link()).unwrap_or("about:blank");
    xml.text("link", &[], home);
    let about = document.description.as_ref().map(html).or(document.title.clone());
    xml.text("description", &[], about.as_deref().unwrap_or("Untitled"));
    xml.maybe("language", document.language.as_deref());
    let changed = document_date(&document);
    if changed.unix() != 0 {
        xml.text("pubDate", &[], &changed.to_rfc822());
    }
    if let Some(ttl) = document.hints.ttl_minutes {
        xml.text("ttl", &[], &ttl.to_string());
    }
    for link in document.links.iter().filter(|link| link.rel != "alternate") {
        let kind = link.media_type.as_deref().unwrap_or("application/rss+xml");
        match link.rel.as_str() {
            "hub" => xml.empty("atom:link", &[("href", &link.href), ("rel", "hub")]),
            rel => xml.empty("atom:link", &[("href", &link.href), ("rel", rel), ("type", kind)]),
        }
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
        write_item(&mut xml, item);
    }
    xml.close("channel");
    xml.close("rss");
    xml.finish()
}

fn write_item(xml: &mut Xml, item: &Item) {
    xml.open("item", &[]);
    if let Some(text) = &item.title {
        xml.text("title", &[], &title(text));
    }
    xml.maybe("link", item.link.as_deref());
    let permanent = item.link.as_deref() == Some(item.id.0.as_str());
    let permanent = if permanent { "true" } else { "false" };
    // Any text may stand here, but whoever reads it takes what looks like one of our URIs for one.
    let guid = match from_uri(&item.id.0) {
        Some(_) => to_uri(&item.id.0),
        None => item.id.0.clone(),
    };
    xml.text("guid", &[("isPermaLink", permanent)], &guid);
    match &item.summary {
        Some(summary) if summary.kind == TextKind::Plain => {
            xml.text("description", &[("pergola:type", "text")], &html(summary));
        }
        Some(summary) => xml.text("description", &[], &summary.body),
        // Every item needs a title or a description.
        None if item.title.is_none() => xml.text("description", &[], ""),
        None => {}
    }
    match &item.content {
        Some(content) if content.kind == TextKind::Plain => {
            xml.text("content:encoded", &[("pergola:type", "text")], &html(content));
        }
        Some(content) => xml.text("content:encoded", &[], &content.body),
        None => {}
    }
    for author in &item.authors {
        write_author(xml, author);
    }
    for category in &item.categories {
        match &category.scheme {
            Some(scheme) => xml.text("category", &[("domain", scheme)], &category.term),
            None => xml.text("category", &[], &category.term),
        }
    }
    if let Some(at) = item.published {
        xml.text("pubDate", &[], &at.to_rfc822());
    }
    if let Some(at) = item.updated {
        xml.text("atom:updated", &[], &at.to_rfc3339());
    }
    write_enclosures(xml, item);
    if let Some(media) = &item.media {
        media::media(xml, media);
    }
    for link in &item.links {
        let mut attributes = vec![("href", link.href.as_str()), ("rel", link.rel.as_str())];
        attributes.extend(link.media_type.as_deref().map(|kind| ("type", kind)));
        xml.empty("atom:link", &attributes);
    }
    write_origin(xml, item);
    super::hops(xml, item);
    xml.close("item");
}

/// The `author` of RSS is a mail address, which few publish. So the name goes into `dc:creator` and
/// everything else into an Atom person.
fn write_author(xml: &mut Xml, author: &Person) {
    let simple = |name: &String| Person::parse(name).as_ref() == Some(&Person::named(name));
    // Readers would take a name with `@` for an address.
    let name = author.name.as_ref().filter(|name| simple(name) && !name.contains('@'));
    xml.maybe("dc:creator", name.map(String::as_str));
    if name.is_none() || author.uri.is_some() || author.email.is_some() {
        xml.open("atom:author", &[]);
        // Atom demands a name.
        xml.text("atom:name", &[], author.label().unwrap_or(""));
        xml.maybe("atom:uri", author.uri.as_deref());
        xml.maybe("atom:email", author.email.as_deref());
        xml.close("atom:author");
    }
}

/// RSS allows one enclosure per item; the others, and what it cannot say of the first, go into Media RSS.
fn write_enclosures(xml: &mut Xml, item: &Item) {
    if let Some(first) = item.enclosures.first() {
        let length = first.length.unwrap_or(0).to_string();
        let kind = first.media_type.as_deref().unwrap_or("application/octet-stream");
        xml.empty("enclosure", &[("url", &first.url), ("length", &length), ("type", kind)]);
    }
    for (at, enclosure) in item.enclosures.iter().enumerate() {
        if at > 0 || enclosure.details.is_some() {
            media::content(xml, enclosure);
        }
    }
}

fn write_origin(xml: &mut Xml, item: &Item) {
    media::origin(xml, item);
    let Some(origin) = item.origin.as_ref().filter(|origin| origin.is_told()) else { return };
    if let Some(feed) = &origin.feed {
        let name = origin.title.as_deref().unwrap_or(feed);
        xml.text("source", &[("url", feed)], name);
    }
    xml.open("atom:source", &[]);
    xml.maybe("atom:id", origin.id.as_deref().map(to_uri).as_deref());
    xml.text("atom:title", &[], origin.title.as_deref().unwrap_or(""));
    if let Some(feed) = &origin.feed {
        xml.empty("atom:link", &[("href", feed), ("rel", "self")]);
    }
    if let Some(home) = &origin.home {
        xml.empty("atom:link", &[("href", home), ("rel", "alternate")]);
    }
    xml.close("atom:source");
}

/// The text as HTML, the format of RSS descriptions.
fn html(text: &Text) -> String {
    match text.kind {
        TextKind::Html => text.body.clone(),
        TextKind::Plain => escaped(&text.body),
    }
}

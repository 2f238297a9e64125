//! JSON Feed 1.1.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::feed_id;
use crate::markup::xhtml::to_text;
use crate::model::{
    Category, Document, Enclosure, Hop, Item, Link, Origin, Person, Text, TextKind,
};
use crate::time::Millis;

/// The document as JSON Feed 1.1.
pub fn write_json(document: &Document) -> String {
    let document = document.normalised();
    let mut feed = Map::new();
    feed.insert("version".into(), "https://jsonfeed.org/version/1.1".into());
    feed.insert("title".into(), document.title.as_deref().unwrap_or("Untitled").into());
    put(&mut feed, "home_page_url", document.home());
    put(&mut feed, "feed_url", document.self_link());
    put(&mut feed, "next_url", document.older());
    put(&mut feed, "language", document.language.as_deref());
    let mut own = Map::new();
    own.insert("id".into(), feed_id(&document).into());
    if let Some(about) = &document.description {
        put(&mut feed, "description", Some(&plain(about)));
        if about.kind == TextKind::Html {
            put(&mut own, "description_html", Some(&about.body));
        }
    }
    if document.hints.expired {
        feed.insert("expired".into(), true.into());
    }
    list(&mut feed, "authors", document.authors.iter().map(author));
    list(
        &mut feed,
        "hubs",
        document.links_with("hub").map(|url| json!({"type": "WebSub", "url": url})),
    );
    for (flag, holds) in
        [("archive", document.hints.archive), ("complete", document.hints.complete)]
    {
        if holds {
            own.insert(flag.into(), true.into());
        }
    }
    let shown = ["alternate", "self", "hub"];
    let others = document.links.iter().filter(|link| !shown.contains(&link.rel.as_str()));
    list(&mut own, "links", others.map(link));
    if let Some(series) = &document.series {
        own.insert("series".into(), json!(series));
    }
    feed.insert("_pergola".into(), Value::Object(own));
    feed.insert("items".into(), document.items.iter().map(item).collect());
    let mut text = Value::Object(feed).to_string();
    text.push('\n');
    text
}

fn item(item: &Item) -> Value {
    let mut map = Map::new();
    map.insert("id".into(), item.id.0.as_str().into());
    put(&mut map, "url", item.link.as_deref());
    put(&mut map, "title", item.title.as_deref());
    let (content, _) = content(item);
    let key = if content.kind == TextKind::Html { "content_html" } else { "content_text" };
    put(&mut map, key, Some(&content.body));
    let summary = item.summary.as_ref().map(plain).filter(|summary| !summary.is_empty());
    put(&mut map, "summary", summary.as_deref());
    put(&mut map, "date_published", item.published.map(|at| at.to_rfc3339()).as_deref());
    put(&mut map, "date_modified", item.updated.map(|at| at.to_rfc3339()).as_deref());
    list(&mut map, "authors", item.authors.iter().map(author));
    let mut terms: Vec<&str> =
        item.categories.iter().map(|category| category.term.as_str()).collect();
    terms.dedup();
    list(&mut map, "tags", terms.into_iter().map(Value::from));
    put(&mut map, "image", item.media.as_ref().and_then(|media| media.picture()));
    let duration = item.media.as_ref().and_then(|media| media.duration);
    let durations = std::iter::once(duration).chain(std::iter::repeat(None));
    let files = item.enclosures.iter().zip(durations);
    list(&mut map, "attachments", files.map(|(file, duration)| attachment(file, duration)));
    let own = extension(item);
    if !own.is_empty() {
        map.insert("_pergola".into(), Value::Object(own));
    }
    Value::Object(map)
}

/// The content of an item, which JSON Feed demands, and what else of the item stands in for it: the summary, else
/// the title.
fn content(item: &Item) -> (Cow<'_, Text>, Option<&'static str>) {
    match (&item.content, &item.summary) {
        (Some(content), _) => (Cow::Borrowed(content), None),
        (None, Some(summary)) => (Cow::Borrowed(summary), Some("summary")),
        (None, None) => {
            let title = item.title.as_deref();
            (Cow::Owned(Text::plain(title.unwrap_or(""))), title.map(|_| "title"))
        }
    }
}

/// A text without markup.
fn plain(text: &Text) -> Cow<'_, str> {
    match text.kind {
        TextKind::Plain => Cow::Borrowed(&text.body),
        TextKind::Html => Cow::Owned(to_text(&text.body)),
    }
}

/// The fields that JSON Feed lacks.
fn extension(item: &Item) -> Map<String, Value> {
    let mut own = Map::new();
    let (_, stand_in) = content(item);
    put(&mut own, "content_is", stand_in);
    let html = |summary: &&Text| summary.kind == TextKind::Html && stand_in.is_none();
    let summary = item.summary.as_ref().filter(html);
    put(&mut own, "summary_html", summary.map(|summary| summary.body.as_str()));
    if item.categories.iter().any(|category| category.scheme.is_some()) {
        list(&mut own, "categories", item.categories.iter().map(category));
    }
    list(&mut own, "links", item.links.iter().map(link));
    list(&mut own, "hops", item.hops.iter().map(|hop| hop.node.0.as_str().into()));
    // Apart from the names, because older nodes read a list of names.
    if item.hops.iter().any(|hop| hop.fetched.is_some() || hop.published.is_some()) {
        list(&mut own, "hop_times", item.hops.iter().map(times));
    }
    if let Some(origin) = &item.origin {
        own.insert("origin".into(), source(origin));
    }
    if let Some(media) = &item.media {
        own.insert("media".into(), json!(media));
    }
    if item.enclosures.iter().any(|enclosure| enclosure.details.is_some()) {
        let details = item.enclosures.iter().map(|enclosure| json!(enclosure.details));
        list(&mut own, "details", details);
    }
    own
}

fn source(origin: &Origin) -> Value {
    let mut source = Map::new();
    put(&mut source, "id", origin.id.as_deref());
    put(&mut source, "title", origin.title.as_deref());
    put(&mut source, "feed", origin.feed.as_deref());
    put(&mut source, "home", origin.home.as_deref());
    let identity = origin.identity.map(|identity| identity.to_string());
    put(&mut source, "identity", identity.as_deref());
    if let Some(series) = &origin.series {
        source.insert("series".into(), json!(series));
    }
    Value::Object(source)
}

/// A file; `duration` is what the item says of it.
fn attachment(enclosure: &Enclosure, duration: Option<u32>) -> Value {
    let kind = enclosure.media_type.as_deref().unwrap_or("application/octet-stream");
    let mut map = Map::new();
    put(&mut map, "url", Some(&enclosure.url));
    put(&mut map, "mime_type", Some(kind));
    if let Some(length) = enclosure.length {
        map.insert("size_in_bytes".into(), length.into());
    }
    let own = enclosure.details.as_ref().and_then(|details| details.duration);
    if let Some(duration) = own.or(duration) {
        map.insert("duration_in_seconds".into(), duration.into());
    }
    Value::Object(map)
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

fn list(map: &mut Map<String, Value>, key: &str, values: impl Iterator<Item = Value>) {
    let values: Vec<Value> = values.collect();
    if !values.is_empty() {
        map.insert(key.to_owned(), values.into());
    }
}

fn link(link: &Link) -> Value {
    let mut map = Map::new();
    put(&mut map, "rel", Some(&link.rel));
    put(&mut map, "href", Some(&link.href));
    put(&mut map, "media_type", link.media_type.as_deref());
    Value::Object(map)
}

fn times(hop: &Hop) -> Value {
    let mut map = Map::new();
    put(&mut map, "fetched", hop.fetched.map(Millis::to_rfc3339).as_deref());
    put(&mut map, "published", hop.published.map(Millis::to_rfc3339).as_deref());
    Value::Object(map)
}

fn category(category: &Category) -> Value {
    let mut map = Map::new();
    put(&mut map, "term", Some(&category.term));
    put(&mut map, "scheme", category.scheme.as_deref());
    Value::Object(map)
}

/// JSON Feed has the name and the page of an author. A mail address becomes an extension or, if there
/// is nothing else, a `mailto:` page.
fn author(person: &Person) -> Value {
    let mut map = Map::new();
    put(&mut map, "name", person.name.as_deref());
    put(&mut map, "url", person.uri.as_deref());
    match (&person.name, &person.uri, &person.email) {
        (None, None, Some(email)) => put(&mut map, "url", Some(&format!("mailto:{email}"))),
        (_, _, email) => put(&mut map, "_email", email.as_deref()),
    }
    Value::Object(map)
}

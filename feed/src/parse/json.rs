//! JSON Feed 1.0 and 1.1.
//!
//! feed-rs rejects a document with one numeric id, so we read this format ourselves. The reader
//! streams the JSON with serde and keeps each complete item, so that a document that breaks off still
//! gives its first items. It accepts wrong types: a number as an id, one author instead of a list. It
//! builds no generic tree, which would take many times the memory of the text.

mod any;
mod loose;
mod repair;

use url::Url;

use crate::error::ParseError;
use crate::limits::{Limits, prefix};
use crate::markup::chars;
use crate::markup::links::{is_web, resolve, resolve_html};
use crate::model::{
    Category, Details, Document, Enclosure, Format, Hints, Hop, Item, Link, Media, NodeId, Origin,
    Person, Picture, Text, TextKind, media_type,
};
use crate::time::{Millis, parse_date};
use any::Attachment;
use loose::{RawFeed, RawItem, RawTimes};

/// Reads a JSON Feed.
pub(crate) fn parse(
    text: &str,
    base: Option<&Url>,
    limits: &Limits,
    mut warnings: Vec<String>,
) -> Result<Document, ParseError> {
    let text = &text[text.find('{').unwrap_or(0)..];
    let (mut feed, mut error) = loose::read(text, limits);
    if error.is_some() {
        let (repaired, second) = loose::read(&repair::repaired(text), limits);
        if repaired.items.len() > feed.items.len() || second.is_none() {
            warnings.push("repaired malformed JSON".into());
            (feed, error) = (repaired, second);
        }
    }
    let version = feed.version.as_deref().unwrap_or("");
    let named = version.contains("jsonfeed.org/version") || version.contains("jsonfeed");
    if !named && !feed.has_items {
        let found = match &error {
            Some(error) if feed.title.is_none() => format!("the JSON is malformed ({error})"),
            _ => "this JSON is not a JSON Feed (it has no items)".into(),
        };
        return Err(ParseError::NotAFeed { found });
    }
    if !named {
        warnings.push("the JSON does not name a version of JSON Feed".into());
    }
    if let Some(error) = error {
        let count = feed.items.len();
        warnings
            .push(format!("the JSON breaks off ({error}); {count} items were read before that"));
    }
    if feed.cut {
        warnings.push(format!("more than {} items; the rest was not read", limits.items));
    }
    Ok(document(feed, base, limits, warnings))
}

fn document(feed: RawFeed, base: Option<&Url>, limits: &Limits, warnings: Vec<String>) -> Document {
    let mut document = Document::new(Format::Json);
    document.warnings = warnings;
    let own = feed.home.as_deref().or(feed.url.as_deref()).and_then(|href| Url::parse(href).ok());
    let base = base.cloned().or(own);
    let base = base.as_ref();
    document.id = feed.id.or(feed.pergola.id);
    document.title = feed.title.and_then(filled);
    document.description = match feed.pergola.description_html {
        Some(html) => Some(Text::html(html)),
        None => feed.description.and_then(filled).map(Text::plain),
    };
    let links = [("alternate", feed.home), ("self", feed.url), ("next", feed.next)];
    for (rel, href) in links {
        document
            .links
            .extend(href.and_then(filled).map(|href| Link::new(rel, resolve(&href, base))));
    }
    for hub in feed.hubs {
        document.links.push(Link::new("hub", resolve(&hub, base)));
    }
    for link in feed.pergola.links {
        if !document.links.iter().any(|known| known.href == link.href && known.rel == link.rel) {
            document.links.push(link);
        }
    }
    document.authors = feed.authors;
    document.language = feed.language.and_then(filled);
    document.series = feed.pergola.series.filter(|series| !series.is_empty());
    document.updated = None;
    let (archive, complete) = (feed.pergola.archive, feed.pergola.complete);
    document.hints = Hints { expired: feed.expired, archive, complete, ..Hints::default() };
    document.items = feed.items.into_iter().map(|raw| item(raw, base, limits)).collect();
    document
}

fn item(raw: RawItem, base: Option<&Url>, limits: &Limits) -> Item {
    let mut item = Item::new("");
    item.guid = raw.id.and_then(filled);
    item.title = raw.title.and_then(filled).map(|title| prefix(&title, limits.text).to_owned());
    let mut urls: Vec<(&str, String)> = Vec::new();
    urls.extend(raw.url.and_then(filled).map(|url| ("alternate", url)));
    urls.extend(raw.external.and_then(filled).map(|url| ("related", url)));
    for (rel, url) in urls {
        let href = resolve(&url, base);
        match (&item.link, rel) {
            (None, "alternate") => item.link = Some(href),
            _ => item.links.push(Link::new(rel, href)),
        }
    }
    item.links.extend(raw.pergola.links);
    if item.link.is_none() {
        item.link = item.guid.clone().filter(|guid| is_web(guid));
    }
    let html = raw.content_html.and_then(filled).map(Text::html);
    let plain = raw.content_text.and_then(filled).map(Text::plain);
    let content = html.or(plain);
    let summary = raw.summary.and_then(filled).map(Text::plain);
    let summary = raw.pergola.summary_html.map(Text::html).or(summary);
    let (content, summary) = match raw.pergola.content_is.as_deref() {
        Some("summary") => (None, content),
        Some("title") => (None, summary),
        _ => (content, summary),
    };
    item.content = settle(content, base, limits);
    item.summary = settle(summary, base, limits);
    item.published = raw.published.as_deref().and_then(parse_date);
    item.updated = raw.modified.as_deref().and_then(parse_date);
    item.authors = raw.authors;
    item.authors.retain(|author: &Person| author.label().is_some());
    let tags = raw.tags.into_iter().filter_map(filled).map(Category::new);
    item.categories = tags.collect();
    if !raw.pergola.categories.is_empty() {
        item.categories = raw.pergola.categories;
    }
    // Our own documents say more of the media than JSON Feed can; the rest repeats it for others.
    let own = raw.pergola.media.is_some() || !raw.pergola.details.is_empty();
    enclosures(&mut item, raw.attachments, raw.pergola.details, own, base);
    let picture = raw.image.and_then(filled).filter(|_| !own).map(|url| {
        let thumbnail = Picture { url: resolve(&url, base), ..Picture::default() };
        Box::new(Media { thumbnails: vec![thumbnail], ..Media::default() })
    });
    item.media = raw.pergola.media.or(picture);
    item.settle_media();
    item.hops = hops(raw.pergola.hops, raw.pergola.hop_times, limits);
    item.origin = raw.pergola.origin.filter(|origin: &Origin| !origin.is_empty());
    item
}

/// The attached files. What our own documents say of each is in `details`.
fn enclosures(
    item: &mut Item,
    attachments: Vec<Attachment>,
    details: Vec<Option<Box<Details>>>,
    own: bool,
    base: Option<&Url>,
) {
    let details = details.into_iter().chain(std::iter::repeat_with(|| None));
    for (attachment, details) in attachments.into_iter().zip(details) {
        let Some(url) = attachment.url.and_then(filled) else {
            continue;
        };
        let duration = attachment.duration.filter(|_| !own);
        let told = duration.map(|_| Box::new(Details { duration, ..Details::default() }));
        item.enclosures.push(Enclosure {
            url: resolve(&url, base),
            media_type: attachment.mime_type.and_then(media_type),
            length: attachment.length.filter(|length| *length > 0),
            details: details.or(told),
        });
    }
}

/// The passed nodes, with their times if the document has any.
fn hops(nodes: Vec<String>, times: Vec<RawTimes>, limits: &Limits) -> Vec<Hop> {
    let times = times.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    let pairs = nodes.into_iter().zip(times).take(limits.list);
    let hop = |(node, times): (String, Option<RawTimes>)| {
        let RawTimes { fetched, published } = times.unwrap_or_default();
        let read = |at: Option<String>| at.as_deref().and_then(Millis::parse);
        Hop { node: NodeId(node), fetched: read(fetched), published: read(published) }
    };
    pairs.map(hop).collect()
}

fn settle(text: Option<Text>, base: Option<&Url>, limits: &Limits) -> Option<Text> {
    let mut text = text?;
    text.body = prefix(text.body.trim(), limits.text).to_owned();
    if let (TextKind::Html, Some(base)) = (text.kind, base)
        && let Some(resolved) = resolve_html(&text.body, base)
    {
        text.body = resolved;
    }
    Some(text)
}

fn filled(text: String) -> Option<String> {
    let mut clean = String::with_capacity(text.len());
    chars::push_allowed(&mut clean, &text);
    let trimmed = chars::trim(&clean);
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

//! Builds the document from the model of feed-rs and the fields that feed-rs ignores.
//!
//! Only this module knows the types of feed-rs. For every field there is an order of preference: first
//! the proper element, then those that publishers use instead.

mod links;
mod media;
mod people;
mod texts;

use feed_rs::model as parsed;
use url::Url;

use super::survey::{Extras, Field, ItemExtras};
use crate::identity::from_uri;
use crate::limits::{Limits, prefix};
use crate::markup::links::{is_web, resolve};
use crate::markup::{chars, inline, xhtml};
use crate::model::{Category, Document, Format, Hop, Item, NodeId, Text};
use crate::time::{Timestamp, parse_date};
use links::{feed_link, origin};

/// Builds the document; `base` is the address that it was fetched from.
pub(crate) fn document(
    feed: parsed::Feed,
    extras: Extras,
    format: Format,
    base: Option<&Url>,
    limits: &Limits,
) -> Document {
    let atom = matches!(format, Format::Atom | Format::Atom03);
    let mut document = Document::new(format);
    document.id = filled(feed.id);
    document.title = feed
        .title
        .and_then(|title| plain_title(title, atom))
        .or_else(|| extras.all("xhtml/title").next().and_then(|t| filled(xhtml::to_text(t))))
        .or_else(|| extras.all("dc:title").next().and_then(|t| filled(t.to_owned())));
    document.description = feed.description.and_then(|text| typed(text, atom));
    document.links = feed.links.into_iter().filter_map(|link| feed_link(link, base)).collect();
    document.authors = people::of_feed(feed.authors, &extras);
    document.language = feed
        .language
        .and_then(filled)
        .or_else(|| extras.all("dc:language").next().map(str::to_owned));
    document.updated = feed.updated.or(feed.published).map(Timestamp::from);
    document.series = media::series(&extras, feed.logo, base);
    document.hints = super::hints::hints(&extras, feed.ttl);
    // The base of relative addresses, if the caller did not give the address of the document.
    let home = document.self_link().or(document.home()).and_then(|href| Url::parse(href).ok());
    let base = base.cloned().or(home);
    for link in document.links.iter_mut().filter(|link| !is_web(&link.href)) {
        link.href = resolve(&link.href, base.as_ref());
    }
    let context = Context { atom, base, limits };
    let pairs = feed.entries.into_iter().zip(extras.items);
    document.items = pairs.map(|(entry, extras)| context.item(entry, extras)).collect();
    document
}

struct Context<'l> {
    atom: bool,
    base: Option<Url>,
    limits: &'l Limits,
}

impl Context<'_> {
    fn item(&self, entry: parsed::Entry, mut extras: ItemExtras) -> Item {
        let own_base = extras.base.take();
        let base = own_base.as_ref().or(self.base.as_ref());
        let mut item = Item::new("");
        item.guid =
            filled(entry.id).or_else(|| first(&extras, &["atom:id", "rdf:about", "dc:identifier"]));
        item.guid = item.guid.map(|guid| from_uri(&guid).unwrap_or(guid));
        item.title = entry
            .title
            .and_then(|title| plain_title(title, self.atom))
            .or_else(|| extras.text(&["xhtml/title"]).and_then(|t| filled(xhtml::to_text(t))))
            .or_else(|| {
                let other = ["dc:title", "atom:title", "itunes:title", "media:title"];
                first(&extras, &other).map(ambiguous_title)
            });
        if let Some(title) = &mut item.title {
            let kept = prefix(title, self.limits.text).len();
            title.truncate(kept);
        }
        item.published = entry
            .published
            .map(Timestamp::from)
            .or_else(|| first_date(&extras, &["published", "issued", "created", "dc:date"]));
        item.updated = entry
            .updated
            .filter(|_| extras.updated || self.atom)
            .map(Timestamp::from)
            .or_else(|| first_date(&extras, &["modified"]));
        if extras.first("stand-in").is_some() {
            item.updated = None;
        }
        let source = entry.content.as_ref().and_then(|content| content.src.clone());
        self.texts(&mut item, &mut extras, base);
        if extras.first("content-is").is_some() {
            item.summary = item.content.take();
        }
        self.links(&mut item, entry.links, source.filter(|_| self.atom), &extras, base);
        item.authors = people::of_item(entry.authors, &extras, self.atom);
        item.categories = categories(entry.categories, &extras);
        media::enclosures(&mut item, &extras, base);
        item.media = media::media(&extras, base, self.limits.list);
        item.settle_media();
        item.origin = origin(&extras, base);
        item.hops = extras
            .fields
            .iter()
            .filter(|f| f.name == "hop")
            .take(self.limits.list)
            .map(hop)
            .collect();
        item.links.truncate(self.limits.list);
        item.authors.truncate(self.limits.list);
        item.categories.truncate(self.limits.list);
        item.enclosures.truncate(self.limits.list);
        item
    }
}

/// A node, with its times if they are valid.
fn hop(field: &Field) -> Hop {
    let [fetched, published] = field.times();
    Hop { node: NodeId(field.text.clone()), fetched, published }
}

fn filled(text: String) -> Option<String> {
    let trimmed = chars::trim(&text);
    if trimmed.is_empty() {
        return None;
    }
    Some(if trimmed.len() == text.len() { text } else { trimmed.to_owned() })
}

fn first(extras: &ItemExtras, names: &[&str]) -> Option<String> {
    extras.text(names).map(str::to_owned)
}

fn first_date(extras: &ItemExtras, names: &[&str]) -> Option<Timestamp> {
    let fields = names.iter().filter_map(|name| extras.first(name));
    fields.filter_map(|field| parse_date(&field.text)).next()
}

/// A title as plain text. Atom declares the type of a title.
fn plain_title(title: parsed::Text, atom: bool) -> Option<String> {
    let html = title.content_type.as_str() != "text/plain";
    filled(match (atom, html) {
        (true, false) => title.content,
        (true, true) => xhtml::to_text(&title.content),
        (false, _) => ambiguous_title(title.content),
    })
}

/// RSS titles are ambiguous: most are text, some are HTML. So only what is certainly markup is removed, and
/// character references are resolved.
fn ambiguous_title(title: String) -> String {
    if !title.contains(['<', '&']) {
        return title;
    }
    chars::decoded(&inline::without_markup(&title))
}

fn typed(text: parsed::Text, atom: bool) -> Option<Text> {
    let plain = atom && text.content_type.as_str() == "text/plain";
    let body = filled(text.content)?;
    Some(if plain { Text::plain(body) } else { Text::html(body) })
}

fn categories(given: Vec<parsed::Category>, extras: &ItemExtras) -> Vec<Category> {
    let mut list: Vec<Category> = Vec::new();
    let mut add = |term: &str, scheme: Option<String>| {
        let term = term.trim();
        if !term.is_empty()
            && !list.iter().any(|known| known.term == term && known.scheme == scheme)
        {
            list.push(Category { term: term.to_owned(), scheme });
        }
    };
    for category in given {
        add(&category.term, category.scheme.and_then(filled));
    }
    for field in &extras.fields {
        match field.name {
            "dc:subject" => add(&field.text, None),
            "atom:category" => add(field.address().unwrap_or(&field.text), None),
            "itunes:keywords" => field.text.split(',').for_each(|word| add(word, None)),
            _ => {}
        }
    }
    list
}

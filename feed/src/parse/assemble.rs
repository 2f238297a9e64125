//! From feed-rs's model and what it left out to ours.
//!
//! This is the only module that knows feed-rs's types: they stop here. For every field there is an
//! order of preference, from the element that is made for it down to those that publishers use in
//! its place.

mod people;

use feed_rs::model as parsed;
use url::Url;

use super::links::{is_web, resolve, resolve_html};
use super::survey::{Extras, Field, ItemExtras};
use super::xhtml;
use super::{chars, dates};
use crate::limits::{Limits, prefix};
use crate::model::{
    Category, Document, Enclosure, Format, Item, Link, NodeId, Origin, Text, TextKind, Timestamp,
    media_type,
};
pub(crate) use people::person;

/// Builds the document; `base` is where it was fetched from.
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
        .or_else(|| {
            extras
                .all("xhtml/title")
                .next()
                .and_then(|t| filled(xhtml::to_text(t)))
        })
        .or_else(|| {
            extras
                .all("dc:title")
                .next()
                .and_then(|t| filled(t.to_owned()))
        });
    document.description = feed.description.and_then(|text| typed(text, atom));
    document.links = feed
        .links
        .into_iter()
        .filter_map(|link| feed_link(link, base))
        .collect();
    document.authors = people::of_feed(feed.authors, &extras);
    document.language = feed
        .language
        .and_then(filled)
        .or_else(|| extras.all("dc:language").next().map(str::to_owned));
    document.updated = feed.updated.or(feed.published).map(Timestamp::from);
    document.hints = super::hints::hints(&extras, feed.ttl);
    // What relative addresses are relative to, if nobody has told where the document came from.
    let home = document
        .self_link()
        .or(document.home())
        .and_then(|href| Url::parse(href).ok());
    let base = base.cloned().or(home);
    for link in document.links.iter_mut().filter(|link| !is_web(&link.href)) {
        link.href = resolve(&link.href, base.as_ref());
    }
    let context = Context { atom, base, limits };
    let pairs = feed.entries.into_iter().zip(extras.items);
    document.items = pairs
        .map(|(entry, extras)| context.item(entry, extras))
        .collect();
    document
}

struct Context<'l> {
    atom: bool,
    base: Option<Url>,
    limits: &'l Limits,
}

impl Context<'_> {
    fn item(&self, entry: parsed::Entry, extras: ItemExtras) -> Item {
        let base = extras.base.as_ref().or(self.base.as_ref());
        let mut item = Item::new("");
        item.guid =
            filled(entry.id).or_else(|| first(&extras, &["atom:id", "rdf:about", "dc:identifier"]));
        item.guid = item.guid.map(|guid| unwrapped_id(&guid).unwrap_or(guid));
        item.title = entry
            .title
            .and_then(|title| plain_title(title, self.atom))
            .or_else(|| {
                extras
                    .text(&["xhtml/title"])
                    .and_then(|t| filled(xhtml::to_text(t)))
            })
            .or_else(|| {
                let other = ["dc:title", "atom:title", "itunes:title", "media:title"];
                first(&extras, &other).map(|title| chars::decoded(&title))
            });
        if let Some(title) = &mut item.title {
            *title = prefix(title, self.limits.text).to_owned();
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
        let source = entry
            .content
            .as_ref()
            .and_then(|content| content.src.clone());
        self.texts(&mut item, &extras, base);
        self.links(
            &mut item,
            entry.links,
            source.filter(|_| self.atom),
            &extras,
            base,
        );
        item.authors = people::of_item(entry.authors, &extras, self.atom);
        item.categories = categories(entry.categories, &extras);
        enclosures(&mut item, entry.media, &extras, base);
        item.origin = origin(&extras, base);
        item.hops = extras
            .fields
            .iter()
            .filter(|f| f.name == "hop")
            .map(|f| NodeId(f.text.clone()))
            .collect();
        for list in [item.links.len(), item.categories.len(), item.authors.len()] {
            debug_assert!(
                list <= self.limits.list * 8,
                "the passes before this one bound the lists"
            );
        }
        item
    }

    fn texts(&self, item: &mut Item, extras: &ItemExtras, base: Option<&Url>) {
        let body = |names: &[&str]| {
            let field = names.iter().find_map(|name| extras.first(name))?;
            Some((Text::html(field.text.trim()), field.base.clone()))
        };
        let own = |name: &str| {
            let field = extras.first(name)?;
            let kind = if field.html {
                TextKind::Html
            } else {
                TextKind::Plain
            };
            // RSS has no plain texts but ours, which are escaped as HTML.
            let text = match (kind, self.atom) {
                (TextKind::Plain, false) => chars::decoded(field.text.trim()),
                _ => field.text.trim().to_owned(),
            };
            Some((Text { kind, body: text }, field.base.clone()))
        };
        let summary = own("own/summary")
            .or_else(|| Some((field_text(extras.first("atom:summary")?), None)))
            .or_else(|| {
                body(&[
                    "summary",
                    "dc:description",
                    "itunes:summary",
                    "itunes:subtitle",
                ])
            })
            .or_else(|| Some((field_text(extras.first("media:description")?), None)));
        let content = own("own/content")
            .or_else(|| body(&["xhtml:body"]))
            .or_else(|| Some((field_text(extras.first("atom:content")?), None)))
            .or_else(|| body(&["body"]));
        let settle = |found: Option<(Text, Option<Url>)>| {
            let (mut text, own) = found?;
            let kept = prefix(&text.body, self.limits.text).len();
            text.body.truncate(kept);
            if let (TextKind::Html, Some(base)) = (text.kind, own.as_ref().or(base))
                && let Some(resolved) = resolve_html(&text.body, base)
            {
                text.body = resolved;
            }
            (!text.body.is_empty()).then_some(text)
        };
        item.summary = settle(summary);
        item.content = settle(content);
    }

    fn links(
        &self,
        item: &mut Item,
        links: Vec<parsed::Link>,
        source: Option<parsed::Link>,
        extras: &ItemExtras,
        base: Option<&Url>,
    ) {
        let mut found: Vec<Link> = Vec::new();
        for link in links {
            let length = link.length.filter(|length| *length > 0);
            match feed_link(link, base) {
                Some(Link {
                    href: url,
                    rel,
                    media_type: kind,
                }) if rel == "enclosure" => {
                    let media_type = kind.and_then(media_type);
                    push_enclosure(
                        item,
                        Enclosure {
                            url,
                            media_type,
                            length,
                        },
                    );
                }
                link => found.extend(link),
            }
        }
        for field in extras
            .fields
            .iter()
            .filter(|field| field.name == "atom:link")
        {
            let rel = field.rel.as_deref().unwrap_or("alternate");
            let href = field.address.as_deref().unwrap_or(field.text.trim());
            if !href.is_empty() {
                let media_type = field.media_type.clone();
                found.push(Link {
                    href: resolve(href, base),
                    rel: rel.to_owned(),
                    media_type,
                });
            }
        }
        let html = |link: &Link| {
            link.media_type
                .as_deref()
                .is_none_or(|kind| kind.contains("html"))
        };
        let best = found
            .iter()
            .position(|link| link.rel == "alternate" && html(link))
            .or_else(|| found.iter().position(|link| link.rel == "alternate"));
        item.link = best.map(|at| found.remove(at).href);
        if item.link.is_none() {
            let guid = item
                .guid
                .as_deref()
                .filter(|guid| is_web(guid) && !extras.opaque_guid);
            let about = extras
                .text(&["rdf:about", "dc:identifier"])
                .filter(|about| is_web(about));
            item.link = guid
                .filter(|_| !self.atom)
                .or(about)
                .map(str::to_owned)
                .or_else(|| source.map(|link| resolve(&link.href, base)));
        }
        for link in found {
            if link.rel == "enclosure" {
                let (url, media_type) = (link.href, link.media_type.and_then(media_type));
                push_enclosure(
                    item,
                    Enclosure {
                        url,
                        media_type,
                        length: None,
                    },
                );
            } else if Some(&link.href) != item.link.as_ref() || link.rel != "alternate" {
                item.links.push(link);
            }
        }
    }
}

/// An id that this crate's Atom writer has dressed as a URN.
fn unwrapped_id(id: &str) -> Option<String> {
    crate::write::plain_id(id)
}

fn filled(text: String) -> Option<String> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    Some(if trimmed.len() == text.len() {
        text
    } else {
        trimmed.to_owned()
    })
}

fn first(extras: &ItemExtras, names: &[&str]) -> Option<String> {
    extras.text(names).map(str::to_owned)
}

fn first_date(extras: &ItemExtras, names: &[&str]) -> Option<Timestamp> {
    let fields = names.iter().filter_map(|name| extras.first(name));
    fields
        .filter_map(|field| dates::parse_date(&field.text))
        .next()
}

/// RSS titles are ambiguous: most are text, some are HTML that was escaped once more. Character
/// references are resolved, tags are left. Atom says what a title is.
fn plain_title(title: parsed::Text, atom: bool) -> Option<String> {
    let html = title.content_type.as_str() != "text/plain";
    filled(match (atom, html) {
        (true, false) => title.content,
        (true, true) => xhtml::to_text(&title.content),
        (false, _) if title.content.contains('&') => chars::decoded(&title.content),
        (false, _) => title.content,
    })
}

fn typed(text: parsed::Text, atom: bool) -> Option<Text> {
    let plain = atom && text.content_type.as_str() == "text/plain";
    let body = filled(text.content)?;
    Some(if plain {
        Text::plain(body)
    } else {
        Text::html(body)
    })
}

/// The text of an Atom element inside RSS.
fn field_text(field: &Field) -> Text {
    let html = field.html || field.text.contains("</") || field.text.contains("/>");
    if html {
        Text::html(field.text.trim())
    } else {
        Text::plain(field.text.trim())
    }
}

fn feed_link(link: parsed::Link, base: Option<&Url>) -> Option<Link> {
    let rel = match (&link.rel, &link.target) {
        (Some(rel), _) if !rel.trim().is_empty() => rel.trim().to_ascii_lowercase(),
        (_, Some(_)) => "replies".into(),
        _ => "alternate".into(),
    };
    let href = filled(link.href)?;
    Some(Link {
        href: resolve(&href, base),
        rel,
        media_type: link.media_type.and_then(filled),
    })
}

fn categories(given: Vec<parsed::Category>, extras: &ItemExtras) -> Vec<Category> {
    let mut list: Vec<Category> = Vec::new();
    let mut add = |term: &str, scheme: Option<String>| {
        let term = term.trim();
        if !term.is_empty()
            && !list
                .iter()
                .any(|known| known.term == term && known.scheme == scheme)
        {
            list.push(Category {
                term: term.to_owned(),
                scheme,
            });
        }
    };
    for category in given {
        add(&category.term, category.scheme.and_then(filled));
    }
    for field in &extras.fields {
        match field.name {
            "dc:subject" => add(&field.text, None),
            "atom:category" => add(field.address.as_deref().unwrap_or(&field.text), None),
            "itunes:keywords" => field.text.split(',').for_each(|word| add(word, None)),
            _ => {}
        }
    }
    list
}

/// feed-rs forgets `enclosure` as soon as there is a `media:content`.
fn enclosures(
    item: &mut Item,
    media: Vec<parsed::MediaObject>,
    extras: &ItemExtras,
    base: Option<&Url>,
) {
    for field in extras
        .fields
        .iter()
        .filter(|field| field.name == "enclosure")
    {
        let Some(url) = field.address.as_deref().filter(|url| !url.is_empty()) else {
            continue;
        };
        let media_type = field.media_type.clone().and_then(media_type);
        let length = field.length.filter(|length| *length > 0);
        push_enclosure(
            item,
            Enclosure {
                url: resolve(url, base),
                media_type,
                length,
            },
        );
    }
    for content in media.into_iter().flat_map(|object| object.content) {
        let Some(url) = content.url else { continue };
        let media_type = content
            .content_type
            .and_then(|kind| media_type(kind.to_string()));
        let length = content.size.filter(|length| *length > 0);
        push_enclosure(
            item,
            Enclosure {
                url: resolve(url.as_str(), base),
                media_type,
                length,
            },
        );
    }
}

fn push_enclosure(item: &mut Item, enclosure: Enclosure) {
    if !item
        .enclosures
        .iter()
        .any(|known| known.url == enclosure.url)
    {
        item.enclosures.push(enclosure);
    }
}

fn origin(extras: &ItemExtras, base: Option<&Url>) -> Option<Origin> {
    let mut origin = Origin::default();
    for field in &extras.fields {
        let address = field.address.as_deref().map(|href| resolve(href, base));
        match field.name {
            "source/id" => {
                origin.id = filled(field.text.clone()).map(|id| unwrapped_id(&id).unwrap_or(id))
            }
            "source/title" => origin.title = filled(field.text.clone()),
            "source/link" if field.rel.as_deref() == Some("self") => origin.feed = address,
            "source/link" => origin.home = origin.home.or(address),
            "source" => {
                origin.title = filled(field.text.clone());
                origin.feed = address;
            }
            _ => {}
        }
    }
    (!origin.is_empty()).then_some(origin)
}

//! The media files of an item, its pictures, and its place in a series.

use feed_rs::model as parsed;
use url::Url;

use super::filled;
use crate::markup::chars;
use crate::markup::links::resolve;
use crate::model::{Credit, Details, Enclosure, Item, Media, Picture, Series, media_type};
use crate::parse::survey::{Extras, Field, ItemExtras};
use crate::time::parse_duration;

/// feed-rs drops `enclosure` if there is a `media:content`, and most of what that says, so we read both.
pub(super) fn enclosures(item: &mut Item, extras: &ItemExtras, base: Option<&Url>) {
    for name in ["enclosure", "media:content"] {
        for field in extras.fields.iter().filter(|field| field.name == name) {
            let Some(url) = field.address().filter(|url| !url.is_empty()) else {
                continue;
            };
            let media_type = field.media_type().map(str::to_owned).and_then(media_type);
            let length = field.length().filter(|length| *length > 0);
            let details = details(field);
            push(item, Enclosure { url: resolve(url, base), media_type, length, details });
        }
    }
}

/// Adds a file, or what is new of a known one.
pub(super) fn push(item: &mut Item, enclosure: Enclosure) {
    match item.enclosures.iter_mut().find(|known| known.url == enclosure.url) {
        Some(known) => {
            known.details = known.details.take().or(enclosure.details);
            known.length = known.length.or(enclosure.length);
            known.media_type = known.media_type.take().or(enclosure.media_type);
        }
        None => item.enclosures.push(enclosure),
    }
}

fn details(field: &Field) -> Option<Box<Details>> {
    let more = field.more()?;
    let medium = more.sort.clone().and_then(filled);
    let details =
        Details { medium, width: more.width, height: more.height, duration: more.duration };
    (!details.is_empty()).then(|| Box::new(details))
}

/// The pictures of an item and its place in a series.
pub(super) fn media(extras: &ItemExtras, base: Option<&Url>, most: usize) -> Option<Box<Media>> {
    let mut media = Media::default();
    for field in &extras.fields {
        let text = || filled(field.text.clone());
        match field.name {
            "thumbnail" if media.thumbnails.len() < most => {
                media.thumbnails.extend(picture(field, base));
            }
            "credit" if media.credits.len() < most => {
                let role = field.more().and_then(|more| more.sort.clone()).and_then(filled);
                media.credits.extend(text().map(|name| Credit { name, role }));
            }
            "itunes:image" => media.image = media.image.or_else(|| address(field, base)),
            "duration" => media.duration = parse_duration(&field.text),
            "season" => media.season = field.text.trim().parse().ok(),
            "episode" => media.episode = field.text.trim().parse().ok(),
            "episodeType" => media.kind = text(),
            "explicit" => media.explicit = explicit(&field.text),
            "itunes:title" => media.title = text().map(|title| chars::decoded(&title)),
            "itunes:author" => media.author = text(),
            "itunes:subtitle" => media.subtitle = text(),
            "itunes:summary" => media.summary = text(),
            _ => {}
        }
    }
    (!media.is_empty()).then(|| Box::new(media))
}

/// The series that the feed is: only podcasts say so.
pub(super) fn series(
    extras: &Extras,
    logo: Option<parsed::Image>,
    base: Option<&Url>,
) -> Option<Box<Series>> {
    let first = |name: &str| extras.fields.iter().find(|field| field.name == name);
    let text = |name: &str| first(name).and_then(|field| filled(field.text.clone()));
    let mut series = Series {
        image: first("itunes:image").and_then(|field| address(field, base)),
        author: text("itunes:author"),
        kind: text("itunes:type"),
        explicit: first("explicit").and_then(|field| explicit(&field.text)),
        categories: extras.all("itunes:category").map(str::to_owned).collect(),
    };
    series.categories.retain(|category| !category.is_empty());
    if series.is_empty() {
        return None;
    }
    series.image = series.image.or_else(|| logo.map(|logo| resolve(&logo.uri, base)));
    Some(Box::new(series))
}

fn picture(field: &Field, base: Option<&Url>) -> Option<Picture> {
    let more = field.more()?;
    Some(Picture { url: address(field, base)?, width: more.width, height: more.height })
}

/// The address in an attribute or, as some write it, in the text.
fn address(field: &Field, base: Option<&Url>) -> Option<String> {
    let given = field.address().unwrap_or(&field.text).trim();
    (!given.is_empty()).then(|| resolve(given, base))
}

/// Whether something is marked as not for children; `None` if the mark is unknown.
fn explicit(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "explicit" => Some(true),
        "false" | "no" | "clean" => Some(false),
        _ => None,
    }
}

//! The links of an item: its page, other links, media, and the feed it comes from.

use feed_rs::model as parsed;
use url::Url;

use super::{Context, filled, media};
use crate::identity::from_uri;
use crate::markup::links::{is_web, resolve};
use crate::model::{Enclosure, Item, Link, Origin, OriginId, media_type};
use crate::parse::survey::ItemExtras;

impl Context<'_> {
    pub(super) fn links(
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
                Some(Link { href: url, rel, media_type: kind }) if rel == "enclosure" => {
                    let media_type = kind.and_then(media_type);
                    media::push(item, Enclosure { url, media_type, length, details: None });
                }
                link => found.extend(link),
            }
        }
        for field in extras.fields.iter().filter(|field| field.name == "atom:link") {
            let rel = field.rel().unwrap_or("alternate");
            let href = field.address().unwrap_or(field.text.trim());
            if !href.is_empty() {
                let media_type = field.media_type().map(str::to_owned);
                found.push(Link { href: resolve(href, base), rel: rel.to_owned(), media_type });
            }
        }
        let html =
            |link: &Link| link.media_type.as_deref().is_none_or(|kind| kind.contains("html"));
        let best = found
            .iter()
            .position(|link| link.rel == "alternate" && html(link))
            .or_else(|| found.iter().position(|link| link.rel == "alternate"));
        item.link = best.map(|at| found.remove(at).href);
        if item.link.is_none() {
            let guid = item.guid.as_deref().filter(|guid| is_web(guid) && !extras.opaque_guid);
            let about = extras.text(&["rdf:about", "dc:identifier"]).filter(|about| is_web(about));
            item.link = guid
                .filter(|_| !self.atom)
                .or(about)
                .map(str::to_owned)
                .or_else(|| source.map(|link| resolve(&link.href, base)));
        }
        for link in found {
            if link.rel == "enclosure" {
                let (url, media_type) = (link.href, link.media_type.and_then(media_type));
                media::push(item, Enclosure { url, media_type, ..Enclosure::default() });
            } else if Some(&link.href) != item.link.as_ref() || link.rel != "alternate" {
                item.links.push(link);
            }
        }
    }
}

pub(super) fn feed_link(link: parsed::Link, base: Option<&Url>) -> Option<Link> {
    let rel = match (&link.rel, &link.target) {
        (Some(rel), _) if !rel.trim().is_empty() => rel.trim().to_ascii_lowercase(),
        (_, Some(_)) => "replies".into(),
        _ => "alternate".into(),
    };
    let href = filled(link.href)?;
    Some(Link { href: resolve(&href, base), rel, media_type: link.media_type.and_then(filled) })
}

pub(super) fn origin(extras: &ItemExtras, base: Option<&Url>) -> Option<Origin> {
    let mut origin = Origin::default();
    for field in &extras.fields {
        let address = field.address().map(|href| resolve(href, base));
        match field.name {
            "source/id" => {
                origin.id = filled(field.text.clone()).map(|id| from_uri(&id).unwrap_or(id))
            }
            "source/title" => origin.title = filled(field.text.clone()),
            "source/link" if field.rel() == Some("self") => origin.feed = address,
            "origin" => origin.identity = OriginId::parse(field.text.trim()),
            "series" => {
                origin.series = field.more().and_then(|more| more.series.clone());
            }
            "source/link" => origin.home = origin.home.or(address),
            "source" => {
                // RSS demands a text, so the address may take the place of a title.
                let title = filled(field.text.clone());
                origin.title = title.filter(|title| address.as_ref() != Some(title));
                origin.feed = address;
            }
            _ => {}
        }
    }
    (!origin.is_empty()).then_some(origin)
}

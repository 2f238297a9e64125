//! Pictures, films, sounds and series in RSS and Atom: Media RSS, and the elements of podcasts.

use super::xml::Xml;
use crate::model::{Enclosure, Item, Media, Origin, Series};

/// The namespaces that this module writes.
pub(super) const NAMESPACES: [(&str, &str); 2] = [
    ("xmlns:media", "http://search.yahoo.com/mrss/"),
    ("xmlns:itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
];

/// A media file as Media RSS describes it.
pub(super) fn content(xml: &mut Xml, enclosure: &Enclosure) {
    let length = enclosure.length.unwrap_or(0).to_string();
    let kind = enclosure.media_type.as_deref().unwrap_or("application/octet-stream");
    let mut attributes =
        vec![("url", enclosure.url.as_str()), ("fileSize", &length), ("type", kind)];
    let details = enclosure.details.as_deref().cloned().unwrap_or_default();
    let [width, height, duration] =
        [details.width, details.height, details.duration].map(|n| n.map(|n| n.to_string()));
    attributes.extend(details.medium.as_deref().map(|medium| ("medium", medium)));
    attributes.extend(width.as_deref().map(|width| ("width", width)));
    attributes.extend(height.as_deref().map(|height| ("height", height)));
    attributes.extend(duration.as_deref().map(|duration| ("duration", duration)));
    xml.empty("media:content", &attributes);
}

/// The pictures of an item, and its place in a series.
pub(super) fn media(xml: &mut Xml, media: &Media) {
    for picture in &media.thumbnails {
        let [width, height] = [picture.width, picture.height].map(|n| n.map(|n| n.to_string()));
        let mut attributes = vec![("url", picture.url.as_str())];
        attributes.extend(width.as_deref().map(|width| ("width", width)));
        attributes.extend(height.as_deref().map(|height| ("height", height)));
        xml.empty("media:thumbnail", &attributes);
    }
    for credit in &media.credits {
        let role: Vec<(&str, &str)> =
            credit.role.as_deref().map(|role| ("role", role)).into_iter().collect();
        xml.text("media:credit", &role, &credit.name);
    }
    let number = |n: Option<u32>| n.map(|n| n.to_string());
    xml.maybe("itunes:duration", number(media.duration).as_deref());
    image(xml, media.image.as_deref());
    xml.maybe("itunes:season", number(media.season).as_deref());
    xml.maybe("itunes:episode", number(media.episode).as_deref());
    xml.maybe("itunes:episodeType", media.kind.as_deref());
    xml.maybe("itunes:explicit", media.explicit.map(truth));
    xml.maybe("itunes:title", media.title.as_deref().map(super::title).as_deref());
    xml.maybe("itunes:author", media.author.as_deref());
    xml.maybe("itunes:subtitle", media.subtitle.as_deref());
    xml.maybe("itunes:summary", media.summary.as_deref());
}

/// The series that a document shows.
pub(super) fn series(xml: &mut Xml, series: &Series) {
    image(xml, series.image.as_deref());
    xml.maybe("itunes:author", series.author.as_deref());
    xml.maybe("itunes:type", series.kind.as_deref());
    xml.maybe("itunes:explicit", series.explicit.map(truth));
    for category in &series.categories {
        xml.empty("itunes:category", &[("text", category)]);
    }
}

/// What no format has of an item's origin: its identity and its series.
pub(super) fn origin(xml: &mut Xml, item: &Item) {
    let Some(Origin { identity, series, .. }) = &item.origin else { return };
    xml.maybe("pergola:origin", identity.map(|identity| identity.to_string()).as_deref());
    let Some(series) = series else { return };
    let categories = series.categories.join(", ");
    let told = [
        ("href", series.image.as_deref()),
        ("author", series.author.as_deref()),
        ("kind", series.kind.as_deref()),
        ("explicit", series.explicit.map(truth)),
        ("categories", Some(categories.as_str()).filter(|list| !list.is_empty())),
    ];
    let told: Vec<(&str, &str)> =
        told.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    xml.empty("pergola:series", &told);
}

fn image(xml: &mut Xml, address: Option<&str>) {
    if let Some(address) = address {
        xml.empty("itunes:image", &[("href", address)]);
    }
}

fn truth(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

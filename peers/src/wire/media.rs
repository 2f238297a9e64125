//! Media files, pictures and series as messages and back.

use pergola_feed::{Credit, Details, Enclosure, Media, Picture, Series};
use pergola_proto::v1;

use super::stated;

/// Entries of one list that are believed, as in documents.
const MOST: usize = 128;

pub(super) fn enclosure_to_wire(enclosure: Enclosure) -> v1::Enclosure {
    let Enclosure { url, media_type, length, details } = enclosure;
    let Details { medium, width, height, duration } =
        details.map(|given| *given).unwrap_or_default();
    v1::Enclosure { url, media_type, length, medium, width, height, duration }
}

pub(super) fn enclosure_from_wire(enclosure: v1::Enclosure) -> Option<Enclosure> {
    let v1::Enclosure { url, media_type, length, medium, width, height, duration } = enclosure;
    let details = Details { medium: medium.and_then(stated), width, height, duration };
    let details = (!details.is_empty()).then(|| Box::new(details));
    Some(Enclosure { url: stated(url)?, media_type: media_type.and_then(stated), length, details })
}

pub(super) fn media_to_wire(media: Media) -> v1::Media {
    let picture = |Picture { url, width, height }| v1::Picture { url, width, height };
    let credit = |Credit { name, role }| v1::Credit { name, role };
    v1::Media {
        thumbnails: media.thumbnails.into_iter().map(picture).collect(),
        image: media.image,
        duration: media.duration,
        season: media.season,
        episode: media.episode,
        kind: media.kind,
        explicit: media.explicit,
        title: media.title,
        author: media.author,
        subtitle: media.subtitle,
        summary: media.summary,
        credits: media.credits.into_iter().map(credit).collect(),
    }
}

pub(super) fn media_from_wire(media: v1::Media) -> Option<Box<Media>> {
    let picture = |v1::Picture { url, width, height }: v1::Picture| {
        Some(Picture { url: stated(url)?, width, height })
    };
    let credit = |v1::Credit { name, role }: v1::Credit| {
        Some(Credit { name: stated(name)?, role: role.and_then(stated) })
    };
    let media = Media {
        thumbnails: media.thumbnails.into_iter().filter_map(picture).take(MOST).collect(),
        image: media.image.and_then(stated),
        duration: media.duration,
        season: media.season,
        episode: media.episode,
        kind: media.kind.and_then(stated),
        explicit: media.explicit,
        title: media.title.and_then(stated),
        author: media.author.and_then(stated),
        subtitle: media.subtitle.and_then(stated),
        summary: media.summary.and_then(stated),
        credits: media.credits.into_iter().filter_map(credit).take(MOST).collect(),
    };
    (!media.is_empty()).then(|| Box::new(media))
}

pub(super) fn series_to_wire(series: Series) -> v1::Series {
    let Series { image, author, kind, explicit, categories } = series;
    v1::Series { image, author, kind, explicit, categories }
}

pub(super) fn series_from_wire(series: v1::Series) -> Option<Box<Series>> {
    let v1::Series { image, author, kind, explicit, categories } = series;
    let series = Series {
        image: image.and_then(stated),
        author: author.and_then(stated),
        kind: kind.and_then(stated),
        explicit,
        categories: categories.into_iter().filter_map(stated).take(MOST).collect(),
    };
    (!series.is_empty()).then(|| Box::new(series))
}

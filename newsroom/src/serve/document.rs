//! Renders the document of a source, and the page of one item.

use std::borrow::Cow;
use std::io::Write;

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use pergola_feed::{Category, Document, Item as FeedItem, Link, Text, Timestamp, write};

use super::desk::Desk;
use super::source::{Format, Source};
use crate::Item;
use crate::wording::{Filler, mix, mix_text, words};

impl Format {
    /// The media type of its documents.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Json => "application/feed+json; charset=utf-8",
        }
    }
}

/// What all sources of a newsroom share.
#[derive(Debug, Clone, Copy)]
pub(super) struct House<'a> {
    /// The address of the server.
    pub base: &'a str,
    pub seed: u64,
    pub filler: &'a Filler,
}

/// An item with its texts.
#[derive(Debug, Clone)]
pub(super) struct Article<'a> {
    pub guid: String,
    pub title: String,
    pub link: String,
    pub keywords: Vec<Cow<'a, str>>,
    pub at: f64,
    text_bytes: usize,
    random: u64,
    filler: &'a Filler,
}

impl<'a> Article<'a> {
    /// Item `number` of a source.
    pub(super) fn new(
        house: House<'a>,
        source: &'a Source,
        desk: &'a Desk,
        number: u64,
        item: &Item,
    ) -> Self {
        let House { base, seed, filler } = house;
        let random = mix(mix(seed, mix_text(&source.name)), number);
        let recorded = match source.headlines.len() as u64 {
            0 => None,
            many => source.headlines.get((number % many) as usize),
        };
        let (title, keywords) = match desk.by_hand(number).or(recorded) {
            Some(given) => {
                let keywords = given.keywords.iter().map(|k| Cow::Borrowed(k.as_str())).collect();
                (given.title.clone(), keywords)
            }
            None => {
                let keywords = words(item.keywords, &source.vocabulary);
                (filler.title(&keywords, number, random), keywords)
            }
        };
        let name = &source.name;
        // With the second in it, the items of another opening have other ids.
        let guid = format!("tag:newsroom.example,2026:{name}/{number}/{}", item.at.floor());
        let link = format!("{base}/items/{name}/{number}");
        let (at, text_bytes) = (item.at, source.text_bytes);
        Self { guid, title, link, keywords, at, text_bytes, random, filler }
    }

    fn text(&self) -> String {
        self.filler.paragraph(&self.keywords, self.text_bytes, self.random)
    }

    fn into_item(self, undated: bool) -> FeedItem {
        let text = format!("<p>{}</p>", escape(&self.text()));
        let mut item = FeedItem::new(self.guid.clone());
        item.published = (!undated).then(|| Timestamp::from_unix(self.at.floor() as i64));
        item.guid = Some(self.guid);
        item.title = Some(self.title);
        item.link = Some(self.link);
        item.content = Some(Text::html(text));
        item.categories = self.keywords.into_iter().map(Category::new).collect();
        item
    }

    /// The page of the item.
    pub(super) fn page(&self) -> String {
        let when = Timestamp::from_unix(self.at.floor() as i64);
        let (title, text) = (escape(&self.title), escape(&self.text()));
        let keywords = escape(&self.keywords.join(", "));
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<title>{title}</title>\n<h1>{title}</h1>\n\
             <p><time>{when}</time> {keywords}</p>\n<p>{text}</p>\n</html>\n"
        )
    }
}

/// The document that a source shows now, newest item first.
pub(super) fn render(house: House<'_>, source: &Source, desk: &Desk) -> String {
    let (base, name) = (house.base, &source.name);
    let mut document = Document::new(pergola_feed::Format::Atom);
    document.id = Some(format!("tag:newsroom.example,2026:{name}"));
    document.title = Some(source.shown_title().into_owned());
    document.language = Some("en".to_owned());
    let own = Link {
        media_type: source.format.media_type().split(';').next().map(str::to_owned),
        ..Link::new("self", format!("{base}/sources/{name}"))
    };
    document.links = vec![Link::new("alternate", format!("{base}/")), own];
    let first = desk.published().saturating_sub(source.window as u64);
    document.items = desk
        .items_from(first)
        .map(|(number, item)| {
            Article::new(house, source, desk, number, item).into_item(source.quirks.undated)
        })
        .collect();
    document.items.reverse();
    match source.format {
        Format::Rss => write::write_rss(&document),
        Format::Atom => write::write_atom(&document),
        Format::Json => write::write_json(&document),
    }
}

/// Compresses at the fastest level.
pub(super) fn gzip(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), Compression::fast());
    encoder.write_all(plain).expect("writing to memory cannot fail");
    encoder.finish().expect("writing to memory cannot fail").into()
}

/// Text that may stand in HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

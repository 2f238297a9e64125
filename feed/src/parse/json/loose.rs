//! Reads JSON Feed and accepts wrong types.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::any::{Attachment, Author, Hub, Loose, Many};
use crate::limits::Limits;
use crate::model::{Category, Details, Link, Media, Origin, Person, Series};

/// A feed, perhaps incomplete.
#[derive(Default)]
pub(super) struct RawFeed {
    pub version: Option<String>,
    pub id: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub home: Option<String>,
    pub url: Option<String>,
    pub next: Option<String>,
    pub hubs: Vec<String>,
    pub authors: Vec<Person>,
    pub language: Option<String>,
    pub expired: bool,
    pub pergola: Pergola,
    pub has_items: bool,
    pub items: Vec<RawItem>,
    /// The feed has more items than the limit.
    pub cut: bool,
}

/// An item, perhaps incomplete.
#[derive(Default)]
pub(super) struct RawItem {
    pub id: Option<String>,
    pub url: Option<String>,
    pub external: Option<String>,
    pub title: Option<String>,
    pub content_html: Option<String>,
    pub content_text: Option<String>,
    pub summary: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
    pub authors: Vec<Person>,
    pub tags: Vec<String>,
    pub attachments: Vec<Attachment>,
    pub image: Option<String>,
    pub pergola: Pergola,
}

/// Our own extension, `_pergola`, in feeds and in items.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Pergola {
    pub hops: Vec<String>,
    /// One for each hop, or none.
    pub hop_times: Vec<RawTimes>,
    pub origin: Option<Origin>,
    pub summary_html: Option<String>,
    /// What stands in for the content: `summary` or `title`.
    pub content_is: Option<String>,
    pub description_html: Option<String>,
    pub id: Option<String>,
    pub links: Vec<Link>,
    pub categories: Vec<Category>,
    pub media: Option<Box<Media>>,
    /// One for each attachment, or none.
    pub details: Vec<Option<Box<Details>>>,
    pub series: Option<Box<Series>>,
    pub archive: bool,
    pub complete: bool,
}

/// When a node received an item and published it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct RawTimes {
    pub fetched: Option<String>,
    pub published: Option<String>,
}

/// Reads until the end or the first error.
pub(super) fn read(text: &str, limits: &Limits) -> (RawFeed, Option<serde_json::Error>) {
    let mut feed = RawFeed::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let result = FeedSeed { feed: &mut feed, limits }.deserialize(&mut deserializer);
    (feed, result.err())
}

struct FeedSeed<'f, 'l> {
    feed: &'f mut RawFeed,
    limits: &'l Limits,
}

impl<'de> DeserializeSeed<'de> for FeedSeed<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FeedSeed<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Feed")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let feed = self.feed;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "version" => feed.version = map.next_value::<Loose>()?.0,
                "id" => feed.id = map.next_value::<Loose>()?.0,
                "title" => feed.title = map.next_value::<Loose>()?.0,
                "description" => feed.description = map.next_value::<Loose>()?.0,
                "home_page_url" => feed.home = map.next_value::<Loose>()?.0,
                "feed_url" => feed.url = map.next_value::<Loose>()?.0,
                "next_url" => feed.next = map.next_value::<Loose>()?.0,
                "language" => feed.language = map.next_value::<Loose>()?.0,
                "expired" => feed.expired = map.next_value::<Loose>()?.0.as_deref() == Some("true"),
                "author" | "authors" => {
                    feed.authors.extend(map.next_value::<Many<Author>>()?.people())
                }
                "hubs" => {
                    let hubs = map.next_value::<Many<Hub>>()?.0;
                    feed.hubs = hubs.into_iter().filter_map(|hub| hub.0).collect();
                }
                "_pergola" => feed.pergola = map.next_value()?,
                "items" => {
                    feed.has_items = true;
                    map.next_value_seed(ItemsSeed { feed, limits: self.limits })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct ItemsSeed<'f, 'l> {
    feed: &'f mut RawFeed,
    limits: &'l Limits,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of items")
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            if self.feed.items.len() >= self.limits.items {
                while list.next_element::<IgnoredAny>()?.is_some() {
                    self.feed.cut = true;
                }
                return Ok(());
            }
            let mut item = RawItem::default();
            let result = list.next_element_seed(ItemSeed { item: &mut item, limits: self.limits });
            match result {
                Ok(Some(())) => self.feed.items.push(item),
                Ok(None) => return Ok(()),
                Err(error) => {
                    // Keep a broken item if it has something to identify it.
                    if item.id.is_some() || item.url.is_some() || item.title.is_some() {
                        self.feed.items.push(item);
                    }
                    return Err(error);
                }
            }
        }
    }
}

struct ItemSeed<'i, 'l> {
    item: &'i mut RawItem,
    limits: &'l Limits,
}

impl<'de> DeserializeSeed<'de> for ItemSeed<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemSeed<'_, '_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an item")
    }
    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let item = self.item;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => item.id = map.next_value::<Loose>()?.0,
                "url" => item.url = map.next_value::<Loose>()?.0,
                "external_url" => item.external = map.next_value::<Loose>()?.0,
                "title" => item.title = map.next_value::<Loose>()?.0,
                "content_html" => item.content_html = map.next_value::<Loose>()?.0,
                "content_text" => item.content_text = map.next_value::<Loose>()?.0,
                "summary" => item.summary = map.next_value::<Loose>()?.0,
                "date_published" => item.published = map.next_value::<Loose>()?.0,
                "date_modified" => item.modified = map.next_value::<Loose>()?.0,
                "author" | "authors" => {
                    let authors = map.next_value::<Many<Author>>()?.people();
                    item.authors.extend(authors.into_iter().take(self.limits.list));
                    item.authors.dedup();
                }
                "tags" => {
                    let tags = map.next_value::<Many<Loose>>()?.0;
                    let tags = tags.into_iter().filter_map(|tag| tag.0);
                    item.tags = tags.take(self.limits.list).collect();
                }
                "attachments" => {
                    let list = map.next_value::<Many<Attachment>>()?.0;
                    item.attachments = list.into_iter().take(self.limits.list).collect();
                }
                "image" => item.image = map.next_value::<Loose>()?.0,
                "banner_image" => {
                    let banner = map.next_value::<Loose>()?.0;
                    item.image = item.image.take().or(banner);
                }
                "_pergola" => item.pergola = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

//! The fields that feed-rs ignores.

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use super::attributes::Attributes;
use crate::model::Series;
use crate::time::{Millis, parse_duration};

/// Why feed-rs cannot read a document as it is.
pub(super) type Dirt = &'static str;

/// The fields of a document that feed-rs ignores.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Fields of the feed itself.
    pub fields: Vec<Field>,
    /// One per item, in order.
    pub items: Vec<ItemExtras>,
    /// Where the root element ends.
    pub end: usize,
    /// Elements that the pass has taken; feed-rs does not see them.
    pub cuts: Vec<Range<usize>>,
    pub(super) channel: bool,
    pub(super) open: Option<ItemExtras>,
}

/// The fields of one item that feed-rs ignores.
#[derive(Debug, Default)]
pub(crate) struct ItemExtras {
    pub fields: Vec<Field>,
    /// The `guid` is marked as not being a link.
    pub opaque_guid: bool,
    /// There is a date of the last change. Without one, feed-rs copies the date of publication.
    pub updated: bool,
    /// The current `xml:base`.
    pub base: Option<Url>,
}

/// One collected element.
#[derive(Debug, Default)]
pub(crate) struct Field {
    /// Prefix and name, as in `dc:subject`; `block/name` for the parts of a block.
    pub name: &'static str,
    pub text: String,
    /// The text is markup, or declared as markup.
    pub html: bool,
    /// Boxed, because most fields have no attributes.
    pub more: Option<Box<More>>,
    pub(super) depth: usize,
}

/// The attributes of a field, and its base.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// `href`, `url` or `term`, whichever the element has.
    pub address: Option<String>,
    pub rel: Option<String>,
    /// `type` and `length` of links and enclosures.
    pub media_type: Option<String>,
    pub length: Option<u64>,
    /// The size and duration of media files and pictures.
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub duration: Option<u32>,
    /// `medium` of media files, `role` of credits.
    pub sort: Option<String>,
    /// The series of an item's origin.
    pub series: Option<Box<Series>>,
    /// `fetched` and `published` of passed nodes.
    pub times: [Option<Millis>; 2],
    pub base: Option<Url>,
}

impl More {
    /// The attributes of a field that the pass calls `name`.
    pub(super) fn of(name: &str, attributes: &Attributes<'_>) -> Self {
        let given = |name: &str| attributes.get(name).map(Cow::into_owned);
        let pixels = |name: &str| attributes.get(name).and_then(|value| value.parse().ok());
        let bytes = |name: &str| attributes.get(name).and_then(|value| value.parse().ok());
        let time = |name: &str| attributes.get(name).and_then(|at| Millis::parse(&at));
        let times = if name == "hop" { ["fetched", "published"].map(time) } else { [None; 2] };
        Self {
            address: ["href", "url", "term"].into_iter().find_map(given),
            rel: given("rel"),
            media_type: given("type"),
            length: bytes("length").or_else(|| bytes("fileSize")),
            width: pixels("width"),
            height: pixels("height"),
            duration: attributes.get("duration").and_then(|value| parse_duration(&value)),
            sort: ["medium", "role"].into_iter().find_map(given),
            series: (name == "series").then(|| Box::new(series(attributes))),
            times,
            base: None,
        }
    }
}

/// The series of an item's origin.
fn series(attributes: &Attributes<'_>) -> Series {
    let given = |name: &str| attributes.get(name).map(Cow::into_owned);
    let categories = attributes.get("categories").unwrap_or_default();
    let categories = categories.split(',').map(|term| term.trim().to_owned());
    Series {
        image: given("href"),
        author: given("author"),
        kind: given("kind"),
        explicit: attributes.get("explicit").map(|explicit| explicit == "true"),
        categories: categories.filter(|term| !term.is_empty()).collect(),
    }
}

impl Field {
    /// `href`, `url` or `term`, whichever the element has.
    pub(crate) fn address(&self) -> Option<&str> {
        self.more.as_ref()?.address.as_deref()
    }

    pub(crate) fn rel(&self) -> Option<&str> {
        self.more.as_ref()?.rel.as_deref()
    }

    pub(crate) fn media_type(&self) -> Option<&str> {
        self.more.as_ref()?.media_type.as_deref()
    }

    pub(crate) fn length(&self) -> Option<u64> {
        self.more.as_ref()?.length
    }

    /// All attributes.
    pub(crate) fn more(&self) -> Option<&More> {
        self.more.as_deref()
    }

    /// `fetched` and `published` of a passed node.
    pub(crate) fn times(&self) -> [Option<Millis>; 2] {
        self.more.as_ref().map_or([None; 2], |more| more.times)
    }

    /// The current `xml:base`, if it differs from that of the item.
    pub(crate) fn base(&self) -> Option<&Url> {
        self.more.as_ref()?.base.as_ref()
    }
}

impl Extras {
    /// The texts of all fields with this name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e str> {
        self.fields.iter().filter(move |field| field.name == name).map(|field| field.text.trim())
    }
}

impl ItemExtras {
    /// The first field with this name that is not empty.
    pub(crate) fn first(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name && !field.text.trim().is_empty())
    }

    /// The text of the first of these fields that exists.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.first(name)).map(|field| field.text.trim())
    }
}

//! What the strict pass hands over: fields that feed-rs leaves out.

use std::ops::Range;

use url::Url;

use crate::model::Millis;

/// What feed-rs has no place for.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Fields of the feed itself.
    pub fields: Vec<Field>,
    /// One per item, in order.
    pub items: Vec<ItemExtras>,
    /// Where the root element ends.
    pub end: usize,
    /// Elements that were taken already; feed-rs need not read them.
    pub cuts: Vec<Range<usize>>,
    pub(super) channel: bool,
    pub(super) open: Option<ItemExtras>,
}

/// What feed-rs has no place for in one item.
#[derive(Debug, Default)]
pub(crate) struct ItemExtras {
    pub fields: Vec<Field>,
    /// `guid` says that it is no link.
    pub opaque_guid: bool,
    /// There is a date of the last change; feed-rs makes one up from the date of publication.
    pub updated: bool,
    /// `xml:base` in effect.
    pub base: Option<Url>,
}

/// One element that was collected.
#[derive(Debug, Default)]
pub(crate) struct Field {
    /// Prefix and name as in `dc:subject`; for parts of a block `block/name`.
    pub name: &'static str,
    pub text: String,
    /// The text is markup or declared as such.
    pub html: bool,
    /// What few fields have, apart, because there are many fields.
    pub more: Option<Box<More>>,
    pub(super) depth: usize,
}

/// Attributes of a field, and the base it is relative to.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// `href`, `url` or `term`, whichever the element has.
    pub address: Option<String>,
    pub rel: Option<String>,
    /// `type` and `length`, of links and enclosures.
    pub media_type: Option<String>,
    pub length: Option<u64>,
    /// `fetched` and `published`, of nodes that an item has passed.
    pub times: [Option<Millis>; 2],
    pub base: Option<Url>,
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

    /// `fetched` and `published`, of a node that an item has passed.
    pub(crate) fn times(&self) -> [Option<Millis>; 2] {
        self.more.as_ref().map_or([None; 2], |more| more.times)
    }

    /// `xml:base` in effect, if it is not that of the item.
    pub(crate) fn base(&self) -> Option<&Url> {
        self.more.as_ref()?.base.as_ref()
    }
}

impl Extras {
    /// Texts of all fields with this name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e str> {
        self.fields.iter().filter(move |field| field.name == name).map(|field| field.text.trim())
    }
}

impl ItemExtras {
    /// The first field with this name that is not empty.
    pub(crate) fn first(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name && !field.text.trim().is_empty())
    }

    /// The text of the first of these fields that is there.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.first(name)).map(|field| field.text.trim())
    }
}

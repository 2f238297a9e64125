//! The attributes of an element in the strict pass.

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use super::extras::Dirt;
use crate::markup::chars;

/// Attributes of one element. Comparing each with all others takes time quadratic in their number, here and in
/// feed-rs.
const MOST: usize = 256;

/// Whether an element has so many attributes that it is not worth reading them.
pub(super) fn too_many(tag: &BytesStart<'_>) -> bool {
    let raw = tag.attributes_raw();
    raw.len() > MOST && memchr::memchr_iter(b'=', raw.as_ref()).count() > MOST
}

/// The attributes of one element, not yet decoded.
pub(super) struct Attributes<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Attributes<'t> {
    pub(super) fn read(tag: &'t BytesStart<'_>) -> Result<Self, Dirt> {
        let mut list = Vec::new();
        if !tag.attributes_raw().trim_ascii().is_empty() {
            for attribute in tag.attributes() {
                let attribute = attribute.map_err(|_| "a malformed attribute")?;
                // The value always borrows from the tag.
                let Cow::Borrowed(value) = attribute.value else {
                    continue;
                };
                // With one bare `&`, feed-rs would leave the whole value escaped.
                if value.contains('&') && quick_xml::escape::unescape(value).is_err() {
                    return Err("a bare ampersand in an attribute");
                }
                list.push((attribute.key.into_inner(), value));
            }
        }
        Ok(Self(list))
    }

    pub(super) fn get(&self, name: &str) -> Option<Cow<'t, str>> {
        let (_, raw) = self.0.iter().find(|(known, _)| *known == name)?;
        Some(match raw.contains('&') {
            true => Cow::Owned(chars::decoded(raw).trim().to_owned()),
            false => Cow::Borrowed(raw.trim()),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        self.0.iter().copied()
    }
}

//! Values of JSON Feed with any type.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};

use crate::model::Person;
use crate::time::parse_duration;

/// A string, or another value in its place.
#[derive(Default)]
pub(super) struct Loose(pub Option<String>);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(deserializer.deserialize_any(AnyVisitor { keys: &[], list: false })?.into())
    }
}

/// A list, or a single value in its place.
pub(super) struct Many<T>(pub Vec<T>);

impl<'de, T: From<Any>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let any = deserializer.deserialize_any(AnyVisitor { keys: &FIELDS, list: true })?;
        if any.list.is_empty() && (any.text.is_some() || any.fields.iter().any(Option::is_some)) {
            return Ok(Self(vec![T::from(any)]));
        }
        Ok(Self(any.list.into_iter().map(T::from).collect()))
    }
}

impl Many<Author> {
    pub(super) fn people(self) -> Vec<Person> {
        self.0.into_iter().map(|author| author.0).filter(|p| p.label().is_some()).collect()
    }
}

/// The fields of the small objects of JSON Feed.
const FIELDS: [&str; 7] =
    ["name", "url", "mime_type", "size_in_bytes", "_email", "email", "duration_in_seconds"];

/// The usable parts of any value.
#[derive(Default)]
pub(super) struct Any {
    text: Option<String>,
    fields: [Option<String>; 7],
    list: Vec<Any>,
}

pub(super) struct Author(Person);

impl From<Any> for Author {
    fn from(any: Any) -> Self {
        let [name, uri, _, _, own, email, _] = any.fields;
        let (uri, mail) = match uri {
            Some(uri) => match uri.strip_prefix("mailto:") {
                Some(mail) => (None, Some(mail.to_owned())),
                None => (Some(uri), None),
            },
            None => (None, None),
        };
        Self(Person { name: any.text.or(name), uri, email: own.or(email).or(mail) })
    }
}

pub(super) struct Hub(pub Option<String>);

impl From<Any> for Hub {
    fn from(any: Any) -> Self {
        let [_, url, ..] = any.fields;
        Self(any.text.or(url))
    }
}

#[derive(Default)]
pub(super) struct Attachment {
    pub url: Option<String>,
    pub mime_type: Option<String>,
    pub length: Option<u64>,
    /// In seconds.
    pub duration: Option<u32>,
}

impl From<Any> for Attachment {
    fn from(any: Any) -> Self {
        let [_, url, mime_type, length, _, _, duration] = any.fields;
        let length = length.and_then(|text| text.parse().ok());
        let duration = duration.as_deref().and_then(parse_duration);
        Self { url: any.text.or(url), mime_type, length, duration }
    }
}

impl From<Any> for Loose {
    fn from(any: Any) -> Self {
        Self(any.text)
    }
}

#[derive(Clone, Copy)]
struct AnyVisitor {
    keys: &'static [&'static str],
    /// Whether to keep a list. JSON Feed has no lists inside lists.
    list: bool,
}

impl AnyVisitor {
    fn text<E>(value: impl ToString) -> Result<Any, E> {
        Ok(Any { text: Some(value.to_string()), ..Any::default() })
    }
}

impl<'de> DeserializeSeed<'de> for AnyVisitor {
    type Value = Any;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Any, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_str<E: de::Error>(self, value: &str) -> Result<Any, E> {
        Self::text(value)
    }
    fn visit_string<E: de::Error>(self, value: String) -> Result<Any, E> {
        Ok(Any { text: Some(value), ..Any::default() })
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Any, E> {
        Self::text(value)
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Any, E> {
        Self::text(value)
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Any, E> {
        Self::text(value)
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Any, E> {
        Self::text(value)
    }
    fn visit_unit<E: de::Error>(self) -> Result<Any, E> {
        Ok(Any::default())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        let mut any = Any::default();
        while let Some(key) = map.next_key::<String>()? {
            match self.keys.iter().position(|known| *known == key) {
                Some(at) => any.fields[at] = map.next_value::<Loose>()?.0,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(any)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Any, A::Error> {
        let mut any = Any::default();
        if !self.list {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(any);
        }
        while any.list.len() < 4096 {
            match list.next_element_seed(Self { list: false, ..self })? {
                Some(element) => any.list.push(element),
                None => return Ok(any),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(any)
    }
}

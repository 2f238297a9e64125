//! A file of any kind.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::error::Unreadable;
use crate::takeout::{Flaw, Takeout};
use crate::{freshrss, list, miniflux, own, unpack};

/// What a file is called that has no name.
const FILE: &str = "the file";

/// Reads an export: one file, or many in a ZIP file.
///
/// # Errors
/// If it is of an unknown kind, too large once it is unpacked, or cut off. Entries that make no sense are no error; they
/// are in [`Takeout::flaws`].
pub fn read(bytes: &[u8]) -> Result<Takeout, Unreadable> {
    let mut takeout = Takeout::default();
    if !unpack::is_zip(bytes) {
        if !file(bytes, FILE, &mut takeout)? {
            return Err(Unreadable::Unknown { place: FILE.to_owned() });
        }
        return Ok(takeout);
    }
    let mut known = false;
    unpack::each(bytes, |name, content| {
        if is_left_behind(name) || content.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        match file(content, name, &mut takeout)? {
            true => known = true,
            false => takeout.leave_out(Flaw {
                place: name.to_owned(),
                title: None,
                address: None,
                reason: "the file is neither OPML nor JSON".to_owned(),
            }),
        }
        Ok(())
    })?;
    if known { Ok(takeout) } else { Err(Unreadable::Unknown { place: "the ZIP file".to_owned() }) }
}

/// Whether a system or an archiver has added a file for itself, such as `.DS_Store`.
fn is_left_behind(name: &str) -> bool {
    name.split('/').any(|part| part == "__MACOSX" || part.starts_with('.') && part != ".")
}

/// Reads a file; says whether it is of a kind that is known.
fn file(bytes: &[u8], place: &str, takeout: &mut Takeout) -> Result<bool, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
    match start.map(|start| bytes[start]) {
        None => Err(Unreadable::Empty),
        Some(b'{' | b'[') => json(bytes, place, takeout),
        // UTF-16 begins with a mark, and OPML may be written in it.
        Some(b'<' | 0xff | 0xfe) => list::list(bytes, place, takeout).map(|()| true),
        Some(_) => Ok(false),
    }
}

/// What tells one JSON file from another.
#[derive(Default, Deserialize)]
struct Head {
    version: Option<Value>,
    pergola_account: Option<Value>,
    items: Option<IgnoredAny>,
    entries: Option<IgnoredAny>,
}

fn json(bytes: &[u8], place: &str, takeout: &mut Takeout) -> Result<bool, Unreadable> {
    let bad = |error: serde_json::Error| Unreadable::BadJson {
        place: place.to_owned(),
        reason: error.to_string(),
    };
    let is_list = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let head: Head = match is_list {
        true => serde_json::from_slice(bytes).map(|IgnoredAny| Head::default()),
        false => serde_json::from_slice(bytes),
    }
    .map_err(bad)?;
    if head.pergola_account.is_some() {
        return own::account(bytes, place, takeout).map(|()| true);
    }
    if head.version.as_ref().and_then(Value::as_str).is_some_and(|it| it.contains("jsonfeed.org")) {
        return own::starred(bytes, place, takeout).map(|()| true);
    }
    if !is_list && head.items.is_none() && head.entries.is_none() {
        return Ok(false);
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    Entries { place, name: "", takeout }.deserialize(&mut reader).map_err(bad)?;
    Ok(true)
}

/// Reads entries one by one, so that only one of them is in memory.
struct Entries<'a> {
    place: &'a str,
    /// What the list is called.
    name: &'a str,
    takeout: &'a mut Takeout,
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match (self.name, key.as_str()) {
                ("", name @ ("items" | "entries")) => {
                    map.next_value_seed(Entries {
                        place: self.place,
                        name,
                        takeout: self.takeout,
                    })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut index = 0_usize;
        while let Some(entry) = list.next_element::<Value>()? {
            let place = format!("{}, {}[{index}]", self.place, self.name);
            index += 1;
            let read = match miniflux::is_one(&entry) {
                _ if !entry.is_object() => Err("it is no entry".to_owned()),
                true => miniflux::entry(&entry, &place),
                false => freshrss::entry(&entry, &place),
            };
            match read {
                Ok(item) => self.takeout.take(item),
                Err(reason) => {
                    let text = |name: &str| entry.get(name)?.as_str().map(str::to_owned);
                    let (title, address) = (text("title"), text("url"));
                    self.takeout.leave_out(Flaw { place, title, address, reason });
                }
            }
        }
        Ok(())
    }
}

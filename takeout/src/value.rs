//! Fields of an entry in JSON, and why an entry is left out.

use serde_json::Value;

use pergola_feed::address::identity_of;
use pergola_feed::{Item, Origin, Timestamp};

/// Bytes of an address or an id.
const ADDRESS: usize = 8 << 10;

/// A text that is there and not empty.
pub(crate) fn text(entry: &Value, name: &str) -> Option<String> {
    let text = entry.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// An address or an id, which may not be endless.
pub(crate) fn short(entry: &Value, name: &str) -> Option<String> {
    text(entry, name).filter(|text| text.len() <= ADDRESS)
}

/// A number, also one that is written as a text.
pub(crate) fn number(entry: &Value, name: &str) -> Option<i64> {
    let value = entry.get(name)?;
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The elements of a list; none if there is no list.
pub(crate) fn list<'v>(entry: &'v Value, name: &str) -> &'v [Value] {
    entry.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// An instant after 1970.
pub(crate) fn instant(seconds: i64) -> Option<Timestamp> {
    (seconds > 0).then(|| Timestamp::from_unix(seconds))
}

/// A link that a browser would follow.
pub(crate) fn is_web(address: &str) -> bool {
    let begins = |scheme: &str| {
        address.get(..scheme.len()).is_some_and(|own| own.eq_ignore_ascii_case(scheme))
    };
    begins("http://") || begins("https://")
}

/// An item is complete if its feed is known and something tells it from others.
pub(crate) fn check(item: &Item) -> Result<(), String> {
    let feed = item.origin.as_ref().and_then(|origin| origin.feed.as_deref());
    match feed {
        None => return Err("it does not say from which feed it is".to_owned()),
        Some(feed) if !is_web(feed) => {
            return Err("the address of its feed begins with neither http:// nor https://".into());
        }
        Some(_) => {}
    }
    if item.guid.is_none() && item.link.is_none() && item.title.is_none() && item.content.is_none()
    {
        return Err("it has neither an id nor a link, a title or a text".to_owned());
    }
    Ok(())
}

/// The feed of an item.
pub(crate) fn origin(feed: Option<String>, title: Option<String>, home: Option<String>) -> Origin {
    let home = home.filter(|home| is_web(home));
    let mut origin = Origin { title, feed, home, ..Origin::default() };
    origin.identity = identity_of(&origin);
    origin
}

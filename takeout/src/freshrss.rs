//! Entries in the JSON of the Google Reader API, as FreshRSS exports them (`starred_….json`, `feed_….json`).

use pergola_feed::html::plain_text;
use pergola_feed::identity::{Policy, identify};
use pergola_feed::{Category, Enclosure, Item, Person, Text};
use serde_json::Value;

use crate::takeout::Marked;
use crate::value::{check, instant, is_web, list, number, origin, short, text};

/// What categories begin with that are states, not words of the publisher.
const STATE: &str = "user/-/state/com.google/";
const LABEL: &str = "user/-/label/";

/// An entry, or why it is none.
pub(crate) fn entry(entry: &Value, place: &str) -> Result<Marked, String> {
    let states: Vec<&str> =
        list(entry, "categories").iter().filter_map(|category| category.as_str()).collect();
    let has = |state: &str| states.iter().any(|own| own.strip_prefix(STATE) == Some(state));
    let from = entry.get("origin").unwrap_or(&Value::Null);
    let stream = text(from, "streamId");
    let stream = stream.and_then(|id| Some(id.strip_prefix("feed/")?.to_owned()));
    let feed = short(from, "feedUrl").or(stream.filter(|address| is_web(address)));
    let mut item = Item::new("");
    item.guid = short(entry, "guid");
    item.title = words(entry, "title");
    item.link = href(entry, "canonical").or_else(|| href(entry, "alternate"));
    item.content = body(entry, "content").map(Text::html);
    item.summary = body(entry, "summary").map(Text::html);
    if item.content.is_none() {
        item.content = item.summary.take();
    }
    item.authors = words(entry, "author").map(Person::named).into_iter().collect();
    item.published = number(entry, "published").and_then(instant);
    item.updated = number(entry, "updated").and_then(instant);
    let terms = states.iter().filter(|own| !own.starts_with("user/"));
    item.categories = terms.map(|term| Category::new(*term)).collect();
    item.enclosures = list(entry, "enclosure").iter().filter_map(enclosure).collect();
    item.origin = Some(origin(feed, words(from, "title"), short(from, "htmlUrl")));
    check(&item)?;
    item.id = identify(&item, Policy::Id);
    let micros = number(entry, "timestampUsec").and_then(|micros| instant(micros / 1_000_000));
    let seen =
        micros.or_else(|| number(entry, "crawlTimeMsec").and_then(|millis| instant(millis / 1000)));
    // A label that somebody gave an item says as well that it is to be kept.
    let starred =
        has("starred") || states.iter().any(|own| own.starts_with(LABEL)) && labelled(entry);
    let (read, place) = (has("read"), place.to_owned());
    Ok(Marked { item, read, starred, seen, hash: None, place })
}

/// Whether labels are those of the item. FreshRSS writes the category of the feed as a label only where it writes no
/// id of the publisher.
fn labelled(entry: &Value) -> bool {
    entry.get("guid").is_some()
}

/// Plain text. FreshRSS keeps titles and names with `&`, `<` and quotes as HTML references.
fn words(entry: &Value, name: &str) -> Option<String> {
    Some(plain_text(&Text::html(text(entry, name)?)).into_owned())
}

fn href(entry: &Value, name: &str) -> Option<String> {
    list(entry, name).iter().find_map(|link| short(link, "href")).filter(|link| is_web(link))
}

fn body(entry: &Value, name: &str) -> Option<String> {
    text(entry.get(name)?, "content")
}

fn enclosure(value: &Value) -> Option<Enclosure> {
    let url = short(value, "href").filter(|address| is_web(address))?;
    let length = number(value, "length").and_then(|length| u64::try_from(length).ok());
    Some(Enclosure { url, media_type: short(value, "type"), length, details: None })
}

//! What a webhook is sent: JSON. Markup in it is sanitised, links lead to the web. Pure.

use pergola_api::Instant;
use pergola_feed::{Item, Timestamp, sanitize};
use pergola_store::archive::Published;
use serde::Serialize;
use url::Url;

use crate::stand::FeedNow;

/// Longer texts are left out; the link leads to them.
const LONGEST_TEXT: usize = 100_000;

/// What a delivery is for.
pub(crate) const ENTRIES: &str = "entries";
/// … or only to try whether it arrives.
pub(crate) const TEST: &str = "test";

#[derive(Serialize)]
struct Payload<'a> {
    event: &'a str,
    delivery: &'a str,
    feed: Feed<'a>,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Feed<'a> {
    name: &'a str,
    url: &'a str,
}

#[derive(Serialize)]
struct Entry {
    sequence: u64,
    id: String,
    at: Instant,
    title: Option<String>,
    link: Option<String>,
    published: Option<Instant>,
    updated: Option<Instant>,
    authors: Vec<String>,
    source: Option<Source>,
    content_html: Option<String>,
}

#[derive(Serialize)]
struct Source {
    title: Option<String>,
    link: Option<String>,
}

/// The body of a delivery.
pub(crate) fn body(event: &str, delivery: &str, feed: &FeedNow, items: Vec<Published>) -> Vec<u8> {
    let payload = Payload {
        event,
        delivery,
        feed: Feed { name: &feed.name, url: &feed.url },
        entries: items.into_iter().map(entry).collect(),
    };
    serde_json::to_vec(&payload).expect("texts and numbers are JSON")
}

fn entry(Published { sequence, entry, item }: Published) -> Entry {
    let item = item.normalised();
    let instant = |at: Timestamp| Instant::from_unix(at.unix() as f64);
    Entry {
        sequence: sequence + 1,
        at: Instant::from_unix(entry.at),
        content_html: html(&item),
        authors: item.authors.iter().filter_map(|person| person.name.clone()).collect(),
        source: item.origin.map(|origin| Source { title: origin.title, link: origin.home }),
        published: item.published.map(instant),
        updated: item.updated.map(instant),
        id: item.id.0,
        title: item.title,
        link: item.link,
    }
}

/// The text of an item as HTML that cannot harm.
fn html(item: &Item) -> Option<String> {
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    let text = item.content.as_ref().or(item.summary.as_ref())?;
    Some(sanitize(text, base.as_ref())).filter(|html| html.len() <= LONGEST_TEXT)
}

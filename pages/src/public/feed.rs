//! One feed as a page: its items, as readable as their publishers made them and safe to show.

use maud::{Markup, PreEscaped, html};
use pergola_feed::{
    Dated, Document, Item, NodeId, Person, Pictures, Text, Timestamp, sanitize_for_page,
};
use url::Url;

use super::feeds::{Format, links};
use crate::frame::{Frame, Viewer};
use crate::way;
use crate::words::time;

/// A feed, as its page names it.
#[derive(Debug, Clone, Copy)]
pub struct Masthead<'a> {
    /// The node's name.
    pub node: &'a str,
    /// The name that items carry when they have passed it.
    pub here: &'a NodeId,
    /// The feed's name.
    pub feed: &'a str,
    /// What it selects, in the query language.
    pub selection: &'a str,
    /// The formats it is published in, each with its public address.
    pub formats: &'a [(Format, String)],
}

/// What of a feed is shown.
pub enum Shown {
    /// The newest items; these archive documents can be had besides, newest first.
    Current { volumes: Vec<String> },
    /// An archive document, and its neighbours.
    Volume { name: String, older: Option<String>, newer: Option<String> },
}

/// Items of a feed.
pub fn page(masthead: &Masthead<'_>, document: &Document, shown: &Shown) -> Markup {
    let Masthead { node, feed, selection, formats, here } = *masthead;
    let title = match shown {
        Shown::Current { .. } => format!("{feed} – {node}"),
        Shown::Volume { name, .. } => format!("{feed}, archive {name} – {node}"),
    };
    let head = html! {
        @for (format, address) in formats {
            link rel="alternate" type=(format.media_type) title={ (feed) " (" (format.title) ")" }
                href=(address);
        }
    };
    let own: Vec<Format> = formats.iter().map(|(format, _)| *format).collect();
    let content = html! {
        h1 { (feed) @if let Shown::Volume { name, .. } = shown { ", archive " (name) } }
        @if let Some(changed) = document.updated {
            p.soft { "Last change " (time(changed)) }
        }
        @match shown {
            Shown::Current { volumes } => {
                (links("", feed, feed, &own))
                details { summary { "What it selects" } pre { (selection) } }
                @if !volumes.is_empty() { (archives(feed, volumes)) }
                p.soft { a href={ "../search?like=" (feed) } { "What else is about the same" } }
            }
            Shown::Volume { name, older, newer } => {
                (links("", feed, name, &own))
                nav aria-label="Archives" { (neighbours(feed, older, newer)) }
            }
        }
        @if document.items.is_empty() {
            p.card { "No items yet. They appear when the sources publish something that matches." }
        }
        @for item in &document.items {
            (article(&item.normalised(), here, document.updated))
        }
    };
    let root = if matches!(shown, Shown::Current { .. }) { "../" } else { "../../../" };
    let frame = Frame { title: &title, root, place: None, viewer: Viewer::Anybody };
    frame.page(head, content)
}

fn archives(feed: &str, volumes: &[String]) -> Markup {
    html! {
        details {
            summary { "Earlier items" }
            ul.forms aria-label={ "Archives of " (feed) } {
                @for volume in volumes {
                    li { a href={ (feed) "/archive/" (volume) } { "Archive " (volume) } }
                }
            }
        }
    }
}

fn neighbours(feed: &str, older: &Option<String>, newer: &Option<String>) -> Markup {
    html! {
        ul.forms {
            @if let Some(older) = older {
                li { a rel="prev" href=(older) { "Older (archive " (older) ")" } }
            }
            @if let Some(newer) = newer {
                li { a rel="next" href=(newer) { "Newer (archive " (newer) ")" } }
            }
            li { a href={ "../../" (feed) } { "Newest items" } }
        }
    }
}

fn article(item: &Item, here: &NodeId, now: Option<Timestamp>) -> Markup {
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    let title = item.title.as_deref().unwrap_or("Untitled");
    let people: Vec<&str> = item.authors.iter().filter_map(Person::label).collect();
    let (short, full) = match (&item.summary, &item.content) {
        (Some(summary), Some(content)) => (Some(summary), Some(content)),
        (summary, content) => (summary.as_ref().or(content.as_ref()), None),
    };
    html! {
        article.card {
            h2 {
                @match &item.link {
                    Some(link) => a href=(link) rel="noopener noreferrer nofollow" { (title) },
                    None => (title),
                }
            }
            p.soft {
                @if let Some(name) = origin_name(item) { (name) " · " }
                @if !people.is_empty() { (people.join(", ")) " · " }
                @if let Some((at, kind)) = item.dated(now.unwrap_or(Timestamp::from_unix(i64::MAX))) {
                    @if kind == Dated::FirstSeen { "first seen " }
                    (time(at))
                }
            }
            (way::line(item, here))
            @if let Some(short) = short { (text(short, base.as_ref())) }
            @if let Some(full) = full {
                details { summary { "Full text" } (text(full, base.as_ref())) }
            }
            @for enclosure in &item.enclosures {
                p.soft {
                    a href=(enclosure.url) rel="noopener noreferrer nofollow" { (enclosure.url) }
                }
            }
        }
    }
}

/// A text of an item, safe to show.
fn text(text: &Text, base: Option<&Url>) -> Markup {
    text_with(text, base, Pictures::Linked)
}

/// … with pictures.
pub(crate) fn text_with(text: &Text, base: Option<&Url>, pictures: Pictures<'_>) -> Markup {
    html! { div.text { (PreEscaped(sanitize_for_page(text, base, pictures))) } }
}

/// The name to show for where a published item comes from.
pub fn origin_name(item: &Item) -> Option<&str> {
    let origin = item.origin.as_ref()?;
    origin.title.as_deref().or(origin.home.as_deref()).or(origin.feed.as_deref())
}

#[cfg(test)]
mod tests {
    use pergola_feed::Origin;

    use super::*;

    #[test]
    fn an_origin_is_named_by_its_title_else_its_page_else_its_feed() {
        let mut item = Item::new("x");
        assert_eq!(origin_name(&item), None);
        let [title, home, feed] = ["Title", "http://home", "http://feed"].map(|s| Some(s.into()));
        let mut origin = Origin { title, home, feed, ..Origin::default() };
        item.origin = Some(origin.clone());
        assert_eq!(origin_name(&item), Some("Title"));
        origin.title = None;
        item.origin = Some(origin.clone());
        assert_eq!(origin_name(&item), Some("http://home"));
        origin.home = None;
        item.origin = Some(origin);
        assert_eq!(origin_name(&item), Some("http://feed"));
    }
}

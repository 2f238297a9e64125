//! One feed as a page: its items, as readable as their publishers made them and safe to show.

use maud::{Markup, PreEscaped, html};
use pergola_feed::{Dated, Document, Item, Person, Text, Timestamp, sanitize};
use url::Url;

use super::{home, layout, time, way};
use crate::publish::{Form, Imprint, Listing, origin_name, selection};

/// What of a feed is shown.
pub(crate) enum Place {
    /// The newest items; these archive documents can be had besides, newest first.
    Current { volumes: Vec<String> },
    /// An archive document, and its neighbours.
    Volume { name: String, older: Option<String>, newer: Option<String> },
}

/// Items of a feed.
pub(crate) fn page(
    imprint: &Imprint,
    listing: &Listing,
    document: &Document,
    place: &Place,
) -> Markup {
    let title = match place {
        Place::Current { .. } => format!("{} – {}", listing.name, imprint.name),
        Place::Volume { name, .. } => {
            format!("{}, archive {name} – {}", listing.name, imprint.name)
        }
    };
    let head = html! {
        @for form in Form::FEEDS {
            link rel="alternate" type=(form.media_type()) title={ (listing.name) " (" (form.title()) ")" }
                href=(imprint.address(&listing.name, form));
        }
    };
    let content = html! {
        h1 { (listing.name) @if let Place::Volume { name, .. } = place { ", archive " (name) } }
        @if let Some(changed) = document.updated {
            p.soft { "Last change " (time(changed)) }
        }
        @match place {
            Place::Current { volumes } => {
                (home::forms("", &listing.name, &listing.name))
                details { summary { "What it selects" } pre { (selection(listing)) } }
                @if !volumes.is_empty() { (archives(listing, volumes)) }
                p.soft { a href={ "../search?like=" (listing.name) } { "What else is about the same" } }
            }
            Place::Volume { name, older, newer } => {
                (home::forms("", &listing.name, name))
                nav aria-label="Archives" { (neighbours(listing, older, newer)) }
            }
        }
        @if document.items.is_empty() {
            p.card { "No items yet. They appear when the sources publish something that matches." }
        }
        @for item in &document.items {
            (article(&item.normalised(), imprint, document.updated))
        }
    };
    let root = if matches!(place, Place::Current { .. }) { "../" } else { "../../../" };
    layout(&title, root, head, content)
}

fn archives(listing: &Listing, volumes: &[String]) -> Markup {
    html! {
        details {
            summary { "Earlier items" }
            ul.forms aria-label={ "Archives of " (listing.name) } {
                @for volume in volumes {
                    li { a href={ (listing.name) "/archive/" (volume) } { "Archive " (volume) } }
                }
            }
        }
    }
}

fn neighbours(listing: &Listing, older: &Option<String>, newer: &Option<String>) -> Markup {
    html! {
        ul.forms {
            @if let Some(older) = older {
                li { a rel="prev" href=(older) { "Older (archive " (older) ")" } }
            }
            @if let Some(newer) = newer {
                li { a rel="next" href=(newer) { "Newer (archive " (newer) ")" } }
            }
            li { a href={ "../../" (listing.name) } { "Newest items" } }
        }
    }
}

fn article(item: &Item, imprint: &Imprint, now: Option<Timestamp>) -> Markup {
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
            (way::line(item, &imprint.node))
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

fn text(text: &Text, base: Option<&Url>) -> Markup {
    html! { div.text { (PreEscaped(sanitize(text, base))) } }
}

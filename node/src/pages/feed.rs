//! One feed as a page: its items, as readable as their publishers made them and safe to show.

use maud::{Markup, PreEscaped, html};
use pergola_feed::{Dated, Document, Item, Person, Text, Timestamp, sanitize};
use url::Url;

use super::{home, layout, time, way};
use crate::publish::{Form, Imprint, Listing, origin_name, selection};

/// The newest items of a feed.
pub(crate) fn page(imprint: &Imprint, listing: &Listing, document: &Document) -> Markup {
    let title = format!("{} – {}", listing.name, imprint.name);
    let head = html! {
        @for form in Form::FEEDS {
            link rel="alternate" type=(form.media_type()) title={ (listing.name) " (" (form.title()) ")" }
                href=(imprint.address(&listing.name, form));
        }
    };
    let content = html! {
        h1 { (listing.name) }
        @if let Some(changed) = document.updated {
            p.soft { "Last change " (time(changed)) }
        }
        (home::forms("", listing))
        details { summary { "What it selects" } pre { (selection(listing)) } }
        @if document.items.is_empty() {
            p.card { "No items yet. They appear when the sources publish something that matches." }
        }
        @for item in &document.items {
            (article(&item.normalised(), imprint, document.updated))
        }
    };
    layout(&title, "../", head, content)
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

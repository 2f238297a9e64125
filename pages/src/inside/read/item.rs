//! One item: a line of a stream, or all of it.

use maud::{Markup, html};
use pergola_feed::html::plain_text;
use pergola_feed::{Enclosure, Item, Person, Pictures};
use url::Url;

use super::{Inside, Shown, View, frame, script};
use crate::frame::Viewer;
use crate::public::feed::{origin_name, text_with};
use crate::way;
use crate::words::{size, time};

/// Characters of an item that are shown while it is closed.
const EXCERPT: usize = 200;
/// Bytes of a text that are read for them.
const READ: usize = 4_000;

/// An item on a page of its own.
pub fn page(viewer: Viewer<'_>, shown: &Shown, view: &View, inside: Inside<'_>) -> Markup {
    let root = "../../";
    let title = shown.item.title.as_deref().unwrap_or("Untitled").to_owned();
    let content = html! {
        p { a href={ (root) (view.address()) } { "Back to the list" } }
        (whole_article(shown, view, inside, root))
    };
    frame(viewer, &title, root).page(script(root), content)
}

/// An item of a stream, open or closed.
pub(super) fn article(shown: &Shown, view: &View, inside: Inside<'_>, open: bool) -> Markup {
    if open {
        return whole_article(shown, view, inside, "./");
    }
    let item = shown.item.normalised();
    framed(shown, &item, view, "./", false, beginning(shown, &item))
}

fn whole_article(shown: &Shown, view: &View, inside: Inside<'_>, root: &str) -> Markup {
    let item = shown.item.normalised();
    let from = |address: &str| {
        let address = inside.pictures.map(|from| from(shown.source, address));
        format!("{root}{}", address.unwrap_or_default())
    };
    let pictures = match inside.pictures {
        Some(_) => Pictures::From(&from),
        None => Pictures::Linked,
    };
    framed(shown, &item, view, root, true, whole(&item, inside, pictures))
}

/// What an item has closed and open.
fn framed(
    shown: &Shown,
    item: &Item,
    view: &View,
    root: &str,
    open: bool,
    inside: Markup,
) -> Markup {
    let number = shown.number;
    let title = item.title.as_deref().unwrap_or("Untitled");
    let people: Vec<&str> = item.authors.iter().filter_map(Person::label).collect();
    let from = match shown.from_title.as_str() {
        "" => origin_name(item).unwrap_or("a feed that you do not follow"),
        own => own,
    };
    // On a page of its own an item is what the page is about.
    let alone = root != "./";
    let heading = html! {
        span.unread hidden[shown.read] { "●" span.hidden { " Unread: " } }
        a.open href={ (root) (view.opening(number)) } { (title) }
    };
    html! {
        article.item.card.is-read[shown.read] id={ "item-" (number) } data-from=(shown.from.key())
            data-whole={ (root) "read/item/" (number) } data-page=[item.link.as_deref()] {
            @if alone { h1 { (heading) } } @else { h2 { (heading) } }
            p.soft {
                (from) " · "
                @if !people.is_empty() { (people.join(", ")) " · " }
                (time(shown.dated))
            }
            (inside)
            (marks(shown, view, root, open))
        }
    }
}

fn marks(shown: &Shown, view: &View, root: &str, open: bool) -> Markup {
    let (star, star_to) = if shown.starred { ("★ Starred", "0") } else { ("☆ Star", "1") };
    let (read, read_to) = if shown.read { ("Mark unread", "0") } else { ("Mark read", "1") };
    let back = format!("{}#item-{}", view.address(), shown.number);
    html! {
        form.marks method="post" action={ (root) "read/item/" (shown.number) "/mark" } {
            input type="hidden" name="back" value=(back);
            @if open { input type="hidden" name="open" value=(view.opening(shown.number)); }
            button.star name="star" value=(star_to) aria-pressed=(shown.starred) { (star) }
            button.mark name="read" value=(read_to) { (read) }
        }
    }
}

/// All of an item.
fn whole(item: &Item, inside: Inside<'_>, pictures: Pictures<'_>) -> Markup {
    let nodes = inside.nodes;
    let base = item.link.as_deref().and_then(|link| Url::parse(link).ok());
    let body = item.content.as_ref().or(item.summary.as_ref());
    html! {
        div.whole {
            (way::named(item, &nodes.here, &nodes.names))
            @match body {
                Some(body) => (text_with(body, base.as_ref(), pictures)),
                None => p.soft { "There is no text, only a title." },
            }
            @for enclosure in &item.enclosures { (attached(enclosure)) }
            @if let Some(link) = &item.link {
                p { a.visit href=(link) rel="noopener noreferrer nofollow" { "Visit the page" } }
            }
        }
    }
}

fn attached(enclosure: &Enclosure) -> Markup {
    html! {
        p.soft {
            "Attached: "
            a href=(enclosure.url) rel="noopener noreferrer nofollow" { (enclosure.url) }
            @if let Some(kind) = &enclosure.media_type { " (" (kind) ")" }
            @if let Some(length) = enclosure.length { ", " (size(length)) }
        }
    }
}

/// Where a search has found an item, or its beginning.
fn beginning(shown: &Shown, item: &Item) -> Markup {
    html! {
        p.excerpt {
            @for (text, marked) in &shown.snippet {
                @if *marked { mark { (text) } } @else { (text) }
            }
            @if shown.snippet.is_empty() { (excerpt(item)) }
        }
    }
}

/// The beginning of an item, without markup.
fn excerpt(item: &Item) -> String {
    let Some(text) = item.summary.as_ref().or(item.content.as_ref()) else {
        return String::new();
    };
    let mut beginning = text.clone();
    let end =
        (0..=READ.min(beginning.body.len())).rev().find(|at| beginning.body.is_char_boundary(*at));
    beginning.body.truncate(end.unwrap_or(0));
    let plain = plain_text(&beginning);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    let mut letters = line.chars();
    let shown: String = letters.by_ref().take(EXCERPT).collect();
    if letters.next().is_none() {
        return shown;
    }
    // Between two words, unless the last one is very long or words are not parted.
    let whole = shown.rfind(' ').filter(|end| 2 * end > shown.len());
    format!("{}…", shown[..whole.unwrap_or(shown.len())].trim_end())
}

//! Which feeds there are, and how to subscribe to them.

use maud::{Markup, html};
use pergola_feed::Timestamp;

use super::search;
use crate::frame::{Frame, Place, Viewer};
use crate::words::{counted, time};

/// Feeds shown; the list in OPML has them all.
const SHOWN: usize = 500;

/// A form that a feed is published in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// What people call it.
    pub title: &'static str,
    /// What stands behind the feed's name in the address.
    pub extension: &'static str,
    pub media_type: &'static str,
}

/// A feed in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Card<'a> {
    pub name: &'a str,
    /// Its public address.
    pub address: String,
    /// What it selects, in the query language.
    pub selection: &'a str,
    /// Items so far.
    pub items: u64,
    /// When it last changed.
    pub changed: Option<Timestamp>,
}

/// The list of feeds of a node.
pub fn page(node: &str, cards: &[Card<'_>], formats: &[Format], damaged: bool) -> Markup {
    let title = format!("Feeds of {node}");
    let content = html! {
        h1 { (title) }
        @if damaged {
            p role="alert" {
                "Some of what this node stores is damaged. The rest is served; "
                a href="readyz" { "the node says more" } "."
            }
        }
        @if cards.is_empty() {
            (empty())
        } @else {
            p.soft {
                (counted(cards.len() as u64, "feed")) ". Give an address to your feed reader, or take "
                a href="opml" { "the whole list" } "."
            }
            (search::form("", "", &search::Offer { peers: false, asked: false }))
        }
        @for one in cards.iter().take(SHOWN) {
            (card(one, formats))
        }
        @if cards.len() > SHOWN {
            p.soft { "The first " (SHOWN) " are shown; " a href="opml" { "the list" } " has all of them." }
        }
    };
    let head = html! { link rel="alternate" type="text/x-opml" title=(title) href="opml"; };
    let frame =
        Frame { title: &title, root: "./", place: Some(Place::Feeds), viewer: Viewer::Anybody };
    frame.page(head, content)
}

fn card(card: &Card<'_>, formats: &[Format]) -> Markup {
    let name = card.name;
    html! {
        article.card {
            h2 { a href={ "feeds/" (name) } { (name) } }
            p.soft {
                (counted(card.items, "item")) " so far"
                @if let Some(changed) = card.changed { ", last change " (time(changed)) }
            }
            pre { (card.selection) }
            p.soft { "Address: " code.address { (card.address) } }
            (links("feeds/", name, name, formats))
        }
    }
}

/// Links to the formats of a feed's document. `folder` leads from the page to them.
pub(super) fn links(folder: &str, feed: &str, file: &str, formats: &[Format]) -> Markup {
    html! {
        ul.forms aria-label={ "Formats of " (feed) } {
            @for format in formats {
                li {
                    a href={ (folder) (file) (format.extension) } type=(format.media_type) {
                        (format.title)
                    }
                }
            }
        }
    }
}

fn empty() -> Markup {
    html! {
        section.card {
            h2 { "No feeds yet" }
            p {
                "A feed is a query over sources. Write one to a file, here "
                code { "volcano.fql" } ":"
            }
            pre {
                "CREATE FEED Volcano AS\n\
                 RETURN \"https://example.org/news.xml\"\n\
                 WHERE ITEM CONTAINS \"volcano\" OR \"eruption\";"
            }
            p { "and create it on this node:" }
            pre { "pergola feed create -f volcano.fql" }
            p.soft { "It appears here at once, and its items as soon as the sources were refreshed." }
        }
    }
}

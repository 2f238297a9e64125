//! The first page: which feeds there are, and how to subscribe to them.

use maud::{Markup, html};
use pergola_feed::Timestamp;

use super::{counted, layout, search, time};
use crate::publish::{Form, Imprint, Listing, selection};

/// Feeds shown; the list in OPML has them all.
const SHOWN: usize = 500;

/// The list of feeds.
pub(crate) fn page(imprint: &Imprint, listings: &[Listing], damaged: bool) -> Markup {
    let title = format!("Feeds of {}", imprint.name);
    let content = html! {
        h1 { (title) }
        @if damaged {
            p role="alert" {
                "Some of what this node stores is damaged. The rest is served; "
                a href="readyz" { "the node says more" } "."
            }
        }
        @if listings.is_empty() {
            (empty())
        } @else {
            p.soft {
                (counted(listings.len() as u64, "feed")) ". Give an address to your feed reader, or take "
                a href="opml" { "the whole list" } "."
            }
            (search::form("", "", &search::Offer { peers: false, asked: false }))
        }
        @for listing in listings.iter().take(SHOWN) {
            (card(imprint, listing))
        }
        @if listings.len() > SHOWN {
            p.soft { "The first " (SHOWN) " are shown; " a href="opml" { "the list" } " has all of them." }
        }
    };
    let head = html! { link rel="alternate" type="text/x-opml" title=(title) href="opml"; };
    layout(&title, "./", head, content)
}

fn card(imprint: &Imprint, listing: &Listing) -> Markup {
    let tally = listing.tally;
    html! {
        article.card {
            h2 { a href={ "feeds/" (listing.name) } { (listing.name) } }
            p.soft {
                (counted(tally.next, "item")) " so far"
                @if tally.changed_at > 0.0 {
                    ", last change " (time(Timestamp::from_unix(tally.changed_at as i64)))
                }
            }
            pre { (selection(listing)) }
            p.soft { "Address: " code.address { (imprint.address(&listing.name, Form::Atom)) } }
            (forms("feeds/", &listing.name, &listing.name))
        }
    }
}

/// Links to the three formats of a feed's document. `folder` leads from the page to them.
pub(super) fn forms(folder: &str, feed: &str, file: &str) -> Markup {
    html! {
        ul.forms aria-label={ "Formats of " (feed) } {
            @for form in Form::FEEDS {
                li {
                    a href={ (folder) (file) (form.extension()) } type=(form.media_type()) {
                        (form.title())
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

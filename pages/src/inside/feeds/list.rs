//! Every feed, what it brings, and what was removed.

use maud::{Markup, html};
use pergola_api::feed::FeedStatus;
use pergola_api::source::RemovedFeed;
use pergola_feed::Timestamp;

use super::{door, subscribe};
use crate::frame::{Frame, Place, Viewer};
use crate::inside::editor::highlighted;
use crate::inside::{in_path, noted};
use crate::words::{counted, time};

/// Feeds on one page.
const PAGE: usize = 60;

/// The feeds of a node.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    pub feeds: &'a [FeedStatus],
    pub removed: &'a [RemovedFeed],
    /// Only feeds with this text in their name or query.
    pub search: &'a str,
    /// How many of these to skip.
    pub skip: usize,
    pub note: Option<&'a str>,
}

/// The page with all feeds.
pub fn list(viewer: Viewer<'_>, listed: &Listed<'_>) -> Markup {
    let Listed { feeds, removed, search, skip, note } = *listed;
    let wanted = search.trim().to_lowercase();
    let fits = |text: &str| text.to_lowercase().contains(&wanted);
    let found: Vec<&FeedStatus> =
        feeds.iter().filter(|feed| fits(&feed.name) || fits(&feed.query)).collect();
    let content = html! {
        div.headed {
            h1 { "Feeds" }
            a.button href="feeds/new" { "New feed" }
        }
        (noted(note))
        @if feeds.is_empty() {
            section.card {
                h2 { "No feeds yet" }
                p { "A feed is a query over sources: everything about volcanoes from four news sites, say." }
                p { a.button href="feeds/new" { "Make the first one" } }
            }
        } @else {
            form.search method="get" action="feeds" role="search" {
                label for="search" { "Find a feed by its name or query" }
                input #search type="search" name="search" value=(search);
                button { "Find" }
            }
            p.soft {
                (counted(found.len() as u64, "feed"))
                @if found.len() < feeds.len() { " of " (feeds.len()) }
                ". " a href="opml" { "As a list for feed readers" } "."
            }
        }
        @for feed in found.iter().skip(skip).take(PAGE) { (card(feed)) }
        (turn(found.len(), skip, search))
        @if !removed.is_empty() { (restorable(removed)) }
    };
    let frame = Frame { title: "Feeds", root: "./", place: Some(Place::Feeds), viewer };
    frame.page(html! {}, content)
}

fn card(feed: &FeedStatus) -> Markup {
    html! {
        article.card {
            div.headed {
                h2 { a href={ "feeds/" (in_path(&feed.name)) } { (feed.name) } }
                span { (door(feed)) }
            }
            dl.facts {
                div { dt { "Last 7 days" } dd { (counted(feed.last_week, "item")) } }
                div { dt { "A day" } dd { (super::super::editor::rate(feed.last_week as f64 / 7.0)) } }
                div { dt { "In all" } dd { (feed.published) } }
                div { dt { "Reads" } dd { (counted(feed.sources as u64, "source")) } }
                div {
                    dt { "Last change" }
                    dd {
                        @match feed.changed_at {
                            Some(at) => (time(Timestamp::from_unix(at.unix() as i64))),
                            None => "none yet",
                        }
                    }
                }
            }
            details { summary { "Query" } pre.query { (highlighted(&feed.query)) } }
            div.headed {
                (subscribe("feeds/", feed))
                a.button href={ "feeds/" (in_path(&feed.name)) "/manage" } {
                    "Manage" span.unseen { " " (feed.name) }
                }
            }
        }
    }
}

fn turn(found: usize, skip: usize, search: &str) -> Markup {
    let search = super::super::in_path(search);
    let to = |skip: usize| format!("feeds?search={search}&skip={skip}");
    html! {
        @if found > PAGE {
            nav.turn aria-label="Pages" {
                @if skip > 0 { a rel="prev" href=(to(skip.saturating_sub(PAGE))) { "Earlier" } }
                @if skip + PAGE < found { a rel="next" href=(to(skip + PAGE)) { "Further" } }
            }
        }
    }
}

fn restorable(removed: &[RemovedFeed]) -> Markup {
    html! {
        section.card {
            h2 { "Removed" }
            p.soft { "These can be restored with their items." }
            ul.rows {
                @for feed in removed {
                    li.headed {
                        span {
                            strong { (feed.name) }
                            " " span.soft {
                                "until " (time(Timestamp::from_unix(feed.restorable_until.unix() as i64)))
                            }
                        }
                        form method="post" action={ "feeds/" (in_path(&feed.name)) "/restore" } {
                            button { "Restore" span.unseen { " " (feed.name) } }
                        }
                    }
                }
            }
        }
    }
}

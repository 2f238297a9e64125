//! One feed for those who manage it: what it brings and from where, its query, its readers.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::feed::{FeedDetail, ReadSource};
use pergola_api::notification::NotificationStatus;
use pergola_feed::Timestamp;

use super::{door, notify, subscribe};
use crate::assets;
use crate::frame::{Frame, Place, Viewer};
use crate::inside::editor::{self, Edited, rate};
use crate::inside::{in_path, lasting, noted, percent};
use crate::words::{counted, time};

/// Sources in the table.
const SHOWN: usize = 100;

/// A feed, and what is being changed of it.
#[derive(Debug, Clone, Copy)]
pub struct Managed<'a> {
    pub feed: &'a FeedDetail,
    /// Who may read it; nothing if anybody may.
    pub readers: Option<&'a [String]>,
    /// The readers that the node knows.
    pub known: &'a [String],
    /// Who is sent its new entries.
    pub notified: &'a [NotificationStatus],
    /// The secret of a webhook that was just added. It is not shown again.
    pub secret: Option<&'a str>,
    pub typed: notify::Typed<'a>,
    pub edited: Edited<'a>,
    /// The query that was shown when somebody began to change it.
    pub was: &'a str,
    /// The name that it was to get, and why it did not.
    pub renaming: Option<(&'a str, &'a Problem)>,
    /// Why it was not dropped, or its readers stay.
    pub refused: Option<&'a Problem>,
    pub note: Option<&'a str>,
}

/// The page of one feed.
pub fn manage(viewer: Viewer<'_>, managed: &Managed<'_>) -> Markup {
    let status = &managed.feed.status;
    let name = in_path(&status.name);
    let title = format!("Manage {}", status.name);
    let content = html! {
        div.headed {
            h1 { (status.name) }
            span { (door(status)) }
        }
        (noted(managed.note))
        @if let Some(problem) = managed.refused {
            div.wrong role="alert" { p { (problem.detail) } @if let Some(hint) = &problem.hint { p { (hint) } } }
        }
        p.soft {
            a href={ "../../feeds/" (name) } { "Its items" } " · "
            a href="../../feeds" { "All feeds" } " · "
            "Address: " code.address { (status.url) }
        }
        (subscribe("../", status))
        (facts(managed.feed))
        (sources(&managed.feed.reads))
        (query(managed))
        (readers(managed))
        (notify::section(managed.notified, managed.secret, managed.typed))
        (name_and_end(managed))
    };
    let head = html! { script src=(assets::address("../../", "editor.js")) defer {} };
    let frame = Frame { title: &title, root: "../../", place: Some(Place::Feeds), viewer };
    frame.page(head, content)
}

fn facts(feed: &FeedDetail) -> Markup {
    let status = &feed.status;
    html! {
        dl.facts.card {
            div { dt { "Expected a day" } dd { (rate(feed.items_per_day)) " items" } }
            div { dt { "Last 7 days" } dd { (counted(status.last_week, "item")) } }
            div { dt { "In all" } dd { (status.published) } }
            div { dt { "Expected delay" } dd { (lasting(feed.delay)) } }
            div { dt { "Complete" } dd { (percent(feed.completeness)) } }
            div { dt { "Fresh" } dd { (percent(feed.freshness)) } }
            div {
                dt { "Last change" }
                dd {
                    @match status.changed_at {
                        Some(at) => (time(Timestamp::from_unix(at.unix() as i64))),
                        None => "none yet",
                    }
                }
            }
        }
        p.soft {
            "The delay is from an item's publication to its arrival here, at the present budget; each source counts by \
             what it brings. Complete: the share of items that were not missed. Fresh: the share of the sources' \
             documents that this node has."
        }
    }
}

/// Items a day that a source brings to the feed.
fn brings(read: &ReadSource) -> Option<f64> {
    Some(read.share? * read.items_per_day?)
}

fn sources(reads: &[ReadSource]) -> Markup {
    let mut sorted: Vec<&ReadSource> = reads.iter().collect();
    sorted.sort_by(|a, b| brings(b).unwrap_or(0.0).total_cmp(&brings(a).unwrap_or(0.0)));
    html! {
        section aria-labelledby="reads" {
            h2 #reads { "What it reads" }
            div.wide {
                table {
                    thead {
                        tr {
                            th scope="col" { "Source" }
                            th scope="col" { "State" }
                            th.number scope="col" { "Items a day" }
                            th.number scope="col" { "Keeps" }
                            th.number scope="col" { "Brings a day" }
                            th.number scope="col" { "Weight" }
                            th.number scope="col" { "Delay" }
                            th.number scope="col" { "Fresh" }
                            th.number scope="col" { "Complete" }
                        }
                    }
                    tbody { @for read in sorted.iter().take(SHOWN) { (row(read)) } }
                }
            }
            @if sorted.len() > SHOWN {
                p.soft { "The " (SHOWN) " that bring most are shown, of " (sorted.len()) "." }
            }
        }
    }
}

fn row(read: &ReadSource) -> Markup {
    let number = |rate_of: Option<f64>| rate_of.map_or_else(|| "–".to_owned(), rate);
    let delay = match read.delay {
        Some(0.0) => "at once".to_owned(),
        delay => lasting(delay),
    };
    html! {
        tr {
            th scope="row" title=(read.url) {
                a href={ "../../sources/" (read.source) } {
                    (read.title.as_deref().unwrap_or(&read.url))
                }
            }
            td { (read.standing.map_or("–", |standing| standing.name())) }
            td.number { (number(read.items_per_day)) }
            td.number { (percent(read.share)) }
            td.number { (number(brings(read))) }
            td.number { (read.weight) }
            td.number { (delay) }
            td.number { (percent(read.freshness)) }
            td.number { (percent(read.completeness)) }
        }
    }
}

fn query(managed: &Managed<'_>) -> Markup {
    let status = &managed.feed.status;
    html! {
        section aria-labelledby="its-query" {
            h2 #its-query { "Its query" }
            pre.query { (editor::highlighted(&status.query)) }
            @if status.declared {
                p.soft { "The configuration declares this feed; change it there." }
            } @else {
                details open[managed.edited.problem.is_some() || managed.edited.explained.is_some() || managed.edited.right] {
                    summary { "Change the query" }
                    form method="post" action="manage" {
                        input type="hidden" name="was" value=(managed.was);
                        (editor::area("../../", &managed.edited))
                        p.buttons {
                            button name="do" value="check" { "Check" }
                            button name="do" value="try" { "Try it" }
                            button.main name="do" value="save" { "Save" }
                        }
                    }
                    (editor::result(&managed.edited))
                }
            }
        }
    }
}

fn readers(managed: &Managed<'_>) -> Markup {
    let declared = managed.feed.status.declared;
    let listed = managed.readers.unwrap_or_default();
    let who = match managed.readers {
        None => "anybody",
        Some([]) => "nobody",
        Some(_) => "some",
    };
    html! {
        section.card aria-labelledby="its-readers" {
            h2 #its-readers { "Who may read it" }
            @if declared {
                p {
                    @match managed.readers {
                        None => "Anybody.",
                        Some([]) => "Only those who manage this node.",
                        Some(names) => (names.join(", ")),
                    }
                    " The configuration says so."
                }
            } @else {
                form method="post" action="manage" {
                    fieldset.plain {
                        legend.unseen { "Who may read it" }
                        @for (value, words) in [("anybody", "Anybody"), ("nobody", "Only those who manage this node")] {
                            label { input type="radio" name="who" value=(value) checked[who == value]; " " (words) }
                        }
                        @if !managed.known.is_empty() {
                            label { input type="radio" name="who" value="some" checked[who == "some"]; " Only these readers:" }
                            div.inset {
                                @for name in managed.known {
                                    label {
                                        input type="checkbox" name="reader" value=(name) checked[listed.contains(name)];
                                        " " (name)
                                    }
                                }
                            }
                        }
                    }
                    p.buttons { button name="do" value="readers" { "Save" } }
                }
                @if managed.known.is_empty() {
                    p.soft { "Named readers are declared in the configuration, as " code { "[[reader]]" } "." }
                }
            }
        }
    }
}

fn name_and_end(managed: &Managed<'_>) -> Markup {
    let name = &managed.feed.status.name;
    let asked = managed.renaming.map_or("", |(asked, _)| asked);
    html! {
        @if !managed.feed.status.declared {
            section.card aria-labelledby="its-name" {
                h2 #its-name { "Rename" }
                p.soft { "Feeds that read it follow. Its address changes: readers have to subscribe again." }
                form.line method="post" action="manage" {
                    label for="to" { "New name" }
                    input #to name="to" required value=(asked) autocomplete="off"
                        aria-invalid=[managed.renaming.map(|_| "true")];
                    button name="do" value="rename" { "Rename" }
                }
                @if let Some((_, problem)) = managed.renaming {
                    div.wrong role="alert" {
                        @match &problem.place {
                            Some(place) => p { (place.message) @if let Some(help) = &place.help { "; " (help) } },
                            None => p { (problem.detail) },
                        }
                    }
                }
            }
            section.card aria-labelledby="its-end" {
                h2 #its-end { "Drop" }
                p.soft { "The feed and its items disappear for everybody. For a week it can be restored." }
                form method="post" action="manage" {
                    label { input type="checkbox" name="sure" value="yes" required; " Yes, drop " (name) }
                    p.buttons { button.danger name="do" value="drop" { "Drop the feed" } }
                }
            }
        }
    }
}

//! How the node is doing, and what needs attention.

mod charts;

use maud::{Markup, html};
use pergola_api::operation::{MinuteSample, NodeStatus};
use pergola_api::source::{SourcePage, SourceStanding, SourceStatus};

use crate::assets;
use crate::figures::{bytes, count, number, share};
use crate::frame::{Frame, Place, Viewer};
use crate::words::counted;
use charts::charts;
pub use charts::{Period, live_charts};

/// What the first page shows.
#[derive(Debug, Clone, Copy)]
pub struct Overview<'a> {
    pub viewer: Viewer<'a>,
    pub status: &'a NodeStatus,
    /// Minutes, oldest first.
    pub history: &'a [MinuteSample],
    pub period: Period,
    /// Sources that have ended, fail or are paused: the first few of each, and how many there are.
    pub troubled: &'a [SourcePage],
    pub now: f64,
    /// Where to see more than this node.
    pub beside: Option<&'a Link>,
}

/// A page elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// What the link says.
    pub text: String,
    pub address: String,
}

/// The first page.
pub fn page(overview: &Overview<'_>) -> Markup {
    let &Overview { viewer, status, history, period, troubled, now, beside } = overview;
    let manages = matches!(viewer, Viewer::Inside { manages: true, .. });
    let content = html! {
        h1 { (status.name) }
        (outside_of_it(status, beside))
        @if status.sources == 0 && manages { (beginning()) }
        (attention(status, troubled))
        (key_numbers(status, history))
        @if status.sources > 0 { (charts(status, history, period, now)) }
        p.away data-live-note hidden role="status" {}
    };
    let frame = Frame { title: &status.name, root: "./", place: Some(Place::Overview), viewer };
    frame.page(live("./"), content)
}

/// What makes a page live.
pub(crate) fn live(root: &str) -> Markup {
    html! { script src=(assets::address(root, "live.js")) data-live={ (root) "live" } defer {} }
}

/// How fast the node lives, if that is not as fast as we do; and where to see more.
fn outside_of_it(status: &NodeStatus, beside: Option<&Link>) -> Markup {
    let exact = status.now.to_string();
    let shown = exact.get(..16).unwrap_or(&exact).replacen('T', " ", 1);
    html! {
        @if status.speed != 1.0 {
            p.soft {
                "This node runs " (number(status.speed)) " times as fast as real time; its clock shows "
                time data-clock datetime=(exact) { (shown) " UTC" } "."
            }
        }
        @if let Some(link) = beside { p.soft { a href=(link.address) { (link.text) } } }
    }
}

/// How to begin, while there is no source.
fn beginning() -> Markup {
    html! {
        section.card aria-labelledby="begin" {
            h2 #begin { "Begin here" }
            p { "This node reads nothing yet. Give it the address of a feed, or of a page that has one." }
            form.row method="post" action="./sources/new" {
                label for="url" { "Address" }
                input #url name="url" required placeholder="example.org" autocapitalize="off"
                    spellcheck="false" inputmode="url";
                button.main { "Add" }
            }
            p {
                "Do you come from another reader? "
                a href="./sources/import" { "Import its subscriptions" } " (OPML)."
            }
        }
    }
}

fn attention(status: &NodeStatus, troubled: &[SourcePage]) -> Markup {
    let all: usize = troubled.iter().map(|page| page.sources.len()).sum();
    if all == 0 && status.notices.is_empty() && status.running {
        return html! {};
    }
    html! {
        section.card.attention aria-labelledby="attention" {
            h2 #attention { "Needs attention" }
            ul {
                @if !status.running { li { "This node is not running: it refreshes nothing." } }
                @for notice in &status.notices { li { (linked(notice)) } }
                @for page in troubled { (group(page)) }
            }
        }
    }
}

/// Sources of one standing that need attention.
fn group(page: &SourcePage) -> Markup {
    let Some(standing) = page.sources.first().map(|source| source.standing) else {
        return html! {};
    };
    let total = page.total.unwrap_or(page.sources.len());
    html! {
        @for source in &page.sources {
            li {
                a href={ "./sources/" (source.id) } { (name(source)) }
                " " (predicate(standing)) (why(source))
            }
        }
        @if total > page.sources.len() {
            li {
                a href={ "./sources?standing=" (standing.name()) } {
                    (counted((total - page.sources.len()) as u64, "more source"))
                }
                " " @if total - page.sources.len() == 1 { (predicate(standing)) } @else { (plural(standing)) }
                "."
            }
        }
    }
}

fn name(source: &SourceStatus) -> &str {
    source.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&source.url)
}

fn predicate(standing: SourceStanding) -> &'static str {
    match standing {
        SourceStanding::New => "is new",
        SourceStanding::Well => "is well",
        SourceStanding::Paused => "is paused",
        SourceStanding::Failing => "fails",
        SourceStanding::Ended => "has ended",
    }
}

fn plural(standing: SourceStanding) -> &'static str {
    match standing {
        SourceStanding::New => "are new",
        SourceStanding::Well => "are well",
        SourceStanding::Paused => "are paused",
        SourceStanding::Failing => "fail",
        SourceStanding::Ended => "have ended",
    }
}

/// Why a source is as it is, if something is known.
fn why(source: &SourceStatus) -> String {
    match &source.trouble {
        _ if source.paused => " by hand.".to_owned(),
        Some(trouble) => format!(": {}.", trouble.trim_end_matches('.')),
        None => ".".to_owned(),
    }
}

/// A notice in which the number of a source is a link to it.
fn linked(notice: &str) -> Markup {
    let marked = notice.match_indices("source ").find_map(|(at, word)| {
        let (before, after) = notice.split_at(at + word.len());
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        (digits > 0).then(|| (before, after.split_at(digits)))
    });
    match marked {
        Some((before, (number, after))) => html! {
            (before) a href={ "./sources/" (number) } { (number) } (after)
        },
        None => html! { (notice) },
    }
}

fn key_numbers(status: &NodeStatus, history: &[MinuteSample]) -> Markup {
    html! {
        dl.figures {
            @for (key, label, value) in live_figures(status, history).into_iter().take(KEY_NUMBERS) {
                div { dt { (label) } dd data-live=(key) { (value) } }
            }
        }
    }
}

/// How many of the figures stand at the top.
const KEY_NUMBERS: usize = 5;
/// Minutes over which the use of the budget is told.
const LATELY: usize = 10;

/// The figures that change while a page is open: a key for the script, what it is, and its value.
pub fn live_figures(
    status: &NodeStatus,
    history: &[MinuteSample],
) -> Vec<(&'static str, &'static str, String)> {
    let lately = &history[history.len().saturating_sub(LATELY)..];
    let spent = lately.iter().map(|minute| f64::from(minute.refreshes)).sum::<f64>();
    let spent = spent / lately.len().max(1) as f64;
    let budget = format!("{} of {} a minute", number(spent), number(status.budget_per_minute));
    vec![
        ("sources", "Sources", count(status.sources as u64)),
        ("feeds", "Feeds", count(status.feeds as u64)),
        ("items", "Items since the start", count(status.items)),
        ("disk", "On disk", bytes(status.store_bytes)),
        ("in-flight", "Requests now", count(status.in_flight as u64)),
        ("freshness", "Freshness", share(status.freshness)),
        ("completeness", "Completeness", share(status.completeness)),
        ("budget", "Refreshes", budget),
        ("threshold", "Threshold τ", number(status.threshold)),
    ]
}

#[cfg(test)]
mod tests;

//! One source: how it is, when it is refreshed next and why, and what can be done with it.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::next::{NextRefresh, Reason};
use pergola_api::source::{
    PeerStatus, PushStatus, RecentRefresh, Rhythm, SourceDetail, SourceKind, SourceStatus, Wishes,
};

use super::{live_part, name, note, outward, standing, trouble};
use crate::chart::{Bar, Bars};
use crate::figures::{bytes, count, moment, number, per_day, percent, share, wait};
use crate::frame::{Frame, Place, Viewer};
use crate::inside::overview::live;
use crate::words::counted;

/// What the page of a source shows.
#[derive(Debug, Clone, Copy)]
pub struct One<'a> {
    pub viewer: Viewer<'a>,
    /// Leads from the page to the node's own address.
    pub root: &'a str,
    pub detail: &'a SourceDetail,
    pub now: f64,
    /// What was done just before.
    pub note: Option<&'a str>,
    /// Why a refresh was refused, and whether it can be forced.
    pub refused: Option<(&'a Problem, bool)>,
}

/// The page of a source.
pub fn page(one: &One<'_>) -> Markup {
    let &One { viewer, root, detail, now, .. } = one;
    let source = &detail.source;
    let content = html! {
        p.soft { a href={ (root) "sources" } { "Sources" } }
        h1 { (name(source)) }
        (note(one.note))
        div data-live-sources=(source.id) {
            p.lead { (live_part(source, "standing", now)) (because(source)) }
            p.address { (outward(&source.url)) }
            (buttons(source, root))
            @if let Some((problem, can_force)) = one.refused { (refused(source, root, problem, can_force)) }
            (next(detail, now))
        }
        (rhythm(detail))
        (recent(&detail.recent, now))
        (facts(detail, now))
        (wishes(source, &detail.wishes, now))
        (readers(detail, root))
        @if let Some(push) = &detail.push { (pushed(push, now)) }
        @if let Some(peer) = &source.peer { (published(peer, now)) }
        p.away data-live-note hidden role="status" {}
    };
    let title = format!("{} – Sources", name(source));
    let frame = Frame { title: &title, root, place: Some(Place::Sources), viewer };
    frame.page(live(root), content)
}

fn because(source: &SourceStatus) -> Markup {
    html! {
        @if let Some(trouble) = &source.trouble { ": " (trouble) }
        @if let Some(failing) = &source.failing {
            " (" (counted(u64::from(failing.count), "failure")) " in a row, " code { (failing.kind) } ")"
        }
        @if let Some(way) = &source.way_back { ". Its items come back to this node: " (way.join(" → ")) }
    }
}

fn buttons(source: &SourceStatus, root: &str) -> Markup {
    let here = format!("{root}sources/{}", source.id);
    html! {
        div.actions {
            form method="post" action={ (here) "/refresh" } { button.main { "Refresh now" } }
            @if source.paused {
                form method="post" action={ (here) "/resume" } { button { "Resume" } }
            } @else {
                form method="post" action={ (here) "/pause" } { button { "Pause" } }
            }
            a.button href={ (here) "/edit" } { "Edit" }
            a.button href={ (here) "/remove" } { "Remove" }
        }
    }
}

fn refused(source: &SourceStatus, root: &str, problem: &Problem, can_force: bool) -> Markup {
    html! {
        (trouble(problem))
        @if can_force {
            form method="post" action={ (root) "sources/" (source.id) "/refresh" } {
                input type="hidden" name="force" value="yes";
                button { "Refresh anyway" }
            }
        } @else { p.soft { "The site itself asked for this, so it cannot be forced." } }
    }
}

fn next(detail: &SourceDetail, now: f64) -> Markup {
    let NextRefresh { at, because, also } = &detail.next;
    html! {
        section.card aria-labelledby="next" {
            h2 #next { "Next refresh" }
            p.lead { @match at {
                // The budget decides, or the source is being asked.
                Some(at) if at.unix() <= now => "now",
                Some(at) => (moment(*at, now)),
                None => "None is planned",
            } }
            p { "Not earlier, because " (reason(because, now)) }
            @if !also.is_empty() {
                p.soft { "Without that, this would stand in the way:" }
                ul { @for one in also { li { (reason(one, now)) } } }
            }
        }
    }
}

fn reason(reason: &Reason, now: f64) -> Markup {
    html! {
        (reason.detail)
        @if let Some(until) = reason.until { " (ends " (moment(until, now)) ")" }
        "."
        @if let Some(key) = &reason.key { " The setting " code { (key) } " changes it." }
    }
}

fn rhythm(detail: &SourceDetail) -> Markup {
    let Some(rhythm) = &detail.rhythm else { return html! {} };
    let bars: Vec<Bar> = rhythm
        .by_hour
        .iter()
        .enumerate()
        .map(|(hour, &items)| {
            let label = format!("{hour}:00 to {}:00 UTC: {} items", (hour + 1) % 24, number(items));
            Bar { label, parts: vec![("news", items)] }
        })
        .collect();
    let busiest = busiest(rhythm);
    let description = format!("{} Most come between {busiest} UTC.", shape(&rhythm.shape));
    html! {
        section.card aria-labelledby="rhythm" {
            h2 #rhythm { "Daily rhythm" }
            (Bars { id: "hours", title: "Items by hour of the day (UTC)", description: &description, bars: &bars }.draw())
            p.axis aria-hidden="true" { span { "0 h" } span { "6 h" } span { "12 h" } span { "18 h" } span { "24 h UTC" } }
            p { (shape(&rhythm.shape)) " Most come between " (busiest) " UTC." }
            dl.pairs {
                (pair("Items a day", html! { (per_day(detail.source.items_per_day)) }))
                (pair("Its document shows", html! { (counted(u64::from(detail.source.window), "item")) }))
                (pair("Expected since the last refresh", html! { (number(rhythm.waiting)) }))
                (pair("Risk of losing items before the next refresh", html! {
                    @match rhythm.risk_of_loss { Some(risk) => (percent(risk)), None => "not known" }
                }))
            }
        }
    }
}

fn shape(shape: &str) -> &'static str {
    match shape {
        "peaks" => "Busy hours and silent ones, as robots publish.",
        "uniform" => "About the same at every hour.",
        _ => "Busy days and quiet nights, as people publish.",
    }
}

/// The hour in which most items come: "9:00 and 10:00".
fn busiest(rhythm: &Rhythm) -> String {
    let hours = rhythm.by_hour.iter().enumerate();
    let hour = hours.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(hour, _)| hour);
    format!("{hour}:00 and {}:00", (hour + 1) % 24)
}

/// The sign, the class and the words of an outcome.
fn outcome(refresh: &RecentRefresh) -> (&'static str, String) {
    match refresh.outcome.as_str() {
        "changed" | "delta" if refresh.new_items > 0 => {
            ("news", format!("{} new", counted(u64::from(refresh.new_items), "item")))
        }
        "changed" | "delta" => ("unchanged", "changed, nothing new".to_owned()),
        "unchanged" => ("unchanged", "unchanged".to_owned()),
        "paused" => ("failed", "asked for quiet".to_owned()),
        "gone" => ("failed", "gone".to_owned()),
        _ => {
            let kind = refresh.failure.as_deref().unwrap_or("unknown");
            ("failed", format!("failed ({kind})"))
        }
    }
}

fn recent(refreshes: &[RecentRefresh], now: f64) -> Markup {
    if refreshes.is_empty() {
        return html! {};
    }
    let bars: Vec<Bar> = refreshes
        .iter()
        .map(|refresh| {
            let (class, words) = outcome(refresh);
            let label = format!("{}: {words}", refresh.at);
            // A refresh without news is still seen.
            let high = if class == "news" { 1.0 + f64::from(refresh.new_items).ln() } else { 0.6 };
            Bar { label, parts: vec![(class, high)] }
        })
        .collect();
    let of = |wanted: &str| refreshes.iter().filter(|refresh| outcome(refresh).0 == wanted).count();
    let (news, unchanged, failed) = (of("news"), of("unchanged"), of("failed"));
    let description = format!(
        "Of the last {} refreshes {news} brought news, {unchanged} found nothing new, {failed} failed.",
        refreshes.len()
    );
    html! {
        section.card aria-labelledby="recent" {
            h2 #recent { "Last refreshes" }
            (Bars { id: "outcomes", title: "Last refreshes", description: &description, bars: &bars }.draw())
            p.legend {
                span.key.news { "news: " (news) } " " span.key.unchanged { "nothing new: " (unchanged) } " "
                span.key.failed { "failed: " (failed) }
            }
            details {
                summary { "As a table" }
                div.wide tabindex="0" role="region" aria-label="Last refreshes as a table" { table {
                    thead { tr {
                        th scope="col" { "When" } th scope="col" { "Outcome" } th.number scope="col" { "Received" }
                    } }
                    tbody { @for refresh in refreshes.iter().rev() { tr {
                        td { (moment(refresh.at, now)) }
                        td { (outcome(refresh).1) }
                        td.number { (bytes(u64::from(refresh.bytes))) }
                    } } }
                } }
            }
        }
    }
}

fn pair(label: &str, value: Markup) -> Markup {
    html! { div { dt { (label) } dd { (value) } } }
}

fn facts(detail: &SourceDetail, now: f64) -> Markup {
    let source = &detail.source;
    let kind = match source.kind {
        SourceKind::Feed => "a feed",
        SourceKind::Page => "a web page, read by selectors",
        SourceKind::List => "a list (OPML) that names other sources",
    };
    html! {
        section.card aria-labelledby="facts" {
            h2 #facts { "In figures" }
            dl.pairs {
                (pair("Kind", html! { (kind) }))
                (pair("Standing", standing(source)))
                (pair("Last refresh", html! {
                    @match source.last_refresh { Some(at) => (moment(at, now)), None => "never" }
                }))
                (pair("Freshness", html! { (share(source.freshness)) }))
                (pair("Completeness", html! { (share(source.completeness)) }))
                (pair("Items delivered", html! { (count(source.items)) }))
                (pair("Requests", html! {
                    (count(source.requests)) ", " (count(source.not_modified)) " not modified, "
                    (count(source.failures)) " failed"
                }))
                (pair("Received", html! { (bytes(source.bytes)) }))
                (pair("Importance", html! { (source.importance) }))
                (pair("Folders", html! {
                    @if source.folders.is_empty() { "none" } @else { (source.folders.join(", ")) }
                }))
                (pair("Address", html! { @if source.private { "published nowhere" } @else { "public" } }))
                (pair("Shown to let this node in", html! { @match &source.credentials {
                    Some(held) => { "a " (held.kind.name()) ", only to " (held.origin) },
                    None => "nothing",
                } }))
                (pair("Items told apart by", html! { (detail.identity) }))
                @if let Some(home) = &detail.home { (pair("Belongs to", outward(home))) }
                @if let Some(page) = &detail.page { (pair("Item selector", html! { code { (page.item) } })) }
                @if !detail.formerly.is_empty() {
                    (pair("Formerly at", html! { @for url in &detail.formerly { (url) " " } }))
                }
            }
        }
    }
}

fn wishes(source: &SourceStatus, wishes: &Wishes, now: f64) -> Markup {
    let hours: Vec<String> = wishes.skip_hours.iter().map(u8::to_string).collect();
    html! {
        section.card aria-labelledby="wishes" {
            h2 #wishes { "What its site asks for" }
            dl.pairs {
                @if let Some(seconds) = wishes.max_age {
                    (pair("Keep its document for (max-age)", html! { (wait(seconds)) }))
                }
                @if let Some(seconds) = wishes.period {
                    (pair("Come once in (ttl, update period)", html! { (wait(seconds)) }))
                }
                @if !hours.is_empty() { (pair("No refreshes at (skipHours, UTC)", html! { (hours.join(", ")) })) }
                @if !wishes.skip_days.is_empty() {
                    (pair("No refreshes on (skipDays)", html! { (wishes.skip_days.join(", ")) }))
                }
                @if let Some(until) = wishes.quiet_until {
                    (pair("Quiet", html! {
                        "ends " (moment(until, now))
                        @if let Some(status) = wishes.quiet_status { " (it answered " (status) ")" }
                    }))
                }
                @if let Some(until) = wishes.asked_until {
                    (pair("Stay away (its last answer)", html! { "ends " (moment(until, now)) }))
                }
                (pair("Recognises what this node has", html! {
                    @if wishes.validators { "yes (ETag, Last-Modified)" } @else { "no" }
                }))
                (pair("robots.txt", html! {
                    @if source.kind == SourceKind::Page { "asked once a day, before the page is read" }
                    @else { "not asked: feeds are published to be fetched" }
                }))
            }
        }
    }
}

fn readers(detail: &SourceDetail, root: &str) -> Markup {
    html! {
        section.card aria-labelledby="readers" {
            h2 #readers { "Feeds that read it" }
            @if detail.read_by.is_empty() { p.soft { "None." } }
            @else {
                table {
                    thead { tr { th scope="col" { "Feed" } th.number scope="col" { "Keeps of its items" } } }
                    tbody { @for reading in &detail.read_by { tr {
                        th scope="row" { a href={ (root) "feeds/" (reading.feed) } { (reading.feed) } }
                        td.number { (share(reading.share)) }
                    } } }
                }
            }
        }
    }
}

fn pushed(push: &PushStatus, now: f64) -> Markup {
    let state = match (push.active, push.trusted) {
        (true, true) => "active, and reliable: the source is polled only once a day",
        (true, false) => "active; it must prove reliable before the source is polled less",
        (false, _) => "not confirmed",
    };
    html! {
        section.card aria-labelledby="push" {
            h2 #push { "Push (WebSub)" }
            dl.pairs {
                (pair("Subscription", html! { (state) }))
                (pair("Hub", outward(&push.hub)))
                @if let Some(until) = push.lease_until { (pair("Lease ends", moment(until, now))) }
                (pair("Items pushed", html! { (count(push.items)) " in " (counted(push.pushes, "document")) }))
                (pair("Items it never sent", html! { (count(push.missed)) }))
                @if let Some(trouble) = &push.trouble { (pair("Last refusal", html! { (trouble) })) }
            }
        }
    }
}

fn published(peer: &PeerStatus, now: f64) -> Markup {
    html! {
        section.card aria-labelledby="peer" {
            h2 #peer { "Published by another node" }
            dl.pairs {
                (pair("Node", html! { (peer.name.as_deref().or(peer.node.as_deref()).unwrap_or("not known yet")) }))
                (pair("Feed there", html! { (peer.feed) }))
                (pair("Cooperation", html! {
                    @if peer.cooperate.is_empty() { "none" } @else { (peer.cooperate.join(", ")) }
                }))
                (pair("Says at once when it has news", html! { @if peer.watched { "yes" } @else { "no" } }))
                @if let Some(why) = &peer.http_because {
                    (pair("Read over HTTP instead", html! {
                        (why) @if let Some(until) = peer.http_until { ", ends " (moment(until, now)) }
                    }))
                }
            }
        }
    }
}

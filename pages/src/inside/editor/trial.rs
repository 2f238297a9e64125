//! What a query finds among the stored items, before it is saved.

use maud::{Markup, html};
use pergola_api::feed::{Explained, Trial, TriedDay, TriedItem, TriedSource};
use pergola_feed::Timestamp;

use super::of_all;
use crate::inside::link;
use crate::words::{counted, time};

/// The height and the width of a bar's place, in the units of the drawing.
const HEIGHT: u64 = 80;
const PLACE: usize = 24;

/// What a query finds, from where, and what it costs.
pub(super) fn shown(explained: &Explained) -> Markup {
    let trial = &explained.trial;
    html! {
        section.card.trial aria-labelledby="found" {
            h2 #found { "What it finds" }
            p role="status" {
                strong { (counted(trial.items, "item")) }
                " of " (counted(trial.examined, "stored item")) " would be in the feed"
                @if trial.cut_off { "; there is more than could be looked at in a moment" } "."
            }
            (days(&trial.per_day))
            (missing(trial))
            @if !trial.newest.is_empty() {
                h3 { "The newest" }
                ol.found { @for item in &trial.newest { (entry(item)) } }
            }
            @if !trial.sources.is_empty() { (sources(&trial.sources)) }
            details { summary { "What it reads and costs" } pre { (explained.text) } }
        }
    }
}

fn missing(trial: &Trial) -> Markup {
    html! {
        @if !trial.not_stored.is_empty() {
            p { "Nothing is stored yet of these; their items come when they were refreshed:" }
            ul { @for address in &trial.not_stored { li { code { (address) } } } }
        }
    }
}

/// A bar for each day.
fn days(days: &[TriedDay]) -> Markup {
    let most = days.iter().map(|day| day.items).max().unwrap_or(0);
    let all: u64 = days.iter().map(|day| day.items).sum();
    if most == 0 {
        return html! { p.soft { "None of them is from the last " (days.len()) " days." } };
    }
    let width = days.len() * PLACE;
    let mean = all as f64 / days.len() as f64;
    let label = format!("{} a day over the last {} days", rate(mean), days.len());
    html! {
        figure.bars {
            svg viewBox={ "0 0 " (width) " " (HEIGHT + 16) } role="img" aria-label=(label) {
                @for (place, day) in days.iter().enumerate() {
                    @let height = (day.items * HEIGHT).div_ceil(most);
                    g {
                        title { (counted(day.items, "item")) " in the day from " (day.from.to_string()) }
                        rect.bar x=(place * PLACE + 3) y=(HEIGHT - height + 14) width=(PLACE - 6)
                            height=(height) rx="2" {}
                        @if day.items > 0 {
                            text x=(place * PLACE + PLACE / 2) y=(HEIGHT - height + 10)
                                text-anchor="middle" { (day.items) }
                        }
                    }
                }
            }
            figcaption.soft { (label) "; the last bar is the last 24 hours." }
        }
    }
}

/// "0.3", "4", "120".
pub(in crate::inside) fn rate(per_day: f64) -> String {
    match per_day {
        rate if rate < 0.095 && rate > 0.0 => format!("{rate:.2}"),
        rate if rate < 9.95 => format!("{rate:.1}"),
        rate => format!("{rate:.0}"),
    }
}

fn entry(item: &TriedItem) -> Markup {
    let title = item.title.as_deref().unwrap_or("Untitled");
    html! {
        li {
            (link(item.link.as_deref(), title))
            p.soft {
                (item.source)
                @if let Some(at) = item.dated { " · " (time(Timestamp::from_unix(at.unix() as i64))) }
            }
            @if !item.because.is_empty() {
                p.soft {
                    "because "
                    @for (index, test) in item.because.iter().enumerate() {
                        @if index > 0 { ", " }
                        code { (test) }
                    }
                }
            }
        }
    }
}

fn sources(sources: &[TriedSource]) -> Markup {
    html! {
        details open[sources.len() <= 10] {
            summary { "By source" }
            div.wide {
                table {
                    thead {
                        tr {
                            th scope="col" { "Source" }
                            th.number scope="col" { "Found" }
                            th.number scope="col" { "Looked at" }
                        }
                    }
                    tbody {
                        @for one in sources {
                            tr {
                                th scope="row" title=(one.url) {
                                    (one.title.as_deref().unwrap_or(&one.url))
                                }
                                td.number title=(of_all(one.found, one.examined)) { (one.found) }
                                td.number { (one.examined) }
                            }
                        }
                    }
                }
            }
        }
    }
}

//! The page that our user agent names: what this node is, why it came, how to slow or stop it, and
//! what it did to whom.

use maud::{Markup, html};
use pergola_feed::Timestamp;
use pergola_manners::courtesy::Rules;

use crate::frame::{Frame, Place, Viewer};
use crate::words::{counted, time};

/// Hosts shown at a time.
const SHOWN: usize = 200;

/// How the node treats sites, as it is set up now.
pub struct Conduct {
    /// The user agent that it sends.
    pub agent: String,
    /// How a site is treated that the configuration does not name.
    pub usual: Rules,
    /// How the host is treated that was asked for, if that is different.
    pub here: Option<Rules>,
    /// Seconds between two requests to one domain.
    pub spacing: f64,
    /// Requests to one domain at the same time.
    pub parallel: u32,
    /// Requests a minute to all sites together, on average.
    pub per_minute: f64,
    /// How the operator can be reached: an address of the web or a mail address.
    pub contact: Option<String>,
}

/// What was done to a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostRow {
    pub host: String,
    /// Requests made.
    pub requests: u64,
    /// … answered by 304.
    pub not_modified: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Answers that asked us to wait.
    pub pauses: u64,
    /// Answers or documents that said when to come back.
    pub hints: u64,
    /// When the last request was made.
    pub last: Timestamp,
}

/// What was done to which host, as far as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Ledger {
    /// The host that was asked for, or nothing.
    wanted: String,
    /// How many hosts match.
    matching: usize,
    /// The last visited ones of them.
    rows: Vec<HostRow>,
}

impl Ledger {
    /// Keeps the rows of a host and of those below it; of all hosts without one.
    pub fn new(wanted: &str, mut rows: Vec<HostRow>) -> Self {
        let wanted = host_of(wanted);
        let below = format!(".{wanted}");
        rows.retain(|row| wanted.is_empty() || row.host == wanted || row.host.ends_with(&below));
        rows.sort_by_key(|row| std::cmp::Reverse(row.last));
        let matching = rows.len();
        rows.truncate(SHOWN);
        Self { wanted, matching, rows }
    }

    /// The host that was asked for, or nothing.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }
}

/// The host in what somebody typed, who may have typed an address.
fn host_of(typed: &str) -> String {
    let typed = typed.trim().to_lowercase();
    let rest = typed.split_once("://").map_or(typed.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or("");
    host.chars().take(253).collect()
}

/// The contact page.
/// `host` is where the node is reached.
pub fn page(node: &str, host: Option<&str>, conduct: &Conduct, ledger: &Ledger) -> Markup {
    let title = format!("About {node}");
    let content = html! {
        h1 { (title) }
        p {
            "This is a node of Pergola, a syndication mesh. It reads feeds and pages, keeps the items \
             that its users' queries ask for, and publishes them as new feeds under their original \
             ids, authors and sources."
        }
        h2 { "Why it refreshed your site" }
        p {
            "Somebody here subscribed to a feed or a page of yours. The node learns when you publish and \
             asks conditionally. Its user agent is " code { (conduct.agent) }
            ", with the number of feeds that read the address."
        }
        (pace(conduct, ledger))
        (advice(&conduct.usual))
        h2 { "Who runs it" }
        (operator(host, conduct.contact.as_deref()))
        (table(ledger))
    };
    let frame =
        Frame { title: &title, root: "./", place: Some(Place::About), viewer: Viewer::Anybody };
    frame.page(html! {}, content)
}

/// How often the node comes: what is configured, in words.
fn pace(conduct: &Conduct, ledger: &Ledger) -> Markup {
    let Conduct { usual, here, spacing, parallel, per_minute, .. } = conduct;
    let budget = format!("{per_minute:.3}");
    let budget = budget.trim_end_matches('0').trim_end_matches('.');
    html! {
        h2 { "How often it comes" }
        ul {
            li { (floors(usual)) }
            @if let Some(rules) = here {
                li { "Its operator has chosen otherwise for " strong { (ledger.wanted) } ". " (floors(rules)) }
            }
            li { "To all sites together it sends " (budget) " requests a minute at most, on average." }
            li {
                "To one domain it sends " (counted(u64::from(*parallel), "request")) " at a time"
                @if *spacing > 0.0 { ", with a pause of " (interval(*spacing)) " before the next" }
                "."
            }
            li {
                "Other nodes of Pergola limit their readers themselves, and are read more often. A refresh that \
                 the operator asks for by hand may come sooner."
            }
        }
    }
}

/// The shortest time between two refreshes of an address.
fn floors(rules: &Rules) -> Markup {
    let (new, known) = (rules.floor, rules.floor_with_evidence);
    html! {
        @if new <= 0.0 {
            "It comes to an address whenever that seems worth it: no shortest interval is set."
        } @else if known >= new {
            "It comes to an address at most once in " (interval(new)) ", mostly far less often."
        } @else {
            "It comes to an address at most once in " (interval(new)) ", or "
            @if known > 0.0 { "once in " (interval(known)) } @else { "as often as seems worth it" }
            " if you publish that often or your feed asks for it; mostly far less often."
        }
    }
}

/// A length of time in words: in the largest unit that leaves no fraction.
fn interval(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"), (1.0, "second")];
    let whole = |unit: &&(f64, &str)| seconds >= unit.0 && seconds % unit.0 == 0.0;
    match UNITS.iter().find(whole) {
        Some((unit, name)) => counted((seconds / unit) as u64, name),
        None if seconds < 1.0 => counted((seconds * 1000.0).round() as u64, "millisecond"),
        None => format!("{seconds:.1} seconds"),
    }
}

fn advice(rules: &Rules) -> Markup {
    html! {
        h2 { "How to slow it or stop it" }
        ul {
            li { code { "429" } " or " code { "503" } " with " code { "Retry-After" }
                ": it stays away for that long, up to " (interval(rules.retry_after_cap))
                ", and does not try in between." }
            li { code { "Cache-Control: max-age" } ", " code { "Expires" } ", RSS " code { "ttl" } ", "
                code { "skipHours" } ", " code { "skipDays" } " and " code { "sy:updatePeriod" }
                ": it comes back no earlier, for up to " (interval(rules.hint_cap)) "." }
            li { code { "ETag" } " and " code { "Last-Modified" }
                ": it sends them back, so that an unchanged feed costs you a 304." }
            li { code { "301" } " or " code { "308" } ": it moves to the new address once that was named for "
                (interval(rules.adopt_after)) "." }
            li { code { "410" } ": it stops for good. " code { "404" }
                ": it comes back more and more rarely, at last once in " (interval(rules.backoff_cap)) "." }
            li { code { "403" } ": " (rules.forbidden_burst)
                " in a row are taken as a request to stay away." }
            li { code { "robots.txt" } ": pages that are not feeds are read only where it allows "
                code { "Pergola" } ". Feeds are published to be fetched, so it is not asked about them." }
        }
    }
}

fn operator(host: Option<&str>, contact: Option<&str>) -> Markup {
    let web = |contact: &&str| contact.starts_with("http://") || contact.starts_with("https://");
    html! {
        @match contact {
            Some(page) if web(&page) => p { "Its operator can be reached at " a href=(page) { (page) } "." },
            Some(mail) if mail.contains('@') => p {
                "Its operator can be reached at "
                a href={ "mailto:" (mail.trim_start_matches("mailto:")) } {
                    (mail.trim_start_matches("mailto:"))
                } "."
            },
            Some(other) => p { "Its operator can be reached at " (other) "." },
            None => p {
                "Its operator has left no address of their own; whoever answers for "
                code { (host.unwrap_or("this host")) } " can help."
            },
        }
    }
}

fn table(ledger: &Ledger) -> Markup {
    html! {
        h2 #ledger { "What it did to each host" }
        form method="get" action="about#ledger" {
            label for="host" { "Host " }
            input #host name="host" value=(ledger.wanted) placeholder="example.org" autocapitalize="off";
            " "
            button { "Show" }
        }
        @if ledger.rows.is_empty() {
            p.soft {
                @if ledger.wanted.is_empty() { "No host was asked for anything yet." }
                @else { "This node never asked " (ledger.wanted) " for anything." }
            }
        } @else {
            p.soft {
                (counted(ledger.matching as u64, "host"))
                @if ledger.matching > ledger.rows.len() { ", the last " (ledger.rows.len()) " visited" }
                ". Pauses and hints are those that the host asked for; all were obeyed."
            }
            div.wide tabindex="0" role="region" aria-labelledby="ledger" {
                table {
                    thead { tr {
                        th scope="col" { "Host" }
                        @for head in ["Requests", "304", "Bytes", "Pauses", "Hints"] {
                            th.number scope="col" { (head) }
                        }
                        th scope="col" { "Last request" }
                    } }
                    tbody { @for one in &ledger.rows { (row(one)) } }
                }
            }
        }
    }
}

fn row(row: &HostRow) -> Markup {
    let share = 100.0 * row.not_modified as f64 / row.requests.max(1) as f64;
    html! {
        tr {
            th scope="row" { (row.host) }
            td.number { (row.requests) }
            td.number { (format!("{share:.0} %")) }
            td.number { (row.bytes) }
            td.number { (row.pauses) }
            td.number { (row.hints) }
            td { (time(row.last)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_told_in_the_largest_unit_without_a_fraction() {
        for (seconds, words) in [
            (0.5, "500 milliseconds"),
            (1.0, "1 second"),
            (2.5, "2.5 seconds"),
            (90.0, "90 seconds"),
            (900.0, "15 minutes"),
            (3_600.0, "1 hour"),
            (5_400.0, "90 minutes"),
            (604_800.0, "7 days"),
        ] {
            assert_eq!(interval(seconds), words);
        }
    }
}

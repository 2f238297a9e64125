//! The page that our user agent names: what this node is, why it came, how to slow or stop it, and
//! what it did to whom.

use maud::{Markup, html};
use pergola_feed::Timestamp;
use pergola_store::archive::{Archive, ArchiveError, HostTally};

use super::{counted, layout, time};
use crate::publish::Imprint;

/// Hosts shown at a time.
const SHOWN: usize = 200;

/// What was done to which host, as far as it is shown.
pub(crate) struct Ledger {
    /// The host that was asked for, or nothing.
    wanted: String,
    /// How many hosts match.
    matching: usize,
    /// The last visited ones of them.
    rows: Vec<(String, HostTally)>,
}

impl Ledger {
    /// Reads the rows of a host and of those below it; of all hosts without one. Blocks.
    pub(crate) fn read(archive: &Archive, wanted: &str) -> Result<Self, ArchiveError> {
        let wanted = host_of(wanted);
        let below = format!(".{wanted}");
        let mut rows = archive.hosts()?;
        rows.retain(|(host, _)| wanted.is_empty() || *host == wanted || host.ends_with(&below));
        rows.sort_by(|a, b| b.1.last.total_cmp(&a.1.last));
        let matching = rows.len();
        rows.truncate(SHOWN);
        Ok(Self { wanted, matching, rows })
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
pub(crate) fn page(imprint: &Imprint, contact: Option<&str>, ledger: &Ledger) -> Markup {
    let title = format!("About {}", imprint.name);
    let content = html! {
        h1 { (title) }
        p {
            "This is a node of Pergola, a syndication mesh. It reads feeds and pages, keeps the items \
             that its users' queries ask for, and publishes them as new feeds under their original \
             ids, authors and sources."
        }
        h2 { "Why it refreshed your site" }
        p {
            "Somebody here subscribed to a feed or a page of yours. The node asks as seldom as it can: it learns \
             when you publish, asks conditionally, and comes at most once in fifteen minutes to \
             an address, mostly far less often. It calls itself "
            code { "Pergola/" (env!("CARGO_PKG_VERSION")) } " and names this page."
        }
        (advice())
        h2 { "Who runs it" }
        (operator(imprint, contact))
        (table(ledger))
    };
    layout(&title, "./", html! {}, content)
}

fn advice() -> Markup {
    html! {
        h2 { "How to slow it or stop it" }
        ul {
            li { code { "429" } " or " code { "503" } " with " code { "Retry-After" }
                ": it stays away for that long, up to 31 days, and does not try in between." }
            li { code { "Cache-Control: max-age" } ", " code { "Expires" } ", RSS " code { "ttl" } ", "
                code { "skipHours" } ", " code { "skipDays" } " and " code { "sy:updatePeriod" }
                ": it comes back no earlier." }
            li { code { "ETag" } " and " code { "Last-Modified" }
                ": it sends them back, so that an unchanged feed costs you a 304." }
            li { code { "301" } " or " code { "308" } ": it moves to the new address." }
            li { code { "410" } ": it stops for good. " code { "404" }
                ": it comes back more and more rarely, at last once a week." }
            li { code { "robots.txt" } ": pages that are not feeds are read only where it allows "
                code { "Pergola" } ". Feeds are published to be fetched, so it is not asked about them." }
            li { code { "403" } ": several in a row are taken as a request to stay away." }
        }
    }
}

fn operator(imprint: &Imprint, contact: Option<&str>) -> Markup {
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
                code { (imprint.public_url.host_str().unwrap_or("this host")) } " can help."
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
                    tbody { @for (host, tally) in &ledger.rows { (row(host, tally)) } }
                }
            }
        }
    }
}

fn row(host: &str, tally: &HostTally) -> Markup {
    let share = 100.0 * tally.not_modified as f64 / tally.requests.max(1) as f64;
    html! {
        tr {
            th scope="row" { (host) }
            td.number { (tally.requests) }
            td.number { (format!("{share:.0} %")) }
            td.number { (tally.bytes) }
            td.number { (tally.pauses) }
            td.number { (tally.hints) }
            td { (time(Timestamp::from_unix(tally.last as i64))) }
        }
    }
}

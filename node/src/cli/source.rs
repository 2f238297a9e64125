//! `pergola source`: what is crawled.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::client::Client;
use super::screen::{
    Cell, Column, Screen, Tone, count, facts, harmless, percent, relative, size, table,
};
use crate::peer::Cooperation;

/// Sources in one answer.
const AT_ONCE: usize = 500;

/// What is crawled.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml\n  pergola \
                        source list --failing")]
pub(super) enum Command {
    /// Crawl a feed, a page or an OPML list from now on
    #[command(after_help = "Example:\n  pergola source add https://example.org/feed.xml --title \
                            News\n  pergola source add https://example.org/list.opml --list\n  \
                            pergola source add https://example.org/news --item article --link 'h2 a'\n  \
                            pergola source add https://feeds.example.org/feeds/Volcanoes \
                            --cooperate watch,archive")]
    Add(Box<Add>),
    /// Show what is crawled
    #[command(after_help = "Example:\n  pergola source list --failing")]
    List(List),
    /// Show how one source stands
    #[command(after_help = "Example:\n  pergola source show 12\n  pergola source show \
                            https://example.org/feed.xml")]
    Show(Which),
    /// Crawl a source no more
    #[command(after_help = "Example:\n  pergola source remove 12")]
    Remove(Which),
    /// Look at a source now
    #[command(after_help = "Example:\n  pergola source refresh 12")]
    Refresh(Which),
}

/// A new source.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// Where it is
    url: Url,
    /// What to call it [default: as it calls itself]
    #[arg(long)]
    title: Option<String>,
    /// How much more it matters than other sources [default: 1]
    #[arg(long, value_name = "FACTOR")]
    importance: Option<f64>,
    /// It is an OPML list: crawl what it names
    #[arg(long, conflicts_with = "item")]
    list: bool,
    /// What to ask of it if another node publishes it: hints, watch, archive, or '' for nothing but
    /// its newest window [default: as peers.cooperate in the configuration says]
    #[arg(long, value_name = "WAYS")]
    cooperate: Option<Cooperation>,
    #[command(flatten)]
    page: Page,
    /// Do not look at it first; it is kept even if it turns out to be no feed
    #[arg(long)]
    no_look: bool,
}

/// How to read a page that is no feed.
#[derive(Debug, Args, Serialize)]
#[command(next_help_heading = "For a page that is no feed")]
struct Page {
    /// One match for each item; the others are looked for inside of it
    #[arg(long, value_name = "CSS")]
    item: Option<String>,
    /// The item's title [default: the text of its link]
    #[arg(long = "item-title", value_name = "CSS", requires = "item")]
    #[serde(rename = "title", skip_serializing_if = "Option::is_none")]
    item_title: Option<String>,
    /// The item's link [default: its first one]
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The item's date
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// The item's content
    #[arg(long, value_name = "CSS", requires = "item")]
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// Which sources to show.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Only those that fail
    #[arg(long)]
    failing: bool,
    /// Only those with this in their address or title
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

/// One source.
#[derive(Debug, Args)]
pub(super) struct Which {
    /// Its number or its address
    source: String,
}

/// What is shown of a source.
#[derive(Debug, Deserialize)]
struct Source {
    id: u32,
    url: String,
    title: Option<String>,
    kind: String,
    standing: String,
    trouble: Option<String>,
    importance: f64,
    readers: u32,
    last_look: Option<f64>,
    next_look: Option<f64>,
    items_per_day: f64,
    requests: u64,
    not_modified: u64,
    failures: u64,
    bytes: u64,
    items: u64,
    completeness: f64,
    freshness: f64,
    #[serde(default, rename = "loop")]
    way_back: Option<Vec<String>>,
    via: String,
    peer: Option<Peer>,
}

/// What is shown of the node that publishes a source.
#[derive(Debug, Deserialize)]
struct Peer {
    node: Option<String>,
    name: Option<String>,
    feed: String,
    cooperate: Vec<String>,
    watched: bool,
    cursor_at: Option<f64>,
    http_until: Option<f64>,
    http_because: Option<String>,
}

/// What came of a look.
#[derive(Debug, Deserialize)]
struct Report {
    outcome: Value,
    new_items: u64,
    trouble: Option<String>,
    next_look: Option<f64>,
}

/// What a hub does for a source.
#[derive(Debug, Deserialize)]
struct Push {
    hub: String,
    active: bool,
    trusted: bool,
    lease_until: Option<f64>,
    trouble: Option<String>,
    pushes: u64,
    items: u64,
    missed: u64,
    forged: u64,
    failures: u64,
}

/// A look in the past.
#[derive(Debug, Deserialize)]
struct Look {
    at: f64,
    outcome: Value,
    failure: Option<Value>,
    new_items: u64,
    bytes: u64,
}

pub(super) async fn run(command: Command, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    match command {
        Command::Add(new) => add(*new, client, screen).await,
        Command::List(which) => list(which, client, screen).await,
        Command::Show(Which { source }) => {
            let answer = client.get(&["sources", &source], &[]).await?.json().await?;
            screen.show(&answer, || shown(&answer, screen))
        }
        Command::Remove(Which { source }) => {
            client.delete(&["sources", &source]).await?;
            screen.show(&json!({ "removed": source }), || {
                Ok(format!("source {} is crawled no more\n", harmless(&source)))
            })
        }
        Command::Refresh(Which { source }) => {
            let answer = client.post(&["sources", &source, "refresh"], &json!({})).await?;
            screen.show(&answer, || {
                Ok(reported(&Report::deserialize(&answer["report"])?, screen.now))
            })
        }
    }
}

async fn add(new: Add, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut body = json!({ "url": new.url, "look": !new.no_look, "list": new.list });
    if let Some(title) = new.title {
        body["title"] = title.into();
    }
    if let Some(importance) = new.importance {
        body["importance"] = importance.into();
    }
    if let Some(cooperate) = new.cooperate {
        body["cooperate"] = cooperate.names().into();
    }
    if new.page.item.is_some() {
        body["page"] = serde_json::to_value(&new.page)?;
    }
    let answer = client.post(&["sources"], &body).await?;
    screen.show(&answer, || {
        let source = Source::deserialize(&answer["source"])?;
        let name = harmless(source.title.as_deref().unwrap_or(&source.url));
        let report = Option::<Report>::deserialize(&answer["report"])?;
        let report = report.map(|report| reported(&report, screen.now)).unwrap_or_default();
        Ok(format!("source {}: {name}\n{report}", source.id))
    })
}

async fn list(which: List, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut all: Vec<Value> = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let mut query = vec![("limit", AT_ONCE.to_string())];
        query.extend(after.take().map(|after| ("after", after)));
        query.extend(which.failing.then(|| ("standing", "failing".to_owned())));
        query.extend(which.search.clone().map(|text| ("search", text)));
        let mut answer = client.get(&["sources"], &query).await?.json().await?;
        let page = Vec::<Value>::deserialize(answer["sources"].take())?;
        all.extend(page);
        match answer["next"].as_u64() {
            Some(next) => after = Some(next.to_string()),
            None => break,
        }
    }
    let document = json!({ "sources": all });
    screen.show(&document, || {
        let rows: Result<Vec<Vec<Cell>>, _> =
            all.iter().map(|source| Source::deserialize(source).map(|s| row(&s, screen))).collect();
        let columns = [
            Column::Number("id"),
            Column::Text("source"),
            Column::Word("standing"),
            Column::Word("via"),
            Column::Number("items"),
            Column::Word("last look"),
            Column::Word("next look"),
            Column::Text("trouble"),
        ];
        let nothing = match which.failing {
            true => "no source fails",
            false => "no sources; `pergola source add URL` adds one",
        };
        Ok(table(screen, &columns, &rows?, nothing))
    })
}

fn row(source: &Source, screen: &Screen) -> Vec<Cell> {
    vec![
        source.id.to_string().into(),
        source.title.as_deref().unwrap_or(&source.url).into(),
        standing(&source.standing),
        source.via.as_str().into(),
        source.items.to_string().into(),
        relative(source.last_look, screen.now).into(),
        soon(source.next_look, screen.now).into(),
        source.trouble.as_deref().unwrap_or_default().into(),
    ]
}

/// When something comes that waits for its turn once its time has passed.
fn soon(at: Option<f64>, now: f64) -> String {
    relative(at.map(|at| at.max(now)), now)
}

fn standing(standing: &str) -> Cell {
    let tone = match standing {
        "well" => Tone::Good,
        "paused" | "ended" => Tone::Careful,
        "failing" => Tone::Bad,
        _ => Tone::Plain,
    };
    Cell::toned(standing, tone)
}

fn shown(answer: &Value, screen: &Screen) -> anyhow::Result<String> {
    let source = Source::deserialize(&answer["source"])?;
    let requests = format!(
        "{} ({} unchanged, {} failed), {}",
        source.requests,
        source.not_modified,
        source.failures,
        size(source.bytes)
    );
    let formerly = Vec::<String>::deserialize(&answer["formerly"]).unwrap_or_default();
    let push = Option::<Push>::deserialize(&answer["push"])?;
    let (hub, told) = push.map(|push| pushed(&push, screen.now)).unwrap_or_default();
    let mut text = facts(
        screen,
        &[
            ("source", source.id.to_string().into()),
            ("address", source.url.into()),
            ("formerly", formerly.join(", ").into()),
            ("title", source.title.unwrap_or_default().into()),
            ("kind", source.kind.into()),
            ("read via", read_via(&source.via, source.peer.as_ref(), screen.now).into()),
            ("standing", standing(&source.standing)),
            ("trouble", source.trouble.unwrap_or_default().into()),
            ("loop", Cell::toned(&source.way_back.unwrap_or_default().join(" → "), Tone::Careful)),
            ("importance", source.importance.to_string().into()),
            ("read by", count(source.readers.into(), "feed").into()),
            ("last look", relative(source.last_look, screen.now).into()),
            ("next look", soon(source.next_look, screen.now).into()),
            ("items", format!("{}, about {:.1} a day", source.items, source.items_per_day).into()),
            ("requests", requests.into()),
            ("hub", hub.into()),
            ("pushed", told.into()),
            ("completeness", percent(source.completeness).into()),
            ("freshness", percent(source.freshness).into()),
        ],
    );
    let looks = Vec::<Look>::deserialize(&answer["recent"])?;
    if !looks.is_empty() {
        let columns = [
            Column::Word("look"),
            Column::Word("outcome"),
            Column::Number("new"),
            Column::Number("size"),
            Column::Text("failure"),
        ];
        let rows: Vec<Vec<Cell>> = looks.iter().rev().map(|look| past(look, screen.now)).collect();
        text.push('\n');
        text.push_str(&table(screen, &columns, &rows, ""));
    }
    Ok(text)
}

/// How a hub stands, and how it has done.
fn pushed(push: &Push, now: f64) -> (String, String) {
    let standing = match (push.active, push.trusted) {
        (true, true) => "trusted",
        (true, false) => "agreed, not yet proved",
        (false, _) => "not agreed",
    };
    let mut hub = format!("{} ({standing}", harmless(&push.hub));
    if let Some(until) = push.lease_until {
        hub.push_str(&format!(", lease ends {}", relative(Some(until), now)));
    }
    hub.push(')');
    if let Some(trouble) = &push.trouble {
        hub.push_str(&format!("; {}", harmless(trouble)));
    }
    let Push { pushes, items, missed, forged, failures, .. } = push;
    let told = format!(
        "{} in {}, {missed} missed, {forged} with a wrong signature, {}",
        count(*items, "item"),
        count(*pushes, "document"),
        count(*failures, "failure")
    );
    (hub, told)
}

/// How a source is read, and from whom.
fn read_via(via: &str, peer: Option<&Peer>, now: f64) -> String {
    let Some(peer) = peer else { return via.to_owned() };
    let node = peer.name.as_deref().or(peer.node.as_deref()).unwrap_or("a node");
    let mut text = format!("{via}: feed {} of {}", harmless(&peer.feed), harmless(node));
    let ways = peer.cooperate.join(", ");
    text.push_str(&format!("; asks for {}", if ways.is_empty() { "nothing more" } else { &ways }));
    if peer.watched {
        text.push_str("; is told of news at once");
    }
    if peer.cursor_at.is_some() {
        text.push_str(&format!("; last news {}", relative(peer.cursor_at, now)));
    }
    if let Some(because) = &peer.http_because {
        let until = relative(peer.http_until, now);
        text.push_str(&format!("; gRPC is tried again {until} ({})", harmless(because)));
    }
    text
}

fn past(look: &Look, now: f64) -> Vec<Cell> {
    vec![
        relative(Some(look.at), now).into(),
        words(&look.outcome).into(),
        look.new_items.to_string().into(),
        size(look.bytes).into(),
        look.failure.as_ref().map(words).unwrap_or_default().into(),
    ]
}

fn reported(report: &Report, now: f64) -> String {
    let mut text = format!("{}: {}", words(&report.outcome), count(report.new_items, "new item"));
    if let Some(trouble) = &report.trouble {
        text.push_str(&format!("; {}", harmless(trouble)));
    }
    if report.next_look.is_some() {
        text.push_str(&format!("; next look {}", soon(report.next_look, now)));
    }
    text.push('\n');
    text
}

/// A value that is a word, as one.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), harmless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hub_does_is_said_in_two_lines() {
        let push = Push {
            hub: "https://hub.example/".into(),
            active: true,
            trusted: true,
            lease_until: Some(3_600.0),
            trouble: None,
            pushes: 2,
            items: 5,
            missed: 1,
            forged: 0,
            failures: 1,
        };
        let (hub, told) = pushed(&push, 0.0);
        assert!(hub.starts_with("https://hub.example/ (trusted, lease ends in "), "{hub}");
        assert_eq!(told, "5 items in 2 documents, 1 missed, 0 with a wrong signature, 1 failure");
        let refused = Push {
            active: false,
            lease_until: None,
            trouble: Some("the hub answered 500".into()),
            ..push
        };
        let expected = "https://hub.example/ (not agreed); the hub answered 500";
        assert_eq!(pushed(&refused, 0.0).0, expected);
    }
}

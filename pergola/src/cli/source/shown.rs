//! A source as people see it: a row of a list, or everything that is known of it.

use serde::Deserialize;
use serde_json::Value;

use crate::cli::screen::{
    Cell, Column, Screen, Tone, count, facts, harmless, percent, relative, size, table,
};

/// What is shown of a source.
#[derive(Debug, Deserialize)]
pub(super) struct Source {
    pub(super) id: u32,
    pub(super) url: String,
    pub(super) title: Option<String>,
    kind: String,
    standing: String,
    trouble: Option<String>,
    importance: f64,
    readers: u32,
    last_refresh: Option<f64>,
    next_refresh: Option<f64>,
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

/// What came of a refresh.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    outcome: Value,
    new_items: u64,
    trouble: Option<String>,
    next_refresh: Option<f64>,
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

/// A refresh in the past.
#[derive(Debug, Deserialize)]
struct PastRefresh {
    at: f64,
    outcome: Value,
    failure: Option<Value>,
    new_items: u64,
    bytes: u64,
}

pub(super) fn row(source: &Source, screen: &Screen) -> Vec<Cell> {
    vec![
        source.id.to_string().into(),
        source.title.as_deref().unwrap_or(&source.url).into(),
        standing(&source.standing),
        source.via.as_str().into(),
        source.items.to_string().into(),
        relative(source.last_refresh, screen.now).into(),
        soon(source.next_refresh, screen.now).into(),
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

pub(super) fn shown(answer: &Value, screen: &Screen) -> anyhow::Result<String> {
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
            ("last refresh", relative(source.last_refresh, screen.now).into()),
            ("next refresh", soon(source.next_refresh, screen.now).into()),
            ("items", format!("{}, about {:.1} a day", source.items, source.items_per_day).into()),
            ("requests", requests.into()),
            ("hub", hub.into()),
            ("pushed", told.into()),
            ("completeness", percent(source.completeness).into()),
            ("freshness", percent(source.freshness).into()),
        ],
    );
    let refreshes = Vec::<PastRefresh>::deserialize(&answer["recent"])?;
    if !refreshes.is_empty() {
        let columns = [
            Column::Word("refresh"),
            Column::Word("outcome"),
            Column::Number("new"),
            Column::Number("size"),
            Column::Text("failure"),
        ];
        let rows: Vec<Vec<Cell>> =
            refreshes.iter().rev().map(|refresh| past(refresh, screen.now)).collect();
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

fn past(refresh: &PastRefresh, now: f64) -> Vec<Cell> {
    vec![
        relative(Some(refresh.at), now).into(),
        words(&refresh.outcome).into(),
        refresh.new_items.to_string().into(),
        size(refresh.bytes).into(),
        refresh.failure.as_ref().map(words).unwrap_or_default().into(),
    ]
}

pub(super) fn reported(report: &Report, now: f64) -> String {
    let mut text = format!("{}: {}", words(&report.outcome), count(report.new_items, "new item"));
    if let Some(trouble) = &report.trouble {
        text.push_str(&format!("; {}", harmless(trouble)));
    }
    if report.next_refresh.is_some() {
        text.push_str(&format!("; next refresh {}", soon(report.next_refresh, now)));
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

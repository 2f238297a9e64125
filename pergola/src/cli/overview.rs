//! `pergola status` and `pergola healthcheck`: how the node stands.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Client, Place};
use super::failure::Failure;
use super::screen::{Cell, Screen, Tone, facts, harmless, percent, size, span};
use super::settings::Settings;

/// Time for a healthy node to say so.
const PATIENCE: Duration = Duration::from_secs(4);

#[derive(Debug, Deserialize)]
struct Status {
    version: String,
    name: String,
    uptime: f64,
    sources: u64,
    feeds: u64,
    threshold: f64,
    budget_per_minute: f64,
    refreshes: u64,
    unchanged: u64,
    failed: u64,
    items: u64,
    lost: f64,
    bytes: u64,
    freshness: f64,
    completeness: f64,
    waiting: u64,
    in_flight: u64,
    store: String,
    store_bytes: u64,
    notices: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Unready {
    reasons: Vec<String>,
}

/// Shows how the node stands.
pub(super) async fn status(client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut answer = client.get(&["status"], &[]).await?.json().await?;
    answer["running"] = client.is_running().into();
    screen.show(&answer, || shown(&answer, client.is_running(), screen))
}

fn shown(answer: &Value, running: bool, screen: &Screen) -> anyhow::Result<String> {
    let status = Status::deserialize(answer)?;
    let node = format!("{} (pergola {})", status.name, status.version);
    let state = match running {
        true => Cell::toned(&format!("running for {}", span(status.uptime)), Tone::Good),
        false => Cell::toned("not running: this is the data folder itself", Tone::Careful),
    };
    let refreshes = format!(
        "{} ({} unchanged, {} failed), {}",
        status.refreshes,
        status.unchanged,
        status.failed,
        size(status.bytes)
    );
    let queue = format!("{} waiting, {} on the way", status.waiting, status.in_flight);
    let since = |text: String| if running { text } else { String::new() };
    let mut text = facts(
        screen,
        &[
            ("node", node.into()),
            ("state", state),
            ("sources", status.sources.to_string().into()),
            ("feeds", status.feeds.to_string().into()),
            ("budget", format!("{:.1} refreshes a minute", status.budget_per_minute).into()),
            ("threshold", format!("{:.2e}", status.threshold).into()),
            ("refreshes", since(refreshes).into()),
            ("queue", since(queue).into()),
            ("items", since(format!("{} (about {:.0} lost)", status.items, status.lost)).into()),
            ("freshness", percent(status.freshness).into()),
            ("completeness", since(percent(status.completeness)).into()),
            ("store", format!("{}, {}", status.store, size(status.store_bytes)).into()),
        ],
    );
    for notice in &status.notices {
        text.push_str(&format!("notice: {}\n", harmless(notice)));
    }
    Ok(text)
}

/// Says whether the node is ready, by the exit code.
pub(super) async fn healthcheck(settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let Place::At { base, network, .. } = Place::find(settings).await? else {
        return Err(Failure::new("no node uses the data folder")
            .hint("`pergola run` starts one; --node says where another is")
            .into());
    };
    let (ready, said) = network.probe(&base, "readyz", PATIENCE).await?;
    if !ready {
        let why = serde_json::from_str::<Unready>(&said).map(|unready| unready.reasons.join("; "));
        let what = format!("the node is not ready: {}", harmless(&why.unwrap_or(said)));
        let hint = "its log says more; `pergola status` shows how it stands";
        return Err(Failure::new(what).hint(hint).into());
    }
    screen.show(&json!({ "ready": true }), || Ok("ready\n".to_owned()))
}

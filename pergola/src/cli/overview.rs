//! `pergola status`, `pergola healthcheck` and `pergola doctor`.

use std::path::Path;
use std::time::Duration;

use pergola_api::operation::NodeStatus;
use serde_json::json;

use super::client::{Client, Target};
use super::failure::Failure;
use super::screen::{Cell, Screen, Tone, facts, harmless, known_percent, size, span};
use super::settings::Settings;
use crate::doctor::{self, Patient, Verdict};

/// Time for a healthy node to answer.
const PATIENCE: Duration = Duration::from_secs(4);

/// Shows the state of the node.
pub(super) async fn status(client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let status = NodeStatus { running: client.is_running(), ..client.status().await? };
    screen.show(&status, || shown(&status, client.folder(), screen))
}

/// The state of a running node, or of the data folder if none runs.
fn shown(status: &NodeStatus, folder: Option<&Path>, screen: &Screen) -> String {
    let node = format!("{} (pergola {})", status.name, status.version);
    let state = match folder {
        None => Cell::toned(&format!("running for {}", span(status.uptime)), Tone::Good),
        Some(folder) => {
            let folder = folder.display();
            let text = format!("no node is running here; reading {folder} directly");
            Cell::toned(&text, Tone::Warning)
        }
    };
    let refreshes = format!(
        "{} ({} unchanged, {} failed), {}",
        status.refreshes,
        status.unchanged,
        status.failed,
        size(status.bytes)
    );
    let queue = format!("{} waiting, {} under way", status.waiting, status.in_flight);
    let since = |text: String| if folder.is_none() { text } else { String::new() };
    let mut text = facts(
        screen,
        [
            ("node", node.into()),
            ("state", state),
            ("sources", status.sources.to_string().into()),
            ("feeds", status.feeds.to_string().into()),
            ("budget", format!("{:.1} refreshes a minute", status.budget_per_minute).into()),
            ("threshold", format!("{:.2e}", status.threshold).into()),
            ("refreshes", since(refreshes).into()),
            ("queue", since(queue).into()),
            ("items", since(format!("{} (about {:.0} lost)", status.items, status.lost)).into()),
            ("freshness", known_percent(status.freshness).into()),
            ("completeness", since(known_percent(status.completeness)).into()),
            ("store", format!("{}, {}", status.store, size(status.store_bytes)).into()),
        ],
    );
    for notice in &status.notices {
        text.push_str(&format!("notice: {}\n", harmless(notice)));
    }
    text
}

/// Fails unless the node is ready.
pub(super) async fn healthcheck(settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let client = match Target::find(settings).await? {
        Target::Running(client) => client,
        Target::Folder(config) => return Err(no_node(&config.node.data).into()),
    };
    let late = |_| Failure::new(format!("the node did not answer within {} s", PATIENCE.as_secs()));
    let readiness = tokio::time::timeout(PATIENCE, client.ready()).await.map_err(late)??;
    if !readiness.ready {
        let why = harmless(&readiness.reasons.join("; "));
        let hint = "its log says more; `pergola status` shows its state";
        return Err(Failure::new(format!("the node is not ready: {why}")).hint(hint).into());
    }
    screen.show(&json!({ "ready": true }), || "ready\n".to_owned())
}

/// Examines the node, and fails if something needs attention.
pub(super) async fn doctor(args: doctor::Args, settings: &Settings) -> anyhow::Result<()> {
    let args = doctor::Args { json: settings.options.json, ..args };
    let config = settings.load()?;
    match doctor::run(args, config, patient(settings).await).await? {
        Verdict::Well => Ok(()),
        Verdict::Ailing | Verdict::Ill => {
            Err(Failure::new("something needs attention; see above").into())
        }
    }
}

/// The node that the doctor examines.
async fn patient(settings: &Settings) -> Patient {
    match Target::find(settings).await {
        Ok(Target::Running(client)) => Patient::Running(Box::new(client)),
        Ok(Target::Folder(_)) => Patient::Asleep,
        Err(error) => Patient::Silent { what: format!("{error:#}") },
    }
}

fn no_node(data: &Path) -> Failure {
    Failure::new(format!("no node uses the data folder {}", data.display()))
        .code("no-node")
        .hint("`pergola run` starts one; --node says where another one is")
}

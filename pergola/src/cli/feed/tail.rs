//! `pergola feed tail`: items as they come, until Ctrl-C.

use serde::Deserialize;
use serde_json::Value;

use crate::cli::client::Client;
use crate::cli::screen::{Screen, harmless, instant};

/// Items shown to begin with.
const NEWEST: usize = 10;
/// Items in one answer.
const AT_ONCE: usize = 100;
/// Seconds that a node holds its answer while there is nothing new.
const WAIT: u64 = 25;

/// Which feed, and from where.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Its name
    name: String,
    /// Begin after this number; 0 shows everything [default: the newest ten]
    #[arg(long, value_name = "NUMBER")]
    since: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Page {
    items: Vec<Value>,
    next: Option<u64>,
}

pub(super) async fn run(args: Args, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    tokio::select! {
        followed = follow(args, client, screen) => followed,
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}

async fn follow(args: Args, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut after = args.since;
    let mut wait = None;
    loop {
        let mut query = vec![];
        query.extend(after.map(|after| ("after", after.to_string())));
        query.extend(wait.map(|wait: u64| ("wait", wait.to_string())));
        let limit = if after.is_some() { AT_ONCE } else { NEWEST };
        query.push(("limit", limit.to_string()));
        let answer = client.get(&["feeds", &args.name, "items"], &query).await?.json().await?;
        let page = Page::deserialize(answer)?;
        for item in &page.items {
            screen.line(&if screen.json { item.to_string() } else { line(item) })?;
        }
        after = page.next.or(after).or(Some(0));
        let all_seen = page.items.len() < limit || args.since.is_none() && wait.is_none();
        if all_seen && !client.is_running() {
            // Nobody crawls, and waiting would keep the folder from a node that wants to start.
            return Ok(());
        }
        wait = all_seen.then_some(WAIT);
    }
}

/// When it came, what it is called and where it is.
fn line(item: &Value) -> String {
    let text = |key: &str| item[key].as_str().map(harmless).filter(|text| !text.is_empty());
    let at = item["at"].as_f64().map(instant).or_else(|| text("at")).unwrap_or_default();
    let title = text("title").unwrap_or_else(|| "(no title)".to_owned());
    match text("link") {
        Some(link) => format!("{at}  {title}  {link}"),
        None => format!("{at}  {title}"),
    }
}

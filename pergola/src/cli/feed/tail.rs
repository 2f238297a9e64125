//! `pergola feed tail`: items as they come, until Ctrl-C.

use pergola_api::item::{ItemRange, PublishedItem};

use crate::cli::client::Client;
use crate::cli::screen::{Screen, harmless, instant};

/// Items shown at the start.
const NEWEST: usize = 10;
/// Items in one response.
const AT_ONCE: usize = 100;
/// Seconds that the node waits for a new item before it answers.
const WAIT: f64 = 25.0;

/// Which feed, and from where.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The name of the feed
    name: String,
    /// Start after this number; 0 prints all items [default: print the newest ten]
    #[arg(long, value_name = "NUMBER")]
    since: Option<u64>,
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
        let limit = if after.is_some() { AT_ONCE } else { NEWEST };
        let range = ItemRange { after, limit: Some(limit), wait };
        let page = client.items(&args.name, &range).await?;
        for item in &page.items {
            let line = if screen.json { serde_json::to_string(item)? } else { line(item) };
            screen.line(&line)?;
        }
        after = Some(page.next);
        let all_seen = page.items.len() < limit || args.since.is_none() && wait.is_none();
        if all_seen && !client.is_running() {
            // Nobody crawls, and waiting would keep a node from opening the folder.
            return Ok(());
        }
        wait = all_seen.then_some(WAIT);
    }
}

/// When the item came, its title and its link.
fn line(item: &PublishedItem) -> String {
    let text =
        |text: &Option<String>| text.as_deref().map(harmless).filter(|text| !text.is_empty());
    let at = instant(item.at);
    let title = text(&item.title).unwrap_or_else(|| "(no title)".to_owned());
    match text(&item.link) {
        Some(link) => format!("{at}  {title}  {link}"),
        None => format!("{at}  {title}"),
    }
}

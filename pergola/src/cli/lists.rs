//! `pergola import` and `pergola export`: sources from other readers, and for them.

use std::path::PathBuf;

use anyhow::Context as _;
use serde::Deserialize;
use serde_json::json;

use super::client::Client;
use super::failure::Failure;
use super::screen::{Progress, Screen, count, harmless};

/// Sources that were refused and are named.
const NAMED: usize = 20;

/// Crawl everything that an OPML file names.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola import subscriptions.opml\n  pergola import \
                        subscriptions.opml --feed Everything")]
pub(super) struct Import {
    /// The file
    file: PathBuf,
    /// Publish all of it as a feed of this name, too
    #[arg(long, value_name = "NAME")]
    feed: Option<String>,
}

/// Write the sources as OPML.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola export subscriptions.opml\n  pergola export | less")]
pub(super) struct Export {
    /// The file [default: standard output]
    file: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Imported {
    new: u64,
    known: u64,
    skipped: Vec<Skipped>,
}

#[derive(Debug, Deserialize)]
struct Skipped {
    url: String,
    reason: String,
}

pub(super) async fn import(args: Import, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let opml = std::fs::read(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let mut body = json!({ "opml": String::from_utf8_lossy(&opml) });
    if let Some(feed) = &args.feed {
        body["feed"] = feed.as_str().into();
    }
    let progress = Progress::new("importing");
    let answer = client.post(&["opml"], &body).await?;
    drop(progress);
    screen.show(&answer, || {
        let imported = Imported::deserialize(&answer)?;
        let new = count(imported.new, "new source");
        let mut text = format!("{new}, {} known already\n", imported.known);
        for skipped in imported.skipped.iter().take(NAMED) {
            let (url, reason) = (harmless(&skipped.url), harmless(&skipped.reason));
            text.push_str(&format!("skipped {url}: {reason}\n"));
        }
        if imported.skipped.len() > NAMED {
            text.push_str(&format!("skipped {} more\n", imported.skipped.len() - NAMED));
        }
        Ok(text)
    })
}

pub(super) async fn export(args: Export, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let opml = client.get(&["opml"], &[]).await?.bytes().await?;
    let Some(file) = args.file else { return Ok(screen.bytes(&opml)?) };
    std::fs::write(&file, &opml)
        .with_context(|| Failure::new(format!("cannot write {}", file.display())))?;
    let written = json!({ "file": file, "bytes": opml.len() });
    screen.show(&written, || Ok(format!("written to {}\n", file.display())))
}

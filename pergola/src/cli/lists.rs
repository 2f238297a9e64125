//! `pergola import` and `pergola export`: OPML lists from and for other feed readers.

use std::path::PathBuf;

use anyhow::Context as _;
use pergola_api::operation::ImportRequest;
use serde_json::json;

use super::client::Client;
use super::failure::Failure;
use super::output::{Output, Overwrite};
use super::screen::{Progress, Screen, count, harmless};

/// Skipped entries that are named.
const NAMED: usize = 20;

/// Add all sources that an OPML file names
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola import subscriptions.opml\n  pergola import \
                        subscriptions.opml --feed Everything")]
pub(super) struct Import {
    /// The file
    file: PathBuf,
    /// Also create a feed of this name that reads them all
    #[arg(long, value_name = "NAME")]
    feed: Option<String>,
}

/// Write the sources as OPML
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola export subscriptions.opml\n  pergola export | less")]
pub(super) struct Export {
    /// The file; - is standard output
    #[arg(default_value = "-")]
    file: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

pub(super) async fn import(args: Import, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let opml = std::fs::read(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let opml = String::from_utf8_lossy(&opml).into_owned();
    let progress = Progress::new("importing");
    let imported = client.import_opml(&ImportRequest { opml, feed: args.feed }).await?;
    drop(progress);
    screen.show(&imported, || {
        let new = count(imported.new as u64, "new source");
        let mut text = format!("{new}, {} known already\n", imported.known);
        for skipped in imported.skipped.iter().take(NAMED) {
            let (url, reason) = (harmless(&skipped.url), harmless(&skipped.reason));
            text.push_str(&format!("skipped {url}: {reason}\n"));
        }
        if imported.skipped.len() > NAMED {
            text.push_str(&format!("skipped {} more\n", imported.skipped.len() - NAMED));
        }
        text
    })
}

pub(super) async fn export(args: Export, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut output = Output::open(&args.file, &args.overwrite)?;
    let opml = client.export_opml().await?;
    output.write(&opml)?;
    let Some(file) = output.finish()? else { return Ok(()) };
    let written = json!({ "file": file, "bytes": opml.len() });
    screen.show(&written, || format!("written to {}\n", file.display()))
}

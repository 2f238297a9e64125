//! `pergola import` and `pergola export`: OPML lists from and for other feed readers.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use anyhow::Context as _;
use pergola_api::operation::{ExportRequest, ImportRequest};
use serde_json::json;

use super::client::Client;
use super::failure::Failure;
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
    /// The file [default: standard output]
    file: Option<PathBuf>,
    /// Write private sources, users and passwords, and secrets in addresses, too: as a backup, not for others
    #[arg(long)]
    with_secrets: bool,
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
    let request = ExportRequest { secrets: args.with_secrets };
    let opml = client.export_opml(&request).await?;
    let Some(file) = args.file else { return Ok(screen.bytes(&opml)?) };
    std::fs::write(&file, &opml)
        .with_context(|| Failure::new(format!("cannot write {}", file.display())))?;
    if args.with_secrets {
        std::fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    }
    let written = json!({ "file": file, "bytes": opml.len() });
    screen.show(&written, || format!("written to {}\n", file.display()))
}

//! `pergola import` and `pergola export`: OPML lists from and for other feed readers.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pergola_api::operation::{ExportRequest, ImportRequest, Imported, SkippedEntry};
use pergola_feed::opml::Opml;
use serde_json::json;

use super::client::Client;
use super::failure::Failure;
use super::output::{Output, Overwrite};
use super::screen::{Progress, Screen, count, harmless};

/// Skipped entries that are named.
const NAMED: usize = 20;

/// Add all sources of an OPML file, in their folders
///
/// Sources that are there already keep their title, their importance and their folders. The command names
/// each entry that is not a source, imports the others, and exits with 1. Of a file that is cut off it imports
/// nothing. `pergola user import` reads other exports, also with starred and read items.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola import subscriptions.opml\n  pergola import \
                        subscriptions.opml --feed Everything --only-new")]
pub(super) struct Import {
    /// The OPML file
    file: PathBuf,
    /// Also create a feed of this name that reads them all
    #[arg(long, value_name = "NAME")]
    feed: Option<String>,
    /// Treat what new sources show at first as old: feeds get only what is published later
    #[arg(long)]
    only_new: bool,
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
    /// Write private sources, users and passwords, and secrets in addresses, too: as a backup, not for others
    #[arg(long)]
    with_secrets: bool,
}

pub(super) async fn import(args: Import, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let opml = std::fs::read(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let opml = text(&args.file, &opml)?;
    let progress = Progress::new("importing");
    let request = ImportRequest { opml, feed: args.feed, only_new: args.only_new };
    let imported = client.import_opml(&request).await?;
    drop(progress);
    screen.show(&imported, || report(&imported))?;
    match imported.skipped.len() {
        0 => Ok(()),
        skipped => Err(Failure::new(format!("{} not imported", were(skipped)))
            .hint("correct these entries and import the file again; the others are not added twice")
            .into()),
    }
}

/// The text of a list.
fn text(file: &Path, bytes: &[u8]) -> anyhow::Result<String> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if bytes.starts_with(b"PK") || matches!(first, Some(b'{' | b'[')) {
        let file = harmless(&file.display().to_string());
        let hint =
            format!("`pergola user import NAME {file}` reads ZIP files and JSON of other readers");
        return Err(Failure::new(format!("{file} is not an OPML file")).hint(hint).into());
    }
    Ok(Opml::text(bytes).into_owned())
}

fn were(entries: usize) -> String {
    if entries == 1 { "1 entry was".to_owned() } else { format!("{entries} entries were") }
}

/// What an import did.
fn report(imported: &Imported) -> String {
    let mut text = format!(
        "{}, {} known already, {} without an address, {}, {}\n",
        count(imported.new as u64, "new source"),
        imported.known,
        imported.without_address,
        count(imported.duplicates as u64, "duplicate"),
        count(imported.folders.len() as u64, "folder"),
    );
    for skipped in imported.skipped.iter().take(NAMED) {
        text.push_str(&format!("skipped {}\n", told(skipped)));
    }
    if imported.skipped.len() > NAMED {
        text.push_str(&format!("skipped {} more\n", imported.skipped.len() - NAMED));
    }
    text
}

/// An entry that was skipped: where it is, what it is called, and why.
fn told(skipped: &SkippedEntry) -> String {
    let SkippedEntry { line, title, url, reason } = skipped;
    let line = line.map(|line| format!("line {line}"));
    let title = title.as_ref().map(|title| format!("{:?}", harmless(title)));
    let url = (!url.is_empty()).then(|| harmless(url));
    let which: Vec<String> = [url, line, title].into_iter().flatten().collect();
    format!("{}: {}", which.join(", "), harmless(reason))
}

pub(super) async fn export(args: Export, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut output = Output::open(&args.file, &args.overwrite)?;
    let request = ExportRequest { secrets: args.with_secrets };
    let opml = client.export_opml(&request).await?;
    output.write(&opml)?;
    let Some(file) = output.finish()? else { return Ok(()) };
    if args.with_secrets {
        std::fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    }
    let written = json!({ "file": file, "bytes": opml.len() });
    screen.show(&written, || format!("written to {}\n", file.display()))
}

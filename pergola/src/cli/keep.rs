//! `pergola backup`, `pergola restore` and `pergola store move`: the data as a whole.
//!
//! A running node can be backed up. The other two commands replace the data, so they need the folder for
//! themselves. A backup appears under its name when it is complete.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use pergola_store::backup::{self, BackupError, Replace, Summary};
use pergola_store::{Backend, StoreError};
use serde_json::json;

use super::client::{Client, in_use};
use super::failure::{self, Failure};
use super::output::{Output, Overwrite};
use super::screen::{Progress, Screen, count, size};
use super::settings::Settings;

/// Write all data to one file, also while the node runs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  pergola backup pergola.backup\n  pergola backup - | ssh other 'cat \
                        > pergola.backup'"
)]
pub(super) struct Backup {
    /// The file; - is standard output
    file: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Replace the contents of the data folder with a backup
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola restore pergola.backup --data /var/lib/pergola")]
pub(super) struct Restore {
    /// The file
    file: PathBuf,
    /// The storage engine [default: store.backend, or redb]
    #[arg(long, value_name = "redb|sled")]
    to: Option<Backend>,
    /// Move the present contents of the folder aside
    #[arg(long)]
    replace: bool,
}

/// Manage the storage engine
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola store move --to redb")]
pub(super) enum StoreCommand {
    /// Move the data to another storage engine
    #[command(after_help = "Example:\n  pergola store move --to redb")]
    Move {
        /// The new storage engine
        #[arg(long, value_name = "redb|sled")]
        to: Backend,
    },
}

pub(super) async fn backup(args: Backup, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut output = Output::open(&args.file, &args.overwrite)?;
    let bytes = download(client, &mut output).await?;
    let Some(file) = output.finish()? else { return Ok(()) };
    screen.show(&json!({ "file": file, "bytes": bytes }), || {
        format!("{} written to {}\n", size(bytes), file.display())
    })
}

async fn download(client: &Client, output: &mut Output) -> anyhow::Result<u64> {
    let mut backup = client.backup().await?;
    let progress = Progress::new("backing up");
    let mut bytes = 0;
    while let Some(chunk) = backup.chunk().await? {
        output.write(&chunk)?;
        bytes += chunk.len() as u64;
        progress.bytes(bytes);
    }
    Ok(bytes)
}

pub(super) fn restore(args: Restore, settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let config = settings.load()?;
    config.earlier_place().iter().for_each(|warning| failure::advise(warning, settings));
    let data = config.node.data;
    let to = args.to.or(config.store.backend).unwrap_or_default();
    let input = File::open(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let replace = if args.replace { Replace::SetAside } else { Replace::Never };
    let progress = Progress::new("restoring");
    let restored =
        backup::restore(&data, to, replace, BufReader::new(input), |rows| progress.rows(rows));
    drop(progress);
    let summary = restored.map_err(|error| refused(error, &data))?;
    done("restored", summary, to, &data, screen)?;
    configured_otherwise(config.store.backend, to, settings);
    Ok(())
}

pub(super) fn store(
    command: StoreCommand,
    settings: &Settings,
    screen: &Screen,
) -> anyhow::Result<()> {
    let StoreCommand::Move { to } = command;
    let config = settings.load()?;
    config.earlier_place().iter().for_each(|warning| failure::advise(warning, settings));
    let data = config.node.data;
    let progress = Progress::new("moving");
    let moved = backup::move_backend(&data, to, |rows| progress.rows(rows));
    drop(progress);
    let summary = moved.map_err(|error| refused(error, &data))?;
    done("moved", summary, to, &data, screen)?;
    configured_otherwise(config.store.backend, to, settings);
    Ok(())
}

fn done(
    did: &str,
    summary: Summary,
    backend: Backend,
    data: &Path,
    screen: &Screen,
) -> anyhow::Result<()> {
    let Summary { rows, bytes, .. } = summary;
    let document = json!({ "did": did, "rows": rows, "bytes": bytes, "store": backend });
    screen.show(&document, || {
        let (rows, bytes, data) = (count(rows, "row"), size(bytes), data.display());
        format!("{did}: {rows}, {bytes}, in {data} ({backend})\n")
    })
}

/// Warns if the configuration names another engine: the next start would reject the folder.
fn configured_otherwise(configured: Option<Backend>, held: Backend, settings: &Settings) {
    if configured.is_some_and(|configured| configured != held) {
        let advice = format!("set store.backend to \"{held}\" before the next start");
        failure::advise(advice, settings);
    }
}

/// Why it was not done; names the process that uses the folder.
fn refused(error: BackupError, data: &Path) -> anyhow::Error {
    match error {
        BackupError::Store(StoreError::Locked { .. }) => in_use(data).into(),
        BackupError::InUse { .. } => {
            let hint = "move it aside with --replace, or restore into another folder with --data";
            Failure::new(format!("{} already holds a store", data.display()))
                .code("in-use")
                .hint(hint)
                .into()
        }
        error => error.into(),
    }
}

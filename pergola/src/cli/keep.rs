//! `pergola backup`, `pergola restore` and `pergola store move`: the data as a whole.
//!
//! A running node can be backed up. The other two commands replace the data, so they need the folder for
//! themselves. A backup is written under another name until it is complete.

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use pergola_store::backup::{self, BackupError, Replace, Summary};
use pergola_store::{Backend, StoreError};
use serde_json::json;

use super::client::{Client, in_use};
use super::failure::{self, Failure};
use super::screen::{Progress, Screen, count, size};
use super::settings::Settings;

/// Write all data to one file, also while the node runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola backup pergola.backup")]
pub(super) struct Backup {
    /// The file
    file: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    replace: bool,
}

/// Replace the contents of the data folder with a backup
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  pergola restore pergola.backup --data /var/lib/pergola")]
pub(super) struct Restore {
    /// The file
    file: PathBuf,
    /// The storage engine [default: store.backend, or sled]
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
    let file = args.file;
    if file.exists() && !args.replace {
        return Err(Failure::new(format!("{} exists already", file.display()))
            .hint("choose another name, or overwrite it with --replace")
            .into());
    }
    let unfinished = PathBuf::from(format!("{}.unfinished", file.display()));
    let written = download(client, &unfinished).await;
    let bytes = match written {
        Ok(bytes) => bytes,
        Err(error) => {
            // It may not exist.
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
    };
    fs::rename(&unfinished, &file).with_context(|| cannot_write(&file))?;
    screen.show(&json!({ "file": file, "bytes": bytes }), || {
        format!("{} written to {}\n", size(bytes), file.display())
    })
}

async fn download(client: &Client, path: &Path) -> anyhow::Result<u64> {
    let mut backup = client.backup().await?;
    let mut file = File::create(path).with_context(|| cannot_write(path))?;
    let progress = Progress::new("backing up");
    let mut bytes = 0;
    while let Some(chunk) = backup.chunk().await? {
        file.write_all(&chunk).with_context(|| cannot_write(path))?;
        bytes += chunk.len() as u64;
        progress.bytes(bytes);
    }
    file.sync_all().with_context(|| cannot_write(path))?;
    Ok(bytes)
}

fn cannot_write(path: &Path) -> Failure {
    Failure::new(format!("cannot write {}", path.display()))
}

pub(super) fn restore(args: Restore, settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let config = settings.load()?;
    let data = config.node.data;
    let to = args.to.or(config.store.backend).unwrap_or(Backend::Sled);
    let input = File::open(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let replace = if args.replace { Replace::SetAside } else { Replace::Never };
    let progress = Progress::new("restoring");
    let restored =
        backup::restore(&data, to, replace, BufReader::new(input), |rows| progress.rows(rows));
    drop(progress);
    let summary = restored.map_err(|error| refused(error, &data))?;
    done("restored", summary, to, &data, screen)?;
    configured_otherwise(config.store.backend, to);
    Ok(())
}

pub(super) fn store(
    command: StoreCommand,
    settings: &Settings,
    screen: &Screen,
) -> anyhow::Result<()> {
    let StoreCommand::Move { to } = command;
    let config = settings.load()?;
    let data = config.node.data;
    let progress = Progress::new("moving");
    let moved = backup::move_backend(&data, to, |rows| progress.rows(rows));
    drop(progress);
    let summary = moved.map_err(|error| refused(error, &data))?;
    done("moved", summary, to, &data, screen)?;
    configured_otherwise(config.store.backend, to);
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
fn configured_otherwise(configured: Option<Backend>, held: Backend) {
    if configured.is_some_and(|configured| configured != held) {
        failure::advise(&format!("set store.backend to \"{held}\" before the next start"));
    }
}

/// Why it was not done; names the process that uses the folder.
fn refused(error: BackupError, data: &Path) -> anyhow::Error {
    match error {
        BackupError::Store(StoreError::Locked { .. }) => in_use(data).into(),
        BackupError::InUse { .. } => {
            let hint = "move it aside with --replace, or restore into another folder with --data";
            Failure::new(format!("{} already holds a store", data.display())).hint(hint).into()
        }
        error => error.into(),
    }
}

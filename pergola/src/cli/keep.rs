//! `pergola backup`, `pergola restore`, `pergola store move` and `pergola store repair`: the data as a whole.
//!
//! A running node can be backed up. The other commands change the data, so they need the folder for
//! themselves. A backup appears under its name when it is complete.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use pergola_store::archive::{self, ArchiveError, RepairError, Repaired};
use pergola_store::backup::{self, BackupError, Replace, Summary};
use pergola_store::{Backend, LAST_BACKUP, StoreError};
use serde_json::json;

use super::client::{Client, in_use};
use super::failure::{self, Failure};
use super::output::{Output, Overwrite};
use super::presence::write_private;
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
    /// Find damaged rows and repair them; the node must not run
    ///
    /// What follows from other rows is made again, the rest comes from the backup. Items that are in no backup are
    /// looked for at their sources when the node runs again.
    #[command(
        after_help = "Example:\n  pergola store repair\n  pergola store repair --from pergola.backup"
    )]
    Repair {
        /// A backup that has what is damaged
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Delete what cannot be repaired
        #[arg(long)]
        give_up: bool,
    },
}

pub(super) async fn backup(
    args: Backup,
    client: &Client,
    settings: &Settings,
    screen: &Screen,
) -> anyhow::Result<()> {
    let mut output = Output::open(&args.file, &args.overwrite)?;
    output.make_private()?;
    let bytes = download(client, &mut output).await?;
    let Some(file) = output.finish()? else { return Ok(()) };
    remember(&file, settings);
    screen.show(&json!({ "file": file, "bytes": bytes }), || {
        format!("{} written to {}\n", size(bytes), file.display())
    })
}

/// Notes in the data folder where its newest backup is, for the day when the store does not open. If the node is
/// elsewhere, there is no such folder.
fn remember(file: &Path, settings: &Settings) {
    let Ok(config) = settings.load() else { return };
    let note = config.node.data.join(LAST_BACKUP);
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    if pergola_store::holds_data(&config.node.data).unwrap_or(false)
        && let Err(error) = write_private(&note, &whole.display().to_string())
    {
        tracing::debug!(%error, "where the backup is could not be noted");
    }
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
    let to = match command {
        StoreCommand::Move { to } => to,
        StoreCommand::Repair { from, give_up } => return repair(from, give_up, settings, screen),
    };
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

fn repair(
    from: Option<PathBuf>,
    give_up: bool,
    settings: &Settings,
    screen: &Screen,
) -> anyhow::Result<()> {
    let config = settings.load()?;
    let data = config.node.data;
    let open = |path: &PathBuf| {
        let opened = File::open(path).map(BufReader::new);
        opened.with_context(|| Failure::new(format!("cannot read {}", path.display())))
    };
    let mut file = from.as_ref().map(open).transpose()?;
    let backup = file.as_mut().map(|file| file as &mut dyn std::io::Read);
    let now = pergola_outside::clock::Clock::real().now();
    let repaired = archive::repair(&data, config.store.backend, backup, give_up, now);
    let done = repaired.map_err(|error| match error {
        RepairError::Archive(ArchiveError::Store(StoreError::Locked { .. })) => {
            in_use(&data).into()
        }
        error => anyhow::Error::from(error),
    })?;
    let Repaired { found, mended, restored, given_up, sought, left } = done;
    let document = json!({
        "found": found, "mended": mended, "restored": restored, "given_up": given_up, "sought": sought,
        "left": left.len(),
    });
    screen.show(&document, || told(&document, found, left.len(), sought, from.is_some()))
}

/// What a repair has done, and what can still be done.
fn told(
    done: &serde_json::Value,
    found: usize,
    left: usize,
    sought: usize,
    backup: bool,
) -> String {
    if found == 0 {
        return "every row is whole\n".to_owned();
    }
    let mut text = format!(
        "{} damaged: {} mended, {} from the backup, {} given up, {left} left\n",
        count(found as u64, "row"),
        done["mended"],
        done["restored"],
        done["given_up"],
    );
    if sought > 0 {
        text.push_str("lost items are looked for at their sources when the node runs again\n");
    }
    match (left, backup) {
        (0, _) => {}
        (_, false) => text.push_str("take what is left from a backup with --from FILE\n"),
        (_, true) => text.push_str("try another backup, or delete what is left with --give-up\n"),
    }
    text
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

//! What a user brings along from another reader, and takes away.

use std::path::PathBuf;

use anyhow::Context as _;
use pergola_api::user::{LeftOut, TakenOver};
use serde_json::json;

use super::super::client::Client;
use super::super::failure::Failure;
use super::super::output::{Output, Overwrite};
use super::super::screen::{Progress, Screen, count, harmless};

/// Entries that are named.
const NAMED: usize = 20;

/// A file to take over.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Import {
    /// The user who gets it
    name: String,
    /// The file
    file: PathBuf,
}

/// A file to write.
#[derive(Debug, clap::Args)]
pub(in super::super) struct Export {
    /// The user whose data it is
    name: String,
    /// The file; - is standard output
    file: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

pub(super) async fn import(args: Import, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let file = std::fs::read(&args.file)
        .with_context(|| Failure::new(format!("cannot read {}", args.file.display())))?;
    let progress = Progress::new("importing");
    let done = client.import_user(&args.name, file).await?;
    drop(progress);
    screen.show(&done, || report(&done))?;
    match done.broken {
        0 => Ok(()),
        broken => Err(Failure::new(format!("{} left out", were(broken)))
            .hint("everything else in the file is imported; importing it again adds nothing twice")
            .into()),
    }
}

fn were(entries: usize) -> String {
    if entries == 1 { "1 entry was".to_owned() } else { format!("{entries} entries were") }
}

/// What an import did.
fn report(done: &TakenOver) -> String {
    let counted = |number: usize, thing| count(number as u64, thing);
    let mut text = format!(
        "{} added, {} known already, {} named twice, {}, {}\n",
        counted(done.subscribed, "subscription"),
        done.known,
        done.duplicates,
        counted(done.folders.len(), "folder"),
        counted(done.new_sources, "source") + " new to the node",
    );
    text.push_str(&format!("{} starred", counted(done.starred, "item")));
    text.push_str(&some(done.kept, ", {} of them as copies because no source here shows them"));
    text.push_str(&some(done.starred_already, ", {} starred already"));
    text.push_str(&format!("\n{} marked as read", counted(done.read, "item")));
    text.push_str(&some(done.read_ahead, ", {} of them for when they arrive"));
    text.push_str(&some(done.unmarked, "; {} neither read nor starred"));
    if done.settings > 0 {
        text.push_str(&format!("; {}", counted(done.settings, "setting")));
    }
    text.push('\n');
    for entry in done.left_out.iter().take(NAMED) {
        text.push_str(&format!("left out {}\n", told(entry)));
    }
    if done.broken > NAMED {
        text.push_str(&format!("left out {} more\n", done.broken - NAMED));
    }
    text
}

/// Words about a number, unless it is zero.
fn some(number: usize, words: &str) -> String {
    if number == 0 { String::new() } else { words.replace("{}", &number.to_string()) }
}

/// An entry that was left out: where it is, what it is called, and why.
fn told(LeftOut { place, title, address, reason }: &LeftOut) -> String {
    let title = title.as_ref().map(|title| format!("{:?}", harmless(title)));
    let address = address.as_ref().map(|address| harmless(address));
    let which: Vec<String> =
        [Some(harmless(place)), address, title].into_iter().flatten().collect();
    format!("{}: {}", which.join(", "), harmless(reason))
}

pub(super) async fn export(args: Export, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let mut output = Output::open(&args.file, &args.overwrite)?;
    output.make_private()?;
    let mut download = client.export_user(&args.name).await?;
    let mut bytes = 0;
    while let Some(chunk) = download.chunk().await? {
        output.write(&chunk)?;
        bytes += chunk.len();
    }
    let Some(file) = output.finish()? else { return Ok(()) };
    let written = json!({ "file": file, "bytes": bytes });
    screen.show(&written, || format!("written to {}\n", file.display()))
}

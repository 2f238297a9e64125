//! `pergola config`: what the node was told.

use clap::Subcommand;
use serde_json::{Value, json};

use super::client::Client;
use super::screen::Screen;
use super::settings::Settings;

/// What the node was told.
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola config check --config /etc/pergola/pergola.toml")]
pub(super) enum Command {
    /// Say everything that is wrong with the configuration, and what may not be meant
    #[command(after_help = "Example:\n  pergola config check --config pergola.toml")]
    Check,
    /// Show what holds, and where it was said; with --node what holds there
    #[command(after_help = "Example:\n  pergola config show")]
    Show,
}

pub(super) async fn run(
    command: Command,
    settings: &Settings,
    screen: &Screen,
) -> anyhow::Result<()> {
    match command {
        Command::Check => check(settings, screen),
        Command::Show => {
            let shown = match settings.options.node {
                None => settings.load()?.show(),
                Some(_) => Client::with(settings, async |client| asked(client).await).await?,
            };
            let document: Value = match screen.json {
                true => toml::from_str(&shown)?,
                false => Value::Null,
            };
            screen.show(&document, || shown)
        }
    }
}

async fn asked(client: &Client) -> anyhow::Result<String> {
    Ok(client.config().await?)
}

fn check(settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let warnings = settings.load()?.warnings();
    let file = settings.file();
    screen.show(&json!({ "file": file, "warnings": warnings }), || {
        let mut text: String =
            warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
        text.push_str(&match file {
            Some(file) => format!("{} is a valid configuration\n", file.display()),
            None => "there is no file: the defaults and the environment hold\n".to_owned(),
        });
        text
    })
}

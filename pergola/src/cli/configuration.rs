//! `pergola config`: checks, shows and explains the configuration.

use clap::Subcommand;
use serde_json::{Value, json};

use super::client::Client;
use super::screen::Screen;
use super::settings::Settings;

/// Check and show the configuration
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola config check --config /etc/pergola/pergola.toml")]
pub(super) enum Command {
    /// Find every mistake in the configuration, and what is allowed but probably not meant
    #[command(after_help = "Example:\n  pergola config check --config pergola.toml")]
    Check,
    /// Show the configuration that holds, and where each value was set; with --node that of the node
    #[command(after_help = "Example:\n  pergola config show")]
    Show,
    /// Print a file with every key, its default and its meaning
    #[command(after_help = "Example:\n  pergola config example > pergola.toml")]
    Example,
    /// Print docs/configuration.md
    #[command(hide = true, after_help = "Example:\n  pergola config docs > docs/configuration.md")]
    Docs,
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
        Command::Example => {
            let example = pergola_config::example();
            screen.show(&json!({ "example": example }), || example)
        }
        Command::Docs => {
            let manual = pergola_config::manual();
            screen.show(&json!({ "manual": manual }), || manual)
        }
    }
}

async fn asked(client: &Client) -> anyhow::Result<String> {
    Ok(client.config().await?)
}

fn check(settings: &Settings, screen: &Screen) -> anyhow::Result<()> {
    let warnings: Vec<String> =
        settings.load()?.warnings().iter().map(ToString::to_string).collect();
    let file = settings.file();
    screen.show(&json!({ "file": file, "warnings": warnings }), || {
        let mut text: String =
            warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
        text.push_str(&match file {
            Some(file) => format!("{} is a valid configuration\n", file.display()),
            None => "there is no file; the defaults and the environment hold\n".to_owned(),
        });
        text
    })
}

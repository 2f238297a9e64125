//! `pergola config`: checks, shows, changes and explains the configuration.
//!
//! The configuration file is never written. What is set here is stored in the data folder.

use clap::Subcommand;
use pergola_api::operation::SetKeyRequest;
use serde_json::{Value, json};

use super::client::{Client, Data};
use super::screen::{Screen, harmless};
use super::settings::Settings;

/// Check, show and change the configuration
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  pergola config check --config /etc/pergola/pergola.toml")]
pub(super) enum Command {
    /// Find every mistake in the configuration, and what is allowed but probably not meant
    #[command(after_help = "Example:\n  pergola config check --config pergola.toml")]
    Check,
    /// Show the configuration in effect, and where each value was set; with --node, that of the node
    #[command(after_help = "Example:\n  pergola config show")]
    Show,
    /// Set a key that can change while the node runs; stored, and over the configuration file
    #[command(after_help = "Example:\n  pergola config set crawl.allow_private 192.168.1.0/24 \
                            nas.lan\n  pergola config set budget.refreshes_per_minute 60")]
    Set {
        /// Its full name
        key: String,
        /// The value; several make a list
        #[arg(required = true)]
        value: Vec<String>,
    },
    /// Undo `config set` for a key, so that the configuration file decides again
    #[command(after_help = "Example:\n  pergola config unset crawl.allow_private")]
    Unset {
        /// Its full name
        key: String,
    },
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
                Some(_) => {
                    let asked = async |client: &Client| Ok(client.config().await?);
                    Client::with(settings, Data::MustExist, asked).await?
                }
            };
            let document: Value = match screen.json {
                true => toml::from_str(&shown)?,
                false => Value::Null,
            };
            screen.show(&document, || shown)
        }
        Command::Set { key, value } => {
            let set = async |client: &Client| set(&key, &value, client, screen).await;
            Client::with(settings, Data::MayBegin, set).await
        }
        Command::Unset { key } => {
            let unset = async |client: &Client| unset(&key, client, screen).await;
            Client::with(settings, Data::MustExist, unset).await
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

async fn set(key: &str, value: &[String], client: &Client, screen: &Screen) -> anyhow::Result<()> {
    let request = SetKeyRequest { value: value.join(",").into() };
    let set = client.set_key(key, &request).await?;
    screen.show(&set, || {
        let value = harmless(set.value.as_deref().unwrap_or("not set"));
        let holds = match (set.origin.starts_with("stored"), client.is_running()) {
            (true, true) => "in effect now, and after a restart".to_owned(),
            (true, false) => "in effect when the node starts".to_owned(),
            (false, _) => format!("it is stored, but {} overrides it", harmless(&set.origin)),
        };
        format!("{} = {value}; {holds}\n", harmless(&set.key))
    })
}

async fn unset(key: &str, client: &Client, screen: &Screen) -> anyhow::Result<()> {
    client.unset_key(key).await?;
    screen.show(&json!({ "unset": key }), || {
        format!(
            "{} is no longer stored; `pergola config show` shows the value in effect\n",
            harmless(key)
        )
    })
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

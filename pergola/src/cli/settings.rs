//! The options of every command, and the configuration that follows from them.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::Args;

use pergola_config::{Config, ConfigError, Secret, Stored, environment, find_file};

pub(super) const TOKEN_VARIABLE: &str = "PERGOLA_API__TOKEN";

/// The options of every command.
#[derive(Debug, Clone, Args)]
pub(super) struct Options {
    /// The configuration file [default: ./pergola.toml, then the user's, then /etc/pergola/pergola.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Options everywhere")]
    pub(super) config: Option<PathBuf>,
    /// The data folder [default: node.data, else the user's, such as ~/.local/share/pergola]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Options everywhere")]
    pub(super) data: Option<PathBuf>,
    /// The node to talk to [default: the one that uses the data folder, or the folder itself]
    #[arg(long, global = true, value_name = "URL", value_parser = address, help_heading = "Options everywhere")]
    pub(super) node: Option<url::Url>,
    /// The API token of the node; a variable is safer: PERGOLA_API__TOKEN
    #[arg(long, global = true, value_name = "TOKEN", help_heading = "Options everywhere")]
    pub(super) token: Option<String>,
    /// Certificates (PEM) to trust when talking to the node, besides the public ones
    #[arg(long, global = true, value_name = "FILE", help_heading = "Options everywhere")]
    pub(super) ca: Option<PathBuf>,
    /// Write JSON for programs instead of text for people; a failure is an object on standard error
    #[arg(long, global = true, help_heading = "Options everywhere")]
    pub(super) json: bool,
}

/// The address of a node.
fn address(text: &str) -> Result<url::Url, String> {
    let address = url::Url::parse(text).ok();
    let address = address
        .filter(|address| matches!(address.scheme(), "http" | "https") && address.has_host());
    address.ok_or_else(|| "give the node's URL, such as http://127.0.0.1:8080".to_owned())
}

/// Options and environment, from which the configuration can be read at any time.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) options: Options,
    variables: Vec<(String, String)>,
}

impl Settings {
    /// The settings of this process.
    pub(super) fn new(options: Options) -> Self {
        let mut settings = Self { variables: environment(), options };
        if let Some(data) = settings.options.data.clone() {
            settings.set("PERGOLA_NODE__DATA", &data.to_string_lossy());
        }
        if let Some(token) = settings.options.token.clone() {
            settings.variables.retain(|(name, _)| name != "PERGOLA_API__TOKEN_FILE");
            settings.set(TOKEN_VARIABLE, &token);
        }
        settings
    }

    /// Sets a variable for this process only. Arguments override the environment.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// A variable of the environment, unless it is empty.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|(other, value)| other == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// The configuration file, if there is one.
    pub(super) fn file(&self) -> Option<PathBuf> {
        find_file(self.options.config.as_deref(), self.variables.clone())
    }

    /// Reads the configuration as it is now.
    pub(super) fn load(&self) -> Result<Config, ConfigError> {
        Config::load(self.file().as_deref(), self.variables.clone())
    }

    /// The same with other stored settings than those in the data folder.
    pub(super) fn load_with(&self, stored: &Stored) -> Result<Config, ConfigError> {
        Config::load_with(self.file().as_deref(), self.variables.clone(), stored)
    }

    /// The token that was given to this process, not the one in the configuration file.
    pub(super) fn given_token(&self) -> Option<Secret> {
        self.variable(TOKEN_VARIABLE).map(Secret::new)
    }

    /// Whether standard error may be coloured.
    pub(super) fn colours_on_stderr(&self) -> bool {
        std::io::stderr().is_terminal() && self.variable("NO_COLOR").is_none()
    }
}

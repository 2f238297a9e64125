//! The log on standard error, as text or JSON.

use anyhow::Context as _;
use pergola_config::{Log, LogFormat};
use tracing_subscriber::EnvFilter;

use super::settings::Settings;

/// Overrides the configured log level.
const VARIABLE: &str = "PERGOLA_LOG";

/// Starts the log as configured; `PERGOLA_LOG` overrides the level.
pub(super) fn start(log: &Log, settings: &Settings) -> anyhow::Result<()> {
    let level = settings.variable(VARIABLE).unwrap_or(&log.level);
    let filter = EnvFilter::try_new(level)
        .with_context(|| format!("{VARIABLE} = {level:?} must be a level or a filter"))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(settings.colours_on_stderr());
    let started = match log.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))
}

/// Starts the log of a command only if `PERGOLA_LOG` is set.
pub(super) fn start_if_wanted(settings: &Settings) -> anyhow::Result<()> {
    match settings.variable(VARIABLE) {
        None => Ok(()),
        Some(level) => start(&Log { level: level.to_owned(), format: LogFormat::Text }, settings),
    }
}

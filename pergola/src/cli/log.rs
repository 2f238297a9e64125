//! The log, on standard error: lines for people or for programs.

use anyhow::Context as _;
use pergola_config::{Log, LogFormat};
use tracing_subscriber::EnvFilter;

use super::settings::Settings;

/// What the log shows, whatever the configuration says.
const VARIABLE: &str = "PERGOLA_LOG";

/// Logs as configured; `PERGOLA_LOG` wins over the level.
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

/// Commands log nothing, unless `PERGOLA_LOG` asks for it.
pub(super) fn start_if_wanted(settings: &Settings) -> anyhow::Result<()> {
    match settings.variable(VARIABLE) {
        None => Ok(()),
        Some(level) => start(&Log { level: level.to_owned(), format: LogFormat::Text }, settings),
    }
}

//! `[log]`: what the node logs, and how.

use tracing_subscriber::EnvFilter;

use crate::codec::{one_of, text};
use crate::table::Table;

/// `[log]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// A filter that `EnvFilter` accepts.
    pub level: String,
    pub format: LogFormat,
}

/// The format of a line in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line, for programs.
    Json,
}

impl Log {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("What the node logs, and how.");
        let allowed = "a level (error, warn, info, debug, trace) or a filter";
        let level = text().map(
            move |level| match EnvFilter::try_new(&level) {
                Ok(_) => Ok(level),
                Err(_) => Err(format!("must be {allowed}")),
            },
            String::clone,
        );
        Self {
            level: table
                .key("level", "A level, or a filter such as \"info,pergola_node::crawl=debug\".")
                .required(level.described(allowed), "info", |log| log.level.clone()),
            format: table.key("format", "\"text\" is for people, \"json\" for programs.").required(
                one_of([("text", LogFormat::Text), ("json", LogFormat::Json)]),
                "text",
                |log| log.format,
            ),
        }
    }
}

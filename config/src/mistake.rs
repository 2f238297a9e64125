//! What can be wrong with a configuration. A message says which key, which value, where it was set and
//! what would be allowed. One run finds all mistakes.

use std::fmt;
use std::path::PathBuf;

use crate::origin::Origin;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error("cannot read the configuration file {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: std::io::Error },
    /// At least one.
    #[error("{}", listed(.0))]
    Invalid(Vec<Mistake>),
}

fn listed(mistakes: &[Mistake]) -> String {
    let count = match mistakes.len() {
        1 => "a problem".to_owned(),
        many => format!("{many} problems"),
    };
    let lines: Vec<String> = mistakes.iter().map(|mistake| format!("- {mistake}")).collect();
    let file = mistakes.iter().find_map(|mistake| match &mistake.origin {
        Origin::File { file, .. } => Some(format!(" in {file}")),
        _ => None,
    });
    format!("the configuration{} has {count}:\n{}", file.unwrap_or_default(), lines.join("\n"))
}

/// One thing that is wrong. Mistakes sort by the place where they were made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    pub origin: Origin,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl Mistake {
    /// The file is not TOML.
    pub(crate) fn syntax(origin: Origin, message: &str) -> Self {
        Self { message: format!("invalid TOML at {}: {message}", origin.precisely()), origin }
    }

    /// A value that is not allowed. `allowed` begins with "must".
    pub(crate) fn value(origin: Origin, key: &str, value: &str, allowed: &str) -> Self {
        Self { message: format!("`{key}` = {value} ({origin}): {allowed}"), origin }
    }

    /// A table whose keys contradict each other, or that lacks one.
    pub(crate) fn table(origin: Origin, table: &str, message: &str) -> Self {
        Self { message: format!("{table} ({origin}): {message}"), origin }
    }
}

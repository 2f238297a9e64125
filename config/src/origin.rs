//! Where a value was set.

use std::fmt;

/// Where a value was set. Later ones override earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nowhere: it is the default.
    Default,
    /// Nowhere: the data is still where an earlier version kept it.
    Earlier {
        /// Where a new node would keep it.
        instead: String,
    },
    /// In the file.
    File {
        /// The path of the file.
        file: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
    },
    /// By `pergola config set`.
    Stored {
        /// The file in the data folder.
        file: String,
    },
    /// By this environment variable.
    Variable(String),
}

impl Origin {
    /// "line 7, column 1", for messages about the form of the file.
    pub(crate) fn precisely(&self) -> String {
        match self {
            Self::File { line, column, .. } => format!("line {line}, column {column}"),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::Earlier { .. } => formatter.write_str("an earlier version"),
            Self::File { file, line, .. } => write!(formatter, "{file}:{line}"),
            Self::Stored { file } => write!(formatter, "stored in {file}"),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

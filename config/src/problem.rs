//! What can be wrong with a configuration, said so that it can be put right: the key, the value, what is
//! allowed and where it was set. All problems are found in one go.

use std::fmt;
use std::path::PathBuf;

use super::keys::{self, SECTIONS, Section};

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// Something in it is wrong.
    #[error("{}", listed(.0))]
    Invalid(Vec<Problem>),
}

fn listed(problems: &[Problem]) -> String {
    let count = match problems.len() {
        1 => "a problem".to_owned(),
        many => format!("{many} problems"),
    };
    let lines: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
    let file = problems.iter().find_map(|problem| match &problem.place {
        Place::File { file, .. } => Some(format!(" in {file}")),
        _ => None,
    });
    format!("the configuration{} has {count}:\n{}", file.unwrap_or_default(), lines.join("\n"))
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What, and what to do about it.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Where something was set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Nowhere: it is the default.
    Default,
    /// In the file.
    File {
        /// Its name.
        file: String,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
    },
    /// In the environment, by this variable.
    Variable(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { file, line, .. } => write!(formatter, "{file}:{line}"),
            Self::Variable(name) => formatter.write_str(name),
        }
    }
}

impl Place {
    /// "at line 7, column 1", as in messages about the file's form.
    fn precisely(&self) -> String {
        match self {
            Self::File { line, column, .. } => format!("line {line}, column {column}"),
            other => other.to_string(),
        }
    }
}

impl Problem {
    /// The file is no TOML.
    pub(super) fn syntax(place: Place, message: &str) -> Self {
        Self { message: format!("no TOML at {}: {message}", place.precisely()), place }
    }

    /// A value that is not allowed. `allowed` begins with "must".
    pub(super) fn value(place: Place, key: &str, value: &str, allowed: &str) -> Self {
        Self { message: format!("`{key}` = {value} ({place}): {allowed}"), place }
    }

    /// A table whose keys do not go together, or of which one is missing.
    pub(super) fn table(place: Place, table: &str, message: &str) -> Self {
        Self { message: format!("{table} ({place}): {message}"), place }
    }

    /// A key that a table does not have.
    pub(super) fn unknown_key(place: Place, prefix: &str, key: &str, section: &Section) -> Self {
        let own = section.keys.iter().map(|known| known.name);
        let hint = match nearest(key, own.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => match elsewhere(key) {
                Some(other) => format!("did you mean `{other}`?"),
                None => format!("there are {}", own.collect::<Vec<_>>().join(", ")),
            },
        };
        let at = place.precisely();
        Self { message: format!("unknown key `{prefix}.{key}` at {at}: {hint}"), place }
    }

    /// A table that the file does not have, or a key outside of all tables.
    pub(super) fn unknown_table(place: Place, name: &str) -> Self {
        let tables = SECTIONS
            .iter()
            .map(|section| section.name)
            .chain(["hosts", "reader", "source", "feed"]);
        let hint = match elsewhere(name) {
            Some(key) => format!("did you mean `{key}`?"),
            None => match nearest(name, tables.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", tables.collect::<Vec<_>>().join(", ")),
            },
        };
        let at = place.precisely();
        Self { message: format!("unknown key `{name}` at {at}: {hint}"), place }
    }

    /// A variable that begins like ours and is none.
    pub(super) fn unknown_variable(name: &str) -> Self {
        let all: Vec<String> = SECTIONS
            .iter()
            .flat_map(|section| {
                section.keys.iter().map(|key| keys::variable(section.name, key.name))
            })
            .collect();
        let hint = match nearest(name, all.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near}?"),
            None => {
                "variables are called PERGOLA_SECTION__KEY, such as PERGOLA_NODE__LISTEN".into()
            }
        };
        let message = format!("unknown variable {name}: {hint}");
        Self { place: Place::Variable(name.to_owned()), message }
    }
}

/// The full name of a key of this name, in whichever table has it.
fn elsewhere(key: &str) -> Option<String> {
    let section = SECTIONS.iter().find(|section| section.key(key).is_some())?;
    Some(format!("{}.{key}", section.name))
}

/// What was probably meant, if anything is near.
pub(super) fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let most = (given.chars().count() / 3).clamp(1, 3);
    known
        .map(|name| (strsim::damerau_levenshtein(&given, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

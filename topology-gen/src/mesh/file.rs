//! A mesh as people write it: TOML or JSON.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Feed, Mesh, Source, nearest};
use crate::profile::{Dictionary, Profile};

/// Why a mesh could not be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum FileError {
    #[error("cannot read {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{}: {reason}", path.display())]
    Syntax { path: PathBuf, reason: String },
    #[error("{}: its name must end in .toml or .json", path.display())]
    UnknownFormat { path: PathBuf },
    #[error(
        "{}: {owner} has the keyword `{word}`, which is not in the dictionary{}",
        path.display(), super::hint(nearest)
    )]
    UnknownKeyword { path: PathBuf, owner: String, word: String, nearest: Option<String> },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMesh {
    /// All keywords that may be used; left out, whatever is used.
    dictionary: Option<Vec<String>>,
    #[serde(default, alias = "source")]
    sources: Vec<RawSource>,
    #[serde(default, alias = "feed")]
    feeds: Vec<RawFeed>,
    #[serde(default)]
    nodes: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSource {
    name: String,
    url: Option<String>,
    keywords: Vec<String>,
    items_per_day: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFeed {
    name: String,
    keywords: Vec<String>,
    /// A condition of the query language, instead of "any of the keywords".
    condition: Option<String>,
    node: Option<String>,
}

/// Reads a mesh file, TOML or JSON by its extension.
///
/// # Errors
/// When it cannot be read, is not what it should be, or uses a keyword that its dictionary has not.
pub fn read(path: &Path) -> Result<Mesh, FileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
    let syntax = |reason: String| FileError::Syntax { path: path.to_owned(), reason };
    let raw: RawMesh = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(&text).map_err(|error| syntax(error.to_string()))?,
        Some("json") => serde_json::from_str(&text).map_err(|error| syntax(error.to_string()))?,
        _ => return Err(FileError::UnknownFormat { path: path.to_owned() }),
    };
    let mut words =
        Words { path, closed: raw.dictionary.is_some(), dictionary: Dictionary::default() };
    raw.dictionary.iter().flatten().for_each(|word| _ = words.dictionary.add(&word.to_lowercase()));
    let mut sources = Vec::with_capacity(raw.sources.len());
    for RawSource { name, url, keywords, items_per_day } in raw.sources {
        let profile = words.profile(&format!("source `{name}`"), &keywords)?;
        sources.push(Source { name, url, profile, items_per_day });
    }
    let mut feeds = Vec::with_capacity(raw.feeds.len());
    for RawFeed { name, keywords, condition, node } in raw.feeds {
        let profile = words.profile(&format!("feed `{name}`"), &keywords)?;
        feeds.push(Feed { name, profile, condition, node });
    }
    Ok(Mesh { dictionary: words.dictionary, sources, feeds, nodes: raw.nodes })
}

struct Words<'a> {
    path: &'a Path,
    /// Only the words of the dictionary may be used.
    closed: bool,
    dictionary: Dictionary,
}

impl Words<'_> {
    fn profile(&mut self, owner: &str, keywords: &[String]) -> Result<Profile, FileError> {
        let mut numbers = Vec::with_capacity(keywords.len());
        for word in keywords {
            let word = word.trim().to_lowercase();
            numbers.push(match self.dictionary.number(&word) {
                Some(number) => number,
                None if !self.closed => self.dictionary.add(&word),
                None => {
                    return Err(FileError::UnknownKeyword {
                        path: self.path.to_owned(),
                        owner: owner.to_owned(),
                        nearest: nearest(&word, self.dictionary.words().iter().map(String::as_str)),
                        word,
                    });
                }
            });
        }
        Ok(Profile::new(numbers))
    }
}

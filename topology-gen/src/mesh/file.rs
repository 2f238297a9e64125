//! A mesh as people write it: TOML or JSON.

use std::path::{Path, PathBuf};

use pergola_query::syntax::{FeedBody, Statement};
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
    #[error("{}: the query of feed `{feed}` cannot be read:\n{reason}", path.display())]
    Query { path: PathBuf, feed: String, reason: String },
    #[error(
        "{}: feed `{feed}` has neither keywords nor a query that asks for any; without them it \
         resembles nothing and cannot be wired", path.display()
    )]
    WantsNothing { path: PathBuf, feed: String },
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
    #[serde(default)]
    keywords: Vec<String>,
    /// `CREATE FEED …`, or only its condition; its words are keywords too.
    query: Option<String>,
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
    raw.dictionary.iter().flatten().for_each(|word| _ = words.dictionary.add(&folded(word)));
    let mut sources = Vec::with_capacity(raw.sources.len());
    for RawSource { name, url, keywords, items_per_day } in raw.sources {
        let profile = words.profile(&format!("source `{name}`"), &keywords)?;
        sources.push(Source { name, url, profile, items_per_day, unknown: false });
    }
    let mut feeds = Vec::with_capacity(raw.feeds.len());
    for RawFeed { name, mut keywords, query, node } in raw.feeds {
        if let Some(query) = &query {
            let reason =
                |reason| FileError::Query { path: path.to_owned(), feed: name.clone(), reason };
            keywords.extend(asked_for(query).map_err(reason)?);
        }
        if keywords.is_empty() {
            return Err(FileError::WantsNothing { path: path.to_owned(), feed: name });
        }
        let profile = words.profile(&format!("feed `{name}`"), &keywords)?;
        feeds.push(Feed { name, profile, query, node });
    }
    Ok(Mesh { dictionary: words.dictionary, sources, feeds, nodes: raw.nodes })
}

/// The words that a query asks for.
fn asked_for(query: &str) -> Result<Vec<String>, String> {
    Ok(pergola_query::profile(&body_of(query)?).into_iter().collect())
}

/// What a query of a mesh says, be it a whole one or only its condition.
pub(crate) fn body_of(query: &str) -> Result<FeedBody, String> {
    let whole = query.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("create"));
    let text = match whole {
        true => query.to_owned(),
        false => format!("CREATE FEED Wanted AS RETURN OPML \"all\" WHERE\n{query};"),
    };
    let script = pergola_query::parse(&text).map_err(|error| error.render(&text, "query"))?;
    let mut statements = script.statements.into_iter();
    match (statements.next().map(|statement| statement.value), statements.next()) {
        (Some(Statement::Create(feed)), None) => Ok(feed.body),
        (_, None) => Err("it must be CREATE FEED, or a condition".to_owned()),
        _ => Err("it must be a single statement".to_owned()),
    }
}

/// A keyword as the matcher of queries compares it.
fn folded(word: &str) -> String {
    pergola_query::text::words(word).join(" ")
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
            let word = folded(word);
            if word.is_empty() {
                continue; // Nothing but signs: no item could be told by it.
            }
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

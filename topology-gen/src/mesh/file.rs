//! A mesh as people write it: TOML or JSON.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pergola_api::mesh::{MeshFeed, MeshFile, MeshSource};
use pergola_query::syntax::{FeedBody, Statement};

use super::join::joined;
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

/// Reads mesh files, TOML or JSON by their extensions, as one mesh.
///
/// # Errors
/// When one cannot be read, is not what it should be, or uses a keyword that its dictionary has not.
pub fn read(paths: &[PathBuf]) -> Result<Mesh, FileError> {
    let files = paths.iter().map(|path| raw(path)).collect::<Result<Vec<_>, _>>()?;
    let MeshFile { dictionary: all, sources, feeds, nodes } = joined(files);
    let mut dictionary = Dictionary::default();
    all.iter().flatten().for_each(|word| _ = dictionary.add(&folded(word)));
    let mut profile = |keywords: &[String]| {
        let words = keywords.iter().map(|word| folded(word)).filter(|word| !word.is_empty());
        Profile::new(words.map(|word| dictionary.add(&word)).collect())
    };
    let sources =
        sources.into_iter().map(|MeshSource { name, url, keywords, items_per_day, .. }| Source {
            name,
            url,
            profile: profile(&keywords),
            items_per_day,
            unknown: false,
        });
    let sources = sources.collect();
    let feeds = feeds.into_iter().map(|MeshFeed { name, keywords, query, node, .. }| Feed {
        name,
        profile: profile(&keywords),
        query,
        node,
    });
    let feeds = feeds.collect();
    Ok(Mesh { dictionary, sources, feeds, nodes })
}

/// One file, checked; the words of its queries are among the keywords.
fn raw(path: &Path) -> Result<MeshFile, FileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| FileError::Unreadable { path: path.to_owned(), source })?;
    let syntax = |reason: String| FileError::Syntax { path: path.to_owned(), reason };
    let mut raw: MeshFile = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(&text).map_err(|error| syntax(error.to_string()))?,
        Some("json") => serde_json::from_str(&text).map_err(|error| syntax(error.to_string()))?,
        _ => return Err(FileError::UnknownFormat { path: path.to_owned() }),
    };
    for MeshFeed { name, keywords, query, .. } in &mut raw.feeds {
        if let Some(query) = query {
            let reason =
                |reason| FileError::Query { path: path.to_owned(), feed: name.clone(), reason };
            keywords.extend(asked_for(query).map_err(reason)?);
        }
        if keywords.is_empty() {
            return Err(FileError::WantsNothing { path: path.to_owned(), feed: name.clone() });
        }
    }
    check_words(path, &raw)?;
    Ok(raw)
}

/// Whether only words of the dictionary are used, if there is one.
fn check_words(path: &Path, raw: &MeshFile) -> Result<(), FileError> {
    let Some(words) = &raw.dictionary else { return Ok(()) };
    let words: BTreeSet<String> = words.iter().map(|word| folded(word)).collect();
    let sources = raw.sources.iter().map(|source| ("source", &source.name, &source.keywords));
    let feeds = raw.feeds.iter().map(|feed| ("feed", &feed.name, &feed.keywords));
    for (kind, name, keywords) in sources.chain(feeds) {
        let mut used = keywords.iter().map(|word| folded(word));
        // Nothing but signs: no item could be told by it.
        if let Some(word) = used.find(|word| !word.is_empty() && !words.contains(word.as_str())) {
            return Err(FileError::UnknownKeyword {
                path: path.to_owned(),
                owner: format!("{kind} `{name}`"),
                nearest: nearest(&word, words.iter().map(String::as_str)),
                word,
            });
        }
    }
    Ok(())
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

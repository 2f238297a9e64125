//! One mesh file as it is written.

use std::collections::BTreeSet;
use std::path::Path;

use pergola_api::mesh::{MeshFeed, MeshFile};

use super::query::body_of;
use crate::file::{self, FileError};
use crate::names::did_you_mean;

/// Why the content of a mesh file is wrong.
#[derive(Debug, thiserror::Error)]
enum Invalid {
    #[error("its name must end in .toml or .json")]
    Format,
    #[error("{owner} has the keyword `{word}`, which is not in the dictionary{hint}")]
    UnknownKeyword { owner: String, word: String, hint: String },
    #[error("the query of feed `{feed}` cannot be parsed:\n{reason}")]
    Query { feed: String, reason: String },
    #[error(
        "feed `{feed}` has neither keywords nor a query that asks for any, so it is similar to nothing \
         and cannot be wired"
    )]
    WantsNothing { feed: String },
}

/// Reads and checks one file. Adds the words of its queries to the keywords.
pub(super) fn read(path: &Path) -> Result<MeshFile, FileError> {
    let text = file::read(path)?;
    let raw = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(&text).map_err(|error| FileError::invalid(path, error))?,
        Some("json") => {
            serde_json::from_str(&text).map_err(|error| FileError::invalid(path, error))?
        }
        _ => return Err(FileError::invalid(path, Invalid::Format)),
    };
    checked(raw).map_err(|error| FileError::invalid(path, error))
}

fn checked(mut raw: MeshFile) -> Result<MeshFile, Invalid> {
    for MeshFeed { name, keywords, query, .. } in &mut raw.feeds {
        if let Some(query) = query {
            let body = body_of(query);
            let body = body.map_err(|reason| Invalid::Query { feed: name.clone(), reason })?;
            keywords.extend(pergola_query::profile(&body));
        }
        if keywords.is_empty() {
            return Err(Invalid::WantsNothing { feed: name.clone() });
        }
    }
    check_words(&raw)?;
    Ok(raw)
}

/// Checks that all keywords are in the dictionary, if there is one.
fn check_words(raw: &MeshFile) -> Result<(), Invalid> {
    let Some(words) = &raw.dictionary else { return Ok(()) };
    let words: BTreeSet<String> = words.iter().map(|word| folded(word)).collect();
    let sources = raw.sources.iter().map(|source| ("source", &source.name, &source.keywords));
    let feeds = raw.feeds.iter().map(|feed| ("feed", &feed.name, &feed.keywords));
    for (kind, name, keywords) in sources.chain(feeds) {
        let mut used = keywords.iter().map(|word| folded(word));
        // A keyword without letters and digits is ignored: it matches no item.
        if let Some(word) = used.find(|word| !word.is_empty() && !words.contains(word)) {
            let owner = format!("{kind} `{name}`");
            let hint = did_you_mean(&word, words.iter().map(String::as_str));
            return Err(Invalid::UnknownKeyword { owner, word, hint });
        }
    }
    Ok(())
}

/// A keyword in the form in which queries compare it.
pub(super) fn folded(word: &str) -> String {
    pergola_query::text::words(word).join(" ")
}

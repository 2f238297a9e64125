//! Words to go on with: what could stand at the end of a text that is being typed.

use pergola_query::syntax::{Ink, Keyword, inked};

/// What is being typed at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complete {
    pub wanted: Wanted,
    /// What is there of it already.
    pub begun: String,
}

/// What could stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A keyword, or after `FEED` the name of a feed.
    Word { feed: bool },
    /// In quotes after `FOLDER`.
    Folder,
    /// In quotes where a source can stand.
    Source,
    /// A text that only its writer knows.
    Nothing,
}

/// A word to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// What replaces what is there already.
    pub insert: String,
    /// What is said of it.
    pub about: String,
}

/// What is being typed at the end of `before`.
pub fn wanted(before: &str) -> Complete {
    let parts = inked(before);
    let words: Vec<(Ink, &str)> =
        parts.iter().map(|(ink, span)| (*ink, &before[span.range()])).collect();
    let touches = parts.last().is_some_and(|(_, span)| span.range().end == before.len());
    let (last, earlier) = match words.split_last() {
        Some((last, earlier)) if touches => (Some(*last), earlier),
        _ => (None, &words[..]),
    };
    let after = earlier.last().map(|(_, word)| word.to_uppercase()).unwrap_or_default();
    match last {
        Some((Ink::Comment | Ink::Number | Ink::Text, _)) => {
            Complete { wanted: Wanted::Nothing, begun: String::new() }
        }
        Some((Ink::Wrong, open)) if open.starts_with(['"', '\'']) => {
            let wanted = match after.as_str() {
                "FOLDER" => Wanted::Folder,
                "RETURN" | "|" | "ADD" | "REMOVE" | "PEER" => Wanted::Source,
                _ => Wanted::Nothing,
            };
            Complete { wanted, begun: open[1..].to_owned() }
        }
        Some((Ink::Keyword | Ink::Name, word)) => {
            Complete { wanted: Wanted::Word { feed: after == "FEED" }, begun: word.to_owned() }
        }
        _ => Complete {
            wanted: Wanted::Word {
                feed: words.last().is_some_and(|(_, word)| word.eq_ignore_ascii_case("FEED")),
            },
            begun: String::new(),
        },
    }
}

/// Keywords, names or folders that begin with what is there. Sources are found elsewhere.
pub fn offered(complete: &Complete, feeds: &[String], folders: &[String]) -> Vec<Offered> {
    let begun = complete.begun.to_lowercase();
    let begins = |word: &str| word.to_lowercase().starts_with(&begun);
    let known = |words: &[String], about: &str| -> Vec<Offered> {
        let fitting = words.iter().filter(|word| begins(word));
        fitting.map(|word| Offered { insert: word.clone(), about: about.to_owned() }).collect()
    };
    match complete.wanted {
        Wanted::Word { feed: true } => known(feeds, "feed"),
        Wanted::Word { feed: false } if !begun.is_empty() => {
            let keywords = Keyword::ALL.iter().map(|keyword| keyword.text());
            let fitting = keywords.filter(|word| begins(word) && word.len() > begun.len());
            fitting
                .map(|word| Offered { insert: word.to_owned(), about: "keyword".to_owned() })
                .collect()
        }
        Wanted::Folder => known(folders, "folder"),
        Wanted::Word { feed: false } | Wanted::Source | Wanted::Nothing => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_follow_depends_on_what_stands_before() {
        let told = |before: &str| {
            let complete = wanted(before);
            (complete.wanted, complete.begun)
        };
        let word = |feed| Wanted::Word { feed };
        assert_eq!(told("CREATE FEED A AS RET"), (word(false), "RET".into()));
        assert_eq!(told("RETURN FEED Vol"), (word(true), "Vol".into()));
        assert_eq!(told("RETURN FEED "), (word(true), String::new()));
        assert_eq!(told("RETURN FOLDER \"Te"), (Wanted::Folder, "Te".into()));
        assert_eq!(told("RETURN \"a\" |\n  \"https://n"), (Wanted::Source, "https://n".into()));
        assert_eq!(told("WHERE ITEM CONTAINS \"vol"), (Wanted::Nothing, "vol".into()));
        assert_eq!(told("RETURN \"done\""), (Wanted::Nothing, String::new()));
        assert_eq!(told("-- RET").0, Wanted::Nothing);
        assert_eq!(told(""), (word(false), String::new()));
    }

    #[test]
    fn words_are_offered_that_begin_as_what_is_there() {
        let feeds = ["Volcanoes".to_owned(), "Tech".to_owned()];
        let inserts = |before: &str| -> Vec<String> {
            let offered = offered(&wanted(before), &feeds, &["Tech/Rust".to_owned()]);
            offered.into_iter().map(|offered| offered.insert).collect()
        };
        assert_eq!(inserts("CON"), ["CONTENT", "CONTAINS"]);
        assert_eq!(inserts("RETURN FEED vol"), ["Volcanoes"]);
        assert_eq!(inserts("RETURN FOLDER \"te"), ["Tech/Rust"]);
        assert!(inserts("").is_empty() && inserts("WHERE").is_empty());
    }
}

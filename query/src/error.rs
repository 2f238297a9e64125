//! What can be wrong with a query, said so that it can be put right.
//!
//! An error knows what is wrong, where, what was expected there and what the writer probably meant. It
//! holds no text itself: [`QueryError::render`] shows it against the text it came from.

mod nearest;
mod render;

use std::fmt;

use crate::syntax::{Keyword, Span};

pub use nearest::nearest;

/// Something wrong with a query, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct QueryError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where.
    pub span: Span,
    /// What to do about it, if that is known.
    pub help: Option<String>,
}

/// What is wrong with a query.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something else should stand here.
    #[error("{found} does not belong here")]
    Unexpected {
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: Vec<Expected>,
    },
    /// The text ends where something should follow.
    #[error("the text ends too early")]
    UnexpectedEnd {
        /// What may follow.
        expected: Vec<Expected>,
    },
    /// A character that no query uses.
    #[error("`{}` is no part of the language", shown(*.0))]
    UnknownCharacter(char),
    /// A string without its closing quote.
    #[error("this string is not closed")]
    UnclosedString,
    /// A backslash before something that needs none.
    #[error("unknown escape `\\{}`", shown(*.0))]
    UnknownEscape(char),
    /// A string in the filter with nothing before it that could be repeated.
    #[error("a string alone says nothing about where to look for it")]
    NothingToRepeat,
    /// A feed named by a word of the language.
    #[error("`{0}` is a word of the language and cannot be a name")]
    ReservedName(Keyword),
    /// A number that is too large, zero, or has decimals where none make sense.
    #[error("{what} must be {must}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// What it must be.
        must: &'static str,
    },
    /// A string that is no date.
    #[error("`{0}` is no date")]
    BadDate(String),
    /// An option that was already given.
    #[error("`{0}` is given twice")]
    DuplicateOption(Keyword),
    /// A bracket where it would not mean anything.
    #[error("a bracket cannot stand {0}")]
    MisplacedBracket(&'static str),
    /// One of the [`Limits`](crate::Limits) is exceeded.
    #[error("too much: {what}, at most {limit}")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
    /// A bracket names a variable that no source has.
    #[error("no source is called `${0}`")]
    UnknownVariable(String),
    /// Two sources have the same variable.
    #[error("two sources are called `${0}`")]
    DuplicateVariable(String),
    /// The same source twice in one feed.
    #[error("this source is already read")]
    DuplicateSource,
    /// `REMOVE` of something the feed does not read.
    #[error("feed `{feed}` does not read this")]
    NotRead {
        /// The feed.
        feed: String,
    },
    /// `REMOVE` of all sources.
    #[error("feed `{feed}` would read nothing any more")]
    ReadsNothing {
        /// The feed.
        feed: String,
    },
    /// A string that is no address.
    #[error("`{0}` is no web address")]
    BadUrl(String),
    /// There is no such feed.
    #[error("there is no feed `{0}`")]
    UnknownFeed(String),
    /// There is such a feed already.
    #[error("there is already a feed `{0}`")]
    FeedExists(String),
    /// Feeds that read each other.
    #[error("feed `{}` would read itself: {}", .0.first().map_or("", String::as_str), .0.join(" reads "))]
    Cycle(Vec<String>),
    /// A feed cannot go because others read it.
    #[error("feed `{feed}` is read by {}", quoted(.readers))]
    StillRead {
        /// The feed.
        feed: String,
        /// Who reads it.
        readers: Vec<String>,
    },
    /// A string without any word.
    #[error("there is no word in this string")]
    EmptyPhrase,
    /// A regular expression that cannot be used.
    #[error("this regular expression cannot be used: {0}")]
    BadRegex(String),
    /// `BETWEEN` with its ends in the wrong order.
    #[error("nothing lies between these: the first is after the second")]
    BackwardsBetween,
    /// A filter that no item can pass.
    #[error("no item can pass this: {0}")]
    Contradiction(String),
    /// A filter that has no effect.
    #[error("every item passes this: {0}")]
    Tautology(String),
    /// A variable that is declared and never used.
    #[error("no bracket names `${0}`, so this source is kept whole")]
    UnusedVariable(String),
}

/// Something that may stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A word of the language.
    Word(Keyword),
    /// A sign.
    Sign(&'static str),
    /// Something of a kind.
    Kind(&'static str),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(keyword) => write!(f, "{keyword}"),
            Self::Sign(sign) => write!(f, "`{sign}`"),
            Self::Kind(kind) => f.write_str(kind),
        }
    }
}

impl QueryError {
    /// An error at a place.
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span, help: None }
    }

    /// With advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With the nearest of some right words as advice, if one is near.
    pub(crate) fn nearest_of<'w>(
        mut self,
        word: &str,
        words: impl IntoIterator<Item = &'w str>,
        shown: impl Fn(&str) -> String,
    ) -> Self {
        if let Some(near) = nearest(word, words) {
            self.help = Some(format!("did you mean `{}`?", shown(near)));
        }
        self
    }
}

/// "a, b or c".
pub(crate) fn one_of(items: &[Expected]) -> String {
    let words: Vec<String> = items.iter().map(Expected::to_string).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// A character as it is, or as an escape if it could not be seen.
fn shown(c: char) -> String {
    let visible = !c.is_control() && !c.is_whitespace();
    if visible { c.to_string() } else { c.escape_default().to_string() }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

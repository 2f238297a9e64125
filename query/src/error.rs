//! Errors in queries.
//!
//! An error says what is wrong, where, what was expected and, if possible, what to write instead. It
//! does not contain the text of the query: [`QueryError::render`] takes it as an argument.

mod render;

use std::fmt;

use crate::keyword::Keyword;
use crate::nearest::nearest;
use crate::span::Span;

/// An error in a query.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct QueryError {
    pub kind: ErrorKind,
    pub span: Span,
    /// What to write instead.
    pub help: Option<String>,
}

/// What is wrong with a query.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    #[error("unexpected {found}")]
    Unexpected { found: String, expected: Vec<Expected> },
    #[error("unexpected end of the text")]
    UnexpectedEnd { expected: Vec<Expected> },
    #[error("`{}` is not part of the language", shown(*.0))]
    UnknownCharacter(char),
    #[error("this string has no closing quote")]
    UnclosedString,
    #[error("unknown escape `\\{}`", shown(*.0))]
    UnknownEscape(char),
    /// A string in the filter without a field and comparison before it.
    #[error("it is not clear what to compare this string with")]
    NothingToRepeat,
    #[error("`{0}` is a reserved word and cannot be a name")]
    ReservedName(Keyword),
    /// A number that is zero, too large, or has decimals where it must not.
    #[error("{what} must be {must}")]
    OutOfRange { what: &'static str, must: &'static str },
    #[error("`{0}` is not a date")]
    BadDate(String),
    #[error("`{0}` is given twice")]
    DuplicateOption(Keyword),
    #[error("a bracket is not allowed {0}")]
    MisplacedBracket(&'static str),
    /// The text exceeds one of the limits.
    #[error("too many {what}: at most {limit} are allowed")]
    TooMuch { what: &'static str, limit: usize },
    #[error("no source has the variable `${0}`")]
    UnknownVariable(String),
    #[error("two sources have the variable `${0}`")]
    DuplicateVariable(String),
    #[error("the feed already reads this source")]
    DuplicateSource,
    #[error("feed `{feed}` does not read this source")]
    NotRead { feed: String },
    #[error("feed `{feed}` would have no sources left")]
    ReadsNothing { feed: String },
    #[error("`{0}` is not a web address")]
    BadUrl(String),
    #[error("there is no feed `{0}`")]
    UnknownFeed(String),
    #[error("no source is in a folder `{0}`")]
    UnknownFolder(String),
    #[error("there is already a feed `{0}`")]
    FeedExists(String),
    /// A feed that would read itself, directly or through others.
    #[error("feed `{}` would read itself: {}", .0.first().map_or("", String::as_str), .0.join(" reads "))]
    Cycle(Vec<String>),
    /// A feed cannot be dropped while others read it.
    #[error("feed `{feed}` is read by {}", quoted(.readers))]
    StillRead { feed: String, readers: Vec<String> },
    #[error("this string contains no word")]
    EmptyPhrase,
    #[error("a `*` is allowed only at the end of the last word")]
    MisplacedStar,
    #[error("there is no list `{0}`")]
    UnknownList(String),
    /// Whoever fetches sources found that an address leads nowhere.
    #[error("{url} cannot be read: {why}")]
    Unreadable { url: String, why: String },
    #[error("invalid regular expression: {0}")]
    BadRegex(String),
    #[error("the first date of BETWEEN is after the second")]
    BackwardsBetween,
    #[error("no item can pass this filter: {0}")]
    Contradiction(String),
    #[error("every item passes this filter: {0}")]
    Tautology(String),
    #[error("no bracket uses `${0}`, so every item of this source passes")]
    UnusedVariable(String),
}

/// Something that the grammar allows at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    Word(Keyword),
    Sign(&'static str),
    /// A description, such as "a number".
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
    pub(crate) fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span, help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests the nearest of the allowed words.
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

/// `a, b or c`
pub(crate) fn one_of(items: &[Expected]) -> String {
    let words: Vec<String> = items.iter().map(Expected::to_string).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// A visible character as it is, any other one as an escape.
fn shown(c: char) -> String {
    let visible = !c.is_control() && !c.is_whitespace();
    if visible { c.to_string() } else { c.escape_default().to_string() }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

//! Splits the text of a query into tokens, one at a time, without copying.
//!
//! It produces tokens on demand, so that many short tokens take no extra memory.

use unicode_normalization::char::is_combining_mark;

use super::limits::Limits;
use crate::error::{ErrorKind, QueryError};
use crate::keyword::Keyword;
use crate::span::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or a name.
    Word(Option<Keyword>),
    /// `$name`
    Variable,
    /// A quoted string; a `raw` one has no escapes.
    Text { raw: bool },
    /// Digits, perhaps with decimals.
    Number,
    /// Punctuation and operators.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// Longer signs first. `<>` means `!=`.
const SIGNS: [(&str, &str); 14] = [
    ("<>", "!="),
    ("!=", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("<", "<"),
    (">", ">"),
    ("=", "="),
    ("|", "|"),
    (";", ";"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    (",", ","),
];

#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    longest: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, limits: &Limits) -> Self {
        Self { text, at: 0, longest: limits.string }
    }

    /// How far it has come.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at another place, behind something that is no token.
    pub(super) fn resume(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn next(&mut self) -> Result<Token, QueryError> {
        self.skip_blank();
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(self.token(Kind::End, start));
        };
        match first {
            '"' | '\'' => self.string(start, first, false),
            'r' | 'R' if self.rest()[1..].starts_with(['"', '\'']) => {
                self.at += 1;
                let quote = if self.rest().starts_with('"') { '"' } else { '\'' };
                self.string(start, quote, true)
            }
            '$' => {
                self.at += 1;
                self.take_name();
                self.bounded(Kind::Variable, start)
            }
            '0'..='9' => {
                self.take_while(|c| c.is_ascii_digit());
                let decimals = self
                    .rest()
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                if decimals {
                    self.at += 1;
                    self.take_while(|c| c.is_ascii_digit());
                }
                self.bounded(Kind::Number, start)
            }
            c if is_name_start(c) => {
                self.take_name();
                self.bounded(Kind::Word(Keyword::of(&self.text[start..self.at])), start)
            }
            c => self.sign(start, c),
        }
    }

    fn sign(&mut self, start: usize, first: char) -> Result<Token, QueryError> {
        let rest = self.rest();
        if let Some((written, meant)) = SIGNS.iter().find(|(written, _)| rest.starts_with(written))
        {
            self.at += written.len();
            return Ok(self.token(Kind::Sign(meant), start));
        }
        let span = Span::new(start, start + first.len_utf8());
        let error = QueryError::new(ErrorKind::UnknownCharacter(first), span);
        Err(match first {
            '“' | '”' | '„' | '«' | '»' | '‘' | '’' => {
                error.help("use straight quotes: \"…\"")
            }
            '&' => error.help("write AND"),
            '!' => error.help("write NOT, or != for inequality"),
            '~' => error.help("write MATCHES"),
            _ => error,
        })
    }

    /// A string from its opening quote, at the current position, to its closing quote.
    fn string(&mut self, start: usize, quote: char, raw: bool) -> Result<Token, QueryError> {
        self.at += quote.len_utf8();
        loop {
            let at = self.at;
            match self.bump() {
                Some(c) if c == quote => return self.bounded(Kind::Text { raw }, start),
                None | Some('\n') => {
                    let error = QueryError::new(ErrorKind::UnclosedString, Span::new(start, at));
                    return Err(error.help(format!("add a {quote} before the end of the line")));
                }
                Some('\\') if !raw => self.escape(at)?,
                Some(_) => {}
            }
        }
    }

    /// Checks the escape whose backslash is at `at`.
    fn escape(&mut self, at: usize) -> Result<(), QueryError> {
        let rest = self.rest();
        if unescape_one(rest).is_some() {
            self.bump();
            if rest.starts_with('u') {
                self.take_while(|c| c != '}');
                self.bump();
            }
            return Ok(());
        }
        let Some(c) = self.peek() else { return Ok(()) };
        let span = Span::new(at, at + 1 + c.len_utf8());
        let error = QueryError::new(ErrorKind::UnknownEscape(c), span);
        Err(error.help("write \\\\ for a backslash, or put r before the string: r\"…\""))
    }

    /// Skips blanks and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            self.take_while(|c| c.is_whitespace() || c == '\u{feff}');
            if !self.rest().starts_with("--") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    /// Takes letters, digits and underscores, and hyphens between them.
    fn take_name(&mut self) {
        loop {
            self.take_while(is_name_part);
            let hyphen = self.rest().strip_prefix('-');
            if !hyphen.is_some_and(|rest| rest.starts_with(is_name_part)) {
                return;
            }
            self.at += 1;
        }
    }

    fn bounded(&self, kind: Kind, start: usize) -> Result<Token, QueryError> {
        if self.at - start <= self.longest {
            return Ok(self.token(kind, start));
        }
        let what = "bytes in one string, name or number";
        let kind = ErrorKind::TooMuch { what, limit: self.longest };
        Err(QueryError::new(kind, Span::new(start, self.at)))
    }

    fn token(&self, kind: Kind, start: usize) -> Token {
        Token { kind, span: Span::new(start, self.at) }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    }
}

/// The value of a string, given with its quotes.
pub(super) fn unquote(written: &str, raw: bool) -> String {
    let quoted = if raw { &written[1..] } else { written };
    let mut rest = &quoted[1..quoted.len() - 1];
    if raw {
        return rest.to_owned();
    }
    let mut value = String::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        // The lexer has already rejected invalid escapes.
        let Some((c, length)) = unescape_one(rest) else {
            break;
        };
        value.push(c);
        rest = &rest[length..];
    }
    value.push_str(rest);
    value
}

/// The character of an escape, and its length without the backslash.
fn unescape_one(rest: &str) -> Option<(char, usize)> {
    match rest.chars().next()? {
        c @ ('"' | '\'' | '\\') => Some((c, 1)),
        'n' => Some(('\n', 1)),
        't' => Some(('\t', 1)),
        'r' => Some(('\r', 1)),
        'u' => {
            let (digits, _) =
                rest.strip_prefix("u{")?.split_at_checked(rest.find('}')?.checked_sub(2)?)?;
            let plain = (1..=6).contains(&digits.len()) && !digits.starts_with('+');
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            plain.then_some((c, digits.len() + 3))
        }
        _ => None,
    }
}

/// Whether a name can start with this.
fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

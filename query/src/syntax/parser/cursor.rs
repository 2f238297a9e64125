//! The current token, and what the grammar allows at its position.

use super::super::lexer::{Kind, Lexer, Token, unquote};
use super::super::limits::Limits;
use super::super::tree::{Field, Name, TextOp};
use crate::error::{ErrorKind, Expected, QueryError};
use crate::keyword::Keyword;
use crate::span::{Span, Spanned};

/// Positions have 32 bits.
const LONGEST: usize = u32::MAX as usize;
/// The parser, and everything that walks the tree, recurses once for each level.
const DEEPEST: usize = 256;

/// The position of the parser in the text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    token: Token,
    last: Span,
    /// What the grammar has asked for since the last token.
    expected: Vec<Expected>,
    pub(super) limits: &'t Limits,
    tests: usize,
    regexes: usize,
    sources: usize,
    depth: usize,
    /// The field and comparison of a string without its own.
    pub(super) repeat: Option<(Field, TextOp)>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, limits: &'t Limits) -> Result<Self, QueryError> {
        let limit = limits.text.min(LONGEST);
        if text.len() > limit {
            let kind = ErrorKind::TooMuch { what: "bytes of text", limit };
            return Err(QueryError::new(kind, Span::new(limit, limit)));
        }
        let mut lexer = Lexer::new(text, limits);
        let token = lexer.next()?;
        Ok(Self {
            text,
            lexer,
            token,
            last: Span::default(),
            expected: Vec::new(),
            limits,
            tests: 0,
            regexes: 0,
            sources: 0,
            depth: 0,
            repeat: None,
        })
    }

    /// The position of the next token.
    pub(super) fn span(&self) -> Span {
        self.token.span
    }

    /// The position of the token before it.
    pub(super) fn last_span(&self) -> Span {
        self.last
    }

    pub(super) fn at_end(&mut self) -> bool {
        self.token.kind == Kind::End
    }

    pub(super) fn at(&mut self, keyword: Keyword) -> bool {
        self.want(Expected::Word(keyword));
        self.token.kind == Kind::Word(Some(keyword))
    }

    pub(super) fn eat(&mut self, keyword: Keyword) -> Result<bool, QueryError> {
        let there = self.at(keyword);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    pub(super) fn expect(&mut self, keyword: Keyword) -> Result<(), QueryError> {
        if self.eat(keyword)? { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn at_sign(&mut self, sign: &'static str) -> bool {
        self.want(Expected::Sign(sign));
        self.token.kind == Kind::Sign(sign)
    }

    pub(super) fn eat_sign(&mut self, sign: &'static str) -> Result<bool, QueryError> {
        let there = self.at_sign(sign);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    /// Takes a closing sign. Without one, the error also names what it would close.
    pub(super) fn close(&mut self, sign: &'static str, opened: Span) -> Result<(), QueryError> {
        if self.eat_sign(sign)? {
            return Ok(());
        }
        let (line, column) = QueryError::new(ErrorKind::UnclosedString, opened).position(self.text);
        let error = self.unexpected();
        let help = format!("close with `{sign}` what was opened at {line}:{column}");
        Err(if error.help.is_some() { error } else { error.help(help) })
    }

    pub(super) fn at_string(&mut self, what: &'static str) -> bool {
        self.want(Expected::Kind(what));
        matches!(self.token.kind, Kind::Text { .. })
    }

    pub(super) fn string(&mut self, what: &'static str) -> Result<Spanned<String>, QueryError> {
        self.want(Expected::Kind(what));
        let Kind::Text { raw } = self.token.kind else {
            return Err(self.unexpected());
        };
        let token = self.advance()?;
        Ok(Spanned::new(unquote(&self.text[token.span.range()], raw), token.span))
    }

    pub(super) fn at_number(&mut self, what: &'static str) -> bool {
        self.want(Expected::Kind(what));
        self.token.kind == Kind::Number
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<Spanned<&'t str>, QueryError> {
        self.want(Expected::Kind(what));
        if self.token.kind != Kind::Number {
            return Err(self.unexpected());
        }
        let token = self.advance()?;
        Ok(Spanned::new(&self.text[token.span.range()], token.span))
    }

    /// The name of a feed: any word that is not reserved.
    pub(super) fn name(&mut self, what: &'static str) -> Result<Name, QueryError> {
        self.want(Expected::Kind(what));
        match self.token.kind {
            Kind::Word(Some(keyword)) if keyword.is_reserved() => {
                let error = self.unexpected();
                // If keywords are allowed here too, the word was probably not meant as a name.
                if self.expected.len() > 1 {
                    return Err(error);
                }
                let kind = ErrorKind::ReservedName(keyword);
                Err(QueryError::new(kind, self.token.span).help(format!("write {what} here")))
            }
            Kind::Word(_) => {
                let token = self.advance()?;
                Ok(Spanned::new(self.text[token.span.range()].to_owned(), token.span))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Takes a variable and returns its name without the `$`.
    pub(super) fn take_variable(&mut self) -> Result<Option<Name>, QueryError> {
        self.want(Expected::Kind("a variable such as $a"));
        if self.token.kind != Kind::Variable || self.token.span.range().len() < 2 {
            return Ok(None);
        }
        let token = self.advance()?;
        Ok(Some(Spanned::new(self.text[token.span.range()][1..].to_owned(), token.span)))
    }

    /// Counts one more test.
    pub(super) fn count_test(&mut self) -> Result<(), QueryError> {
        self.tests += 1;
        self.bounded(self.tests, self.limits.tests, "tests in the filters of one text")
    }

    /// Counts one more regular expression.
    pub(super) fn count_regex(&mut self) -> Result<(), QueryError> {
        self.regexes += 1;
        self.bounded(self.regexes, self.limits.regexes, "regular expressions in one text")
    }

    /// Counts one more source.
    pub(super) fn count_source(&mut self) -> Result<(), QueryError> {
        self.sources += 1;
        self.bounded(self.sources, self.limits.sources, "sources in the feeds of one text")
    }

    /// Enters a level of nesting; [`Cursor::leave`] leaves it.
    pub(super) fn enter(&mut self) -> Result<(), QueryError> {
        self.depth += 1;
        self.bounded(self.depth, self.limits.depth.min(DEEPEST), "levels of nesting")
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    fn bounded(&self, count: usize, limit: usize, what: &'static str) -> Result<(), QueryError> {
        if count <= limit {
            return Ok(());
        }
        Err(QueryError::new(ErrorKind::TooMuch { what, limit }, self.token.span))
    }

    /// The error that the next token is not allowed here.
    pub(super) fn unexpected(&self) -> QueryError {
        let written = &self.text[self.token.span.range()];
        let expected = self.expected.clone();
        if self.token.kind == Kind::End {
            // Point after the last token, not after trailing blanks.
            let end = Span { start: self.last.end, end: self.last.end };
            return QueryError::new(ErrorKind::UnexpectedEnd { expected }, end);
        }
        let found = match self.token.kind {
            Kind::Text { .. } => "string".to_owned(),
            Kind::Word(Some(keyword)) => keyword.text().to_owned(),
            _ => format!("`{written}`"),
        };
        let kind = ErrorKind::Unexpected { found, expected };
        let error = QueryError::new(kind, self.token.span);
        let words = self.expected.iter().filter_map(|expected| match expected {
            Expected::Word(keyword) => Some(keyword.text()),
            _ => None,
        });
        match self.token.kind {
            Kind::Word(_) => error.nearest_of(written, words, str::to_owned),
            _ => error,
        }
    }

    /// A token as it is written.
    pub(super) fn written(&self, token: Token) -> &'t str {
        &self.text[token.span.range()]
    }

    fn want(&mut self, expected: Expected) {
        if !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
    }

    /// Takes the next token.
    pub(super) fn advance(&mut self) -> Result<Token, QueryError> {
        let taken = self.token;
        self.last = taken.span;
        self.token = self.lexer.next()?;
        self.expected.clear();
        Ok(taken)
    }
}

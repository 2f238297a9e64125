//! One token of lookahead, and the memory of what would have been right at this place.

use super::super::keyword::Keyword;
use super::super::lexer::{Kind, Lexer, Token, unquote};
use super::super::limits::Limits;
use super::super::span::{Span, Spanned};
use super::super::tree::{Field, Name, TextOp};
use crate::error::{ErrorKind, Expected, QueryError};

/// Places are numbers of 32 bits.
const LONGEST: usize = u32::MAX as usize;
/// The parser goes down one call for each level, and so does whatever walks the tree.
const DEEPEST: usize = 256;

/// The parser's place in the text.
pub(super) struct Cursor<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    token: Token,
    last: Span,
    /// What has been asked for since the last token was taken.
    expected: Vec<Expected>,
    pub(super) limits: &'t Limits,
    tests: usize,
    regexes: usize,
    sources: usize,
    depth: usize,
    /// What a string alone repeats.
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

    /// Where the next token stands.
    pub(super) fn span(&self) -> Span {
        self.token.span
    }

    /// Where the token before it stood.
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

    /// Takes a closing sign, or points at both the place and what it would close.
    pub(super) fn close(&mut self, sign: &'static str, opened: Span) -> Result<(), QueryError> {
        if self.eat_sign(sign)? {
            return Ok(());
        }
        let (line, column) = QueryError::new(ErrorKind::UnclosedString, opened).position(self.text);
        let error = self.unexpected();
        let help = format!("`{sign}` would close what was opened at {line}:{column}");
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

    /// A feed's name: any word but the reserved ones.
    pub(super) fn name(&mut self, what: &'static str) -> Result<Name, QueryError> {
        self.want(Expected::Kind(what));
        match self.token.kind {
            Kind::Word(Some(keyword)) if keyword.is_reserved() => {
                let error = self.unexpected();
                // Where a keyword could also stand, the writer is not naming anything.
                if self.expected.len() > 1 {
                    return Err(error);
                }
                let kind = ErrorKind::ReservedName(keyword);
                Err(QueryError::new(kind, self.token.span).help(format!("{what} goes here")))
            }
            Kind::Word(_) => {
                let token = self.advance()?;
                Ok(Spanned::new(self.text[token.span.range()].to_owned(), token.span))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A variable's name without its `$`, if one stands here.
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

    /// Goes one level down; [`Cursor::leave`] comes back.
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

    /// The error that the next token is none of what was asked for.
    pub(super) fn unexpected(&self) -> QueryError {
        let written = &self.text[self.token.span.range()];
        let expected = self.expected.clone();
        if self.token.kind == Kind::End {
            // The place after the last word says more than that after the last blank.
            let end = Span { start: self.last.end, end: self.last.end };
            return QueryError::new(ErrorKind::UnexpectedEnd { expected }, end);
        }
        let found = match self.token.kind {
            Kind::Text { .. } => "a string".to_owned(),
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

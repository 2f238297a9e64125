//! Parses what follows `WHERE`: conditions, brackets and the short form.
//!
//! A bracket filters its own source; conditions outside brackets apply to all. So brackets can only be
//! joined by AND: each rule returns the condition and the brackets separately, and OR and NOT reject
//! brackets.

use super::super::dates::Moment;
use super::super::tree::{
    Bracket, Compare, Expr, Field, Filter, Literal, PublishedTest, Test, TextOp,
};
use super::cursor::Cursor;
use super::options;
use crate::error::{ErrorKind, QueryError};
use crate::keyword::Keyword;
use crate::span::{Span, Spanned};

/// The filter of a feed.
pub(super) fn filter(cursor: &mut Cursor<'_>) -> Result<Filter, QueryError> {
    cursor.repeat = None;
    let parsed = any(cursor)?;
    Ok(Filter { common: Expr::all(parsed.common), brackets: parsed.brackets })
}

/// The result of a rule; all members of `common` must hold.
struct Parsed {
    common: Vec<Expr>,
    brackets: Vec<Bracket>,
}

impl Parsed {
    fn expr(expr: Expr) -> Self {
        Self { common: vec![expr], brackets: Vec::new() }
    }

    /// The conditions, if there are no brackets; `position` describes where they are not allowed.
    fn without_brackets(self, position: &'static str, help: &str) -> Result<Vec<Expr>, QueryError> {
        match self.brackets.first() {
            None => Ok(self.common),
            Some(bracket) => {
                let kind = ErrorKind::MisplacedBracket(position);
                Err(QueryError::new(kind, bracket.variable.span).help(help))
            }
        }
    }
}

/// `a OR b`
fn any(cursor: &mut Cursor<'_>) -> Result<Parsed, QueryError> {
    let first = all(cursor)?;
    if !cursor.at(Keyword::Or) {
        return Ok(first);
    }
    let help = "a bracket filters its own source: join brackets with AND, and write alternatives \
                inside one as $a[… OR …]";
    let mut parts = Vec::new();
    parts.extend(Expr::all(first.without_brackets("beside OR", help)?));
    while cursor.eat(Keyword::Or)? {
        parts.extend(Expr::all(all(cursor)?.without_brackets("beside OR", help)?));
    }
    Ok(Parsed { common: Expr::any(parts).into_iter().collect(), brackets: Vec::new() })
}

/// `a AND b`
fn all(cursor: &mut Cursor<'_>) -> Result<Parsed, QueryError> {
    let mut read = single(cursor)?;
    while cursor.eat(Keyword::And)? {
        let next = single(cursor)?;
        read.common.extend(next.common);
        read.brackets.extend(next.brackets);
    }
    Ok(read)
}

/// `NOT a`, `(…)`, `$a[…]` or a test.
fn single(cursor: &mut Cursor<'_>) -> Result<Parsed, QueryError> {
    let start = cursor.span();
    if cursor.eat(Keyword::Not)? {
        cursor.enter()?;
        let help = "write $a[NOT …]: the bracket filters its own source";
        let inner = single(cursor)?.without_brackets("under NOT", help)?;
        cursor.leave();
        let Some(inner) = Expr::all(inner) else {
            return Err(cursor.unexpected());
        };
        return Ok(Parsed::expr(Expr::Not(Box::new(inner))));
    }
    if cursor.eat_sign("(")? {
        return group(cursor, start);
    }
    if cursor.at_string("a string") || cursor.at(Keyword::Exact) {
        return repeated(cursor).map(Parsed::expr);
    }
    if let Some(variable) = cursor.take_variable()? {
        return bracket(cursor, variable);
    }
    test(cursor)
}

/// Parses what follows an opening parenthesis.
fn group(cursor: &mut Cursor<'_>, opened: Span) -> Result<Parsed, QueryError> {
    cursor.enter()?;
    let outside = cursor.repeat;
    let read = any(cursor)?;
    cursor.close(")", opened)?;
    cursor.repeat = outside;
    cursor.leave();
    Ok(read)
}

/// Parses what follows `$variable`.
fn bracket(cursor: &mut Cursor<'_>, variable: Spanned<String>) -> Result<Parsed, QueryError> {
    let opened = cursor.span();
    if !cursor.eat_sign("[")? {
        return Err(cursor.unexpected());
    }
    cursor.enter()?;
    let outside = cursor.repeat.take();
    let help = "the outer bracket already selects the source";
    let inner = any(cursor)?.without_brackets("inside a bracket", help)?;
    cursor.close("]", opened)?;
    cursor.repeat = outside;
    cursor.leave();
    let Some(expr) = Expr::all(inner) else {
        return Err(cursor.unexpected());
    };
    Ok(Parsed { common: Vec::new(), brackets: vec![Bracket { variable, expr }] })
}

/// The short form: a string alone uses the field and comparison before it.
fn repeated(cursor: &mut Cursor<'_>) -> Result<Expr, QueryError> {
    let start = cursor.span();
    let is_regex = matches!(cursor.repeat, Some((_, TextOp::Matches)));
    let value = literal(cursor, is_regex)?;
    cursor.count_test()?;
    if is_regex {
        cursor.count_regex()?;
    }
    let Some((field, op)) = cursor.repeat else {
        let error = QueryError::new(ErrorKind::NothingToRepeat, value.span);
        return Err(error.help("write a field and a comparison before it: ITEM CONTAINS \"…\""));
    };
    let span = start.to(value.span);
    Ok(Expr::Test(Spanned::new(Test::Text { field, op, value }, span)))
}

/// A string, perhaps after EXACT; regular expressions always are exact.
fn literal(cursor: &mut Cursor<'_>, is_regex: bool) -> Result<Spanned<Literal>, QueryError> {
    let exact = !is_regex && cursor.eat(Keyword::Exact)?;
    let Spanned { value: text, span } = cursor.string("a string")?;
    Ok(Spanned::new(Literal { text, exact }, span))
}

fn test(cursor: &mut Cursor<'_>) -> Result<Parsed, QueryError> {
    cursor.count_test()?;
    let start = cursor.span();
    let fields = [
        (Keyword::Item, Field::Item),
        (Keyword::Title, Field::Title),
        (Keyword::Content, Field::Content),
        (Keyword::Author, Field::Author),
        (Keyword::Category, Field::Category),
        (Keyword::Link, Field::Link),
        (Keyword::Source, Field::Source),
    ];
    for (keyword, field) in fields {
        if cursor.eat(keyword)? {
            return text_test(cursor, field, start);
        }
    }
    if !cursor.eat(Keyword::Published)? {
        return Err(cursor.unexpected());
    }
    cursor.repeat = None;
    let test = Test::Published(published(cursor)?);
    Ok(Parsed::expr(Expr::Test(Spanned::new(test, start.to(cursor.last_span())))))
}

/// Parses what follows the name of a field.
fn text_test(cursor: &mut Cursor<'_>, field: Field, start: Span) -> Result<Parsed, QueryError> {
    let op = if cursor.eat(Keyword::Contains)? {
        TextOp::Contains
    } else if cursor.eat(Keyword::Matches)? {
        TextOp::Matches
    } else if cursor.eat_sign("=")? {
        TextOp::Equal
    } else if cursor.eat_sign("!=")? {
        TextOp::NotEqual
    } else if cursor.eat(Keyword::In)? {
        let values = list(cursor)?;
        cursor.repeat = None;
        let test = Test::OneOf { field, values };
        return Ok(Parsed::expr(Expr::Test(Spanned::new(test, start.to(cursor.last_span())))));
    } else {
        return Err(cursor.unexpected());
    };
    cursor.repeat = Some((field, op));
    let opened = cursor.span();
    if cursor.eat_sign("(")? {
        return group(cursor, opened);
    }
    if op == TextOp::Matches {
        cursor.count_regex()?;
    }
    let value = literal(cursor, op == TextOp::Matches)?;
    let test = Test::Text { field, op, value };
    Ok(Parsed::expr(Expr::Test(Spanned::new(test, start.to(cursor.last_span())))))
}

/// `("a", "b")`
fn list(cursor: &mut Cursor<'_>) -> Result<Vec<Spanned<Literal>>, QueryError> {
    let opened = cursor.span();
    if !cursor.eat_sign("(")? {
        return Err(cursor.unexpected());
    }
    let mut values = vec![literal(cursor, false)?];
    while cursor.eat_sign(",")? {
        cursor.count_test()?;
        values.push(literal(cursor, false)?);
    }
    cursor.close(")", opened)?;
    Ok(values)
}

/// Parses what follows `PUBLISHED`.
fn published(cursor: &mut Cursor<'_>) -> Result<PublishedTest, QueryError> {
    let signs = [
        ("<", Compare::Before),
        ("<=", Compare::NotAfter),
        (">", Compare::After),
        (">=", Compare::NotBefore),
        ("=", Compare::On),
        ("!=", Compare::NotOn),
    ];
    for (sign, compare) in signs {
        if cursor.eat_sign(sign)? {
            return Ok(PublishedTest::Compare(compare, moment(cursor)?));
        }
    }
    if cursor.eat(Keyword::Within)? {
        return Ok(PublishedTest::Within(options::period(cursor)?));
    }
    if !cursor.eat(Keyword::Between)? {
        return Err(cursor.unexpected());
    }
    let first_at = cursor.span();
    let first = moment(cursor)?;
    cursor.expect(Keyword::And)?;
    let last = moment(cursor)?;
    if first.start() >= last.end() {
        let span = first_at.to(cursor.last_span());
        return Err(QueryError::new(ErrorKind::BackwardsBetween, span));
    }
    Ok(PublishedTest::Between(first, last))
}

fn moment(cursor: &mut Cursor<'_>) -> Result<Moment, QueryError> {
    let text = cursor.string("a date in quotes")?;
    Moment::parse(&text.value).ok_or_else(|| {
        let error = QueryError::new(ErrorKind::BadDate(text.value), text.span);
        error.help("write it as \"2026-03-31\" or \"2026-03-31T12:00:00Z\"")
    })
}

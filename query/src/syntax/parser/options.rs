//! Parses options in any order: `WINDOW 50 KEEP 90 DAYS ORDER BY PUBLISHED WEIGHT 2.0 NOVEL`.

use super::super::tree::{OptionKind, Options, OrderBy, Period, Unit};
use super::cursor::Cursor;
use crate::error::{ErrorKind, QueryError};
use crate::keyword::Keyword;
use crate::span::Span;

/// The largest window.
const WINDOW: u32 = 1_000_000;
/// The largest weight.
const WEIGHT: f64 = 1_000_000.0;
/// The largest threshold of novelty; above it, every item is novel.
const NOVEL: f64 = 10.0;

/// Parses any number of options.
pub(super) fn options(cursor: &mut Cursor<'_>) -> Result<Options, QueryError> {
    let mut options = Options::default();
    loop {
        let at = cursor.span();
        if cursor.eat(Keyword::Window)? {
            once(options.window.is_none(), Keyword::Window, at)?;
            options.window = Some(whole(cursor, "a window", WINDOW)?);
        } else if cursor.eat(Keyword::Keep)? {
            once(options.keep.is_none(), Keyword::Keep, at)?;
            options.keep = Some(period(cursor)?);
        } else if cursor.eat(Keyword::Order)? {
            once(options.order.is_none(), Keyword::Order, at)?;
            cursor.expect(Keyword::By)?;
            options.order = Some(order(cursor)?);
        } else if cursor.eat(Keyword::Weight)? {
            once(options.weight.is_none(), Keyword::Weight, at)?;
            options.weight = Some(weight(cursor)?);
        } else if cursor.eat(Keyword::Novel)? {
            once(options.novel.is_none(), Keyword::Novel, at)?;
            options.novel = Some(novel(cursor)?);
        } else {
            return Ok(options);
        }
    }
}

/// Parses the names of options, at least one.
pub(super) fn option_kinds(cursor: &mut Cursor<'_>) -> Result<Vec<OptionKind>, QueryError> {
    let mut kinds = Vec::new();
    loop {
        let at = cursor.span();
        let (kind, word) = if cursor.eat(Keyword::Window)? {
            (OptionKind::Window, Keyword::Window)
        } else if cursor.eat(Keyword::Keep)? {
            (OptionKind::Keep, Keyword::Keep)
        } else if cursor.eat(Keyword::Order)? {
            cursor.expect(Keyword::By)?;
            (OptionKind::Order, Keyword::Order)
        } else if cursor.eat(Keyword::Weight)? {
            (OptionKind::Weight, Keyword::Weight)
        } else if cursor.eat(Keyword::Novel)? {
            (OptionKind::Novel, Keyword::Novel)
        } else if kinds.is_empty() {
            return Err(cursor.unexpected());
        } else {
            return Ok(kinds);
        };
        once(!kinds.contains(&kind), word, at)?;
        kinds.push(kind);
    }
}

/// Parses a period such as `7 DAYS`.
pub(super) fn period(cursor: &mut Cursor<'_>) -> Result<Period, QueryError> {
    let count = whole(cursor, "a length of time", u32::MAX)?;
    let units = [
        (Keyword::Seconds, Unit::Seconds),
        (Keyword::Minutes, Unit::Minutes),
        (Keyword::Hours, Unit::Hours),
        (Keyword::Days, Unit::Days),
        (Keyword::Weeks, Unit::Weeks),
    ];
    for (keyword, unit) in units {
        if cursor.eat(keyword)? {
            return Ok(Period { count, unit });
        }
    }
    Err(cursor.unexpected())
}

fn order(cursor: &mut Cursor<'_>) -> Result<OrderBy, QueryError> {
    if cursor.eat(Keyword::Published)? {
        Ok(OrderBy::Published)
    } else if cursor.eat(Keyword::Source)? {
        Ok(OrderBy::Source)
    } else {
        Err(cursor.unexpected())
    }
}

fn weight(cursor: &mut Cursor<'_>) -> Result<f64, QueryError> {
    let number = cursor.number("a number")?;
    match number.value.parse::<f64>() {
        Ok(weight) if weight > 0.0 && weight <= WEIGHT => Ok(weight),
        _ => Err(out_of_range("a weight", "above 0 and at most 1000000", number.span)),
    }
}

/// The threshold after NOVEL, or the default.
fn novel(cursor: &mut Cursor<'_>) -> Result<f64, QueryError> {
    if !cursor.at_number("a number") {
        return Ok(Options::NOVEL);
    }
    let number = cursor.number("a number")?;
    match number.value.parse::<f64>() {
        Ok(beta) if (0.0..=NOVEL).contains(&beta) => Ok(beta),
        _ => Err(out_of_range("the threshold of NOVEL", "from 0 to 10", number.span)),
    }
}

/// A whole number from 1 to `most`.
fn whole(cursor: &mut Cursor<'_>, what: &'static str, most: u32) -> Result<u32, QueryError> {
    let number = cursor.number("a number")?;
    match number.value.parse::<u32>() {
        Ok(value) if value > 0 && value <= most => Ok(value),
        _ if most == WINDOW => {
            Err(out_of_range(what, "a whole number from 1 to 1000000", number.span))
        }
        _ => Err(out_of_range(what, "a whole number, at least 1", number.span)),
    }
}

fn out_of_range(what: &'static str, must: &'static str, span: Span) -> QueryError {
    QueryError::new(ErrorKind::OutOfRange { what, must }, span)
}

fn once(first: bool, keyword: Keyword, span: Span) -> Result<(), QueryError> {
    if first { Ok(()) } else { Err(QueryError::new(ErrorKind::DuplicateOption(keyword), span)) }
}

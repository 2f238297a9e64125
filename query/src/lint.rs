//! Warnings about filters that are valid but probably wrong: nothing passes, everything passes, or a
//! variable is unused.
//!
//! The checks are simple: contradicting neighbours, times that do not overlap, one text that must equal
//! two values.

use crate::error::{ErrorKind, QueryError};
use crate::syntax::{Compare, Expr, FeedBody, Field, PublishedTest, Span, Spanned, Test, TextOp};
use crate::text::Phrase;

/// Warnings about a feed; show them with [`QueryError::render_warning`].
pub fn warnings(body: &FeedBody) -> Vec<QueryError> {
    let mut found = Vec::new();
    for variable in body.sources.iter().filter_map(|clause| clause.variable.as_ref()) {
        if !body.filter.brackets.iter().any(|bracket| bracket.variable == *variable) {
            let kind = ErrorKind::UnusedVariable(variable.value.clone());
            found.push(QueryError::new(kind, variable.span));
        }
    }
    let common = body.filter.common.iter();
    let brackets = body.filter.brackets.iter().map(|bracket| &bracket.expr);
    for expr in common.chain(brackets) {
        inspect(expr, &mut found);
    }
    found
}

fn inspect(expr: &Expr, found: &mut Vec<QueryError>) {
    match expr {
        Expr::And(parts) => {
            if let Some(span) = opposites(parts) {
                let why = "it contradicts another condition beside it".to_owned();
                found.push(QueryError::new(ErrorKind::Contradiction(why), span));
            }
            found.extend(disjoint_times(parts));
            found.extend(two_values_for_one_text(parts));
            parts.iter().for_each(|part| inspect(part, found));
        }
        Expr::Or(parts) => {
            if let Some(span) = opposites(parts) {
                let why = "it is the opposite of another alternative".to_owned();
                found.push(QueryError::new(ErrorKind::Tautology(why), span));
            }
            parts.iter().for_each(|part| inspect(part, found));
        }
        Expr::Not(inner) => inspect(inner, found),
        Expr::Test(_) => {}
    }
}

/// The position of a part that is the opposite of another.
fn opposites(parts: &[Expr]) -> Option<Span> {
    // Limited, because it compares each part with each other.
    let few = parts.get(..parts.len().min(200))?;
    few.iter().find_map(|part| match part {
        Expr::Not(inner) if few.contains(inner) => position(part),
        Expr::Test(Spanned { value: Test::Text { field, op: TextOp::NotEqual, value }, span }) => {
            let equal = Test::Text { field: *field, op: TextOp::Equal, value: value.clone() };
            few.contains(&Expr::from(equal)).then_some(*span)
        }
        _ => None,
    })
}

fn disjoint_times(parts: &[Expr]) -> Option<QueryError> {
    let (mut from, mut to) = (i64::MIN, i64::MAX);
    for part in parts {
        let Expr::Test(Spanned { value: Test::Published(test), span }) = part else {
            continue;
        };
        let (start, end) = match test {
            PublishedTest::Compare(Compare::Before, moment) => (i64::MIN, moment.start()),
            PublishedTest::Compare(Compare::NotAfter, moment) => (i64::MIN, moment.end()),
            PublishedTest::Compare(Compare::After, moment) => (moment.end(), i64::MAX),
            PublishedTest::Compare(Compare::NotBefore, moment) => (moment.start(), i64::MAX),
            PublishedTest::Compare(Compare::On, moment) => (moment.start(), moment.end()),
            PublishedTest::Between(first, last) => (first.start(), last.end()),
            PublishedTest::Compare(Compare::NotOn, _) | PublishedTest::Within(_) => continue,
        };
        (from, to) = (from.max(start), to.min(end));
        if from >= to {
            let why = "the times do not overlap".to_owned();
            return Some(QueryError::new(ErrorKind::Contradiction(why), *span));
        }
    }
    None
}

fn two_values_for_one_text(parts: &[Expr]) -> Option<QueryError> {
    let mut known: Vec<(Field, Phrase)> = Vec::new();
    for part in parts {
        let Expr::Test(Spanned { value: Test::Text { field, op: TextOp::Equal, value }, span }) =
            part
        else {
            continue;
        };
        // The beginning of a word equals many values, also that of another.
        let Some(phrase) = Phrase::new(&value.value.text, false).filter(|it| !it.is_open()) else {
            continue;
        };
        let single = matches!(field, Field::Title | Field::Content | Field::Link);
        if single && known.iter().any(|(other, known)| other == field && *known != phrase) {
            let why = format!("{field} cannot equal two values at once");
            return Some(QueryError::new(ErrorKind::Contradiction(why), *span));
        }
        known.push((*field, phrase));
    }
    None
}

/// The position of the first test of a condition.
fn position(expr: &Expr) -> Option<Span> {
    let mut first = None;
    expr.each_test(&mut |test| {
        first.get_or_insert(test.span);
    });
    first
}

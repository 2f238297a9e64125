//! The words that make a feed keep an item.
//!
//! They come from the query and are not learnt, so that feeds of different nodes can be compared before
//! they have published anything.

use std::collections::BTreeSet;

use crate::syntax::{Expr, FeedBody, Field, Test, TextOp};
use crate::text::Phrase;

/// The words and phrases that a feed asks for, folded as in the matcher, in order, without those that
/// it excludes and without addresses. The beginning of a word counts as a word.
pub fn profile(body: &FeedBody) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    body.filter.exprs().for_each(|expr| collect(expr, true, &mut found));
    found
}

/// `wanted`: whether passing the expression helps an item to be kept.
fn collect(expr: &Expr, wanted: bool, found: &mut BTreeSet<String>) {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => {
            parts.iter().for_each(|part| collect(part, wanted, found));
        }
        Expr::Not(inner) => collect(inner, !wanted, found),
        Expr::Test(test) => {
            let (field, values, positive) = match &test.value {
                Test::Text { field, op: TextOp::Contains | TextOp::Equal, value } => {
                    (field, std::slice::from_ref(value), true)
                }
                Test::Text { field, op: TextOp::NotEqual, value } => {
                    (field, std::slice::from_ref(value), false)
                }
                Test::OneOf { field, values } => (field, values.as_slice(), true),
                // Patterns and dates are not words.
                Test::Text { op: TextOp::Matches, .. } | Test::Published(_) => return,
            };
            if positive == wanted && !matches!(field, Field::Link | Field::Source) {
                let phrases =
                    values.iter().filter_map(|value| Phrase::new(&value.value.text, false));
                found.extend(phrases.map(|phrase| phrase.words().collect::<Vec<_>>().join(" ")));
            }
        }
    }
}

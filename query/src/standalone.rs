//! Evaluates one feed by itself: the reference for the meaning of a query.
//!
//! The matcher must give the same answers; tests and benchmarks compare it with this. It is also useful
//! for a single query, for example to try one.

use memchr::memmem;

use crate::condition::{Condition, Wanted};
use crate::error::QueryError;
use crate::item::{FieldSet, ItemView};
use crate::syntax::{Expr, FeedBody};
use crate::text::{Form, Phrase, normal_form};

/// An item with its texts in normal form.
#[derive(Clone, Debug)]
pub struct PreparedItem<'a> {
    view: ItemView<'a>,
    values: Vec<(FieldSet, Normal)>,
}

/// A text in both forms.
#[derive(Clone, Debug)]
struct Normal {
    folded: String,
    /// `None` if both are equal.
    exact: Option<String>,
}

impl Normal {
    fn new(text: &str) -> Self {
        let exact = || normal_form(text, Form::Exact);
        Self { folded: normal_form(text, Form::Folded), exact: (!text.is_ascii()).then(exact) }
    }

    fn contains(&self, phrase: &Phrase, whole: bool) -> bool {
        let (wanted, form) = phrase.wanted();
        let text = self.exact.as_ref().filter(|_| form == Form::Exact).unwrap_or(&self.folded);
        if !whole {
            return memmem::find(text.as_bytes(), wanted.as_bytes()).is_some();
        }
        text.strip_prefix(wanted).is_some_and(|rest| match phrase.is_open() {
            // The rest of the last word, and the space after it.
            true => rest.find(' ') == Some(rest.len() - 1),
            false => rest.is_empty(),
        })
    }
}

impl<'a> PreparedItem<'a> {
    /// Normalises the texts once, for any number of queries.
    pub fn new(view: ItemView<'a>) -> Self {
        let values = view.values().map(|(field, text)| (field, Normal::new(text))).collect();
        Self { view, values }
    }

    fn has(&self, wanted: &Wanted<Phrase>) -> bool {
        self.values.iter().any(|(field, text)| {
            field.meets(wanted.fields) && text.contains(&wanted.phrase, wanted.whole)
        })
    }
}

/// The filters of one feed, one for each of its sources.
#[derive(Clone, Debug)]
pub struct FeedFilter {
    /// One for each source clause; `None` if every item passes.
    clauses: Vec<Option<Condition<Phrase>>>,
}

impl FeedFilter {
    /// Compiles the filters of a feed.
    pub fn compile(body: &FeedBody) -> Result<Self, QueryError> {
        let clause = |variable: Option<&str>| {
            let expr = body.filter.for_variable(variable);
            expr.map(|expr| Condition::compile(&expr, &mut |phrase| phrase)).transpose()
        };
        let variables = body.sources.iter().map(|source| source.variable.as_ref());
        let clauses = variables.map(|variable| clause(variable.map(|name| name.value.as_str())));
        Ok(Self { clauses: clauses.collect::<Result<_, _>>()? })
    }

    /// Whether the feed keeps an item of the source clause with this index.
    pub fn keeps(&self, clause: usize, item: &PreparedItem<'_>, now: i64) -> bool {
        match self.clauses.get(clause) {
            None => false,
            Some(None) => true,
            Some(Some(condition)) => condition.holds(&item.view, now, &|has| item.has(has)),
        }
    }
}

/// The tests of a feed's filter that an item of the source clause with this index passes, as they are written; what
/// is excluded is not among them. Nothing for a clause that takes every item.
pub fn reasons(
    body: &FeedBody,
    clause: usize,
    item: &PreparedItem<'_>,
    now: i64,
) -> Result<Vec<String>, QueryError> {
    let variable = body.sources.get(clause).and_then(|clause| clause.variable.as_ref());
    let expr = body.filter.for_variable(variable.map(|name| name.value.as_str()));
    let mut reasons = Vec::new();
    if let Some(expr) = &expr {
        collect(expr, item, now, &mut reasons)?;
    }
    Ok(reasons)
}

fn collect(
    expr: &Expr,
    item: &PreparedItem<'_>,
    now: i64,
    reasons: &mut Vec<String>,
) -> Result<(), QueryError> {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => {
            parts.iter().try_for_each(|part| collect(part, item, now, reasons))
        }
        Expr::Not(_) => Ok(()),
        Expr::Test(_) => {
            let condition = Condition::compile(expr, &mut |phrase| phrase)?;
            let told = expr.to_string();
            if condition.holds(&item.view, now, &|has| item.has(has)) && !reasons.contains(&told) {
                reasons.push(told);
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Statement, parse};

    #[test]
    fn an_item_has_the_tests_that_it_passes_as_reasons() {
        let text = r#"CREATE FEED F AS RETURN "https://a/" AS $a | "https://b/"
            WHERE ITEM CONTAINS "lava" OR "ash" OR "smoke" AND NOT TITLE CONTAINS "film"
            AND $a[AUTHOR = "Ann"];"#;
        let text =
            &text.replace(r#""lava" OR "ash" OR "smoke""#, r#"("lava" OR "ash" OR "smoke")"#);
        let script = parse(text).unwrap();
        let Statement::Create(feed) = &script.statements[0].value else { panic!() };
        let view = ItemView { title: "Ash and lava", authors: &["Ann"], ..ItemView::default() };
        let item = PreparedItem::new(view);
        let lava = r#"ITEM CONTAINS "lava""#.to_owned();
        let ash = r#"ITEM CONTAINS "ash""#.to_owned();
        let ann = r#"AUTHOR = "Ann""#.to_owned();
        assert_eq!(reasons(&feed.body, 0, &item, 0).unwrap(), [lava.clone(), ash.clone(), ann]);
        assert_eq!(reasons(&feed.body, 1, &item, 0).unwrap(), [lava, ash]);
    }
}

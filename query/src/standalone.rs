//! Evaluates one feed by itself: the reference for the meaning of a query.
//!
//! The matcher must give the same answers; tests and benchmarks compare it with this. It is also useful
//! for a single query, for example to try one.

use memchr::memmem;

use crate::condition::{Condition, Wanted};
use crate::error::QueryError;
use crate::item::{FieldSet, ItemView};
use crate::syntax::FeedBody;
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

//! Evaluates one feed by itself: the reference for the meaning of a query.
//!
//! The matcher must give the same answers; tests and benchmarks compare it with this. It is also useful
//! for a single query, for example to try one.

use memchr::memmem;

use crate::condition::{Condition, Wanted};
use crate::error::QueryError;
use crate::item::{FieldSet, ItemView};
use crate::syntax::FeedBody;
use crate::text::normalise;

/// An item with its texts in normal form.
#[derive(Clone, Debug)]
pub struct PreparedItem<'a> {
    view: ItemView<'a>,
    values: Vec<(FieldSet, String)>,
}

impl<'a> PreparedItem<'a> {
    /// Normalises the texts once, for any number of queries.
    pub fn new(view: ItemView<'a>) -> Self {
        let values = view.values().map(|(field, text)| (field, normalise(text))).collect();
        Self { view, values }
    }

    fn has(&self, wanted: &Wanted<String>) -> bool {
        self.values.iter().any(|(field, text)| {
            field.meets(wanted.fields)
                && if wanted.whole {
                    *text == wanted.phrase
                } else {
                    memmem::find(text.as_bytes(), wanted.phrase.as_bytes()).is_some()
                }
        })
    }
}

/// The filters of one feed, one for each of its sources.
#[derive(Clone, Debug)]
pub struct FeedFilter {
    /// One for each source clause; `None` if every item passes.
    clauses: Vec<Option<Condition<String>>>,
}

impl FeedFilter {
    /// Compiles the filters of a feed.
    pub fn compile(body: &FeedBody) -> Result<Self, QueryError> {
        let clause = |variable: Option<&str>| {
            let expr = body.filter.for_variable(variable);
            expr.map(|expr| Condition::compile(&expr, &mut |normal| normal)).transpose()
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

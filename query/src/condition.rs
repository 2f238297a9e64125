//! Conditions that are ready to evaluate.
//!
//! They are compiled from trees: regular expressions are built, IN and != are expressed by simpler
//! conditions, and each phrase is replaced by a value of type `P`. It is generic because there are two
//! evaluators, which must always agree: `standalone` evaluates one query, and a phrase is a text;
//! `matcher` evaluates all queries at once, and a phrase is a number.

use regex::{Regex, RegexBuilder};

use crate::error::{ErrorKind, QueryError};
use crate::item::{FieldSet, ItemView};
use crate::syntax::{Compare, Expr, Literal, PublishedTest, Span, Spanned, Test, TextOp};
use crate::text::Phrase;

/// Size limit of a compiled regular expression, in bytes.
const REGEX_SIZE: usize = 256 << 10;

/// A condition over phrases of type `P`.
#[derive(Clone, Debug)]
pub(crate) enum Condition<P> {
    All(Vec<Condition<P>>),
    Any(Vec<Condition<P>>),
    Not(Box<Condition<P>>),
    /// The item contains a phrase.
    Has(Wanted<P>),
    /// A field matches a regular expression.
    Fits(FieldSet, Regex),
    /// The time of publication passes the test.
    Published(PublishedTest),
}

/// A phrase to find in some fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted<P> {
    pub(crate) phrase: P,
    pub(crate) fields: FieldSet,
    /// Whether it must be the whole text.
    pub(crate) whole: bool,
}

impl<P> Condition<P> {
    /// Compiles a tree; `intern` converts phrases.
    pub(crate) fn compile(
        expr: &Expr,
        intern: &mut impl FnMut(Phrase) -> P,
    ) -> Result<Self, QueryError> {
        let mut each = |parts: &[Expr]| -> Result<Vec<Self>, QueryError> {
            parts.iter().map(|part| Self::compile(part, intern)).collect()
        };
        Ok(match expr {
            Expr::And(parts) => Self::All(each(parts)?),
            Expr::Or(parts) => Self::Any(each(parts)?),
            Expr::Not(inner) => Self::Not(Box::new(Self::compile(inner, intern)?)),
            Expr::Test(test) => Self::compile_test(test, intern)?,
        })
    }

    fn compile_test(
        test: &Spanned<Test>,
        intern: &mut impl FnMut(Phrase) -> P,
    ) -> Result<Self, QueryError> {
        let mut has = |field, value: &Spanned<Literal>, whole| {
            let Literal { text, exact } = &value.value;
            let Some(phrase) = Phrase::new(text, *exact) else {
                return Err(QueryError::new(ErrorKind::EmptyPhrase, value.span));
            };
            let fields = FieldSet::of(field);
            Ok(Self::Has(Wanted { phrase: intern(phrase), fields, whole }))
        };
        Ok(match &test.value {
            Test::Text { field, op: TextOp::Contains, value } => has(*field, value, false)?,
            Test::Text { field, op: TextOp::Equal, value } => has(*field, value, true)?,
            Test::Text { field, op: TextOp::NotEqual, value } => {
                Self::Not(Box::new(has(*field, value, true)?))
            }
            Test::Text { field, op: TextOp::Matches, value } => {
                Self::Fits(FieldSet::of(*field), regex(&value.value.text, value.span)?)
            }
            Test::OneOf { field, values } => {
                let each = values.iter().map(|value| has(*field, value, true));
                Self::Any(each.collect::<Result<_, _>>()?)
            }
            Test::Published(published) => Self::Published(*published),
        })
    }

    /// The same condition with phrases of another type.
    pub(crate) fn map_phrases<Q>(self, rename: &mut impl FnMut(P) -> Q) -> Condition<Q> {
        let mut each = |parts: Vec<Self>| -> Vec<Condition<Q>> {
            parts.into_iter().map(|part| part.map_phrases(rename)).collect()
        };
        match self {
            Self::All(parts) => Condition::All(each(parts)),
            Self::Any(parts) => Condition::Any(each(parts)),
            Self::Not(inner) => Condition::Not(Box::new(inner.map_phrases(rename))),
            Self::Has(Wanted { phrase, fields, whole }) => {
                Condition::Has(Wanted { phrase: rename(phrase), fields, whole })
            }
            Self::Fits(fields, regex) => Condition::Fits(fields, regex),
            Self::Published(test) => Condition::Published(test),
        }
    }

    /// The fields that must be searched for phrases.
    pub(crate) fn searched(&self) -> FieldSet {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                let each = parts.iter().map(Self::searched);
                each.fold(FieldSet::default(), FieldSet::with)
            }
            Self::Not(inner) => inner.searched(),
            Self::Has(wanted) => wanted.fields,
            Self::Fits(..) | Self::Published(_) => FieldSet::default(),
        }
    }

    /// Whether the condition holds for an item at the time `now`; `has` finds phrases.
    pub(crate) fn holds(
        &self,
        item: &ItemView<'_>,
        now: i64,
        has: &impl Fn(&Wanted<P>) -> bool,
    ) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(item, now, has)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(item, now, has)),
            Self::Not(inner) => !inner.holds(item, now, has),
            Self::Has(wanted) => has(wanted),
            Self::Fits(fields, regex) => {
                let mut values = item.values();
                values.any(|(field, text)| field.meets(*fields) && regex.is_match(text))
            }
            Self::Published(test) => item.published.is_some_and(|time| in_time(test, time, now)),
        }
    }

    /// Phrases of which an item must contain at least one to pass (`wanted` true) or to fail (`wanted`
    /// false) the condition. `None` if there are no such phrases. Of several sets, the least likely one
    /// according to `likelihood`.
    pub(crate) fn required(
        &self,
        wanted: bool,
        likelihood: &impl Fn(&P) -> f64,
    ) -> Option<Vec<&Wanted<P>>> {
        match self {
            Self::Not(inner) => inner.required(!wanted, likelihood),
            Self::Has(phrase) if wanted => Some(vec![phrase]),
            Self::Has(_) | Self::Fits(..) | Self::Published(_) => None,
            // An item that passes all parts passes each one, so the set of any part is enough. An item
            // that fails "any" fails each part, likewise.
            Self::All(parts) if wanted => least(parts, wanted, likelihood),
            Self::Any(parts) if !wanted => least(parts, wanted, likelihood),
            Self::All(parts) | Self::Any(parts) => {
                let sets: Option<Vec<_>> =
                    parts.iter().map(|part| part.required(wanted, likelihood)).collect();
                Some(sets?.concat())
            }
        }
    }

    /// Whether any single one of its phrases is enough to pass.
    pub(crate) fn is_any_phrase(&self) -> bool {
        match self {
            Self::Has(_) => true,
            Self::Any(parts) => parts.iter().all(Self::is_any_phrase),
            _ => false,
        }
    }
}

fn least<'c, P>(
    parts: &'c [Condition<P>],
    wanted: bool,
    likelihood: &impl Fn(&P) -> f64,
) -> Option<Vec<&'c Wanted<P>>> {
    let total = |set: &[&Wanted<P>]| set.iter().map(|has| likelihood(&has.phrase)).sum::<f64>();
    parts
        .iter()
        .filter_map(|part| part.required(wanted, likelihood))
        .min_by(|a, b| total(a).total_cmp(&total(b)))
}

/// A guess at how likely an item contains a phrase with this many letters: longer ones are rarer.
pub(crate) fn guessed_likelihood(letters: usize) -> f64 {
    1.0 / (1.0 + letters as f64).powi(2)
}

/// Builds a regular expression within the size limit. Matching takes linear time.
pub(crate) fn regex(pattern: &str, span: Span) -> Result<Regex, QueryError> {
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(REGEX_SIZE).dfa_size_limit(REGEX_SIZE).nest_limit(64);
    builder.build().map_err(|error| {
        let message = match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The last line is the reason; the others repeat the pattern.
            other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        };
        let message = message.trim_start_matches("error: ").to_owned();
        QueryError::new(ErrorKind::BadRegex(message), span)
    })
}

/// Whether a time of publication passes a test at the time `now`.
fn in_time(test: &PublishedTest, time: i64, now: i64) -> bool {
    match test {
        PublishedTest::Compare(compare, moment) => match compare {
            Compare::Before => time < moment.start(),
            Compare::NotAfter => time < moment.end(),
            Compare::After => time >= moment.end(),
            Compare::NotBefore => time >= moment.start(),
            Compare::On => (moment.start()..moment.end()).contains(&time),
            Compare::NotOn => !(moment.start()..moment.end()).contains(&time),
        },
        PublishedTest::Between(first, last) => (first.start()..last.end()).contains(&time),
        PublishedTest::Within(period) => time >= now.saturating_sub(period.seconds()),
    }
}

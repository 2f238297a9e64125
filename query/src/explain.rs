//! The answer to `EXPLAIN`: what a feed reads, how much of it passes, and what it costs.

use std::fmt::{self, Display, Formatter};

use crate::condition::{Condition, Wanted, guessed_likelihood};
use crate::error::QueryError;
use crate::ids::{QueryId, SourceId};
use crate::selectivity::{Estimate, Selectivity};
use crate::syntax::{FeedBody, SourceClause, SourceRef};
use crate::text::Phrase;

/// The explanation of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub feed: String,
    /// One entry for each source clause.
    pub reads: Vec<Read>,
    pub cost: Cost,
}

/// One source clause of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub clause: SourceClause,
    /// The filter; `None` if every item passes.
    pub keeps: Option<String>,
    pub found_by: FoundBy,
    /// The share of items that passes, for each source that the clause resolves to.
    pub shares: Vec<(SourceId, Estimate)>,
}

/// Which items are evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// None: every item passes.
    Everything,
    /// Items that contain one of these phrases.
    Phrases(Vec<String>),
    /// Every item of the source.
    EveryItem,
}

/// What a feed costs a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Sources that must be refreshed.
    pub sources: usize,
    /// Distinct phrases; other feeds may share their cost.
    pub phrases: usize,
    /// Regular expressions; their cost is not shared.
    pub regexes: usize,
    /// Sources of which every item is evaluated.
    pub every_item: usize,
}

/// Explains a feed. `resolve` returns the sources of a clause; `query` is the id under which the
/// selectivity of the feed was learnt.
pub fn explain(
    feed: &str,
    body: &FeedBody,
    query: QueryId,
    selectivity: &Selectivity,
    now: i64,
    mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
) -> Result<Explanation, QueryError> {
    let mut cost = Cost::default();
    let mut phrases = Vec::new();
    for expr in body.filter.exprs() {
        tally(&Condition::compile(expr, &mut |phrase| phrase)?, &mut phrases, &mut cost);
    }
    phrases.sort_unstable();
    phrases.dedup();
    cost.phrases = phrases.len();

    let mut reads = Vec::with_capacity(body.sources.len());
    for clause in &body.sources {
        let variable = clause.variable.as_ref().map(|name| name.value.as_str());
        let expr = body.filter.for_variable(variable);
        let compile = |expr| Condition::compile(expr, &mut |phrase| phrase);
        let condition = expr.as_ref().map(compile).transpose()?;
        let sources = resolve(&clause.source.value);
        let found_by = found_by(condition.as_ref());
        cost.sources += sources.len();
        cost.every_item += if found_by == FoundBy::EveryItem { sources.len() } else { 0 };
        let share = |source| (source, selectivity.estimate(source, query, now));
        reads.push(Read {
            clause: clause.clone(),
            keeps: expr.map(|expr| expr.to_string()),
            found_by,
            shares: sources.into_iter().map(share).collect(),
        });
    }
    Ok(Explanation { feed: feed.to_owned(), reads, cost })
}

fn found_by(condition: Option<&Condition<Phrase>>) -> FoundBy {
    let Some(condition) = condition else {
        return FoundBy::Everything;
    };
    match condition.required(true, &|phrase: &Phrase| guessed_likelihood(phrase.letters())) {
        None => FoundBy::EveryItem,
        Some(wanted) => {
            let mut phrases: Vec<String> = Vec::new();
            for Wanted { phrase, .. } in wanted {
                let shown = phrase.shown();
                if !phrases.contains(&shown) {
                    phrases.push(shown);
                }
            }
            FoundBy::Phrases(phrases)
        }
    }
}

fn tally(condition: &Condition<Phrase>, phrases: &mut Vec<Phrase>, cost: &mut Cost) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| tally(part, phrases, cost));
        }
        Condition::Not(inner) => tally(inner, phrases, cost),
        Condition::Has(wanted) => phrases.push(wanted.phrase.clone()),
        Condition::Fits(..) => cost.regexes += 1,
        Condition::Published(_) => {}
    }
}

impl Read {
    /// The share over all sources of the clause.
    pub fn share(&self) -> Estimate {
        self.shares.iter().fold(Estimate::NOTHING, |sum, (_, estimate)| sum.plus(*estimate))
    }
}

impl Display for Explanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "feed {} reads {}", self.feed, counted(self.cost.sources, "source"))?;
        for read in &self.reads {
            writeln!(f, "  {}", read.clause)?;
            if read.shares.len() != 1 {
                writeln!(f, "    resolves to {}", counted(read.shares.len(), "source"))?;
            }
            match &read.keeps {
                Some(filter) => writeln!(f, "    keeps {filter}")?,
                None => writeln!(f, "    keeps every item")?,
            }
            writeln!(f, "    evaluates {}", read.found_by)?;
            let share = read.share();
            match share.known() {
                None => writeln!(f, "    passes: not known yet, because no item has come")?,
                Some(known) => {
                    let (percent, doubt) = (known * 100.0, share.deviation() * 100.0);
                    let seen = counted(share.seen.round() as usize, "item");
                    writeln!(f, "    passes {percent:.1} % ± {doubt:.1}, learnt from {seen}")?;
                }
            }
        }
        let Cost { phrases, regexes, every_item, .. } = self.cost;
        let (phrases, regexes) =
            (counted(phrases, "phrase"), counted(regexes, "regular expression"));
        write!(f, "costs a search for {phrases}, {regexes}, ")?;
        match every_item {
            0 => writeln!(f, "and nothing for items without the phrases"),
            some => writeln!(f, "and an evaluation of every item of {}", counted(some, "source")),
        }
    }
}

impl Display for FoundBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        match self {
            Self::Everything => f.write_str("no item, because all pass"),
            Self::EveryItem => f.write_str("every item"),
            Self::Phrases(phrases) => {
                f.write_str("items with ")?;
                for (index, phrase) in phrases.iter().take(SHOWN).enumerate() {
                    write!(f, "{}\"{phrase}\"", if index == 0 { "" } else { " or " })?;
                }
                match phrases.len().checked_sub(SHOWN) {
                    Some(more @ 1..) => write!(f, " or one of {more} more"),
                    _ => Ok(()),
                }
            }
        }
    }
}

fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

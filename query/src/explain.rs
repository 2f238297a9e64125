//! The answer to `EXPLAIN`: what a feed reads, how much of it passes, and what that costs.

use std::fmt::{self, Display, Formatter};

use crate::condition::{Condition, Wanted, guessed_likelihood};
use crate::error::QueryError;
use crate::matcher::{QueryId, SourceId};
use crate::selectivity::{Estimate, Selectivity};
use crate::syntax::{FeedBody, SourceClause, SourceRef};

/// What there is to know about a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Its name.
    pub feed: String,
    /// What it reads, as written.
    pub reads: Vec<Read>,
    /// What it costs.
    pub cost: Cost,
}

/// One source clause of a feed.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// What is read.
    pub clause: SourceClause,
    /// What its items must fulfil; nothing: it is kept whole.
    pub keeps: Option<String>,
    /// How items come to be looked at.
    pub found_by: FoundBy,
    /// The share that passes of each source the clause stands for.
    pub shares: Vec<(SourceId, Estimate)>,
}

/// How items come to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// Every item passes, unseen.
    Everything,
    /// Only items that have one of these phrases.
    Phrases(Vec<String>),
    /// The filter is evaluated for every item of the source.
    EveryItem,
}

/// What a feed costs a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Sources it needs refreshed.
    pub sources: usize,
    /// Different phrases to look for, which it may share with other feeds.
    pub phrases: usize,
    /// Regular expressions, which it shares with none.
    pub regexes: usize,
    /// Sources every item of which must be evaluated.
    pub every_item: usize,
}

/// Explains a feed. `resolve` says which sources a clause stands for, `query` under which id the feed's
/// selectivity was learnt.
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
        tally(&Condition::compile(expr, &mut |normal| normal)?, &mut phrases, &mut cost);
    }
    phrases.sort_unstable();
    phrases.dedup();
    cost.phrases = phrases.len();

    let mut reads = Vec::with_capacity(body.sources.len());
    for clause in &body.sources {
        let variable = clause.variable.as_ref().map(|name| name.value.as_str());
        let expr = body.filter.for_variable(variable);
        let compile = |expr| Condition::compile(expr, &mut |normal| normal);
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

fn found_by(condition: Option<&Condition<String>>) -> FoundBy {
    let Some(condition) = condition else {
        return FoundBy::Everything;
    };
    let letters = |phrase: &String| phrase.chars().filter(|c| *c != ' ').count();
    match condition.required(true, &|phrase| guessed_likelihood(letters(phrase))) {
        None => FoundBy::EveryItem,
        Some(wanted) => {
            let mut phrases: Vec<String> = Vec::new();
            for Wanted { phrase, .. } in wanted {
                let shown = phrase.trim().to_owned();
                if !phrases.contains(&shown) {
                    phrases.push(shown);
                }
            }
            FoundBy::Phrases(phrases)
        }
    }
}

fn tally(condition: &Condition<String>, phrases: &mut Vec<String>, cost: &mut Cost) {
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
    /// All its sources taken together.
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
                writeln!(f, "    stands for {}", counted(read.shares.len(), "source"))?;
            }
            match &read.keeps {
                Some(filter) => writeln!(f, "    keeps {filter}")?,
                None => writeln!(f, "    keeps every item")?,
            }
            writeln!(f, "    looks at {}", read.found_by)?;
            let share = read.share();
            let percent = share.share() * 100.0;
            let doubt = share.deviation() * 100.0;
            let seen = share.seen;
            writeln!(f, "    passes {percent:.1} % ± {doubt:.1}, learnt from {seen:.0} items")?;
        }
        let Cost { phrases, regexes, every_item, .. } = self.cost;
        let (phrases, regexes) =
            (counted(phrases, "phrase"), counted(regexes, "regular expression"));
        write!(f, "costs {phrases} to look for, {regexes}, ")?;
        match every_item {
            0 => writeln!(f, "and nothing for items without its phrases"),
            some => writeln!(f, "and an evaluation for every item of {}", counted(some, "source")),
        }
    }
}

impl Display for FoundBy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        /// More would not be read.
        const SHOWN: usize = 8;
        match self {
            Self::Everything => f.write_str("no item: all pass"),
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

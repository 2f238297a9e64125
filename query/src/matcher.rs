//! Decides for all feeds at once which of them keep an item.
//!
//! Every phrase of every query is a path in one automaton over words (`phrases`). One pass over the
//! texts of an item finds its phrases. Each phrase leads to the few rules that cannot hold without it
//! (`index`), and only these are evaluated. Rules without a required phrase are stored by source, so
//! that an item meets only those that read its source.
//!
//! The automaton reads words and not characters. So it needs no check of word boundaries, a pass has
//! fewer steps, and each phrase has its own path: adding or removing a query takes time for its own
//! phrases only, and nothing is ever rebuilt. Automata over characters (aho-corasick, daachorse) are
//! slower and must be rebuilt for every change; benches/matching compares them.
//!
//! Invariant: the answers equal those of `standalone`, for every query and item.

mod entries;
mod found;
mod index;
mod phrases;
mod prefixes;
mod program;
mod readers;
mod scratch;
mod text;
mod word;

use rustc_hash::FxHashMap;

use crate::condition::Condition;
use crate::error::QueryError;
use crate::ids::{QueryId, SourceId};
use crate::item::{FieldSet, ItemView};
use crate::syntax::{FeedBody, SourceRef};
use crate::text::Phrase;

pub use found::Match;
use found::{NOWHERE, Slot};
use index::{Index, Owner, Rule};
use phrases::Phrases;
pub use scratch::Scratch;
use word::PhraseId;

/// All standing queries of a node.
#[derive(Debug, Default)]
pub struct Matcher {
    phrases: Phrases,
    index: Index,
    queries: FxHashMap<QueryId, Registered>,
    sources: FxHashMap<SourceId, Slot>,
    source_ids: Vec<SourceId>,
    /// The number of queries that search each field for phrases; a field that none searches is skipped.
    searchers: [u32; FieldSet::FIELDS],
}

/// What to remove with a query.
#[derive(Debug, Default)]
struct Registered {
    rules: Vec<u32>,
    phrases: Vec<PhraseId>,
    searched: FieldSet,
}

impl Matcher {
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// The number of distinct phrases that are searched for.
    pub fn phrase_count(&self) -> usize {
        self.phrases.len()
    }

    /// Adds a query, or replaces the one with the same id.
    ///
    /// Other queries read this feed as the source `publishes`. `resolve` returns the sources of a
    /// source clause: one, or all of a list. If the query cannot be compiled, nothing changes.
    pub fn add(
        &mut self,
        id: QueryId,
        body: &FeedBody,
        publishes: Option<SourceId>,
        mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<(), QueryError> {
        let compiled = compile(body)?;
        self.remove(id);
        let mut registered = Registered::default();
        let owner = Owner {
            query: id,
            publishes: publishes.map_or(NOWHERE, |source| self.slot(source)),
            has_siblings: compiled.len() > 1,
        };
        for (clauses, condition) in compiled {
            let condition = condition.map(|text| {
                text.map_phrases(&mut |phrase: Phrase| {
                    let phrase = self.phrases.add(&phrase);
                    registered.phrases.push(phrase);
                    phrase
                })
            });
            let mut sources: Vec<Slot> = Vec::new();
            for clause in clauses {
                for source in resolve(&body.sources[clause].source.value) {
                    sources.push(self.slot(source));
                }
            }
            sources.sort_unstable();
            sources.dedup();
            if let Some(condition) = &condition {
                registered.searched = registered.searched.with(condition.searched());
            }
            let rule = Rule { owner, sources: sources.into(), condition };
            registered.rules.push(self.index.add(rule, &self.phrases));
        }
        for field in registered.searched.each() {
            self.searchers[field] += 1;
        }
        self.queries.insert(id, registered);
        Ok(())
    }

    /// Removes a query; returns whether it existed.
    pub fn remove(&mut self, id: QueryId) -> bool {
        let Some(registered) = self.queries.remove(&id) else {
            return false;
        };
        for rule in registered.rules {
            self.index.remove(rule);
        }
        for phrase in registered.phrases {
            self.phrases.remove(phrase);
        }
        for field in registered.searched.each() {
            self.searchers[field] -= 1;
        }
        true
    }

    /// The feeds that keep an item of a source at the time `now`, in no particular order.
    ///
    /// A feed that reads another feed receives the items of that feed in the same pass. A feed that an
    /// item reaches in several ways is listed once for each. Keep `scratch` from call to call, one for
    /// each thread.
    pub fn matches<'s>(
        &self,
        source: SourceId,
        item: &ItemView<'_>,
        now: i64,
        scratch: &'s mut Scratch,
    ) -> &'s [Match] {
        scratch.begin(self.phrases.capacity(), self.index.capacity());
        let first = self.sources.get(&source).filter(|slot| self.index.is_read(**slot));
        if let Some(first) = first {
            scratch.scan(&self.phrases, item, self.searched());
            scratch.put_on_agenda(*first);
            let mut next = 0;
            while let Some(&slot) = scratch.agenda.get(next) {
                let via = self.source_ids[slot as usize];
                self.index.select(slot, via, item, now, scratch);
                next += 1;
            }
        }
        scratch.finish()
    }

    /// Counts the distinct phrases of an item. This is the part of [`Matcher::matches`] that does not
    /// depend on the rules.
    pub fn scan(&self, item: &ItemView<'_>, scratch: &mut Scratch) -> usize {
        scratch.begin(self.phrases.capacity(), self.index.capacity());
        scratch.scan(&self.phrases, item, self.searched());
        scratch.phrases_found()
    }

    /// The fields that any query searches for phrases.
    fn searched(&self) -> FieldSet {
        FieldSet::those(|field| self.searchers[field] > 0)
    }

    fn slot(&mut self, source: SourceId) -> Slot {
        *self.sources.entry(source).or_insert_with(|| {
            self.source_ids.push(source);
            self.source_ids.len() as Slot - 1
        })
    }
}

/// The conditions of a feed, each with its source clauses. Clauses without brackets share one.
type Compiled = Vec<(Vec<usize>, Option<Condition<Phrase>>)>;

fn compile(body: &FeedBody) -> Result<Compiled, QueryError> {
    let mut groups: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for (index, clause) in body.sources.iter().enumerate() {
        let own = clause.variable.as_ref().map(|name| name.value.as_str());
        let named = |name: &&str| body.filter.brackets.iter().any(|b| b.variable.value == *name);
        let key = own.filter(named);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, clauses)) => clauses.push(index),
            None => groups.push((key, vec![index])),
        }
    }
    let compiled = groups.into_iter().map(|(variable, clauses)| {
        let expr = body.filter.for_variable(variable);
        let compile = |expr| Condition::compile(&expr, &mut |phrase| phrase);
        Ok((clauses, expr.map(compile).transpose()?))
    });
    compiled.collect()
}

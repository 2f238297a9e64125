//! Which of many feeds want an item, decided for all of them at once.
//!
//! Every phrase of every query is a path of one automaton over words (`phrases`). One pass over an
//! item's texts yields the phrases it has; each phrase leads to the few rules that cannot hold without
//! it (`index`), and only those are evaluated. Rules that need no phrase are kept by source, so an item
//! meets only those that read the source it came from.
//!
//! The automaton reads words rather than characters. That makes word boundaries free, the pass shorter
//! by the length of a word, and each phrase its own path, so a query is added or removed in the time its
//! own phrases take: nothing is ever rebuilt. Character automata (aho-corasick, daachorse) were measured
//! against it, see benches/matching: slower by pass, and rebuilt as a whole for every change.
//!
//! Invariant: the answers are those of [`FeedFilter`](crate::FeedFilter), for every query and item.

mod entries;
mod index;
mod phrases;
mod program;
mod readers;
mod scratch;
mod word;

use rustc_hash::FxHashMap;

use crate::condition::{Condition, guessed_likelihood};
use crate::error::QueryError;
use crate::item::{FieldSet, ItemView};
use crate::syntax::{FeedBody, SourceRef};

use index::{Index, NOWHERE, Owner, Rule, Slot};
use phrases::{PhraseId, Phrases};
pub use scratch::Scratch;

/// A source as the caller knows it: something crawled, or a feed of this node that others read.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct SourceId(pub u64);

/// A standing query as the caller knows it: the feed it makes.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct QueryId(pub u64);

/// That an item belongs into a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// The feed's query.
    pub query: QueryId,
    /// The source by which it got there: that of the item, or another feed that wanted it too.
    pub via: SourceId,
}

/// All standing queries of a node.
#[derive(Debug, Default)]
pub struct Matcher {
    phrases: Phrases,
    index: Index,
    queries: FxHashMap<QueryId, Standing>,
    sources: FxHashMap<SourceId, Slot>,
    source_ids: Vec<SourceId>,
    /// For each field how many queries look for phrases in it: a text that none asks for is not read.
    searchers: [u32; FieldSet::FIELDS],
}

/// What must be taken back when a query goes.
#[derive(Debug, Default)]
struct Standing {
    rules: Vec<u32>,
    phrases: Vec<PhraseId>,
    searched: FieldSet,
}

impl Matcher {
    /// A matcher without queries.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many queries stand.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether no query stands.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// How many distinct phrases they have.
    pub fn phrase_count(&self) -> usize {
        self.phrases.len()
    }

    /// Adds a query, or replaces the one with the same id.
    ///
    /// `publishes` is the source that other queries read when they read this feed. `resolve` says which
    /// sources a source clause stands for: one, or as many as a list has. If the query cannot be
    /// compiled, nothing changes.
    pub fn add(
        &mut self,
        id: QueryId,
        body: &FeedBody,
        publishes: Option<SourceId>,
        mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<(), QueryError> {
        let compiled = compile(body)?;
        self.remove(id);
        let mut standing = Standing::default();
        let owner = Owner {
            query: id,
            publishes: publishes.map_or(NOWHERE, |source| self.slot(source)),
            has_siblings: compiled.len() > 1,
        };
        for (clauses, condition) in compiled {
            let condition = condition.map(|text| {
                text.map_phrases(&mut |normal: String| {
                    let phrase = self.phrases.add(&normal);
                    standing.phrases.push(phrase);
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
                standing.searched = standing.searched.with(condition.searched());
            }
            let rule = Rule { owner, sources: sources.into(), condition };
            standing.rules.push(self.index.add(rule, &self.phrases));
        }
        for field in standing.searched.each() {
            self.searchers[field] += 1;
        }
        self.queries.insert(id, standing);
        Ok(())
    }

    /// Removes a query. Returns whether there was one.
    pub fn remove(&mut self, id: QueryId) -> bool {
        let Some(standing) = self.queries.remove(&id) else {
            return false;
        };
        for rule in standing.rules {
            self.index.remove(rule);
        }
        for phrase in standing.phrases {
            self.phrases.remove(phrase);
        }
        for field in standing.searched.each() {
            self.searchers[field] -= 1;
        }
        true
    }

    /// The feeds that want an item of a source at the time `now`, in no particular order.
    ///
    /// A feed that reads another one gets what the other one wants, in the same pass; a feed that an item
    /// reaches in several ways is listed once for each. `scratch` is working memory to be kept from call
    /// to call, one for each thread.
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

    /// Only looks for phrases, and returns how many different ones the item has: the part of
    /// [`Matcher::matches`] that does not depend on what the phrases are for.
    pub fn scan(&self, item: &ItemView<'_>, scratch: &mut Scratch) -> usize {
        scratch.begin(self.phrases.capacity(), self.index.capacity());
        scratch.scan(&self.phrases, item, self.searched());
        scratch.phrases_found()
    }

    /// The fields in which any query looks for phrases.
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

/// The conditions of a feed with the clauses they hold for; clauses without own brackets share one.
type Compiled = Vec<(Vec<usize>, Option<Condition<String>>)>;

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
        let compile = |expr| Condition::compile(&expr, &mut |normal| normal);
        Ok((clauses, expr.map(compile).transpose()?))
    });
    compiled.collect()
}

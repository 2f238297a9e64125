//! Which rules a phrase or a source brings up for evaluation.
//!
//! A rule is one condition of one query with the sources it holds for. It is entered under each of its
//! required phrases (an item without any of them cannot fulfil it), or, if it requires none, under its
//! sources. Entries of a phrase are ordered by source, so an item skips those of other sources.

use rustc_hash::FxHashMap;

use super::phrases::{PhraseId, Phrases};
use super::scratch::{Scratch, places};
use super::{QueryId, SourceId, guessed_likelihood};
use crate::condition::Condition;
use crate::item::ItemView;

/// A source, numbered from zero.
pub(super) type Slot = u32;

/// The slot of an entry whose rule reads several sources.
const SEVERAL: Slot = Slot::MAX;

/// One condition of one query and the sources it holds for.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) query: QueryId,
    /// The source that readers of this query's feed read.
    pub(super) publishes: Option<Slot>,
    /// Ordered.
    pub(super) sources: Box<[Slot]>,
    /// Nothing: every item.
    pub(super) condition: Option<Condition<PhraseId>>,
    /// Whether it is entered under phrases; the index sees to it.
    pub(super) by_phrase: bool,
}

/// That a phrase brings up a rule.
#[derive(Clone, Copy, Debug)]
struct Entry {
    source: Slot,
    rule: u32,
    /// Where the phrase must be.
    places: u16,
    /// Whether that alone fulfils the condition.
    decides: bool,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    rules: Vec<Option<Rule>>,
    free: Vec<u32>,
    /// For each phrase what it brings up.
    by_phrase: Vec<Vec<Entry>>,
    /// For each source the rules that require no phrase.
    by_source: FxHashMap<Slot, Vec<u32>>,
    /// For each source how many rules that require a phrase read it.
    phrase_readers: FxHashMap<Slot, u32>,
}

impl Index {
    /// All rule numbers are below this.
    pub(super) fn capacity(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn add(&mut self, mut rule: Rule, phrases: &Phrases) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.rules.push(None);
            self.rules.len() as u32 - 1
        });
        match required(&rule, phrases) {
            None => {
                for &source in &rule.sources {
                    self.by_source.entry(source).or_default().push(number);
                }
            }
            Some(entries) => {
                let decides = rule
                    .condition
                    .as_ref()
                    .is_some_and(Condition::is_any_phrase);
                let source = if let [only] = *rule.sources {
                    only
                } else {
                    SEVERAL
                };
                self.by_phrase
                    .resize_with(self.by_phrase.len().max(phrases.capacity()), Vec::new);
                for (phrase, places) in entries {
                    let list = &mut self.by_phrase[phrase as usize];
                    let at = list.partition_point(|entry| entry.source <= source);
                    list.insert(
                        at,
                        Entry {
                            source,
                            rule: number,
                            places,
                            decides,
                        },
                    );
                }
                for &source in &rule.sources {
                    *self.phrase_readers.entry(source).or_default() += 1;
                }
                rule.by_phrase = true;
            }
        }
        self.rules[number as usize] = Some(rule);
        number
    }

    pub(super) fn remove(&mut self, number: u32) {
        let Some(rule) = self.rules.get_mut(number as usize).and_then(Option::take) else {
            return;
        };
        if rule.by_phrase {
            if let Some(condition) = &rule.condition {
                condition.each_leaf(&mut |leaf| {
                    if let Condition::Has(wanted) = leaf
                        && let Some(list) = self.by_phrase.get_mut(wanted.phrase as usize)
                    {
                        list.retain(|entry| entry.rule != number);
                    }
                });
            }
            for source in &rule.sources {
                if let Some(count) = self.phrase_readers.get_mut(source) {
                    *count -= 1;
                }
            }
        } else {
            for source in &rule.sources {
                if let Some(list) = self.by_source.get_mut(source) {
                    list.retain(|other| *other != number);
                }
            }
        }
        self.free.push(number);
    }

    /// Whether any rule reads a source.
    pub(super) fn is_read(&self, source: Slot) -> bool {
        let by_phrase = self
            .phrase_readers
            .get(&source)
            .is_some_and(|count| *count > 0);
        by_phrase
            || self
                .by_source
                .get(&source)
                .is_some_and(|list| !list.is_empty())
    }

    /// Adds the queries that want an item coming by `source` to the matches, and the sources that their
    /// feeds are to the agenda.
    pub(super) fn select(
        &self,
        source: Slot,
        via: SourceId,
        item: &ItemView<'_>,
        now: i64,
        scratch: &mut Scratch,
    ) {
        scratch.next_round();
        for &number in self.by_source.get(&source).into_iter().flatten() {
            self.judge(number, false, via, item, now, scratch);
        }
        if self
            .phrase_readers
            .get(&source)
            .is_none_or(|count| *count == 0)
        {
            return;
        }
        for index in 0..scratch.present.len() {
            let phrase = scratch.present[index];
            let Some(list) = self.by_phrase.get(phrase as usize) else {
                continue;
            };
            let found = scratch.places_of(phrase);
            let own = list.partition_point(|entry| entry.source < source);
            for entry in list[own..]
                .iter()
                .take_while(|entry| entry.source == source)
            {
                if entry.places & found != 0 {
                    self.judge(entry.rule, entry.decides, via, item, now, scratch);
                }
            }
            for entry in list
                .iter()
                .rev()
                .take_while(|entry| entry.source == SEVERAL)
            {
                if entry.places & found != 0 && self.reads(entry.rule, source) {
                    self.judge(entry.rule, entry.decides, via, item, now, scratch);
                }
            }
        }
    }

    fn reads(&self, number: u32, source: Slot) -> bool {
        let rule = self.rules[number as usize].as_ref();
        rule.is_some_and(|rule| rule.sources.binary_search(&source).is_ok())
    }

    fn judge(
        &self,
        number: u32,
        decided: bool,
        via: SourceId,
        item: &ItemView<'_>,
        now: i64,
        scratch: &mut Scratch,
    ) {
        if !scratch.first_time(number) {
            return;
        }
        let Some(rule) = &self.rules[number as usize] else {
            return;
        };
        let holds = decided
            || rule
                .condition
                .as_ref()
                .is_none_or(|condition| condition.holds(item, now, &|wanted| scratch.has(wanted)));
        if !holds {
            return;
        }
        scratch.matches.push(super::Match {
            query: rule.query,
            via,
        });
        if let Some(feed) = rule.publishes
            && self.is_read(feed)
        {
            scratch.put_on_agenda(feed);
        }
    }
}

/// The phrases that bring a rule up, each with where it must be. Nothing if it must always come up.
fn required(rule: &Rule, phrases: &Phrases) -> Option<Vec<(PhraseId, u16)>> {
    let likelihood = |phrase: &PhraseId| {
        let letters: Vec<&str> = phrases.backwards(*phrase).collect();
        guessed_likelihood(&letters.concat())
    };
    let wanted = rule.condition.as_ref()?.required(true, &likelihood)?;
    let mut entries: Vec<_> = wanted
        .iter()
        .map(|wanted| (wanted.phrase, places(wanted)))
        .collect();
    entries.sort_unstable();
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 |= if same { next.1 } else { 0 };
        same
    });
    Some(entries)
}

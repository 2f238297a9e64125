//! Which rules a phrase or a source brings up for evaluation.
//!
//! A rule is one condition of one query with the sources it holds for. It is entered under each of its
//! required phrases (an item without any of them cannot fulfil it), or, if it requires none, under its
//! sources. What a phrase brings up is checked against the readers of the item's source before the rule
//! itself is looked at.

use super::phrases::{PhraseId, Phrases};
use super::readers::{Readers, is_set};
use super::scratch::{Scratch, places};
use super::{QueryId, SourceId, guessed_likelihood};
use crate::condition::Condition;
use crate::item::ItemView;

/// A source, numbered from zero.
pub(super) type Slot = u32;

/// One condition of one query and the sources it holds for.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) query: QueryId,
    /// The source that readers of this query's feed read.
    pub(super) publishes: Option<Slot>,
    /// Whether the query has other rules, so that it could be found twice.
    pub(super) has_siblings: bool,
    /// Each once.
    pub(super) sources: Box<[Slot]>,
    /// Nothing: every item.
    pub(super) condition: Option<Condition<PhraseId>>,
}

/// That a phrase brings up a rule.
#[derive(Clone, Copy, Debug)]
struct Entry {
    rule: u32,
    /// Where the phrase must be.
    places: u16,
    /// Whether that alone fulfils the condition.
    decides: bool,
}

/// The rules that read one source.
#[derive(Debug, Default)]
struct Source {
    /// Those that require no phrase.
    always: Vec<u32>,
    /// Those that come up by a phrase.
    by_phrase: Readers,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    rules: Vec<Option<Rule>>,
    free: Vec<u32>,
    /// For each phrase what it brings up.
    entries: Vec<Vec<Entry>>,
    sources: Vec<Source>,
}

impl Index {
    /// All rule numbers are below this.
    pub(super) fn capacity(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn add(&mut self, rule: Rule, phrases: &Phrases) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.rules.push(None);
            self.rules.len() as u32 - 1
        });
        let slots = rule
            .sources
            .iter()
            .map(|slot| *slot as usize + 1)
            .max()
            .unwrap_or(0);
        if self.sources.len() < slots {
            self.sources.resize_with(slots, Source::default);
        }
        let required = required(&rule, phrases);
        for slot in &rule.sources {
            let source = &mut self.sources[*slot as usize];
            match required {
                Some(_) => source.by_phrase.insert(number, self.rules.len()),
                None => source.always.push(number),
            }
        }
        if self.entries.len() < phrases.capacity() {
            self.entries.resize_with(phrases.capacity(), Vec::new);
        }
        let decides = rule
            .condition
            .as_ref()
            .is_some_and(Condition::is_any_phrase);
        for (phrase, places) in required.into_iter().flatten() {
            self.entries[phrase as usize].push(Entry {
                rule: number,
                places,
                decides,
            });
        }
        self.rules[number as usize] = Some(rule);
        number
    }

    /// Removes a rule whose phrases are still there.
    pub(super) fn remove(&mut self, number: u32, phrases: &Phrases) {
        let Some(rule) = self.rules.get_mut(number as usize).and_then(Option::take) else {
            return;
        };
        let required = required(&rule, phrases);
        for slot in &rule.sources {
            let source = &mut self.sources[*slot as usize];
            match required {
                Some(_) => source.by_phrase.remove(number),
                None => source.always.retain(|other| *other != number),
            }
        }
        for (phrase, _) in required.into_iter().flatten() {
            self.entries[phrase as usize].retain(|entry| entry.rule != number);
        }
        self.free.push(number);
    }

    /// Whether any rule reads a source.
    pub(super) fn is_read(&self, slot: Slot) -> bool {
        let source = self.sources.get(slot as usize);
        source.is_some_and(|source| !source.always.is_empty() || !source.by_phrase.is_empty())
    }

    /// Adds the queries that want an item coming by a source to the matches, and the sources that their
    /// feeds are to the agenda.
    pub(super) fn select(
        &self,
        slot: Slot,
        via: SourceId,
        item: &ItemView<'_>,
        now: i64,
        scratch: &mut Scratch,
    ) {
        let Some(source) = self.sources.get(slot as usize) else {
            return;
        };
        scratch.next_round();
        for &number in &source.always {
            self.judge(number, false, via, item, now, scratch);
        }
        if source.by_phrase.is_empty() {
            return;
        }
        let mut room = std::mem::take(&mut scratch.room);
        source.by_phrase.with_bits(&mut room, |readers| {
            for index in 0..scratch.present.len() {
                let phrase = scratch.present[index];
                let Some(entries) = self.entries.get(phrase as usize) else {
                    continue;
                };
                let found = scratch.places_of(phrase);
                for entry in entries {
                    if entry.places & found != 0 && is_set(readers, entry.rule) {
                        self.judge(entry.rule, entry.decides, via, item, now, scratch);
                    }
                }
            }
        });
        scratch.room = room;
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
        scratch.found_match(
            super::Match {
                query: rule.query,
                via,
            },
            rule.has_siblings,
        );
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
        let letters = phrases
            .backwards(*phrase)
            .map(|word| word.chars().count())
            .sum();
        guessed_likelihood(letters)
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

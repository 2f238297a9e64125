//! Which rules a phrase or a source brings up for evaluation.
//!
//! A rule is one condition of one query with the sources it holds for. It is entered under each of its
//! required phrases (an item without any of them cannot fulfil it), or, if it requires none, under its
//! sources. What a phrase brings up is checked against the readers of the item's source before the rule
//! itself is looked at.

use super::entries::{Entries, Entry};
use super::phrases::{PhraseId, Phrases};
use super::readers::{Readers, is_set};
use super::scratch::{Scratch, places};
use super::{Match, QueryId, SourceId, guessed_likelihood};
use crate::condition::Condition;
use crate::item::ItemView;

/// A source, numbered from zero.
pub(super) type Slot = u32;

/// No source.
pub(super) const NOWHERE: Slot = Slot::MAX;

/// Whose a rule is: all that is needed once it holds, kept apart from the rest for the cache's sake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) query: QueryId,
    /// The source that readers of this query's feed read, or [`NOWHERE`].
    pub(super) publishes: Slot,
    /// Whether the query has other rules, so that it could be found twice.
    pub(super) has_siblings: bool,
}

/// One condition of one query and the sources it holds for.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) owner: Owner,
    /// Each once.
    pub(super) sources: Box<[Slot]>,
    /// Nothing: every item.
    pub(super) condition: Option<Condition<PhraseId>>,
}

/// A rule that may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    rule: u32,
    /// Whether it is known to hold.
    decided: bool,
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
    /// For each rule the same as in it.
    owners: Vec<Owner>,
    free: Vec<u32>,
    /// For each phrase what it brings up.
    entries: Vec<Entries>,
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
            self.owners.push(rule.owner);
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
            self.entries
                .resize_with(phrases.capacity(), Entries::default);
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
        self.owners[number as usize] = rule.owner;
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
            self.entries[phrase as usize].remove(number);
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
    ///
    /// In stages rather than rule by rule: each stage is a short loop over memory that is far apart, and
    /// the processor fetches for several rounds of a short loop at a time.
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
        let mut candidates = std::mem::take(&mut scratch.candidates);
        candidates.clear();
        candidates.extend(source.always.iter().map(|rule| Candidate {
            rule: *rule,
            decided: false,
        }));
        if !source.by_phrase.is_empty() {
            self.brought_up(&source.by_phrase, scratch, &mut candidates);
        }
        scratch.next_round();
        candidates.retain(|candidate| scratch.first_time(candidate.rule));
        candidates.retain(|candidate| {
            candidate.decided || self.holds(candidate.rule, item, now, scratch)
        });
        for candidate in &candidates {
            let Owner {
                query,
                publishes,
                has_siblings,
            } = self.owners[candidate.rule as usize];
            scratch.found_match(Match { query, via }, has_siblings);
            if publishes != NOWHERE && self.is_read(publishes) {
                scratch.put_on_agenda(publishes);
            }
        }
        scratch.candidates = candidates;
    }

    /// The rules among some readers that the phrases of the item bring up, perhaps several times.
    fn brought_up(
        &self,
        readers: &Readers,
        scratch: &mut Scratch,
        candidates: &mut Vec<Candidate>,
    ) {
        let mut room = std::mem::take(&mut scratch.room);
        readers.with_bits(&mut room, |readers| {
            for &phrase in &scratch.present {
                let Some(entries) = self.entries.get(phrase as usize) else {
                    continue;
                };
                let found = scratch.places_of(phrase);
                for entry in entries.iter() {
                    if entry.places & found != 0 && is_set(readers, entry.rule) {
                        candidates.push(Candidate {
                            rule: entry.rule,
                            decided: entry.decides,
                        });
                    }
                }
            }
        });
        scratch.room = room;
    }

    fn holds(&self, number: u32, item: &ItemView<'_>, now: i64, scratch: &Scratch) -> bool {
        let rule = self.rules[number as usize].as_ref();
        rule.is_some_and(|rule| {
            let condition = rule.condition.as_ref();
            condition.is_none_or(|c| c.holds(item, now, &|wanted| scratch.has(wanted)))
        })
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

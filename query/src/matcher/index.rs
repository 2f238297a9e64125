//! Which rules to evaluate for a phrase or a source.
//!
//! A rule is one condition of one query with its sources. It is entered under each of its required
//! phrases (an item without any of them cannot satisfy it) or, if it requires none, under its sources.
//! Before a rule of a phrase is evaluated, the index checks that it reads the source of the item.

use super::entries::{Entries, Entry};
use super::found::{Candidate, Match, NOWHERE, Slot};
use super::phrases::Phrases;
use super::program::Program;
use super::readers::{Readers, is_set};
use super::scratch::{Scratch, places};
use super::word::PhraseId;
use crate::condition::{Condition, guessed_likelihood};
use crate::ids::{QueryId, SourceId};
use crate::item::ItemView;

/// The owner of a rule: everything that is needed once the rule holds. Stored apart, for the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub(super) query: QueryId,
    /// The source as which other queries read this feed, or [`NOWHERE`].
    pub(super) publishes: Slot,
    /// Whether the query has other rules, so that it may be found twice.
    pub(super) has_siblings: bool,
}

/// One condition of one query, with its sources.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) owner: Owner,
    /// Without duplicates.
    pub(super) sources: Box<[Slot]>,
    /// `None` if every item passes.
    pub(super) condition: Option<Condition<PhraseId>>,
}

/// Where a rule is entered, in order to remove it.
#[derive(Debug, Default)]
struct Entered {
    sources: Box<[Slot]>,
    /// `None` if the rule is always evaluated.
    phrases: Option<Box<[PhraseId]>>,
}

/// The rules that read one source.
#[derive(Debug, Default)]
struct Source {
    /// Rules that require no phrase.
    always: Vec<u32>,
    /// Rules that require a phrase.
    by_phrase: Readers,
}

#[derive(Debug, Default)]
pub(super) struct Index {
    /// Three parts of each rule, which are needed at different times.
    entered: Vec<Entered>,
    owners: Vec<Owner>,
    programs: Vec<Program>,
    free: Vec<u32>,
    /// For each phrase, the rules that it leads to.
    entries: Vec<Entries>,
    sources: Vec<Source>,
}

impl Index {
    /// All rule numbers are below this.
    pub(super) fn capacity(&self) -> usize {
        self.owners.len()
    }

    pub(super) fn add(&mut self, rule: Rule, phrases: &Phrases) -> u32 {
        let Rule { owner, sources, condition } = rule;
        let required = condition.as_ref().and_then(|condition| required(condition, phrases));
        let decides = condition.as_ref().is_some_and(Condition::is_any_phrase);
        let entered = Entered {
            phrases: required.as_ref().map(|list| list.iter().map(|(phrase, _)| *phrase).collect()),
            sources,
        };
        let number = self.free.pop().unwrap_or(self.owners.len() as u32);
        for slot in &entered.sources {
            if self.sources.len() <= *slot as usize {
                self.sources.resize_with(*slot as usize + 1, Source::default);
            }
            let source = &mut self.sources[*slot as usize];
            match required {
                Some(_) => source.by_phrase.insert(number, self.owners.len()),
                None => source.always.push(number),
            }
        }
        if self.entries.len() < phrases.capacity() {
            self.entries.resize_with(phrases.capacity(), Entries::default);
        }
        for (phrase, places) in required.into_iter().flatten() {
            self.entries[phrase as usize].push(Entry { rule: number, places, decides });
        }
        let program = Program::new(condition);
        if number as usize == self.owners.len() {
            self.entered.push(entered);
            self.owners.push(owner);
            self.programs.push(program);
        } else {
            self.entered[number as usize] = entered;
            self.owners[number as usize] = owner;
            self.programs[number as usize] = program;
        }
        number
    }

    /// Removes a rule.
    pub(super) fn remove(&mut self, number: u32) {
        let Entered { sources, phrases } = std::mem::take(&mut self.entered[number as usize]);
        for slot in sources {
            let source = &mut self.sources[slot as usize];
            match phrases {
                Some(_) => source.by_phrase.remove(number),
                None => source.always.retain(|other| *other != number),
            }
        }
        for phrase in phrases.into_iter().flatten() {
            self.entries[phrase as usize].remove(number);
        }
        self.programs[number as usize] = Program::new(None);
        self.free.push(number);
    }

    /// Whether any rule reads a source.
    pub(super) fn is_read(&self, slot: Slot) -> bool {
        let source = self.sources.get(slot as usize);
        source.is_some_and(|source| !source.always.is_empty() || !source.by_phrase.is_empty())
    }

    /// Adds the queries that keep an item of a source to the matches, and the sources that their feeds
    /// publish to the agenda.
    ///
    /// Works in stages and not rule by rule: each stage is a short loop over distant memory, and the
    /// processor can prefetch for several iterations of a short loop.
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
        candidates
            .extend(source.always.iter().map(|rule| Candidate { rule: *rule, decided: false }));
        if !source.by_phrase.is_empty() {
            self.add_by_phrase(&source.by_phrase, scratch, &mut candidates);
        }
        scratch.next_round();
        candidates.retain(|candidate| scratch.first_time(candidate.rule));
        candidates.retain(|Candidate { rule, decided }| {
            *decided || self.programs[*rule as usize].holds(item, now, scratch)
        });
        for candidate in &candidates {
            let Owner { query, publishes, has_siblings } = self.owners[candidate.rule as usize];
            scratch.found_match(Match { query, via }, has_siblings);
            if publishes != NOWHERE && self.is_read(publishes) {
                scratch.put_on_agenda(publishes);
            }
        }
        scratch.candidates = candidates;
    }

    /// Adds the rules of `readers` that the phrases of the item lead to, perhaps several times.
    fn add_by_phrase(
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
                    if is_set(readers, entry.rule) && entry.places & found != 0 {
                        candidates.push(Candidate { rule: entry.rule, decided: entry.decides });
                    }
                }
            }
        });
        scratch.room = room;
    }
}

/// The required phrases of a condition, each with where it must occur; `None` if the rule must always
/// be evaluated.
fn required(condition: &Condition<PhraseId>, phrases: &Phrases) -> Option<Vec<(PhraseId, u16)>> {
    let likelihood = |phrase: &PhraseId| {
        let letters = phrases.backwards(*phrase).map(|word| word.chars().count()).sum();
        guessed_likelihood(letters)
    };
    let wanted = condition.required(true, &likelihood)?;
    let mut entries: Vec<_> = wanted.iter().map(|wanted| (wanted.phrase, places(wanted))).collect();
    entries.sort_unstable();
    entries.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 |= if same { next.1 } else { 0 };
        same
    });
    Some(entries)
}

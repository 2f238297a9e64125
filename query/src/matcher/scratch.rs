//! Working memory of one matching thread.
//!
//! Cleaning up after an item touches only what the item touched, so that the cost of a pass does not
//! depend on the number of queries.

use rustc_hash::FxHashSet;

use super::found::{Candidate, Match, Slot};
use super::phrases::Phrases;
use super::text::{ExactText, Steps};
use super::word::PhraseId;
use crate::condition::Wanted;
use crate::item::{FieldSet, ItemView};
use crate::text::{Form, Words};

/// Working memory for [`Matcher::matches`](super::Matcher::matches), reused from call to call.
#[derive(Debug, Default)]
pub struct Scratch {
    words: Words,
    text: Steps,
    exact: ExactText,
    /// Where each phrase was found: fields in the lower byte, whole texts in the upper.
    found: Vec<u16>,
    /// The phrases whose `found` is not zero.
    pub(super) present: Vec<PhraseId>,
    /// The last round in which each rule was evaluated.
    judged: Vec<u32>,
    round: u32,
    /// Sources whose readers to find: that of the item, then the feeds that keep it.
    pub(super) agenda: Vec<Slot>,
    planned: FxHashSet<Slot>,
    /// For the readers of a source; only zeros between uses.
    pub(super) room: Vec<u64>,
    pub(super) candidates: Vec<Candidate>,
    matches: Vec<Match>,
    /// Whether `matches` may contain duplicates.
    repeats: bool,
}

/// Where a phrase may occur, in the format of `Scratch::found`.
pub(super) fn places<P>(wanted: &Wanted<P>) -> u16 {
    u16::from(wanted.fields.0) << if wanted.whole { 8 } else { 0 }
}

impl Scratch {
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn begin(&mut self, phrases: usize, rules: usize) {
        for phrase in self.present.drain(..) {
            self.found[phrase as usize] = 0;
        }
        // Grows in powers of two, so that adding queries one by one does not copy each time.
        if self.found.len() < phrases {
            self.found.resize(phrases.next_power_of_two(), 0);
        }
        if self.judged.len() < rules {
            self.judged.resize(rules.next_power_of_two(), 0);
        }
        self.agenda.clear();
        self.planned.clear();
        self.matches.clear();
        self.repeats = false;
    }

    /// Starts a new round, for another source.
    pub(super) fn next_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.judged.fill(0);
            self.round = 1;
        }
    }

    /// Whether a rule has not been judged in this round; marks it as judged.
    pub(super) fn first_time(&mut self, rule: u32) -> bool {
        let last = &mut self.judged[rule as usize];
        let first = *last != self.round;
        *last = self.round;
        first
    }

    /// Finds the phrases in the `searched` fields of an item.
    pub(super) fn scan(&mut self, phrases: &Phrases, item: &ItemView<'_>, searched: FieldSet) {
        let Self { words, text, exact, found, present, .. } = self;
        let mut mark = |phrase: PhraseId, places: u16| {
            let known = &mut found[phrase as usize];
            if *known == 0 {
                present.push(phrase);
            }
            *known |= places;
        };
        for (field, value) in item.values().filter(|(field, _)| field.meets(searched)) {
            text.clear();
            words.each(value, Form::Folded, |word| phrases.read(word, text));
            if !text.has_any() {
                continue;
            }
            exact.clear();
            phrases.scan(text, |phrase, start, end| {
                let whole = start == 0 && end == text.len();
                let places = u16::from(field.0) * if whole { 0x101 } else { 1 };
                mark(phrase, places);
                for variant in phrases.variants(phrase) {
                    if variant.is(exact.words(value, start, end)) {
                        mark(variant.phrase, places);
                    }
                }
            });
        }
    }

    pub(super) fn phrases_found(&self) -> usize {
        self.present.len()
    }

    #[inline]
    pub(super) fn places_of(&self, phrase: PhraseId) -> u16 {
        self.found[phrase as usize]
    }

    /// Adds a source to the agenda, once.
    pub(super) fn put_on_agenda(&mut self, source: Slot) {
        if self.planned.insert(source) {
            self.agenda.push(source);
        }
    }

    pub(super) fn found_match(&mut self, found: Match, may_repeat: bool) {
        self.repeats |= may_repeat;
        self.matches.push(found);
    }

    /// The matches without duplicates.
    pub(super) fn finish(&mut self) -> &[Match] {
        if self.repeats {
            self.matches.sort_unstable();
            self.matches.dedup();
        }
        &self.matches
    }
}

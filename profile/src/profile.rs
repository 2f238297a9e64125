//! The profile of one channel: the terms of its last W items, and how much each item changed it.
//!
//! It stores only the terms, item by item in one array. Counting them takes a few microseconds when
//! needed; storing the counts would double the memory.

use crate::cohesion::Cohesion;
use crate::novelty::Impact;
use crate::terms::{Bag, Term};
use crate::vocabulary::Vocabulary;

/// A profile for storage. It contains texts, from which the frequencies are learnt again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredProfile {
    /// The terms of the last items, oldest first, without forgotten terms.
    pub items: Vec<Vec<String>>,
    pub cohesion: Cohesion,
}

/// The terms of a channel's last W items.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The terms of the items, oldest item first; sorted within each item.
    terms: Vec<Term>,
    /// The number of terms of each item.
    lengths: Vec<u8>,
    window: u16,
    cohesion: Cohesion,
    /// The length of the profile vector at its last change.
    norm: f32,
}

/// The approximate overhead of an allocation.
const ALLOCATION: usize = 16;

/// The count of each term, sorted by term.
pub(crate) type Counts = Vec<(Term, u16)>;

impl Profile {
    /// An empty profile over the last `window` items.
    pub fn new(window: usize) -> Self {
        Self {
            terms: Vec::new(),
            lengths: Vec::new(),
            window: window.clamp(1, 1000) as u16,
            cohesion: Cohesion::default(),
            norm: 0.0,
        }
    }

    /// Adds an item and returns its impact. An item without terms changes nothing and is not counted.
    pub fn add(&mut self, bag: &Bag, vocabulary: &Vocabulary) -> Impact {
        let mut counts = self.counts();
        self.add_counted(bag, vocabulary, &mut counts)
    }

    /// Like [`Profile::add`], for a caller that has the counts; updates them.
    pub(crate) fn add_counted(
        &mut self,
        bag: &Bag,
        vocabulary: &Vocabulary,
        counts: &mut Counts,
    ) -> Impact {
        let filling = self.is_filling();
        if bag.is_empty() {
            return Impact { similarity: 1.0, cohesion: self.cohesion, filling };
        }
        let added: Vec<Term> = bag.numbers().collect();
        let after = changed(counts, &added, self.oldest());
        self.push(bag);
        let compared = compare(counts, &after, vocabulary, vocabulary);
        *counts = after;
        self.norm = compared.length_b as f32;
        if !filling {
            self.cohesion.add(compared.cosine);
        }
        Impact { similarity: compared.cosine, cohesion: self.cohesion, filling }
    }

    /// Adds an item without computing its impact, which is faster; the cohesion does not change.
    pub fn follow(&mut self, bag: &Bag) {
        if !bag.is_empty() {
            self.push(bag);
        }
    }

    /// Adds an item, and removes the oldest one if the window is full.
    fn push(&mut self, bag: &Bag) {
        let gone = self.oldest().len();
        if gone > 0 {
            self.terms.drain(..gone);
            self.lengths.remove(0);
        }
        // Exactly as much as needed: there are many profiles, and each stops growing soon.
        self.terms.reserve_exact(bag.numbers().len());
        self.terms.extend(bag.numbers());
        self.lengths.push(bag.numbers().len() as u8);
    }

    /// The terms of the item that the next one will replace.
    fn oldest(&self) -> &[Term] {
        if self.is_filling() { &[] } else { &self.terms[..usize::from(self.lengths[0])] }
    }

    /// Whether the window is not full yet.
    pub(crate) fn is_filling(&self) -> bool {
        self.lengths.len() < usize::from(self.window)
    }

    pub fn cohesion(&self) -> Cohesion {
        self.cohesion
    }

    /// The number of items in the window.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Each term as often as it occurs, unsorted.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The count of each term.
    pub(crate) fn counts(&self) -> Counts {
        let mut terms = self.terms.clone();
        terms.sort_unstable();
        terms.chunk_by(Term::eq).map(|same| (same[0], same.len() as u16)).collect()
    }

    /// The terms with their weights tf·idf, sorted by term.
    pub fn weights(&self, vocabulary: &Vocabulary) -> Vec<(Term, f64)> {
        let weigh = |(term, count): (Term, u16)| (term, f64::from(count) * vocabulary.idf(term));
        self.counts().into_iter().map(weigh).collect()
    }

    /// The length of the profile vector at its last change.
    pub(crate) fn norm(&self) -> f64 {
        f64::from(self.norm)
    }

    /// Updates the length of the profile vector to the current frequencies.
    pub(crate) fn settle(&mut self, counts: &[(Term, u16)], vocabulary: &Vocabulary) {
        let square =
            |&(term, count): &(Term, u16)| (f64::from(count) * vocabulary.idf(term)).powi(2);
        self.norm = counts.iter().map(square).sum::<f64>().sqrt() as f32;
    }

    /// The `most` heaviest terms with their weights, heaviest first, without forgotten terms. A pair of
    /// words does not hide its words.
    pub fn top<'v>(&self, most: usize, vocabulary: &'v Vocabulary) -> Vec<(&'v str, f64)> {
        let mut named: Vec<(&str, f64)> = self
            .weights(vocabulary)
            .into_iter()
            .filter(|(_, weight)| *weight > 0.0)
            .filter_map(|(term, weight)| Some((vocabulary.text(term)?, weight)))
            .collect();
        named.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        named.truncate(most);
        named
    }

    /// The profile for storage.
    pub fn keep(&self, vocabulary: &Vocabulary) -> StoredProfile {
        let text = |term: &Term| vocabulary.text(*term).map(str::to_owned);
        let mut rest = &self.terms[..];
        let mut item = |&length: &u8| {
            let (terms, others) = rest.split_at(usize::from(length));
            rest = others;
            terms.iter().filter_map(text).collect()
        };
        let items = self.lengths.iter().map(&mut item).collect();
        StoredProfile { items, cohesion: self.cohesion }
    }

    /// Restores a stored profile, and counts its items in `vocabulary` again.
    pub fn restore(stored: &StoredProfile, window: usize, vocabulary: &mut Vocabulary) -> Self {
        let mut profile = Self::new(window);
        for item in &stored.items {
            let bag = Bag::of_terms(item);
            vocabulary.learn(&bag);
            profile.push(&bag);
        }
        profile.cohesion = stored.cohesion;
        profile.settle(&profile.counts(), vocabulary);
        profile
    }

    /// The approximate size in bytes.
    pub fn bytes(&self) -> usize {
        let terms = self.terms.capacity() * size_of::<Term>();
        size_of::<Self>() + terms + self.lengths.capacity() + 2 * ALLOCATION
    }
}

/// The cosine of two profiles, each weighted with its own frequencies; 0 if either is empty.
pub fn cosine(a: &Profile, of_a: &Vocabulary, b: &Profile, of_b: &Vocabulary) -> f64 {
    compare(&a.counts(), &b.counts(), of_a, of_b).cosine
}

/// The counts after some terms were added and some removed (sorted lists with repetitions).
fn changed(before: &[(Term, u16)], added: &[Term], removed: &[Term]) -> Counts {
    let mut after = Vec::with_capacity(before.len() + added.len());
    let (mut old, mut added, mut removed) = (before, added, removed);
    loop {
        let term = match (old.first(), added.first()) {
            (None, None) => break,
            (Some(old), None) => old.0,
            (None, Some(added)) => *added,
            (Some(old), Some(added)) => old.0.min(*added),
        };
        let mut count = 0;
        if let Some((_, rest)) = old.split_first().filter(|(first, _)| first.0 == term) {
            (count, old) = (old[0].1, rest);
        }
        while let Some((_, rest)) = added.split_first().filter(|(first, _)| **first == term) {
            (count, added) = (count.saturating_add(1), rest);
        }
        // Removed terms were counted, so they come in the same order.
        while let Some((_, rest)) = removed.split_first().filter(|(first, _)| **first <= term) {
            if removed[0] == term {
                count = count.saturating_sub(1);
            }
            removed = rest;
        }
        if count > 0 {
            after.push((term, count));
        }
    }
    after
}

struct Compared {
    cosine: f64,
    length_b: f64,
}

fn compare(a: &[(Term, u16)], b: &[(Term, u16)], of_a: &Vocabulary, of_b: &Vocabulary) -> Compared {
    let shared = std::ptr::eq(of_a, of_b);
    let (mut dot, mut squares_a, mut squares_b) = (0.0, 0.0, 0.0);
    let (mut a, mut b) = (a, b);
    loop {
        let term = match (a.first(), b.first()) {
            (None, None) => break,
            (Some(x), None) => x.0,
            (None, Some(y)) => y.0,
            (Some(x), Some(y)) => x.0.min(y.0),
        };
        let (mut weight_a, mut weight_b) = (0.0, 0.0);
        let idf = of_b.idf(term);
        if let Some((x, rest)) = a.split_first().filter(|(x, _)| x.0 == term) {
            weight_a = f64::from(x.1) * if shared { idf } else { of_a.idf(term) };
            a = rest;
        }
        if let Some((y, rest)) = b.split_first().filter(|(y, _)| y.0 == term) {
            weight_b = f64::from(y.1) * idf;
            b = rest;
        }
        dot += weight_a * weight_b;
        squares_a += weight_a * weight_a;
        squares_b += weight_b * weight_b;
    }
    let lengths = (squares_a * squares_b).sqrt();
    let cosine = if lengths > 0.0 { (dot / lengths).clamp(0.0, 1.0) } else { 0.0 };
    Compared { cosine, length_b: squares_b.sqrt() }
}

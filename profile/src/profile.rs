//! The profile of one channel: the terms of its last W items, and how much each item changed it.
//!
//! Only the terms are kept, one item after the other in one piece of memory. How often each occurs is
//! counted when it is asked for, which takes some microseconds; keeping it would double the memory.

use serde::{Deserialize, Serialize};

use crate::{Bag, Cohesion, Term, Vocabulary};

/// What a channel heard when an item came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heard {
    /// Similarity of the profile before and after the item.
    pub similarity: f64,
    /// The channel's cohesion, this item included (unless the window was still filling).
    pub cohesion: Cohesion,
    /// Whether the window was not full yet: the profile changes with every item then, whatever it says.
    pub filling: bool,
}

/// A profile as it is kept on disk: by texts, because frequencies are learnt again from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The terms of the last items, oldest first. Terms that were forgotten are left out.
    pub items: Vec<Vec<String>>,
    /// The cohesion so far.
    pub cohesion: Cohesion,
}

/// The terms of a channel's last W items.
#[derive(Debug, Clone)]
pub struct Profile {
    /// The terms of the items, oldest item first, those of each in ascending order.
    terms: Vec<Term>,
    /// How many terms each item has.
    lengths: Vec<u8>,
    window: u16,
    cohesion: Cohesion,
    /// The length of the profile as a vector, as of its last change.
    norm: f32,
}

/// What an allocation takes besides what was asked for, about.
const ALLOCATION: usize = 16;

/// How often each term occurs, in ascending order of the terms.
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

    /// Takes in an item and says how much it changed the profile. An item without terms changes nothing
    /// and is not counted.
    pub fn add(&mut self, bag: &Bag, vocabulary: &Vocabulary) -> Heard {
        let mut counts = self.counts();
        self.add_counted(bag, vocabulary, &mut counts)
    }

    /// The same for whoever has counted the terms; then they are counted with the item.
    pub(crate) fn add_counted(
        &mut self,
        bag: &Bag,
        vocabulary: &Vocabulary,
        counts: &mut Counts,
    ) -> Heard {
        let filling = self.is_filling();
        if bag.is_empty() {
            return Heard { similarity: 1.0, cohesion: self.cohesion, filling };
        }
        let come: Vec<Term> = bag.numbers().collect();
        let after = changed(counts, &come, self.oldest());
        self.push(bag);
        let compared = compare(counts, &after, vocabulary, vocabulary);
        *counts = after;
        self.norm = compared.length_b as f32;
        if !filling {
            self.cohesion.add(compared.cosine);
        }
        Heard { similarity: compared.cosine, cohesion: self.cohesion, filling }
    }

    /// Takes in an item without looking at what it changes, which is quicker; cohesion does not count it.
    pub fn follow(&mut self, bag: &Bag) {
        if !bag.is_empty() {
            self.push(bag);
        }
    }

    /// Takes in an item; the oldest one leaves if there is no room.
    fn push(&mut self, bag: &Bag) {
        let gone = self.oldest().len();
        if gone > 0 {
            self.terms.drain(..gone);
            self.lengths.remove(0);
        }
        // Exactly what is needed: there are many profiles, and each grows only for a while.
        self.terms.reserve_exact(bag.numbers().len());
        self.terms.extend(bag.numbers());
        self.lengths.push(bag.numbers().len() as u8);
    }

    /// The terms of the item that has to leave before another may come.
    fn oldest(&self) -> &[Term] {
        if self.is_filling() { &[] } else { &self.terms[..usize::from(self.lengths[0])] }
    }

    /// Whether there is room for another item.
    pub(crate) fn is_filling(&self) -> bool {
        self.lengths.len() < usize::from(self.window)
    }

    /// The cohesion so far.
    pub fn cohesion(&self) -> Cohesion {
        self.cohesion
    }

    /// Items in the window.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether nothing was heard yet.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Each term as often as it occurs, in no order.
    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// How often each term occurs.
    pub(crate) fn counts(&self) -> Counts {
        let mut terms = self.terms.clone();
        terms.sort_unstable();
        terms.chunk_by(Term::eq).map(|same| (same[0], same.len() as u16)).collect()
    }

    /// The terms with their weights tf·idf, in ascending order of the terms.
    pub fn weights(&self, vocabulary: &Vocabulary) -> Vec<(Term, f64)> {
        let weigh = |(term, count): (Term, u16)| (term, f64::from(count) * vocabulary.idf(term));
        self.counts().into_iter().map(weigh).collect()
    }

    /// The length of the profile as a vector, as of its last change.
    pub(crate) fn norm(&self) -> f64 {
        f64::from(self.norm)
    }

    /// Weighs the profile anew, with the frequencies of now.
    pub(crate) fn settle(&mut self, counts: &[(Term, u16)], vocabulary: &Vocabulary) {
        let square =
            |&(term, count): &(Term, u16)| (f64::from(count) * vocabulary.idf(term)).powi(2);
        self.norm = counts.iter().map(square).sum::<f64>().sqrt() as f32;
    }

    /// The `most` heaviest terms with their weights, heaviest first. A pair of words shadows neither of
    /// them. Terms whose text was forgotten are left out.
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

    /// As it is kept on disk.
    pub fn keep(&self, vocabulary: &Vocabulary) -> Kept {
        let text = |term: &Term| vocabulary.text(*term).map(str::to_owned);
        let mut rest = &self.terms[..];
        let mut item = |&length: &u8| {
            let (terms, others) = rest.split_at(usize::from(length));
            rest = others;
            terms.iter().filter_map(text).collect()
        };
        let items = self.lengths.iter().map(&mut item).collect();
        Kept { items, cohesion: self.cohesion }
    }

    /// The profile that was kept; its items are counted in `vocabulary` again.
    pub fn restore(kept: &Kept, window: usize, vocabulary: &mut Vocabulary) -> Self {
        let mut profile = Self::new(window);
        for item in &kept.items {
            let bag = Bag::of_terms(item);
            vocabulary.learn(&bag);
            profile.push(&bag);
        }
        profile.cohesion = kept.cohesion;
        profile.settle(&profile.counts(), vocabulary);
        profile
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let terms = self.terms.capacity() * size_of::<Term>();
        size_of::<Self>() + terms + self.lengths.capacity() + 2 * ALLOCATION
    }
}

/// The cosine of two profiles, each weighed with its own frequencies; 0 if either is empty.
pub fn cosine(a: &Profile, of_a: &Vocabulary, b: &Profile, of_b: &Vocabulary) -> f64 {
    compare(&a.counts(), &b.counts(), of_a, of_b).cosine
}

/// Counts after some terms have come and some have gone (each as often as it is listed, in order).
fn changed(before: &[(Term, u16)], come: &[Term], gone: &[Term]) -> Counts {
    let mut after = Vec::with_capacity(before.len() + come.len());
    let (mut old, mut come, mut gone) = (before, come, gone);
    loop {
        let term = match (old.first(), come.first()) {
            (None, None) => break,
            (Some(old), None) => old.0,
            (None, Some(come)) => *come,
            (Some(old), Some(come)) => old.0.min(*come),
        };
        let mut count = 0;
        if let Some((_, rest)) = old.split_first().filter(|(first, _)| first.0 == term) {
            (count, old) = (old[0].1, rest);
        }
        while let Some((_, rest)) = come.split_first().filter(|(first, _)| **first == term) {
            (count, come) = (count.saturating_add(1), rest);
        }
        // What has gone was counted, so it comes along in the same order.
        while let Some((_, rest)) = gone.split_first().filter(|(first, _)| **first <= term) {
            if gone[0] == term {
                count = count.saturating_sub(1);
            }
            gone = rest;
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

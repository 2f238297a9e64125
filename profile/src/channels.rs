//! Many profiles with one vocabulary and one inverted index, for search.
//!
//! The index maps each word to its channels, sorted, so that adding or removing an item touches only its
//! own words. It does not contain pairs of words: nearly every pair occurs in only one channel, and pairs
//! would take three quarters of the memory. They count when the best candidates are compared. The length
//! of a profile vector is that at its last change: as frequencies change, all lengths change alike, and
//! the ranking hardly does.

use rustc_hash::FxHashMap;

use crate::novelty::Impact;
use crate::profile::{Profile, StoredProfile};
use crate::terms::{Bag, Term};
use crate::vocabulary::Vocabulary;

/// The number of heaviest words of a profile that are used to find similar ones.
const SEARCHED: usize = 40;
/// Candidates found by words, per requested channel; these are compared completely.
const SHORTLIST: usize = 4;

/// A search result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    pub channel: u32,
    /// The cosine between the query and the profile.
    pub score: f64,
}

/// The size of a set of channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub channels: usize,
    /// The approximate size of profiles and index in bytes.
    pub bytes: usize,
    /// The approximate size of the vocabulary in bytes; limited for any number of channels.
    pub vocabulary: usize,
}

/// Profiles of many channels.
#[derive(Debug, Clone)]
pub struct Channels {
    window: usize,
    vocabulary: Vocabulary,
    profiles: FxHashMap<u32, Profile>,
    /// The channels that contain each word, with its count, sorted by channel.
    index: FxHashMap<Term, Vec<(u32, u16)>>,
}

impl Channels {
    /// Profiles cover the last `window` items.
    pub fn new(window: usize) -> Self {
        Self {
            window,
            vocabulary: Vocabulary::default(),
            profiles: FxHashMap::default(),
            index: FxHashMap::default(),
        }
    }

    /// Adds an item of a channel.
    pub fn add(&mut self, channel: u32, text: &str) -> Impact {
        self.add_all(channel, &[Bag::of(text)])[0]
    }

    /// Adds new items of a channel, oldest first, and returns the impact of each. While the window fills,
    /// nothing is compared (similarities are 0), because everything is novel.
    pub fn add_all(&mut self, channel: u32, bags: &[Bag]) -> Vec<Impact> {
        let window = self.window;
        let profile = self.profiles.entry(channel).or_insert_with(|| Profile::new(window));
        let before = profile.counts();
        let mut counts = before.clone();
        let mut impacts = Vec::with_capacity(bags.len());
        let mut filled = false;
        for bag in bags {
            self.vocabulary.learn(bag);
            if profile.is_filling() {
                profile.follow(bag);
                filled = true;
                impacts.push(Impact {
                    similarity: 0.0,
                    cohesion: profile.cohesion(),
                    filling: true,
                });
                continue;
            }
            if std::mem::take(&mut filled) {
                counts = profile.counts();
            }
            impacts.push(profile.add_counted(bag, &self.vocabulary, &mut counts));
        }
        if filled {
            counts = profile.counts();
            profile.settle(&counts, &self.vocabulary);
        }
        change(&mut self.index, channel, &before, &counts);
        impacts
    }

    /// Replaces the profile of a channel by a stored one.
    pub fn restore(&mut self, channel: u32, stored: &StoredProfile) {
        self.remove(channel);
        let profile = Profile::restore(stored, self.window, &mut self.vocabulary);
        change(&mut self.index, channel, &[], &profile.counts());
        self.profiles.insert(channel, profile);
    }

    /// Updates the lengths of all profile vectors to the current frequencies. Call it after restoring many
    /// channels, because the first ones used incomplete frequencies.
    pub fn settle(&mut self) {
        for profile in self.profiles.values_mut() {
            profile.settle(&profile.counts(), &self.vocabulary);
        }
    }

    /// Removes a channel; its effect on the frequencies stays.
    pub fn remove(&mut self, channel: u32) {
        if let Some(profile) = self.profiles.remove(&channel) {
            change(&mut self.index, channel, &profile.counts(), &[]);
        }
    }

    pub fn profile(&self, channel: u32) -> Option<&Profile> {
        self.profiles.get(&channel)
    }

    /// The frequencies over all channels.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The channels most similar to a text, best first. They share at least one word with it.
    pub fn search(&self, text: &str, most: usize) -> Vec<Found> {
        let mut query = Profile::new(1);
        query.follow(&Bag::of(text));
        self.similar_to(&query, most, None)
    }

    /// The channels most similar to `channel`, best first.
    pub fn similar(&self, channel: u32, most: usize) -> Vec<Found> {
        let profile = self.profiles.get(&channel);
        profile.map_or_else(Vec::new, |profile| self.similar_to(profile, most, Some(channel)))
    }

    /// The channels most similar to a profile, best first, without `except`.
    pub fn similar_to(&self, profile: &Profile, most: usize, except: Option<u32>) -> Vec<Found> {
        let query = profile.weights(&self.vocabulary);
        let length = query.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        let mut found = self.by_words(&query, except);
        shorten(&mut found, most.saturating_mul(SHORTLIST));
        let query = query.into_iter().collect();
        for found in &mut found {
            let Some(profile) = self.profiles.get(&found.channel) else { continue };
            let lengths = profile.norm() * length;
            found.score = (self.product(&query, profile) / lengths).clamp(0.0, 1.0);
        }
        found.retain(|found| found.score > 0.0);
        shorten(&mut found, most);
        found
    }

    pub fn len(&self) -> usize {
        self.profiles.len()
    }

    pub fn is_empty(&self) -> bool {
        self.profiles.is_empty()
    }

    pub fn size(&self) -> Size {
        let profiles: usize = self.profiles.values().map(|profile| 16 + profile.bytes()).sum();
        let postings: usize =
            self.index.values().map(|list| list.capacity() * size_of::<(u32, u16)>()).sum();
        let table = self.index.capacity() * (size_of::<(Term, Vec<(u32, u16)>)>() + 1);
        Size {
            channels: self.profiles.len(),
            bytes: profiles + postings + table,
            vocabulary: self.vocabulary.bytes(),
        }
    }

    /// The channels that contain one of the heaviest words, scored by these words.
    fn by_words(&self, query: &[(Term, f64)], except: Option<u32>) -> Vec<Found> {
        let mut words: Vec<(Term, f64)> =
            query.iter().copied().filter(|(term, _)| term.is_word()).collect();
        if words.len() > SEARCHED {
            words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            words.truncate(SEARCHED);
        }
        let mut products: FxHashMap<u32, f64> = FxHashMap::default();
        for (term, weight) in words {
            let weight = weight * self.vocabulary.idf(term);
            for &(channel, count) in self.index.get(&term).map_or(&[][..], Vec::as_slice) {
                *products.entry(channel).or_default() += weight * f64::from(count);
            }
        }
        let norm = |channel: u32| self.profiles.get(&channel).map_or(f64::MAX, Profile::norm);
        let score = |(channel, product)| Found { channel, score: product / norm(channel) };
        products.into_iter().filter(|(channel, _)| Some(*channel) != except).map(score).collect()
    }

    /// The scalar product of the query and a profile.
    fn product(&self, query: &FxHashMap<Term, f64>, profile: &Profile) -> f64 {
        let shared = |term: &Term| Some(query.get(term)? * self.vocabulary.idf(*term));
        profile.terms().iter().filter_map(shared).sum()
    }
}

/// Keeps the `most` best results, best first; of equal ones, the lower channel first.
fn shorten(found: &mut Vec<Found>, most: usize) {
    let order = |a: &Found, b: &Found| b.score.total_cmp(&a.score).then(a.channel.cmp(&b.channel));
    if found.len() > most && most > 0 {
        found.select_nth_unstable_by(most - 1, order);
    }
    found.truncate(most);
    found.sort_unstable_by(order);
}

fn words(counts: &[(Term, u16)]) -> impl Iterator<Item = (Term, u16)> {
    counts.iter().copied().filter(|(term, _)| term.is_word())
}

/// Updates the index after the counts of a channel have changed.
fn change(
    index: &mut FxHashMap<Term, Vec<(u32, u16)>>,
    channel: u32,
    before: &[(Term, u16)],
    after: &[(Term, u16)],
) {
    let has = |counts: &[(Term, u16)], term: Term| {
        counts.binary_search_by_key(&term, |&(term, _)| term).is_ok()
    };
    let position =
        |list: &[(u32, u16)]| list.binary_search_by_key(&channel, |&(channel, _)| channel);
    for (term, _) in words(before).filter(|(term, _)| !has(after, *term)) {
        let Some(list) = index.get_mut(&term) else { continue };
        if let Ok(at) = position(list) {
            list.remove(at);
        }
        if list.is_empty() {
            index.remove(&term);
        }
    }
    for (term, count) in words(after).filter(|pair| before.binary_search(pair).is_err()) {
        let list = index.entry(term).or_default();
        match position(list) {
            Ok(at) => list[at].1 = count,
            Err(at) => list.insert(at, (channel, count)),
        }
    }
}

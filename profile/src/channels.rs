//! Many profiles with one vocabulary and one inverted index: found by what they are about.
//!
//! The index has for each word the channels with it, in order, so that items that come or go touch only
//! their own words. Pairs of words are not in it: nearly each is found in one channel only, and they
//! would take three quarters of the memory. They count when the best of those found are compared.
//! Lengths are those of a channel's last change: when frequencies move meanwhile, all channels move nearly
//! alike, and their order hardly.

use rustc_hash::FxHashMap;

use crate::{Bag, Heard, Kept, Profile, Term, Vocabulary};

/// Words of a profile that are used to find others like it, the heaviest.
const ASKED_FOR: usize = 40;
/// As many channels as are asked for, times this, are found by words and then compared in full.
const SHORTLIST: usize = 4;

/// A channel that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Its number.
    pub channel: u32,
    /// The cosine between what was asked for and its profile.
    pub score: f64,
}

/// What a set of channels takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Channels with a profile.
    pub channels: usize,
    /// Bytes of profiles and index, about.
    pub bytes: usize,
    /// Bytes of the vocabulary, about; bounded, whatever the number of channels.
    pub vocabulary: usize,
}

/// Profiles of many channels.
#[derive(Debug, Clone)]
pub struct Channels {
    window: usize,
    vocabulary: Vocabulary,
    profiles: FxHashMap<u32, Profile>,
    /// For each word the channels with it and how often they have it, in order of the channels.
    index: FxHashMap<Term, Vec<(u32, u16)>>,
}

impl Channels {
    /// No channels yet; profiles will be over the last `window` items.
    pub fn new(window: usize) -> Self {
        Self {
            window,
            vocabulary: Vocabulary::default(),
            profiles: FxHashMap::default(),
            index: FxHashMap::default(),
        }
    }

    /// Takes in an item of a channel.
    pub fn add(&mut self, channel: u32, text: &str) -> Heard {
        let heard = self.add_all(channel, &[Bag::of(text)]);
        heard[0]
    }

    /// Takes in the new items of a channel, oldest first, and says of each what was heard. While the window
    /// fills nothing is compared (similarities are 0): everything is novel then.
    pub fn add_all(&mut self, channel: u32, bags: &[Bag]) -> Vec<Heard> {
        let window = self.window;
        let profile = self.profiles.entry(channel).or_insert_with(|| Profile::new(window));
        let before = profile.counts();
        let mut counts = before.clone();
        let mut heard = Vec::with_capacity(bags.len());
        let mut filled = false;
        for bag in bags {
            self.vocabulary.learn(bag);
            if profile.is_filling() {
                profile.follow(bag);
                filled = true;
                heard.push(Heard { similarity: 0.0, cohesion: profile.cohesion(), filling: true });
                continue;
            }
            if std::mem::take(&mut filled) {
                counts = profile.counts();
            }
            heard.push(profile.add_counted(bag, &self.vocabulary, &mut counts));
        }
        if filled {
            counts = profile.counts();
            profile.settle(&counts, &self.vocabulary);
        }
        change(&mut self.index, channel, &before, &counts);
        heard
    }

    /// Puts a kept profile in place of whatever the channel had.
    pub fn restore(&mut self, channel: u32, kept: &Kept) {
        self.remove(channel);
        let profile = Profile::restore(kept, self.window, &mut self.vocabulary);
        change(&mut self.index, channel, &[], &profile.counts());
        self.profiles.insert(channel, profile);
    }

    /// Weighs all channels anew with the frequencies of now: to be called after many were restored, whose
    /// first ones were weighed when little was known.
    pub fn settle(&mut self) {
        for profile in self.profiles.values_mut() {
            profile.settle(&profile.counts(), &self.vocabulary);
        }
    }

    /// Forgets a channel; the frequencies that it taught stay.
    pub fn remove(&mut self, channel: u32) {
        if let Some(profile) = self.profiles.remove(&channel) {
            change(&mut self.index, channel, &profile.counts(), &[]);
        }
    }

    /// A channel's profile.
    pub fn profile(&self, channel: u32) -> Option<&Profile> {
        self.profiles.get(&channel)
    }

    /// The frequencies over all channels.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The channels that a text is most about, best first; those that share no word with it are not found.
    pub fn search(&self, text: &str, most: usize) -> Vec<Found> {
        let mut asked = Profile::new(1);
        asked.follow(&Bag::of(text));
        self.similar_to(&asked, most, None)
    }

    /// The channels most like this one, best first.
    pub fn similar(&self, channel: u32, most: usize) -> Vec<Found> {
        let profile = self.profiles.get(&channel);
        profile.map_or_else(Vec::new, |profile| self.similar_to(profile, most, Some(channel)))
    }

    /// The channels most like a profile, best first, without `except`.
    pub fn similar_to(&self, profile: &Profile, most: usize, except: Option<u32>) -> Vec<Found> {
        let asked = profile.weights(&self.vocabulary);
        let length = asked.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        let mut found = self.by_words(&asked, except);
        shorten(&mut found, most.saturating_mul(SHORTLIST));
        let asked = asked.into_iter().collect();
        for found in &mut found {
            let Some(profile) = self.profiles.get(&found.channel) else { continue };
            let lengths = profile.norm() * length;
            found.score = (self.product(&asked, profile) / lengths).clamp(0.0, 1.0);
        }
        found.retain(|found| found.score > 0.0);
        shorten(&mut found, most);
        found
    }

    /// Channels with a profile.
    pub fn len(&self) -> usize {
        self.profiles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.profiles.is_empty()
    }

    /// What they take.
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

    /// Every channel with one of the heaviest words, scored by these words.
    fn by_words(&self, asked: &[(Term, f64)], except: Option<u32>) -> Vec<Found> {
        let mut words: Vec<(Term, f64)> =
            asked.iter().copied().filter(|(term, _)| term.is_word()).collect();
        if words.len() > ASKED_FOR {
            words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            words.truncate(ASKED_FOR);
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

    /// The product of what is asked for with a profile, term by term as the profile has them.
    fn product(&self, asked: &FxHashMap<Term, f64>, profile: &Profile) -> f64 {
        let shared = |term: &Term| Some(asked.get(term)? * self.vocabulary.idf(*term));
        profile.terms().iter().filter_map(shared).sum()
    }
}

/// The `most` best, best first; ties go to the lower number.
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

/// Brings the index from what a channel had to what it has.
fn change(
    index: &mut FxHashMap<Term, Vec<(u32, u16)>>,
    channel: u32,
    before: &[(Term, u16)],
    after: &[(Term, u16)],
) {
    let has = |counts: &[(Term, u16)], term: Term| {
        counts.binary_search_by_key(&term, |&(term, _)| term).is_ok()
    };
    let place = |list: &[(u32, u16)]| list.binary_search_by_key(&channel, |&(channel, _)| channel);
    for (term, _) in words(before).filter(|(term, _)| !has(after, *term)) {
        let Some(list) = index.get_mut(&term) else { continue };
        if let Ok(at) = place(list) {
            list.remove(at);
        }
        if list.is_empty() {
            index.remove(&term);
        }
    }
    for (term, count) in words(after).filter(|pair| before.binary_search(pair).is_err()) {
        let list = index.entry(term).or_default();
        match place(list) {
            Ok(at) => list[at].1 = count,
            Err(at) => list.insert(at, (channel, count)),
        }
    }
}

//! The automaton over words: finds the phrases in a sequence of words.
//!
//! It is a trie: each phrase is a path of words from the root, and at each word of a text we follow the
//! paths that start with it. Nearly all phrases have one or two words, and nearly all words start no
//! phrase, so failure links would save nothing. Words and nodes are reference counted and reused.
//!
//! The last word of a phrase may be the beginning of a word. It is a step like a word, but of a kind of
//! its own, so that a word of a text can take several steps: that of the word, and those of its
//! beginnings. A phrase in which accents count is a variant of the same phrase without accents: the
//! automaton finds the latter, and only then the accents are compared.
//!
//! The vocabulary stores words of up to 15 bytes inline, so that a lookup touches memory once.

use std::collections::hash_map::Entry;

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::prefixes::Prefixes;
use super::text::Steps;
use super::word::{Key, NONE, PhraseId, Step, WordId};
use crate::text::Phrase;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    vocabulary: HashTable<Known>,
    words: Vec<Word>,
    free_words: Vec<WordId>,
    nodes: Vec<Node>,
    free_nodes: Vec<PhraseId>,
    /// The target of a word from a node below the root.
    paths: FxHashMap<(PhraseId, WordId), PhraseId>,
    prefixes: Prefixes,
    /// The variants of a phrase in which accents count.
    variants: FxHashMap<PhraseId, Vec<Variant>>,
    distinct: usize,
}

/// A phrase in which accents count.
#[derive(Debug)]
pub(super) struct Variant {
    /// Its exact normal form, without a space at the end if its last word may go on.
    normal: Box<str>,
    pub(super) phrase: PhraseId,
}

impl Variant {
    /// Whether words that equal the phrase but for accents, given in exact normal form, are the phrase.
    pub(super) fn is(&self, written: &str) -> bool {
        match self.normal.ends_with(' ') {
            true => *self.normal == *written,
            false => written.starts_with(&*self.normal),
        }
    }
}

#[derive(Debug)]
struct Known {
    key: Key,
    step: Step,
}

#[derive(Debug)]
struct Word {
    text: Box<str>,
    /// Whether it is only the beginning of a word.
    is_open: bool,
    /// The number of nodes that this word leads to.
    nodes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where the path comes from; for a variant, the phrase without accents.
    parent: PhraseId,
    /// Its last word; [`NONE`] for a variant.
    word: WordId,
    /// Uses of the phrase that ends here.
    uses: u32,
    /// Paths that continue from here.
    children: u32,
}

impl Phrases {
    /// The number of distinct phrases.
    pub(super) fn len(&self) -> usize {
        self.distinct
    }

    /// All ids are below this.
    pub(super) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Adds one use of a phrase. A variant also uses the phrase without accents.
    pub(super) fn add(&mut self, phrase: &Phrase) -> PhraseId {
        let mut node = NONE;
        let mut words = phrase.words().peekable();
        while let Some(word) = words.next() {
            let is_open = phrase.is_open() && words.peek().is_none();
            node = self.step(node, word, is_open);
        }
        self.count_use(node);
        let Some(exact) = phrase.exact() else { return node };
        let variant = self.variant(node, exact);
        self.count_use(variant);
        variant
    }

    /// Removes one use of a phrase, and with the last use its path.
    pub(super) fn remove(&mut self, phrase: PhraseId) {
        let Node { parent, word, .. } = self.nodes[phrase as usize];
        if word != NONE {
            return self.remove_path(phrase);
        }
        if self.discount_use(phrase) {
            if let Entry::Occupied(mut variants) = self.variants.entry(parent) {
                variants.get_mut().retain(|variant| variant.phrase != phrase);
                if variants.get().is_empty() {
                    variants.remove();
                }
            }
            self.free_nodes.push(phrase);
        }
        self.remove_path(parent);
    }

    fn remove_path(&mut self, phrase: PhraseId) {
        self.discount_use(phrase);
        let mut at = phrase;
        while at != NONE {
            let Node { parent, word, uses, children } = self.nodes[at as usize];
            if uses > 0 || children > 0 {
                return;
            }
            if parent == NONE {
                self.set_first(word, NONE);
            } else {
                self.paths.remove(&(parent, word));
                self.nodes[parent as usize].children -= 1;
            }
            self.free_nodes.push(at);
            self.forget(word);
            at = parent;
        }
    }

    /// Adds a folded word to the steps of a text.
    #[inline]
    pub(super) fn read(&self, word: &str, text: &mut Steps) {
        text.push(self.word(word));
        self.prefixes.each(word, |beginning| text.push_beginning(beginning));
    }

    /// The variants of a phrase, if it has any.
    #[inline]
    pub(super) fn variants(&self, phrase: PhraseId) -> &[Variant] {
        if self.variants.is_empty() {
            return &[];
        }
        self.variants.get(&phrase).map_or(&[], Vec::as_slice)
    }

    /// Looks up a folded word.
    #[inline]
    fn word(&self, text: &str) -> Step {
        let key = Key::of(text);
        let same = |known: &Known| known.key == key && self.is_exactly(known, text);
        self.vocabulary.find(key.hash(), same).map_or(Step::UNKNOWN, |known| known.step)
    }

    /// Calls `found` with each phrase in a text, except variants, and the range of its words.
    #[inline]
    pub(super) fn scan(&self, text: &Steps, mut found: impl FnMut(PhraseId, usize, usize)) {
        for &(place, beginning) in &text.beginnings {
            if beginning.first != NONE {
                found(beginning.first, place, place + 1);
            }
        }
        for (start, step) in text.words.iter().enumerate() {
            let mut node = step.first;
            let mut end = start + 1;
            while node != NONE {
                let Node { uses, children, .. } = self.nodes[node as usize];
                if uses > 0 {
                    found(node, start, end);
                }
                if children == 0 {
                    break;
                }
                if !text.beginnings.is_empty() {
                    // A path ends with the beginning of a word.
                    for beginning in text.beginnings_at(end) {
                        if let Some(last) = self.paths.get(&(node, beginning.word)) {
                            found(*last, start, end + 1);
                        }
                    }
                }
                let next = text.words.get(end).map_or(NONE, |step| step.word);
                if next == NONE {
                    break;
                }
                node = self.paths.get(&(node, next)).copied().unwrap_or(NONE);
                end += 1;
            }
        }
    }

    /// The words of a phrase in reverse order.
    pub(super) fn backwards(&self, phrase: PhraseId) -> impl Iterator<Item = &str> {
        let node = |id: PhraseId| self.nodes.get(id as usize);
        let path = std::iter::successors(node(phrase), move |at| node(at.parent));
        path.filter_map(|at| Some(&*self.words.get(at.word as usize)?.text))
    }

    fn count_use(&mut self, phrase: PhraseId) {
        let end = &mut self.nodes[phrase as usize];
        end.uses += 1;
        self.distinct += usize::from(end.uses == 1);
    }

    /// Removes one use; returns whether it was the last.
    fn discount_use(&mut self, phrase: PhraseId) -> bool {
        let end = &mut self.nodes[phrase as usize];
        end.uses -= 1;
        self.distinct -= usize::from(end.uses == 0);
        end.uses == 0
    }

    /// The variant of a phrase with this exact normal form; creates it if needed.
    fn variant(&mut self, of: PhraseId, exact: &str) -> PhraseId {
        if let Some(known) = self.variants(of).iter().find(|variant| *variant.normal == *exact) {
            return known.phrase;
        }
        let node = Node { parent: of, word: NONE, uses: 0, children: 0 };
        let phrase = put(&mut self.nodes, &mut self.free_nodes, node);
        self.variants.entry(of).or_default().push(Variant { normal: exact.into(), phrase });
        phrase
    }

    /// The node that a word leads to from a node; creates it if needed.
    fn step(&mut self, from: PhraseId, text: &str, is_open: bool) -> PhraseId {
        let Step { word, first } = self.learn(text, is_open);
        let known = if from == NONE {
            first
        } else {
            self.paths.get(&(from, word)).copied().unwrap_or(NONE)
        };
        if known != NONE {
            return known;
        }
        let node = Node { parent: from, word, uses: 0, children: 0 };
        let id = put(&mut self.nodes, &mut self.free_nodes, node);
        self.words[word as usize].nodes += 1;
        if from == NONE {
            self.set_first(word, id);
        } else {
            self.paths.insert((from, word), id);
            self.nodes[from as usize].children += 1;
        }
        id
    }

    /// Looks up a word or the beginning of one, and adds it if it is new.
    fn learn(&mut self, text: &str, is_open: bool) -> Step {
        let known = if is_open { self.prefixes.get(text) } else { self.word(text) };
        if known.is_known() {
            return known;
        }
        let word = Word { text: text.into(), is_open, nodes: 0 };
        let id = put(&mut self.words, &mut self.free_words, word);
        let step = Step { word: id, first: NONE };
        if is_open {
            self.prefixes.insert(text, step);
            return step;
        }
        let key = Key::of(text);
        self.vocabulary.insert_unique(key.hash(), Known { key, step }, |known| known.key.hash());
        step
    }

    /// Sets the target of a word from the root.
    fn set_first(&mut self, word: WordId, first: PhraseId) {
        let Word { text, is_open, .. } = &self.words[word as usize];
        if *is_open {
            return self.prefixes.set_first(text, first);
        }
        let hash = Key::of(text).hash();
        if let Some(known) = self.vocabulary.find_mut(hash, |known| known.step.word == word) {
            known.step.first = first;
        }
    }

    /// Removes one node of a word, and with the last node the word.
    fn forget(&mut self, word: WordId) {
        let entry = &mut self.words[word as usize];
        entry.nodes -= 1;
        if entry.nodes > 0 {
            return;
        }
        self.free_words.push(word);
        if entry.is_open {
            return self.prefixes.remove(&entry.text);
        }
        let hash = Key::of(&entry.text).hash();
        if let Ok(found) = self.vocabulary.find_entry(hash, |known| known.step.word == word) {
            found.remove();
        }
    }

    /// Whether a word with an equal key is the same word; only long words can share a key.
    #[inline]
    fn is_exactly(&self, known: &Known, text: &str) -> bool {
        known.key.is_exact() || *self.words[known.step.word as usize].text == *text
    }
}

/// Puts a value into a free place, or into a new one.
fn put<T>(values: &mut Vec<T>, free: &mut Vec<u32>, value: T) -> u32 {
    match free.pop() {
        Some(id) => {
            values[id as usize] = value;
            id
        }
        None => {
            values.push(value);
            values.len() as u32 - 1
        }
    }
}

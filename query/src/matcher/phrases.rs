//! The automaton over words: finds the phrases in a sequence of words.
//!
//! It is a trie: each phrase is a path of words from the root, and at each word of a text we follow the
//! paths that start with it. Nearly all phrases have one or two words, and nearly all words start no
//! phrase, so failure links would save nothing. Words and nodes are reference counted and reused.
//!
//! The vocabulary stores words of up to 15 bytes inline, so that a lookup touches memory once.

use hashbrown::HashTable;
use rustc_hash::FxHashMap;

use super::word::Key;

/// A phrase: the node where its path ends.
pub(super) type PhraseId = u32;
/// A word of the vocabulary.
pub(super) type WordId = u32;
/// An unknown word, or the end of a path.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    vocabulary: HashTable<Known>,
    words: Vec<Word>,
    free_words: Vec<WordId>,
    nodes: Vec<Node>,
    free_nodes: Vec<PhraseId>,
    /// The target of a word from a node below the root.
    paths: FxHashMap<(PhraseId, WordId), PhraseId>,
    distinct: usize,
}

/// A word of a text: its id, and its target from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    word: WordId,
    first: PhraseId,
}

impl Step {
    const UNKNOWN: Self = Self { word: NONE, first: NONE };

    /// Whether any phrase contains the word.
    pub(super) fn is_known(self) -> bool {
        self.word != NONE
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
    /// The number of nodes that this word leads to.
    nodes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: PhraseId,
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

    /// Adds one use of a phrase, given in normal form with at least one word.
    pub(super) fn add(&mut self, normal: &str) -> PhraseId {
        let mut node = NONE;
        for word in normal.split(' ').filter(|word| !word.is_empty()) {
            node = self.step(node, word);
        }
        let end = &mut self.nodes[node as usize];
        end.uses += 1;
        if end.uses == 1 {
            self.distinct += 1;
        }
        node
    }

    /// Removes one use of a phrase, and with the last use its path.
    pub(super) fn remove(&mut self, phrase: PhraseId) {
        let end = &mut self.nodes[phrase as usize];
        end.uses -= 1;
        if end.uses == 0 {
            self.distinct -= 1;
        }
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

    /// Looks up a folded word.
    #[inline]
    pub(super) fn word(&self, text: &str) -> Step {
        let key = Key::of(text);
        let same = |known: &Known| known.key == key && self.is_exactly(known, text);
        self.vocabulary.find(key.hash(), same).map_or(Step::UNKNOWN, |known| known.step)
    }

    /// Calls `found` with each phrase in a text and the range of its words.
    #[inline]
    pub(super) fn scan(&self, text: &[Step], mut found: impl FnMut(PhraseId, usize, usize)) {
        for (start, step) in text.iter().enumerate() {
            let mut node = step.first;
            let mut end = start + 1;
            while node != NONE {
                let Node { uses, children, .. } = self.nodes[node as usize];
                if uses > 0 {
                    found(node, start, end);
                }
                let next = text.get(end).map_or(NONE, |step| step.word);
                if children == 0 || next == NONE {
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
        path.map(|at| &*self.words[at.word as usize].text)
    }

    /// The node that a word leads to from a node; creates it if needed.
    fn step(&mut self, from: PhraseId, text: &str) -> PhraseId {
        let Step { word, first } = self.learn(text);
        let known = if from == NONE {
            first
        } else {
            self.paths.get(&(from, word)).copied().unwrap_or(NONE)
        };
        if known != NONE {
            return known;
        }
        let node = Node { parent: from, word, uses: 0, children: 0 };
        let id = match self.free_nodes.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as PhraseId - 1
            }
        };
        self.words[word as usize].nodes += 1;
        if from == NONE {
            self.set_first(word, id);
        } else {
            self.paths.insert((from, word), id);
            self.nodes[from as usize].children += 1;
        }
        id
    }

    /// Looks up a word, and adds it to the vocabulary if it is new.
    fn learn(&mut self, text: &str) -> Step {
        let known = self.word(text);
        if known.is_known() {
            return known;
        }
        let word = Word { text: text.into(), nodes: 0 };
        let id = match self.free_words.pop() {
            Some(id) => {
                self.words[id as usize] = word;
                id
            }
            None => {
                self.words.push(word);
                self.words.len() as WordId - 1
            }
        };
        let key = Key::of(text);
        let step = Step { word: id, first: NONE };
        self.vocabulary.insert_unique(key.hash(), Known { key, step }, |known| known.key.hash());
        step
    }

    /// Sets the target of a word from the root.
    fn set_first(&mut self, word: WordId, first: PhraseId) {
        let hash = Key::of(&self.words[word as usize].text).hash();
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
        let hash = Key::of(&entry.text).hash();
        if let Ok(found) = self.vocabulary.find_entry(hash, |known| known.step.word == word) {
            found.remove();
        }
        self.free_words.push(word);
    }

    /// Whether a word with an equal key is the same word; only long words can share a key.
    #[inline]
    fn is_exactly(&self, known: &Known, text: &str) -> bool {
        known.key.is_exact() || *self.words[known.step.word as usize].text == *text
    }
}

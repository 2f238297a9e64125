//! The automaton over words: which phrases a sequence of words has.
//!
//! A trie: each phrase is a path of words from the root, and from each word of a text the paths that
//! begin with it are followed. Nearly all phrases have one or two words and nearly all words begin
//! none, so failure links would save nothing. Words and nodes are counted by use and reused when free.
//!
//! The vocabulary is hashed; a sieve of bits that stays in the cache turns away most words of a text
//! that no phrase has.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

/// A phrase: the node where its path ends.
pub(super) type PhraseId = u32;
/// A word of the vocabulary.
pub(super) type WordId = u32;
/// A word that no phrase has, or a path that leads nowhere.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    vocabulary: HashTable<WordId>,
    words: Vec<Word>,
    free_words: Vec<WordId>,
    sieve: Sieve,
    nodes: Vec<Node>,
    free_nodes: Vec<PhraseId>,
    /// Where a word leads from a node below the root.
    paths: FxHashMap<(PhraseId, WordId), PhraseId>,
    distinct: usize,
}

#[derive(Debug)]
struct Word {
    text: Box<str>,
    hash: u64,
    /// The nodes that are reached by this word.
    nodes: u32,
    /// Where it leads from the root.
    first: PhraseId,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: PhraseId,
    word: WordId,
    /// How many uses end here.
    uses: u32,
    /// How many paths go on from here.
    children: u32,
}

impl Phrases {
    /// How many distinct phrases there are.
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

    /// Takes back one use of a phrase, and with the last one the path that only it had.
    pub(super) fn remove(&mut self, phrase: PhraseId) {
        let end = &mut self.nodes[phrase as usize];
        end.uses -= 1;
        if end.uses == 0 {
            self.distinct -= 1;
        }
        let mut at = phrase;
        while at != NONE {
            let Node {
                parent,
                word,
                uses,
                children,
            } = self.nodes[at as usize];
            if uses > 0 || children > 0 {
                return;
            }
            if parent == NONE {
                self.words[word as usize].first = NONE;
            } else {
                self.paths.remove(&(parent, word));
                self.nodes[parent as usize].children -= 1;
            }
            self.free_nodes.push(at);
            self.forget(word);
            at = parent;
        }
    }

    /// The id of a folded word.
    #[inline]
    pub(super) fn word(&self, text: &str) -> WordId {
        let hash = hash(text);
        if !self.sieve.passes(hash) {
            return NONE;
        }
        let same = |id: &WordId| *self.words[*id as usize].text == *text;
        self.vocabulary.find(hash, same).copied().unwrap_or(NONE)
    }

    /// Calls `found` with each phrase in a text, and the places before its first and after its last word.
    #[inline]
    pub(super) fn scan(&self, text: &[WordId], mut found: impl FnMut(PhraseId, usize, usize)) {
        for (start, &word) in text.iter().enumerate() {
            if word == NONE {
                continue;
            }
            let mut node = self.words[word as usize].first;
            let mut end = start + 1;
            while node != NONE {
                let Node { uses, children, .. } = self.nodes[node as usize];
                if uses > 0 {
                    found(node, start, end);
                }
                let next = text.get(end).copied().unwrap_or(NONE);
                if children == 0 || next == NONE {
                    break;
                }
                node = self.paths.get(&(node, next)).copied().unwrap_or(NONE);
                end += 1;
            }
        }
    }

    /// The words of a phrase, the last one first.
    pub(super) fn backwards(&self, phrase: PhraseId) -> impl Iterator<Item = &str> {
        let node = |id: PhraseId| self.nodes.get(id as usize);
        let path = std::iter::successors(node(phrase), move |at| node(at.parent));
        path.map(|at| &*self.words[at.word as usize].text)
    }

    /// The node that a word leads to from a node, made if it is not there.
    fn step(&mut self, from: PhraseId, text: &str) -> PhraseId {
        let word = self.learn(text);
        let known = if from == NONE {
            self.words[word as usize].first
        } else {
            self.paths.get(&(from, word)).copied().unwrap_or(NONE)
        };
        if known != NONE {
            return known;
        }
        let node = Node {
            parent: from,
            word,
            uses: 0,
            children: 0,
        };
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
            self.words[word as usize].first = id;
        } else {
            self.paths.insert((from, word), id);
            self.nodes[from as usize].children += 1;
        }
        id
    }

    /// The id of a word, made if it is new.
    fn learn(&mut self, text: &str) -> WordId {
        let known = self.word(text);
        if known != NONE {
            return known;
        }
        let hash = hash(text);
        let word = Word {
            text: text.into(),
            hash,
            nodes: 0,
            first: NONE,
        };
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
        self.vocabulary
            .insert_unique(hash, id, |id| self.words[*id as usize].hash);
        if self.vocabulary.len() > self.sieve.roomy_for() {
            let hashes = self
                .vocabulary
                .iter()
                .map(|id| self.words[*id as usize].hash);
            self.sieve = Sieve::of(self.vocabulary.len() * 2, hashes);
        } else {
            self.sieve.add(hash);
        }
        id
    }

    /// One node fewer is reached by a word; the last one takes it out of the vocabulary.
    fn forget(&mut self, word: WordId) {
        let entry = &mut self.words[word as usize];
        entry.nodes -= 1;
        if entry.nodes > 0 {
            return;
        }
        // Its bit stays in the sieve until that is next rebuilt: it lets too much through, never too little.
        if let Ok(found) = self.vocabulary.find_entry(entry.hash, |id| *id == word) {
            found.remove();
        }
        self.free_words.push(word);
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A set of hashes that may say yes too often.
#[derive(Debug, Default)]
struct Sieve {
    bits: Vec<u64>,
}

impl Sieve {
    /// Bits for each hash, so that one in so many strangers passes.
    const ROOM: usize = 16;

    fn of(expected: usize, hashes: impl Iterator<Item = u64>) -> Self {
        let words = (expected.max(64) * Self::ROOM / 64).next_power_of_two();
        let mut sieve = Self {
            bits: vec![0; words],
        };
        hashes.for_each(|hash| sieve.add(hash));
        sieve
    }

    /// How many hashes it can hold before it passes too much.
    fn roomy_for(&self) -> usize {
        self.bits.len() * 64 / Self::ROOM
    }

    fn add(&mut self, hash: u64) {
        let (at, bit) = self.place(hash);
        self.bits[at] |= bit;
    }

    #[inline]
    fn passes(&self, hash: u64) -> bool {
        let (at, bit) = self.place(hash);
        self.bits.get(at).is_some_and(|bits| bits & bit != 0)
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        let at = (hash >> 20) as usize & self.bits.len().wrapping_sub(1);
        (at, 1 << ((hash >> 14) & 63))
    }
}

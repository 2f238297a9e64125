//! Realistic items and queries.
//!
//! Words follow Zipf's law over a vocabulary of 50,000. Queries do not ask for the most frequent words.
//! A third of the phrases have two words. Most queries accept any of three phrases, some require two,
//! some exclude one.

use std::collections::BTreeSet;

use pergola_query::ItemView;
use pergola_query::syntax::{
    Expr, FeedBody, Field, Filter, SourceClause, SourceRef, Spanned, Test, TextOp,
};
use pergola_query::text::normalise;
use rand::seq::index::sample;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Zipf;

pub(crate) const NOW: i64 = 1_800_000_000;
const VOCABULARY: usize = 50_000;
const SOURCES: usize = 1_000;
const BYTES: usize = 2_000;

pub(crate) struct Query {
    pub(crate) body: FeedBody,
    /// Sorted.
    pub(crate) sources: Vec<u64>,
    phrases: Vec<String>,
}

pub(crate) struct Item {
    pub(crate) source: u64,
    pub(crate) title: String,
    pub(crate) content: String,
}

/// What queries ask for, and from how many sources.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// How many of the 1,000 sources each query reads.
    pub(crate) reads: usize,
    /// The rank of the most frequent word that queries ask for.
    pub(crate) from_rank: usize,
}

pub(crate) struct Workload {
    pub(crate) queries: Vec<Query>,
    pub(crate) more_queries: Vec<Query>,
    pub(crate) items: Vec<Item>,
}

impl Workload {
    pub(crate) fn new(queries: usize, setting: Setting, items: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(0x5eed);
        let words = vocabulary(&mut rng);
        let items = (0..items).map(|_| item(&words, &mut rng)).collect();
        let mut queries: Vec<Query> =
            (0..queries + 100).map(|_| query(&words, setting, &mut rng)).collect();
        let more_queries = queries.split_off(queries.len() - 100);
        Self { queries, more_queries, items }
    }

    pub(crate) fn distinct_phrases(&self) -> Vec<String> {
        let all = self.queries.iter().flat_map(|query| &query.phrases);
        let distinct: BTreeSet<String> =
            all.map(|phrase| normalise(phrase).trim().to_owned()).collect();
        distinct.into_iter().collect()
    }
}

impl Item {
    pub(crate) fn view(&self) -> ItemView<'_> {
        ItemView { title: &self.title, content: &self.content, ..ItemView::default() }
    }
}

/// Distinct words of syllables; frequent ones are short.
fn vocabulary(rng: &mut impl Rng) -> Vec<String> {
    let onsets =
        ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "sh"];
    let vowels = ["a", "e", "i", "o", "u", "ea", "io"];
    let endings = ["", "", "n", "r", "s", "l", "nt", "ck"];
    let mut words = Vec::with_capacity(VOCABULARY);
    let mut known = BTreeSet::new();
    while words.len() < VOCABULARY {
        let syllables = 1 + (words.len() + 1).ilog10().min(3) as usize / 2 + rng.random_range(0..2);
        let mut word = String::new();
        for _ in 0..syllables {
            word.push_str(onsets[rng.random_range(0..onsets.len())]);
            word.push_str(vowels[rng.random_range(0..vowels.len())]);
            word.push_str(endings[rng.random_range(0..endings.len())]);
        }
        if known.insert(word.clone()) {
            words.push(word);
        }
    }
    words
}

fn item(words: &[String], rng: &mut ChaCha8Rng) -> Item {
    let zipf = Zipf::new(VOCABULARY as f64, 1.0).unwrap();
    let mut text = |bytes: usize| {
        let mut text = String::new();
        let mut begins = true;
        while text.len() < bytes {
            let word = &words[rng.sample(zipf) as usize - 1];
            if begins {
                text.push_str(&word[..1].to_uppercase());
                text.push_str(&word[1..]);
            } else {
                text.push_str(word);
            }
            begins = rng.random_bool(0.07);
            text.push_str(if begins {
                ". "
            } else if rng.random_bool(0.06) {
                ", "
            } else {
                " "
            });
        }
        text
    };
    let (title, content) = (text(60), text(BYTES - 60));
    Item { source: rng.random_range(0..SOURCES as u64), title, content }
}

fn query(words: &[String], setting: Setting, rng: &mut ChaCha8Rng) -> Query {
    let (low, high) = ((setting.from_rank as f64).ln(), (VOCABULARY as f64).ln());
    let mut word = || words[rng.random_range(low..high).exp() as usize].as_str();
    let mut phrases: Vec<String> = (0..3).map(|_| word().to_owned()).collect();
    phrases[2] = format!("{} {}", phrases[2], word());
    let test = |value: &String| -> Expr {
        Test::Text { field: Field::Item, op: TextOp::Contains, value: value.as_str().into() }.into()
    };
    let mut tests = phrases.iter().map(test);
    let (a, b, c) = (tests.next().unwrap(), tests.next().unwrap(), tests.next().unwrap());
    let common = match rng.random_range(0..10) {
        0..6 => Expr::any(vec![a, b, c]),
        6..8 => Expr::all(vec![a, Expr::any(vec![b, c]).unwrap()]),
        8 => Expr::all(vec![Expr::any(vec![a, b]).unwrap(), Expr::Not(Box::new(c))]),
        _ => Expr::any(vec![Expr::all(vec![a, b]).unwrap(), c]),
    };
    let clause = SourceClause {
        source: Spanned::unplaced(SourceRef::Opml("sources".to_owned())),
        variable: None,
    };
    let mut sources: Vec<u64> =
        sample(rng, SOURCES, setting.reads).iter().map(|s| s as u64).collect();
    sources.sort_unstable();
    let filter = Filter { common, brackets: Vec::new() };
    Query {
        body: FeedBody { sources: vec![clause], filter, ..FeedBody::default() },
        sources,
        phrases,
    }
}

//! Items whose words are distributed as in natural texts.
//!
//! The frequency of a word falls with its rank (Zipf's law), frequent words are short, and some pairs of words (names)
//! are more frequent than chance.

use std::ops::Range;

use pergola_feed::{Item, Text, Timestamp};

/// Names of two words.
const NAMES: usize = 2_000;
/// One word in so many begins a name.
const NAMED: u64 = 60;
/// The exponent of Zipf's law.
const EXPONENT: f64 = 1.05;
/// Items of which two adjacent words are remembered.
const REMEMBERED: u64 = 1_000;

/// Random numbers: splitmix64.
pub(in crate::bench) struct Random(pub(in crate::bench) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(in crate::bench) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// From zero to one.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Makes items.
pub(in crate::bench) struct Texts {
    words: Vec<String>,
    /// The share of all words up to each.
    shares: Vec<f64>,
    names: Vec<[usize; 2]>,
    adjacent: Vec<[usize; 2]>,
    random: Random,
}

impl Texts {
    pub(in crate::bench) fn new(vocabulary: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let words = (0..vocabulary.max(100)).map(word).collect::<Vec<_>>();
        let weights = (1..=words.len()).map(|rank| (rank as f64).powf(-EXPONENT));
        let mut sum = 0.0;
        let mut shares: Vec<f64> = weights
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        shares.iter_mut().for_each(|share| *share /= sum);
        let some = words.len() as u64 / 10;
        let mut one = || (50 + random.below(some)) as usize % words.len();
        let names = (0..NAMES).map(|_| [one(), one()]).collect();
        Self { words, shares, names, adjacent: Vec::new(), random }
    }

    /// The item with a number, published shortly before it is delivered.
    pub(in crate::bench) fn item(&mut self, number: u64, delivered: i64) -> Item {
        let length = 10.0 + 110.0 * (0.8 * self.normal()).exp();
        let title = self.sentence(8);
        let mut content = String::new();
        let mut left = (length as usize).min(5_000);
        while left > 0 {
            let sentence = left.min(6 + self.random.below(20) as usize);
            left -= sentence;
            content += &format!("<p>{}</p>\n", self.sentence(sentence));
        }
        if number < REMEMBERED {
            let [one, other] = [self.rank(), self.rank()];
            content += &format!("<p>{} {}</p>", self.words[one], self.words[other]);
            self.adjacent.push([one, other]);
        }
        let published = Timestamp::from_unix(delivered - self.random.below(3_600) as i64);
        Item {
            title: Some(title),
            content: Some(Text::html(content)),
            published: Some(published),
            ..Item::new(format!("https://example.org/items/{number}"))
        }
    }

    fn sentence(&mut self, words: usize) -> String {
        let mut text = String::new();
        let mut left = words;
        while left > 0 {
            let name = match self.random.below(NAMED) {
                0 => Some(self.names[self.random.below(NAMES as u64) as usize]),
                _ => None,
            };
            let some = name.map_or_else(|| vec![self.rank()], |name| name.to_vec());
            for rank in some {
                if !text.is_empty() {
                    text.push_str(if self.random.below(12) == 0 { ", " } else { " " });
                }
                text.push_str(&self.words[rank]);
            }
            left -= 1;
        }
        text.push('.');
        text
    }

    fn rank(&mut self) -> usize {
        let share = self.random.share();
        self.shares.partition_point(|to| *to < share).min(self.words.len() - 1)
    }

    /// Normally distributed, nearly.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.share()).sum::<f64>() - 6.0
    }

    /// A word of some ranks.
    pub(in crate::bench) fn word(&self, random: &mut Random, ranks: Range<usize>) -> String {
        let rank = ranks.start + random.below(ranks.len() as u64) as usize;
        self.words[rank % self.words.len()].clone()
    }

    /// A name.
    pub(in crate::bench) fn name(&self, random: &mut Random) -> String {
        self.joined(self.names[random.below(NAMES as u64) as usize])
    }

    /// Two words that are adjacent in an item, by chance.
    pub(in crate::bench) fn adjacent(&self, random: &mut Random) -> String {
        self.joined(self.adjacent[random.below(self.adjacent.len() as u64) as usize])
    }

    fn joined(&self, [one, other]: [usize; 2]) -> String {
        format!("{} {}", self.words[one], self.words[other])
    }
}

/// The word of a rank. Frequent words are short; hardly any two ranks have the same.
fn word(rank: usize) -> String {
    const FIRST: [&str; 20] = [
        "b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr",
        "ch", "pl",
    ];
    const THEN: [&str; 10] = ["a", "e", "i", "o", "u", "an", "er", "in", "on", "ea"];
    let mut rest = rank + 1;
    let mut text = String::new();
    while rest > 0 {
        let syllable = rest % 200;
        text.push_str(FIRST[syllable % 20]);
        text.push_str(THEN[syllable / 20]);
        rest /= 200;
    }
    text
}

/// Bytes of an item's title, summary and content.
pub(in crate::bench) fn bytes(item: &Item) -> u64 {
    let of = |text: &Option<Text>| text.as_ref().map_or(0, |text| text.body.len());
    let title = item.title.as_ref().map_or(0, String::len);
    (title + of(&item.summary) + of(&item.content)) as u64
}

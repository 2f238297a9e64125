//! Random meshes of a given size, for experiments and tests.
//!
//! The popularity of keywords follows Zipf's law. A source covers a share of the dictionary. A feed follows
//! one source in most of what it wants and may add a keyword that is popular elsewhere, so interests overlap.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Zipf};

use crate::mesh::{Feed, Mesh, Source, numbered_names};
use crate::profile::{Dictionary, Profile};

/// The size of a synthetic mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    pub sources: usize,
    pub feeds: usize,
    /// How many keywords there are.
    pub dictionary: usize,
    /// The share of them that a source covers on average.
    pub coverage: f64,
    /// Every feed gets keywords of its source until their distance is at most this.
    pub radius: f64,
}

/// The most sources, feeds or keywords of a synthetic mesh.
const MOST: usize = 100_000_000;

/// Why a synthetic mesh cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SyntheticError {
    #[error("{what} is 0, but it must be at least 1")]
    None { what: &'static str },
    #[error("the coverage is {0}, but it must be above 0 and at most 1")]
    Coverage(f64),
    #[error("{what} is {given}, but it must be at most {MOST}")]
    TooMany { what: &'static str, given: usize },
}

impl Synthetic {
    /// Makes a mesh. The same state of `random` gives the same mesh.
    ///
    /// # Errors
    /// When one of the numbers is out of range.
    pub fn make(&self, random: &mut impl Rng) -> Result<Mesh, SyntheticError> {
        self.check()?;
        let mut dictionary = Dictionary::default();
        numbered_names("k", self.dictionary).for_each(|word| _ = dictionary.add(&word));
        let words = Popular::new(self.dictionary);
        let mean = (self.coverage * self.dictionary as f64).max(1.0);
        let sources: Vec<Source> = numbered_names("source-", self.sources)
            .map(|name| {
                let size = around(mean, self.dictionary, random);
                let profile = Profile::new(words.draw(size, random));
                Source { name, profile, ..Source::default() }
            })
            .collect();
        let feeds = numbered_names("feed-", self.feeds)
            .map(|name| {
                let followed = &sources[random.random_range(0..sources.len())];
                let profile = self.interest(&followed.profile, &words, random);
                Feed { name, profile, ..Feed::default() }
            })
            .collect();
        Ok(Mesh { dictionary, sources, feeds, nodes: Vec::new() })
    }

    fn check(&self) -> Result<(), SyntheticError> {
        for (what, given) in [
            ("--sources", self.sources),
            ("--feeds", self.feeds),
            ("--dictionary", self.dictionary),
        ] {
            if given == 0 {
                return Err(SyntheticError::None { what });
            }
            if given > MOST {
                return Err(SyntheticError::TooMany { what, given });
            }
        }
        match self.coverage > 0.0 && self.coverage <= 1.0 {
            true => Ok(()),
            false => Err(SyntheticError::Coverage(self.coverage)),
        }
    }

    /// The interest of a feed that follows a source: at most half of the source's keywords, with a chance of
    /// 1 in 4 one more keyword, and further keywords of the source until the feed is within the radius.
    fn interest(&self, source: &Profile, words: &Popular, random: &mut impl Rng) -> Profile {
        let mut theirs = source.keywords().to_vec();
        theirs.shuffle(random);
        let followed = random.random_range(1..=source.len().div_ceil(2));
        let more = usize::from(random.random_bool(0.25)).min(words.count - 1);
        let mut keywords = words.draw(more, random);
        keywords.extend(theirs.drain(..followed));
        loop {
            let profile = Profile::new(keywords.clone());
            match theirs.pop() {
                Some(next) if profile.distance(source) > self.radius => keywords.push(next),
                _ => return profile,
            }
        }
    }
}

/// A size between half the mean and one and a half times the mean, at least 1 and at most `most`.
fn around(mean: f64, most: usize, random: &mut impl Rng) -> usize {
    ((mean * random.random_range(0.5..1.5)).round() as usize).clamp(1, most)
}

/// Keywords by popularity: number 0 is the most popular.
struct Popular {
    zipf: Zipf<f64>,
    count: usize,
}

impl Popular {
    fn new(count: usize) -> Self {
        let zipf = Zipf::new(count as f64, 0.8)
            .expect("a positive number of words and a positive exponent");
        Self { zipf, count }
    }

    /// Draws `size` different keywords. A keyword that was drawn before is replaced by the next free one.
    fn draw(&self, size: usize, random: &mut impl Rng) -> Vec<u32> {
        let mut drawn: Vec<u32> = Vec::with_capacity(size);
        while drawn.len() < size {
            let mut word = self.zipf.sample(random) as u32 - 1;
            while drawn.contains(&word) {
                word = (word + 1) % self.count as u32;
            }
            drawn.push(word);
        }
        drawn
    }
}

//! A mesh out of nothing but a seed, for experiments and for trying things out.
//!
//! Keywords are popular by Zipf's law. A source covers some share of the dictionary; a feed follows one
//! source in most of what it wants and adds some of what is popular elsewhere, so that interests overlap as
//! people's do. The same numbers give the same mesh.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Zipf};

use crate::mesh::{Feed, Mesh, Source};
use crate::profile::{Dictionary, Profile};

/// How large a synthetic mesh is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// How many sources.
    pub sources: usize,
    /// How many feeds.
    pub feeds: usize,
    /// How many keywords there are.
    pub dictionary: usize,
    /// The share of them that a source covers on average.
    pub coverage: f64,
    /// Where all randomness comes from.
    pub seed: u64,
    /// Every feed gets keywords of its source until it is this near to it.
    pub radius: f64,
}

/// Why a synthetic mesh cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum SyntheticError {
    #[error("{what} is 0, but there must be at least one")]
    None { what: &'static str },
    #[error("the coverage is {0}, but it must be above 0 and at most 1")]
    Coverage(f64),
    #[error("{what} is {given}, but {most} are the most that can be wired")]
    TooMany { what: &'static str, given: usize, most: usize },
}

impl Synthetic {
    /// Makes the mesh.
    ///
    /// # Errors
    /// When one of the numbers makes no sense.
    pub fn make(&self) -> Result<Mesh, SyntheticError> {
        self.check()?;
        let mut dictionary = Dictionary::default();
        let digits = (self.dictionary - 1).max(1).ilog10() as usize + 1;
        (0..self.dictionary).for_each(|n| _ = dictionary.add(&format!("k{n:0digits$}")));
        let words = Popular::new(self.dictionary);
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mean = (self.coverage * self.dictionary as f64).max(1.0);
        let digits = (self.sources - 1).max(1).ilog10() as usize + 1;
        let sources: Vec<Source> = (0..self.sources)
            .map(|n| {
                let size = around(mean, self.dictionary, &mut random);
                Source {
                    name: format!("source-{n:0digits$}"),
                    url: None,
                    profile: Profile::new(words.draw(size, &mut random)),
                    items_per_day: None,
                    unknown: false,
                }
            })
            .collect();
        let digits = (self.feeds - 1).max(1).ilog10() as usize + 1;
        let feeds = (0..self.feeds)
            .map(|n| {
                let followed = &sources[random.random_range(0..sources.len())];
                Feed {
                    name: format!("feed-{n:0digits$}"),
                    profile: self.interest(&followed.profile, &words, &mut random),
                    query: None,
                    node: None,
                }
            })
            .collect();
        Ok(Mesh { dictionary, sources, feeds, nodes: Vec::new() })
    }

    fn check(&self) -> Result<(), SyntheticError> {
        let most = 100_000_000;
        for (what, given) in [
            ("--sources", self.sources),
            ("--feeds", self.feeds),
            ("--dictionary", self.dictionary),
        ] {
            if given == 0 {
                return Err(SyntheticError::None { what });
            }
            if given > most {
                return Err(SyntheticError::TooMany { what, given, most });
            }
        }
        match self.coverage > 0.0 && self.coverage <= 1.0 {
            true => Ok(()),
            false => Err(SyntheticError::Coverage(self.coverage)),
        }
    }

    /// What somebody wants who follows a source: about half of what it publishes about, or less, and as
    /// much as a third of that besides.
    fn interest(&self, source: &Profile, words: &Popular, random: &mut ChaCha8Rng) -> Profile {
        let mut theirs = source.keywords().to_vec();
        theirs.shuffle(random);
        let followed = random.random_range(1..=source.len().div_ceil(2));
        let besides = usize::from(random.random_bool(0.25)).min(words.count - 1);
        let mut keywords = words.draw(besides, random);
        keywords.extend(theirs.drain(..followed));
        loop {
            let profile = Profile::new(keywords.clone());
            match theirs.pop() {
                Some(more) if profile.distance(source) > self.radius => keywords.push(more),
                _ => return profile,
            }
        }
    }
}

/// A size between half and one and a half times the mean, at least 1 and at most `most`.
fn around(mean: f64, most: usize, random: &mut impl Rng) -> usize {
    ((mean * random.random_range(0.5..1.5)).round() as usize).clamp(1, most)
}

/// Keywords by how popular they are: the first is wanted most.
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

    /// So many different keywords; where the popular ones are taken, the next ones.
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

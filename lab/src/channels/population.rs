//! Channels that have more and more in common: when does one channel say something about another?
//!
//! Channels come in groups, like the sections of a newspaper. From population to population the members of a group
//! share more: the words of their subject, then how busy they are, then the stories, which break for all of them
//! at once. What they do not share, each channel has of its own and of the same kind, so that two populations
//! differ in nothing else.

use pergola_newsroom::{Trace, TraceItem, TraceStream, random_stream};
use pergola_refresh::{DAY, WEEK};
use rand::{Rng, RngExt};

/// What the members of a group share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Population {
    pub(crate) name: &'static str,
    words: bool,
    pace: bool,
    stories: bool,
}

/// Channels in a group.
const MEMBERS: usize = 6;
/// Mean time without a story and with one, and the factor of the rate meanwhile; the mean rate stays the same.
const QUIET: (f64, f64) = (6.0 * DAY, 0.5);
const STORY: (f64, f64) = (1.5 * DAY, 3.0);
/// Words of an item; size of the vocabulary of a subject, of a story, and of all channels.
const WORDS: usize = 7;
const OF_SUBJECT: u64 = 40;
const OF_STORY: u64 = 10;
const COMMON: u64 = 2000;
/// Random streams: how busy, when stories break, what a channel publishes.
const PACES: u64 = 1 << 45;
const STORIES: u64 = 2 << 45;
const ITEMS: u64 = 3 << 45;

impl Population {
    /// From nothing in common to everything.
    pub(crate) const ALL: [Self; 4] = [
        Self { name: "strangers", words: false, pace: false, stories: false },
        Self { name: "same subject", words: true, pace: false, stories: false },
        Self { name: "and same pace", words: true, pace: true, stories: false },
        Self { name: "and same stories", words: true, pace: true, stories: true },
    ];

    /// Draws what the channels publish.
    pub(crate) fn draw(self, channels: usize, weeks: usize, seed: u64) -> Trace {
        let stream = |channel: usize| {
            // The group's, or the channel's own, which no group has.
            let whose =
                |shared: bool| (if shared { channel / MEMBERS } else { channels + channel }) as u64;
            let mut random = random_stream(seed, PACES + whose(self.pace));
            // From one item in five days to 150 a day, evenly over powers of ten.
            let per_day = 10f64.powf(-0.7 + 2.9 * random.random::<f64>());
            let stories = stories(weeks, random_stream(seed, STORIES + whose(self.stories)));
            let mut random = random_stream(seed, ITEMS + channel as u64);
            let mut items = Vec::new();
            for (number, story) in stories.iter().enumerate() {
                let mut at = story.from;
                loop {
                    at += exponential(&mut random) * DAY / (per_day * story.factor);
                    if at >= story.until {
                        break;
                    }
                    let words = (0..WORDS).map(|_| {
                        let (list, size) = match random.random::<f64>() {
                            part if part < 0.2 => (0, COMMON),
                            part if part < 0.7 && story.breaking => {
                                (2 + (whose(self.stories) << 16) + 2 * number as u64, OF_STORY)
                            }
                            _ => (1 + (whose(self.words) << 16), OF_SUBJECT),
                        };
                        word(list * COMMON + random.random_range(0..size))
                    });
                    let title = words.collect::<Vec<String>>().join(" ");
                    items.push(TraceItem { at, keywords: String::new(), title });
                }
            }
            TraceStream { id: format!("s{channel:04}"), items }
        };
        Trace { streams: (0..channels).map(stream).collect(), weeks }
    }
}

/// A time with a story or without.
struct Story {
    from: f64,
    until: f64,
    breaking: bool,
    factor: f64,
}

fn stories(weeks: usize, mut random: impl Rng) -> Vec<Story> {
    let end = weeks as f64 * WEEK;
    let mut stories = Vec::new();
    let mut from = 0.0;
    let mut breaking = random.random_bool(0.2);
    while from < end {
        let (length, factor) = if breaking { STORY } else { QUIET };
        let until = (from + length * exponential(&mut random)).min(end);
        stories.push(Story { from, until, breaking, factor });
        (from, breaking) = (until, !breaking);
    }
    stories
}

fn exponential(random: &mut impl Rng) -> f64 {
    -(1.0 - random.random::<f64>()).ln()
}

/// A word for each number, of syllables.
fn word(mut number: u64) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprtvz";
    const VOWELS: &[u8] = b"aeiou";
    let mut text = String::new();
    while number > 0 || text.len() < 4 {
        let (c, v) = (CONSONANTS.len() as u64, VOWELS.len() as u64);
        text.push(CONSONANTS[(number % c) as usize] as char);
        text.push(VOWELS[(number / c % v) as usize] as char);
        number /= c * v;
    }
    text + "k"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::TextWorld;

    #[test]
    fn words_differ_and_are_words() {
        let words: std::collections::HashSet<String> = (0..10_000).map(word).collect();
        assert_eq!(words.len(), 10_000);
        assert!(words.iter().all(|word| word.len() >= 5));
    }

    #[test]
    fn a_group_shares_what_its_population_says() {
        let rates = |population: Population| {
            let trace = population.draw(2 * MEMBERS, 8, 3);
            assert_eq!(trace, population.draw(2 * MEMBERS, 8, 3));
            assert!(trace.streams.iter().all(|stream| stream.items.is_sorted_by_key(|i| i.at)));
            TextWorld::of(&trace).rates()
        };
        let spread = |rates: &[f64]| {
            let group = &rates[..MEMBERS];
            let ends = [f64::max, f64::min].map(|f| group.iter().copied().reduce(f).unwrap());
            ends[0] / ends[1]
        };
        let [strangers, subject, pace, stories] = Population::ALL.map(rates);
        assert!(spread(&strangers) > 5.0 && spread(&subject) > 5.0);
        assert!(spread(&pace) < 3.0 && spread(&stories) < 2.0, "{pace:?} {stories:?}");
        // Words alone change no rate.
        assert_eq!(strangers, subject);
    }
}

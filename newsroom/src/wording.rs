//! Titles and paragraphs of items, made from keywords and a small vocabulary.
//!
//! A text is a function of a number (a hash of the seed, the source and the item), so it need not be stored, and the
//! same item always has the same text. The filler never contains a topic, nor a keyword of any source: an item
//! mentions exactly its own keywords, so that the ground truth tells the answer of a query.

use std::borrow::Cow;
use std::collections::HashSet;

#[cfg(feature = "serve")]
use crate::KeywordSet;

/// The words for keywords 0, 1, 2, …
pub const TOPICS: [&str; 40] = [
    "volcano",
    "elections",
    "football",
    "rust",
    "gardening",
    "astronomy",
    "climate",
    "cycling",
    "chess",
    "cinema",
    "economy",
    "energy",
    "farming",
    "fashion",
    "health",
    "history",
    "iceland",
    "jazz",
    "kitchen",
    "languages",
    "libraries",
    "linux",
    "mathematics",
    "medicine",
    "mountains",
    "museums",
    "oceans",
    "opera",
    "physics",
    "poetry",
    "privacy",
    "railways",
    "robots",
    "sailing",
    "science",
    "theatre",
    "travel",
    "weather",
    "wildlife",
    "tennis",
];

const OPENINGS: [&str; 12] = [
    "What we know about",
    "A closer look at",
    "Five questions on",
    "The week in",
    "New figures on",
    "A quiet change in",
    "Why people talk about",
    "Notes on",
    "Live from the desk of",
    "An interview about",
    "The long road to",
    "Readers write about",
];

const ENDINGS: [&str; 12] = [
    "what happens next",
    "a first report",
    "the full story",
    "an update",
    "three things to remember",
    "in plain words",
    "before the weekend",
    "seen from close by",
    "two opinions",
    "the numbers",
    "ten years later",
    "a correction",
];

const WORDS: [&str; 64] = [
    "after",
    "again",
    "almost",
    "along",
    "another",
    "answer",
    "around",
    "because",
    "before",
    "begin",
    "between",
    "bring",
    "careful",
    "change",
    "clear",
    "close",
    "common",
    "corner",
    "could",
    "country",
    "different",
    "during",
    "early",
    "enough",
    "every",
    "expect",
    "explain",
    "figure",
    "follow",
    "found",
    "friend",
    "further",
    "given",
    "group",
    "happen",
    "however",
    "important",
    "interest",
    "known",
    "large",
    "later",
    "letter",
    "little",
    "matter",
    "measure",
    "moment",
    "morning",
    "nearly",
    "number",
    "often",
    "order",
    "people",
    "place",
    "question",
    "reason",
    "result",
    "second",
    "several",
    "simple",
    "small",
    "spoke",
    "together",
    "under",
    "without",
];

/// The number of a topic, if it is one.
pub fn topic(word: &str) -> Option<usize> {
    TOPICS.iter().position(|&topic| topic == word)
}

/// The word for a keyword; those beyond the table have a number for a name.
pub fn word(keyword: usize) -> Cow<'static, str> {
    match TOPICS.get(keyword) {
        Some(topic) => Cow::Borrowed(topic),
        None => Cow::Owned(format!("topic{keyword}")),
    }
}

/// The words for a set of keywords: those of a vocabulary, or topics if there is none.
#[cfg(feature = "serve")]
pub(crate) fn words(keywords: KeywordSet, vocabulary: &[Box<str>]) -> Vec<Cow<'_, str>> {
    let own = |keyword: usize| vocabulary.get(keyword).map(|word| Cow::Borrowed(&**word));
    keywords.iter().map(|keyword| own(keyword).unwrap_or_else(|| word(keyword))).collect()
}

/// What stands around the topics.
#[derive(Debug, Clone)]
pub struct Filler {
    openings: Vec<&'static str>,
    endings: Vec<&'static str>,
    words: Vec<&'static str>,
    /// What an item without topics is about.
    nothing: &'static str,
}

impl Filler {
    /// All of it that has none of these words, which may be phrases.
    pub fn without<'a>(topics: impl IntoIterator<Item = &'a str>) -> Self {
        let split = |text: &str| -> Vec<String> {
            let parts = text.split(|c: char| !c.is_alphanumeric());
            parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
        };
        let topics: HashSet<String> = topics.into_iter().flat_map(split).collect();
        let left = |texts: &[&'static str]| -> Vec<&'static str> {
            let harmless = |text: &&&str| !split(text).iter().any(|word| topics.contains(word));
            let left: Vec<&str> = texts.iter().filter(harmless).copied().collect();
            // Signs are no words, so nothing can ask for them.
            if left.is_empty() { vec!["–"] } else { left }
        };
        let (openings, endings, words) = (left(&OPENINGS), left(&ENDINGS), left(&WORDS));
        Self { openings, endings, words, nothing: left(&["the day"])[0] }
    }

    /// A headline that names up to two of the topics.
    pub fn title<S: AsRef<str>>(&self, topics: &[S], number: u64, item: u64) -> String {
        let mut random = Mix(item);
        let opening = random.pick(&self.openings);
        let ending = random.pick(&self.endings);
        match topics {
            [] => format!("{opening} {}: {ending} ({number})", self.nothing),
            [one] => format!("{opening} {}: {ending} ({number})", one.as_ref()),
            [one, two, ..] => {
                format!("{opening} {} and {}: {ending} ({number})", one.as_ref(), two.as_ref())
            }
        }
    }

    /// A paragraph of about `bytes` bytes that mentions every topic, if there is room.
    pub fn paragraph<S: AsRef<str>>(&self, topics: &[S], bytes: usize, item: u64) -> String {
        let mut random = Mix(item ^ 0x5bd1_e995);
        let mut text = String::with_capacity(bytes + 80);
        let mut mentions = topics.iter().cycle().take(topics.len().max(bytes / 300));
        while text.len() < bytes {
            let length = 7 + random.next() % 8;
            let place = random.next() % length;
            for position in 0..length {
                let mention = if position == place { mentions.next() } else { None };
                let word = mention.map_or_else(|| random.pick(&self.words), AsRef::as_ref);
                if position == 0 {
                    let (first, rest) =
                        word.split_at(word.chars().next().map_or(0, char::len_utf8));
                    text.extend(first.chars().flat_map(char::to_uppercase));
                    text.push_str(rest);
                } else {
                    text.push(' ');
                    text.push_str(word);
                }
            }
            text.push_str(". ");
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// One number from two, well stirred.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut mixed = a.rotate_left(29) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// One number from a text.
pub fn mix_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A few random choices, all told by the number it starts with.
struct Mix(u64);

impl Mix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0, 1) >> 3
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[(self.next() % from.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filler_never_mentions_a_topic() {
        let filler = OPENINGS.iter().chain(&ENDINGS).chain(&WORDS).flat_map(|text| text.split(' '));
        for word in filler {
            assert_eq!(topic(&word.to_lowercase()), None);
        }
        let text = Filler::without([]).paragraph::<&str>(&[], 5_000, 3).to_lowercase();
        assert!(TOPICS.iter().all(|topic| !text.contains(topic)));
    }

    #[test]
    fn a_paragraph_has_its_size_and_all_its_topics() {
        let filler = Filler::without([]);
        let paragraph = |topics: &[&str], bytes, item| filler.paragraph(topics, bytes, item);
        for item in 0..50 {
            let text = paragraph(&["volcano", "jazz"], 400, item);
            assert!((400..560).contains(&text.len()), "{}", text.len());
            let lower = text.to_lowercase();
            assert!(lower.contains("volcano") && lower.contains("jazz"), "{text}");
        }
        assert_eq!(paragraph(&["jazz"], 200, 5), paragraph(&["jazz"], 200, 5));
        assert_ne!(paragraph(&["jazz"], 200, 5), paragraph(&["jazz"], 200, 6));
    }

    #[test]
    fn titles_name_their_topics_and_differ() {
        let filler = Filler::without([]);
        let titles: Vec<String> = (0..9).map(|n| filler.title(&["chess"], n, mix(1, n))).collect();
        assert!(titles.iter().all(|title| title.contains("chess")));
        let mut unique = titles.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), titles.len());
    }
    #[test]
    fn the_filler_avoids_what_sources_write_about() {
        let filler = Filler::without(["People", "long road", "report"]);
        assert!(filler.words.len() == WORDS.len() - 1 && !filler.words.contains(&"people"));
        assert!(!filler.openings.contains(&"Why people talk about"));
        assert!(!filler.openings.contains(&"The long road to"));
        assert!(!filler.endings.contains(&"a first report"));
        // Even if nothing is left there is a text.
        let filler = Filler::without(WORDS);
        assert!(!filler.paragraph(&["people"], 100, 1).to_lowercase().contains("number"));
    }
}

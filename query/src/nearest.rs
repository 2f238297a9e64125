//! Finds the word that a misspelt one was probably meant to be.
//!
//! The measure is the optimal string alignment distance: insertions, deletions, substitutions and
//! swaps of two neighbouring letters each count as one edit. These are the usual typing mistakes, and
//! the distance is a number that a threshold can be stated in. Upper and lower case are equal. A
//! candidate is near enough if at most one third of the letters of the longer word are wrong (rounded
//! up) and at least one letter is right. Short words thus tolerate one mistake, and two unrelated
//! words are never suggested for each other.

/// Longer words are not typing mistakes of anything, and the distance takes quadratic time.
const LONGEST: usize = 256;

/// The candidate nearest to `word`, if it is near enough; the first one of equally near ones.
pub fn nearest<T: AsRef<str>>(word: &str, candidates: impl IntoIterator<Item = T>) -> Option<T> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let mut best: Option<(usize, T)> = None;
    for candidate in candidates {
        let text = candidate.as_ref();
        if text.len() > LONGEST {
            continue;
        }
        let tolerated = letters.max(text.chars().count()).div_ceil(3);
        let distance = strsim::osa_distance(&word, &text.to_lowercase());
        let nearer = best.as_ref().is_none_or(|(least, _)| distance < *least);
        if distance <= tolerated && distance < letters && nearer {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_the_intended_word() {
        let words = ["CONTAINS", "MATCHES", "CONTENT"];
        assert_eq!(nearest("contians", words), Some("CONTAINS"));
        assert_eq!(nearest("match", words), Some("MATCHES"));
        assert_eq!(nearest("conten", words), Some("CONTENT"));
    }

    #[test]
    fn the_nearest_candidate_wins_and_of_equal_ones_the_first() {
        assert_eq!(nearest("feed", ["fed", "feeds", "feed-2"]), Some("fed"));
        assert_eq!(nearest("nodes", ["node-1", "Nodes"]), Some("Nodes"));
    }

    #[test]
    fn long_names_and_addresses_tolerate_more_mistakes() {
        let urls = ["https://news.example.org/rss.xml", "https://blog.example.org/atom.xml"];
        assert_eq!(nearest("http://news.example.org/rss", urls), Some(urls[0]));
        let owned: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
        assert_eq!(nearest("https://blog.example.org/atom", owned), Some(urls[1].to_owned()));
    }

    #[test]
    fn a_word_that_is_far_from_all_candidates_finds_nothing() {
        assert_eq!(nearest("banana", ["CONTAINS", "MATCHES"]), None);
        assert_eq!(nearest("x", ["IN", "y"]), None);
        assert_eq!(nearest("", ["a", ""]), None);
        assert_eq!(nearest(&"x".repeat(100_000), ["xxx"]), None);
        assert_eq!(nearest::<&str>("name", []), None);
    }
}

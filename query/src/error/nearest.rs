//! The right word that a wrong one was probably meant to be.

/// The nearest of some words, if it is near enough to be meant: a third of its letters may be wrong,
/// where two letters that changed places count once. Of equally near ones the first wins.
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // Nothing long is a typing mistake of anything, and the distance takes quadratic time.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let wanted = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in words {
        if candidate.len() > LONGEST {
            continue;
        }
        let distance = strsim::osa_distance(&wanted, &candidate.to_lowercase());
        let allowed = wanted.chars().count().max(candidate.chars().count()).div_ceil(3);
        let better = best.is_none_or(|(least, _)| distance < least);
        if distance <= allowed && distance < wanted.chars().count() && better {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_word_that_was_meant() {
        let words = ["CONTAINS", "MATCHES", "CONTENT"];
        assert_eq!(nearest("contians", words), Some("CONTAINS"));
        assert_eq!(nearest("match", words), Some("MATCHES"));
        assert_eq!(nearest("conten", words), Some("CONTENT"));
    }

    #[test]
    fn what_is_far_from_everything_finds_nothing() {
        assert_eq!(nearest("banana", ["CONTAINS", "MATCHES"]), None);
        assert_eq!(nearest("x", ["IN", "y"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), ["xxx"]), None);
    }
}

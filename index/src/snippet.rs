//! The part of a text that shows why it was found, with the words marked.

use std::ops::Range;

use pergola_query::text::words;

use crate::asked::{Asked, Clause};

/// Bytes of a text that are looked through.
const MOST_READ: usize = 64 << 10;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// It is what was asked for.
    pub marked: bool,
}

/// A word of a text, in normal form, and where it stands.
type Word = (Range<usize>, String);

impl Asked {
    /// About so many characters around the first place that has what is asked for; nothing if no place has.
    pub fn snippet(&self, text: &str, length: usize) -> Option<Vec<Piece>> {
        let text = beginning(text, MOST_READ);
        let words = words_of(text);
        let mut marked: Vec<Range<usize>> =
            self.wanted.iter().flat_map(|clause| places(clause, &words)).collect();
        marked.sort_by_key(|range| (range.start, range.end));
        // Places that overlap are one.
        marked.dedup_by(|later, earlier| {
            let overlap = later.start < earlier.end;
            if overlap {
                earlier.end = earlier.end.max(later.end);
            }
            overlap
        });
        let first = marked.first()?.clone();
        let shown = around(text, &first, length);
        let mut pieces = Vec::new();
        let mut at = shown.start;
        for range in marked {
            let (from, to) = (range.start.max(at), range.end.min(shown.end));
            if from < to {
                push(&mut pieces, &text[at..from], false);
                push(&mut pieces, &text[from..to], true);
                at = to;
            }
        }
        push(&mut pieces, &text[at..shown.end], false);
        if shown.start > 0 {
            pieces.insert(0, Piece { text: "… ".into(), marked: false });
        }
        if shown.end < text.len() {
            pieces.push(Piece { text: " …".into(), marked: false });
        }
        Some(pieces)
    }
}

fn push(pieces: &mut Vec<Piece>, text: &str, marked: bool) {
    if !text.is_empty() {
        pieces.push(Piece { text: text.to_owned(), marked });
    }
}

/// At most so many bytes from the beginning of a text.
fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// The words of a text, each with its place. Of signs that are written together and are a word each, as in 火山, each
/// has its own place.
fn words_of(text: &str) -> Vec<Word> {
    let mut all = Vec::new();
    let mut start = None;
    let ends = text.char_indices().map(|(at, c)| (at, c.is_alphanumeric() || is_joined(c)));
    for (at, inside) in ends.chain([(text.len(), false)]) {
        match (start, inside) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                add(&mut all, text, from..at);
                start = None;
            }
            _ => {}
        }
        if !inside && let Some(sign) = text[at..].chars().next() {
            let place = at..at + sign.len_utf8();
            all.extend(words(&text[place.clone()]).into_iter().map(|word| (place.clone(), word)));
        }
    }
    all
}

/// Accents that are signs of their own.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

fn add(all: &mut Vec<Word>, text: &str, place: Range<usize>) {
    let inside = words(&text[place.clone()]);
    if let [_, _, ..] = &inside[..] {
        let signs: Vec<Range<usize>> = text[place.clone()]
            .char_indices()
            .map(|(at, c)| place.start + at..place.start + at + c.len_utf8())
            .collect();
        if signs.len() == inside.len() {
            all.extend(signs.into_iter().zip(inside));
            return;
        }
    }
    all.extend(inside.into_iter().map(|word| (place.clone(), word)));
}

/// Where a text has a word or phrase.
fn places(clause: &Clause, text: &[Word]) -> Vec<Range<usize>> {
    let wanted: Vec<&str> = clause.words().collect();
    let Some((last, before)) = wanted.split_last() else { return Vec::new() };
    let is_last = |word: &str| word == *last || clause.is_open() && word.starts_with(last);
    let windows = text.windows(wanted.len());
    let same = windows.filter(|window| {
        let (end, begin) = (&window[window.len() - 1], &window[..window.len() - 1]);
        is_last(&end.1) && begin.iter().map(|(_, word)| word).eq(before)
    });
    same.map(|window| window[0].0.start..window[window.len() - 1].0.end).collect()
}

/// About so many characters around a place, without cutting words.
fn around(text: &str, place: &Range<usize>, length: usize) -> Range<usize> {
    let before = text[..place.start].char_indices().rev().take(length / 3).last();
    let start = match before.map_or(0, |(at, _)| at) {
        0 => 0,
        at => text[at..place.start].find(char::is_whitespace).map_or(at, |space| at + space + 1),
    };
    let mut rest = text[start..].char_indices().skip(length);
    let end = match rest.next() {
        None => text.len(),
        Some((at, _)) => {
            let cut = text[start..start + at].rfind(char::is_whitespace).unwrap_or(at);
            (start + cut).max(place.end)
        }
    };
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With what is marked in brackets.
    fn told(search: &str, text: &str, length: usize) -> Option<String> {
        let pieces = Asked::parse(search).unwrap().snippet(text, length)?;
        let told = pieces.iter().map(|piece| match piece.marked {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        });
        Some(told.collect())
    }

    #[test]
    fn words_phrases_and_beginnings_are_marked_as_they_are_written() {
        for (search, text, marked) in [
            ("cafe", "A Café, a cafe\u{301}.", "A [Café], a [cafe\u{301}]."),
            ("\"new york\" new", "New Year in New York", "[New] Year in [New York]"),
            ("volc* -ash", "Volcanoes (volcano)", "[Volcanoes] ([volcano])"),
            ("山", "火山の下", "火[山]の下"),
            ("c++", "C and C++", "C and [C++]"),
        ] {
            assert_eq!(told(search, text, 100).as_deref(), Some(marked), "{search}");
        }
        assert_eq!(told("ash", "Smash", 100), None);
        assert_eq!(told("ash", "", 100), None);
    }

    #[test]
    fn a_long_text_is_shown_around_what_was_found() {
        let text = format!("{}ash {}", "before ".repeat(100), "behind ".repeat(100));
        let shown = told("ash", &text, 60).unwrap();
        assert!(shown.starts_with("… before") && shown.ends_with("behind …"), "{shown}");
        assert!(shown.contains("[ash]") && shown.chars().count() < 80, "{shown}");
        let one = format!("{}ash", "ä".repeat(500));
        assert!(told("ä*", &one, 20).is_some());
        assert_eq!(told("ash", &format!("{}ash", "x ".repeat(64 << 10)), 60), None);
    }
}

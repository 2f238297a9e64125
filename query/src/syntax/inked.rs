//! The parts of a text by what they are, for highlighting. Also texts with mistakes are taken apart to their end.

use super::lexer::{Kind, Lexer};
use super::limits::Limits;
use crate::span::Span;

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    Keyword,
    /// The name of a feed.
    Name,
    Variable,
    /// A string with its quotes.
    Text,
    Number,
    Sign,
    Comment,
    /// Something that is not part of the language.
    Wrong,
}

/// The parts of a text in order. What is between them is blank.
pub fn inked(text: &str) -> Vec<(Ink, Span)> {
    let mut lexer = Lexer::new(text, &Limits::default());
    let mut parts = Vec::new();
    loop {
        let before = lexer.at();
        lexer.skip_blank();
        let start = lexer.at();
        comments(&text[before..start], before, &mut parts);
        match lexer.next() {
            Ok(token) => {
                let ink = match token.kind {
                    Kind::End => return parts,
                    Kind::Word(Some(_)) => Ink::Keyword,
                    Kind::Word(None) => Ink::Name,
                    Kind::Variable => Ink::Variable,
                    Kind::Text { .. } => Ink::Text,
                    Kind::Number => Ink::Number,
                    Kind::Sign(_) => Ink::Sign,
                };
                parts.push((ink, token.span));
            }
            Err(_) => {
                let end = start + wrong(&text[start..]);
                parts.push((Ink::Wrong, Span::new(start, end)));
                lexer.resume(end);
            }
        }
    }
}

/// Bytes that are wrong at the start of a text: a string up to the end of its line, otherwise one character.
fn wrong(rest: &str) -> usize {
    let string = rest.trim_start_matches(['r', 'R']).starts_with(['"', '\'']);
    match string {
        true => rest.find('\n').unwrap_or(rest.len()),
        false => rest.chars().next().map_or(0, char::len_utf8),
    }
}

/// The comments in a blank part of a text that starts at `offset`.
fn comments(blank: &str, offset: usize, parts: &mut Vec<(Ink, Span)>) {
    let mut at = 0;
    while let Some(found) = blank[at..].find("--") {
        let start = at + found;
        let end = blank[start..].find('\n').map_or(blank.len(), |length| start + length);
        parts.push((Ink::Comment, Span::new(offset + start, offset + end)));
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(Ink, &str)> {
        inked(text).into_iter().map(|(ink, span)| (ink, &text[span.range()])).collect()
    }

    #[test]
    fn a_statement_is_taken_apart() {
        let text = "CREATE feed Üb-1 AS -- why\nRETURN \"https://a/\" AS $a WINDOW 5;";
        assert_eq!(
            told(text),
            [
                (Ink::Keyword, "CREATE"),
                (Ink::Keyword, "feed"),
                (Ink::Name, "Üb-1"),
                (Ink::Keyword, "AS"),
                (Ink::Comment, "-- why"),
                (Ink::Keyword, "RETURN"),
                (Ink::Text, "\"https://a/\""),
                (Ink::Keyword, "AS"),
                (Ink::Variable, "$a"),
                (Ink::Keyword, "WINDOW"),
                (Ink::Number, "5"),
                (Ink::Sign, ";"),
            ]
        );
    }

    #[test]
    fn mistakes_are_parts_too_and_what_follows_is_still_taken_apart() {
        assert_eq!(
            told("“x” \"no end\nAND r\"raw"),
            [
                (Ink::Wrong, "“"),
                (Ink::Name, "x"),
                (Ink::Wrong, "”"),
                (Ink::Wrong, "\"no end"),
                (Ink::Keyword, "AND"),
                (Ink::Wrong, "r\"raw"),
            ]
        );
        assert_eq!(told("\"a\\qb\" OR"), [(Ink::Wrong, "\"a\\qb\" OR")]);
        let long = format!("{} AND", "x".repeat(Limits::default().string + 1));
        assert_eq!(told(&long).last(), Some(&(Ink::Keyword, "AND")));
        assert_eq!(told(""), []);
        assert_eq!(told("-- only"), [(Ink::Comment, "-- only")]);
    }
}

//! A query with its parts in colour.

use maud::{Markup, html};
use pergola_query::syntax::{Ink, inked};

fn class(ink: Ink) -> &'static str {
    match ink {
        Ink::Keyword => "k",
        Ink::Name => "n",
        Ink::Variable => "v",
        Ink::Text => "t",
        Ink::Number => "d",
        Ink::Sign => "s",
        Ink::Comment => "c",
        Ink::Wrong => "w",
    }
}

/// A query in colour.
pub fn highlighted(text: &str) -> Markup {
    highlighted_at(text, None)
}

/// A query in colour, with a mark from one character to another.
pub fn highlighted_at(text: &str, mark: Option<(usize, usize)>) -> Markup {
    let byte = |character: usize| {
        text.char_indices().nth(character).map_or(text.len(), |(offset, _)| offset)
    };
    let mark = mark.map(|(start, end)| (byte(start), byte(end)));
    let mut pieces: Vec<(Option<Ink>, std::ops::Range<usize>)> = Vec::new();
    let mut at = 0;
    for (ink, span) in inked(text) {
        let range = span.range();
        pieces.push((None, at..range.start));
        pieces.push((Some(ink), range.clone()));
        at = range.end;
    }
    pieces.push((None, at..text.len()));
    let empty = mark.filter(|(start, end)| start >= end).map(|(start, _)| start);
    html! {
        @for (ink, range) in pieces {
            @let piece = &text[range.clone()];
            @let marked = mark.is_some_and(|(from, to)| range.start < to && range.end > from);
            @match ink {
                Some(ink) if marked => mark class=(class(ink)) { (piece) },
                Some(ink) => span class=(class(ink)) { (piece) },
                None if marked && !piece.is_empty() => mark { (piece) },
                None => (piece),
            }
            @if empty == Some(range.end) && !piece.is_empty() { mark { " " } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_marked_and_nothing_of_the_text_is_lost_or_left_unescaped() {
        let told = highlighted("CREATE FEED A -- <b>\nRETURN \"x&y\" <script>").into_string();
        assert!(told.starts_with("<span class=\"k\">CREATE</span> <span class=\"k\">FEED</span>"));
        assert!(told.contains("<span class=\"c\">-- &lt;b&gt;</span>"), "{told}");
        assert!(told.contains("<span class=\"t\">&quot;x&amp;y&quot;</span>"), "{told}");
        assert!(!told.contains("<script>"), "{told}");
    }

    #[test]
    fn a_mistake_is_marked_where_it_is_by_characters() {
        let told = highlighted_at("ÄÖ CONTIANS \"x\"", Some((3, 11))).into_string();
        assert!(told.contains("<mark class=\"n\">CONTIANS</mark>"), "{told}");
        assert!(told.starts_with("<span class=\"n\">ÄÖ</span>"), "{told}");
        let end = highlighted_at("RETURN", Some((6, 6))).into_string();
        assert!(end.ends_with("<mark> </mark>"), "{end}");
    }
}

//! A node between those that it reads and those who read it, as a drawing that fits on a phone.
//!
//! The others stand in two columns with a trunk between them, on which everything runs: what is read from above, what
//! is passed on below. Colours come from the stylesheet.

use maud::{Markup, html};

/// What is drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drawn {
    /// The name of the node in the middle.
    pub name: String,
    pub above: Vec<Shape>,
    pub below: Vec<Shape>,
}

/// Somebody at the other end of a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shape {
    pub name: String,
    /// At most three short lines.
    pub lines: Vec<String>,
    /// The line is in use.
    pub strong: bool,
}

/// The width of the drawing, of a box, and of what is between the columns.
const WIDTH: usize = 360;
const BOX: usize = 164;
const TALL: usize = 74;
const GAP: usize = 14;
/// The height of the node in the middle.
const MIDDLE: usize = 44;
/// Boxes that are drawn on a side; the lists have all of them.
const MOST: usize = 12;
/// Characters of a line.
const LONGEST: usize = 24;

/// The drawing.
pub fn picture(drawn: &Drawn) -> Markup {
    let above = drawn.above.len().min(MOST).div_ceil(2);
    let below = drawn.below.len().min(MOST).div_ceil(2);
    let rows = TALL + GAP;
    let middle = above * rows + GAP;
    let height = middle + MIDDLE + below * rows + 2 * GAP;
    let centre = WIDTH / 2;
    let label =
        format!("{} reads {} and is read by {}", drawn.name, drawn.above.len(), drawn.below.len());
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label=(label) {
            @if above > 0 {
                line.trunk x1=(centre) y1=(TALL / 2) x2=(centre) y2=(middle) {}
                path.arrow d={ "M" (centre - 5) " " (middle - 8) " l5 8 l5 -8 z" } {}
            }
            @if below > 0 {
                line.trunk x1=(centre) y1=(middle + MIDDLE) x2=(centre)
                    y2=(middle + MIDDLE + GAP + (below - 1) * rows + TALL / 2 + GAP) {}
            }
            @for (number, shape) in drawn.above.iter().take(MOST).enumerate() {
                (boxed(shape, number, (number / 2) * rows))
            }
            g {
                rect.here x=(centre - BOX / 2) y=(middle) width=(BOX) height=(MIDDLE) rx="10" {}
                text.name x=(centre) y=(middle + 27) text-anchor="middle" { (short(&drawn.name)) }
            }
            @for (number, shape) in drawn.below.iter().take(MOST).enumerate() {
                (boxed(shape, number, middle + MIDDLE + 2 * GAP + (number / 2) * rows))
            }
        }
        @let left = drawn.above.len().saturating_sub(MOST) + drawn.below.len().saturating_sub(MOST);
        @if left > 0 { figcaption.soft { "And " (left) " more, which the lists below have." } }
    }
}

fn boxed(shape: &Shape, number: usize, top: usize) -> Markup {
    let left = if number.is_multiple_of(2) { 0 } else { WIDTH - BOX };
    let (from, to) = match number.is_multiple_of(2) {
        true => (BOX, WIDTH / 2),
        false => (WIDTH - BOX, WIDTH / 2),
    };
    let way = if shape.strong { "branch busy" } else { "branch" };
    html! {
        g {
            title { (shape.name) @for line in &shape.lines { ", " (line) } }
            line class=(way) x1=(from) y1=(top + TALL / 2) x2=(to) y2=(top + TALL / 2) {}
            rect.other x=(left + 1) y=(top + 1) width=(BOX - 2) height=(TALL - 2) rx="8" {}
            text.name x=(left + 10) y=(top + 19) { (short(&shape.name)) }
            @for (row, line) in shape.lines.iter().take(3).enumerate() {
                text x=(left + 10) y=(top + 35 + row * 15) { (short(line)) }
            }
        }
    }
}

/// A text that fits into a box.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_box_and_long_names_are_cut() {
        let shape = |name: &str| Shape { name: name.to_owned(), ..Shape::default() };
        let drawn = Drawn {
            name: "here".to_owned(),
            above: (0..20).map(|n| shape(&format!("n{n}"))).collect(),
            below: vec![shape(&"x".repeat(60))],
        };
        let told = picture(&drawn).into_string();
        assert_eq!(told.matches("class=\"other\"").count(), MOST + 1);
        assert!(
            told.contains("And 8 more") && told.contains(&format!("{}…<", "x".repeat(LONGEST)))
        );
        assert!(!told.contains("style="));
        let alone = picture(&Drawn { name: "here".to_owned(), ..Drawn::default() }).into_string();
        assert!(!alone.contains("trunk"));
    }
}

//! The embedded typeface (Noto Sans, SIL Open Font License 1.1): widths and outlines of text.
//!
//! It is embedded so that a picture does not depend on the fonts of the machine. An SVG names the same typeface and
//! falls back to the sans-serif of the viewer, hence the slack in [`room`].

use std::sync::LazyLock;

use ttf_parser::{Face, OutlineBuilder};

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::REGULAR_TTF));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::BOLD_TTF));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the embedded typeface is well-formed")
}

fn pick(bold: bool) -> &'static Face<'static> {
    if bold { &BOLD } else { &REGULAR }
}

/// Width of a line of text in the embedded face.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let face = pick(bold);
    text.chars().map(|c| advance(face, c)).sum::<f64>() * size / f64::from(face.units_per_em())
}

/// Width to keep free for a line of text, whatever sans-serif the viewer has.
pub(super) fn room(text: &str, size: f64, bold: bool) -> f64 {
    width(text, size, bold) * 1.12
}

/// Breaks text into lines that fit `limit`; a single word that does not is cut.
pub(super) fn wrap(text: &str, size: f64, bold: bool, limit: f64) -> Vec<String> {
    let fits = |line: &str| room(line, size, bold) <= limit;
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&longer) {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            line.push(c);
            if !line.is_empty() && !fits(&line) && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, c.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text, shortened to fit `limit` if it must be.
pub(super) fn cut(text: &str, size: f64, limit: f64) -> String {
    let mut cut = text.to_owned();
    while room(&cut, size, false) > limit && cut.pop().is_some() {
        if room(&format!("{cut}…"), size, false) <= limit {
            return cut + "…";
        }
    }
    cut
}

/// Sends the outlines of a line of text to `pen`; before each glyph, `place` is told its offset
/// from the start of the line and the scale from font units to page units.
pub(super) fn outline<P: OutlineBuilder>(
    text: &str,
    size: f64,
    bold: bool,
    pen: &mut P,
    place: impl Fn(&mut P, f64, f64),
) {
    let face = pick(bold);
    let scale = size / f64::from(face.units_per_em());
    let mut offset = 0.0;
    for c in text.chars() {
        place(pen, offset, scale);
        face.outline_glyph(face.glyph_index(c).unwrap_or_default(), pen);
        offset += advance(face, c) * scale;
    }
}

fn advance(face: &Face<'_>, c: char) -> f64 {
    let glyph = face.glyph_index(c).unwrap_or_default();
    f64::from(face.glyph_hor_advance(glyph).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_science_are_in_the_typeface() {
        for c in "−±×≤≥≈τλαβσμΔΣ²–—·→∞%é".chars() {
            assert!(REGULAR.glyph_index(c).is_some(), "no regular {c}");
            assert!(BOLD.glyph_index(c).is_some(), "no bold {c}");
        }
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_but_spaces() {
        let text = "a rather long name with an Unbreakable_Word_That_Exceeds_The_Line at its end";
        let lines = wrap(text, 12.0, false, 120.0);
        assert!(lines.iter().all(|line| room(line, 12.0, false) <= 120.0), "{lines:?}");
        let squeeze = |s: &str| s.replace(' ', "");
        assert_eq!(squeeze(&lines.concat()), squeeze(text));
    }
}

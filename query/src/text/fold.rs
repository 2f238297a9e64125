//! Folds the case of single characters, and a few characters that writers do not distinguish.

/// Calls `push` with the folded form of a character, which may be several characters.
///
/// Lower, upper and lower again equals the full case folding of Unicode (ß and ẞ become ss, all sigmas
/// are equal), with one exception: the Turkish dotless ı stays as it is.
pub(super) fn fold_char(c: char, mut push: impl FnMut(char)) {
    if c == 'ı' {
        push(c);
        return;
    }
    for lower in plain(c).to_lowercase() {
        for upper in lower.to_uppercase() {
            for folded in upper.to_lowercase() {
                push(plain(folded));
            }
        }
    }
}

/// Replaces typographic apostrophes, hyphens and full-width forms by their plain counterparts.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c),
        _ => c,
    }
}

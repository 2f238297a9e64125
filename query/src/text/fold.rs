//! Case folding of single characters, and the few look-alikes that writers do not tell apart.

/// Hands the folded form of one character, one to a few characters, to `push`.
///
/// Lower, upper and lower again is Unicode's full case folding (ß and ẞ become ss, all sigmas are
/// one), with one exception that is written out: the Turkish dotless ı stays what it is.
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

/// Typographic apostrophes, hyphens and full-width forms as their plain counterparts.
fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{2bc}' => '\'',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xff01 + 0x21).unwrap_or(c),
        _ => c,
    }
}

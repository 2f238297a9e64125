//! The kinds of characters that the word rules distinguish.

use unicode_normalization::char::is_combining_mark;

/// The role of a character in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Separates words.
    Space,
    /// Is ignored: soft hyphens, joiners, direction marks.
    Nothing,
    /// Forms a word with its neighbours of the same class.
    Letter,
    /// A letter of a script without spaces: a word by itself.
    Lone,
    /// Belongs to the character before it.
    Mark,
    /// Punctuation or a symbol: a word by itself.
    Symbol,
}

const ASCII: [Class; 256] = {
    let mut table = [Class::Symbol; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        if c <= b' ' || c == 0x7f {
            table[byte] = Class::Space;
        } else if c.is_ascii_alphanumeric() || c == b'_' {
            table[byte] = Class::Letter;
        }
        byte += 1;
    }
    table
};

/// The class of an ASCII byte. Bytes above 127 count as symbols.
pub(super) fn of_byte(byte: u8) -> Class {
    ASCII[usize::from(byte)]
}

/// The class of a folded character.
pub(super) fn of_char(c: char) -> Class {
    if let Ok(byte) = u8::try_from(c)
        && byte < 128
    {
        return of_byte(byte);
    }
    match c {
        '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' => {
            Class::Nothing
        }
        '\u{feff}' => Class::Nothing,
        '\u{200b}' => Class::Space,
        _ if c.is_whitespace() || c.is_control() => Class::Space,
        _ if is_combining_mark(c) => Class::Mark,
        _ if !c.is_alphanumeric() => Class::Symbol,
        _ if is_unspaced(c) => Class::Lone,
        _ => Class::Letter,
    }
}

/// Scripts without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'     // Thai, Lao
        | '\u{0f00}'..='\u{109f}'   // Tibetan, Myanmar
        | '\u{1100}'..='\u{11ff}'   // Hangul letters
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{1950}'..='\u{19df}'   // Tai Le, New Tai Lue
        | '\u{1a20}'..='\u{1aaf}'   // Tai Tham
        | '\u{2e80}'..='\u{2fdf}'   // CJK radicals
        | '\u{3005}'..='\u{3007}'   // CJK iteration marks
        | '\u{3040}'..='\u{31ff}'   // Hiragana, Katakana, Bopomofo, Hangul letters
        | '\u{3400}'..='\u{9fff}'   // CJK ideographs
        | '\u{a960}'..='\u{a97f}'   // Hangul letters
        | '\u{a9e0}'..='\u{a9ff}'   // Myanmar
        | '\u{aa60}'..='\u{aadf}'   // Myanmar, Tai Viet
        | '\u{ac00}'..='\u{d7ff}'   // Hangul syllables
        | '\u{f900}'..='\u{faff}'   // CJK compatibility ideographs
        | '\u{ff66}'..='\u{ffdc}'   // half-width Katakana and Hangul
        | '\u{1aff0}'..='\u{1b16f}' // Kana supplements
        | '\u{20000}'..='\u{3ffff}' // further ideographs
    )
}

//! Bounds on what one document may cost.
//!
//! Why apart: every reader in this crate obeys the same numbers, and whoever runs the crate can
//! tighten them in one place. Nothing here is a format rule; a document that exceeds a bound is
//! read as far as the bound, with a warning, never refused for it.

/// How much of a document is read before the reader stops and says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of decoded text that are looked at; the rest is cut off as if the transfer had ended.
    pub bytes: usize,
    /// Nesting of elements; deeper markup is flattened.
    pub depth: usize,
    /// Items kept, the first ones of the document.
    pub items: usize,
    /// Bytes kept of one text (title, summary, content).
    pub text: usize,
    /// Entries kept of one list of an item (links, categories, authors, enclosures).
    pub list: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10 << 20, depth: 512, items: 10_000, text: 4 << 20, list: 128 }
    }
}

/// The longest prefix of `text` that fits in `max` bytes and ends at a character boundary.
pub(crate) fn prefix(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

//! Limits on the size of one document. Every reader of this crate obeys them.
//!
//! A document that exceeds a limit is read up to it, with a warning; it is never rejected for that.

/// How much of a document is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of decoded text; the rest is ignored, as if the transfer had ended.
    pub bytes: usize,
    /// Nesting of elements; deeper markup is flattened.
    pub depth: usize,
    /// Items; the first ones of the document are kept.
    pub items: usize,
    /// Bytes of one text (title, summary, content).
    pub text: usize,
    /// Entries of one list of an item (links, categories, authors, enclosures).
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

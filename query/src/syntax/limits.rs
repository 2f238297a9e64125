//! Limits on the size of a text, so that no text can exhaust a node.

/// Limits on the text of queries. A text that exceeds one is rejected with an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole text; never more than 4 GiB.
    pub text: usize,
    /// Statements in one text.
    pub statements: usize,
    /// Nested parentheses, brackets and NOTs; never more than 256, even if this is larger.
    pub depth: usize,
    /// Tests in all filters of one text; each string of an IN list counts as one.
    pub tests: usize,
    /// Regular expressions in one text; each may take milliseconds to build and 256 KiB.
    pub regexes: usize,
    /// Sources in all feeds of one text.
    pub sources: usize,
    /// Bytes of one string or name.
    pub string: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text: 1 << 20,
            statements: 10_000,
            depth: 64,
            tests: 20_000,
            regexes: 200,
            sources: 20_000,
            string: 4096,
        }
    }
}

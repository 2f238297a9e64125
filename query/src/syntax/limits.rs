//! How much of everything a text may hold, so that no text can exhaust a node.

/// Bounds on the text of queries. Whatever exceeds one is refused with an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole text; never more than 4 GiB.
    pub text: usize,
    /// Statements in one text.
    pub statements: usize,
    /// Parentheses, brackets and NOTs inside each other; never more than 256, whatever is said here.
    pub depth: usize,
    /// Tests in all filters of one text; each string of an IN list counts.
    pub tests: usize,
    /// Regular expressions in one text; each may take milliseconds to build and a quarter of a megabyte.
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

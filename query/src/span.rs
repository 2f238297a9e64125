//! Positions in the text of a query.

/// A range of bytes in the text of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The range between two byte offsets. Texts are shorter than 4 GiB.
    pub fn new(start: usize, end: usize) -> Self {
        let bounded = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: bounded(start), end: bounded(end) }
    }

    /// The range that covers both.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range as string indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and its position.
///
/// Equality ignores the position: a tree keeps its meaning wherever it was written.
#[derive(Clone, Debug, Default)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

impl<T> Spanned<T> {
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// A value that was not parsed from a text.
    pub fn unplaced(value: T) -> Self {
        Self { value, span: Span::default() }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

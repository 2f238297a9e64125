//! Where in the text a piece of the tree was written.

/// A range of bytes in the text of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The range between two byte offsets. Offsets beyond 4 GiB cannot occur: texts are bounded.
    pub fn new(start: usize, end: usize) -> Self {
        let bounded = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: bounded(start), end: bounded(end) }
    }

    /// The range from the start of this one to the end of another.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range as indices of a string.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and the place it was written at.
///
/// Two are equal when their values are: a tree does not change its meaning by being moved.
#[derive(Clone, Debug, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value written at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// A value that was made rather than read.
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

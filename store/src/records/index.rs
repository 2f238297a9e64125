//! The search index: which segments it consists of.

/// What the search index consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Every chunk is in a segment or waits for one. Otherwise those that are in neither are looked for.
    pub whole: bool,
    /// The number of the next segment.
    pub next: u32,
    /// The segments, the oldest first.
    pub segments: Vec<SegmentRecord>,
}

/// One segment of the search index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRecord {
    /// Its number; never given again while its rows are there.
    pub number: u32,
    /// Its documents.
    pub documents: u32,
    /// Those whose chunk was gone when they were last counted.
    pub gone: u32,
    /// The date of its newest document, in seconds since 1970.
    pub newest: i64,
    /// Bytes of its rows.
    pub bytes: u64,
}

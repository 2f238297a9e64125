//! The search index. The rows of its segments are made and read in `pergola_index`.

use super::{List, row};
use crate::records::{Manifest, SegmentRecord};

row!(Manifest as ManifestRow<'a> {
    whole: bool,
    next: u32,
    segments: List<'a, SegmentRecord>,
});

row!(SegmentRecord as SegmentRow {
    number: u32,
    documents: u32,
    gone: u32,
    newest: i64,
    bytes: u64,
});

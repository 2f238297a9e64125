//! How much of what a channel said lately was novel.

/// Items after which all but a third of the past is forgotten.
const MEMORY: f32 = 50.0;

/// Items seen lately, and novel ones among them; older items count less.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fresh {
    pub(super) seen: f32,
    pub(super) novel: f32,
}

impl Fresh {
    /// Counts one item.
    pub(super) fn add(&mut self, novel: bool) {
        let keep = 1.0 - 1.0 / MEMORY;
        self.seen = self.seen * keep + 1.0;
        self.novel = self.novel * keep + f32::from(u8::from(novel));
    }

    /// The share of novel items; 1 before anything was seen.
    pub(super) fn share(self) -> f64 {
        f64::from((self.novel + 1.0) / (self.seen + 1.0))
    }
}

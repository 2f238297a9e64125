//! The rules that one phrase leads to.
//!
//! Most phrases lead to one rule. It is stored inline, so that no pointer must be followed.

/// A phrase leads to a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) rule: u32,
    /// Where the phrase must occur.
    pub(super) places: u16,
    /// Whether that alone satisfies the condition.
    pub(super) decides: bool,
}

/// Entries in no particular order.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    first: Option<Entry>,
    more: Vec<Entry>,
}

impl Entries {
    pub(super) fn push(&mut self, entry: Entry) {
        match self.first {
            None => self.first = Some(entry),
            Some(_) => self.more.push(entry),
        }
    }

    /// Removes the entries of a rule.
    pub(super) fn remove(&mut self, rule: u32) {
        self.more.retain(|entry| entry.rule != rule);
        if self.first.is_some_and(|entry| entry.rule == rule) {
            self.first = self.more.pop();
        }
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.first.iter().chain(&self.more)
    }
}

//! What a reader is told.

use std::collections::BTreeMap;

use pergola_proto::v1::{Entry, FetchResponse};
use pergola_store::archive::{Archive, FeedId};

use super::Promises;

/// What an item is called in the simulated world: its source and its number there, as its title begins.
pub type Mark = (usize, usize);

/// The mark that a title begins with.
pub fn mark(title: &str) -> Option<Mark> {
    let (source, number) = title.split_whitespace().next()?.strip_prefix('s')?.split_once('-')?;
    Some((source.parse().ok()?, number.parse().ok()?))
}

/// A reader that follows one feed of one node.
pub struct Following {
    who: String,
    promises: Promises,
    /// Whether items of a source are for this reader.
    may_see: Box<dyn Fn(usize) -> bool + Send>,
    /// The number that comes next.
    next: u64,
    begun: bool,
    /// Every item so far, and its number.
    seen: BTreeMap<Mark, u64>,
}

impl Following {
    pub fn new(
        who: String,
        promises: Promises,
        may_see: impl Fn(usize) -> bool + Send + 'static,
    ) -> Self {
        let (next, begun, seen) = (0, false, BTreeMap::new());
        Self { who, promises, may_see: Box::new(may_see), next, begun, seen }
    }

    /// Every item so far.
    pub fn seen(&self) -> impl Iterator<Item = Mark> {
        self.seen.keys().copied()
    }

    pub fn has(&self, mark: Mark) -> bool {
        self.seen.contains_key(&mark)
    }

    /// How many items it has seen.
    pub fn count(&self) -> usize {
        self.seen.len()
    }

    fn broken(&self, how: &str) {
        self.promises.broken(format!("{}: {how}", self.who));
    }

    /// A page over gRPC; `durable` is what its node would have after a power cut now.
    pub fn page(&mut self, page: &FetchResponse, durable: Option<(&Archive, FeedId)>) {
        if self.begun && page.restarted {
            self.broken("the cursor is not known any more: what was told is lost");
        }
        if page.expired > 0 || page.skipped > 0 {
            self.broken(&format!("{} entries expired, {} skipped", page.expired, page.skipped));
        }
        if page.cursor.is_empty() {
            self.broken("a page without a cursor");
        }
        self.begun = true;
        for entry in &page.entries {
            self.entry(entry);
            if let Some((archive, feed)) = durable
                && !matches!(archive.entry(feed, entry.sequence), Ok(Some(_)))
            {
                self.broken(&format!("entry {} was told before it was durable", entry.sequence));
            }
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let title = entry.item.as_ref().and_then(|item| item.title.as_deref()).unwrap_or_default();
        let Some(mark) = mark(title) else {
            return self.broken(&format!("an item that nobody published: {title:?}"));
        };
        if !(self.may_see)(mark.0) {
            self.broken(&format!("an item that is not for it: {title:?}"));
        }
        if entry.edited && entry.sequence < self.next {
            if self.seen.get(&mark) != Some(&entry.sequence) {
                self.broken(&format!("entry {} became another item", entry.sequence));
            }
            return;
        }
        if entry.sequence != self.next {
            let (next, got) = (self.next, entry.sequence);
            self.broken(&format!("entry {got} came where {next} was next"));
        }
        self.next = entry.sequence + 1;
        if let Some(before) = self.seen.insert(mark, entry.sequence) {
            let now = entry.sequence;
            self.broken(&format!("item {mark:?} came twice, as {before} and as {now}"));
        }
    }
}

/// A reader that polls the documents of one feed. Their window is larger than any feed here, so that what was once
/// shown must be shown for ever.
pub struct Polling {
    who: String,
    promises: Promises,
    may_see: Box<dyn Fn(usize) -> bool + Send>,
    seen: BTreeMap<Mark, ()>,
}

impl Polling {
    pub fn new(
        who: String,
        promises: Promises,
        may_see: impl Fn(usize) -> bool + Send + 'static,
    ) -> Self {
        Self { who, promises, may_see: Box::new(may_see), seen: BTreeMap::new() }
    }

    /// A JSON Feed document.
    pub fn document(&mut self, text: &[u8]) {
        let broken = |how: String| self.promises.broken(format!("{}: {how}", self.who));
        let Ok(document) = serde_json::from_slice::<serde_json::Value>(text) else {
            return broken("a document that is no JSON".to_owned());
        };
        let mut shown = BTreeMap::new();
        let mut ids = BTreeMap::new();
        for item in document["items"].as_array().into_iter().flatten() {
            let title = item["title"].as_str().unwrap_or_default();
            let Some(mark) = mark(title) else {
                broken(format!("an item that nobody published: {title:?}"));
                continue;
            };
            if !(self.may_see)(mark.0) {
                broken(format!("an item that is not for it: {title:?}"));
            }
            if shown.insert(mark, ()).is_some() {
                broken(format!("{title:?} is shown twice"));
            }
            if let Some(other) = ids.insert(item["id"].to_string(), mark) {
                broken(format!("{mark:?} and {other:?} have one id"));
            }
        }
        for mark in self.seen.keys().filter(|mark| !shown.contains_key(mark)) {
            broken(format!("{mark:?} was shown and is not any more"));
        }
        self.seen.append(&mut shown);
    }
}

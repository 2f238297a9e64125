//! The way back: what a refresh missed, from the archives of its source.
//!
//! A refresh that meets none of the items it knows has missed some. If the document leads to older ones (RFC
//! 5005 archives or pages, `next_url` of JSON Feed), those are followed until a known item is met. Pure:
//! told what each document held, it says which one comes next.
//!
//! Never: more than [`DOCUMENTS`] for one refresh, or more bytes and items than one document may have; an
//! address twice; another host; an item that stands behind the known one that was met, which was there
//! before we ever refreshed.

use std::collections::HashSet;

use pergola_feed::identity::{Policy, identify};
use pergola_feed::{Document, Item, Timestamp};
use pergola_manners::decide::News;
use pergola_refresh::DAY;
use pergola_store::archive::{ItemKey, Known, SourceKind, item_key};
use url::Url;

use super::conclude::Manners;
use super::read::{Body, read};
use crate::fetch::{Answer, FetchError};

/// Documents asked for in one refresh at most.
pub const DOCUMENTS: u32 = 20;
/// How much older than the last refresh an item may say it is before it cannot have been missed since, unless
/// a known item proves it. Relays publish late, so this is generous.
const BACKDATED: f64 = 30.0 * DAY;

/// Where following stands.
pub struct Trail {
    /// The address of the source.
    source: String,
    policy: Policy,
    known: HashSet<ItemKey>,
    /// The last refresh before this one.
    since: f64,
    /// Items in the window, or met on the way.
    seen: HashSet<ItemKey>,
    visited: HashSet<Url>,
    next: Option<Url>,
    found: Backlog,
}

/// What was found on the way back.
#[derive(Debug, Default)]
pub struct Backlog {
    /// Items that follow those of the window, newest first.
    pub items: Vec<Item>,
    /// Documents asked for.
    pub documents: u32,
    /// Bytes that came over the wire.
    pub bytes: u64,
    /// A known item was met: nothing is missing.
    pub complete: bool,
    /// What ended it before that, if it was not the end of the archives.
    pub trouble: Option<String>,
    /// The answer that asked for quiet.
    pub quiet: Option<Box<Answer>>,
}

impl Trail {
    /// From a window whose items were all unknown to the document it leads to.
    pub fn new(source: &str, known: &Known, window: &[News], since: f64, older: Url) -> Self {
        Self {
            source: source.to_owned(),
            policy: known.identity.policy(),
            known: known.items.iter().map(|item| item.key).collect(),
            since,
            seen: window.iter().map(|news| news.key).collect(),
            visited: HashSet::new(),
            next: Some(older),
            found: Backlog::default(),
        }
    }

    /// The next document to ask for.
    pub fn next(&self) -> Option<Url> {
        self.next.clone()
    }

    /// What came of asking for a document.
    pub fn take(&mut self, asked: &Url, answered: Result<Answer, FetchError>, manners: &Manners) {
        self.next = None;
        self.visited.insert(asked.clone());
        self.found.documents += 1;
        let answer = match answered {
            Ok(answer) => answer,
            Err(error) => return self.end(error.to_string()),
        };
        self.found.bytes += answer.wire_bytes;
        if answer.url.host() != asked.host() {
            return self.end(format!("{asked} leads to another host"));
        }
        match read(&answer, &SourceKind::Feed, 0, manners) {
            Body::Document(document, _) => self.add(*document, &answer.url, manners),
            Body::Unusable(_, why) => self.end(format!("{asked} cannot be read: {why}")),
            _ => {
                self.end(format!("{asked} answered {}", answer.status));
                if matches!(answer.status, 429 | 503) {
                    self.found.quiet = Some(Box::new(answer));
                }
            }
        }
    }

    /// What was found, in the order of the documents.
    pub fn finish(mut self) -> Backlog {
        if !self.found.complete {
            // A source that has renamed all its items must not bring its whole history.
            let first = self.since - BACKDATED;
            let missed = |at: Timestamp| at.unix() as f64 >= first;
            self.found.items.retain(|item| item.published.is_none_or(missed));
        }
        self.found
    }

    fn end(&mut self, why: String) {
        self.found.trouble = Some(why);
    }

    fn add(&mut self, mut document: Document, at: &Url, manners: &Manners) {
        let older = document.older().and_then(|href| at.join(href).ok());
        if is_oldest_first(&document.items) {
            document.items.reverse();
        }
        let keys: Vec<ItemKey> = document.items.iter().map(|item| self.key(item)).collect();
        let met = keys.iter().rposition(|key| self.known.contains(key));
        let newest = document.items.iter().filter_map(|item| item.published).max();
        let wanted = met.map_or(keys.len(), |place| place + 1);
        for (item, key) in document.items.into_iter().zip(keys).take(wanted) {
            if self.seen.insert(key) {
                self.found.items.push(item);
            }
        }
        self.found.complete = met.is_some();
        let passed = newest.is_some_and(|at| (at.unix() as f64) < self.since - BACKDATED);
        if self.found.complete || passed {
            return;
        }
        let Some(older) = older else { return };
        let full = self.found.items.len() >= manners.limits.items
            || self.found.bytes >= manners.limits.bytes as u64;
        if older.host() != at.host() || self.visited.contains(&older) {
            self.end(format!("{at} leads to {older}, which is not followed"));
        } else if full || self.found.documents >= DOCUMENTS {
            self.end(format!("no known item in {} documents", self.found.documents));
        } else {
            self.next = Some(older);
        }
    }

    fn key(&self, item: &Item) -> ItemKey {
        item_key(&identify(item, self.policy), item, &self.source)
    }
}

/// Documents are newest first, unless their dates say otherwise.
fn is_oldest_first(items: &[Item]) -> bool {
    let mut dates = items.iter().filter_map(|item| item.published);
    matches!((dates.next(), dates.next_back()), (Some(first), Some(last)) if first < last)
}

#[cfg(test)]
mod tests;

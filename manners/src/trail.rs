//! The trail back: what a refresh missed, from the archives of its source.
//!
//! A window without any known item means that items were missed. If the document leads to older ones (RFC
//! 5005 archives or pages, `next_url` of JSON Feed), those are followed until a known item is met. Pure: it
//! is told what each document held, and says which one to fetch next.
//!
//! Items whose stored copy is damaged ([`LOST`]) are looked for in the same way, once: the trail then ends when
//! all of them are found, and brings nothing else.
//!
//! Never: more than [`DOCUMENTS`] in one refresh, or more bytes and items than one document may have; an
//! address twice; another host; an item older than the known one that was met, because it was there before
//! the source was first refreshed.

use std::collections::HashSet;

use pergola_feed::identity::{Policy, identify};
use pergola_feed::{Document, Item, Limits, NodeId, OriginId, Timestamp};
use pergola_refresh::DAY;
use url::Url;

use crate::courtesy::No;
use crate::heard::{Carrier, Heard, Said};
use crate::source::{ItemKey, Known, LOST, item_key};

/// Documents fetched in one refresh at most.
pub const DOCUMENTS: u32 = 20;
/// An item dated so much earlier than the last refresh cannot have been missed since, unless a known item
/// proves it. Relays publish late, so this is generous.
const BACKDATED: f64 = 30.0 * DAY;

/// How far following has come.
pub struct Trail {
    /// What identifies the source.
    source: OriginId,
    policy: Policy,
    known: HashSet<ItemKey>,
    /// Items that are looked for; none if some were missed.
    lost: HashSet<ItemKey>,
    /// The last refresh before this one.
    since: f64,
    /// Items in the window, or met on the way.
    seen: HashSet<ItemKey>,
    visited: HashSet<Url>,
    next: Option<Url>,
    found: Backlog,
}

/// What the archives added.
#[derive(Debug, Default)]
pub struct Backlog {
    /// Items that follow those of the window, newest first.
    pub items: Vec<Item>,
    /// Documents asked for.
    pub documents: u32,
    /// Bytes received.
    pub bytes: u64,
    /// A known item was met: nothing is missing.
    pub complete: bool,
    /// What ended it before that, unless it was the end of the archives.
    pub trouble: Option<String>,
    /// The answer that asked for quiet.
    pub quiet: Option<Box<Heard>>,
}

impl Backlog {
    /// A sentence for the log, if archives were followed.
    pub(crate) fn note(&self) -> Option<String> {
        let Self { documents, complete, trouble, .. } = self;
        let met = if *complete { "back to a known item" } else { "without meeting a known item" };
        let why = trouble.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        (*documents > 0)
            .then(|| format!("items were missed; {documents} archive documents read, {met}{why}"))
    }
}

impl Trail {
    /// The trail to follow after a document of `source`, if it leads to older ones and none of its items is
    /// known although some were before, or known ones are looked for that it does not show. `since` is the last refresh, `node` this node.
    pub fn begin(
        heard: &Heard,
        source: OriginId,
        known: &Known,
        node: &NodeId,
        since: f64,
    ) -> Option<Self> {
        let next = Some(heard.older()?);
        let items = &heard.said.document()?.document.items;
        let policy = known.identity.policy();
        let key = |item: &Item| item_key(&identify(item, policy), item, source);
        let seen: HashSet<ItemKey> = items.iter().map(key).collect();
        let missed = !known.items.is_empty()
            && !known.items.iter().rev().any(|item| seen.contains(&item.key))
            && !items.iter().all(|item| item.has_passed(node));
        let lost = known.items.iter().filter(|item| item.digest == LOST && !missed);
        let lost: HashSet<_> =
            lost.map(|item| item.key).filter(|key| !seen.contains(key)).collect();
        (missed || !lost.is_empty()).then(|| Self {
            source,
            policy,
            known: known.items.iter().map(|item| item.key).collect(),
            lost,
            since,
            seen,
            visited: HashSet::new(),
            next,
            found: Backlog::default(),
        })
    }

    /// The next document to fetch.
    pub fn next(&self) -> Option<Url> {
        self.next.clone()
    }

    /// What was heard when `asked` was fetched.
    pub fn take(&mut self, asked: &Url, heard: Heard, limits: &Limits) {
        self.next = None;
        self.visited.insert(asked.clone());
        self.found.documents += 1;
        self.found.bytes += heard.bytes;
        if let Carrier::Http(http) = &heard.carrier
            && http.url.host() != asked.host()
        {
            return self.end(format!("{asked} leads to another host"));
        }
        match (heard.said, heard.carrier) {
            (Said::Document(told), Carrier::Http(http)) => {
                self.add(told.document, &http.url, limits);
            }
            (Said::Silent(failure), _) => self.end(failure.words),
            (Said::Unusable(failure), _) => {
                self.end(format!("{asked} cannot be read: {}", failure.words));
            }
            (said, carrier) => {
                let words = said.trouble().unwrap_or("it has no document");
                self.end(format!("{asked}: {words}"));
                if let Said::Refused(refused) = &said
                    && matches!(refused.no, No::Quiet(_))
                {
                    let (terms, bytes) = (heard.terms, heard.bytes);
                    self.found.quiet = Some(Box::new(Heard { said, carrier, terms, bytes }));
                }
            }
        }
    }

    /// What was found, in the order of the documents.
    pub fn finish(mut self) -> Backlog {
        if !self.found.complete {
            // A source that renames all its items must not bring its whole history.
            let first = self.since - BACKDATED;
            let missed = |at: Timestamp| at.unix() as f64 >= first;
            self.found.items.retain(|item| item.published.is_none_or(missed));
        }
        self.found
    }

    fn end(&mut self, why: String) {
        self.found.trouble = Some(why);
    }

    fn add(&mut self, mut document: Document, at: &Url, limits: &Limits) {
        let older = document.older().and_then(|href| at.join(href).ok());
        if is_oldest_first(&document.items) {
            document.items.reverse();
        }
        let keys: Vec<ItemKey> = document.items.iter().map(|item| self.key(item)).collect();
        if !self.lost.is_empty() {
            return self.seek(document.items.into_iter().zip(keys), at, older);
        }
        let met = keys.iter().rposition(|key| self.known.contains(key));
        let newest = document.items.iter().filter_map(|item| item.published).max();
        let wanted = met.map_or(keys.len(), |last| last + 1);
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
        let full =
            self.found.items.len() >= limits.items || self.found.bytes >= limits.bytes as u64;
        self.go_on(at, older, full);
    }

    /// Takes the items that are looked for.
    fn seek(&mut self, items: impl Iterator<Item = (Item, ItemKey)>, at: &Url, older: Option<Url>) {
        let found = items.filter(|(_, key)| self.lost.remove(key)).map(|(item, _)| item);
        self.found.items.extend(found);
        // Nothing was missed.
        self.found.complete = true;
        if !self.lost.is_empty() {
            self.go_on(at, older, false);
        }
    }

    /// To the document before `at`, if it may be asked for.
    fn go_on(&mut self, at: &Url, older: Option<Url>, full: bool) {
        let Some(older) = older else { return };
        if older.host() != at.host() || self.visited.contains(&older) {
            self.end(format!("{at} leads to {older}, which is not followed"));
        } else if full || self.found.documents >= DOCUMENTS {
            self.end(format!("no known item in {} documents", self.found.documents));
        } else {
            self.next = Some(older);
        }
    }

    fn key(&self, item: &Item) -> ItemKey {
        item_key(&identify(item, self.policy), item, self.source)
    }
}

/// Documents are newest first, unless their dates say otherwise.
fn is_oldest_first(items: &[Item]) -> bool {
    let mut dates = items.iter().filter_map(|item| item.published);
    matches!((dates.next(), dates.next_back()), (Some(first), Some(last)) if first < last)
}

#[cfg(test)]
mod tests;

//! Learns over many fetches whether the ids of a source can be trusted.

mod parts;

use std::collections::{HashMap, VecDeque};

use super::{Policy, identify, is_repeated};
use crate::model::{Document, Item, ItemId, digest};
pub use parts::IdentityParts;

/// One bad id in this many is tolerated.
const TOLERATED: u32 = 20;
/// Ids to judge before deciding, so that one mistake in a short feed does not count.
const ENOUGH: u32 = 10;
/// After this many judged ids, the counts are halved.
const MEMORY: u32 = 1000;
/// Items remembered in order to detect changed ids.
const REMEMBERED: usize = 512;

/// The identity policy of one source: a small value to store with it.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceIdentity {
    policy: Policy,
    judged: u32,
    bad: u32,
    /// Recent items: digest of the item without its id, and digest of the id.
    lately: VecDeque<(u64, u64)>,
}

/// A source has fallen back to a weaker policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Degraded {
    /// The policy until now.
    pub from: Policy,
    /// The policy from now on.
    pub to: Policy,
    pub reason: String,
}

/// The id given to one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    pub id: ItemId,
    /// The item's id before this document changed the policy. An item stored under it is the same item.
    pub formerly: Option<ItemId>,
}

impl Default for SourceIdentity {
    fn default() -> Self {
        Self { policy: Policy::Id, judged: 0, bad: 0, lately: VecDeque::new() }
    }
}

impl SourceIdentity {
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Judges the ids of a fetched document, changes the policy if they are bad, and sets the id of
    /// every item. If the policy changed, also returns the previous ids.
    pub fn assign(&mut self, document: &mut Document) -> (Vec<Assigned>, Option<Degraded>) {
        let before = self.policy;
        let degraded = self.judge(&document.items);
        let mut assigned = Vec::with_capacity(document.items.len());
        // The first item with each id.
        let mut taken: HashMap<ItemId, usize> = HashMap::new();
        for number in 0..document.items.len() {
            let mut id = identify(&document.items[number], self.policy);
            let first = *taken.entry(id.clone()).or_insert(number);
            if first != number && !is_repeated(&document.items[first], &document.items[number]) {
                // A tolerated duplicate must not merge two items.
                id = document.items[number].digest_id();
            }
            let item = &mut document.items[number];
            let formerly = (before != self.policy).then(|| identify(item, before));
            item.id = id.clone();
            assigned.push(Assigned { formerly: formerly.filter(|old| *old != id), id });
        }
        self.remember(&document.items);
        if let Some(degraded) = &degraded {
            document.warnings.push(degraded.reason.clone());
        }
        (assigned, degraded)
    }

    fn judge(&mut self, items: &[Item]) -> Option<Degraded> {
        if self.policy == Policy::Digest || items.is_empty() {
            return None;
        }
        let known: HashMap<u64, u64> = self.lately.iter().copied().collect();
        let mut ids = HashMap::new();
        let (mut duplicated, mut changed, mut missing) = (0u32, 0u32, 0u32);
        for item in items {
            let Some(id) = part(item, self.policy) else {
                missing += 1;
                continue;
            };
            let first = *ids.entry(id).or_insert(item);
            duplicated += u32::from(!std::ptr::eq(first, item) && !is_repeated(first, item));
            let other =
                known.get(&fingerprint(item, self.policy)).is_some_and(|old| *old != short(&[id]));
            changed += u32::from(other);
        }
        self.judged += u32::try_from(items.len()).unwrap_or(u32::MAX);
        self.bad += duplicated + changed + missing;
        let verdict = self.judged >= ENOUGH && self.bad.saturating_mul(TOLERATED) > self.judged;
        if self.judged > MEMORY {
            self.judged /= 2;
            self.bad /= 2;
        }
        if !verdict {
            return None;
        }
        let from = self.policy;
        let (to, what) = match from {
            Policy::Id => (Policy::Link, "ids"),
            _ => (Policy::Digest, "links"),
        };
        let reason = format!(
            "too many bad {what} ({duplicated} duplicated, {changed} changed, {missing} missing in \
             this document): items are now identified by {}",
            if to == Policy::Link { "their links" } else { "a digest of their content" }
        );
        *self = Self { policy: to, ..Self::default() };
        // The next policy may be no better: judge it on the same document.
        let further = self.judge(items);
        Some(Degraded { from, to: further.map_or(to, |next| next.to), reason })
    }

    fn remember(&mut self, items: &[Item]) {
        for item in items.iter().rev().take(REMEMBERED) {
            let Some(id) = part(item, self.policy) else {
                continue;
            };
            let entry = (fingerprint(item, self.policy), short(&[id]));
            self.lately.retain(|known| known.0 != entry.0);
            self.lately.push_back(entry);
            if self.lately.len() > REMEMBERED {
                self.lately.pop_front();
            }
        }
    }
}

/// The part of an item that a policy uses.
fn part(item: &Item, policy: Policy) -> Option<&str> {
    match policy {
        Policy::Id => item.guid.as_deref(),
        Policy::Link => item.link.as_deref(),
        Policy::Digest => None,
    }
}

/// A digest of the item without the part that the policy uses.
fn fingerprint(item: &Item, policy: Policy) -> u64 {
    let link = item.link.as_deref().filter(|_| policy == Policy::Id).unwrap_or("");
    let text = item.content.as_ref().or(item.summary.as_ref()).map_or("", |text| &text.body);
    short(&[item.title.as_deref().unwrap_or(""), link, text])
}

fn short(parts: &[&str]) -> u64 {
    let whole = digest(parts);
    (whole ^ (whole >> 64)) as u64
}

//! Our subscriptions: what was asked of which hub, what it granted, and how reliable it is.
//!
//! Pure: it is told the time and the randomness, and says which hub to ask next. There is at most one
//! subscription per source. One that is no longer wanted is cancelled at its hub and then forgotten.
//!
//! Never: a verification confirmed that we did not ask for; a source left to its hub after the lease has
//! ended.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pergola_feed::digest;
use pergola_manners::backoff::{lengthened, share};
use pergola_manners::hub::{Advertised, HubNotice};
use pergola_store::archive::{HubTally, Lease, Push, SourceId, Suspect};

use super::asking::{HubRequest, Token};
use super::rules::{FAREWELLS, GRACE, LEASES, LONGEST_WAIT, Rules, VERIFYING, wait};
use super::trust::{is_active, is_trusted, remember};
use crate::websub::instants::{millis, passed};

/// All our subscriptions.
pub(super) struct Book {
    rules: Rules,
    pushes: HashMap<Token, Entry>,
    by_source: HashMap<SourceId, Token>,
    timers: BTreeSet<(u64, Token)>,
    /// Rows to be stored, with their sources.
    changed: BTreeMap<Token, SourceId>,
    /// Sources that may be left to their hubs for longer or shorter than before.
    replan: BTreeSet<SourceId>,
    missed: u64,
}

struct Entry {
    row: Push,
    timer: u64,
}

impl Book {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            pushes: HashMap::new(),
            by_source: HashMap::new(),
            timers: BTreeSet::new(),
            changed: BTreeMap::new(),
            replan: BTreeSet::new(),
            missed: 0,
        }
    }

    /// A stored subscription; it is cancelled if its source is gone.
    pub(super) fn load(&mut self, token: Token, mut row: Push, exists: bool) {
        let stays = exists && !self.by_source.contains_key(&row.source);
        if row.wanted && !stays {
            (row.wanted, row.tries, row.next_ask, row.asked_at) = (false, 0, 0.0, None);
        }
        self.insert(token, row);
    }

    /// How many sources a hub pushes to us.
    pub(super) fn active(&self, now: f64) -> usize {
        self.pushes.values().filter(|entry| is_active(&entry.row, now)).count()
    }

    /// The subscription of a source.
    pub(super) fn of(&self, source: SourceId) -> Option<&Push> {
        Some(&self.pushes.get(self.by_source.get(&source)?)?.row)
    }

    /// A source was refreshed. `fresh` makes a token and a secret, if it can.
    pub(super) fn polled(
        &mut self,
        refresh: &HubNotice,
        fresh: impl FnOnce() -> Option<(Token, String)>,
    ) {
        let (source, now) = (refresh.id, refresh.at);
        let wanted = match &refresh.advertised {
            Advertised::Unknown => self.of(source).map(address),
            Advertised::NoHub => None,
            Advertised::Hub(named) => Some((named.hub.to_string(), named.topic.to_string())),
        };
        if self.of(source).map(address) != wanted {
            self.forget(source, now);
            if let Some((hub, topic)) = wanted
                && let Some((token, secret)) = fresh()
            {
                self.begin(token, Push { hub, topic, secret, ..blank(source, now) });
            }
        }
        self.edit_source(source, |row, _| {
            row.polled_at = refresh.at;
            // The hub need not have pushed what was published before its lease.
            let told =
                row.lease.is_some_and(|lease| refresh.since.is_some_and(|s| s >= lease.since));
            if told && refresh.new_items > 0 && is_active(row, refresh.at) {
                let items = row.suspect.map_or(0, |suspect| suspect.items) + refresh.new_items;
                let at = row.suspect.map_or(refresh.at, |suspect| suspect.at);
                row.suspect = Some(Suspect { items, at });
            }
        });
    }

    /// A source was removed, or no longer advertises a hub.
    pub(super) fn forget(&mut self, source: SourceId, now: f64) {
        let Some(token) = self.by_source.get(&source).cloned() else { return };
        self.edit(&token, |row, _| {
            row.wanted = false;
            (row.tries, row.next_ask, row.asked_at) = (0, now, None);
        });
        self.by_source.remove(&source);
        self.replan.insert(source);
    }

    /// Time has passed: returns the requests to send now.
    pub(super) fn pass(&mut self, now: f64) -> Vec<HubRequest> {
        let mut asks = Vec::new();
        // Each one once: a timer that is set to this instant again waits for the next call.
        let end = (passed(now) + 1, Token::new());
        let due: Vec<(u64, Token)> = self.timers.range(..end).cloned().collect();
        for (at, token) in due {
            self.timers.remove(&(at, token.clone()));
            let mut ask = None;
            let mut over = false;
            self.edit(&token, |row, rules| {
                if row.suspect.is_some_and(|suspect| suspect.at + GRACE <= now) {
                    let items = row.suspect.take().map_or(0, |suspect| suspect.items);
                    row.tally.missed += u64::from(items);
                    remember(&mut row.tally, 0.0, f64::from(items));
                }
                if row.lease.is_some_and(|lease| lease.until <= now) {
                    row.lease = None;
                    row.suspect = None;
                    over = !row.wanted;
                }
                if row.next_ask > now {
                    return;
                }
                over |= !row.wanted && row.tries >= FAREWELLS;
                if row.asked_at.take().is_some() && row.wanted {
                    row.tally.failures += 1;
                    row.trouble = Some("the hub did not verify the request".to_owned());
                }
                row.tries = row.tries.saturating_add(1);
                row.asked_at = Some(now);
                row.next_ask = now + VERIFYING.max(wait(rules, row.tries));
                ask = Some(HubRequest {
                    token: token.clone(),
                    source: row.source,
                    hub: row.hub.clone(),
                    topic: row.topic.clone(),
                    subscribe: row.wanted,
                    secret: row.secret.clone(),
                    lease: rules.lease,
                });
            });
            if over {
                self.remove(&token);
            } else {
                asks.extend(ask);
            }
        }
        asks
    }

    /// A hub has accepted a request, or refused it. `random` is a number in [0, 1).
    pub(super) fn answered(
        &mut self,
        token: &str,
        answer: Result<(), String>,
        now: f64,
        random: f64,
    ) {
        let Err(trouble) = answer else { return };
        self.edit(token, |row, rules| {
            // Some hubs verify before they answer, and fail afterwards.
            if row.asked_at.take().is_some() {
                row.tally.failures += u64::from(row.wanted);
                row.trouble = Some(trouble);
                row.next_ask = now + lengthened(wait(rules, row.tries), random);
            }
        });
    }

    /// A hub asks whether we sent this request. If we did, it holds from now on.
    pub(super) fn verifies(
        &mut self,
        token: &str,
        subscribe: bool,
        topic: &str,
        lease: Option<f64>,
        now: f64,
    ) -> bool {
        let Some(row) = self.pushes.get(token).map(|entry| &entry.row) else { return false };
        if row.topic != topic || row.wanted != subscribe {
            return false;
        }
        if !subscribe {
            self.remove(token);
            return true;
        }
        let spread = spread(token);
        self.edit(token, |row, rules| {
            let length = lease.unwrap_or(rules.lease).clamp(LEASES.0.min(rules.lease), LEASES.1);
            let since = row.lease.filter(|old| old.until > now).map_or(now, |old| old.since);
            row.lease = Some(Lease { since, from: now, until: now + length });
            (row.asked_at, row.tries, row.trouble) = (None, 0, None);
            row.next_ask = now + length * (0.75 + 0.1 * spread);
        });
        true
    }

    /// A hub denies a subscription.
    pub(super) fn denied(&mut self, token: &str, topic: &str, reason: &str, now: f64) -> bool {
        if self.pushes.get(token).is_none_or(|entry| entry.row.topic != topic) {
            return false;
        }
        self.edit(token, |row, _| {
            row.tally.failures += 1;
            row.lease = None;
            row.suspect = None;
            row.asked_at = None;
            row.trouble = Some(format!("the hub denied it: {reason}"));
            row.next_ask = now + LONGEST_WAIT;
        });
        true
    }

    /// The source of this callback, the secret of its signatures and its topic; nothing if nothing is
    /// wanted.
    pub(super) fn expected(&self, token: &str) -> Option<(SourceId, String, String)> {
        let row = &self.pushes.get(token)?.row;
        row.wanted.then(|| (row.source, row.secret.clone(), row.topic.clone()))
    }

    /// A push came without a valid signature.
    pub(super) fn forged(&mut self, token: &str) {
        self.edit(token, |row, _| row.tally.forged += 1);
    }

    /// A push came that cannot be read.
    pub(super) fn unreadable(&mut self, token: &str, why: String) {
        self.edit(token, |row, _| {
            row.tally.failures += 1;
            row.trouble = Some(why);
        });
    }

    /// A push came and is stored.
    pub(super) fn told(&mut self, token: &str, new_items: u32) {
        self.edit(token, |row, _| {
            let late = row.suspect.take().map_or(0, |suspect| suspect.items);
            let items = u64::from(new_items) + u64::from(late);
            row.tally.pushes += 1;
            row.tally.items += items;
            remember(&mut row.tally, items as f64, 0.0);
        });
    }

    /// Until when a source is left to its hub; 0 if the hub is not trusted, nothing if there is none.
    pub(super) fn quiet_until(&self, source: SourceId, now: f64) -> Option<f64> {
        let token = self.by_source.get(&source)?;
        let row = &self.pushes.get(token)?.row;
        let quiet = row.polled_at + self.rules.poll * (0.95 + 0.1 * spread(token));
        Some(if is_trusted(row, now) { quiet } else { 0.0 })
    }

    /// Sources for which [`Book::quiet_until`] may have changed since this was last called.
    pub(super) fn take_replan(&mut self) -> Vec<SourceId> {
        std::mem::take(&mut self.replan).into_iter().collect()
    }

    /// Items missed since this was last called.
    pub(super) fn take_missed(&mut self) -> u64 {
        std::mem::take(&mut self.missed)
    }

    pub(super) fn next_wakeup(&self) -> f64 {
        self.timers.first().map_or(f64::INFINITY, |(at, _)| *at as f64 / 1_000.0)
    }

    pub(super) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// The rows that have changed since this was last called; `None` if one is gone.
    pub(super) fn take_changed(&mut self) -> Vec<(SourceId, Token, Option<Push>)> {
        let changed = std::mem::take(&mut self.changed).into_iter();
        let row = |(token, source): (Token, SourceId)| {
            let row = self.pushes.get(&token).map(|entry| entry.row.clone());
            (source, token, row)
        };
        changed.map(row).collect()
    }

    /// These could not be stored.
    pub(super) fn not_saved(&mut self, tokens: impl IntoIterator<Item = (Token, SourceId)>) {
        self.changed.extend(tokens);
    }

    fn begin(&mut self, token: Token, row: Push) {
        self.changed.insert(token.clone(), row.source);
        self.insert(token, row);
    }

    fn insert(&mut self, token: Token, row: Push) {
        if row.wanted {
            self.by_source.insert(row.source, token.clone());
            self.replan.insert(row.source);
        }
        let timer = millis(next_event(&row));
        self.timers.insert((timer, token.clone()));
        self.pushes.insert(token, Entry { row, timer });
    }

    fn edit_source(&mut self, source: SourceId, change: impl FnOnce(&mut Push, &Rules)) {
        if let Some(token) = self.by_source.get(&source).cloned() {
            self.edit(&token, change);
        }
    }

    /// Changes a row and updates everything that is derived from it.
    fn edit(&mut self, token: &str, change: impl FnOnce(&mut Push, &Rules)) {
        let Some(entry) = self.pushes.get_mut(token) else { return };
        let missed = entry.row.tally.missed;
        change(&mut entry.row, &self.rules);
        self.missed += entry.row.tally.missed - missed;
        self.timers.remove(&(entry.timer, token.to_owned()));
        entry.timer = millis(next_event(&entry.row));
        self.timers.insert((entry.timer, token.to_owned()));
        self.changed.insert(token.to_owned(), entry.row.source);
        self.replan.insert(entry.row.source);
    }

    fn remove(&mut self, token: &str) {
        let Some(Entry { row, timer }) = self.pushes.remove(token) else { return };
        self.timers.remove(&(timer, token.to_owned()));
        if self.by_source.get(&row.source).is_some_and(|other| other == token) {
            self.by_source.remove(&row.source);
        }
        self.changed.insert(token.to_owned(), row.source);
        self.replan.insert(row.source);
    }
}

/// Where it is subscribed, and to what.
fn address(row: &Push) -> (String, String) {
    (row.hub.clone(), row.topic.clone())
}

/// When a subscription needs attention if nothing happens before.
fn next_event(row: &Push) -> f64 {
    let lease = row.lease.map_or(f64::INFINITY, |lease| lease.until);
    let suspect = row.suspect.map_or(f64::INFINITY, |suspect| suspect.at + GRACE);
    row.next_ask.min(lease).min(suspect)
}

/// A number in [0, 1) that is fixed for a token.
fn spread(token: &str) -> f64 {
    share(digest(&[token]) as u64)
}

fn blank(source: SourceId, now: f64) -> Push {
    Push {
        source,
        hub: String::new(),
        topic: String::new(),
        secret: String::new(),
        wanted: true,
        lease: None,
        asked_at: None,
        next_ask: now,
        tries: 0,
        trouble: None,
        polled_at: now,
        suspect: None,
        tally: HubTally::default(),
    }
}

#[cfg(test)]
mod tests;

//! Who has subscribed, and what is still to be delivered to whom.
//!
//! Pure: it is told the time, the dice and the editions, and says what to do next. There is at most one
//! delivery per subscription, waiting or on the way, and it brings whatever is newest when it goes: no
//! queue grows, however fast a feed changes or however slow its readers are. Each host has a line of its
//! own, so that a slow one holds up nobody else.
//!
//! Never: two deliveries to one subscription at once; a delivery after the end of its lease; more than
//! the limits allow, to a host or in all.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use pergola_store::archive::{FeedId, Subscription};
use url::Url;

use super::delivery::{Delivery, Ending, Key, Outcome};
use crate::websub::instants::{millis, passed};

/// What the book allows.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub(super) most: usize,
    pub(super) per_feed: usize,
    pub(super) per_host: usize,
    /// Deliveries on the way, in all.
    pub(super) parallel: usize,
    /// Tries of one delivery.
    pub(super) tries: u32,
    /// Seconds before the second try.
    pub(super) backoff: f64,
}

/// Deliveries on the way to one host; to one that has just failed there is one.
const PARALLEL_PER_HOST: usize = 4;
/// The longest wait between two tries, in seconds.
const LONGEST_WAIT: f64 = 6.0 * 3_600.0;

/// Everybody who is told of changes.
pub(super) struct Book {
    limits: Limits,
    subscriptions: HashMap<Key, Standing>,
    by_feed: HashMap<FeedId, HashSet<Key>>,
    editions: HashMap<FeedId, u64>,
    hosts: HashMap<String, Host>,
    /// Hosts with something to be delivered and room for it.
    line: VecDeque<String>,
    on_the_way: usize,
    /// When something happens by itself: in milliseconds, a lease that ends or a try that is due.
    timers: BTreeSet<(u64, Key)>,
    /// Rows to be saved, with their feeds.
    changed: HashMap<Key, FeedId>,
    next_serial: u64,
}

struct Standing {
    row: Subscription,
    host: String,
    place: Place,
    timer: u64,
    /// Tells it from one that left and came back while a delivery was on the way.
    serial: u64,
}

/// Where its delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// There is none, or it is not due yet.
    Idle,
    Waiting,
    OnTheWay,
}

#[derive(Default)]
struct Host {
    subscriptions: usize,
    waiting: VecDeque<Key>,
    on_the_way: usize,
    in_line: bool,
    failing: bool,
}

impl Host {
    fn has_room(&self) -> bool {
        self.on_the_way < if self.failing { 1 } else { PARALLEL_PER_HOST }
    }
}

impl Book {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            subscriptions: HashMap::new(),
            by_feed: HashMap::new(),
            editions: HashMap::new(),
            hosts: HashMap::new(),
            line: VecDeque::new(),
            on_the_way: 0,
            timers: BTreeSet::new(),
            changed: HashMap::new(),
            next_serial: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.subscriptions.len()
    }

    /// The feeds that somebody has subscribed to.
    pub(super) fn feeds(&self) -> Vec<FeedId> {
        self.by_feed.keys().copied().collect()
    }

    /// Whether there is room for one more.
    ///
    /// # Errors
    /// Why not, in words for the subscriber.
    pub(super) fn room(&self, key: Key, feed: FeedId, host: &str) -> Result<(), &'static str> {
        if self.subscriptions.contains_key(&key) {
            return Ok(());
        }
        let to_feed = self.by_feed.get(&feed).map_or(0, HashSet::len);
        let of_host = self.hosts.get(host).map_or(0, |host| host.subscriptions);
        if self.len() >= self.limits.most {
            Err("this hub has as many subscriptions as it can serve")
        } else if to_feed >= self.limits.per_feed {
            Err("this feed has as many subscriptions as this hub can serve")
        } else if of_host >= self.limits.per_host {
            Err("this host has as many subscriptions as this hub can serve")
        } else {
            Ok(())
        }
    }

    /// What was kept of a subscription before the start.
    pub(super) fn load(&mut self, key: Key, row: Subscription, now: f64) {
        self.put(key, row, now);
        self.changed.remove(&key);
    }

    /// A subscription is verified: a new one, or one that was there with another lease and secret.
    pub(super) fn put(&mut self, key: Key, row: Subscription, now: f64) {
        let host = host_of(&row.callback);
        self.changed.insert(key, row.feed);
        match self.subscriptions.get_mut(&key) {
            Some(known) => {
                let Subscription { since, delivered, tries, next_try, .. } = known.row;
                known.row = Subscription { since, delivered, tries, next_try, ..row };
            }
            None => {
                self.by_feed.entry(row.feed).or_default().insert(key);
                self.hosts.entry(host.clone()).or_default().subscriptions += 1;
                let (place, serial) = (Place::Idle, self.next_serial);
                self.next_serial += 1;
                let standing = Standing { row, host, place, timer: 0, serial };
                self.subscriptions.insert(key, standing);
            }
        }
        self.stand_in_line(key, now);
        self.set_timer(key);
    }

    /// A subscription has ended, for whatever reason.
    pub(super) fn remove(&mut self, key: Key) -> Option<Subscription> {
        let Standing { row, host, place, timer, .. } = self.subscriptions.remove(&key)?;
        self.timers.remove(&(timer, key));
        if let Some(keys) = self.by_feed.get_mut(&row.feed) {
            keys.remove(&key);
            if keys.is_empty() {
                self.by_feed.remove(&row.feed);
                self.editions.remove(&row.feed);
            }
        }
        if let Some(entry) = self.hosts.get_mut(&host) {
            entry.subscriptions -= 1;
            if place == Place::Waiting {
                entry.waiting.retain(|waiting| *waiting != key);
            }
            self.forget_idle(&host);
        }
        self.changed.insert(key, row.feed);
        Some(row)
    }

    /// Everybody who had subscribed to a feed that is no more.
    pub(super) fn drop_feed(&mut self, feed: FeedId) -> Vec<Subscription> {
        let keys = self.by_feed.get(&feed).cloned().unwrap_or_default();
        keys.into_iter().filter_map(|key| self.remove(key)).collect()
    }

    /// A feed has this edition now.
    pub(super) fn edition(&mut self, feed: FeedId, edition: u64, now: f64) {
        if self.editions.insert(feed, edition) == Some(edition) {
            return;
        }
        for key in self.by_feed.get(&feed).cloned().unwrap_or_default() {
            self.stand_in_line(key, now);
        }
    }

    /// Time has passed: leases end, and tries are due. Returns how many leases have ended.
    pub(super) fn pass(&mut self, now: f64) -> usize {
        let mut ended = 0;
        // Each once: one that is set again for this very instant waits for the next time.
        let due: Vec<(u64, Key)> = self.timers.range(..=(passed(now), Key::MAX)).copied().collect();
        for (at, key) in due {
            self.timers.remove(&(at, key));
            let over = self.subscriptions.get(&key).is_none_or(|it| it.row.expires_at <= now);
            if over {
                ended += usize::from(self.remove(key).is_some());
            } else {
                self.stand_in_line(key, now);
                self.set_timer(key);
            }
        }
        ended
    }

    /// When [`Book::pass`] has something to do.
    pub(super) fn next_wakeup(&self) -> f64 {
        self.timers.first().map_or(f64::INFINITY, |(at, _)| *at as f64 / 1_000.0)
    }

    /// The next delivery that may go; it is on the way until [`Book::ended`].
    pub(super) fn take(&mut self) -> Option<Delivery> {
        if self.on_the_way >= self.limits.parallel {
            return None;
        }
        while let Some(name) = self.line.pop_front() {
            let Some(host) = self.hosts.get_mut(&name) else { continue };
            host.in_line = false;
            // It may have lost its room since it stood in line; when there is some it stands there again.
            if !host.has_room() {
                continue;
            }
            let Some(key) = host.waiting.pop_front() else { continue };
            host.on_the_way += 1;
            self.on_the_way += 1;
            self.line_up(&name);
            let Some(standing) = self.subscriptions.get_mut(&key) else {
                // It cannot be: who leaves is taken out of the line.
                self.leave_road(&name);
                continue;
            };
            standing.place = Place::OnTheWay;
            let (serial, subscription) = (standing.serial, standing.row.clone());
            return Some(Delivery { key, host: name, serial, subscription });
        }
        None
    }

    /// A delivery has ended. `random` is a number in [0, 1).
    pub(super) fn ended(
        &mut self,
        (key, serial): (Key, u64),
        host: &str,
        ending: Ending,
        now: f64,
        random: f64,
    ) -> Option<Outcome> {
        if let Some(host) = self.hosts.get_mut(host) {
            host.failing = matches!(ending, Ending::Failed { .. });
        }
        self.leave_road(host);
        let Limits { tries, backoff, .. } = self.limits;
        let standing = self.subscriptions.get_mut(&key).filter(|it| it.serial == serial)?;
        standing.place = Place::Idle;
        let row = &mut standing.row;
        self.changed.insert(key, row.feed);
        let outcome = match ending {
            Ending::Gone => {
                self.remove(key);
                return Some(Outcome::Gone);
            }
            Ending::Delivered(edition) => {
                row.delivered = row.delivered.max(edition);
                (row.tries, row.next_try) = (0, 0.0);
                Outcome::Delivered
            }
            Ending::Failed { retry_after } => {
                row.tries += 1;
                if row.tries >= tries {
                    row.delivered = self.editions.get(&row.feed).copied().unwrap_or(row.delivered);
                    (row.tries, row.next_try) = (0, 0.0);
                    Outcome::GivenUp
                } else {
                    let doubled = backoff * 2f64.powi(row.tries.min(32) as i32 - 1);
                    let wait = doubled.min(LONGEST_WAIT) * (1.0 + 0.25 * random);
                    row.next_try = now + wait.max(retry_after.unwrap_or(0.0));
                    Outcome::Delayed
                }
            }
        };
        self.stand_in_line(key, now);
        self.set_timer(key);
        Some(outcome)
    }

    /// The rows that have changed since this was last called; `None` if one is gone.
    pub(super) fn take_changed(&mut self) -> Vec<(FeedId, Key, Option<Subscription>)> {
        let row = |key| self.subscriptions.get(&key).map(|standing| standing.row.clone());
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed.map(|(key, feed)| (feed, key, row(key))).collect()
    }

    /// They could not be saved.
    pub(super) fn not_saved(&mut self, keys: impl IntoIterator<Item = (Key, FeedId)>) {
        self.changed.extend(keys);
    }

    /// Whether there is something to be saved.
    pub(super) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Puts a delivery in its host's line, if one is due and none is there.
    fn stand_in_line(&mut self, key: Key, now: f64) {
        let Some(standing) = self.subscriptions.get_mut(&key) else { return };
        let newest = self.editions.get(&standing.row.feed).copied().unwrap_or(0);
        let due = standing.place == Place::Idle
            && standing.row.delivered < newest
            && standing.row.next_try <= now
            && standing.row.expires_at > now;
        if due {
            standing.place = Place::Waiting;
            let host = standing.host.clone();
            self.hosts.entry(host.clone()).or_default().waiting.push_back(key);
            self.line_up(&host);
        }
    }

    fn line_up(&mut self, name: &str) {
        let Some(host) = self.hosts.get_mut(name) else { return };
        if !host.in_line && !host.waiting.is_empty() && host.has_room() {
            host.in_line = true;
            self.line.push_back(name.to_owned());
        }
    }

    fn leave_road(&mut self, name: &str) {
        self.on_the_way = self.on_the_way.saturating_sub(1);
        if let Some(host) = self.hosts.get_mut(name) {
            host.on_the_way = host.on_the_way.saturating_sub(1);
        }
        self.line_up(name);
        self.forget_idle(name);
    }

    fn forget_idle(&mut self, name: &str) {
        let idle = |host: &Host| host.subscriptions == 0 && host.on_the_way == 0;
        if self.hosts.get(name).is_some_and(idle)
            && let Some(Host { in_line: true, .. }) = self.hosts.remove(name)
        {
            self.line.retain(|other| other != name);
        }
    }

    fn set_timer(&mut self, key: Key) {
        let Some(standing) = self.subscriptions.get_mut(&key) else { return };
        self.timers.remove(&(standing.timer, key));
        let Subscription { expires_at, next_try, .. } = standing.row;
        let retries = standing.place == Place::Idle && next_try > 0.0;
        standing.timer = millis(if retries { expires_at.min(next_try) } else { expires_at });
        self.timers.insert((standing.timer, key));
    }
}

/// Whoever is at the same host shares a line.
pub(super) fn host_of(callback: &str) -> String {
    let url = Url::parse(callback).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests;

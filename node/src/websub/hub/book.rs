//! The subscriptions at this hub, and what is still to be delivered to whom.
//!
//! Pure: it is told the time, the randomness and the editions, and says what to do next. There is at most one
//! delivery per subscription, waiting or in flight, and it carries the newest edition when it starts: no
//! queue grows, however fast a feed changes or however slow its readers are. Each host has a queue of its
//! own, so that a slow one holds up nobody else.
//!
//! Never: two deliveries to one subscription at once; a delivery after the end of its lease; more than the
//! limits allow, to a host or in all.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use pergola_manners::backoff::{backoff, lengthened};
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
    /// Deliveries in flight, in all.
    pub(super) parallel: usize,
    /// Tries of one delivery.
    pub(super) tries: u32,
    /// Seconds before the second try.
    pub(super) backoff: f64,
}

/// Deliveries in flight to one host; one that has just failed gets one.
const PARALLEL_PER_HOST: usize = 4;
/// The longest wait between two tries, in seconds.
const LONGEST_WAIT: f64 = 6.0 * 3_600.0;

/// All subscriptions at this hub.
pub(super) struct Book {
    limits: Limits,
    subscriptions: HashMap<Key, Subscribed>,
    by_feed: BTreeMap<FeedId, BTreeSet<Key>>,
    editions: HashMap<FeedId, u64>,
    hosts: HashMap<String, Host>,
    /// Hosts with something to be delivered and room for it.
    queue: VecDeque<String>,
    in_flight: usize,
    /// When a lease ends or a retry is due, in milliseconds.
    timers: BTreeSet<(u64, Key)>,
    /// Rows to be saved, with their feeds.
    changed: BTreeMap<Key, FeedId>,
    next_serial: u64,
}

struct Subscribed {
    row: Subscription,
    host: String,
    progress: Progress,
    timer: u64,
    /// Tells it from an earlier subscription with the same key whose delivery is still in flight.
    serial: u64,
}

/// How far its delivery has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// There is none, or it is not due yet.
    Idle,
    Waiting,
    InFlight,
}

#[derive(Default)]
struct Host {
    subscriptions: usize,
    waiting: VecDeque<Key>,
    in_flight: usize,
    queued: bool,
    failing: bool,
}

impl Host {
    fn has_room(&self) -> bool {
        self.in_flight < if self.failing { 1 } else { PARALLEL_PER_HOST }
    }
}

impl Book {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            subscriptions: HashMap::new(),
            by_feed: BTreeMap::new(),
            editions: HashMap::new(),
            hosts: HashMap::new(),
            queue: VecDeque::new(),
            in_flight: 0,
            timers: BTreeSet::new(),
            changed: BTreeMap::new(),
            next_serial: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.subscriptions.len()
    }

    /// The feeds that have subscriptions.
    pub(super) fn feeds(&self) -> Vec<FeedId> {
        self.by_feed.keys().copied().collect()
    }

    /// The feeds that are subscribed to, and the hosts of their subscribers.
    pub(super) fn subscribers(&self) -> Vec<(FeedId, String)> {
        let all = self.subscriptions.values();
        all.map(|subscribed| (subscribed.row.feed, subscribed.host.clone())).collect()
    }

    /// Whether there is room for one more.
    ///
    /// # Errors
    /// Why not, in words for the subscriber.
    pub(super) fn room(&self, key: Key, feed: FeedId, host: &str) -> Result<(), &'static str> {
        if self.subscriptions.contains_key(&key) {
            return Ok(());
        }
        let to_feed = self.by_feed.get(&feed).map_or(0, BTreeSet::len);
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

    /// A stored subscription.
    pub(super) fn load(&mut self, key: Key, row: Subscription, now: f64) {
        self.put(key, row, now);
        self.changed.remove(&key);
    }

    /// A subscription is verified: a new one, or a known one with another lease and secret.
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
                let (progress, serial) = (Progress::Idle, self.next_serial);
                self.next_serial += 1;
                let subscribed = Subscribed { row, host, progress, timer: 0, serial };
                self.subscriptions.insert(key, subscribed);
            }
        }
        self.enqueue(key, now);
        self.set_timer(key);
    }

    /// A subscription has ended, for whatever reason.
    pub(super) fn remove(&mut self, key: Key) -> Option<Subscription> {
        let Subscribed { row, host, progress, timer, .. } = self.subscriptions.remove(&key)?;
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
            if progress == Progress::Waiting {
                entry.waiting.retain(|waiting| *waiting != key);
            }
            self.forget_idle(&host);
        }
        self.changed.insert(key, row.feed);
        Some(row)
    }

    /// Removes the subscriptions to a feed that is gone.
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
            self.enqueue(key, now);
        }
    }

    /// Time has passed: leases end, and retries are due. Returns how many leases have ended.
    pub(super) fn pass(&mut self, now: f64) -> usize {
        let mut ended = 0;
        // Each one once: a timer that is set to this instant again waits for the next call.
        let due: Vec<(u64, Key)> = self.timers.range(..=(passed(now), Key::MAX)).copied().collect();
        for (at, key) in due {
            self.timers.remove(&(at, key));
            let over = self.subscriptions.get(&key).is_none_or(|it| it.row.expires_at <= now);
            if over {
                ended += usize::from(self.remove(key).is_some());
            } else {
                self.enqueue(key, now);
                self.set_timer(key);
            }
        }
        ended
    }

    /// When [`Book::pass`] has something to do.
    pub(super) fn next_wakeup(&self) -> f64 {
        self.timers.first().map_or(f64::INFINITY, |(at, _)| *at as f64 / 1_000.0)
    }

    /// The next delivery that may start; it is in flight until [`Book::ended`].
    pub(super) fn take(&mut self) -> Option<Delivery> {
        if self.in_flight >= self.limits.parallel {
            return None;
        }
        while let Some(name) = self.queue.pop_front() {
            let Some(host) = self.hosts.get_mut(&name) else { continue };
            host.queued = false;
            // It may have lost its room in the meantime; it is queued again when there is some.
            if !host.has_room() {
                continue;
            }
            let Some(key) = host.waiting.pop_front() else { continue };
            host.in_flight += 1;
            self.in_flight += 1;
            self.queue_host(&name);
            let Some(subscribed) = self.subscriptions.get_mut(&key) else {
                // Does not happen: a removed subscription is taken out of its queue.
                self.landed(&name);
                continue;
            };
            subscribed.progress = Progress::InFlight;
            let (serial, subscription) = (subscribed.serial, subscribed.row.clone());
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
        self.landed(host);
        let Limits { tries, backoff: first, .. } = self.limits;
        let subscribed = self.subscriptions.get_mut(&key).filter(|it| it.serial == serial)?;
        subscribed.progress = Progress::Idle;
        let row = &mut subscribed.row;
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
                    let wait = backoff(first, 2.0, row.tries).min(LONGEST_WAIT);
                    let wait = lengthened(wait, random);
                    row.next_try = now + wait.max(retry_after.unwrap_or(0.0));
                    Outcome::Delayed
                }
            }
        };
        self.enqueue(key, now);
        self.set_timer(key);
        Some(outcome)
    }

    /// The rows that have changed since this was last called; `None` if one is gone.
    pub(super) fn take_changed(&mut self) -> Vec<(FeedId, Key, Option<Subscription>)> {
        let row = |key| self.subscriptions.get(&key).map(|subscribed| subscribed.row.clone());
        let changed = std::mem::take(&mut self.changed).into_iter();
        changed.map(|(key, feed)| (feed, key, row(key))).collect()
    }

    /// These could not be stored.
    pub(super) fn not_saved(&mut self, keys: impl IntoIterator<Item = (Key, FeedId)>) {
        self.changed.extend(keys);
    }

    /// Whether there is something to be stored.
    pub(super) fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Queues a delivery for its host, if one is due and none is queued.
    fn enqueue(&mut self, key: Key, now: f64) {
        let Some(subscribed) = self.subscriptions.get_mut(&key) else { return };
        let newest = self.editions.get(&subscribed.row.feed).copied().unwrap_or(0);
        let due = subscribed.progress == Progress::Idle
            && subscribed.row.delivered < newest
            && subscribed.row.next_try <= now
            && subscribed.row.expires_at > now;
        if due {
            subscribed.progress = Progress::Waiting;
            let host = subscribed.host.clone();
            self.hosts.entry(host.clone()).or_default().waiting.push_back(key);
            self.queue_host(&host);
        }
    }

    fn queue_host(&mut self, name: &str) {
        let Some(host) = self.hosts.get_mut(name) else { return };
        if !host.queued && !host.waiting.is_empty() && host.has_room() {
            host.queued = true;
            self.queue.push_back(name.to_owned());
        }
    }

    fn landed(&mut self, name: &str) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(host) = self.hosts.get_mut(name) {
            host.in_flight = host.in_flight.saturating_sub(1);
        }
        self.queue_host(name);
        self.forget_idle(name);
    }

    fn forget_idle(&mut self, name: &str) {
        let idle = |host: &Host| host.subscriptions == 0 && host.in_flight == 0;
        if self.hosts.get(name).is_some_and(idle)
            && let Some(Host { queued: true, .. }) = self.hosts.remove(name)
        {
            self.queue.retain(|other| other != name);
        }
    }

    fn set_timer(&mut self, key: Key) {
        let Some(subscribed) = self.subscriptions.get_mut(&key) else { return };
        self.timers.remove(&(subscribed.timer, key));
        let Subscription { expires_at, next_try, .. } = subscribed.row;
        let retries = subscribed.progress == Progress::Idle && next_try > 0.0;
        subscribed.timer = millis(if retries { expires_at.min(next_try) } else { expires_at });
        self.timers.insert((subscribed.timer, key));
    }
}

/// The host of a callback; callbacks on the same host share a queue.
pub(super) fn host_of(callback: &str) -> String {
    let url = Url::parse(callback).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests;

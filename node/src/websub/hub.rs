//! The hub for this node's own feeds: whoever subscribes is sent each new edition (WebSub, W3C).
//!
//! `door` lets requests in, `request` reads what is asked, `topic` says which feed that means, `calls` talks to subscribers, `book`
//! decides who is sent what when, and the task here is the loop around them. Nothing here ever waits for a
//! subscriber but the request to it; a feed's change costs the writer one number that it writes anyway.
//!
//! Never: a subscription that its subscriber has not confirmed; a subscriber asked in a private network
//! that the configuration does not name; a redirect followed; a request kept waiting without a bound.

mod book;
mod calls;
mod delivery;
mod door;
mod request;
mod topic;

use std::collections::HashMap;
use std::sync::Arc;

use pergola_config::WebSub;
use pergola_store::archive::{Archive, ArchiveError, Commit, FeedId, Subscription};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use url::Url;

use self::book::{Book, Limits, host_of};
use self::delivery::{Delivery, Ending, Key, Outcome};
use self::door::{Asked, Pending};
use self::request::{Mode, Request};
use crate::clock::{Clock, network_now};
use crate::fetch::Fetcher;
use crate::locks::Mutex;
use crate::metrics::Metrics;
use crate::publish::{Form, Shelf};
use crate::surroundings::Randomness;
use crate::writer::Writer;

/// Requests that may wait for their verification.
const WAITING: usize = 256;
/// Verifications at the same time.
const VERIFYING: usize = 16;
/// Real seconds between two rounds through the feeds that have subscribers; changes in between are one.
const ROUND: f64 = 0.05;
/// Real seconds between two savings of what was delivered.
const SAVING: f64 = 1.0;

/// The hub.
pub struct Hub {
    shelf: Arc<Shelf>,
    fetcher: Fetcher,
    writer: Writer,
    clock: Clock,
    randomness: Randomness,
    metrics: Arc<Metrics>,
    settings: WebSub,
    book: Mutex<Book>,
    /// Requests that wait or are being verified, by host of the callback.
    pending: Pending,
    /// Subscribers that are told at once that there is nothing for them.
    telling: Semaphore,
    asked: mpsc::Sender<Asked>,
    inbox: Mutex<Option<mpsc::Receiver<Asked>>>,
}

/// What a hub works with.
pub struct Parts {
    /// What is kept.
    pub archive: Archive,
    /// The feeds.
    pub shelf: Arc<Shelf>,
    /// Who asks and sends.
    pub fetcher: Fetcher,
    /// The way to the writer.
    pub writer: Writer,
    /// The time.
    pub clock: Clock,
    /// For challenges, and waits that differ.
    pub randomness: Randomness,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What was configured.
    pub settings: WebSub,
}

/// Something that was asked of a subscriber has ended.
enum Ended {
    Confirmed(Key, Option<Box<Subscription>>),
    /// Not confirmed, or denied.
    Refused,
    Delivered(Ending),
}

impl Hub {
    /// A hub that does nothing until it is run; it knows who had subscribed before.
    pub fn new(parts: Parts) -> Result<Self, ArchiveError> {
        let Parts { archive, shelf, fetcher, writer, clock, randomness, metrics, settings } = parts;
        let mut book = Book::new(Limits {
            most: settings.most,
            per_feed: settings.per_feed,
            per_host: settings.per_host,
            parallel: settings.parallel.get(),
            tries: u32::try_from(settings.tries.get()).unwrap_or(u32::MAX),
            backoff: settings.backoff.as_secs_f64(),
        });
        let now = clock.now();
        for (key, subscription) in archive.subscriptions()? {
            book.load(key, subscription, now);
        }
        let (asked, inbox) = mpsc::channel(WAITING);
        Ok(Self {
            shelf,
            fetcher,
            writer,
            clock,
            randomness,
            metrics,
            settings,
            book: Mutex::new(book),
            pending: Pending::default(),
            telling: Semaphore::new(VERIFYING),
            asked,
            inbox: Mutex::new(Some(inbox)),
        })
    }

    /// How many have subscribed.
    pub fn subscriptions(&self) -> usize {
        self.book.lock().len()
    }

    /// Verifies, delivers and lets leases end, until told to stop.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let Some(mut inbox) = self.inbox.lock().take() else { return };
        let mut changes = self.shelf.changes();
        let mut calls: JoinSet<Ended> = JoinSet::new();
        let mut deliveries: HashMap<Id, Delivery> = HashMap::new();
        let (mut round_at, mut save_at) = (self.clock.now(), self.clock.now());
        let mut changed = true;
        while !stop.is_cancelled() {
            let now = self.clock.now();
            if changed && now >= round_at {
                changed = false;
                round_at = now + ROUND * self.clock.speed();
                self.round(now, &mut calls);
            }
            self.book.lock().pass(now);
            if self.book.lock().is_changed() && now >= save_at {
                self.save().await;
                save_at = self.clock.now() + SAVING * self.clock.speed();
            }
            self.send_out(&mut calls, &mut deliveries);
            let verifying = calls.len().saturating_sub(deliveries.len());
            let wake = {
                let book = self.book.lock();
                let round = if changed { round_at } else { f64::INFINITY };
                let save = if book.is_changed() { save_at } else { f64::INFINITY };
                book.next_wakeup().min(round).min(save)
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.clock.sleep_until(wake) => {}
                told = changes.changed() => {
                    changed = true;
                    if told.is_err() {
                        break;
                    }
                }
                Some(asked) = inbox.recv(), if verifying < VERIFYING => {
                    calls.spawn(Arc::clone(&self).examine(asked));
                }
                Some(ended) = calls.join_next_with_id(), if !calls.is_empty() => {
                    self.conclude(ended, &mut deliveries);
                }
            }
        }
        // What is on the way is cut off: it is delivered again after the next start.
        calls.shutdown().await;
        self.save().await;
    }

    /// Checks which feeds have changed, and which are no more.
    fn round(self: &Arc<Self>, now: f64, calls: &mut JoinSet<Ended>) {
        let mut book = self.book.lock();
        for feed in book.feeds() {
            match self.shelf.tally(feed) {
                Some(tally) => book.edition(feed, tally.edition, now),
                None => {
                    for gone in book.drop_feed(feed) {
                        let hub = Arc::clone(self);
                        calls.spawn(async move {
                            hub.tell_denied(&gone.callback, &gone.topic, GONE).await;
                            Ended::Refused
                        });
                    }
                }
            }
        }
    }

    fn send_out(
        self: &Arc<Self>,
        calls: &mut JoinSet<Ended>,
        deliveries: &mut HashMap<Id, Delivery>,
    ) {
        while let Some(delivery) = self.book.lock().take() {
            let (hub, to) = (Arc::clone(self), delivery.subscription.clone());
            let task = calls.spawn(async move {
                Ended::Delivered(calls::deliver(&hub.fetcher, &hub.shelf, &to).await)
            });
            deliveries.insert(task.id(), delivery);
        }
    }

    /// Decides on a request: is there such a feed, is there room, does the subscriber mean it?
    async fn examine(self: Arc<Self>, asked: Asked) -> Ended {
        let Asked { request, host, seat } = asked;
        let ended = self.decided(request, host).await;
        seat.ends(matches!(ended, Ended::Confirmed(..)), network_now());
        ended
    }

    async fn decided(&self, request: Request, host: Option<String>) -> Ended {
        let key = key_of(&request);
        if request.mode == Mode::Unsubscribe {
            return match self.confirmed(&request, 0.0).await {
                true => Ended::Confirmed(key, None),
                false => Ended::Refused,
            };
        }
        let found = topic::feed_of(&self.shelf, &request.topic, host.as_deref());
        let callback_host = host_of(request.callback.as_str());
        let allowed = found.and_then(|(feed, form)| {
            self.book.lock().room(key, feed, &callback_host).map(|()| (feed, form))
        });
        let (feed, form) = match allowed {
            Ok(found) => found,
            Err(reason) => {
                self.tell_denied(request.callback.as_str(), &request.topic, reason).await;
                return Ended::Refused;
            }
        };
        // What changes while the subscriber is asked is delivered to it.
        let delivered = self.edition_of(feed);
        let lease = request
            .lease
            .unwrap_or(self.settings.lease.as_secs_f64())
            .clamp(self.settings.lease_min.as_secs_f64(), self.settings.lease_max.as_secs_f64());
        let now = self.clock.now();
        if !self.confirmed(&request, lease).await {
            return Ended::Refused;
        }
        let subscription = Subscription {
            feed,
            form: Form::FEEDS.iter().position(|other| *other == form).unwrap_or(0) as u8,
            topic: request.topic.clone(),
            callback: request.callback.to_string(),
            secret: request.secret.clone(),
            since: now,
            expires_at: now + lease,
            delivered,
            tries: 0,
            next_try: 0.0,
        };
        Ended::Confirmed(key, Some(Box::new(subscription)))
    }

    async fn confirmed(&self, request: &Request, lease: f64) -> bool {
        let Request { callback, mode, topic, .. } = request;
        match calls::verify(&self.fetcher, &self.randomness, callback, *mode, topic, lease).await {
            Ok(()) => true,
            Err(why) => {
                tracing::info!(%callback, topic, mode = mode.name(), why, "not confirmed");
                self.metrics.websub.verified("failed");
                false
            }
        }
    }

    async fn tell_denied(&self, callback: &str, topic: &str, reason: &str) {
        self.metrics.websub.verified("denied");
        tracing::info!(callback, topic, reason, "a subscription is denied");
        let Ok(url) = Url::parse(callback) else { return };
        let _turn = self.telling.acquire().await;
        if let Err(why) = calls::deny(&self.fetcher, &url, topic, reason).await {
            tracing::debug!(callback, why, "the subscriber could not be told");
        }
    }

    fn edition_of(&self, feed: FeedId) -> u64 {
        self.shelf.tally(feed).map_or(0, |tally| tally.edition)
    }

    /// Something has ended: the book learns of it.
    fn conclude(
        &self,
        ended: Result<(Id, Ended), JoinError>,
        deliveries: &mut HashMap<Id, Delivery>,
    ) {
        let now = self.clock.now();
        let (id, ended) = match ended {
            Ok((id, ended)) => (id, ended),
            Err(error) => {
                tracing::error!(%error, "a request of the hub panicked");
                (error.id(), Ended::Delivered(Ending::Failed { retry_after: None }))
            }
        };
        match ended {
            Ended::Refused => {}
            Ended::Confirmed(key, subscription) => self.agree(key, subscription, now),
            Ended::Delivered(ending) => {
                let Some(delivery) = deliveries.remove(&id) else { return };
                let Delivery { key, serial, host, subscription } = delivery;
                let outcome = self.book.lock().ended(
                    (key, serial),
                    &host,
                    ending,
                    now,
                    self.randomness.chance(),
                );
                let name = match outcome {
                    Some(Outcome::Delivered) => "delivered",
                    Some(Outcome::Delayed) => "delayed",
                    Some(Outcome::GivenUp) => "given-up",
                    Some(Outcome::Gone) => "gone",
                    None => "left",
                };
                self.metrics.websub.delivered(name);
                if matches!(outcome, Some(Outcome::GivenUp | Outcome::Gone)) {
                    let Subscription { callback, topic, .. } = subscription;
                    tracing::info!(callback, topic, outcome = name, "a delivery has ended");
                }
            }
        }
    }

    /// A subscriber has confirmed what it asked for.
    fn agree(&self, key: Key, subscription: Option<Box<Subscription>>, now: f64) {
        let mut book = self.book.lock();
        match subscription {
            None => {
                book.remove(key);
                self.metrics.websub.verified("unsubscribed");
            }
            Some(subscription) => {
                let host = host_of(&subscription.callback);
                if book.room(key, subscription.feed, &host).is_err() {
                    // Others were confirmed meanwhile. It hears nothing, as if its lease had ended.
                    self.metrics.websub.verified("denied");
                    return;
                }
                book.put(key, *subscription, now);
                self.metrics.websub.verified("subscribed");
            }
        }
    }

    /// Saves what has changed in the book; what cannot be saved is tried again.
    async fn save(&self) {
        let rows = self.book.lock().take_changed();
        if rows.is_empty() {
            return;
        }
        let mut commit = Commit::new();
        for (feed, key, row) in &rows {
            commit.feed(*feed).set_subscription(*key, row.as_ref());
        }
        if let Err(error) = self.writer.commit(commit).await {
            tracing::warn!(%error, "subscriptions could not be saved; it is tried again");
            self.book.lock().not_saved(rows.into_iter().map(|(feed, key, _)| (key, feed)));
        }
    }
}

/// Why a subscription ends although its lease does not.
const GONE: &str = "the feed is published no more";

fn key_of(request: &Request) -> Key {
    pergola_feed::digest(&[&request.topic, request.callback.as_str()])
}

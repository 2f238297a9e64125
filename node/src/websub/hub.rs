//! The hub for this node's own feeds: subscribers are sent each new edition (WebSub, W3C).
//!
//! `door` accepts requests, `request` parses them, `topic` finds the feed, `calls` talks to subscribers,
//! `book` decides what is sent to whom and when, and the task here is the loop around them. Only the request
//! to a subscriber waits for that subscriber. A changed feed costs the writer one number that it writes
//! anyway.
//!
//! Never: a subscription that its subscriber has not confirmed; a call to a private network that the
//! configuration does not name; a redirect followed; a queue without a limit.

mod book;
mod calls;
mod delivery;
mod door;
mod request;
mod topic;

use std::collections::HashMap;
use std::sync::Arc;

use pergola_config::WebSub;
use pergola_feed::address::Shown;
use pergola_store::archive::{Archive, ArchiveError, Commit, FeedId, Subscription};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use url::Url;

use self::book::{Book, Limits, host_of};
use self::delivery::{Delivery, Ending, Key, Outcome};
use self::door::{Pending, PendingRequest};
use self::request::{Mode, Request};
use crate::metrics::Metrics;
use crate::publish::{Form, Shelf};
use crate::writer::Writer;
use pergola_outside::clock::{Clock, network_now};
use pergola_outside::fetch::Fetcher;
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::Randomness;

/// Requests that may wait for their verification.
const WAITING: usize = 256;
/// Verifications at the same time.
const VERIFYING: usize = 16;
/// Real seconds between two checks of the feeds that have subscribers; changes in between count as one.
const ROUND: f64 = 0.05;
/// Real seconds between two commits of what was delivered.
const SAVING: f64 = 1.0;

/// The hub.
pub struct Hub {
    tools: Tools,
    book: Mutex<Book>,
    /// Requests that wait or are being verified, by host of the callback.
    pending: Pending,
    /// Subscribers that are being told that their subscription is denied.
    telling: Semaphore,
    requests: mpsc::Sender<PendingRequest>,
    inbox: Mutex<Option<mpsc::Receiver<PendingRequest>>>,
}

/// What a hub works with.
pub struct Tools {
    pub shelf: Arc<Shelf>,
    pub fetcher: Fetcher,
    pub writer: Writer,
    pub clock: Clock,
    pub randomness: Randomness,
    pub metrics: Arc<Metrics>,
    pub settings: WebSub,
}

/// How a call to a subscriber ended.
enum Ended {
    Confirmed(Key, Option<Box<Subscription>>),
    /// Not confirmed, or denied.
    Refused,
    Delivered(Ending),
}

impl Hub {
    /// A hub that does nothing until it is run; it knows the subscriptions that are stored.
    pub fn new(archive: &Archive, tools: Tools) -> Result<Self, ArchiveError> {
        let settings = &tools.settings;
        let mut book = Book::new(Limits {
            most: settings.most,
            per_feed: settings.per_feed,
            per_host: settings.per_host,
            parallel: settings.parallel.get(),
            tries: u32::try_from(settings.tries.get()).unwrap_or(u32::MAX),
            backoff: settings.backoff.as_secs_f64(),
        });
        let now = tools.clock.now();
        for (key, subscription) in archive.subscriptions()? {
            book.load(key, subscription, now);
        }
        let (requests, inbox) = mpsc::channel(WAITING);
        Ok(Self {
            tools,
            book: Mutex::new(book),
            pending: Pending::default(),
            telling: Semaphore::new(VERIFYING),
            requests,
            inbox: Mutex::new(Some(inbox)),
        })
    }

    /// How many subscriptions there are.
    pub fn subscriptions(&self) -> usize {
        self.book.lock().len()
    }

    /// The feeds that are subscribed to, and the hosts of their subscribers.
    pub fn subscribers(&self) -> Vec<(FeedId, String)> {
        self.book.lock().subscribers()
    }

    /// Verifies requests, delivers editions and ends leases, until told to stop.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let Some(mut inbox) = self.inbox.lock().take() else { return };
        let mut changes = self.tools.shelf.changes();
        let mut calls: JoinSet<Ended> = JoinSet::new();
        let mut deliveries: HashMap<Id, Delivery> = HashMap::new();
        let (mut round_at, mut save_at) = (self.tools.clock.now(), self.tools.clock.now());
        let mut changed = true;
        while !stop.is_cancelled() {
            let now = self.tools.clock.now();
            if changed && now >= round_at {
                changed = false;
                round_at = now + ROUND * self.tools.clock.speed();
                self.round(now, &mut calls);
            }
            self.book.lock().pass(now);
            if self.book.lock().is_changed() && now >= save_at {
                self.save().await;
                save_at = self.tools.clock.now() + SAVING * self.tools.clock.speed();
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
                biased;
                () = stop.cancelled() => {}
                Some(ended) = calls.join_next_with_id(), if !calls.is_empty() => {
                    self.conclude(ended, &mut deliveries);
                }
                Some(pending) = inbox.recv(), if verifying < VERIFYING => {
                    calls.spawn(Arc::clone(&self).examine(pending));
                }
                told = changes.changed() => {
                    changed = true;
                    if told.is_err() {
                        break;
                    }
                }
                () = self.tools.clock.sleep_until(wake) => {}
            }
        }
        // Deliveries in progress are aborted, and made again after the next start.
        calls.shutdown().await;
        self.save().await;
    }

    /// Checks which feeds have changed, and which are gone.
    fn round(self: &Arc<Self>, now: f64, calls: &mut JoinSet<Ended>) {
        let mut book = self.book.lock();
        for feed in book.feeds() {
            match self.tools.shelf.tally(feed) {
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
                Ended::Delivered(calls::deliver(&hub.tools.fetcher, &hub.tools.shelf, &to).await)
            });
            deliveries.insert(task.id(), delivery);
        }
    }

    /// Decides on a request: is there such a feed, is there room, does the subscriber confirm it?
    async fn examine(self: Arc<Self>, pending: PendingRequest) -> Ended {
        let PendingRequest { request, host, seat } = pending;
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
        let found = topic::feed_of(&self.tools.shelf, &request.topic, host.as_deref());
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
        // What changes while the subscriber confirms is delivered to it.
        let delivered = self.edition_of(feed);
        let lease = request.lease.unwrap_or(self.tools.settings.lease.as_secs_f64()).clamp(
            self.tools.settings.lease_min.as_secs_f64(),
            self.tools.settings.lease_max.as_secs_f64(),
        );
        let now = self.tools.clock.now();
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
        match calls::verify(
            &self.tools.fetcher,
            &self.tools.randomness,
            callback,
            *mode,
            topic,
            lease,
        )
        .await
        {
            Ok(()) => true,
            Err(why) => {
                let (callback, mode) = (Shown(callback.as_str()), mode.name());
                tracing::info!(%callback, topic, mode, why, "not confirmed");
                self.tools.metrics.websub.verified("failed");
                false
            }
        }
    }

    async fn tell_denied(&self, callback: &str, topic: &str, reason: &str) {
        self.tools.metrics.websub.verified("denied");
        tracing::info!(callback = %Shown(callback), topic, reason, "a subscription is denied");
        let Ok(url) = Url::parse(callback) else { return };
        let _turn = self.telling.acquire().await;
        if let Err(why) = calls::deny(&self.tools.fetcher, &url, topic, reason).await {
            tracing::debug!(callback = %Shown(callback), why, "the subscriber could not be told");
        }
    }

    fn edition_of(&self, feed: FeedId) -> u64 {
        self.tools.shelf.tally(feed).map_or(0, |tally| tally.edition)
    }

    /// A call has ended: the book is told.
    fn conclude(
        &self,
        ended: Result<(Id, Ended), JoinError>,
        deliveries: &mut HashMap<Id, Delivery>,
    ) {
        let now = self.tools.clock.now();
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
                    self.tools.randomness.chance(),
                );
                let name = match outcome {
                    Some(Outcome::Delivered) => "delivered",
                    Some(Outcome::Delayed) => "delayed",
                    Some(Outcome::GivenUp) => "given-up",
                    Some(Outcome::Gone) => "gone",
                    None => "left",
                };
                self.tools.metrics.websub.delivered(name);
                if matches!(outcome, Some(Outcome::GivenUp | Outcome::Gone)) {
                    let Subscription { callback, topic, .. } = subscription;
                    let callback = Shown(&callback);
                    tracing::info!(%callback, topic, outcome = name, "a delivery has ended");
                }
            }
        }
    }

    /// A subscriber has confirmed its request.
    fn agree(&self, key: Key, subscription: Option<Box<Subscription>>, now: f64) {
        let mut book = self.book.lock();
        match subscription {
            None => {
                book.remove(key);
                self.tools.metrics.websub.verified("unsubscribed");
            }
            Some(subscription) => {
                let host = host_of(&subscription.callback);
                if book.room(key, subscription.feed, &host).is_err() {
                    // Others were confirmed in the meantime. It gets nothing, as if its lease had ended.
                    self.tools.metrics.websub.verified("denied");
                    return;
                }
                book.put(key, *subscription, now);
                self.tools.metrics.websub.verified("subscribed");
            }
        }
    }

    /// Stores what has changed in the book; a commit that fails is tried again.
    async fn save(&self) {
        let rows = self.book.lock().take_changed();
        if rows.is_empty() {
            return;
        }
        let mut commit = Commit::new();
        for (feed, key, row) in &rows {
            commit.feed(*feed).set_subscription(*key, row.as_ref());
        }
        if let Err(error) = self.tools.writer.commit(commit).await {
            tracing::warn!(%error, "subscriptions could not be stored; this is tried again");
            self.book.lock().not_saved(rows.into_iter().map(|(feed, key, _)| (key, feed)));
        }
    }
}

/// Why a subscription ends before its lease.
const GONE: &str = "the feed is no longer published";

fn key_of(request: &Request) -> Key {
    pergola_feed::digest(&[&request.topic, request.callback.as_str()])
}

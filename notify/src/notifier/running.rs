//! The task that delivers what is due.

use std::collections::HashMap;
use std::sync::Arc;

use pergola_store::archive::{FeedId, Notification, Way};
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use super::{NO_MAIL, Notifier};
use crate::course::{self, Failed};
use crate::stand::FeedNow;
use crate::{digest, payload, post};

/// Deliveries at the same time.
const PARALLEL: usize = 16;
/// Real seconds until a row is written again that could not be written.
const SAVING: f64 = 1.0;

/// A notification by its feed and its id.
type Key = (FeedId, String);

impl Notifier {
    /// Delivers what is due until told to stop.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        self.forget_removed().await;
        let mut calls: JoinSet<()> = JoinSet::new();
        let mut under_way: HashMap<Id, Key> = HashMap::new();
        while !stop.is_cancelled() {
            self.save_again().await;
            let now = self.tools.clock.now();
            let mut wake = self.wake_to_save(now);
            for (key, due_at) in self.due(&under_way) {
                if due_at > now {
                    wake = wake.min(due_at);
                } else if calls.len() < PARALLEL {
                    let (notifier, (feed, id)) = (Arc::clone(&self), key.clone());
                    let task = calls.spawn(async move { notifier.deliver(feed, &id).await });
                    under_way.insert(task.id(), key);
                }
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                Some(ended) = calls.join_next_with_id(), if !calls.is_empty() => {
                    let id = match ended {
                        Ok((id, ())) => id,
                        Err(error) => {
                            tracing::error!(%error, "a delivery panicked");
                            error.id()
                        }
                    };
                    under_way.remove(&id);
                }
                () = self.tools.news.notified() => {}
                () = self.tools.clock.sleep_until(wake) => {}
            }
        }
        // Deliveries in progress are aborted, and made again after the next start.
        calls.shutdown().await;
        self.save_again().await;
    }

    /// What waits to be sent, and from when on.
    fn due(&self, under_way: &HashMap<Id, Key>) -> Vec<(Key, f64)> {
        let mut due = Vec::new();
        for (&feed, list) in self.all.lock().iter() {
            let Some(FeedNow { next: come, .. }) = self.tools.stand.feed(feed) else { continue };
            for one in list {
                let key = (feed, one.id.clone());
                let Some(at) = course::due(one, come) else { continue };
                if !under_way.values().any(|other| *other == key) {
                    due.push((key, at));
                }
            }
        }
        due
    }

    /// Sends what is due of one notification, and stores what follows.
    async fn deliver(&self, feed: FeedId, id: &str) {
        let Some(now_feed) = self.tools.stand.feed(feed) else { return };
        let Ok(new) = self.change(feed, id, |one| course::bound(one, now_feed.next)) else {
            return;
        };
        // Durable before it is sent, so that it is the same delivery after a crash.
        if new && self.save(feed).await.is_err() {
            let retry_at = self.tools.clock.now() + SAVING * self.tools.clock.speed();
            let _ = self.change(feed, id, |one| {
                one.until = one.next;
                one.due_at = retry_at;
            });
            return;
        }
        let Ok(one) = self.change(feed, id, |one| one.clone()) else { return };
        let sent = self.send(feed, &now_feed, &one).await;
        let (now, chance) = (self.tools.clock.now(), self.tools.randomness.chance());
        if let Err(failed) = &sent {
            tracing::info!(feed = now_feed.name, id, why = failed.why, "a notification failed");
        }
        let concluded = self.change(feed, id, |one_now| match sent {
            Ok(()) => course::delivered(one_now, one.until, now),
            Err(failed) => course::failed(one_now, failed, now, chance),
        });
        if concluded.is_ok()
            && let Err(why) = self.save(feed).await
        {
            tracing::warn!(why, "how far a notification has come could not be stored yet");
        }
    }

    async fn send(&self, feed: FeedId, now: &FeedNow, one: &Notification) -> Result<(), Failed> {
        let from = match one.way {
            Way::Webhook { .. } => one.next,
            Way::Mail { .. } => one.next.max(one.until.saturating_sub(course::IN_DIGEST)),
        };
        let (stand, until) = (Arc::clone(&self.tools.stand), one.until);
        let read = self.tools.blocking.run(move || stand.entries(feed, from, until)).await;
        let items = read
            .map_err(|error| Failed::because(error.to_string()))?
            .map_err(|error| Failed::because(format!("entries cannot be read: {error}")))?;
        // What was to be sent has expired meanwhile.
        if items.is_empty() {
            return Ok(());
        }
        let delivery = course::delivery_id(one);
        match &one.way {
            Way::Webhook { url, secret } => {
                let body = payload::body(payload::ENTRIES, &delivery, now, items);
                let what = (payload::ENTRIES, delivery.as_str());
                post::post(&self.tools.fetcher, url, secret, what, body).await
            }
            Way::Mail { address, .. } => match &self.tools.mailer {
                Some(mailer) => {
                    let digest = digest::digest(now, items, from - one.next);
                    mailer.send(address, &delivery, digest).await
                }
                None => Err(Failed::because(NO_MAIL)),
            },
        }
    }

    /// Forgets the notifications of feeds that were removed.
    async fn forget_removed(&self) {
        let feeds: Vec<FeedId> = self.all.lock().keys().copied().collect();
        for feed in feeds.into_iter().filter(|feed| self.tools.stand.feed(*feed).is_none()) {
            // One that cannot be deleted now is tried again.
            let _ = self.save(feed).await;
        }
    }

    async fn save_again(&self) {
        let unsaved = self.unsaved.lock().clone();
        for feed in unsaved {
            if let Err(why) = self.save(feed).await {
                tracing::debug!(why, "notifications cannot be stored yet");
                return;
            }
        }
    }

    fn wake_to_save(&self, now: f64) -> f64 {
        match self.unsaved.lock().is_empty() {
            true => f64::INFINITY,
            false => now + SAVING * self.tools.clock.speed(),
        }
    }
}

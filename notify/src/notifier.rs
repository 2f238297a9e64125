//! Delivers, and can be told what to deliver.
//!
//! The notifications of a feed are one row. A row is written from what is in memory when its turn comes, so the last
//! one written is always the newest.

mod running;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pergola_api::notification::{AddNotification, NotificationStatus};
use pergola_outside::clock::Clock;
use pergola_outside::fetch::Fetcher;
use pergola_outside::locks::Mutex;
use pergola_outside::mandate::Mandate;
use pergola_outside::surroundings::{Blocking, Randomness};
use pergola_store::archive::{Archive, ArchiveError, Commit, FeedId, Notification, Way};
use tokio::sync::{Notify, Semaphore};
use url::Url;

use crate::course::{self, Failed};
use crate::shown::{notice, shown};
use crate::smtp::Mailer;
use crate::stand::{FeedNow, Stand};
use crate::{digest, payload, post, target};

/// Notifications of one feed.
const MOST: usize = 16;

/// What a notifier works with.
pub struct Tools {
    pub stand: Arc<dyn Stand>,
    pub fetcher: Fetcher,
    pub clock: Clock,
    pub randomness: Randomness,
    pub blocking: Blocking,
    /// Without it there are no digests.
    pub mailer: Option<Mailer>,
    /// Told whenever a feed has changed.
    pub news: Arc<Notify>,
}

/// Why something cannot be done to a notification.
#[derive(Debug, thiserror::Error)]
pub enum NotifyError {
    /// The address or the secret is wrong.
    #[error("{0}")]
    Wrong(String),
    /// No notification of the feed has this id.
    #[error("the feed has no notification `{0}`")]
    Unknown(String),
    /// The feed has as many as it may.
    #[error("the feed notifies {MOST} already, which is the most: remove one first")]
    TooMany,
    /// The other side did not take what was sent to try it.
    #[error("{0}")]
    NotDelivered(String),
    /// The store refused the change.
    #[error("nothing was changed: {0}")]
    NotStored(String),
}

/// Sends new entries of feeds to whoever wants them.
pub struct Notifier {
    tools: Tools,
    all: Mutex<BTreeMap<FeedId, Vec<Notification>>>,
    /// Its one permit is held while a row is written.
    saving: Semaphore,
    /// Feeds whose row could not be written.
    unsaved: Mutex<BTreeSet<FeedId>>,
}

impl Notifier {
    /// A notifier that does nothing until it is run; it knows what is stored.
    pub fn new(archive: &Archive, tools: Tools) -> Result<Self, ArchiveError> {
        let all = archive.notifications()?.into_iter().collect();
        let (saving, unsaved) = (Semaphore::new(1), Mutex::default());
        Ok(Self { tools, all: Mutex::new(all), saving, unsaved })
    }

    /// The notifications of a feed, oldest first.
    pub fn list(&self, feed: FeedId) -> Vec<NotificationStatus> {
        let come = self.come(feed);
        let all = self.all.lock();
        all.get(&feed).into_iter().flatten().map(|one| shown(one, come)).collect()
    }

    /// What the operator should look after.
    pub fn notices(&self) -> Vec<String> {
        let all = self.all.lock();
        let of_feed = |(feed, list): (&FeedId, &Vec<Notification>)| {
            let Some(FeedNow { name, .. }) = self.tools.stand.feed(*feed) else {
                return Vec::new();
            };
            list.iter().filter_map(|one| notice(&name, one)).collect()
        };
        all.iter().flat_map(of_feed).collect()
    }

    /// Notifies of the entries that come from now on.
    pub async fn add(
        &self,
        feed: FeedId,
        asked: AddNotification,
    ) -> Result<NotificationStatus, NotifyError> {
        let Tools { clock, randomness, fetcher, mailer, .. } = &self.tools;
        let made = matches!(&asked, AddNotification::Webhook(hook) if hook.secret.is_none());
        let way = target::way(asked, || randomness.hex(32)).map_err(NotifyError::Wrong)?;
        let mut secret = None;
        match &way {
            Way::Webhook { url, secret: signs } => {
                let url = Url::parse(url).map_err(|error| NotifyError::Wrong(error.to_string()))?;
                let allowed = fetcher.may_call(&url, &Mandate::of(&url));
                allowed.map_err(|error| NotifyError::Wrong(error.to_string()))?;
                secret = made.then(|| signs.clone());
            }
            Way::Mail { .. } if mailer.is_none() => {
                return Err(NotifyError::Wrong(
                    "this node has no mail server: set mail.server and mail.from in its configuration and restart it"
                        .to_owned(),
                ));
            }
            Way::Mail { .. } => {}
        }
        let id = randomness.hex(8);
        let id = id.ok_or_else(|| NotifyError::NotStored("no randomness for a name".to_owned()))?;
        let come = self.come(feed);
        let new = course::begun(id.clone(), way, come, clock.now());
        let status = NotificationStatus { secret, ..shown(&new, come) };
        {
            let mut all = self.all.lock();
            let list = all.entry(feed).or_default();
            if list.len() >= MOST {
                return Err(NotifyError::TooMany);
            }
            list.push(new);
        }
        if let Err(why) = self.save(feed).await {
            self.take(feed, &id);
            return Err(NotifyError::NotStored(why));
        }
        self.tools.news.notify_one();
        Ok(status)
    }

    /// Notifies no more.
    pub async fn remove(&self, feed: FeedId, id: &str) -> Result<(), NotifyError> {
        self.take(feed, id).ok_or_else(|| NotifyError::Unknown(id.to_owned()))?;
        self.save(feed).await.or_else(|why| {
            // It is gone all the same, and stored as soon as the store takes something again.
            tracing::warn!(why, "a removed notification could not be deleted yet");
            Ok(())
        })
    }

    /// Tries again now.
    pub async fn resume(&self, feed: FeedId, id: &str) -> Result<NotificationStatus, NotifyError> {
        let now = self.tools.clock.now();
        self.change(feed, id, |one| course::resumed(one, now))?;
        self.save(feed).await.map_err(NotifyError::NotStored)?;
        self.tools.news.notify_one();
        self.status(feed, id)
    }

    /// Sends a message that says that it is only a test.
    pub async fn test(&self, feed: FeedId, id: &str) -> Result<NotificationStatus, NotifyError> {
        let one = self.change(feed, id, |one| one.clone())?;
        let unknown = || NotifyError::Unknown(id.to_owned());
        let now = self.tools.stand.feed(feed).ok_or_else(unknown)?;
        let name = self.tools.randomness.hex(4).unwrap_or_default();
        let delivery = format!("{id}-test-{name}");
        let sent = match &one.way {
            Way::Webhook { url, secret } => {
                let body = payload::body(payload::TEST, &delivery, &now, Vec::new());
                let what = (payload::TEST, delivery.as_str());
                post::post(&self.tools.fetcher, url, secret, what, body).await
            }
            Way::Mail { address, .. } => match &self.tools.mailer {
                Some(mailer) => mailer.send(address, &delivery, digest::test(&now)).await,
                None => Err(Failed::because(NO_MAIL)),
            },
        };
        sent.map_err(|failed| NotifyError::NotDelivered(failed.why))?;
        self.status(feed, id)
    }

    fn status(&self, feed: FeedId, id: &str) -> Result<NotificationStatus, NotifyError> {
        let come = self.come(feed);
        self.change(feed, id, |one| shown(one, come))
    }

    /// The number that the next entry of a feed gets.
    fn come(&self, feed: FeedId) -> u64 {
        self.tools.stand.feed(feed).map_or(0, |feed| feed.next)
    }

    fn take(&self, feed: FeedId, id: &str) -> Option<Notification> {
        let mut all = self.all.lock();
        let list = all.get_mut(&feed)?;
        let at = list.iter().position(|one| one.id == id)?;
        Some(list.remove(at))
    }

    fn change<T>(
        &self,
        feed: FeedId,
        id: &str,
        change: impl FnOnce(&mut Notification) -> T,
    ) -> Result<T, NotifyError> {
        let mut all = self.all.lock();
        let found = all.get_mut(&feed).and_then(|list| list.iter_mut().find(|one| one.id == id));
        found.map(change).ok_or_else(|| NotifyError::Unknown(id.to_owned()))
    }

    /// Writes the row of a feed; `Err` says why it was not written, and it will be tried again.
    async fn save(&self, feed: FeedId) -> Result<(), String> {
        let _turn = self.saving.acquire().await;
        let mut list = self.all.lock().get(&feed).cloned().unwrap_or_default();
        // The feed may be removed at any time, before this is written or after.
        loop {
            if self.tools.stand.feed(feed).is_none() {
                self.all.lock().remove(&feed);
                list.clear();
            }
            let mut commit = Commit::new();
            commit.feed(feed).set_notifications(&list);
            if let Err(why) = self.tools.stand.commit(commit).await {
                self.unsaved.lock().insert(feed);
                return Err(why);
            }
            if list.is_empty() || self.tools.stand.feed(feed).is_some() {
                self.unsaved.lock().remove(&feed);
                return Ok(());
            }
        }
    }
}

/// Why a digest cannot be sent.
const NO_MAIL: &str =
    "this node has no mail server any more: set mail.server and mail.from in its configuration";

//! Subscribes to the hubs that sources advertise.
//!
//! A refresh finds the hub that a source advertises. `book` decides what to ask of it and whether to trust
//! it, `asking` sends the requests, `callback` answers the hub. A pushed document takes the same path as a
//! fetched one, and is durable before the hub is told that it has arrived: whatever crashes, the hub sends it
//! again or a refresh finds it.
//!
//! Never: a push accepted without the right signature; more than a few pushes in memory; a source that is no
//! longer refreshed because a hub claims to push its news.

mod asking;
mod book;
mod callback;
mod rules;
mod trust;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use pergola_api::Instant;
use pergola_api::source::PushStatus;
use pergola_config::WebSub;
use pergola_feed::address::{Shown, masked, masked_in};
use pergola_manners::hub::{Advertised, HubNotice};
use pergola_store::archive::{Archive, ArchiveError, Commit, Push, SourceId};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use self::asking::{HubRequest, Token};
use self::book::Book;
use self::rules::Rules;
use crate::crawl::driver::Crawler;
use crate::metrics::Metrics;
use crate::websub::CALLBACK;
use crate::writer::Writer;
use pergola_outside::clock::Clock;
use pergola_outside::locks::{Mutex, MutexGuard};
use pergola_outside::mandate::Mandate;
use pergola_outside::surroundings::Randomness;

/// Hubs asked at the same time.
const ASKING: usize = 8;
/// Pushes read at the same time; the hub has to repeat the others.
const RECEIVING: usize = 16;
/// Real seconds between two commits of what has changed.
const SAVING: f64 = 1.0;

/// Subscribes to the hubs that sources advertise.
pub struct Subscriber {
    tools: Tools,
    /// Hubs anywhere can reach this node.
    is_public: bool,
    book: Mutex<Book>,
    notices: Mutex<Option<mpsc::Receiver<HubNotice>>>,
    asking: Semaphore,
    receiving: Semaphore,
    /// Something in the book has changed.
    nudge: Notify,
}

/// What a subscriber works with.
pub struct Tools {
    pub crawler: Arc<Crawler>,
    pub writer: Writer,
    pub clock: Clock,
    /// For tokens, secrets and jitter.
    pub randomness: Randomness,
    pub metrics: Arc<Metrics>,
    /// Where hubs reach this node.
    pub base: Url,
    /// Bytes of a document.
    pub max_body: usize,
}

impl Subscriber {
    /// A subscriber that asks no hub until it is run; what was granted before still holds. `notices` are the
    /// refreshes of sources that advertise a hub, or did.
    pub fn new(
        archive: &Archive,
        tools: Tools,
        settings: &WebSub,
        notices: mpsc::Receiver<HubNotice>,
    ) -> Result<Self, ArchiveError> {
        let mut book = Book::new(Rules {
            lease: settings.lease.as_secs_f64(),
            backoff: settings.backoff.as_secs_f64(),
            poll: settings.poll.as_secs_f64(),
        });
        for (token, push) in archive.pushes()? {
            let exists = archive.source(push.source)?.is_some();
            book.load(token, push, exists);
        }
        Ok(Self {
            is_public: !is_this_machine(&tools.base),
            tools,
            book: Mutex::new(book),
            notices: Mutex::new(Some(notices)),
            asking: Semaphore::new(ASKING),
            receiving: Semaphore::new(RECEIVING),
            nudge: Notify::new(),
        })
    }

    /// The routes by which hubs verify and push.
    pub fn router(self: &Arc<Self>) -> Router {
        let handlers = get(callback::verify).post(callback::receive);
        Router::new().route(CALLBACK, handlers).with_state(Arc::clone(self))
    }

    /// What a hub does for a source, if it has one.
    pub fn status(&self, source: SourceId) -> Option<PushStatus> {
        let now = self.tools.clock.now();
        let book = self.book();
        let row: &Push = book.of(source)?;
        Some(PushStatus {
            hub: masked(&row.hub).into_owned(),
            topic: masked(&row.topic).into_owned(),
            active: trust::is_active(row, now),
            trusted: trust::is_trusted(row, now),
            lease_until: row.lease.map(|lease| Instant::from_unix(lease.until)),
            trouble: row.trouble.as_deref().map(|why| masked_in(why).into_owned()),
            pushes: row.tally.pushes,
            items: row.tally.items,
            missed: row.tally.missed,
            forged: row.tally.forged,
            failures: row.tally.failures,
        })
    }

    /// How many sources a hub pushes to us.
    pub fn sources(&self) -> usize {
        self.book().active(self.tools.clock.now())
    }

    /// Sources were removed: their hubs are no longer needed.
    pub fn forget(&self, sources: &[SourceId]) {
        let now = self.tools.clock.now();
        sources.iter().for_each(|source| self.book().forget(*source, now));
        self.nudge.notify_one();
    }

    /// Subscribes and renews whenever it is time to, until told to stop.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let Some(mut notices) = self.notices.lock().take() else { return };
        let mut asks: JoinSet<(Token, Result<(), String>)> = JoinSet::new();
        let mut save_at = self.tools.clock.now();
        while !stop.is_cancelled() {
            let now = self.tools.clock.now();
            let due = self.book().pass(now);
            self.replan();
            if (!due.is_empty() || now >= save_at) && self.book().is_changed() {
                // A hub may verify before the next commit: the request must be known by then.
                self.save().await;
                save_at = self.tools.clock.now() + SAVING * self.tools.clock.speed();
            }
            for ask in due {
                asks.spawn(Arc::clone(&self).ask(ask));
            }
            let wake = {
                let book = self.book();
                book.next_wakeup().min(if book.is_changed() { save_at } else { f64::INFINITY })
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = self.tools.clock.sleep_until(wake) => {}
                () = self.nudge.notified() => {}
                Some(notice) = notices.recv() => self.refreshed(notice),
                Some(ended) = asks.join_next(), if !asks.is_empty() => match ended {
                    Ok((token, answer)) => {
                        self.book().answered(&token, answer, self.tools.clock.now(), self.tools.randomness.chance());
                    }
                    Err(error) => tracing::error!(%error, "a request to a hub panicked"),
                },
            }
        }
        asks.shutdown().await;
        self.save().await;
    }

    async fn ask(self: Arc<Self>, ask: HubRequest) -> (Token, Result<(), String>) {
        let _turn = self.asking.acquire().await;
        let callback = self.callback(&ask.token);
        let crawler = &self.tools.crawler;
        let mandate = match Url::parse(&ask.hub) {
            // Its source may be gone; the hub is one that it could reach.
            Ok(hub) if !ask.subscribe => Mandate::of(&hub),
            _ => crawler.mandate_of(ask.source),
        };
        let answer = asking::ask(&crawler.tools.fetcher, &ask, &callback, mandate).await;
        self.tools.metrics.websub.asked(if answer.is_ok() { "accepted" } else { "failed" });
        if let Err(why) = &answer {
            let (hub, topic, why) = (Shown(&ask.hub), Shown(&ask.topic), masked_in(why));
            tracing::info!(%hub, %topic, %why, "a hub did not accept a request");
        }
        (ask.token, answer)
    }

    /// A source that advertises a hub, or did, was refreshed.
    fn refreshed(&self, mut notice: HubNotice) {
        if let Advertised::Hub(named) = &notice.advertised
            && !self.can_use(notice.id, &named.hub)
        {
            notice.advertised = Advertised::NoHub;
        }
        let randomness = &self.tools.randomness;
        self.book().polled(&notice, || Some((randomness.hex(24)?, randomness.hex(32)?)));
        self.replan();
    }

    /// Whether a hub may be asked for a source, and can reach this node.
    fn can_use(&self, source: SourceId, hub: &Url) -> bool {
        let fetcher = &self.tools.crawler.tools.fetcher;
        let mandate = self.tools.crawler.mandate_of(source);
        (self.is_public || fetcher.is_neighbour(hub)) && fetcher.may_call(hub, &mandate).is_ok()
    }

    /// Tells the roster how long sources may be left to their hubs.
    fn replan(&self) {
        let now = self.tools.clock.now();
        let (plans, missed) = {
            let mut book = self.book();
            let sources = book.take_replan();
            if sources.is_empty() {
                return;
            }
            let plan = |source: &SourceId| (*source, book.quiet_until(*source, now));
            let plans: Vec<_> = sources.iter().map(plan).collect();
            (plans, book.take_missed())
        };
        self.tools.metrics.websub.missed.inc_by(missed);
        self.tools.crawler.leave_to_hubs(&plans);
    }

    /// Stores what has changed in the book; a commit that fails is tried again.
    async fn save(&self) {
        let rows = self.book().take_changed();
        if rows.is_empty() {
            return;
        }
        let mut commit = Commit::new();
        for (source, token, row) in &rows {
            commit.source(*source).set_push(token, row.as_ref());
        }
        if let Err(error) = self.tools.writer.commit(commit).await {
            tracing::warn!(%error, "the hubs' leases could not be stored; this is tried again");
            self.book().not_saved(rows.into_iter().map(|(source, token, _)| (token, source)));
        }
    }

    fn callback(&self, token: &str) -> Url {
        let mut url = self.tools.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["websub", token]);
        }
        url
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock()
    }
}

/// Whether an address means the machine of whoever uses it.
fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => true,
    }
}

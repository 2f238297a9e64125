//! Has the hubs of sources tell this node of their news.
//!
//! A refresh finds the hub that a source names; `book` decides what to ask of it and whether it is to be
//! trusted, `asking` sends the requests, `callback` answers the hub. What a hub sends is taken in like what
//! a refresh finds, and it is durable before the hub hears that it has arrived: whatever is killed when, the
//! hub sends it again or a refresh finds it.
//!
//! Never: news without the right signature; more of them in memory than a few; a source that is not refreshed
//! at any more because a hub claims to tell of it.

mod asking;
mod book;
mod callback;
mod rules;
mod trust;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use pergola_api::source::PushStatus;
use pergola_config::WebSub;
use pergola_store::archive::{Archive, ArchiveError, Commit, Push, SourceId};
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use self::asking::{Ask, Token};
use self::book::{Book, Polled};
use self::rules::Rules;
use crate::clock::Clock;
use crate::crawl::discovery::RefreshNotice;
use crate::crawl::driver::Crawler;
use crate::locks::{Mutex, MutexGuard};
use crate::metrics::Metrics;
use crate::surroundings::Randomness;
use crate::writer::Writer;

/// Hubs asked at the same time.
const ASKING: usize = 8;
/// News read at the same time; more are to come again.
const RECEIVING: usize = 16;
/// Real seconds between two savings of what was counted.
const SAVING: f64 = 1.0;

/// Has the hubs of sources tell this node of their news.
pub struct Subscriber {
    crawler: Arc<Crawler>,
    writer: Writer,
    clock: Clock,
    randomness: Randomness,
    metrics: Arc<Metrics>,
    /// Where hubs reach this node.
    base: Url,
    /// Whether hubs anywhere reach it there.
    is_public: bool,
    max_body: usize,
    book: Mutex<Book>,
    refreshes: Mutex<Option<mpsc::Receiver<RefreshNotice>>>,
    asking: Semaphore,
    receiving: Semaphore,
    /// Something in the book has changed.
    nudge: Notify,
}

/// What a subscriber works with.
pub struct Parts {
    /// What is kept.
    pub archive: Archive,
    /// Who takes the news in.
    pub crawler: Arc<Crawler>,
    /// The way to the writer.
    pub writer: Writer,
    /// The time.
    pub clock: Clock,
    /// For tokens and secrets, and waits that differ.
    pub randomness: Randomness,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What was configured.
    pub settings: WebSub,
    /// Where hubs reach this node.
    pub public_url: Url,
    /// Bytes of a document.
    pub max_body: usize,
    /// The refreshes of sources that name a hub, or did.
    pub refreshes: mpsc::Receiver<RefreshNotice>,
}

impl Subscriber {
    /// A subscriber that asks nobody until it is run; what was agreed on before holds.
    pub fn new(parts: Parts) -> Result<Self, ArchiveError> {
        let Parts {
            archive,
            crawler,
            writer,
            clock,
            randomness,
            metrics,
            settings,
            public_url,
            ..
        } = parts;
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
            crawler,
            writer,
            clock,
            randomness,
            metrics,
            is_public: !is_this_machine(&public_url),
            base: public_url,
            max_body: parts.max_body,
            book: Mutex::new(book),
            refreshes: Mutex::new(Some(parts.refreshes)),
            asking: Semaphore::new(ASKING),
            receiving: Semaphore::new(RECEIVING),
            nudge: Notify::new(),
        })
    }

    /// Where hubs ask and send.
    pub fn router(self: &Arc<Self>) -> Router {
        let handlers = get(callback::verify).post(callback::receive);
        Router::new().route("/websub/{token}", handlers).with_state(Arc::clone(self))
    }

    /// What a hub does for a source, if one was asked to.
    pub fn status(&self, source: SourceId) -> Option<PushStatus> {
        let now = self.clock.now();
        let book = self.book();
        let row: &Push = book.of(source)?;
        Some(PushStatus {
            hub: row.hub.clone(),
            topic: row.topic.clone(),
            active: trust::is_active(row, now),
            trusted: trust::is_trusted(row, now),
            lease_until: row.lease.map(|lease| lease.until),
            trouble: row.trouble.clone(),
            pushes: row.tally.pushes,
            items: row.tally.items,
            missed: row.tally.missed,
            forged: row.tally.forged,
            failures: row.tally.failures,
        })
    }

    /// How many sources a hub tells us of.
    pub fn sources(&self) -> usize {
        self.book().active(self.clock.now())
    }

    /// Sources are no more: their hubs need tell of them no longer.
    pub fn forget(&self, sources: &[SourceId]) {
        let now = self.clock.now();
        sources.iter().for_each(|source| self.book().forget(*source, now));
        self.nudge.notify_one();
    }

    /// Asks hubs whenever it is time to, until told to stop.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let Some(mut refreshes) = self.refreshes.lock().take() else { return };
        let mut asks: JoinSet<(Token, Result<(), String>)> = JoinSet::new();
        let mut save_at = self.clock.now();
        while !stop.is_cancelled() {
            let now = self.clock.now();
            let due = self.book().pass(now);
            self.replan();
            if (!due.is_empty() || now >= save_at) && self.book().is_changed() {
                // A hub may answer before the next saving: it must find what it was asked for.
                self.save().await;
                save_at = self.clock.now() + SAVING * self.clock.speed();
            }
            for ask in due {
                asks.spawn(Arc::clone(&self).ask(ask));
            }
            let wake = {
                let book = self.book();
                book.next_wakeup().min(if book.is_changed() { save_at } else { f64::INFINITY })
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.clock.sleep_until(wake) => {}
                () = self.nudge.notified() => {}
                Some(refresh) = refreshes.recv() => self.refreshed(refresh),
                Some(ended) = asks.join_next(), if !asks.is_empty() => match ended {
                    Ok((token, answer)) => {
                        self.book().answered(&token, answer, self.clock.now(), self.randomness.chance());
                    }
                    Err(error) => tracing::error!(%error, "a request to a hub panicked"),
                },
            }
        }
        asks.shutdown().await;
        self.save().await;
    }

    async fn ask(self: Arc<Self>, ask: Ask) -> (Token, Result<(), String>) {
        let _turn = self.asking.acquire().await;
        let callback = self.callback(&ask.token);
        let answer = asking::ask(&self.crawler.fetcher, &ask, &callback).await;
        self.metrics.websub.asked(if answer.is_ok() { "accepted" } else { "failed" });
        if let Err(why) = &answer {
            tracing::info!(hub = ask.hub, topic = ask.topic, why, "a hub did not take a request");
        }
        (ask.token, answer)
    }

    /// A source that names a hub, or did, was refreshed.
    fn refreshed(&self, refresh: RefreshNotice) {
        let named = refresh.named.map(|named| {
            named.filter(|named| {
                let reached = self.is_public || self.crawler.fetcher.is_neighbour(&named.hub);
                reached && self.crawler.fetcher.may_call(&named.hub).is_ok()
            })
        });
        let RefreshNotice { id: source, at, since, new_items, .. } = refresh;
        let polled = Polled { source, at, since, new_items, named };
        self.book().polled(&polled, || Some((self.randomness.hex(24)?, self.randomness.hex(32)?)));
        self.replan();
    }

    /// Tells the roster which sources may be left to their hubs for how long.
    fn replan(&self) {
        let now = self.clock.now();
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
        self.metrics.websub.missed.inc_by(missed);
        self.crawler.leave_to_hubs(&plans);
    }

    /// Saves what has changed in the book; what cannot be saved is tried again.
    async fn save(&self) {
        let rows = self.book().take_changed();
        if rows.is_empty() {
            return;
        }
        let mut commit = Commit::new();
        for (source, token, row) in &rows {
            commit.source(*source).set_push(token, row.as_ref());
        }
        if let Err(error) = self.writer.commit(commit).await {
            tracing::warn!(%error, "what hubs granted could not be saved; it is tried again");
            self.book().not_saved(rows.into_iter().map(|(source, token, _)| (token, source)));
        }
    }

    fn callback(&self, token: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["websub", token]);
        }
        url
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock()
    }
}

/// Whether an address leads whoever uses it to their own machine.
fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => true,
    }
}

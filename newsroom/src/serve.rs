//! The newsroom over HTTP: sources that publish real documents, in real or accelerated time.
//!
//! Demonstrations, benchmarks and end-to-end tests need many sources with a known truth. A crawler reads them over
//! real sockets, and [`Newsroom::truth`] (or `/truth`) tells what they have published, and when.
//!
//! - `GET /sources/{name}`: the document, with conditional GET and gzip;
//! - `GET /items/{name}/{number}`: the page of an item;
//! - `GET /opml`: all sources as a subscription list (`?first=N&count=N` for a part of it);
//! - `GET /truth`: what every source has published, in numbers; `?source=NAME&after=N` in items;
//! - `GET /`: the first hundred sources, for people.
//!
//! The clock is a function of the caller: seconds since the Unix epoch. A faster clock gives accelerated time, and a
//! test can step it:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use pergola_newsroom::{Process, serve::{Newsroom, Source}};
//!
//! let seconds = Arc::new(AtomicU64::new(1_790_000_000));
//! let hand = Arc::clone(&seconds);
//! let newsroom = Newsroom::builder(Arc::new(move || hand.load(Ordering::Relaxed) as f64))
//!     .source(Source::new("hourly", Process::Recorded(vec![3_600.0, 7_200.0])))
//!     .build()?;
//! assert_eq!(newsroom.truth("hourly").unwrap().published, 0);
//! seconds.fetch_add(3_600, Ordering::Relaxed);
//! assert_eq!(newsroom.truth("hourly").unwrap().published, 1);
//! # Ok::<(), pergola_newsroom::serve::BuildError>(())
//! ```
//!
//! Never: a document that depends on anything but the seed, the opening, the clock and what was published by hand;
//! a lock that is held while waiting; a source that costs time while nobody requests it; more memory for documents
//! than [`Builder::document_bytes`] allows.

mod builder;
mod conditions;
mod desk;
mod document;
mod routes;
mod shelf;
mod source;
mod truth;
mod world;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

pub use crate::wording::TOPICS;
pub use builder::{BuildError, Builder};
pub use desk::Counters;
pub use source::{Format, Headline, Quirks, Source};
pub use truth::{Published, SourceTruth};
pub use world::World;

use crate::wording::Filler;
use axum::serve::ListenerExt;
use desk::{Desk, Moment};
use document::House;
use shelf::Shelf;

/// Tells the time: seconds since the Unix epoch.
pub type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;

/// The largest factor for the rates of all sources.
const LARGEST_FACTOR: f64 = 100_000.0;

/// A running newsroom. Clones are handles to the same newsroom.
#[derive(Clone)]
pub struct Newsroom {
    inner: Arc<Inner>,
}

struct Inner {
    seed: u64,
    clock: Clock,
    opening: f64,
    remember: usize,
    base: OnceLock<String>,
    sources: Vec<ServedSource>,
    /// Numbers of the sources, by name.
    by_name: Vec<u32>,
    rates: RwLock<Vec<(f64, f64)>>,
    answering: AtomicBool,
    shelf: Shelf,
    filler: Filler,
}

/// A source, and its state.
struct ServedSource {
    source: Source,
    desk: Mutex<Desk>,
}

/// What a newsroom cannot do.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NewsroomError {
    #[error("there is no source `{name}`; /opml lists all sources")]
    UnknownSource { name: String },
    #[error("the factor {given} is out of bounds; give a number from 0 to {LARGEST_FACTOR}")]
    Factor { given: f64 },
}

impl Newsroom {
    pub fn builder(clock: Clock) -> Builder {
        Builder::new(clock)
    }

    /// Answers requests until `stop` completes and the last answer is sent. Links in documents begin with the
    /// address of the listener, unless [`Builder::base_url`] sets another.
    ///
    /// # Errors
    /// When the listener has no address.
    pub async fn serve(
        &self,
        listener: tokio::net::TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        let address = listener.local_addr()?;
        self.inner.base.get_or_init(|| format!("http://{address}"));
        // Without the option a connection is only slower.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, self.router()).with_graceful_shutdown(stop).await
    }

    /// The routes, for a server of the caller's own; it must set [`Builder::base_url`].
    pub fn router(&self) -> axum::Router {
        routes::router(self.clone())
    }

    /// Publishes `count` items at once and returns their numbers.
    ///
    /// # Errors
    /// When there is no such source.
    pub fn publish_now(&self, source: &str, count: usize) -> Result<Range<u64>, NewsroomError> {
        self.publish(source, std::iter::repeat_n(None, count))
    }

    /// Publishes one item with a title and keywords of its own at once and returns its number.
    ///
    /// # Errors
    /// When there is no such source.
    pub fn publish_headline(&self, source: &str, item: Headline) -> Result<u64, NewsroomError> {
        Ok(self.publish(source, std::iter::once(Some(item)))?.start)
    }

    fn publish(
        &self,
        source: &str,
        items: impl Iterator<Item = Option<Headline>>,
    ) -> Result<Range<u64>, NewsroomError> {
        let served = self.served(source)?;
        let rates = read(&self.inner.rates);
        let mut desk = served.lock();
        let numbers = desk.publish_now(&served.source, self.moment(&rates), items);
        self.inner.shelf.discard(&mut desk);
        Ok(numbers)
    }

    /// From now on all sources publish at `factor` times their own rates. Recorded times stay the same, and daily
    /// rhythms keep their hours.
    ///
    /// # Errors
    /// When the factor is not a number from 0 to 100,000.
    pub fn set_all_rates(&self, factor: f64) -> Result<(), NewsroomError> {
        if !(0.0..=LARGEST_FACTOR).contains(&factor) {
            return Err(NewsroomError::Factor { given: factor });
        }
        let now = self.now();
        let mut rates = self.inner.rates.write().unwrap_or_else(PoisonError::into_inner);
        let now = rates.last().map_or(now, |&(before, _)| now.max(before));
        rates.push((now, factor));
        Ok(())
    }

    /// All sources answer 503 with Retry-After, and continue to publish.
    pub fn stop_answering(&self) {
        self.inner.answering.store(false, Ordering::Relaxed);
    }

    /// Sources answer again, except those stopped by name.
    pub fn start_answering(&self) {
        self.inner.answering.store(true, Ordering::Relaxed);
    }

    /// One source answers 503 with Retry-After (`false`), or answers again (`true`).
    ///
    /// # Errors
    /// When there is no such source.
    pub fn set_answering(&self, source: &str, answering: bool) -> Result<(), NewsroomError> {
        self.served(source)?.lock().answering = answering;
        Ok(())
    }

    /// The requests for one source.
    ///
    /// # Errors
    /// When there is no such source.
    pub fn counters(&self, source: &str) -> Result<Counters, NewsroomError> {
        Ok(self.served(source)?.lock().counters)
    }

    /// The requests for all sources together.
    pub fn total_counters(&self) -> Counters {
        self.inner.sources.iter().fold(Counters::default(), |sum, served| {
            let own = served.lock().counters;
            Counters {
                requests: sum.requests + own.requests,
                not_modified: sum.not_modified + own.not_modified,
                bytes: sum.bytes + own.bytes,
            }
        })
    }

    /// The names of all sources, in the order of the builder.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.inner.sources.iter().map(|served| &*served.source.name)
    }

    pub fn now(&self) -> f64 {
        let now = (self.inner.clock)();
        if now.is_finite() { now } else { self.inner.opening }
    }

    pub fn opening(&self) -> f64 {
        self.inner.opening
    }

    fn served(&self, name: &str) -> Result<&ServedSource, NewsroomError> {
        Ok(&self.inner.sources[self.index(name)? as usize])
    }

    fn index(&self, name: &str) -> Result<u32, NewsroomError> {
        let inner = &self.inner;
        let own = |&index: &u32| &*inner.sources[index as usize].source.name;
        match inner.by_name.binary_search_by(|index| own(index).cmp(name)) {
            Ok(at) => Ok(inner.by_name[at]),
            Err(_) => Err(NewsroomError::UnknownSource { name: name.chars().take(200).collect() }),
        }
    }

    fn moment<'a>(&self, rates: &'a [(f64, f64)]) -> Moment<'a> {
        let Inner { opening, remember, .. } = *self.inner;
        Moment { now: self.now(), opening, remember, rates }
    }

    fn house(&self) -> House<'_> {
        House { base: self.base(), seed: self.inner.seed, filler: &self.inner.filler }
    }

    fn base(&self) -> &str {
        self.inner.base.get().map_or("http://localhost", String::as_str)
    }
}

impl ServedSource {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        // A panic can leave only some counters behind: the desk stays usable.
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

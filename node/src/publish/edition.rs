//! A feed on the shelf, and one state of it.
//!
//! An edition is never changed, only succeeded: whoever holds it finishes with it, whoever comes later
//! gets the next. Its documents appear in it once each, when they are first asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use http::HeaderValue;
use pergola_feed::percent;
use pergola_store::archive::{ArchiveError, FeedId, FeedTally};
use tokio::sync::OnceCell;

use super::document::Rendered;
use super::negotiate::Form;
use super::news::{Follower, News};
use super::shelf::Listing;
use pergola_outside::locks::{Mutex, RwLock};

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub(super) enum RenderError {
    /// The items could not be read.
    #[error(transparent)]
    Archive(ArchiveError),
    /// Somebody else has just tried.
    #[error("the feed could not be rendered a moment ago")]
    Failing,
    /// The node is stopping, or rendering ended in a panic.
    #[error("rendering was broken off")]
    Aborted,
}

/// A published feed with its current edition.
pub(super) struct Publication {
    listing: Listing,
    edition: RwLock<Arc<Edition>>,
    /// Bits of an `f64`: when a source is next refreshed.
    next_refresh: AtomicU64,
    /// When somebody last asked for it, in the clock's milliseconds.
    used: AtomicU64,
    /// How far it has come, for those who follow it; gone when the feed is.
    news: Arc<News<FeedTally>>,
    /// Tells other nodes that the feed can be had from this one.
    marker: HeaderValue,
}

impl Publication {
    /// With a first edition; what is known of its next refresh is taken over from its former self.
    pub(super) fn new(listing: Listing, former: Option<&Self>) -> Self {
        let edition = Arc::new(Edition::new(listing.tally));
        let taken_over = |field: fn(&Self) -> &AtomicU64| {
            AtomicU64::new(former.map_or(0, |former| field(former).load(Relaxed)))
        };
        let news = match former {
            Some(former) => {
                former.news.set(listing.tally);
                Arc::clone(&former.news)
            }
            None => Arc::new(News::new(listing.tally)),
        };
        Self {
            news,
            marker: marker(&listing.name),
            listing,
            edition: RwLock::new(edition),
            next_refresh: taken_over(|former| &former.next_refresh),
            used: taken_over(|former| &former.used),
        }
    }

    pub(super) fn id(&self) -> FeedId {
        self.listing.id
    }

    pub(super) fn name(&self) -> &str {
        &self.listing.name
    }

    /// The feed as it is listed now.
    pub(super) fn listing(&self) -> Listing {
        Listing { tally: self.edition().tally, ..self.listing.clone() }
    }

    /// The current edition.
    pub(super) fn edition(&self) -> Arc<Edition> {
        self.edition.read().clone()
    }

    /// A new edition takes the place of the current one.
    pub(super) fn succeed(&self, tally: FeedTally) {
        let mut current = self.edition.write();
        *current = Arc::new(current.successor(tally));
        drop(current);
        self.news.set(tally);
    }

    /// Sees how far it comes from now on.
    pub(super) fn follow(&self) -> Follower<FeedTally> {
        self.news.follow()
    }

    /// Wakes those who follow it, although it has come no further.
    pub(super) fn nudge(&self) {
        self.news.tell();
    }

    /// What every document of it carries as `Pergola-Feed`.
    pub(super) fn marker(&self) -> &HeaderValue {
        &self.marker
    }

    /// A new edition takes the place of the current one, although the feed has come no further.
    pub(super) fn renew(&self) {
        let mut current = self.edition.write();
        *current = Arc::new(current.successor(current.tally));
    }

    /// Forgets what was rendered; the edition is the same.
    pub(super) fn drop_documents(&self) {
        let mut current = self.edition.write();
        *current = Arc::new(Edition::new(current.tally));
    }

    pub(super) fn set_next_refresh(&self, at: f64) {
        self.next_refresh.store(at.to_bits(), Relaxed);
    }

    pub(super) fn next_refresh(&self) -> f64 {
        f64::from_bits(self.next_refresh.load(Relaxed))
    }

    /// Somebody asks for it.
    pub(super) fn touch(&self, now: f64) {
        self.used.store((now * 1000.0) as u64, Relaxed);
    }

    pub(super) fn last_used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}

/// `v1 NAME`: the version of the service that this node offers on the same port, and the feed's name there,
/// percent-encoded.
fn marker(name: &str) -> HeaderValue {
    HeaderValue::try_from(format!("v1 {}", percent::encode(name)))
        .expect("percent-encoded text is a header value")
}

/// One state of a feed.
pub(super) struct Edition {
    tally: FeedTally,
    documents: [OnceCell<Arc<Rendered>>; Form::ALL.len()],
    /// What was sent before this edition, until there is something newer.
    earlier: Mutex<[Option<Arc<Rendered>>; Form::ALL.len()]>,
    /// Bits of an `f64`: when rendering last failed.
    failed_at: AtomicU64,
}

impl Edition {
    /// Seconds for which a failure stands for all who wait: a store that is slow to fail must not be
    /// asked by each of them in turn.
    const PATIENCE: f64 = 1.0;

    fn new(tally: FeedTally) -> Self {
        Self {
            tally,
            documents: Default::default(),
            earlier: Mutex::default(),
            failed_at: AtomicU64::new(f64::NEG_INFINITY.to_bits()),
        }
    }

    fn successor(&self, tally: FeedTally) -> Self {
        let next = Self::new(tally);
        let earlier = Form::ALL.map(|form| self.ready(form).or_else(|| self.earlier(form)));
        Self { earlier: Mutex::new(earlier), ..next }
    }

    /// A document that was rendered already.
    pub(super) fn ready(&self, form: Form) -> Option<Arc<Rendered>> {
        self.documents[form as usize].get().cloned()
    }

    /// What was sent before this edition.
    pub(super) fn earlier(&self, form: Form) -> Option<Arc<Rendered>> {
        self.earlier.lock()[form as usize].clone()
    }

    /// Renders a document, or waits for whoever is rendering it.
    pub(super) async fn render_once<F: Future<Output = Result<Rendered, RenderError>>>(
        &self,
        form: Form,
        clock: impl Fn() -> f64,
        render: impl FnOnce() -> F,
    ) -> Result<Arc<Rendered>, RenderError> {
        let slot = &self.documents[form as usize];
        let document = slot.get_or_try_init(|| async {
            if clock() - f64::from_bits(self.failed_at.load(Relaxed)) < Self::PATIENCE {
                return Err(RenderError::Failing);
            }
            let rendered = render().await;
            if rendered.is_err() {
                self.failed_at.store(clock().to_bits(), Relaxed);
            }
            rendered.map(Arc::new)
        });
        let document = document.await?.clone();
        self.earlier.lock()[form as usize] = None;
        Ok(document)
    }
}

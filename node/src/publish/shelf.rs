//! The shelf: every feed that is published, by name, with its current edition.
//!
//! Looking a feed up takes a shared lock and copies an `Arc`; nobody who asks for a document ever
//! waits for somebody who changes another. Rendered documents stay within a limit of bytes: what was
//! not asked for longest is dropped and rendered again when it is.

mod annexed;
mod rendering;

pub(super) use annexed::NoVolume;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use http::HeaderValue;
use pergola_feed::NodeId;
use pergola_query::syntax::OrderBy;
use pergola_store::archive::{Archive, FeedId, FeedTally};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::Semaphore;
use url::Url;

use super::annex::Annex;
use super::document::Rendered;
use super::edition::Publication;
use super::negotiate::Form;
use super::news::{Follower, News};
use super::past::Past;
use super::volume::Volume;
use pergola_outside::clock::Clock;
use pergola_outside::locks::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use pergola_outside::surroundings::Blocking;
use pergola_port::access::{Access, Caller};

/// The folder of a feed's volumes, below its own address.
pub(super) const ARCHIVE: &str = "archive";

/// How this node presents itself in documents.
#[derive(Debug, Clone)]
pub struct Imprint {
    /// The node's name.
    pub name: String,
    /// Where it is reached from outside.
    pub public_url: Url,
    /// The name that items carry when they have passed it.
    pub node: NodeId,
    /// Whether its hub tells of changes.
    pub hub: bool,
}

/// A published feed as the shelf knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// Its number, which survives a change of name.
    pub id: FeedId,
    /// The name it is published under.
    pub name: String,
    /// The statement that makes it, in its canonical form and without secrets.
    pub statement: String,
    /// How many items a document shows.
    pub window: usize,
    /// How they are ordered.
    pub order: Option<OrderBy>,
    /// How far it has come.
    pub tally: FeedTally,
}

/// What the shelf has done, for whoever measures it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShelfCounts {
    /// Documents sent.
    pub sent: u64,
    /// Requests answered by 304.
    pub not_modified: u64,
    /// Documents rendered.
    pub rendered: u64,
    /// Documents that could not be rendered.
    pub failed: u64,
    /// Answers with an earlier edition because the current one could not be rendered.
    pub outdated: u64,
    /// Answers with a difference (226).
    pub differences: u64,
    /// Bytes of editions held in memory.
    pub bytes_held: u64,
    /// Bytes of archive documents and differences held in memory.
    pub bytes_annexed: u64,
}

/// Every published feed. Shared by those who change feeds and those who ask for them.
pub struct Shelf {
    pub(super) archive: Archive,
    pub(super) imprint: Imprint,
    pub(super) clock: Clock,
    pub(super) access: Arc<Access>,
    catalogue: RwLock<Catalogue>,
    opml: RwLock<Option<Arc<Rendered>>>,
    /// Bytes of all documents alive.
    held: Arc<AtomicUsize>,
    limit: usize,
    /// Archive documents and differences.
    pub(super) annex: Annex,
    /// What earlier editions showed.
    pub(super) past: Past,
    /// Work on the blocking threads, so that a rush on many feeds stays within memory.
    pub(super) workers: Arc<Semaphore>,
    blocking: Blocking,
    pub(super) counters: Counters,
    /// Counts every change of any feed, for those who wait for one.
    changes: News<()>,
}

#[derive(Default)]
struct Catalogue {
    by_id: BTreeMap<FeedId, Arc<Publication>>,
    by_name: HashMap<String, Arc<Publication>>,
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) sent: AtomicU64,
    pub(super) not_modified: AtomicU64,
    pub(super) rendered: AtomicU64,
    pub(super) differences: AtomicU64,
    failed: Counter,
    outdated: AtomicU64,
}

impl Shelf {
    /// Rendered documents kept in memory, in bytes.
    const LIMIT: usize = 64 << 20;
    /// Whether rows of the store are known to be damaged.
    pub(super) fn is_damaged(&self) -> bool {
        !self.archive.damage().is_empty()
    }

    /// The annex has a share of its own beside it: one part in this many.
    const ANNEX: usize = 4;
    /// Names that are compared with one that does not exist.
    const COMPARED: usize = 2000;

    /// An empty shelf over an archive.
    pub fn new(archive: Archive, imprint: Imprint, clock: Clock) -> Self {
        let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        Self {
            archive,
            imprint,
            clock,
            access: Arc::new(Access::new(&pergola_config::Config::default())),
            catalogue: RwLock::default(),
            opml: RwLock::default(),
            held: Arc::default(),
            limit: Self::LIMIT,
            annex: Annex::new(Self::LIMIT / Self::ANNEX),
            past: Past::default(),
            workers: Arc::new(Semaphore::new(workers)),
            blocking: Blocking::of_runtime(),
            counters: Counters::default(),
            changes: News::new(()),
        }
    }

    /// Says who may read what; without it, anybody everything.
    pub fn with_access(mut self, access: Arc<Access>) -> Self {
        self.access = access;
        self
    }

    /// Counts documents that could not be rendered there.
    pub fn with_failures(mut self, failed: Counter) -> Self {
        self.counters.failed = failed;
        self
    }

    /// Runs work that blocks elsewhere than on the threads of the runtime.
    pub fn with_blocking(mut self, blocking: Blocking) -> Self {
        self.blocking = blocking;
        self
    }

    /// Keeps rendered editions under this many bytes, and a fourth of it for archives and differences.
    pub fn with_memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self.annex.limit = bytes / Self::ANNEX;
        self
    }

    /// A new feed, or one that is another now; its name may have changed.
    pub fn put(&self, mut listing: Listing) {
        let mut catalogue = self.catalogue_mut();
        let former = catalogue.by_id.get(&listing.id).cloned();
        if let Some(former) = &former {
            catalogue.forget_name(former);
            // It may have changed since whoever puts it has read it: a feed never goes back.
            let reached = former.listing().tally;
            if reached.edition > listing.tally.edition {
                listing.tally = reached;
            }
        }
        let (id, name) = (listing.id, listing.name.clone());
        let publication = Arc::new(Publication::new(listing, former.as_deref()));
        catalogue.by_id.insert(id, publication.clone());
        catalogue.by_name.insert(name, publication);
        drop(catalogue);
        self.forget_opml();
    }

    /// A feed is published no more.
    pub fn remove(&self, id: FeedId) {
        let mut catalogue = self.catalogue_mut();
        if let Some(former) = catalogue.by_id.remove(&id) {
            catalogue.forget_name(&former);
        }
        drop(catalogue);
        self.forget_opml();
        self.wake();
    }

    /// A feed has other items than before: its next reader gets a new edition.
    pub fn changed(&self, id: FeedId, tally: FeedTally) {
        // Under the lock, so that nobody puts another in its place meanwhile.
        if let Some(publication) = self.catalogue().by_id.get(&id) {
            publication.succeed(tally);
        }
        self.wake();
    }

    /// Whether anybody may read a feed, so that it may be sent to whoever asks for it.
    pub fn is_open(&self, id: FeedId) -> bool {
        self.access.is_open(id)
    }

    /// A feed shows something else although no item came: entries were removed, or a source has another
    /// title. That is no change to tell of; its next reader gets a new edition.
    pub fn renew(&self, id: FeedId) {
        if let Some(publication) = self.publication(id) {
            publication.renew();
        }
    }

    /// Sees every change of any feed from now on.
    pub fn changes(&self) -> Follower<()> {
        self.changes.follow()
    }

    /// Wakes everybody who waits for a change.
    pub fn wake(&self) {
        self.changes.tell();
    }

    /// The feed of this name, as it is listed.
    pub fn listing(&self, name: &str) -> Option<Listing> {
        self.named(name).map(|publication| publication.listing())
    }

    /// A feed as it is listed.
    pub fn listing_of(&self, id: FeedId) -> Option<Listing> {
        self.publication(id).map(|publication| publication.listing())
    }

    /// Sees how far a feed comes from now on, until it is published no more.
    pub fn follow(&self, id: FeedId) -> Option<Follower<FeedTally>> {
        self.publication(id).map(|publication| publication.follow())
    }

    /// How this node presents itself.
    pub fn imprint(&self) -> &Imprint {
        &self.imprint
    }

    /// How far a feed has come, as far as it was told.
    pub fn tally(&self, id: FeedId) -> Option<FeedTally> {
        self.publication(id).map(|publication| publication.listing().tally)
    }

    /// When the node will next refresh a source of this feed, in the clock's seconds.
    pub fn set_next_refresh(&self, id: FeedId, at: f64) {
        if let Some(publication) = self.publication(id) {
            publication.set_next_refresh(at);
        }
    }

    /// All feeds, by name.
    pub fn listings(&self) -> Vec<Listing> {
        let publications = self.publications();
        let mut listings: Vec<Listing> = publications.iter().map(|p| p.listing()).collect();
        listings.sort_by(|a, b| a.name.cmp(&b.name));
        listings
    }

    /// The feeds that exist for a caller, by name.
    pub fn listings_for(&self, caller: &Caller) -> Vec<Listing> {
        let mut listings = self.listings();
        listings.retain(|listing| self.access.may_read(caller, listing.id));
        listings
    }

    /// What was done so far.
    pub fn counts(&self) -> ShelfCounts {
        let Counters { sent, not_modified, rendered, differences, failed, outdated } =
            &self.counters;
        ShelfCounts {
            sent: sent.load(Relaxed),
            not_modified: not_modified.load(Relaxed),
            rendered: rendered.load(Relaxed),
            failed: failed.get(),
            outdated: outdated.load(Relaxed),
            differences: differences.load(Relaxed),
            bytes_held: self.held.load(Relaxed) as u64,
            bytes_annexed: self.annex.held.load(Relaxed) as u64,
        }
    }

    /// The feed of this name.
    pub(super) fn named(&self, name: &str) -> Option<Arc<Publication>> {
        self.catalogue().by_name.get(name).cloned()
    }

    /// The name most like one that does not exist, of those that a caller may know.
    pub(super) fn nearest(&self, name: &str, caller: &Caller) -> Option<String> {
        if name.len() > 100 {
            return None;
        }
        let wanted = name.to_lowercase();
        let catalogue = self.catalogue();
        let visible = catalogue
            .by_name
            .iter()
            .filter(|(_, feed)| self.access.may_read(caller, feed.id()))
            .map(|(name, _)| name);
        let names = visible.take(Self::COMPARED);
        let scored = names.map(|n| (strsim::jaro_winkler(&n.to_lowercase(), &wanted), n));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
        best.filter(|(score, _)| *score > 0.6).map(|(_, name)| name.clone())
    }

    /// A feed was closed or opened: the list is another now, and whoever follows it is told again.
    pub(crate) fn relist(&self, id: FeedId) {
        self.forget_opml();
        if let Some(publication) = self.publication(id) {
            publication.nudge();
        }
        self.wake();
    }

    fn forget_opml(&self) {
        *self.opml.write() = None;
    }

    pub(super) fn publication(&self, id: FeedId) -> Option<Arc<Publication>> {
        self.catalogue().by_id.get(&id).cloned()
    }

    fn publications(&self) -> Vec<Arc<Publication>> {
        self.catalogue().by_id.values().cloned().collect()
    }

    fn catalogue(&self) -> RwLockReadGuard<'_, Catalogue> {
        self.catalogue.read()
    }

    fn catalogue_mut(&self) -> RwLockWriteGuard<'_, Catalogue> {
        self.catalogue.write()
    }
}

impl Catalogue {
    /// Its name is free, unless another feed has taken it meanwhile.
    fn forget_name(&mut self, publication: &Publication) {
        let holder = self.by_name.get(publication.name());
        if holder.is_some_and(|holder| holder.id() == publication.id()) {
            self.by_name.remove(publication.name());
        }
    }
}

impl Imprint {
    /// The public address of a feed in one form.
    pub(crate) fn address(&self, name: &str, form: Form) -> String {
        self.place(&[&format!("{name}{}", form.extension())])
    }

    /// The public address of a volume of its archives.
    pub(super) fn volume_address(&self, name: &str, volume: Volume, form: Form) -> String {
        self.place(&[name, ARCHIVE, &format!("{volume}{}", form.extension())])
    }

    fn place(&self, below: &[&str]) -> String {
        let mut url = self.public_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("feeds").extend(below);
        }
        url.into()
    }

    /// The public address of the hub, if there is one.
    pub(crate) fn hub_address(&self) -> Option<String> {
        let mut url = self.public_url.clone();
        url.path_segments_mut().ok()?.pop_if_empty().push("hub");
        self.hub.then(|| url.into())
    }

    /// The `Link` header of a feed in one form: itself and its hub. A page is told of by its Atom form.
    pub(crate) fn links(&self, name: &str, form: Form) -> Option<HeaderValue> {
        let form = if form == Form::Page { Form::Atom } else { form };
        let (hub, own) = (self.hub_address()?, self.address(name, form));
        HeaderValue::try_from(format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\"")).ok()
    }
}

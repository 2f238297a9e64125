//! The node: everything it consists of, put together, and what can be done to it.
//!
//! [`Node::open`] reads what is kept and starts the two threads through which every change goes; nothing
//! is crawled and nobody is served until it is started. The command line works on an opened node when
//! none is running, and through the API when one is; both do the same.

mod callers;
mod feeds;
mod housekeeping;
mod opening;
mod outlook;
mod peers;
mod places;
mod published;
mod reload;
mod running;
mod scheduling;
mod searching;
mod settings;
mod sources;
mod start_error;
mod status;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use pergola_api::source::PushStatus;
use pergola_config::{Budget, Config};
use pergola_feed::NodeId;
use pergola_store::archive::{Archive, ArchiveError, Commit, NodeRecord, SourceId};
use tokio::sync::{Semaphore, mpsc};
use url::Url;

use crate::access::Access;
use crate::clock::Clock;
use crate::crawl::driver::{Crawler, List};
use crate::locks::{Mutex, RwLock};
use crate::metrics::Metrics;
use crate::publish::Shelf;
use crate::select::Desk;
use crate::surroundings::Blocking;
use crate::tls::Shown;
use crate::websub::hub::Hub;
use crate::websub::subscriber::Subscriber;
use crate::writer::{NotCommitted, Writer};
pub use feeds::{FeedError, explained};
pub use outlook::Outlook;
pub use peers::Upstream;
pub use reload::ReloadError;
pub use running::{Running, close};
pub use scheduling::{FIRST_RATE, FIRST_WINDOW};
pub use sources::{Added, EVERY_SOURCE, NewSource, SourceError};
pub use start_error::StartError;

/// A node, open.
pub struct Node {
    pub clock: Clock,
    blocking: Blocking,
    archive: Archive,
    /// The queries.
    desk: Arc<Desk>,
    /// The published feeds.
    shelf: Arc<Shelf>,
    crawler: Arc<Crawler>,
    metrics: Arc<Metrics>,
    /// Who may read what.
    access: Arc<Access>,
    config: RwLock<Arc<Config>>,
    /// The budget that the configuration gave last; another one may have been set since.
    configured_budget: Mutex<Budget>,
    writer: Writer,
    record: Mutex<NodeRecord>,
    members: Mutex<HashMap<SourceId, Vec<SourceId>>>,
    /// One change of sources or feeds at a time: whoever holds the permit.
    turn: Semaphore,
    lists: Mutex<Option<mpsc::Receiver<List>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    notices: Mutex<Vec<String>>,
    opened_at: f64,
    running: AtomicBool,
    /// What the port shows, while it is secured and open.
    shown: Mutex<Option<Arc<Shown>>>,
    /// How the configuration is read again.
    reader: Mutex<Option<reload::Reader>>,
    /// Tells others of news, if it may.
    hub: Option<Arc<Hub>>,
    /// Has others tell of news, if it may.
    subscriber: Option<Arc<Subscriber>>,
}

impl Node {
    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.read())
    }

    /// What the operator should know.
    pub fn notices(&self) -> Vec<String> {
        self.notices.lock().clone()
    }

    /// Whether it crawls and serves: from its start until it is told to stop.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::Release);
        // Whoever waits for items learns that none will come.
        self.shelf.wake();
    }

    /// Why the node does not do its work; nothing if it does. Reads the store, so it may block.
    pub fn why_not_ready(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.is_running() {
            reasons.push("the node is not running: nothing is crawled".to_owned());
        }
        if let Err(error) = self.archive.node() {
            reasons.push(format!("the store cannot be read: {error}"));
        }
        if let Some(trouble) = self.store_trouble() {
            reasons.push(format!("the store refused the last commit: {trouble}"));
        }
        reasons
    }

    /// Why the store refused the last commit, if it did.
    pub fn store_trouble(&self) -> Option<String> {
        self.writer.trouble()
    }

    /// The name that items carry when they have passed this node.
    pub fn id(&self) -> NodeId {
        NodeId(self.record.lock().id.clone())
    }

    /// The executor for work that blocks.
    pub(crate) fn blocking(&self) -> Blocking {
        self.blocking.clone()
    }

    /// Reads the archive on a thread that may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, ArchiveError> {
        self.blocking.run(work).await.unwrap_or_else(|panicked| panic!("{panicked}"))
    }

    /// What a hub does for a source, if one was asked to.
    pub fn push_status(&self, id: SourceId) -> Option<PushStatus> {
        self.subscriber.as_ref()?.status(id)
    }

    /// Lets `work` see the archive between two commits, so that what it reads belongs together.
    pub async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Archive) -> T + Send + 'static,
    ) -> Result<T, NotCommitted> {
        self.writer.alone(work).await.ok_or(NotCommitted::Stopping)
    }

    async fn commit(&self, commit: Commit) -> Result<(), NotCommitted> {
        self.writer.commit(commit).await.map(drop)
    }

    /// Saves what the node knows of itself, τ included.
    async fn save_record(&self) -> Result<(), NotCommitted> {
        let threshold = self.crawler.threshold();
        let record = {
            let mut record = self.record.lock();
            record.threshold = Some(threshold);
            record.clone()
        };
        let mut commit = Commit::new();
        commit.node().put_record(&record);
        self.commit(commit).await
    }
}

/// An address as sources are known by: absolute, without a fragment.
fn normal_url(text: &str) -> Result<Url, SourceError> {
    let bad = |reason: String| SourceError::BadUrl { url: text.to_owned(), reason };
    let mut url = Url::parse(text.trim()).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("`{}` cannot be crawled, only http and https", url.scheme())));
    }
    url.set_fragment(None);
    Ok(url)
}

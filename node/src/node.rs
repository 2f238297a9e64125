//! The node: all of its parts put together, and what can be done to it.
//!
//! [`Node::open`] loads what is stored and starts the two threads that select and write. Nothing is crawled or
//! served before the node is started. The commands use the API of a running node, or open the node themselves
//! if none is running; both ways do the same.

mod callers;
mod conduct;
mod dead;
mod feeds;
mod finding;
mod folders;
mod housekeeping;
mod keys;
mod lists;
mod mending;
mod merging;
mod neighbours;
mod next;
mod notifying;
mod opening;
mod origins;
mod outlook;
mod peers;
mod people;
mod places;
mod prediction;
mod published;
mod reload;
mod removing;
mod running;
mod scheduling;
mod searching;
mod secrets;
mod settings;
mod sources;
mod start_error;
mod status;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pergola_api::source::PushStatus;
use pergola_config::Config;
use pergola_feed::NodeId;
use pergola_feed::address::masked;
use pergola_manners::source::Credentials;
use pergola_store::archive::{Archive, ArchiveError, Commit, NodeRecord, SourceId};
use tokio::sync::{Semaphore, mpsc};
use url::Url;

use crate::crawl::driver::{Crawler, List};
use crate::metrics::Metrics;
use crate::publish::Shelf;
use crate::select::Desk;
use crate::websub::hub::Hub;
use crate::websub::subscriber::Subscriber;
use crate::writer::{NotCommitted, Writer};
use dead::Dead;
pub use feeds::FeedError;
use folders::Folders;
pub(crate) use folders::normal_folders;
pub use keys::SetError;
pub use outlook::Outlook;
pub use peers::Upstream;
use people::People;
pub use people::{
    Follow, Followed, MOST_ITEMS, MOST_NUMBERS, Mistake, NewUser, PeopleError, Stream, StreamItem,
    StreamPage, Subscribed, Unread, User, UserChange,
};
use pergola_notify::Notifier;
use pergola_outside::clock::Clock;
use pergola_outside::fetch::Fetcher;
use pergola_outside::locks::{Mutex, RwLock};
use pergola_outside::mandate::Mandate;
use pergola_outside::surroundings::{Blocking, Thread};
use pergola_outside::tls::Shown;
use pergola_port::access::Access;
pub use reload::ReloadError;
pub use removing::RESTORABLE;
pub use running::{Running, close};
pub use scheduling::{FIRST_RATE, FIRST_WINDOW};
pub use secrets::SourceEdit;
pub use settings::open_files_needed;
pub use sources::{Added, EVERY_SOURCE, NewSource, SourceError};
pub use start_error::StartError;
pub(crate) use status::{rhythm, standing, wishes};

/// An open node.
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
    /// The folder in which its data and its stored settings are.
    data: PathBuf,
    /// Its one permit is held while stored settings are changed.
    setting: Semaphore,
    writer: Writer,
    record: Mutex<NodeRecord>,
    members: Mutex<HashMap<SourceId, Vec<SourceId>>>,
    folders: Mutex<Folders>,
    /// Sources that were dead when they were last looked at.
    dead: Mutex<Vec<Dead>>,
    /// Sources whose addresses are published nowhere.
    private: Mutex<HashSet<SourceId>>,
    /// What people read here.
    people: Arc<People>,
    /// Its one permit is held while sources or feeds are changed.
    turn: Semaphore,
    /// Its one permit is held while the search index is worked on.
    indexing: Semaphore,
    lists: Mutex<Option<mpsc::Receiver<List>>>,
    threads: Mutex<Vec<Thread>>,
    notices: Mutex<Vec<String>>,
    opened_at: f64,
    /// What a start writes was not written, because the disk is full or rows are damaged.
    unsettled: AtomicBool,
    running: AtomicBool,
    /// The certificates of the port, while it is open and uses TLS.
    shown: Mutex<Option<Arc<Shown>>>,
    /// Reads the configuration again.
    reader: Mutex<Option<reload::Reader>>,
    /// Pushes changes of feeds to subscribers, if that is configured.
    hub: Option<Arc<Hub>>,
    /// Subscribes to the hubs that sources advertise, if that is configured.
    subscriber: Option<Arc<Subscriber>>,
    /// Sends new entries to whoever wants them.
    pub notifier: Arc<Notifier>,
}

impl Node {
    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.read())
    }

    /// Notices for the operator.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.lock().clone();
        notices.extend(self.notifier.notices());
        if self.access.lacks_token() {
            notices.push(
                "requests to manage this node came through a proxy, or from another user of this machine, and were \
                 refused because the node has no token: set api.token and restart it"
                    .to_owned(),
            );
        }
        notices
    }

    /// Whether the node crawls and serves.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::Release);
        // Callers that wait for items see that none will come.
        self.shelf.wake();
    }

    /// The reasons why the node is not ready; none if it is. Blocks.
    pub fn why_not_ready(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        if !self.is_running() {
            reasons.push("the node is not running: nothing is crawled".to_owned());
        }
        if let Err(error) = self.archive.node() {
            reasons.push(format!("the store cannot be read: {error}"));
        }
        // On a full disk the node serves what it has.
        if let Some(trouble) = self.store_trouble().filter(|_| !self.writer.is_full()) {
            reasons.push(format!("the store refused the last commit: {trouble}"));
        }
        reasons
    }

    /// Why the store refused the last commit, if it did.
    pub fn store_trouble(&self) -> Option<String> {
        self.writer.trouble()
    }

    /// The id that this node adds to the hops of items.
    pub fn id(&self) -> NodeId {
        NodeId(self.record.lock().id.clone())
    }

    /// What may be reached on behalf of a source. Blocks.
    pub fn mandate_of(&self, source: SourceId) -> Mandate {
        self.crawler.mandate_of(source)
    }

    /// What requests to other programs are made by.
    pub fn fetcher(&self) -> &Fetcher {
        &self.crawler.tools.fetcher
    }

    /// The executor for work that blocks.
    pub fn blocking(&self) -> Blocking {
        self.blocking.clone()
    }

    /// Reads the archive on a thread that may wait for the disk.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
    ) -> Result<T, ArchiveError> {
        self.blocking.run(work).await.unwrap_or_else(|panicked| panic!("{panicked}"))
    }

    /// The subscription of a source at its hub, if there is one.
    pub fn push_status(&self, id: SourceId) -> Option<PushStatus> {
        self.subscriber.as_ref()?.status(id)
    }

    /// Runs `work` on the archive between two commits, so that it reads a consistent state.
    pub async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Archive) -> T + Send + 'static,
    ) -> Result<T, NotCommitted> {
        self.writer.alone(work).await.ok_or(NotCommitted::Stopping)
    }

    async fn commit(&self, commit: Commit) -> Result<(), NotCommitted> {
        self.writer.commit(commit).await.map(drop)
    }

    /// Saves the record of the node itself, with the threshold.
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

/// The URL of a source in its normal form: absolute, without a fragment, a user and a password.
fn normal_url(text: &str) -> Result<Url, SourceError> {
    Ok(split_url(text)?.0)
}

/// The URL of a source in its normal form, and the credentials that it was given with.
fn split_url(text: &str) -> Result<(Url, Option<Credentials>), SourceError> {
    // What is no address may have a password all the same.
    let shown = || match text.rsplit_once('@') {
        Some((_, rest)) if Url::parse(text.trim()).is_err() => format!("…@{rest}"),
        _ => masked(text).into_owned(),
    };
    let bad = |reason: String| SourceError::BadUrl { url: shown(), reason };
    let mut url = Url::parse(text.trim()).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("`{}` cannot be crawled, only http and https", url.scheme())));
    }
    url.set_fragment(None);
    let credentials = Credentials::taken_from(&mut url);
    Ok((url, credentials))
}

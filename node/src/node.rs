//! The node: everything it consists of, put together, and what can be done to it.
//!
//! [`Node::open`] reads what is kept and starts the two threads through which every change goes; nothing
//! is crawled and nobody is served until [`Node::start`]. The command line works on an opened node when
//! none is running, and through the API when one is; both do the same.

mod feeds;
mod housekeeping;
mod outlook;
mod places;
mod reload;
mod running;
mod scheduling;
mod searching;
mod sources;
mod start_error;
mod status;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;

use pergola_config::Config;
use pergola_feed::NodeId;
use pergola_manners::Manners;
use pergola_manners::courtesy::{RuleBook, Rules};
use pergola_manners::lanes::{LaneOverride, LaneRules, Lanes};
use pergola_manners::roster::Roster;
use pergola_store as store;
use pergola_store::archive::{Archive, Changes, NodeRecord, SourceId};
use tokio::sync::{Semaphore, mpsc};
use url::Url;

use crate::access::Access;
use crate::clock::Clock;
use crate::crawl::driver::{Crawler, List, Tools};
use crate::crawl::fetch::{DecodeLimits, FetchSettings, Fetcher};
use crate::crawl::guard::{BadException, Guard};
use crate::metrics::Metrics;
use crate::peer::Peers;
use crate::publish::writer::{Job, NotCommitted, Writer};
use crate::publish::{Imprint, Shelf};
use crate::select::{Desk, Profiles, stage};
use crate::tls::Shown;
use crate::websub::hub::{self, Hub};
use crate::websub::subscriber::{self, PushStatus, Subscriber};
pub use feeds::{Applied, FeedError};
pub use outlook::Outlook;
pub use reload::{ReloadError, Reloaded};
pub use running::{Running, close};
use scheduling::strategy;
pub use scheduling::{FIRST_RATE, FIRST_WINDOW};
pub use searching::{Found, Kind};
pub use sources::{Added, EVERY_SOURCE, NewSource, SourceError};
pub use start_error::StartError;
pub use status::{FeedStatus, NodeStatus, PeerStatus, SourceStatus, Standing};

/// Refreshes that may wait for selection.
const DELIVERIES: usize = 256;
/// Lists that may wait to be taken over.
const LISTS: usize = 64;
/// Refreshes of sources with hubs that the subscriber may not have heard of yet.
const HUB_NOTICES: usize = 1024;

/// A node, open.
pub struct Node {
    /// The time.
    pub clock: Clock,
    /// What is kept.
    pub archive: Archive,
    /// The queries.
    pub desk: Arc<Desk>,
    /// The published feeds.
    pub shelf: Arc<Shelf>,
    /// The crawler.
    pub crawler: Arc<Crawler>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Who may read what.
    pub access: Arc<Access>,
    config: RwLock<Arc<Config>>,
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
    /// Reads everything that is kept and gets ready; must be called inside a runtime.
    pub async fn open(config: Config, clock: Clock) -> Result<Arc<Self>, StartError> {
        let opened = store::open(&config.node.data, config.store.backend, config.store.cache)?;
        let archive = Archive::new(opened.store);
        let record = match archive.node()? {
            Some(record) => record,
            None => NodeRecord { id: random_id(), threshold: None, next_source: 1, next_feed: 1 },
        };
        let id = NodeId(record.id.clone());
        let metrics = Arc::new(Metrics::new());
        let profiles = Profiles::new(config.schedule.profiles, config.schedule.novelty);
        profiles.restore(archive.profiles()?);
        let desk = Desk::new(archive.selectivity()?.unwrap_or_default()).with_profiles(profiles);
        let desk = Arc::new(desk);
        let imprint = Imprint {
            name: config.node.name.clone(),
            public_url: config.node.public_url.clone(),
            node: id.clone(),
            hub: config.websub.hub,
        };
        let own = config.node.contact.as_str().starts_with(config.node.public_url.as_str());
        let contact = (!own).then(|| config.node.contact.to_string());
        let access = Arc::new(Access::new(&config));
        let shelf = Shelf::new(archive.clone(), imprint, clock.clone()).with_contact(contact);
        let shelf = Arc::new(shelf.with_access(Arc::clone(&access)));
        let announced = Arc::clone(&shelf);
        let announce = Box::new(move |feed, tally| announced.changed(feed, tally));
        let (writer, press) =
            Writer::start(archive.clone(), announce, metrics.refused_commits.clone())
                .map_err(thread)?;
        let (deliveries, inbox) = mpsc::channel(DELIVERIES);
        let (to_lists, lists) = mpsc::channel(LISTS);
        let (to_subscriber, hub_notices) = mpsc::channel(HUB_NOTICES);
        let (selecting, selected, kept) = (Arc::clone(&desk), writer.clone(), archive.clone());
        let selector = std::thread::Builder::new()
            .name("select".into())
            .spawn(move || stage::run(inbox, &selecting, &kept, &selected))
            .map_err(thread)?;
        let count = archive.count_sources()?;
        let roster = Roster::new(
            strategy(&config, count),
            config.schedule.taste,
            record.threshold.clone(),
            config.budget.purse(config.schedule.cycle.as_secs_f64()),
        )?;
        let settings = fetch_settings(&config)?;
        let (enabled, usual) = (config.peers.enabled, config.peers.cooperate);
        let peers = Arc::new(Peers::load(&archive, enabled, usual, &settings)?);
        let tools = Tools {
            archive: archive.clone(),
            clock: clock.clone(),
            fetcher: Fetcher::new(settings)?,
            manners: manners(&config, id),
            desk: Arc::clone(&desk),
            metrics: Arc::clone(&metrics),
            peers,
            cycle: config.schedule.cycle.as_secs_f64(),
            deliveries,
            lists: to_lists,
            hub_notices: to_subscriber,
        };
        let crawler = Arc::new(Crawler::new(tools, roster, Lanes::new(lane_rules(&config)))?);
        let hub = config.websub.hub.then(|| {
            let tools = hub::Tools {
                shelf: Arc::clone(&shelf),
                fetcher: crawler.tools.fetcher.clone(),
                writer: writer.clone(),
                clock: clock.clone(),
                metrics: Arc::clone(&metrics),
                settings: config.websub.clone(),
            };
            Hub::new(&archive, tools)
        });
        let subscriber = config.websub.subscribe.then(|| {
            let tools = subscriber::Tools {
                crawler: Arc::clone(&crawler),
                writer: writer.clone(),
                clock: clock.clone(),
                metrics: Arc::clone(&metrics),
                base: config.node.public_url.clone(),
                max_body: config.crawl.max_body,
            };
            Subscriber::new(&archive, tools, &config.websub, hub_notices)
        });
        let (hub, subscriber) = (hub.transpose()?, subscriber.transpose()?);
        let node = Arc::new(Self {
            opened_at: clock.now(),
            clock,
            archive,
            desk,
            shelf,
            crawler,
            metrics,
            access,
            config: RwLock::new(Arc::new(config)),
            writer,
            record: Mutex::new(record),
            members: Mutex::default(),
            turn: Semaphore::new(1),
            lists: Mutex::new(Some(lists)),
            threads: Mutex::new(vec![press, selector]),
            notices: Mutex::new(opened.notice.into_iter().collect()),
            running: AtomicBool::new(false),
            shown: Mutex::default(),
            reader: Mutex::default(),
            hub: hub.map(Arc::new),
            subscriber: subscriber.map(Arc::new),
        });
        node.load_sources()?;
        node.load_feeds()?;
        node.save_record().await?;
        node.take_over_declared().await?;
        Ok(node)
    }

    /// The configuration in force.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the operator should know.
    pub fn notices(&self) -> Vec<String> {
        locked(&self.notices).clone()
    }

    /// Whether it crawls and serves: from [`Node::start`] until it is told to stop.
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
        NodeId(locked(&self.record).id.clone())
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

    async fn commit(&self, changes: Changes) -> Result<(), NotCommitted> {
        self.writer.commit(Job { changes, ..Job::default() }).await.map(drop)
    }

    /// Saves what the node knows of itself, τ included.
    async fn save_record(&self) -> Result<(), NotCommitted> {
        let threshold = self.crawler.roster().threshold().clone();
        let record = {
            let mut record = locked(&self.record);
            record.threshold = Some(threshold);
            record.clone()
        };
        let mut changes = Changes::new();
        changes.put_node(&record);
        self.commit(changes).await
    }
}

fn manners(config: &Config, node: NodeId) -> Manners {
    let usual = Rules {
        floor: config.crawl.floor.as_secs_f64(),
        floor_with_evidence: config.crawl.floor_known.as_secs_f64(),
        ..Rules::default()
    };
    let mut rules = RuleBook::new(usual.clone());
    for (host, rule) in &config.hosts.named {
        let base = if rule.peer { Rules::for_peer() } else { usual.clone() };
        let floor = rule.floor.as_secs_f64();
        let floor_with_evidence = rule.floor_known.as_secs_f64().min(floor);
        rules.set(host, Rules { floor, floor_with_evidence, ..base });
    }
    let limits = pergola_feed::Limits {
        items: config.crawl.max_items,
        bytes: config.crawl.max_body,
        ..Default::default()
    };
    let peers = config.peers.enabled && config.crawl.proxy.is_none();
    Manners { node, rules, limits, peers }
}

fn lane_rules(config: &Config) -> LaneRules {
    let parallel = u32::try_from(config.crawl.per_domain.get()).unwrap_or(u32::MAX);
    let spacing = config.crawl.spacing.as_secs_f64();
    let mut rules = LaneRules::new(spacing, parallel, config.crawl.parallel.get());
    let mut groups: HashMap<&str, Vec<&str>> = HashMap::new();
    for (host, rule) in &config.hosts.named {
        groups.entry(rule.group.as_deref().unwrap_or(host)).or_default().push(host);
    }
    groups.into_values().for_each(|members| rules.group(members));
    for (host, rule) in &config.hosts.named {
        let spacing = Some(rule.spacing.as_secs_f64());
        let parallel = u32::try_from(rule.per_domain.get()).ok();
        rules.treat(host, LaneOverride { spacing, parallel });
    }
    rules
}

fn fetch_settings(config: &Config) -> Result<FetchSettings, BadException> {
    let named =
        config.hosts.named.iter().filter(|(_, rule)| rule.private).map(|(host, _)| host.clone());
    let exceptions: Vec<String> =
        config.crawl.allow_private.iter().map(ToString::to_string).chain(named).collect();
    Ok(FetchSettings {
        contact: config.node.contact.to_string(),
        guard: Guard::allowing(exceptions.iter().map(String::as_str))?,
        extra_ca: config.crawl.extra_ca.clone(),
        hosts: config.hosts.clone(),
        proxy: config.crawl.proxy.clone(),
        connect_timeout: config.crawl.connect_timeout,
        total_timeout: config.crawl.timeout,
        max_body: config.crawl.max_body,
        decode: DecodeLimits { max_decoded: config.crawl.max_body, ..DecodeLimits::default() },
        max_redirects: config.crawl.max_redirects,
        idle_per_host: config.crawl.parallel.get().min(64),
        ..FetchSettings::default()
    })
}

/// A name that no other node has: made once, from the randomness that hash maps are seeded with.
fn random_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let part = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", part(), part())
}

fn thread(source: std::io::Error) -> StartError {
    StartError::System { what: "a thread could not be started".into(), source }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

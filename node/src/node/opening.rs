//! Opening a node: from a configuration and its surroundings to a node that is ready to start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pergola_config::Config;
use pergola_feed::NodeId;
use pergola_manners::hub::HubNotice;
use pergola_manners::lanes::Lanes;
use pergola_manners::roster::Roster;
use pergola_store::Table;
use pergola_store::archive::{Archive, NodeRecord};
use tokio::sync::{Notify, Semaphore, mpsc};

use super::notifying::Feeds;
use super::people::People;
use super::reload::sources_refused;
use super::scheduling::strategy;
use super::settings::{fetch_settings, lane_rules, manners};
use super::{Node, StartError};
use crate::crawl::driver::{Crawler, Delivery, List, Tools};
use crate::metrics::Metrics;
use crate::publish::{Imprint, Shelf};
use crate::select::{Desk, Profiles};
use crate::stage;
use crate::websub::hub::{self, Hub};
use crate::websub::subscriber::{self, Subscriber};
use crate::writer::Writer;
use pergola_notify::{Mailer, Notifier};
use pergola_outside::clock::Clock;
use pergola_outside::fetch::Fetcher;
use pergola_outside::locks::{Mutex, RwLock};
use pergola_outside::surroundings::{Blocking, Outside, Randomness, Surroundings, Thread};
use pergola_peers::registry::Peers;
use pergola_port::access::Access;

/// Refreshes that may wait for selection.
const DELIVERIES: usize = 256;
/// Lists that may wait to be taken over.
const LISTS: usize = 64;
/// Refreshes of sources with hubs that the subscriber may not have heard of yet.
const HUB_NOTICES: usize = 1024;

/// What the parts of a node share.
struct Shared {
    config: Arc<Config>,
    clock: Clock,
    randomness: Randomness,
    blocking: Blocking,
    outside: Outside,
    archive: Archive,
    metrics: Arc<Metrics>,
    desk: Arc<Desk>,
    access: Arc<Access>,
}

/// The other ends of what the crawler sends to.
struct Receivers {
    deliveries: mpsc::Receiver<Delivery>,
    lists: mpsc::Receiver<List>,
    hub_notices: mpsc::Receiver<HubNotice>,
}

impl Node {
    /// Opens a node on this machine: [`Surroundings::real`].
    pub async fn open_here(config: Config, clock: Clock) -> Result<Arc<Self>, StartError> {
        let surroundings = Surroundings::real(&config, clock)?;
        Self::open(config, surroundings).await
    }

    /// Loads everything that is stored and gets ready; must be called inside a runtime.
    pub async fn open(config: Config, surroundings: Surroundings) -> Result<Arc<Self>, StartError> {
        let Surroundings { clock, randomness, outside, blocking, store } = surroundings;
        let (archive, config) = (Archive::new(store.store), Arc::new(config));
        let record = stored_record(&archive, &randomness)?;
        let (desk, metrics) = (Arc::new(desk(&config, &archive)?), Arc::new(Metrics::new()));
        let access = Arc::new(Access::new(&config));
        let shared =
            Shared { config, clock, randomness, blocking, outside, archive, metrics, desk, access };
        let shelf = Arc::new(shared.shelf(&record));
        let people = Arc::new(People::new(shared.randomness.clone()));
        let news = Arc::new(Notify::new());
        let (writer, press) = shared.writer(&shelf, &people, &news)?;
        let (crawler, receivers) = shared.crawler(&record)?;
        let selector = shared.selector(receivers.deliveries, writer.clone())?;
        let hub = shared.hub(&shelf, &crawler, &writer)?;
        let subscriber = shared.subscriber(&crawler, &writer, receivers.hub_notices)?;
        let notifier = shared.notifier(&shelf, &crawler, &writer, news)?;
        let node = Arc::new(Self {
            opened_at: shared.clock.now(),
            clock: shared.clock,
            blocking: shared.blocking,
            archive: shared.archive,
            desk: shared.desk,
            shelf,
            crawler,
            metrics: shared.metrics,
            access: shared.access,
            data: shared.config.node.data.clone(),
            setting: Semaphore::new(1),
            config: RwLock::new(shared.config),
            writer,
            record: Mutex::new(record),
            members: Mutex::default(),
            folders: Mutex::default(),
            dead: Mutex::default(),
            private: Mutex::default(),
            people,
            turn: Semaphore::new(1),
            indexing: Semaphore::new(1),
            lists: Mutex::new(Some(receivers.lists)),
            threads: Mutex::new(vec![press, selector]),
            notices: Mutex::new(store.notice.into_iter().collect()),
            unsettled: AtomicBool::new(true),
            running: AtomicBool::new(false),
            shown: Mutex::default(),
            reader: Mutex::default(),
            hub,
            subscriber,
            notifier,
        });
        node.metrics.mark_minute(node.opened_at);
        node.load_sources().await?;
        node.load_feeds().await?;
        node.settle_in().await?;
        Ok(node)
    }

    /// Writes what a start has to write. On a full disk that waits until there is room. While sources or feeds are
    /// damaged nothing is added or removed in their place: they may come back from a backup.
    pub(super) async fn settle_in(&self) -> Result<(), StartError> {
        let counts = self.archive.damage().counts();
        if [Table::Source, Table::Feed].iter().any(|table| counts.contains_key(table)) {
            tracing::warn!(
                "sources or feeds are damaged: those that the configuration declares are not compared"
            );
            return Ok(());
        }
        match self.write_first().await {
            Err(_) if self.writer.is_full() => {
                tracing::error!(
                    "the disk is nearly full: what is there is served, and nothing new is stored"
                );
                Ok(())
            }
            Err(error) => Err(error),
            Ok(()) => {
                self.unsettled.store(false, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    async fn write_first(&self) -> Result<(), StartError> {
        self.merge_arrivals().await.map_err(sources_refused)?;
        self.save_record().await?;
        self.take_over_declared().await?;
        self.reap_left_behind().await.map_err(sources_refused)
    }
}

impl Shared {
    fn shelf(&self, record: &NodeRecord) -> Shelf {
        let config = &self.config;
        let imprint = Imprint {
            name: config.node.name.clone(),
            public_url: config.node.public_url.clone(),
            node: NodeId(record.id.clone()),
            hub: config.websub.hub,
        };
        Shelf::new(self.archive.clone(), imprint, self.clock.clone())
            .with_failures(self.metrics.failed_renderings.clone())
            .with_access(Arc::clone(&self.access))
            .with_blocking(self.blocking.clone())
    }

    /// Starts the thread that writes; what it commits is announced to the shelf and to those who read.
    fn writer(
        &self,
        shelf: &Arc<Shelf>,
        people: &Arc<People>,
        news: &Arc<Notify>,
    ) -> Result<(Writer, Thread), StartError> {
        let (announced, people) = (Arc::clone(shelf), Arc::clone(people));
        let news = Arc::clone(news);
        let announce = Box::new(move |feed, tally| {
            announced.changed(feed, tally);
            people.entries_came(feed);
            news.notify_one();
        });
        let refused = self.metrics.refused_commits.clone();
        Writer::start(self.archive.clone(), announce, refused, &self.blocking).map_err(thread)
    }

    /// Starts the thread that selects.
    fn selector(
        &self,
        deliveries: mpsc::Receiver<Delivery>,
        writer: Writer,
    ) -> Result<Thread, StartError> {
        let (desk, archive) = (Arc::clone(&self.desk), self.archive.clone());
        let selecting = stage::run(deliveries, desk, archive, writer, self.blocking.clone());
        self.blocking.thread("select", selecting).map_err(thread)
    }

    fn crawler(&self, record: &NodeRecord) -> Result<(Arc<Crawler>, Receivers), StartError> {
        let (config, archive) = (&self.config, &self.archive);
        let cycle = config.schedule.cycle.as_secs_f64();
        let roster = Roster::new(
            strategy(config, archive.count_sources()?),
            config.schedule.taste,
            record.threshold.clone(),
            config.budget.purse(cycle),
        )?;
        let settings = fetch_settings(config, self.outside.clone());
        let (enabled, usual) = (config.peers.enabled, config.peers.cooperate);
        let (to_selector, deliveries) = mpsc::channel(DELIVERIES);
        let (to_lists, lists) = mpsc::channel(LISTS);
        let (to_subscriber, hub_notices) = mpsc::channel(HUB_NOTICES);
        let tools = Tools {
            archive: archive.clone(),
            clock: self.clock.clone(),
            peers: Arc::new(Peers::load(archive, enabled, usual, &settings)?),
            fetcher: Fetcher::new(settings)?,
            manners: RwLock::new(Arc::new(manners(config, NodeId(record.id.clone())))),
            desk: Arc::clone(&self.desk),
            metrics: Arc::clone(&self.metrics),
            blocking: self.blocking.clone(),
            cycle,
            deliveries: to_selector,
            lists: to_lists,
            hub_notices: to_subscriber,
        };
        let crawler = Crawler::new(tools, roster, Lanes::new(lane_rules(config)))?;
        Ok((Arc::new(crawler), Receivers { deliveries, lists, hub_notices }))
    }

    fn hub(
        &self,
        shelf: &Arc<Shelf>,
        crawler: &Crawler,
        writer: &Writer,
    ) -> Result<Option<Arc<Hub>>, StartError> {
        if !self.config.websub.hub {
            return Ok(None);
        }
        let tools = hub::Tools {
            shelf: Arc::clone(shelf),
            fetcher: crawler.tools.fetcher.clone(),
            writer: writer.clone(),
            clock: self.clock.clone(),
            randomness: self.randomness.clone(),
            metrics: Arc::clone(&self.metrics),
            settings: self.config.websub.clone(),
        };
        Ok(Some(Arc::new(Hub::new(&self.archive, tools)?)))
    }

    fn notifier(
        &self,
        shelf: &Arc<Shelf>,
        crawler: &Crawler,
        writer: &Writer,
        news: Arc<Notify>,
    ) -> Result<Arc<Notifier>, StartError> {
        let (archive, config) = (self.archive.clone(), &self.config);
        let mailer = config.mail.as_ref().map(|mail| Mailer::new(mail, &config.crawl.extra_ca));
        let tools = pergola_notify::Tools {
            stand: Arc::new(Feeds { archive, shelf: Arc::clone(shelf), writer: writer.clone() }),
            fetcher: crawler.tools.fetcher.clone(),
            clock: self.clock.clone(),
            randomness: self.randomness.clone(),
            blocking: self.blocking.clone(),
            mailer: mailer.transpose().map_err(StartError::Mail)?,
            news,
        };
        Ok(Arc::new(Notifier::new(&self.archive, tools)?))
    }

    fn subscriber(
        &self,
        crawler: &Arc<Crawler>,
        writer: &Writer,
        notices: mpsc::Receiver<HubNotice>,
    ) -> Result<Option<Arc<Subscriber>>, StartError> {
        if !self.config.websub.subscribe {
            return Ok(None);
        }
        let tools = subscriber::Tools {
            crawler: Arc::clone(crawler),
            writer: writer.clone(),
            clock: self.clock.clone(),
            randomness: self.randomness.clone(),
            metrics: Arc::clone(&self.metrics),
            base: self.config.node.public_url.clone(),
            max_body: self.config.crawl.max_body,
        };
        let settings = &self.config.websub;
        Ok(Some(Arc::new(Subscriber::new(&self.archive, tools, settings, notices)?)))
    }
}

/// What the node knows of itself; a new node makes up a name that no other has.
fn stored_record(archive: &Archive, randomness: &Randomness) -> Result<NodeRecord, StartError> {
    if let Some(record) = archive.node()? {
        return Ok(record);
    }
    let id = randomness.hex(16).ok_or_else(|| StartError::System {
        what: "the node cannot be given a name of its own".into(),
        source: std::io::Error::other("this machine has no randomness"),
    })?;
    Ok(NodeRecord { id, threshold: None, next_source: 1, next_feed: 1 })
}

/// The queries, without any feed yet, and what was learnt before.
fn desk(config: &Config, archive: &Archive) -> Result<Desk, StartError> {
    let profiles = Profiles::new(config.schedule.profiles, config.schedule.novelty);
    profiles.restore(archive.profiles()?);
    Ok(Desk::new(archive.selectivity()?.unwrap_or_default()).with_profiles(profiles))
}

fn thread(source: std::io::Error) -> StartError {
    StartError::System { what: "a thread could not be started".into(), source }
}

//! The loop that refreshes: every cycle the roster says which sources are due, the lanes say which may
//! start, and each refresh runs as a task of its own until its result is durable.
//!
//! Never: two refreshes of one source at once; a refresh that ends without its source being put back (a
//! guard does that even after a panic); a burst after the machine was suspended, because missed cycles are
//! not made up for.

mod alone;
mod arriving;
mod asking;
mod concluding;
mod following;
mod leading;
mod looking;
mod outing;
mod pushed;
mod received;
mod robots;
mod schedule;
mod sending;
mod settling;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pergola_manners::Manners;
use pergola_manners::courtesy::{HostPauses, Outcome};
use pergola_manners::heard::Member;
use pergola_manners::hub::HubNotice;
use pergola_manners::lanes::{LaneId, Lanes};
use pergola_manners::look::Looks;
use pergola_manners::refreshed::SourceChange;
use pergola_manners::roster::Roster;
use pergola_store::archive::{Archive, ArchiveError, Commit, HostTally, SourceId};
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::loops::Loops;
use crate::metrics::Metrics;
use crate::select::Desk;
use crate::writer::Done;
use alone::Alone;
use arriving::Arrivals;
pub use looking::NoSight;
use pergola_outside::clock::Clock;
use pergola_outside::fetch::Fetcher;
use pergola_outside::locks::{Mutex, MutexGuard, RwLock};
use pergola_outside::surroundings::Blocking;
use pergola_peers::registry::Peers;
pub use pushed::{NotReceived, Pushed};
use robots::Files;
pub use schedule::Pulse;

/// Pages that may lead to pages, when a source is refreshed by hand.
const LEADS: usize = 5;

/// What a refresh changes, on its way to selection and the store.
pub struct Delivery {
    pub change: Arc<SourceChange>,
    /// Who waits until it is durable.
    pub done: Done,
}

/// How a refresh ended, for whoever asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub source: SourceId,
    pub outcome: Outcome,
    /// Items never seen before.
    pub new_items: u32,
    /// What went wrong, if something did.
    pub trouble: Option<String>,
    /// When it may be asked next.
    pub next_at: f64,
}

/// What a crawler works with.
pub struct Tools {
    pub archive: Archive,
    pub clock: Clock,
    pub fetcher: Fetcher,
    pub(crate) manners: RwLock<Arc<Manners>>,
    pub desk: Arc<Desk>,
    pub metrics: Arc<Metrics>,
    pub peers: Arc<Peers>,
    /// Where bodies are parsed.
    pub blocking: Blocking,
    /// Seconds between two decisions.
    pub cycle: f64,
    /// The way to selection.
    pub deliveries: mpsc::Sender<Delivery>,
    /// The way to whoever follows lists.
    pub lists: mpsc::Sender<List>,
    /// The way to whoever subscribes to hubs.
    pub hub_notices: mpsc::Sender<HubNotice>,
}

impl Tools {
    /// How sources are treated now.
    pub fn manners(&self) -> Arc<Manners> {
        Arc::clone(&self.manners.read())
    }
}

/// A list that was read, and the sources on it.
pub type List = (SourceId, Vec<Member>);

/// The crawler.
pub struct Crawler {
    pub tools: Tools,
    /// Sources whose items come back to this node.
    pub loops: Loops,
    roster: Mutex<Roster>,
    lanes: Mutex<Lanes>,
    /// Sources that fail.
    failing: Mutex<HashSet<SourceId>>,
    pauses: Mutex<HostPauses>,
    /// What was done to each host, and whether that is saved.
    hosts: Mutex<HashMap<String, (HostTally, bool)>>,
    waiting: Mutex<FxHashMap<SourceId, Vec<oneshot::Sender<Report>>>>,
    /// Documents that may be parsed at once: more threads than processors only cost memory.
    readers: Semaphore,
    nudge: Notify,
    /// The store has refused a commit, and none has succeeded since.
    stalled: AtomicBool,
    /// Nothing new is started.
    stopping: AtomicBool,
    alone: Alone,
    arrivals: Arrivals,
    /// What sites say about their pages.
    robots: Files,
    /// What people have looked at lately.
    looks: Mutex<Looks>,
}

impl Crawler {
    /// A crawler that does nothing until it is run.
    pub fn new(tools: Tools, roster: Roster, lanes: Lanes) -> Result<Self, ArchiveError> {
        let saved = |(host, tally)| (host, (tally, true));
        let hosts = tools.archive.hosts()?.into_iter().map(saved).collect();
        Ok(Self {
            loops: Loops::load(&tools.archive)?,
            tools,
            roster: Mutex::new(roster),
            lanes: Mutex::new(lanes),
            failing: Mutex::default(),
            pauses: Mutex::default(),
            hosts: Mutex::new(hosts),
            waiting: Mutex::default(),
            readers: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
            nudge: Notify::new(),
            stalled: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            alone: Alone::default(),
            arrivals: Arrivals::default(),
            robots: Files::default(),
            looks: Mutex::default(),
        })
    }

    /// The roster, for a moment.
    fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock()
    }

    /// The lane of an address.
    pub fn lane_of(&self, url: &Url) -> LaneId {
        self.lanes.lock().lane_of(url)
    }

    /// (sources that wait for their lane, requests in flight).
    pub fn queue(&self) -> (usize, usize) {
        let lanes = self.lanes.lock();
        (lanes.waiting(), lanes.in_flight())
    }

    /// Refreshes whenever it is time to, until told to stop; then finishes what it has started.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut refreshes = JoinSet::new();
        let mut next_cycle = self.tools.clock.now();
        while !stop.is_cancelled() {
            let now = self.tools.clock.now();
            if now >= next_cycle {
                self.decide(now);
                next_cycle = (next_cycle + self.tools.cycle).max(now);
            }
            let wake = self.send_out(now, &mut refreshes).min(next_cycle);
            // Whatever wakes it, everything that is due is done.
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = self.tools.clock.sleep_until(wake) => {}
                () = self.nudge.notified() => {}
                Some(ended) = refreshes.join_next(), if !refreshes.is_empty() => report_panic(ended),
            }
            // They mostly end together, when their results become durable.
            while let Some(ended) = refreshes.try_join_next() {
                report_panic(ended);
            }
        }
        self.stopping.store(true, Ordering::Relaxed);
        while let Some(ended) = refreshes.join_next().await {
            report_panic(ended);
        }
        // Nothing else will be refreshed: whoever waits for it learns that.
        self.waiting.lock().clear();
    }

    /// Refreshes one source now, outside the loop; for a node that is not running.
    pub async fn refresh_once(self: &Arc<Self>, id: SourceId) -> Option<Report> {
        let mut lane = self.roster().send(id, self.tools.clock.now())?;
        let (sender, mut report) = oneshot::channel();
        self.waiting.lock().entry(id).or_default().push(sender);
        for _ in 0..LEADS {
            self.clone().refresh(id, lane).await;
            match report.try_recv() {
                Ok(report) => return Some(report),
                Err(oneshot::error::TryRecvError::Closed) => return None,
                // It led elsewhere, and waits in line there.
                Err(oneshot::error::TryRecvError::Empty) => lane = self.next_in_line().await?,
            }
        }
        None
    }

    /// Refreshes a source as soon as its lane is free. The receiver learns how it ended.
    pub fn request(&self, id: SourceId) -> oneshot::Receiver<Report> {
        let (sender, report) = oneshot::channel();
        self.waiting.lock().entry(id).or_default().push(sender);
        if !self.send_now(id) {
            self.waiting.lock().remove(&id);
        }
        report
    }

    /// Adds what was done to hosts since this was last called.
    pub fn save_hosts(&self, commit: &mut Commit) {
        for (host, (tally, saved)) in self.hosts.lock().iter_mut().filter(|(_, (_, saved))| !saved)
        {
            commit.node().put_host(host, tally);
            *saved = true;
        }
    }

    /// The store takes commits again.
    pub fn resume(&self) {
        self.stalled.store(false, Ordering::Relaxed);
    }

    /// A pause that a source asked for before the node was restarted; its host may mean all addresses.
    pub fn remember_pause(&self, id: SourceId, url: &Url, until: f64, now: f64) {
        self.roster().keep_quiet(id, Some(until));
        let host = url.host_str().unwrap_or_default();
        if let Some(until) = self.pauses.lock().report(host, id.0, until, now) {
            let mut lanes = self.lanes.lock();
            let lane = lanes.lane_of(url);
            lanes.pause(lane, until);
        }
    }

    fn decide(&self, now: f64) {
        // What cannot be stored is not asked for.
        if self.stalled.load(Ordering::Relaxed) {
            return;
        }
        let due = self.roster().decide(now);
        let mut lanes = self.lanes.lock();
        for (id, lane) in due {
            lanes.push(id.0, lane);
        }
    }
}

fn report_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a refresh panicked; its source is tried again");
    }
}

//! The loop that refreshes: every cycle the roster says who is due, the lanes say who may go, and each refresh
//! runs by itself until what it brought is durable.
//!
//! Never: two refreshes of one source at once; a refresh that ends without its source being put back (a guard
//! sees to it even if it panics); a burst after a pause of the machine, because missed cycles are not
//! made up for.

mod alone;
mod conclusion;
mod outing;
mod peers;
mod received;
mod schedule;
mod settled;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pergola_manners::courtesy::{HostPauses, Outcome};
use pergola_manners::lanes::{LaneId, Lanes};
use pergola_manners::roster::Roster;
use pergola_store::archive::{Archive, ArchiveError, Commit, HostTally, SourceId};
use rustc_hash::FxHashMap;
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::conclude::{Manners, Refreshed};
use super::loops::Loops;
use super::read::Member;
use crate::clock::Clock;
use crate::crawl::discovery::RefreshNotice;
use crate::fetch::Fetcher;
use crate::locks::{Mutex, MutexGuard};
use crate::metrics::Metrics;
use crate::peers::Peers;
use crate::select::Desk;
use crate::surroundings::Blocking;
use crate::writer::Done;
use alone::Alone;
pub use received::NotReceived;
pub use schedule::Pulse;

/// Pages that may lead to pages, when a source is refreshed by hand.
const LEADS: usize = 5;

/// What a refresh brought, on its way to selection.
pub struct Delivery {
    /// What it brought.
    pub refreshed: Arc<Refreshed>,
    /// Who waits until it is durable.
    pub done: Done,
}

/// How a refresh ended, for whoever asked for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which source.
    pub source: SourceId,
    /// What came of it.
    pub outcome: Outcome,
    /// Items never seen before.
    pub new_items: u32,
    /// What went wrong, if something did.
    pub trouble: Option<String>,
    /// When it may be asked next.
    pub next_at: f64,
}

/// Everything the crawler works with.
pub struct Crawler {
    /// What is kept.
    pub archive: Archive,
    /// The time.
    pub clock: Clock,
    /// Who asks.
    pub fetcher: Fetcher,
    /// How it asks.
    pub manners: Manners,
    /// Which feeds read what.
    pub desk: Arc<Desk>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Which sources are peers.
    pub peers: Arc<Peers>,
    /// Where bodies are parsed.
    pub blocking: Blocking,
    /// Seconds between two decisions.
    pub cycle: f64,
    /// Sources whose items come back.
    pub loops: Loops,
    roster: Mutex<Roster>,
    lanes: Mutex<Lanes>,
    pauses: Mutex<HostPauses>,
    /// What was done to each host, and whether that is saved.
    hosts: Mutex<HashMap<String, (HostTally, bool)>>,
    waiting: Mutex<FxHashMap<SourceId, Vec<oneshot::Sender<Report>>>>,
    /// Documents that may be read at once: more threads than processors only cost memory.
    readers: Semaphore,
    nudge: Notify,
    /// The store has refused a commit, and none has succeeded since.
    stalled: AtomicBool,
    /// Nothing new is begun.
    stopping: AtomicBool,
    deliveries: mpsc::Sender<Delivery>,
    lists: mpsc::Sender<List>,
    alone: Alone,
    refreshes: mpsc::Sender<RefreshNotice>,
}

/// A list that was read, and what stands on it.
pub type List = (SourceId, Vec<Member>);

/// What a crawler is made of.
pub struct Parts {
    /// What is kept.
    pub archive: Archive,
    /// The time.
    pub clock: Clock,
    /// Who asks.
    pub fetcher: Fetcher,
    /// How it asks.
    pub manners: Manners,
    /// Which feeds read what.
    pub desk: Arc<Desk>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Which sources are peers.
    pub peers: Arc<Peers>,
    /// Where bodies are parsed.
    pub blocking: Blocking,
    /// Seconds between two decisions.
    pub cycle: f64,
    /// Who is refreshed.
    pub roster: Roster,
    /// Who may go when.
    pub lanes: Lanes,
    /// Where what was found goes.
    pub deliveries: mpsc::Sender<Delivery>,
    /// Where what stands on lists goes.
    pub lists: mpsc::Sender<List>,
    /// Where refreshes of sources with hubs are told.
    pub refreshes: mpsc::Sender<RefreshNotice>,
}

impl Crawler {
    /// A crawler that does nothing until it is run.
    pub fn new(parts: Parts) -> Result<Self, ArchiveError> {
        let Parts {
            archive, clock, fetcher, manners, desk, metrics, peers, blocking, cycle, ..
        } = parts;
        let saved = |(host, tally)| (host, (tally, true));
        let hosts = archive.hosts()?.into_iter().map(saved).collect();
        let loops = Loops::load(&archive)?;
        Ok(Self {
            archive,
            clock,
            fetcher,
            manners,
            desk,
            metrics,
            peers,
            blocking,
            cycle,
            loops,
            roster: Mutex::new(parts.roster),
            lanes: Mutex::new(parts.lanes),
            pauses: Mutex::default(),
            hosts: Mutex::new(hosts),
            waiting: Mutex::default(),
            readers: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from)),
            nudge: Notify::new(),
            stalled: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            deliveries: parts.deliveries,
            lists: parts.lists,
            alone: Alone::default(),
            refreshes: parts.refreshes,
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

    /// (waiting for their lane, on the way).
    pub fn queue(&self) -> (usize, usize) {
        let lanes = self.lanes.lock();
        (lanes.waiting(), lanes.in_flight())
    }

    /// Refreshes whenever it is time to, until told to stop; then finishes what it has begun.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut refreshes = JoinSet::new();
        let mut next_cycle = self.clock.now();
        while !stop.is_cancelled() {
            let now = self.clock.now();
            if now >= next_cycle {
                self.decide(now);
                next_cycle = (next_cycle + self.cycle).max(now);
            }
            let wake = self.send_out(now, &mut refreshes).min(next_cycle);
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.clock.sleep_until(wake) => {}
                () = self.nudge.notified() => {}
                Some(ended) = refreshes.join_next(), if !refreshes.is_empty() => report_panic(ended),
            }
            // They mostly end together, when what they brought is durable.
            while let Some(ended) = refreshes.try_join_next() {
                report_panic(ended);
            }
        }
        self.stopping.store(true, Ordering::Relaxed);
        while let Some(ended) = refreshes.join_next().await {
            report_panic(ended);
        }
        // Nobody else will be refreshed: whoever waits for it is told.
        self.waiting.lock().clear();
    }

    /// Refreshes of one source now, outside the loop; for a node that is not running.
    pub async fn refresh_once(self: &Arc<Self>, id: SourceId) -> Option<Report> {
        let mut lane = self.roster().send(id)?;
        let (sender, mut report) = oneshot::channel();
        self.waiting.lock().entry(id).or_default().push(sender);
        for _ in 0..LEADS {
            self.clone().refresh_and_settle(id, lane).await;
            match report.try_recv() {
                Ok(report) => return Some(report),
                Err(oneshot::error::TryRecvError::Closed) => return None,
                // It led elsewhere, and stands in line there.
                Err(oneshot::error::TryRecvError::Empty) => lane = self.next_in_line().await?,
            }
        }
        None
    }

    /// The lane of whoever may go first, when it may.
    async fn next_in_line(&self) -> Option<LaneId> {
        loop {
            let now = self.clock.now();
            let wake = {
                let mut lanes = self.lanes.lock();
                match lanes.pop(now) {
                    Some((_, lane)) => return Some(lane),
                    None => lanes.next_wakeup(now)?,
                }
            };
            self.clock.sleep_until(wake).await;
        }
    }

    /// Has a source refreshed as soon as its lane is free. The receiver hears how it ended.
    pub fn request(&self, id: SourceId) -> oneshot::Receiver<Report> {
        let (sender, report) = oneshot::channel();
        self.waiting.lock().entry(id).or_default().push(sender);
        self.send_now(id);
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

    /// The pause that a source has asked for, remembered over a restart; its host may mean all of it.
    pub fn remember_pause(&self, id: SourceId, url: &Url, until: f64, now: f64) {
        let host = url.host_str().unwrap_or_default();
        if let Some(until) = self.pauses.lock().report(host, id.0, until, now) {
            let mut lanes = self.lanes.lock();
            let lane = lanes.lane_of(url);
            lanes.pause(lane, until);
        }
    }

    fn decide(&self, now: f64) {
        // What cannot be kept is not asked for.
        if self.stalled.load(Ordering::Relaxed) {
            return;
        }
        let due = self.roster().decide(now);
        let mut lanes = self.lanes.lock();
        for (id, lane) in due {
            lanes.push(id.0, lane);
        }
    }

    /// Starts every refresh that may start now; returns when the next one may.
    fn send_out(self: &Arc<Self>, now: f64, refreshes: &mut JoinSet<()>) -> f64 {
        let mut lanes = self.lanes.lock();
        while let Some((source, lane)) = lanes.pop(now) {
            // Kilobytes of state, which the runtime would move about a dozen times.
            refreshes.spawn(Box::pin(self.clone().refresh_and_settle(SourceId(source), lane)));
        }
        lanes.next_wakeup(now).unwrap_or(f64::INFINITY)
    }
}

fn report_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a refresh panicked; its source is tried again");
    }
}

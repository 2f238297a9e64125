//! The loop that looks: every cycle the roster says who is due, the lanes say who may go, and each look
//! runs by itself until what it brought is durable.
//!
//! Never: two looks at one source at once; a look that ends without its source being put back (a guard
//! sees to it even if it panics); a burst after a pause of the machine, because missed cycles are not
//! made up for.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pergola_refresh::Observation;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::courtesy::{HostPauses, Outcome};
use super::fetch::{Ask, Fetcher};
use super::lanes::{LaneId, Lanes};
use super::look::{Manners, Refreshed, Subject, conclude};
use super::read::Member;
use super::roster::Roster;
use crate::archive::{Archive, ArchiveError, HostTally, SourceId};
use crate::clock::Clock;
use crate::metrics::Metrics;
use crate::publish::writer::{Committed, Done, NotCommitted};
use crate::select::Desk;

/// After a failure of our own a source is left alone this long.
const OUR_FAULT: f64 = 60.0;
/// Pages that may lead to pages, when a source is looked at by hand.
const LEADS: usize = 5;

/// What a look brought, on its way to selection.
pub struct Delivery {
    /// What it brought.
    pub refreshed: Refreshed,
    /// What was done to the host so far.
    pub host: (String, HostTally),
    /// Who waits until it is durable.
    pub done: Done,
}

/// How a look ended, for whoever asked for it.
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
    /// Seconds between two decisions.
    pub cycle: f64,
    roster: Mutex<Roster>,
    lanes: Mutex<Lanes>,
    pauses: Mutex<HostPauses>,
    hosts: Mutex<HashMap<String, HostTally>>,
    waiting: Mutex<HashMap<SourceId, Vec<oneshot::Sender<Report>>>>,
    nudge: Notify,
    deliveries: mpsc::Sender<Delivery>,
    lists: mpsc::Sender<List>,
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
    /// Seconds between two decisions.
    pub cycle: f64,
    /// Who is looked at.
    pub roster: Roster,
    /// Who may go when.
    pub lanes: Lanes,
    /// Where what was found goes.
    pub deliveries: mpsc::Sender<Delivery>,
    /// Where what stands on lists goes.
    pub lists: mpsc::Sender<List>,
}

impl Crawler {
    /// A crawler that does nothing until it is run.
    pub fn new(parts: Parts) -> Result<Self, ArchiveError> {
        let Parts { archive, clock, fetcher, manners, desk, metrics, cycle, .. } = parts;
        let hosts = archive.hosts()?.into_iter().collect();
        Ok(Self {
            archive,
            clock,
            fetcher,
            manners,
            desk,
            metrics,
            cycle,
            roster: Mutex::new(parts.roster),
            lanes: Mutex::new(parts.lanes),
            pauses: Mutex::default(),
            hosts: Mutex::new(hosts),
            waiting: Mutex::default(),
            nudge: Notify::new(),
            deliveries: parts.deliveries,
            lists: parts.lists,
        })
    }

    /// The roster, for a moment.
    pub fn roster(&self) -> MutexGuard<'_, Roster> {
        locked(&self.roster)
    }

    /// The lane of an address.
    pub fn lane_of(&self, url: &Url) -> LaneId {
        locked(&self.lanes).lane_of(url)
    }

    /// (waiting for their lane, on the way).
    pub fn queue(&self) -> (usize, usize) {
        let lanes = locked(&self.lanes);
        (lanes.waiting(), lanes.in_flight())
    }

    /// Looks whenever it is time to, until told to stop; then finishes what it has begun.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut looks = JoinSet::new();
        let mut next_cycle = self.clock.now();
        while !stop.is_cancelled() {
            let now = self.clock.now();
            if now >= next_cycle {
                self.decide(now);
                next_cycle = (next_cycle + self.cycle).max(now);
            }
            let wake = self.send_out(now, &mut looks).min(next_cycle);
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.clock.sleep_until(wake) => {}
                () = self.nudge.notified() => {}
                Some(ended) = looks.join_next(), if !looks.is_empty() => report_panic(ended),
            }
        }
        while let Some(ended) = looks.join_next().await {
            report_panic(ended);
        }
        // Nobody else will be looked at: whoever waits for it is told.
        locked(&self.waiting).clear();
    }

    /// Looks at one source now, outside the loop; for a node that is not running.
    pub async fn look_once(self: &Arc<Self>, id: SourceId) -> Option<Report> {
        let mut lane = self.roster().send(id)?;
        let (sender, mut report) = oneshot::channel();
        locked(&self.waiting).entry(id).or_default().push(sender);
        for _ in 0..LEADS {
            self.clone().look(id, lane).await;
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
                let mut lanes = locked(&self.lanes);
                match lanes.pop_with_lane(now) {
                    Some((_, lane)) => return Some(lane),
                    None => lanes.next_wakeup(now)?,
                }
            };
            self.clock.sleep_until(wake).await;
        }
    }

    /// Has a source looked at as soon as its lane is free. The receiver hears how it ended.
    pub fn request(&self, id: SourceId) -> oneshot::Receiver<Report> {
        let (sender, report) = oneshot::channel();
        locked(&self.waiting).entry(id).or_default().push(sender);
        let lane = self.roster().send(id);
        if let Some(lane) = lane {
            locked(&self.lanes).push(id.0, lane);
            self.nudge.notify_one();
        }
        report
    }

    fn decide(&self, now: f64) {
        let due = self.roster().decide(now);
        let mut lanes = locked(&self.lanes);
        for (id, lane) in due {
            lanes.push(id.0, lane);
        }
    }

    /// Starts every look that may start now; returns when the next one may.
    fn send_out(self: &Arc<Self>, now: f64, looks: &mut JoinSet<()>) -> f64 {
        let mut lanes = locked(&self.lanes);
        while let Some((source, lane)) = lanes.pop_with_lane(now) {
            looks.spawn(self.clone().look(SourceId(source), lane));
        }
        lanes.next_wakeup(now).unwrap_or(f64::INFINITY)
    }

    async fn look(self: Arc<Self>, id: SourceId, lane: LaneId) {
        let mut outing = Outing { crawler: &self, id, lane, next_at: None };
        match self.refresh(id).await {
            Ok(settled) => {
                outing.next_at = Some(settled.report.next_at);
                self.settle(settled, lane);
            }
            Err(problem) => {
                tracing::error!(source = id.0, %problem, "a refresh could not be finished");
            }
        }
    }

    /// One refresh, from the archive to the archive.
    async fn refresh(self: &Arc<Self>, id: SourceId) -> Result<Settled, Problem> {
        let record = self.archive.source(id)?.ok_or(Problem::Vanished)?;
        let state = self.archive.state(id)?.ok_or(Problem::Vanished)?;
        let url = Url::parse(&record.url).map_err(|_| Problem::Vanished)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let readers = self.desk.readers_of(id).max(1);
        let ask = Ask::new(url, state.courtesy.request(self.clock.now()), readers);
        let answered = self.fetcher.fetch(&ask).await;
        let has_body = answered.as_ref().is_ok_and(|answer| !answer.body.is_empty());
        let crawler = Arc::clone(self);
        let conclusion = move || -> Result<Refreshed, Problem> {
            let known = if has_body {
                crawler.archive.known(id)?.unwrap_or_default()
            } else {
                Default::default()
            };
            let subject = Subject { id, record, state, known };
            let now = crawler.clock.now();
            let random = jitter(&crawler.manners.node.0, id, now);
            Ok(conclude(subject, &ask, answered, &crawler.manners, now, random)?)
        };
        // Parsing is work; an answer without a body is none.
        let refreshed = if has_body {
            tokio::task::spawn_blocking(conclusion).await.map_err(|_| Problem::Panicked)??
        } else {
            conclusion()?
        };
        let tally = self.count_host(&host, &refreshed);
        let mut settled = Settled::of(&refreshed, host.clone());
        let (done, committed) = oneshot::channel();
        let delivery = Delivery { refreshed, host: (host, tally), done };
        self.deliveries
            .send(delivery)
            .await
            .map_err(|_| Problem::Refused(NotCommitted::Stopping))?;
        let committed = committed.await.unwrap_or(Err(NotCommitted::Stopping));
        settled.committed = committed.map_err(|error| {
            self.metrics.refused_commits.inc();
            Problem::Refused(error)
        })?;
        Ok(settled)
    }

    /// What is durable becomes known: to the scheduler, the lanes, the counters and whoever waits.
    fn settle(&self, settled: Settled, lane: LaneId) {
        let Settled { id, schedule, observed, at, report, committed, .. } = &settled;
        let relevance = self.desk.relevance(*id, *at) * f64::from(settled.importance);
        let moved_to = settled.moved_to.as_ref().map(|url| (url, self.lane_of(url)));
        {
            let mut roster = self.roster();
            roster.purse.spent(settled.bytes);
            let cost = match roster.purse.counts_bytes() {
                true => (settled.mean_bytes / roster.purse.mean_size()).clamp(0.05, 20.0),
                false => 1.0,
            };
            let observation = observed.as_ref().map(|(since, observed)| Observation {
                at: *at,
                since: *since,
                new_items: observed.new_items,
                window: observed.window,
                censored: observed.censored,
                dates: &observed.dates,
            });
            let learnt = observation.as_ref().map(|seen| (schedule.clone(), seen));
            if let Some((url, lane)) = &moved_to {
                roster.moved(*id, url.as_str(), *lane);
            }
            let outcome = roster
                .settle(*id, learnt, report.next_at)
                .and_then(|()| roster.weigh(*id, relevance, cost));
            if let Err(invalid) = outcome {
                tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
            }
        }
        self.metrics.refreshed(report.outcome);
        self.metrics.bytes.inc_by(settled.bytes);
        self.metrics.items.inc_by(u64::from(report.new_items));
        self.metrics.edits.inc_by(settled.edits);
        self.metrics.lost.inc_by(settled.lost);
        self.metrics.loops.inc_by(settled.loops);
        self.metrics.published.inc_by(committed.published as u64);
        for date in
            observed.iter().flat_map(|(since, seen)| seen.dates.iter().filter(|_| since.is_some()))
        {
            self.metrics.delay.observe((at - date).max(0.0));
        }
        for note in &settled.notes {
            tracing::info!(source = id.0, url = settled.url, note, "source");
        }
        match settled.host_pause {
            Some(until) => {
                let pause = locked(&self.pauses).report(&settled.host, id.0, until, *at);
                if let Some(until) = pause {
                    tracing::info!(host = settled.host, until, "the host wants quiet");
                    locked(&self.lanes).pause(lane, until);
                }
            }
            None => locked(&self.pauses).forget(&settled.host, id.0),
        }
        if let Some(members) = settled.members.clone()
            && self.lists.try_send((*id, members)).is_err()
        {
            tracing::warn!(source = id.0, "too many lists at once; it is read again next time");
        }
        if settled.again {
            let lane = self.roster().send(*id);
            if let Some(lane) = lane {
                locked(&self.lanes).push(id.0, lane);
                self.nudge.notify_one();
            }
            return;
        }
        for waiting in locked(&self.waiting).remove(id).into_iter().flatten() {
            // Whoever asked may have gone.
            let _ = waiting.send(report.clone());
        }
    }

    fn count_host(&self, host: &str, refreshed: &Refreshed) -> HostTally {
        let mut hosts = locked(&self.hosts);
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), HostTally::default());
        }
        let Some(tally) = hosts.get_mut(host) else { return HostTally::default() };
        let courtesy = &refreshed.state.courtesy;
        tally.requests += 1;
        tally.not_modified += u64::from(refreshed.not_modified);
        tally.bytes += refreshed.bytes;
        tally.pauses += u64::from(refreshed.outcome == Outcome::Paused);
        tally.hints += u64::from(courtesy.lifetime.is_some() || courtesy.period.is_some());
        tally.last = refreshed.at;
        *tally
    }
}

/// Puts a source back, however its look ends.
struct Outing<'a> {
    crawler: &'a Crawler,
    id: SourceId,
    lane: LaneId,
    /// Set if the look went its way; then the source is back already.
    next_at: Option<f64>,
}

impl Drop for Outing<'_> {
    fn drop(&mut self) {
        let now = self.crawler.clock.now();
        locked(&self.crawler.lanes).finished(self.lane, now);
        if self.next_at.is_none() {
            // Without an observation nothing can be refused.
            let _ = self.crawler.roster().settle(self.id, None, now + OUR_FAULT);
            locked(&self.crawler.waiting).remove(&self.id);
        }
    }
}

/// Why a refresh was not finished: our own trouble, never the source's.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Refused(NotCommitted),
    #[error(transparent)]
    Invalid(#[from] pergola_refresh::Invalid),
    #[error("the source is gone")]
    Vanished,
    #[error("reading the answer panicked")]
    Panicked,
}

/// What is left to be told of a look once it is durable.
struct Settled {
    id: SourceId,
    at: f64,
    url: String,
    host: String,
    schedule: pergola_refresh::Source,
    observed: Option<(Option<f64>, super::decide::Observed)>,
    importance: f32,
    moved_to: Option<Url>,
    members: Option<Vec<Member>>,
    again: bool,
    host_pause: Option<f64>,
    notes: Vec<String>,
    bytes: u64,
    mean_bytes: f64,
    edits: u64,
    lost: f64,
    loops: u64,
    report: Report,
    committed: Committed,
}

impl Settled {
    fn of(refreshed: &Refreshed, host: String) -> Self {
        let Refreshed { id, at, outcome, record, state, .. } = refreshed;
        let new_items = refreshed.observed.as_ref().map_or(0, |(_, seen)| seen.new_items);
        let report = Report {
            source: *id,
            outcome: *outcome,
            new_items,
            trouble: state.trouble.clone(),
            next_at: state.next_at,
        };
        Self {
            id: *id,
            at: *at,
            url: record.url.clone(),
            host,
            schedule: state.schedule.clone(),
            observed: refreshed.observed.clone(),
            importance: record.importance,
            moved_to: refreshed.moved.then(|| Url::parse(&record.url).ok()).flatten(),
            members: refreshed.members.clone(),
            again: refreshed.again,
            host_pause: refreshed.host_pause,
            notes: refreshed.notes.clone(),
            bytes: refreshed.bytes,
            mean_bytes: state.tally.bytes as f64 / state.tally.requests.max(1) as f64,
            edits: refreshed.news.iter().filter(|news| news.edited).count() as u64,
            lost: refreshed.lost,
            loops: refreshed.loops as u64,
            report,
            committed: Committed::default(),
        }
    }
}

/// A number in [0, 1) that differs from node to node, source to source and look to look.
fn jitter(node: &str, id: SourceId, now: f64) -> f64 {
    let mut hasher = DefaultHasher::new();
    (node, id, now.to_bits()).hash(&mut hasher);
    (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64
}

fn report_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a look panicked; its source is tried again");
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The metrics of a node, for Prometheus and its own pages. Every label has a bounded set of values.

mod ages;
mod peers;
mod port;
mod register;
mod spending;
mod websub;

use std::sync::atomic::{AtomicU64, Ordering};

use pergola_manners::courtesy::Outcome;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use pergola_outside::locks::Mutex;
use pergola_port::counts::PortMetrics;

pub use ages::{Ages, Journey};
pub use peers::{PeerMetrics, PeerOutcome};
use register::Register;
use spending::Spending;

type Label = [(&'static str, &'static str); 2];
type Level = Gauge<f64, AtomicU64>;

/// Everything that is counted or measured.
pub struct Metrics {
    registry: Registry,
    names: Vec<String>,
    samples: Vec<String>,
    spending: Mutex<Spending>,
    /// Refreshes by outcome and, if they failed, by kind of failure.
    refreshes: Family<Label, Counter>,
    all: AtomicU64,
    unchanged: AtomicU64,
    failed: AtomicU64,
    /// Bytes that came over the wire.
    pub bytes: Counter,
    /// Items that refreshes delivered.
    pub items: Counter,
    /// Items that were edited after their delivery.
    pub edits: Counter,
    /// Items believed lost between two refreshes.
    pub lost: Counter<f64, AtomicU64>,
    /// Items dropped because they had already passed this node.
    pub loops: Counter,
    /// Archive documents asked for to find items that were missed.
    pub archives: Counter,
    /// Entries added to feeds.
    pub published: Counter,
    /// Commits that the store refused.
    pub refused_commits: Counter,
    /// Entries left out of what was served because they are damaged.
    pub unreadable: Counter,
    /// Documents that could not be rendered.
    pub failed_renderings: Counter,
    /// What is counted of connections to the port.
    pub port: PortMetrics,
    /// Calls of other nodes that exceeded a limit.
    pub peer_calls_refused: Counter,
    /// Entries sent to other nodes.
    pub peer_entries: Counter,
    /// Seconds from an item's publication to its delivery.
    pub delay: Histogram,
    /// What is counted of pushing.
    pub websub: websub::Counts,
    /// How old items are that come through nodes.
    pub ages: Ages,
    pub levels: Levels,
    /// What is counted of peers.
    pub peers: PeerMetrics,
}

/// Refreshes since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefreshCounts {
    /// All of them.
    pub all: u64,
    /// … that found nothing changed.
    pub unchanged: u64,
    /// … that failed.
    pub failed: u64,
}

/// Gauges that are set when the metrics are read.
#[derive(Default)]
pub struct Levels {
    /// The scheduler's threshold τ.
    pub threshold: Level,
    /// Refreshes per minute allowed.
    pub budget: Level,
    /// Refreshes per minute made lately.
    pub spending: Level,
    /// Estimated share of windows held.
    pub freshness: Level,
    /// Estimated share of items delivered.
    pub completeness: Level,
    /// Sources crawled.
    pub sources: Gauge,
    /// Sources that fail.
    pub failing: Gauge,
    /// Feeds published.
    pub feeds: Gauge,
    /// Requests on the way.
    pub in_flight: Gauge,
    /// Sources due that wait for their lane.
    pub waiting: Gauge,
    /// Bytes of the store on disk.
    pub disk: Gauge,
    /// Damaged rows of the store, as far as they are known.
    pub damaged: Gauge,
    /// 1 while something is wrong although the node works.
    pub degraded: Gauge,
}

impl Metrics {
    /// All counts at zero.
    pub fn new() -> Self {
        let mut register = Register::new();
        let delay = Histogram::new([
            60.0, 300.0, 900.0, 1_800.0, 3_600.0, 7_200.0, 21_600.0, 86_400.0, 604_800.0,
        ]);
        let metrics = Self {
            refreshes: Family::default(),
            all: AtomicU64::new(0),
            unchanged: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            bytes: Counter::default(),
            items: Counter::default(),
            edits: Counter::default(),
            lost: Counter::default(),
            loops: Counter::default(),
            archives: Counter::default(),
            published: Counter::default(),
            refused_commits: Counter::default(),
            unreadable: Counter::default(),
            failed_renderings: Counter::default(),
            port: PortMetrics::default(),
            peer_calls_refused: Counter::default(),
            peer_entries: Counter::default(),
            delay,
            websub: websub::Counts::default(),
            ages: Ages::default(),
            levels: Levels::default(),
            peers: PeerMetrics::default(),
            registry: Registry::default(),
            names: Vec::new(),
            samples: Vec::new(),
            spending: Mutex::default(),
        };
        metrics.register(&mut register);
        let Register { registry, names, samples } = register;
        Self { registry, names, samples, ..metrics }
    }

    /// The names of all metrics, also of those without a value yet.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names under which their values are told: a counter has one that ends in `_total`.
    pub fn samples(&self) -> &[String] {
        &self.samples
    }

    fn register(&self, to: &mut Register) {
        to.register("refreshes", "Refreshes by outcome and failure", self.refreshes.clone());
        to.register_with_unit("fetched", "Received from sources", Unit::Bytes, self.bytes.clone());
        to.register("items_delivered", "Items that refreshes delivered", self.items.clone());
        to.register("items_edited", "Items edited after delivery", self.edits.clone());
        to.register("items_lost", "Items believed lost between refreshes", self.lost.clone());
        to.register("items_looped", "Items that had already passed this node", self.loops.clone());
        let archives = "Archive documents asked for to find items that were missed";
        to.register("archives_followed", archives, self.archives.clone());
        to.register("entries_published", "Entries added to feeds", self.published.clone());
        let refused = "Commits that the store refused; nothing of them happened";
        to.register("commits_refused", refused, self.refused_commits.clone());
        let unreadable = "Entries left out of what was served because they are damaged";
        to.register("entries_unreadable", unreadable, self.unreadable.clone());
        let failed = "Documents that could not be rendered";
        to.register("renderings_failed", failed, self.failed_renderings.clone());
        port::register(&self.port, to);
        let refused = "Calls of other nodes that were refused because they were too many";
        to.register("peer_calls_refused", refused, self.peer_calls_refused.clone());
        to.register("peer_entries", "Entries sent to other nodes", self.peer_entries.clone());
        let delay = "From an item's publication to its delivery";
        to.register_with_unit("delay", delay, Unit::Seconds, self.delay.clone());
        self.websub.register(to);
        self.ages.register(to);
        let levels = &self.levels;
        to.register("threshold", "The scheduler's threshold", levels.threshold.clone());
        to.register("budget_per_minute", "Refreshes allowed", levels.budget.clone());
        let spending = "Refreshes made, over the last ten minutes";
        to.register("spending_per_minute", spending, levels.spending.clone());
        to.register(
            "freshness_ratio",
            "Share of windows held, estimated",
            levels.freshness.clone(),
        );
        let completeness = "Share of items delivered, estimated";
        to.register("completeness_ratio", completeness, levels.completeness.clone());
        to.register("sources", "Sources crawled", levels.sources.clone());
        to.register("sources_failing", "Sources that fail", levels.failing.clone());
        to.register("feeds", "Feeds published", levels.feeds.clone());
        to.register("requests_in_flight", "Requests on the way", levels.in_flight.clone());
        to.register(
            "lanes_waiting",
            "Sources due that wait for their lane",
            levels.waiting.clone(),
        );
        self.peers.register(to);
        to.register_with_unit("store", "The store on disk", Unit::Bytes, levels.disk.clone());
        to.register("store_damaged_rows", "Damaged rows of the store", levels.damaged.clone());
        let degraded = "1 while rows are damaged or the disk is full, although the node works";
        to.register("degraded", degraded, levels.degraded.clone());
    }

    /// How many refreshes there were.
    pub fn refresh_counts(&self) -> RefreshCounts {
        RefreshCounts {
            all: self.all.load(Ordering::Relaxed),
            unchanged: self.unchanged.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    /// A refresh has ended.
    pub fn refreshed(&self, outcome: Outcome) {
        self.all.fetch_add(1, Ordering::Relaxed);
        match outcome {
            Outcome::Unchanged => self.unchanged.fetch_add(1, Ordering::Relaxed),
            Outcome::Failed(_) => self.failed.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
        let failure = match outcome {
            Outcome::Failed(kind) => kind.name(),
            _ => "",
        };
        let label = [("outcome", outcome.name()), ("failure", failure)];
        self.refreshes.get_or_create(&label).inc();
    }

    /// Another minute begins.
    pub fn mark_minute(&self, now: f64) {
        self.spending.lock().mark(now, self.all.load(Ordering::Relaxed));
    }

    /// Refreshes per minute that were made lately.
    pub fn spending_per_minute(&self, now: f64) -> f64 {
        self.spending.lock().per_minute(now, self.all.load(Ordering::Relaxed))
    }

    /// In the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

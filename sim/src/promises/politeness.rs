//! What a node asks of sites.
//!
//! All instants here are true ones, except what a source is owed: a node counts that by its own clock, which may be
//! set while the node is down, so it is compared by that clock.

use std::collections::BTreeMap;
use std::sync::Arc;

use pergola_outside::locks::Mutex;

use super::Promises;

/// Rounding and the time that a request takes to be sent.
const SLACK: f64 = 0.01;
/// Seconds within which what was learnt from an answer is stored, even on a slow disk.
const STORED_WITHIN: f64 = 120.0;

/// What one node is held to.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Seconds between two requests to one site.
    pub spacing: f64,
    /// Seconds between two refreshes of one source.
    pub floor: f64,
    /// Requests per minute on average.
    pub budget: f64,
}

/// What one node does to sites.
pub struct Conduct {
    node: String,
    rules: Rules,
    promises: Promises,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
    life: u64,
    requests: u64,
    sites: BTreeMap<usize, Site>,
    sources: BTreeMap<usize, Source>,
}

#[derive(Default)]
struct Site {
    under_way: u32,
    started: Option<f64>,
    ended: Option<f64>,
}

#[derive(Default)]
struct Source {
    under_way: u32,
    owed: Option<Owed>,
}

/// A source is not to be asked before.
struct Owed {
    /// By the node's clock.
    until: f64,
    why: &'static str,
    /// When the node learnt of it.
    learnt: f64,
    /// The store refused to keep it: the node knows it for as long as it lives.
    refused: bool,
}

/// What an answer asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish {
    /// Nothing but the usual floor.
    Floor,
    /// Quiet for so many seconds.
    Quiet(f64),
    /// There was no answer.
    None,
}

/// A request under way. It ends when this is dropped.
pub struct Visit {
    conduct: Arc<Conduct>,
    life: u64,
    source: usize,
    site: usize,
}

impl Conduct {
    pub fn new(node: &str, rules: Rules, promises: Promises) -> Arc<Self> {
        let book = Mutex::default();
        Arc::new(Self { node: node.to_owned(), rules, promises, book })
    }

    /// The node begins a request to a source; `wall` is what its clock shows.
    pub fn begins(self: &Arc<Self>, source: usize, site: usize, now: f64, wall: f64) -> Visit {
        let Rules { spacing, .. } = self.rules;
        let mut book = self.book.lock();
        book.requests += 1;
        let mut wrong = Vec::new();
        let at_source = book.sources.entry(source).or_default();
        at_source.under_way += 1;
        if at_source.under_way > 1 {
            wrong.push(format!("asks source {source} twice at once"));
        }
        if let Some(owed) = at_source.owed.as_ref().filter(|owed| wall < owed.until - SLACK) {
            let early = owed.until - wall;
            wrong.push(format!("asks source {source} {early:.1} s too early ({})", owed.why));
        }
        let at_site = book.sites.entry(site).or_default();
        at_site.under_way += 1;
        if at_site.under_way > 1 {
            wrong.push(format!("sends site {site} two requests at once"));
        }
        for before in [at_site.started, at_site.ended].into_iter().flatten() {
            if now - before < spacing - SLACK {
                let rest = now - before;
                wrong.push(format!("leaves site {site} alone for {rest:.2} s, not {spacing} s"));
            }
        }
        at_site.started = Some(now);
        let life = book.life;
        drop(book);
        for wrong in wrong {
            self.promises.broken(format!("{} {wrong}", self.node));
        }
        Visit { conduct: Arc::clone(self), life, source, site }
    }

    /// The node asks another one.
    pub fn asks_a_peer(&self) {
        self.book.lock().requests += 1;
    }

    /// The node has died, and what it learnt since then (true time) may not be stored.
    pub fn died(&self, now: f64, unstored_since: Option<f64>) {
        let mut book = self.book.lock();
        book.life += 1;
        let forgotten = unstored_since.unwrap_or(now).min(now - STORED_WITHIN);
        for site in book.sites.values_mut() {
            site.under_way = 0;
        }
        for source in book.sources.values_mut() {
            source.under_way = 0;
            source.owed.take_if(|owed| owed.refused || owed.learnt >= forgotten);
        }
    }

    /// The store has refused everything since then (true time), and takes it again. What was learnt meanwhile is not
    /// stored later: the refresh counts as one that did not happen, although the node remembers when it was.
    pub fn refused_since(&self, since: f64) {
        for source in self.book.lock().sources.values_mut() {
            if let Some(owed) = source.owed.as_mut().filter(|owed| owed.learnt >= since) {
                owed.refused = true;
            }
        }
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.book.lock().requests
    }

    /// The run is over after so many seconds: was the budget kept?
    pub fn ends(&self, now: f64) {
        // A start may spend the budget of some minutes at once.
        let allowed = self.rules.budget * (now / 60.0 * 1.1 + 60.0);
        let requests = self.requests();
        if requests as f64 > allowed {
            let node = &self.node;
            self.promises.broken(format!("{node} sent {requests} requests, not {allowed:.0}"));
        }
    }
}

impl Visit {
    /// The answer is here; `wall` is what the node's clock shows.
    pub fn answered(self, now: f64, wall: f64, wish: Wish) {
        let mut book = self.conduct.book.lock();
        let source = book.sources.entry(self.source).or_default();
        let floor = self.conduct.rules.floor;
        let owed = |until, why| Owed { until, why, learnt: now, refused: false };
        source.owed = match wish {
            Wish::Floor => Some(owed(wall + floor, "the floor")),
            Wish::Quiet(time) => Some(owed(wall + time, "Retry-After")),
            Wish::None => None,
        };
        book.sites.entry(self.site).or_default().ended = Some(now);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut book = self.conduct.book.lock();
        if book.life != self.life {
            return;
        }
        if let Some(source) = book.sources.get_mut(&self.source) {
            source.under_way = source.under_way.saturating_sub(1);
        }
        if let Some(site) = book.sites.get_mut(&self.site) {
            site.under_way = site.under_way.saturating_sub(1);
        }
    }
}

//! The state of one source: what it has published, what it remembers, and how often it was requested.
//!
//! A desk has no timer. On each request it publishes everything that its process says should have appeared until
//! now, in order and with the instants at which it should have. So a source that nobody requests costs only its
//! memory. Time never goes back, and an item never changes.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use bytes::Bytes;

use super::source::{Headline, Source};
use crate::wording::{mix, mix_text};
use crate::{Item, Process, ProcessError, Publisher};

/// The longest past that a source is given before the opening, in seconds.
const LONGEST_PAST: f64 = 365.0 * 86_400.0;

/// Requests for a source, or for all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counters {
    /// With any answer.
    pub requests: u64,
    /// Answered with 304.
    pub not_modified: u64,
    /// Bytes of the bodies, as sent.
    pub bytes: u64,
}

/// The time of a request, and what holds for all sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    pub now: f64,
    pub opening: f64,
    /// How many items a source remembers at least.
    pub remember: usize,
    /// When the rates of all sources changed, and to which factor.
    pub rates: &'a [(f64, f64)],
}

/// Documents rendered since the last change.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    pub plain: Option<Bytes>,
    pub gzip: Option<Bytes>,
    /// Whether the source is in the queue of those that hold documents.
    pub queued: bool,
}

impl Rendered {
    pub(super) fn bytes(&self) -> usize {
        self.plain.as_ref().map_or(0, Bytes::len) + self.gzip.as_ref().map_or(0, Bytes::len)
    }
}

#[derive(Debug)]
pub(super) struct Desk {
    publisher: Publisher,
    /// The next item, drawn but not yet published.
    next: Option<Item>,
    /// The clock minus the time of the publisher.
    offset: f64,
    /// Remembered items, oldest first.
    log: VecDeque<Item>,
    /// Items published so far.
    published: u64,
    /// Items published before the opening; `None` until the first request.
    before_opening: Option<u64>,
    /// Items published by hand with words of their own.
    by_hand: BTreeMap<u64, Headline>,
    rates_seen: usize,
    latest: f64,
    /// A hash of everything published so far.
    fingerprint: u64,
    pub answering: bool,
    pub counters: Counters,
    pub rendered: Rendered,
}

impl Desk {
    /// The desk of a source; takes the source's process.
    pub(super) fn new(source: &mut Source, seed: u64, opening: f64) -> Result<Self, ProcessError> {
        let process = std::mem::replace(&mut source.process, Process::Constant { rate: 0.0 });
        let offset = match process {
            Process::Sequence(_) | Process::Recorded(_) => opening,
            _ => 0.0,
        };
        // Long enough to fill the window before the opening, like that of a real source.
        let past = match process {
            Process::Recorded(_) => f64::INFINITY,
            _ => (2.0 * source.window as f64 / process.mean_rate()).min(LONGEST_PAST),
        };
        let number = mix_text(&source.name);
        let mut publisher =
            Publisher::new(process, seed, number)?.with_profile(source.profile, source.item_share);
        publisher.restart(opening - offset - past, 1.0);
        Ok(Self {
            publisher,
            next: None,
            offset,
            log: VecDeque::new(),
            published: 0,
            before_opening: None,
            by_hand: BTreeMap::new(),
            rates_seen: 0,
            latest: opening,
            fingerprint: mix(mix(seed, number), opening.to_bits()),
            answering: true,
            counters: Counters::default(),
            rendered: Rendered::default(),
        })
    }

    /// Publishes everything that should have appeared until now. Returns whether there was anything.
    pub(super) fn catch_up(&mut self, source: &Source, moment: Moment<'_>) -> bool {
        let before = self.published;
        if self.before_opening.is_none() {
            self.next = self.publisher.next();
            self.publish_until(moment.opening, source.window);
            self.log.shrink_to_fit();
            self.before_opening = Some(self.published);
        }
        self.latest = self.latest.max(moment.now);
        let keep = source.window.max(moment.remember);
        for &(at, factor) in moment.rates.get(self.rates_seen..).unwrap_or_default() {
            self.publish_until(at, keep);
            self.publisher.restart(at - self.offset, factor);
            self.next = self.publisher.next();
            self.rates_seen += 1;
        }
        self.publish_until(self.latest, keep);
        self.published > before
    }

    /// Publishes items at once, with the next keywords or with words of their own.
    pub(super) fn publish_now(
        &mut self,
        source: &Source,
        moment: Moment<'_>,
        items: impl Iterator<Item = Option<Headline>>,
    ) -> Range<u64> {
        self.catch_up(source, moment);
        let first = self.published;
        for headline in items {
            let keywords = self.publisher.draw_keywords();
            if let Some(headline) = headline {
                self.fingerprint = mix(self.fingerprint, mix_text(&headline.title));
                self.by_hand.insert(self.published, headline);
            }
            self.push(Item { at: self.latest, keywords }, source.window.max(moment.remember));
        }
        first..self.published
    }

    fn publish_until(&mut self, now: f64, keep: usize) {
        while let Some(item) = self.next
            && item.at + self.offset <= now
        {
            self.push(Item { at: item.at + self.offset, ..item }, keep);
            self.next = self.publisher.next();
        }
    }

    fn push(&mut self, item: Item, keep: usize) {
        while self.log.len() >= keep {
            self.log.pop_front();
        }
        self.log.push_back(item);
        self.published += 1;
        let forgotten = self.forgotten();
        while self.by_hand.first_key_value().is_some_and(|(&number, _)| number < forgotten) {
            self.by_hand.pop_first();
        }
        let about = item.keywords.iter().fold(0, |sum, keyword| mix(sum, keyword as u64));
        self.fingerprint = mix(mix(self.fingerprint, item.at.to_bits()), about);
    }

    /// Items published so far.
    pub(super) fn published(&self) -> u64 {
        self.published
    }

    /// Items published before the newsroom opened.
    pub(super) fn before_opening(&self) -> u64 {
        self.before_opening.unwrap_or(0)
    }

    /// Items that are no longer remembered: numbers below this one.
    pub(super) fn forgotten(&self) -> u64 {
        self.published - self.log.len() as u64
    }

    /// Remembered items with numbers from `first` on, oldest first.
    pub(super) fn items_from(&self, first: u64) -> impl Iterator<Item = (u64, &Item)> {
        let forgotten = self.forgotten();
        let skip = first.saturating_sub(forgotten).min(self.log.len() as u64);
        let numbers = forgotten + skip..self.published;
        numbers.zip(self.log.range(skip as usize..))
    }

    /// The words given to an item by hand.
    pub(super) fn by_hand(&self, number: u64) -> Option<&Headline> {
        self.by_hand.get(&number)
    }

    /// When the newest item appeared.
    pub(super) fn newest(&self) -> Option<f64> {
        self.log.back().map(|item| item.at)
    }

    /// A hash of the state of the source.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

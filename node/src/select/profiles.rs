//! What sources and feeds are about: a profile of each, kept up with every refresh.
//!
//! One lock around all of it: the stage writes some tens of microseconds per refresh, and whoever searches
//! reads for less than a millisecond. Only titles and categories are read, so that upkeep stays small
//! beside fetching and parsing.
//!
//! Never: more sources than agreed (later ones have no profile); an item heard twice by one feed that
//! keeps only what is new; a row written from here.

use std::collections::{BTreeSet, HashMap};

use pergola_feed::Item;
use pergola_manners::decide::News;
use pergola_profile::{Bag, Channels, Novelty};
use pergola_store::archive::{FeedId, Fresh, ItemKey, ProfileRow, SourceId};

use crate::locks::{Mutex, MutexGuard};

/// Items in a profile.
const WINDOW: usize = 20;
/// What a source that never says anything new is worth beside one that always does.
const LEAST: f64 = 0.1;
/// Words that are told of what was found.
const TOLD: usize = 12;

/// A source or a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// A source.
    Source(SourceId),
    /// A feed.
    Feed(FeedId),
}

impl Channel {
    /// As one number: sources are even, feeds odd.
    fn number(self) -> u32 {
        match self {
            Self::Source(id) => id.0 << 1,
            Self::Feed(id) => id.0 << 1 | 1,
        }
    }

    fn of(number: u32) -> Self {
        match number & 1 {
            0 => Self::Source(SourceId(number >> 1)),
            _ => Self::Feed(FeedId(number >> 1)),
        }
    }
}

/// What a channel is about.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The channel.
    pub channel: Channel,
    /// How like it is to what was asked for, from 0 to 1.
    pub score: f64,
    /// Its heaviest words; pairs of them say nothing to people that the words do not.
    pub terms: Vec<(String, f64)>,
}

/// Profiles of sources and feeds.
pub struct Profiles {
    inner: Mutex<Inner>,
    /// Sources at most.
    most: usize,
    /// Whether a source counts less the less it says that is new.
    weigh: bool,
}

struct Inner {
    channels: Channels,
    fresh: HashMap<u32, Fresh>,
    /// Channels that have changed, or gone, since they were saved.
    changed: BTreeSet<u32>,
}

impl Default for Profiles {
    fn default() -> Self {
        Self::new(5_000, false)
    }
}

impl Profiles {
    /// No profiles yet; those of `most` sources will be kept. With `weigh`, novelty decides what they are worth.
    pub fn new(most: usize, weigh: bool) -> Self {
        let channels = Channels::new(WINDOW);
        let inner = Inner { channels, fresh: HashMap::new(), changed: BTreeSet::new() };
        Self { inner: Mutex::new(inner), most, weigh }
    }

    /// Takes over what was stored.
    pub fn restore(&self, rows: Vec<(u32, ProfileRow)>) {
        let mut inner = self.inner();
        for (number, row) in rows {
            if self.has_room(&inner, Channel::of(number)) {
                inner.channels.restore(number, &row.kept);
                inner.fresh.insert(number, row.fresh);
            }
        }
        inner.channels.settle();
    }

    /// At most `most` profiles that have changed, as they are to be stored; `None` for those that are gone.
    pub fn changed(&self, most: usize) -> Vec<(u32, Option<ProfileRow>)> {
        let mut inner = self.inner();
        let numbers: Vec<u32> = inner.changed.iter().copied().take(most).collect();
        for number in &numbers {
            inner.changed.remove(number);
        }
        let vocabulary = inner.channels.vocabulary();
        let row = |number: u32| {
            let kept = inner.channels.profile(number)?.keep(vocabulary);
            let fresh = inner.fresh.get(&number).copied().unwrap_or_default();
            Some(ProfileRow { kept, fresh })
        };
        numbers.into_iter().map(|number| (number, row(number))).collect()
    }

    /// A channel is gone.
    pub fn forget(&self, channel: Channel) {
        let mut inner = self.inner();
        let number = channel.number();
        inner.channels.remove(number);
        inner.fresh.remove(&number);
        inner.changed.insert(number);
    }

    pub(super) fn hear(
        &self,
        source: SourceId,
        news: &[News],
        wanted: &mut [Vec<FeedId>],
        novel: impl Fn(FeedId) -> Option<f64>,
        holds: impl Fn(FeedId, ItemKey) -> bool,
    ) {
        // Looked up before the lock is taken, and only for feeds that care.
        let mut held = Vec::new();
        for (number, (news, feeds)) in news.iter().zip(wanted.iter_mut()).enumerate() {
            feeds.retain(|&feed| {
                if novel(feed).is_none() {
                    return true;
                }
                if holds(feed, news.key) {
                    held.push((number, feed));
                    return true;
                }
                // An edit of what was left out stays out.
                !news.edited
            });
        }
        let new: Vec<usize> = (0..news.len()).filter(|&number| !news[number].edited).collect();
        if new.is_empty() {
            return;
        }
        let mut inner = self.inner();
        let to_source = self.has_room(&inner, Channel::Source(source));
        if !to_source && new.iter().all(|&number| wanted[number].is_empty()) {
            return;
        }
        let bags: Vec<Bag> = new.iter().map(|&number| bag(&news[number].item)).collect();
        if to_source {
            inner.hear(Channel::Source(source), &bags, Novelty::default());
        }
        let mut feeds: Vec<FeedId> =
            new.iter().flat_map(|&number| wanted[number].iter().copied()).collect();
        feeds.sort_unstable();
        feeds.dedup();
        for feed in feeds {
            let places: Vec<usize> = (0..new.len())
                .filter(|&n| wanted[new[n]].contains(&feed) && !held.contains(&(new[n], feed)))
                .collect();
            let own: Vec<Bag> = places.iter().map(|&n| bags[n].clone()).collect();
            let beta = novel(feed);
            let novelty = beta.map_or_else(Novelty::default, Novelty::new);
            let judged = inner.hear(Channel::Feed(feed), &own, novelty);
            if beta.is_some() {
                for (&n, _) in places.iter().zip(judged).filter(|(_, novel)| !novel) {
                    wanted[new[n]].retain(|other| *other != feed);
                }
            }
        }
    }

    pub(super) fn hear_first(&self, feed: FeedId, items: &[&Item], beta: Option<f64>) -> Vec<bool> {
        let bags: Vec<Bag> = items.iter().map(|item| bag(item)).collect();
        let novelty = beta.map_or_else(Novelty::default, Novelty::new);
        let judged = self.inner().hear(Channel::Feed(feed), &bags, novelty);
        if beta.is_some() { judged } else { vec![true; items.len()] }
    }

    /// The factor by which novelty changes what an item of a source is worth.
    pub(super) fn worth(&self, source: SourceId) -> f64 {
        if !self.weigh {
            return 1.0;
        }
        let fresh = self.inner().fresh.get(&Channel::Source(source).number()).copied();
        fresh.unwrap_or_default().share().max(LEAST)
    }

    /// The channels that a text is most about, best first.
    pub fn search(&self, text: &str, most: usize) -> Vec<About> {
        let inner = self.inner();
        inner.told(inner.channels.search(text, most))
    }

    /// The channels most like a feed, best first.
    pub fn similar(&self, feed: FeedId, most: usize) -> Vec<About> {
        let inner = self.inner();
        inner.told(inner.channels.similar(Channel::Feed(feed).number(), most))
    }

    /// The heaviest terms of a channel with their weights, and its cohesion; none if nothing was heard.
    pub fn about(&self, channel: Channel, most: usize) -> Option<(Vec<(String, f64)>, f64)> {
        let inner = self.inner();
        let profile = inner.channels.profile(channel.number())?;
        Some((inner.terms(channel.number(), most), profile.cohesion().mean()))
    }

    fn has_room(&self, inner: &Inner, channel: Channel) -> bool {
        match channel {
            Channel::Feed(_) => true,
            Channel::Source(_) => {
                self.most > 0
                    && (inner.channels.profile(channel.number()).is_some()
                        || inner.channels.len() < self.most)
            }
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

impl Inner {
    /// Takes in items, and says of each whether it was novel.
    fn hear(&mut self, channel: Channel, bags: &[Bag], novelty: Novelty) -> Vec<bool> {
        if bags.is_empty() {
            return Vec::new();
        }
        let number = channel.number();
        let heard = self.channels.add_all(number, bags);
        let judged: Vec<bool> = heard.iter().map(|heard| novelty.admits(heard)).collect();
        let fresh = self.fresh.entry(number).or_default();
        judged.iter().for_each(|novel| fresh.add(*novel));
        self.changed.insert(number);
        judged
    }

    fn told(&self, found: Vec<pergola_profile::Found>) -> Vec<About> {
        let about = |found: pergola_profile::Found| About {
            channel: Channel::of(found.channel),
            score: found.score,
            terms: self.words(found.channel, TOLD),
        };
        found.into_iter().map(about).collect()
    }

    fn words(&self, number: u32, most: usize) -> Vec<(String, f64)> {
        let mut terms = self.terms(number, 8 * most);
        terms.retain(|(text, _)| !text.contains(' '));
        terms.truncate(most);
        terms
    }

    fn terms(&self, number: u32, most: usize) -> Vec<(String, f64)> {
        let top = self.channels.profile(number).map(|p| p.top(most, self.channels.vocabulary()));
        let owned = |(text, weight): (&str, f64)| (text.to_owned(), weight);
        top.unwrap_or_default().into_iter().map(owned).collect()
    }
}

/// What an item is about, by its title and categories.
fn bag(item: &Item) -> Bag {
    let mut text = item.title.as_deref().unwrap_or_default().to_owned();
    for category in item.categories.iter().take(8) {
        text.push(' ');
        text.push_str(&category.term);
    }
    Bag::of(&text)
}

#[cfg(test)]
mod tests;

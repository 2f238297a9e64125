//! What sources and feeds are about: a profile of each, updated with every refresh.
//!
//! One lock around all of it: the stage holds it for some tens of microseconds per refresh, a search for less
//! than a millisecond. Only titles and categories are read, so updating costs little beside fetching and
//! parsing.
//!
//! Never: more sources than configured (later ones have no profile); an item counted twice by one feed with
//! NOVEL; a row written from here.

mod fresh;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use pergola_feed::Item;
use pergola_manners::decide::News;
use pergola_profile::{Bag, Channels, Found, Novelty};
use pergola_store::archive::{Channel, FeedId, ItemKey, ProfileRecord, SourceId};

use fresh::Fresh;

use pergola_outside::locks::{Mutex, MutexGuard};

/// Items in a profile.
const WINDOW: usize = 20;
/// What a source without anything novel is worth beside one that is always novel.
const LEAST: f64 = 0.1;
/// Words shown of each channel that a search finds.
const WORDS: usize = 12;

/// The number of a channel among the profiles: sources are even, feeds odd.
fn number_of(channel: Channel) -> u32 {
    match channel {
        Channel::Source(id) => id.0 << 1,
        Channel::Feed(id) => id.0 << 1 | 1,
    }
}

fn channel_of(number: u32) -> Channel {
    match number & 1 {
        0 => Channel::Source(SourceId(number >> 1)),
        _ => Channel::Feed(FeedId(number >> 1)),
    }
}

/// What a channel is about.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The channel.
    pub channel: Channel,
    /// How similar it is to what was searched for, from 0 to 1.
    pub score: f64,
    /// Its heaviest words, without pairs of words.
    pub terms: Vec<(String, f64)>,
}

/// Profiles of sources and feeds.
pub struct Profiles {
    inner: Mutex<Inner>,
    /// Sources at most.
    most: usize,
    /// Whether novelty changes what a source is worth.
    weigh: bool,
}

struct Inner {
    channels: Channels,
    fresh: HashMap<u32, Fresh>,
    /// Channels that have changed, or are gone, since they were saved.
    changed: BTreeSet<u32>,
}

impl Default for Profiles {
    fn default() -> Self {
        Self::new(5_000, false)
    }
}

impl Profiles {
    /// No profiles yet; there will be at most `most` of sources. With `weigh`, novelty changes what a source is
    /// worth.
    pub fn new(most: usize, weigh: bool) -> Self {
        let channels = Channels::new(WINDOW);
        let inner = Inner { channels, fresh: HashMap::new(), changed: BTreeSet::new() };
        Self { inner: Mutex::new(inner), most, weigh }
    }

    /// Takes over what was stored.
    pub fn restore(&self, stored: Vec<(Channel, ProfileRecord)>) {
        let mut inner = self.inner();
        for (channel, ProfileRecord { kept, seen, novel }) in stored {
            if self.has_room(&inner, channel) {
                inner.channels.restore(number_of(channel), &kept);
                inner.fresh.insert(number_of(channel), Fresh { seen, novel });
            }
        }
        inner.channels.settle();
    }

    /// At most `most` profiles that have changed, to be stored; `None` for those that are gone.
    pub fn changed(&self, most: usize) -> Vec<(Channel, Option<ProfileRecord>)> {
        let mut inner = self.inner();
        let numbers: Vec<u32> = inner.changed.iter().copied().take(most).collect();
        for number in &numbers {
            inner.changed.remove(number);
        }
        let vocabulary = inner.channels.vocabulary();
        let record = |number: u32| {
            let kept = inner.channels.profile(number)?.keep(vocabulary);
            let Fresh { seen, novel } = inner.fresh.get(&number).copied().unwrap_or_default();
            Some(ProfileRecord { kept, seen, novel })
        };
        numbers.into_iter().map(|number| (channel_of(number), record(number))).collect()
    }

    /// A channel is gone.
    pub fn forget(&self, channel: Channel) {
        let mut inner = self.inner();
        let number = number_of(channel);
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
        // Looked up before the lock is taken, and only for feeds with NOVEL.
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
                // An edit of an item that was left out is left out, too.
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
        let fresh = self.inner().fresh.get(&number_of(Channel::Source(source))).copied();
        fresh.unwrap_or_default().share().max(LEAST)
    }

    /// The channels that a text is most about, best first.
    pub fn search(&self, text: &str, most: usize) -> Vec<About> {
        let inner = self.inner();
        inner.describe(inner.channels.search(text, most))
    }

    /// The channels most similar to a feed, best first.
    pub fn similar(&self, feed: FeedId, most: usize) -> Vec<About> {
        let inner = self.inner();
        inner.describe(inner.channels.similar(number_of(Channel::Feed(feed)), most))
    }

    /// The heaviest terms of a channel with their weights, and its cohesion; `None` if it has no profile.
    pub fn about(&self, channel: Channel, most: usize) -> Option<(Vec<(String, f64)>, f64)> {
        let inner = self.inner();
        let profile = inner.channels.profile(number_of(channel))?;
        Some((inner.terms(number_of(channel), most), profile.cohesion().mean()))
    }

    fn has_room(&self, inner: &Inner, channel: Channel) -> bool {
        match channel {
            Channel::Feed(_) => true,
            Channel::Source(_) => {
                self.most > 0
                    && (inner.channels.profile(number_of(channel)).is_some()
                        || inner.channels.len() < self.most)
            }
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

impl Inner {
    /// Adds items to a profile, and says of each whether it was novel.
    fn hear(&mut self, channel: Channel, bags: &[Bag], novelty: Novelty) -> Vec<bool> {
        if bags.is_empty() {
            return Vec::new();
        }
        let number = number_of(channel);
        let heard = self.channels.add_all(number, bags);
        let judged: Vec<bool> = heard.iter().map(|heard| novelty.admits(heard)).collect();
        let fresh = self.fresh.entry(number).or_default();
        judged.iter().for_each(|novel| fresh.add(*novel));
        self.changed.insert(number);
        judged
    }

    fn describe(&self, found: Vec<Found>) -> Vec<About> {
        let about = |found: Found| About {
            channel: channel_of(found.channel),
            score: found.score,
            terms: self.words(found.channel, WORDS),
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

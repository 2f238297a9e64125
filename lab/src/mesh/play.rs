//! The play itself: events in the order of time, and what each leads to.
//!
//! A node decides, asks, and is answered; what is new to a feed is published there at that instant, and those
//! who watch it are told. Without delays, losses and outages a look is answered within the decision.
//!
//! Never: an item at a feed before it was at one of its inputs; an item twice in one feed; an event that
//! depends on anything but the seed and what came before.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pergola_newsroom::random_stream;
use pergola_refresh::collective::{Audience, Stand, shift};
use pergola_refresh::{Invalid, PlannedLook};
use rand::RngExt;
use rustc_hash::FxHashSet;

use super::cooperation::News;
use super::network::{TIMEOUT, Wires};
use super::node::{Node, Subscription, View};
use super::origins::{DRAWN, Origins};
use super::wiring::{Channel, Wiring};
use super::{CYCLE, Mesh, Settings};

/// Looks that are told of, as a node does.
const LOOKS_TOLD: usize = 16;
/// Looks as near to each other as this share of a decision are one.
const SAME_DECISION: f64 = 0.1;

/// A worth that has changed by a smaller share is weighed at the next look.
const NOTHING_NEW: f64 = 0.05;

/// What a feed holds, in the order it came.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) items: Vec<u32>,
    pub(super) at: Vec<f64>,
    /// Only where an item can come by two ways.
    known: Option<FxHashSet<u32>>,
    /// Feeds of the same node that read it.
    local: Vec<u32>,
    /// Subscriptions of other nodes: node and place.
    readers: Vec<(u32, u32)>,
    /// What has been told of the next looks, until something changes.
    plan: Option<Vec<PlannedLook>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Happening {
    /// A node decides, for the so-manieth time.
    Decision { node: u32, count: u64 },
    /// A request arrives.
    Request { node: u32, place: u32 },
    /// Its answer arrives.
    Answer { node: u32, place: u32, view: View },
    /// No answer will come any more.
    Failure { node: u32, place: u32 },
    /// A node hears that a feed has news.
    Notice { node: u32, place: u32 },
    /// The items of a feed arrive by themselves, up to a place in it.
    Delivery { node: u32, place: u32, end: u32 },
    /// A node is back.
    Return { node: u32 },
    /// Thresholds are noted down.
    Sample,
}

/// An event and its place in the order: by time, then as they were made.
struct Event(f64, u64, Happening);

impl Ord for Event {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

/// A mesh at work.
pub(super) struct Play<'a> {
    mesh: &'a Mesh,
    settings: &'a Settings<'a>,
    pub(super) origins: &'a Origins,
    pub(super) nodes: Vec<Node>,
    pub(super) shelves: Vec<Shelf>,
    audiences: Vec<Audience>,
    wires: Wires,
    queue: BinaryHeap<Reverse<Event>>,
    sequence: u64,
    /// Feeds that have changed in this event.
    changed: Vec<u32>,
    /// τ and budget of each node at each sample.
    pub(super) thresholds: Vec<Vec<f64>>,
    pub(super) budgets: Vec<Vec<f64>>,
    pub(super) events: u64,
    /// Source-cycles: subscriptions that decisions have weighed.
    pub(super) weighed: u64,
}

impl<'a> Play<'a> {
    pub(super) fn new(
        mesh: &'a Mesh,
        settings: &'a Settings<'a>,
        origins: &'a Origins,
        seed: u64,
    ) -> Result<Self, Invalid> {
        let wiring = &mesh.wiring;
        let mut subscriptions: Vec<Vec<Subscription>> =
            wiring.nodes.iter().map(|_| Vec::new()).collect();
        let mut shelves: Vec<Shelf> = wiring.feeds.iter().map(|_| Shelf::default()).collect();
        for (number, feed) in wiring.feeds.iter().enumerate() {
            let ways: usize = feed.inputs.len();
            let repeats =
                ways > 1 && feed.inputs.iter().any(|input| matches!(input, Channel::Feed(_)));
            shelves[number].known = repeats.then(FxHashSet::default);
            for &input in &feed.inputs {
                match input {
                    Channel::Feed(parent) if !wiring.is_looked_at(feed, input) => {
                        shelves[parent as usize].local.push(number as u32);
                        continue;
                    }
                    _ => (),
                }
                let all = &mut subscriptions[feed.node as usize];
                let place = all.iter().position(|other| other.channel == input);
                let place = place.unwrap_or_else(|| {
                    all.push(Subscription::new(input));
                    if let Channel::Feed(parent) = input {
                        let reader = (feed.node, all.len() as u32 - 1);
                        shelves[parent as usize].readers.push(reader);
                    }
                    all.len() - 1
                });
                all[place].feeds.push(number as u32);
            }
        }
        let counts: Vec<usize> = subscriptions.iter().map(Vec::len).collect();
        let budgets = settings.budgets(mesh, &counts);
        let mut random = random_stream(seed, DRAWN);
        let mut nodes = Vec::with_capacity(subscriptions.len());
        for (number, (subscriptions, budget)) in subscriptions.into_iter().zip(budgets).enumerate()
        {
            let drawn = random.random::<f64>();
            let moment = settings.moments.as_ref().map_or(drawn, |moments| moments[number]);
            nodes.push(Node::new(settings, subscriptions, budget, moment)?);
        }
        let audience = |(feed, &is_read): (&super::wiring::Feed, &bool)| {
            Audience::new(settings.readers_of(feed, is_read))
        };
        let mut play = Self {
            mesh,
            settings,
            origins,
            thresholds: vec![Vec::new(); nodes.len()],
            budgets: vec![Vec::new(); nodes.len()],
            nodes,
            shelves,
            audiences: wiring.feeds.iter().zip(&mesh.read).map(audience).collect(),
            wires: Wires::new(settings.network.clone(), seed),
            queue: BinaryHeap::new(),
            sequence: 0,
            changed: Vec::new(),
            events: origins.times.len() as u64,
            weighed: 0,
        };
        play.begin();
        Ok(play)
    }

    fn begin(&mut self) {
        for node in 0..self.nodes.len() {
            let at = self.nodes[node].phase * CYCLE;
            self.after(at, Happening::Decision { node: node as u32, count: 0 });
            if matches!(self.settings.cooperation.news, News::Watched | News::Pushed) {
                let Node { sources, subscriptions, .. } = &mut self.nodes[node];
                for (place, subscription) in subscriptions.iter().enumerate() {
                    if matches!(subscription.channel, Channel::Feed(_)) {
                        sources.hold(place, f64::INFINITY);
                    }
                }
            }
        }
        let returns: Vec<_> = self.wires.returns().collect();
        for (node, at) in returns {
            self.after(at, Happening::Return { node: node as u32 });
        }
        self.after(self.settings.sample_every() * CYCLE, Happening::Sample);
    }

    fn after(&mut self, at: f64, happening: Happening) {
        self.sequence += 1;
        self.queue.push(Reverse(Event(at, self.sequence, happening)));
    }

    /// Plays until the end.
    pub(super) fn run(&mut self) {
        let end = self.settings.cycles() as f64 * CYCLE;
        while let Some(Reverse(Event(now, _, happening))) = self.queue.pop() {
            if now > end {
                break;
            }
            self.events += 1;
            match happening {
                Happening::Decision { node, count } => self.decide(node, count, now),
                Happening::Request { node, place } => self.asked(node, place, now),
                Happening::Answer { node, place, view } => self.answered(node, place, view, now),
                Happening::Failure { node, place } => self.failed(node, place, now),
                Happening::Notice { node, place } => self.noticed(node, place, now),
                Happening::Delivery { node, place, end } => {
                    self.delivered(node, place, end as usize, now);
                }
                Happening::Return { node } => self.returned(node, now),
                Happening::Sample => self.sample(now),
            }
            self.tell(now);
        }
    }

    fn decide(&mut self, number: u32, count: u64, now: f64) {
        let node = &mut self.nodes[number as usize];
        let next = (count + 1) as f64 / self.settings.decisions as f64 + node.phase;
        self.after(next * CYCLE, Happening::Decision { node: number, count: count + 1 });
        if self.wires.away_until(number as usize, now).is_some() {
            return;
        }
        let node = &mut self.nodes[number as usize];
        self.weighed += node.subscriptions.len() as u64;
        if self.settings.cooperation.news == News::Counted {
            for place in 0..node.subscriptions.len() {
                let Subscription { channel: Channel::Feed(feed), seen: Some(seen), .. } =
                    node.subscriptions[place]
                else {
                    continue;
                };
                node.notice(place, &self.shelves[feed as usize].at[seen..], now);
            }
        }
        let chosen = node.choose(now);
        for place in chosen {
            self.ask(number, place as u32, now);
        }
        if self.settings.cooperation.hints {
            self.forget_plans(number);
        }
    }

    /// What was told of a node's looks no longer holds.
    fn forget_plans(&mut self, node: u32) {
        for subscription in &self.nodes[node as usize].subscriptions {
            for &feed in &subscription.feeds {
                self.shelves[feed as usize].plan = None;
            }
        }
    }

    fn subscription(&mut self, node: u32, place: u32) -> &mut Subscription {
        &mut self.nodes[node as usize].subscriptions[place as usize]
    }

    /// A node looks.
    fn ask(&mut self, node: u32, place: u32, now: f64) {
        let measured = now >= self.settings.warmup as f64 * CYCLE;
        self.events += 1;
        self.subscription(node, place).requests += u64::from(measured);
        if self.wires.is_ideal() {
            let view = self.view(node, place, now);
            self.answered(node, place, view, now);
            return;
        }
        let subscription = self.subscription(node, place);
        subscription.under_way = true;
        self.nodes[node as usize].sources.hold(place as usize, f64::INFINITY);
        if self.wires.loses() {
            self.after(now + TIMEOUT, Happening::Failure { node, place });
        } else {
            let delay = self.wires.delay();
            self.after(now + delay, Happening::Request { node, place });
        }
    }

    fn asked(&mut self, node: u32, place: u32, now: f64) {
        let channel = self.subscription(node, place).channel;
        let host = self.mesh.wiring.host(channel);
        if host.is_some_and(|host| self.wires.away_until(host as usize, now).is_some()) {
            self.after(now + TIMEOUT, Happening::Failure { node, place });
            return;
        }
        let view = self.view(node, place, now);
        let delay = self.wires.delay();
        self.after(now + delay, Happening::Answer { node, place, view });
    }

    /// What a look sees now.
    fn view(&self, node: u32, place: u32, now: f64) -> View {
        let subscription = &self.nodes[node as usize].subscriptions[place as usize];
        let (end, archive) = match subscription.channel {
            Channel::Source(source) => {
                let times = &self.origins.times[self.origins.items(source)];
                (times.partition_point(|&at| at <= now), false)
            }
            Channel::Feed(feed) => {
                (self.shelves[feed as usize].items.len(), self.settings.cooperation.archive)
            }
        };
        let window = self.settings.window_of(subscription.channel);
        subscription.view(end, window, archive, now)
    }

    fn answered(&mut self, number: u32, place: u32, view: View, now: f64) {
        if self.wires.away_until(number as usize, now).is_some() {
            self.failed(number, place, now);
            return;
        }
        let channel = self.subscription(number, place).channel;
        let pages = (view.end - view.from).div_ceil(self.settings.window_of(channel)).max(1);
        if pages > 1 {
            let measured = now >= self.settings.warmup as f64 * CYCLE;
            let more = if measured { pages as u64 - 1 } else { 0 };
            self.subscription(number, place).requests += more;
            self.nodes[number as usize].charge(pages - 1);
        }
        self.take(number, place, view.from, view.end, now);
        let node = &mut self.nodes[number as usize];
        node.learn(place as usize, &view);
        self.weigh(number, place, now);
        if let Channel::Feed(feed) = channel
            && self.settings.cooperation.hints
        {
            let plan = self.plan(feed, view.at);
            self.nodes[number as usize].sources.relay(place as usize, view.at, plan);
        }
        if !self.wires.is_ideal() {
            self.settled(number, place, f64::NEG_INFINITY, now);
            if self.settings.cooperation.hints {
                self.forget_plans(number);
            }
        }
    }

    /// A look is over; the next may be made at `again_at`.
    fn settled(&mut self, number: u32, place: u32, again_at: f64, now: f64) {
        let pulled = matches!(self.settings.cooperation.news, News::Pulled | News::Counted);
        let subscription = self.subscription(number, place);
        subscription.under_way = false;
        let again = std::mem::take(&mut subscription.again);
        if pulled || matches!(subscription.channel, Channel::Source(_)) {
            self.nodes[number as usize].sources.hold(place as usize, again_at);
        } else if again {
            self.after(now.max(again_at), Happening::Notice { node: number, place });
        }
    }

    fn failed(&mut self, number: u32, place: u32, now: f64) {
        let again_at = self.nodes[number as usize].give_up(place as usize, now);
        self.subscription(number, place).again = true;
        self.settled(number, place, again_at, now);
    }

    /// Gives items of a channel to the feeds that read it.
    fn take(&mut self, number: u32, place: u32, from: usize, end: usize, now: f64) {
        let subscription = &mut self.nodes[number as usize].subscriptions[place as usize];
        let origins = self.origins;
        let first = match subscription.channel {
            Channel::Source(source) => origins.items(source).start,
            Channel::Feed(_) => 0,
        };
        self.events += (end - from) as u64;
        for at in from..end {
            let item = match subscription.channel {
                Channel::Source(_) => (first + at) as u32,
                Channel::Feed(feed) => self.shelves[feed as usize].items[at],
            };
            for to in 0..subscription.feeds.len() {
                let feed = subscription.feeds[to];
                let put = put(
                    &mut self.shelves,
                    &self.mesh.wiring,
                    origins,
                    &mut self.changed,
                    feed,
                    item,
                    now,
                );
                if let Some(first) = put {
                    subscription.took(to, first);
                }
            }
        }
    }

    /// What an item of a subscription is worth: to the node's own feeds alone, or to everybody behind them, which
    /// is told upstream, and budget passes between the two.
    fn weigh(&mut self, number: u32, place: u32, now: f64) {
        let Some(collective) = &self.settings.collective else {
            self.nodes[number as usize].weigh(place as usize, false, |_| 1.0);
            return;
        };
        let audiences = &self.audiences;
        let worth = |feed: u32| match collective.worth {
            true => audiences[feed as usize].worth(),
            false => 1.0,
        };
        let node = &mut self.nodes[number as usize];
        let told = node.weigh(place as usize, collective.worth, worth);
        let Channel::Feed(feed) = node.subscriptions[place as usize].channel else { return };
        let met = std::mem::replace(&mut node.subscriptions[place as usize].met, now);
        if collective.worth {
            let reader = u64::from(number) << 32 | u64::from(place);
            self.told(feed, reader, told);
        }
        let cycles = ((now - met) / CYCLE).min(10.0);
        if collective.eagerness > 0.0 {
            let host = self.mesh.wiring.feeds[feed as usize].node as usize;
            let stand = |node: &Node| {
                let (budget, first) = node.budget();
                Stand { price: node.threshold(), budget, least: collective.least * first }
            };
            // A pair that reads each other by many feeds meets often: each time less passes.
            let links = self.mesh.links(number as usize, host) as f64;
            let eagerness = collective.eagerness * cycles / links;
            let passes =
                shift(&stand(&self.nodes[number as usize]), &stand(&self.nodes[host]), eagerness);
            self.nodes[number as usize].shift_budget(-passes);
            self.nodes[host].shift_budget(passes);
        }
    }

    /// A reader has told what an item of a feed is worth to it. What the feed is made of is weighed anew if that
    /// changes much: a relay that nobody seemed to read would never look, and never weigh anything again.
    fn told(&mut self, feed: u32, reader: u64, worth: f64) {
        let before = self.audiences[feed as usize].worth();
        self.audiences[feed as usize].tell(reader, worth);
        let after = self.audiences[feed as usize].worth();
        if (after - before).abs() <= NOTHING_NEW * before {
            return;
        }
        let node = &mut self.nodes[self.mesh.wiring.feeds[feed as usize].node as usize];
        for place in 0..node.subscriptions.len() {
            if node.subscriptions[place].feeds.contains(&feed) {
                let audiences = &self.audiences;
                node.weigh(place, true, |feed| audiences[feed as usize].worth());
            }
        }
    }

    /// When a feed may have news: just after the looks that its node plans.
    fn plan(&mut self, feed: u32, now: f64) -> Vec<PlannedLook> {
        if let Some(plan) = &self.shelves[feed as usize].plan {
            return plan.clone();
        }
        let number = self.mesh.wiring.feeds[feed as usize].node;
        let node = &mut self.nodes[number as usize];
        let mut looks: Vec<PlannedLook> = Vec::new();
        for place in 0..node.subscriptions.len() {
            if node.subscriptions[place].feeds.contains(&feed) {
                let share = node.subscriptions[place].share(feed, true);
                let planned = node.planned(place, now).into_iter();
                looks.extend(planned.map(|look| PlannedLook { items: share * look.items, ..look }));
            }
        }
        for &input in &self.mesh.wiring.feeds[feed as usize].inputs {
            if let Channel::Feed(parent) = input
                && self.mesh.wiring.host(input) == Some(number)
            {
                looks.extend(self.plan(parent, now));
            }
        }
        let takes = self.wires.round_trip();
        looks.iter_mut().for_each(|look| look.at += takes);
        looks.sort_by(|a, b| a.at.total_cmp(&b.at));
        let together = SAME_DECISION * CYCLE / self.settings.decisions as f64;
        looks.dedup_by(|next, kept| {
            let same = next.at - kept.at < together;
            kept.items += if same { next.items } else { 0.0 };
            same
        });
        looks.truncate(LOOKS_TOLD);
        self.shelves[feed as usize].plan = Some(looks.clone());
        looks
    }

    /// Tells those who watch of what has changed.
    fn tell(&mut self, now: f64) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let news = self.settings.cooperation.news;
        if matches!(news, News::Pulled | News::Counted) {
            return;
        }
        for feed in changed {
            let end = self.shelves[feed as usize].items.len() as u32;
            for reader in 0..self.shelves[feed as usize].readers.len() {
                let (node, place) = self.shelves[feed as usize].readers[reader];
                let delay = self.wires.delay();
                let happening = match news {
                    News::Pushed => Happening::Delivery { node, place, end },
                    _ => Happening::Notice { node, place },
                };
                self.after(now + delay, happening);
            }
        }
    }

    /// A node hears of news and looks at once.
    fn noticed(&mut self, node: u32, place: u32, now: f64) {
        if self.wires.away_until(node as usize, now).is_some() {
            return;
        }
        let subscription = self.subscription(node, place);
        if subscription.under_way {
            subscription.again = true;
            return;
        }
        self.nodes[node as usize].charge(1);
        self.ask(node, place, now);
        if self.settings.cooperation.hints {
            self.forget_plans(node);
        }
    }

    fn delivered(&mut self, node: u32, place: u32, end: usize, now: f64) {
        if self.wires.away_until(node as usize, now).is_some() {
            return;
        }
        let seen = self.subscription(node, place).seen.unwrap_or(0);
        if end > seen {
            self.take(node, place, seen, end, now);
            self.subscription(node, place).seen = Some(end);
        }
    }

    /// A node is back: it and those who read it hear how far the other has come.
    fn returned(&mut self, node: u32, now: f64) {
        let feeds = self.mesh.wiring.feeds.iter().enumerate();
        let own = feeds.filter(|(_, feed)| feed.node == node).map(|(number, _)| number as u32);
        let read = self.nodes[node as usize].subscriptions.iter().filter_map(|subscription| {
            match subscription.channel {
                Channel::Feed(feed) => Some(feed),
                Channel::Source(_) => None,
            }
        });
        let changed: Vec<u32> = own.chain(read).collect();
        self.changed.extend(changed);
        self.tell(now);
    }

    fn sample(&mut self, now: f64) {
        for (number, node) in self.nodes.iter().enumerate() {
            self.thresholds[number].push(node.threshold());
            self.budgets[number].push(node.budget().0);
        }
        self.after(now + self.settings.sample_every() * CYCLE, Happening::Sample);
    }
}

/// Puts an item into a feed and the feeds of the same node behind it. Nothing if it is not wanted, else whether
/// it was new.
fn put(
    shelves: &mut [Shelf],
    wiring: &Wiring,
    origins: &Origins,
    changed: &mut Vec<u32>,
    feed: u32,
    item: u32,
    now: f64,
) -> Option<bool> {
    if let Some(wants) = &wiring.feeds[feed as usize].wants {
        let source = origins.source(item);
        let topic = wiring.sources[source as usize].topics[origins.topics[item as usize] as usize];
        wants.binary_search(&topic).ok()?;
    }
    let shelf = &mut shelves[feed as usize];
    if let Some(known) = &mut shelf.known
        && !known.insert(item)
    {
        return Some(false);
    }
    shelf.items.push(item);
    shelf.at.push(now);
    if changed.last() != Some(&feed) {
        changed.push(feed);
    }
    for reader in 0..shelves[feed as usize].local.len() {
        let reader = shelves[feed as usize].local[reader];
        put(shelves, wiring, origins, changed, reader, item, now);
    }
    Some(true)
}

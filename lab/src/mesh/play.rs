//! The simulation: events in order of time, and what follows from each.
//!
//! A node decides, sends requests and receives answers. An item that is new to a feed is published there at that
//! instant, and the nodes that watch the feed are told. Without delays, losses and outages a refresh is answered
//! within the decision.
//!
//! Never: an item at a feed before it was at one of its inputs; an item twice in one feed; an event that
//! depends on anything but the seed and earlier events.

mod neighbours;

use pergola_newsroom::random_stream;
use pergola_refresh::Invalid;
use pergola_refresh::collective::Audience;
use rand::RngExt;
use rustc_hash::FxHashSet;

use super::cooperation::News;
use super::figures::{Record, Spent};
use super::network::{TIMEOUT, Wires};
use super::node::{Node, Subscription, View};
use super::origins::{DRAWN, Origins};
use super::queue::{Happening, Queue};
use super::shelf::{Shelf, put};
use super::wiring::{Channel, Feed, Wiring};
use super::{CYCLE, Mesh, Settings};

/// A mesh that is being played.
pub(super) struct Play<'a> {
    mesh: &'a Mesh,
    settings: &'a Settings<'a>,
    pub(super) origins: &'a Origins,
    pub(super) nodes: Vec<Node>,
    pub(super) shelves: Vec<Shelf>,
    audiences: Vec<Audience>,
    wires: Wires,
    queue: Queue,
    /// Feeds that this event has changed.
    changed: Vec<u32>,
    /// τ and budget of each node at each sample.
    pub(super) thresholds: Vec<Vec<f64>>,
    pub(super) budgets: Vec<Vec<f64>>,
    pub(super) events: u64,
    /// Subscriptions that decisions have considered: source-cycles.
    pub(super) weighed: u64,
}

impl<'a> Play<'a> {
    pub(super) fn new(
        mesh: &'a Mesh,
        settings: &'a Settings<'a>,
        origins: &'a Origins,
        seed: u64,
    ) -> Result<Self, Invalid> {
        let (subscriptions, shelves) = subscribe(&mesh.wiring);
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
        let audience =
            |(feed, &is_read): (&Feed, &bool)| Audience::new(settings.readers_of(feed, is_read));
        let mut play = Self {
            mesh,
            settings,
            origins,
            thresholds: vec![Vec::new(); nodes.len()],
            budgets: vec![Vec::new(); nodes.len()],
            nodes,
            shelves,
            audiences: mesh.wiring.feeds.iter().zip(&mesh.read).map(audience).collect(),
            wires: Wires::new(settings.network.clone(), seed),
            queue: Queue::default(),
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
        self.queue.push(at, happening);
    }

    /// What has happened so far.
    pub(super) fn record(&self) -> Record<'a> {
        let came = |shelf: &Shelf| {
            shelf.items.iter().copied().zip(shelf.at.iter().copied()).collect::<Vec<_>>()
        };
        let spent = |subscription: &Subscription| Spent {
            channel: subscription.channel,
            feeds: subscription.feeds.clone(),
            requests: subscription.requests,
        };
        let nodes = self.nodes.iter();
        Record {
            origins: self.origins,
            came: self.shelves.iter().map(came).collect(),
            spent: nodes.map(|node| node.subscriptions.iter().map(spent).collect()).collect(),
        }
    }

    /// Plays to the end.
    pub(super) fn run(&mut self) {
        let end = self.settings.cycles() as f64 * CYCLE;
        while let Some((now, happening)) = self.queue.pop() {
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

    fn subscription(&mut self, node: u32, place: u32) -> &mut Subscription {
        &mut self.nodes[node as usize].subscriptions[place as usize]
    }

    /// A node sends a request.
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

    /// What a refresh shows now.
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
        let page = self.settings.tuning.page.unwrap_or(self.settings.window_of(channel));
        let pages = (view.end - view.from).div_ceil(page).max(1);
        if pages > 1 {
            let measured = now >= self.settings.warmup as f64 * CYCLE;
            let more = if measured { pages as u64 - 1 } else { 0 };
            self.subscription(number, place).requests += more;
            self.nodes[number as usize].charge(pages - 1);
        }
        self.take(number, place, view.from, view.end, now);
        let dates = match self.settings.tuning.documents {
            true => self.dates(channel, &view),
            false => Vec::new(),
        };
        let node = &mut self.nodes[number as usize];
        node.learn(place as usize, &view, &dates);
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

    /// The dates of new items in a document: whole seconds, in order.
    fn dates(&self, channel: Channel, view: &View) -> Vec<f64> {
        let times = &self.origins.times;
        let date = |at: usize| match channel {
            Channel::Source(source) => times[self.origins.items(source).start + at],
            Channel::Feed(feed) => times[self.shelves[feed as usize].items[at] as usize],
        };
        let mut dates: Vec<f64> = (view.from..view.end).map(|at| date(at).floor()).collect();
        dates.sort_unstable_by(f64::total_cmp);
        dates
    }

    /// A refresh is over; the next may be made at `again_at`.
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
        let again_at = self.nodes[number as usize].back_off(place as usize, now);
        self.subscription(number, place).again = true;
        self.settled(number, place, again_at, now);
    }

    /// Passes items of a channel to the feeds that read it.
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

    /// A node hears of news and refreshes at once.
    fn noticed(&mut self, node: u32, place: u32, now: f64) {
        if self.wires.away_until(node as usize, now).is_some() {
            return;
        }
        let subscription = self.subscription(node, place);
        if subscription.under_way {
            subscription.again = true;
            return;
        }
        self.nodes[node as usize].charge_news();
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

    fn sample(&mut self, now: f64) {
        for (number, node) in self.nodes.iter().enumerate() {
            self.thresholds[number].push(node.threshold());
            self.budgets[number].push(node.budget());
        }
        self.after(now + self.settings.sample_every() * CYCLE, Happening::Sample);
    }
}

/// The subscriptions of every node, and the shelf of every feed with its readers.
fn subscribe(wiring: &Wiring) -> (Vec<Vec<Subscription>>, Vec<Shelf>) {
    let mut subscriptions: Vec<Vec<Subscription>> =
        wiring.nodes.iter().map(|_| Vec::new()).collect();
    let mut shelves: Vec<Shelf> = wiring.feeds.iter().map(|_| Shelf::default()).collect();
    for (number, feed) in wiring.feeds.iter().enumerate() {
        let reads_feeds = feed.inputs.iter().any(|input| matches!(input, Channel::Feed(_)));
        // An item can arrive twice only by two ways.
        let repeats = feed.inputs.len() > 1 && reads_feeds;
        shelves[number].known = repeats.then(FxHashSet::default);
        for &input in &feed.inputs {
            match input {
                Channel::Feed(parent) if !wiring.is_refreshed(feed, input) => {
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
    (subscriptions, shelves)
}

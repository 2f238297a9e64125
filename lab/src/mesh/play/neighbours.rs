//! What neighbours tell each other: their plans, news, and the worth of items; and how budget moves between them.

use pergola_refresh::PlannedRefresh;
use pergola_refresh::collective::shift;

use super::Play;
use crate::mesh::CYCLE;
use crate::mesh::cooperation::News;
use crate::mesh::queue::Happening;
use crate::mesh::wiring::Channel;

/// Planned refreshes that a node tells its readers.
const REFRESHES_TOLD: usize = 16;
/// Refreshes closer to each other than this share of a decision count as one.
const SAME_DECISION: f64 = 0.1;
/// A smaller change of worth waits for the next refresh.
const NOTHING_NEW: f64 = 0.05;

impl Play<'_> {
    /// The plans that a node has told are outdated.
    pub(super) fn forget_plans(&mut self, node: u32) {
        let subscriptions = &self.nodes[node as usize].subscriptions;
        let mut told: Vec<u32> =
            subscriptions.iter().flat_map(|subscription| &subscription.feeds).copied().collect();
        while let Some(feed) = told.pop() {
            let shelf = &mut self.shelves[feed as usize];
            shelf.plan = None;
            told.extend(&shelf.local);
        }
    }

    /// Updates the worth of an item of a subscription: to the feeds of the node alone, or to all their readers. In
    /// the latter case the upstream is told, and budget moves between the two nodes.
    pub(super) fn weigh(&mut self, number: u32, place: u32, now: f64) {
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
            // Nodes with many links exchange often, and a smaller part each time.
            let links = self.mesh.links(number as usize, host) as f64;
            let eagerness = collective.eagerness * cycles / links;
            let offer = |node: usize| self.nodes[node].offer(collective.least);
            let passes = shift(&offer(number as usize), &offer(host), eagerness);
            self.nodes[number as usize].shift_budget(-passes);
            self.nodes[host].shift_budget(passes);
        }
    }

    /// A reader has told what an item of a feed is worth to it. If that is a large change, the inputs of the feed
    /// get new weights at once: a relay that had no readers would never refresh, and so never update its weights.
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

    /// When a feed may have news: just after the refreshes that its node plans.
    pub(super) fn plan(&mut self, feed: u32, now: f64) -> Vec<PlannedRefresh> {
        if let Some(plan) = &self.shelves[feed as usize].plan {
            return plan.clone();
        }
        let number = self.mesh.wiring.feeds[feed as usize].node;
        let node = &mut self.nodes[number as usize];
        let mut refreshes: Vec<PlannedRefresh> = Vec::new();
        for place in 0..node.subscriptions.len() {
            if node.subscriptions[place].feeds.contains(&feed) {
                let share = node.subscriptions[place].share(feed, true);
                let planned = node.planned(place, now).into_iter();
                refreshes.extend(
                    planned
                        .map(|refresh| PlannedRefresh { items: share * refresh.items, ..refresh }),
                );
            }
        }
        for &input in &self.mesh.wiring.feeds[feed as usize].inputs {
            if let Channel::Feed(parent) = input
                && self.mesh.wiring.host(input) == Some(number)
            {
                refreshes.extend(self.plan(parent, now));
            }
        }
        let takes = self.wires.round_trip();
        refreshes.iter_mut().for_each(|refresh| refresh.at += takes);
        refreshes.sort_by(|a, b| a.at.total_cmp(&b.at));
        let together = SAME_DECISION * CYCLE / self.settings.decisions as f64;
        refreshes.dedup_by(|next, kept| {
            let same = next.at - kept.at < together;
            kept.items += if same { next.items } else { 0.0 };
            same
        });
        refreshes.truncate(REFRESHES_TOLD);
        self.shelves[feed as usize].plan = Some(refreshes.clone());
        refreshes
    }

    /// Tells the watchers of changed feeds.
    pub(super) fn tell(&mut self, now: f64) {
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

    /// A node is up again: it and its readers learn how far each other has come.
    pub(super) fn returned(&mut self, node: u32, now: f64) {
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
}

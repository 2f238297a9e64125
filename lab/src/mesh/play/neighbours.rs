//! What neighbours tell each other: plans, news, what items are worth, and budget that passes between them.

use pergola_refresh::PlannedRefresh;
use pergola_refresh::collective::shift;

use super::Play;
use crate::mesh::CYCLE;
use crate::mesh::cooperation::News;
use crate::mesh::queue::Happening;
use crate::mesh::wiring::Channel;

/// Looks that are told of, as a node does.
const LOOKS_TOLD: usize = 16;
/// Looks as near to each other as this share of a decision are one.
const SAME_DECISION: f64 = 0.1;
/// A worth that has changed by a smaller share is weighed at the next look.
const NOTHING_NEW: f64 = 0.05;

impl Play<'_> {
    /// What was told of a node's looks no longer holds.
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

    /// What an item of a subscription is worth: to the node's own feeds alone, or to everybody behind them, which
    /// is told upstream, and budget passes between the two.
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
            // A pair that reads each other by many feeds meets often: each time less passes.
            let links = self.mesh.links(number as usize, host) as f64;
            let eagerness = collective.eagerness * cycles / links;
            let stand = |node: usize| self.nodes[node].stand(collective.least);
            let passes = shift(&stand(number as usize), &stand(host), eagerness);
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
    pub(super) fn plan(&mut self, feed: u32, now: f64) -> Vec<PlannedRefresh> {
        if let Some(plan) = &self.shelves[feed as usize].plan {
            return plan.clone();
        }
        let number = self.mesh.wiring.feeds[feed as usize].node;
        let node = &mut self.nodes[number as usize];
        let mut looks: Vec<PlannedRefresh> = Vec::new();
        for place in 0..node.subscriptions.len() {
            if node.subscriptions[place].feeds.contains(&feed) {
                let share = node.subscriptions[place].share(feed, true);
                let planned = node.planned(place, now).into_iter();
                looks.extend(
                    planned.map(|look| PlannedRefresh { items: share * look.items, ..look }),
                );
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

    /// A node is back: it and those who read it hear how far the other has come.
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

//! Which feeds hold an item: two long sorted lists, and what has changed since they were sorted.

use std::collections::BTreeSet;

/// Changes that are gathered before the lists are sorted again, beside a part of their length.
const GATHERED: usize = 4096;

/// Which feeds hold an item.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The numbers of items, in order; one for each feed that holds the item.
    numbers: Vec<u64>,
    /// The feeds, in the same order.
    feeds: Vec<u32>,
    new: BTreeSet<(u64, u32)>,
    gone: BTreeSet<(u64, u32)>,
}

impl Index {
    /// The feeds that hold an item, lowest first.
    pub(crate) fn feeds(&self, number: u64) -> Vec<u32> {
        let from = self.numbers.partition_point(|other| *other < number);
        let same = self.numbers[from..].iter().take_while(|other| **other == number).count();
        let sorted = self.feeds[from..from + same].iter().copied();
        let mut feeds: Vec<u32> = match self.gone.is_empty() {
            true => sorted.collect(),
            false => sorted.filter(|feed| !self.gone.contains(&(number, *feed))).collect(),
        };
        if !self.new.is_empty() {
            let new = self.new.range((number, 0)..=(number, u32::MAX));
            feeds.extend(new.map(|(_, feed)| *feed));
            feeds.sort_unstable();
        }
        feeds
    }

    pub(crate) fn insert(&mut self, number: u64, feed: u32) {
        if !self.gone.remove(&(number, feed)) {
            self.new.insert((number, feed));
        }
        self.tidy();
    }

    pub(crate) fn remove(&mut self, number: u64, feed: u32) {
        if !self.new.remove(&(number, feed)) {
            self.gone.insert((number, feed));
        }
        self.tidy();
    }

    /// Adds many at once.
    pub(crate) fn extend(&mut self, mut many: Vec<(u64, u32)>) {
        many.sort_unstable();
        self.merge(many);
    }

    /// Removes many at once.
    pub(crate) fn remove_feeds(&mut self, gone: impl Fn(u32) -> bool) {
        self.merge(Vec::new());
        let mut kept = 0;
        for at in 0..self.numbers.len() {
            if !gone(self.feeds[at]) {
                (self.numbers[kept], self.feeds[kept]) = (self.numbers[at], self.feeds[at]);
                kept += 1;
            }
        }
        self.numbers.truncate(kept);
        self.feeds.truncate(kept);
        self.numbers.shrink_to_fit();
        self.feeds.shrink_to_fit();
    }

    /// Visits every item with the feeds that hold it.
    pub(crate) fn each(&mut self, mut visit: impl FnMut(u64, &[u32])) {
        self.merge(Vec::new());
        let mut from = 0;
        for same in self.numbers.chunk_by(|a, b| a == b) {
            visit(same[0], &self.feeds[from..from + same.len()]);
            from += same.len();
        }
    }

    fn tidy(&mut self) {
        if self.new.len() + self.gone.len() > GATHERED + self.numbers.len() / 16 {
            self.merge(Vec::new());
        }
    }

    /// Sorts everything into the lists, with more that is sorted already.
    fn merge(&mut self, more: Vec<(u64, u32)>) {
        if more.is_empty() && self.new.is_empty() && self.gone.is_empty() {
            return;
        }
        let mut added: Vec<(u64, u32)> = std::mem::take(&mut self.new).into_iter().collect();
        added.extend(more);
        added.sort_unstable();
        added.dedup();
        let gone = std::mem::take(&mut self.gone);
        let length = self.numbers.len() + added.len();
        let (mut numbers, mut feeds) = (Vec::with_capacity(length), Vec::with_capacity(length));
        let mut put = |(number, feed): (u64, u32)| {
            numbers.push(number);
            feeds.push(feed);
        };
        let mut added = added.into_iter().peekable();
        for own in self.numbers.iter().copied().zip(self.feeds.iter().copied()) {
            while let Some(before) = added.next_if(|new| *new < own) {
                put(before);
            }
            // What went and came again is there.
            let again = added.next_if_eq(&own).is_some();
            if again || gone.is_empty() || !gone.contains(&own) {
                put(own);
            }
        }
        added.for_each(put);
        numbers.shrink_to_fit();
        feeds.shrink_to_fit();
        (self.numbers, self.feeds) = (numbers, feeds);
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let changes = (self.new.len() + self.gone.len()) * 24;
        self.numbers.capacity() * 8 + self.feeds.capacity() * 4 + changes
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_says_what_a_plain_set_says(
            changes in prop::collection::vec((0..30u64, 0..5u32, 0..4u8), 0..300),
        ) {
            let (mut index, mut plain) = (Index::default(), BTreeSet::new());
            for (number, feed, kind) in changes {
                match kind {
                    0 | 1 => {
                        if plain.insert((number, feed)) {
                            index.insert(number, feed);
                        }
                    }
                    2 => {
                        if plain.remove(&(number, feed)) {
                            index.remove(number, feed);
                        }
                    }
                    _ if number < 3 => {
                        index.remove_feeds(|other| other == feed);
                        plain.retain(|(_, other)| *other != feed);
                    }
                    _ => {
                        let many: Vec<_> = (0..3).map(|n| (number + n, feed)).collect();
                        let many: Vec<_> = many.into_iter().filter(|new| plain.insert(*new)).collect();
                        index.extend(many);
                    }
                }
                for number in 0..33 {
                    let expected: Vec<u32> =
                        plain.iter().filter(|(own, _)| *own == number).map(|(_, feed)| *feed).collect();
                    prop_assert_eq!(index.feeds(number), expected);
                }
            }
        }
    }
}

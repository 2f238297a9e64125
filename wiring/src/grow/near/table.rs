//! A hash table of vertices, for keys that are random already.
//!
//! A general hash map touches two places in memory to find a key, this table nearly always one. In large
//! trees that saves about a tenth of the CPU time.

/// The most slots of ten that may be in use.
const USED_OF_TEN: usize = 7;

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// 0 if the slot is free. Only the root has 0 hops, and it is not stored.
    hops: u32,
    place: u32,
}

/// The best vertex for each key: the first one with the fewest hops.
#[derive(Default)]
pub(super) struct Table {
    /// Their number is a power of two, or 0.
    slots: Vec<Slot>,
    used: usize,
}

impl Table {
    /// Hops and place of the best vertex.
    pub(super) fn get(&self, key: u64) -> Option<(u32, u32)> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = &self.slots[self.find(key)];
        (slot.hops > 0).then_some((slot.hops, slot.place))
    }

    /// Stores a vertex if it is the first one of its key or has fewer hops. Hops are at least 1.
    pub(super) fn keep(&mut self, key: u64, hops: u32, place: u32) {
        if (self.used + 1) * 10 > self.slots.len() * USED_OF_TEN {
            self.grow();
        }
        let index = self.find(key);
        let slot = &mut self.slots[index];
        self.used += usize::from(slot.hops == 0);
        if slot.hops == 0 || hops < slot.hops {
            *slot = Slot { key, hops, place };
        }
    }

    /// The slot of a key, or the free slot where it belongs.
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut index = key as usize & mask;
        while self.slots[index].hops > 0 && self.slots[index].key != key {
            index = (index + 1) & mask;
        }
        index
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); (self.slots.len() * 2).max(16)];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.hops > 0 {
                let index = self.find(slot.key);
                self.slots[index] = slot;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_table_keeps_what_a_map_would(
            vertices in prop::collection::vec((0_u64..200, 1_u32..6), 0..600),
        ) {
            let (mut table, mut map) = (Table::default(), HashMap::new());
            for (place, &(key, hops)) in (0..).zip(&vertices) {
                // Some keys share a slot.
                let key = key % 150 + (key / 150) * 1024;
                table.keep(key, hops, place);
                let best = map.entry(key).or_insert((hops, place));
                if hops < best.0 {
                    *best = (hops, place);
                }
            }
            for key in 0..2048 {
                prop_assert_eq!(table.get(key), map.get(&key).copied());
            }
        }
    }
}

//! The rules that read one source.
//!
//! Few rules are stored as a list, many as a bitmap, so that the memory of a node with many sources and
//! queries grows with the actual readers and not with all pairs. Lookups always use a bitmap. Making
//! one from a list for each item must be cheap, so a bitmap may take up to four times the size of a
//! list.

/// A list contains at most one in this many rules.
const SPARSE: usize = 128;

/// A set of rule numbers.
#[derive(Debug)]
pub(super) enum Readers {
    /// Ordered.
    Few(Vec<u32>),
    /// One bit for each rule, and the number of set bits.
    Many(Vec<u64>, usize),
}

impl Default for Readers {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Readers {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(list) => list.is_empty(),
            Self::Many(_, count) => *count == 0,
        }
    }

    /// Adds a rule that is not in the set; there are `rules` rules.
    pub(super) fn insert(&mut self, rule: u32, rules: usize) {
        match self {
            Self::Few(list) => {
                list.insert(list.partition_point(|other| *other < rule), rule);
                if list.len() * SPARSE > rules.max(64 * SPARSE) {
                    let mut bits = Vec::new();
                    list.iter().for_each(|rule| set(&mut bits, *rule));
                    *self = Self::Many(bits, list.len());
                }
            }
            Self::Many(bits, count) => {
                set(bits, rule);
                *count += 1;
            }
        }
    }

    /// Removes a rule that is in the set.
    pub(super) fn remove(&mut self, rule: u32) {
        match self {
            Self::Few(list) => list.retain(|other| *other != rule),
            Self::Many(bits, count) => {
                bits[rule as usize / 64] &= !(1 << (rule % 64));
                *count -= 1;
                if *count * SPARSE * 2 < bits.len() * 64 {
                    let rules = (0..bits.len() as u32 * 64).filter(|rule| is_set(bits, *rule));
                    *self = Self::Few(rules.collect());
                }
            }
        }
    }

    /// Calls `ask` with the set as bits. `room` contains only zeros before and after.
    ///
    /// Copies even a bitmap: a sequential copy brings it into the cache at once, random access would
    /// fetch it line by line.
    pub(super) fn with_bits<T>(&self, room: &mut Vec<u64>, ask: impl FnOnce(&[u64]) -> T) -> T {
        match self {
            Self::Many(bits, _) => {
                room.clear();
                room.extend_from_slice(bits);
                let answer = ask(room);
                room.fill(0);
                answer
            }
            Self::Few(list) => {
                list.iter().for_each(|rule| set(room, *rule));
                let answer = ask(room);
                list.iter().for_each(|rule| room[*rule as usize / 64] = 0);
                answer
            }
        }
    }
}

/// Whether a rule is in a set given as bits.
#[inline]
pub(super) fn is_set(bits: &[u64], rule: u32) -> bool {
    bits.get(rule as usize / 64).is_some_and(|word| word >> (rule % 64) & 1 == 1)
}

fn set(bits: &mut Vec<u64>, rule: u32) {
    let at = rule as usize / 64;
    if bits.len() <= at {
        bits.resize(at + 1, 0);
    }
    bits[at] |= 1 << (rule % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(readers: &Readers) -> Vec<u32> {
        let mut room = Vec::new();
        let found = readers
            .with_bits(&mut room, |bits| (0..70_000).filter(|rule| is_set(bits, *rule)).collect());
        assert!(room.iter().all(|word| *word == 0));
        found
    }

    #[test]
    fn a_set_has_the_same_members_as_a_list_and_as_bits() {
        let mut readers = Readers::default();
        let all: Vec<u32> = (0..70_000).step_by(7).collect();
        for (index, rule) in all.iter().enumerate() {
            readers.insert(*rule, 70_000);
            let is_list = matches!(readers, Readers::Few(_));
            assert_eq!(is_list, (index + 1) * SPARSE <= 70_000);
        }
        assert_eq!(members(&readers), all);
        for rule in &all[20..] {
            readers.remove(*rule);
        }
        assert!(matches!(readers, Readers::Few(_)));
        assert_eq!(members(&readers), &all[..20]);
    }
}

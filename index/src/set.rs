//! Sets of documents of one segment, one bit for each.

/// A set of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
}

impl Set {
    /// No document of so many.
    pub(crate) fn none(documents: usize) -> Self {
        Self { words: vec![0; documents.div_ceil(64)] }
    }

    /// A document beyond the last one is ignored.
    pub(crate) fn insert(&mut self, document: u16) {
        let document = usize::from(document);
        if let Some(word) = self.words.get_mut(document / 64) {
            *word |= 1 << (document % 64);
        }
    }

    pub(crate) fn contains(&self, document: u16) -> bool {
        let document = usize::from(document);
        self.words.get(document / 64).is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn keep(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= other);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own |= other);
    }

    pub(crate) fn remove(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= !other);
    }

    /// The first document from this one on.
    pub(crate) fn next(&self, from: u16) -> Option<u16> {
        let from = usize::from(from);
        let mut place = from / 64;
        let mut word = self.words.get(place)? & (u64::MAX << (from % 64));
        while word == 0 {
            place += 1;
            word = *self.words.get(place)?;
        }
        u16::try_from(place * 64 + word.trailing_zeros() as usize).ok()
    }

    /// Adds the documents of a bitmap as [`Set::bitmap`] writes it.
    pub(crate) fn insert_bitmap(&mut self, bytes: &[u8]) {
        for (word, eight) in self.words.iter_mut().zip(bytes.chunks(8)) {
            let mut own = [0; 8];
            own[..eight.len()].copy_from_slice(eight);
            *word |= u64::from_le_bytes(own);
        }
    }

    /// One bit for each of so many documents.
    pub(crate) fn bitmap(&self, documents: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(documents.div_ceil(8));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(documents: &[u16]) -> Set {
        let mut set = Set::none(200);
        documents.iter().for_each(|document| set.insert(*document));
        set
    }

    fn all(set: &Set) -> Vec<u16> {
        let next = |from: Option<u16>| set.next(from?);
        std::iter::successors(next(Some(0)), |last| next(last.checked_add(1))).collect()
    }

    #[test]
    fn sets_are_cut_and_walked_through_in_order() {
        let mut set = of(&[0, 63, 64, 130, 199]);
        assert_eq!(all(&set), [0, 63, 64, 130, 199]);
        assert!(set.contains(64) && !set.contains(65) && !set.contains(u16::MAX));
        set.keep(&of(&[63, 64, 199, 5]));
        set.remove(&of(&[64]));
        assert_eq!(all(&set), [63, 199]);
        assert!(!set.is_empty() && Set::none(9).is_empty());
    }

    #[test]
    fn a_bitmap_is_read_as_it_was_written() {
        let set = of(&[1, 63, 64, 130, 196]);
        let bytes = set.bitmap(197);
        assert_eq!(bytes.len(), 25);
        let mut again = Set::none(200);
        again.insert_bitmap(&bytes);
        assert_eq!(again, set);
    }
}

//! How many items came somewhere, and how old they were.

use std::collections::VecDeque;

/// Ages that the median is taken of: the latest ones.
const AGES: usize = 500;

/// What came to one place.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) items: u64,
    /// Whether something came since somebody said otherwise.
    pub(super) lit: bool,
    ages: VecDeque<f64>,
}

impl Tally {
    /// An item has come, of this age if it says something.
    pub(super) fn count(&mut self, age: Option<f64>) {
        self.items += 1;
        self.lit = true;
        if let Some(age) = age {
            if self.ages.len() >= AGES {
                self.ages.pop_front();
            }
            self.ages.push_back(age);
        }
    }

    /// Half of the ages are no higher.
    pub(super) fn median(&self) -> Option<f64> {
        let mut ages: Vec<f64> = self.ages.iter().copied().collect();
        ages.sort_by(f64::total_cmp);
        ages.get(ages.len().saturating_sub(1) / 2).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_that_of_the_latest_ages() {
        let mut tally = Tally::default();
        assert_eq!(tally.median(), None);
        (0..500).for_each(|_| tally.count(Some(1.0)));
        tally.count(None);
        assert_eq!((tally.items, tally.median()), (501, Some(1.0)));
        (0..251).for_each(|_| tally.count(Some(7.0)));
        assert_eq!(tally.median(), Some(7.0));
    }
}

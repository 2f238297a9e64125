//! How many refreshes are made per minute, lately.

use std::collections::VecDeque;

const MINUTE: f64 = 60.0;
/// Minutes that count as lately.
const LATELY: usize = 10;

/// When there were how many refreshes: marked once a minute, for the last minutes.
#[derive(Debug, Default)]
pub(super) struct Spending {
    marks: VecDeque<(f64, u64)>,
}

impl Spending {
    /// There were so many refreshes by now.
    pub(super) fn mark(&mut self, now: f64, all: u64) {
        self.marks.push_back((now, all));
        if self.marks.len() > LATELY {
            self.marks.pop_front();
        }
    }

    /// Refreshes per minute since the oldest mark, but over one minute at least: a node that has just started has
    /// spent little, however quickly.
    pub(super) fn per_minute(&self, now: f64, all: u64) -> f64 {
        let Some((since, before)) = self.marks.front() else { return 0.0 };
        all.saturating_sub(*before) as f64 * MINUTE / (now - since).max(MINUTE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_minute_counts_as_a_whole_one() {
        let mut spending = Spending::default();
        assert_eq!(spending.per_minute(100.0, 7), 0.0);
        spending.mark(100.0, 0);
        assert_eq!(spending.per_minute(101.0, 7), 7.0);
        assert_eq!(spending.per_minute(220.0, 7), 3.5);
    }

    #[test]
    fn what_was_spent_ten_minutes_ago_is_forgotten() {
        let mut spending = Spending::default();
        for minute in 0..=60u32 {
            // A hundred at once, and two a minute from then on.
            spending.mark(f64::from(minute) * MINUTE, 100 + u64::from(minute) * 2);
        }
        assert!((spending.per_minute(3_600.0, 220) - 2.0).abs() < 1e-9);
        assert_eq!(spending.marks.len(), LATELY);
    }
}

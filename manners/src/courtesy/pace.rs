//! How busy a source has been of late, as evidence for refreshing more often.

/// How much of what is known survives a refresh.
const MEMORY: f64 = 0.75;

/// New items and the time they took, older refreshes counting less and less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    items: f64,
    seconds: f64,
    last_refresh: Option<f64>,
}

impl Pace {
    /// New items and seconds, both faded, and when it was last refreshed: what has to be stored.
    pub fn parts(&self) -> (f64, f64, Option<f64>) {
        (self.items, self.seconds, self.last_refresh)
    }

    /// The pace that has these parts.
    pub fn from_parts(items: f64, seconds: f64, last_refresh: Option<f64>) -> Self {
        Self { items, seconds, last_refresh }
    }

    /// A refresh that went well has found so many new items. What the first one finds is no evidence,
    /// because nobody knows how long it took.
    pub fn record(&mut self, new_items: u32, now: f64) {
        if let Some(last) = self.last_refresh {
            self.items = self.items * MEMORY + f64::from(new_items);
            self.seconds = self.seconds * MEMORY + (now - last).max(0.0);
        }
        self.last_refresh = Some(now);
    }

    /// At least two items, and at least one per `seconds`.
    pub fn is_quicker_than(&self, seconds: f64) -> bool {
        self.items >= 2.0 && self.items * seconds >= self.seconds
    }

    /// When it was last refreshed and answered well.
    pub fn last_refresh(&self) -> Option<f64> {
        self.last_refresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_refresh_proves_nothing_and_a_quiet_day_ends_it() {
        let mut pace = Pace::default();
        pace.record(50, 0.0);
        assert!(!pace.is_quicker_than(3_600.0));
        pace.record(3, 3_600.0);
        assert!(pace.is_quicker_than(3_600.0));
        pace.record(0, 90_000.0);
        assert!(!pace.is_quicker_than(3_600.0));
    }
}

//! How busy a source has been lately, as evidence for refreshing it more often.

/// The weight that a refresh keeps after the next one.
const MEMORY: f64 = 0.75;

/// New items and the time in which they came; older refreshes count less and less.
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

    /// A good refresh has found so many new items. The first one is no evidence, because it is not known in
    /// what time its items came.
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

    /// The last good refresh.
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

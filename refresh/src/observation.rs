//! The result of one refresh, from which the models learn.

use crate::time::DAY;

/// The result of one refresh of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation<'a> {
    /// When the source was refreshed.
    pub at: f64,
    /// The previous refresh; `None` for the first one.
    pub since: Option<f64>,
    /// Items that were not seen before.
    pub new_items: u32,
    /// All items in the document.
    pub window: u32,
    /// The document contains no known item, so that further items may have been missed.
    pub censored: bool,
    /// The dates of the new items, oldest first, if the document has them. They serve only to learn
    /// rates, never to decide what is new.
    pub dates: &'a [f64],
}

/// A count of items in an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    pub from: f64,
    pub to: f64,
    pub count: f64,
    /// There may have been more items than `count`.
    pub censored: bool,
}

impl Evidence {
    pub(crate) fn length(&self) -> f64 {
        self.to - self.from
    }
}

/// How much older than the last refresh the date of a new item may be.
const BACKDATED: f64 = DAY;

impl Observation<'_> {
    /// Whether the dates are plausible: one for each new item, in the past, not all equal, and none much
    /// older than the last refresh (such an item was changed or imported).
    pub fn dates_are_plausible(&self) -> bool {
        let (Some(&first), Some(&last)) = (self.dates.first(), self.dates.last()) else {
            return false;
        };
        self.dates.len() == self.new_items as usize
            && self.dates.iter().all(|date| date.is_finite())
            && self.dates.is_sorted()
            && last <= self.at
            && (self.dates.len() == 1 || first < last)
            && self.since.is_none_or(|since| first >= since - BACKDATED)
    }

    /// The observation as a count in an interval, without dates. `None` for the first refresh, or if no
    /// time has passed.
    pub(crate) fn undated(&self) -> Option<Evidence> {
        let from = self.since?;
        let sane = from.is_finite() && self.at.is_finite() && self.at > from;
        sane.then_some(Evidence {
            from,
            to: self.at,
            count: f64::from(self.new_items),
            censored: self.censored,
        })
    }

    /// The observation as a count in an interval, with dates if they help: a full window becomes an
    /// uncensored observation of the shorter interval since its oldest item, which is not counted.
    pub(crate) fn dated(&self) -> Option<Evidence> {
        let undated = self.undated();
        if undated.is_some_and(|evidence| !evidence.censored) || !self.dates_are_plausible() {
            return undated;
        }
        let from = self.dates[0];
        if self.at <= from {
            return undated;
        }
        let count = f64::from(self.new_items) - 1.0;
        Some(Evidence { from, to: self.at, count, censored: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full_window(dates: &[f64]) -> Observation<'_> {
        let new_items = dates.len() as u32;
        Observation { at: 100.0, since: Some(0.0), new_items, window: 3, censored: true, dates }
    }

    #[test]
    fn a_full_window_with_dates_is_an_uncensored_observation_of_a_shorter_interval() {
        let evidence = full_window(&[70.0, 80.0, 90.0]).dated().unwrap();
        assert_eq!(evidence, Evidence { from: 70.0, to: 100.0, count: 2.0, censored: false });
    }

    #[test]
    fn implausible_dates_are_ignored() {
        for dates in [&[50.0, 60.0, 101.0], &[50.0; 3], &[-90_000.0, 60.0, 70.0]] {
            assert!(!full_window(dates).dates_are_plausible(), "{dates:?}");
            assert!(full_window(dates).dated().unwrap().censored);
        }
        assert!(!full_window(&[f64::NAN, 2.0, 3.0]).dates_are_plausible());
    }

    #[test]
    fn a_first_refresh_says_nothing_without_dates() {
        let first = Observation { since: None, ..full_window(&[70.0, 80.0, 90.0]) };
        assert_eq!(first.undated(), None);
        assert_eq!(first.dated().unwrap().from, 70.0);
    }
}

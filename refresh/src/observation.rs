//! What one refresh taught: the only thing a model ever learns from.

use crate::DAY;

/// The outcome of one refresh of one source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation<'a> {
    /// When the source was refreshed.
    pub at: f64,
    /// When it was refreshed before; `None` for the first time.
    pub since: Option<f64>,
    /// Items that had not been seen before.
    pub new_items: u32,
    /// Items that the document showed in all.
    pub window: u32,
    /// No known item was left in the document: more may have been published than were seen.
    pub censored: bool,
    /// Publication instants of the new items, oldest first, where the document gives them. They are
    /// used for learning rates only, never to decide what is new.
    pub dates: &'a [f64],
}

/// A count over an interval, as a model can use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    pub from: f64,
    pub to: f64,
    pub count: f64,
    /// At least `count`: the window may have hidden more.
    pub censored: bool,
}

impl Evidence {
    pub(crate) fn length(&self) -> f64 {
        self.to - self.from
    }
}

/// How much older than the last refresh a new item's date may be before the dates are distrusted.
const BACKDATED: f64 = DAY;

impl Observation<'_> {
    /// Whether the dates can be believed: one for each new item, in the past, not all equal, and
    /// none much older than the last refresh (an old date on a new item is a re-dated or imported one).
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

    /// The observation as a count over an interval, without use of dates. `None` if it says nothing
    /// (the first look at a source, or no time has passed).
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

    /// The same with dates where they help: a full window is then an uncensored observation of the
    /// shorter interval since its oldest item (which starts the interval and is not counted).
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
    fn a_first_look_says_nothing_without_dates() {
        let first = Observation { since: None, ..full_window(&[70.0, 80.0, 90.0]) };
        assert_eq!(first.undated(), None);
        assert_eq!(first.dated().unwrap().from, 70.0);
    }
}

//! `skipHours` and `skipDays`: when a publisher does not want to be asked at all.

use pergola_feed::Hints;

const HOUR: f64 = 3_600.0;

/// The hours (UTC) and days in which nobody should ask, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuietTimes {
    hours: u32,
    days: u8,
}

impl QuietTimes {
    /// Takes them from a document. A list that excludes every hour or every day is ignored: it must mean
    /// something else.
    pub fn new(hints: &Hints) -> Self {
        let hours = hints.skip_hours.iter().filter(|hour| **hour < 24);
        let hours = hours.fold(0u32, |bits, hour| bits | 1 << hour);
        let days = hints.skip_days.iter().filter(|day| **day < 7);
        let days = days.fold(0u8, |bits, day| bits | 1 << day);
        Self {
            hours: if hours == 0xff_ffff { 0 } else { hours },
            days: if days == 0x7f { 0 } else { days },
        }
    }

    /// The hours and the days as bits: what has to be stored.
    pub fn bits(self) -> (u32, u8) {
        (self.hours, self.days)
    }

    /// The quiet times that have these bits; what is no hour and no day is left out.
    pub fn from_bits(hours: u32, days: u8) -> Self {
        Self { hours: hours & 0xff_ffff, days: days & 0x7f }
    }

    /// The hours of the day (UTC) in which nobody should ask.
    pub fn hours(self) -> impl Iterator<Item = u8> {
        (0..24).filter(move |hour| self.hours & (1 << hour) != 0)
    }

    /// The days in which nobody should ask; Monday is 0.
    pub fn days(self) -> impl Iterator<Item = u8> {
        (0..7).filter(move |day| self.days & (1 << day) != 0)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.hours == 0 && self.days == 0
    }

    /// The first instant from `at` on that is in no quiet time.
    pub fn first_free(self, at: f64) -> f64 {
        if self.is_empty() || !at.is_finite() {
            return at;
        }
        let hour = (at / HOUR).floor();
        // Some hour is free within a week and a day.
        let free =
            (0..8 * 24).map(|later| hour + f64::from(later)).find(|hour| self.is_free(*hour));
        match free {
            Some(free) if free > hour => free * HOUR,
            _ => at,
        }
    }

    /// Whether this hour, counted from the Unix epoch (a Thursday), is free.
    fn is_free(self, hour: f64) -> bool {
        let hour_of_day = hour.rem_euclid(24.0) as u32;
        let day_of_week = ((hour / 24.0).floor() + 3.0).rem_euclid(7.0) as u32;
        self.hours & (1 << hour_of_day) == 0 && self.days & (1 << day_of_week) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2023-11-14, a Tuesday, at 22:13:20 UTC.
    const TUESDAY_EVENING: f64 = 1_700_000_000.0;

    fn quiet(hours: &[u8], days: &[u8]) -> QuietTimes {
        QuietTimes::new(&Hints {
            skip_hours: hours.to_vec(),
            skip_days: days.to_vec(),
            ..Hints::default()
        })
    }

    #[test]
    fn a_quiet_hour_is_waited_for() {
        let midnight = 1_700_006_400.0;
        assert_eq!(quiet(&[22, 23], &[]).first_free(TUESDAY_EVENING), midnight);
        assert_eq!(quiet(&[21, 23], &[]).first_free(TUESDAY_EVENING), TUESDAY_EVENING);
    }

    #[test]
    fn a_quiet_day_is_waited_for() {
        let midnight = 1_700_006_400.0;
        assert_eq!(quiet(&[], &[1]).first_free(TUESDAY_EVENING), midnight);
        assert_eq!(quiet(&[0], &[1, 2]).first_free(TUESDAY_EVENING), midnight + 86_400.0 + HOUR);
        assert_eq!(quiet(&[], &[0, 2]).first_free(TUESDAY_EVENING), TUESDAY_EVENING);
    }

    #[test]
    fn whoever_excludes_all_of_a_day_or_week_excludes_nothing() {
        let every_hour: Vec<u8> = (0..24).collect();
        assert!(quiet(&every_hour, &[0, 1, 2, 3, 4, 5, 6]).is_empty());
    }
}

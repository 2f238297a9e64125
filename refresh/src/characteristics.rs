//! Characterises a source: how busy it is, how regular, and its daily rhythm.

use serde::Serialize;

use crate::time::{DAY, HOUR};

/// Classes of sources by items per day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Activity {
    /// Fewer than one.
    #[serde(rename = "lt1")]
    Slow,
    /// One to ten.
    #[serde(rename = "1-10")]
    Moderate,
    /// Ten to forty-eight.
    #[serde(rename = "10-48")]
    Productive,
    /// More than forty-eight.
    #[serde(rename = "gt48")]
    Busy,
}

impl Activity {
    /// From slow to busy.
    pub const ALL: [Self; 4] = [Self::Slow, Self::Moderate, Self::Productive, Self::Busy];

    pub fn of(items_per_day: f64) -> Self {
        match items_per_day {
            rate if rate < 1.0 => Self::Slow,
            rate if rate < 10.0 => Self::Moderate,
            rate if rate <= 48.0 => Self::Productive,
            _ => Self::Busy,
        }
    }

    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slow => "lt1",
            Self::Moderate => "1-10",
            Self::Productive => "10-48",
            Self::Busy => "gt48",
        }
    }
}

/// The daily rhythm of a source, as in "Online Change Estimation Models for Dynamic Web Resources".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rhythm {
    /// Very busy hours and silent ones, nothing in between: robots.
    Peaks,
    /// The same at every hour: aggregators of news from all over the world.
    Uniform,
    /// Busy days and quiet nights: people.
    Waves,
}

impl Rhythm {
    pub const ALL: [Self; 3] = [Self::Peaks, Self::Uniform, Self::Waves];

    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Peaks => "peaks",
            Self::Uniform => "uniform",
            Self::Waves => "waves",
        }
    }

    /// The rhythm of a table of hourly rates. Hours with at least 1.5 times the mean rate are high, hours
    /// below half of it negligible. `majority` is the share of hours that must agree (1 for all).
    pub fn of(rates: &[f64], majority: f64) -> Self {
        let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
        let extreme =
            rates.iter().filter(|&&rate| rate >= HIGH * mean || rate < NEGLIGIBLE * mean).count();
        let share = extreme as f64 / rates.len().max(1) as f64;
        if share >= majority {
            Self::Peaks
        } else if share <= 1.0 - majority {
            Self::Uniform
        } else {
            Self::Waves
        }
    }
}

const HIGH: f64 = 1.5;
const NEGLIGIBLE: f64 = 0.5;

/// The characteristics of a source, from its past items.
#[derive(Debug, Clone, PartialEq)]
pub struct Characteristics {
    pub items_per_day: f64,
    pub activity: Activity,
    /// The mean, over the hours with items, of deviation over mean: small means regular. `None` without
    /// items.
    pub variation: Option<f64>,
    /// The daily rhythm if all hours must agree.
    pub shape: Rhythm,
    /// The daily rhythm if four in five hours must agree.
    pub shape_by_majority: Rhythm,
    /// Mean items in each hour of the day.
    pub hourly: [f64; 24],
}

impl Characteristics {
    /// Characterises items at `times` (in seconds) within the first `days` days.
    pub fn of(times: &[f64], days: usize) -> Self {
        let days = days.max(1);
        let mut counts = vec![[0u32; 24]; days];
        for &time in times {
            let day = (time / DAY) as usize;
            if time >= 0.0 && day < days {
                counts[day][((time % DAY) / HOUR) as usize % 24] += 1;
            }
        }
        let over_days = |hour: usize, f: &dyn Fn(f64) -> f64| {
            counts.iter().map(|day| f(f64::from(day[hour]))).sum::<f64>() / days as f64
        };
        let hourly: [f64; 24] = std::array::from_fn(|hour| over_days(hour, &|count| count));
        let ratios: Vec<f64> = (0..24)
            .filter(|&hour| hourly[hour] > 0.0)
            .map(|hour| {
                let mean = hourly[hour];
                over_days(hour, &|count| (count - mean).powi(2)).sqrt() / mean
            })
            .collect();
        let variation =
            (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64);
        let items_per_day = hourly.iter().sum();
        Self {
            items_per_day,
            activity: Activity::of(items_per_day),
            variation,
            shape: Rhythm::of(&hourly, 1.0),
            shape_by_majority: Rhythm::of(&hourly, 0.8),
            hourly,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rhythms_follow_the_heuristic() {
        let mut peaks = [0.0; 24];
        peaks[6] = 4.0;
        peaks[18] = 4.0;
        assert_eq!(Rhythm::of(&peaks, 1.0), Rhythm::Peaks);
        assert_eq!(Rhythm::of(&[3.0; 24], 1.0), Rhythm::Uniform);
        let mut waves = [1.0; 24];
        waves[..8].fill(0.1);
        waves[12..16].fill(2.0);
        assert_eq!(Rhythm::of(&waves, 1.0), Rhythm::Waves);
    }

    #[test]
    fn a_robot_with_one_item_each_morning_is_peaked_and_perfectly_regular() {
        let times: Vec<f64> = (0..14).map(|day| f64::from(day) * DAY + 6.5 * HOUR).collect();
        let found = Characteristics::of(&times, 14);
        assert_eq!(found.items_per_day, 1.0);
        assert_eq!(found.activity, Activity::Moderate);
        assert_eq!(found.shape, Rhythm::Peaks);
        assert_eq!(found.variation, Some(0.0));
    }

    #[test]
    fn variation_is_averaged_over_hours_that_have_items_only() {
        // One item in hour 3 on one of two days: mean ½, deviation ½, ratio 1.
        let found = Characteristics::of(&[3.2 * HOUR], 2);
        assert_eq!(found.variation, Some(1.0));
        assert_eq!(Characteristics::of(&[], 2).variation, None);
    }

    #[test]
    fn the_classes_meet_at_one_ten_and_forty_eight() {
        let classes = [0.9, 1.0, 9.9, 10.0, 48.0, 48.1].map(Activity::of);
        use Activity::{Busy, Moderate, Productive, Slow};
        assert_eq!(classes, [Slow, Moderate, Moderate, Productive, Productive, Busy]);
    }
}

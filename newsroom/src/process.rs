//! When a source publishes: the random processes, and recorded times.

use pergola_refresh::DAY;
pub use pergola_refresh::characteristics::Rhythm;

/// The rates of the 24 hours of a day, with a mean of one. `shift` moves the day by whole hours.
pub fn hourly_rates(rhythm: Rhythm, shift: usize) -> [f64; 24] {
    let raw: [f64; 24] = std::array::from_fn(|hour| match rhythm {
        // Busy for one hour in four and silent otherwise.
        Rhythm::Peaks => f64::from(u8::from(hour % 4 == 0)),
        Rhythm::Uniform => 1.0,
        // A cosine with its height in the early afternoon; nights keep a tenth of the mean.
        Rhythm::Waves => {
            let angle = (hour as f64 - 14.0) / 24.0 * std::f64::consts::TAU;
            (0.1 + angle.cos().max(-1.0) + 1.0).powi(2)
        }
    });
    let mean = raw.iter().sum::<f64>() / 24.0;
    std::array::from_fn(|hour| raw[(hour + 24 - shift % 24) % 24] / mean)
}

/// When items appear. Rates are items per second.
#[derive(Debug, Clone, PartialEq)]
pub enum Process {
    /// A Poisson process with a constant rate.
    Constant { rate: f64 },
    /// A Poisson process whose rate repeats: equal slots over a period in seconds.
    Periodic { rates: Vec<f64>, period: f64 },
    /// Bursts of items at a constant rate.
    Bursts {
        /// Bursts per second.
        rate: f64,
        /// Mean number of items in a burst (at least one).
        size: f64,
        /// Seconds over which the items of a burst spread.
        spread: f64,
    },
    /// One process after another, each for a number of seconds; the last goes on.
    Sequence(Vec<(f64, Process)>),
    /// Recorded instants.
    Recorded(Vec<f64>),
}

/// Why a process is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProcessError {
    /// A number that is negative, infinite or not a number.
    #[error("{what} is {given}, but must be {allowed}")]
    Number { what: &'static str, given: f64, allowed: &'static str },
    /// A periodic process without slots, or a sequence without parts.
    #[error("{0} is empty, but needs at least one part")]
    Empty(&'static str),
    /// Recorded times that go back.
    #[error("recorded times go back at item {index}: {before} is followed by {after}")]
    OutOfOrder { index: usize, before: f64, after: f64 },
}

impl Process {
    /// A source with a daily rhythm and so many items a day, its hours shifted by `shift`.
    pub fn daily(rhythm: Rhythm, items_per_day: f64, shift: usize) -> Self {
        let rate = |hour: &f64| hour * items_per_day / DAY;
        let rates = hourly_rates(rhythm, shift).iter().map(rate).collect();
        Self::Periodic { rates, period: DAY }
    }

    /// Checks every number.
    pub fn check(&self) -> Result<(), ProcessError> {
        let rate = |value: f64| number("publication rate", value, value >= 0.0, "at least 0");
        let length = |what, value: f64| number(what, value, value > 0.0, "above 0");
        match self {
            Self::Constant { rate: value } => rate(*value),
            Self::Periodic { rates, period } => {
                if rates.is_empty() {
                    return Err(ProcessError::Empty("the table of rates"));
                }
                length("period", *period)?;
                rates.iter().try_for_each(|&value| rate(value))
            }
            Self::Bursts { rate: value, size, spread } => {
                rate(*value)?;
                number("burst size", *size, *size >= 1.0, "at least 1")?;
                number("burst spread", *spread, *spread >= 0.0, "at least 0")
            }
            Self::Sequence(parts) => {
                if parts.is_empty() {
                    return Err(ProcessError::Empty("the sequence of processes"));
                }
                parts.iter().try_for_each(|(time, process)| {
                    length("duration", *time)?;
                    process.check()
                })
            }
            Self::Recorded(times) => {
                for (index, pair) in times.windows(2).enumerate() {
                    let (before, after) = (pair[0], pair[1]);
                    if before > after {
                        return Err(ProcessError::OutOfOrder { index: index + 1, before, after });
                    }
                }
                times.iter().try_for_each(|&time| {
                    number("recorded time", time, time.is_finite(), "a number of seconds")
                })
            }
        }
    }

    /// Mean items per second: of the first part of a sequence; of recorded times over their span.
    pub fn mean_rate(&self) -> f64 {
        match self {
            Self::Periodic { rates, .. } => rates.iter().sum::<f64>() / rates.len().max(1) as f64,
            Self::Sequence(parts) => parts.first().map_or(0.0, |(_, part)| part.mean_rate()),
            _ => self.rate_at(0.0),
        }
    }

    /// The rate at an instant, items per second; recorded times have their mean rate.
    pub fn rate_at(&self, instant: f64) -> f64 {
        match self {
            Self::Constant { rate } => *rate,
            Self::Periodic { rates, period } => {
                let slot = instant.rem_euclid(*period) / period * rates.len() as f64;
                rates[(slot as usize).min(rates.len() - 1)]
            }
            Self::Bursts { rate, size, .. } => rate * size,
            Self::Sequence(parts) => {
                let (start, process) = part_at(parts, instant);
                process.rate_at(instant - start)
            }
            Self::Recorded(times) => {
                let span = times.last().copied().unwrap_or(0.0);
                if span > 0.0 { times.len() as f64 / span } else { 0.0 }
            }
        }
    }
}

/// The part of a sequence at an instant, and when it began.
pub(crate) fn part_at(parts: &[(f64, Process)], instant: f64) -> (f64, &Process) {
    let mut start = 0.0;
    for (duration, process) in &parts[..parts.len() - 1] {
        if instant < start + duration {
            return (start, process);
        }
        start += duration;
    }
    (start, &parts[parts.len() - 1].1)
}

fn number(
    what: &'static str,
    given: f64,
    ok: bool,
    allowed: &'static str,
) -> Result<(), ProcessError> {
    if ok && given.is_finite() {
        Ok(())
    } else {
        Err(ProcessError::Number { what, given, allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rhythm_has_a_mean_of_one_and_waves_have_a_quiet_night() {
        for rhythm in Rhythm::ALL {
            let mean = hourly_rates(rhythm, 5).iter().sum::<f64>() / 24.0;
            assert!((mean - 1.0).abs() < 1e-12, "{}", rhythm.name());
        }
        let waves = hourly_rates(Rhythm::Waves, 0);
        assert!(waves[2] < 0.1 && waves[14] > 2.0, "{waves:?}");
        assert_eq!(hourly_rates(Rhythm::Waves, 3)[17], waves[14]);
    }

    #[test]
    fn impossible_processes_are_refused_by_name() {
        let wrong = Process::Constant { rate: -1.0 }.check().unwrap_err();
        assert_eq!(wrong.to_string(), "publication rate is -1, but must be at least 0");
        assert!(Process::Constant { rate: f64::NAN }.check().is_err());
        assert!(Process::Sequence(vec![]).check().is_err());
        let wrong = Process::Recorded(vec![1.0, 5.0, 4.0]).check().unwrap_err();
        assert_eq!(wrong.to_string(), "recorded times go back at item 2: 5 is followed by 4");
    }

    #[test]
    fn a_sequence_changes_its_rate_when_a_part_ends() {
        let parts = [1.0, 2.0, 3.0].map(|rate| (10.0, Process::Constant { rate }));
        let process = Process::Sequence(parts.to_vec());
        let rates = [0.0, 9.9, 10.0, 25.0, 1e6].map(|at| process.rate_at(at));
        assert_eq!(rates, [1.0, 1.0, 2.0, 3.0, 3.0]);
    }
}

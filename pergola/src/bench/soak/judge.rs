//! Whether the samples are those of a node that could go on for ever.

use pergola_store::Backend;
use serde::Serialize;

use super::sample::{Sample, Tables};

/// How much memory, descriptors and τ may differ from the second third to the last.
const FLAT: f64 = 0.05;
/// Bytes on the disk for each byte that is stored, at most, beside those that the engine does not use again.
const DISK: f64 = 2.0;
/// Requests for each that the budget allows, at most: redirects and refreshes that somebody asked for are free.
const SPENT: f64 = 1.05;
/// Parts of a third whose means show how much τ varies. At 600 times real time and an hour they are days.
const PARTS: usize = 8;

/// Means over a third of the samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Third {
    /// Resident bytes of the node.
    pub resident: f64,
    /// Its open descriptors.
    pub descriptors: f64,
    /// Bytes of its data folder on the disk.
    pub disk: f64,
    /// Bytes of all keys and values.
    pub live: f64,
    /// The same by table.
    pub tables: Tables,
    /// The most that the disk held for each byte stored.
    pub worst_ratio: f64,
    /// The threshold τ.
    pub threshold: f64,
    /// The standard deviation of the means of its eighths.
    pub threshold_spread: f64,
    /// Requests that the sources got, per minute of the node's time.
    pub requests_per_minute: f64,
    /// The share of a processor that the node used.
    pub cpu: f64,
}

/// Something that must hold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condition {
    /// In words.
    pub what: &'static str,
    /// What was measured.
    pub measured: f64,
    /// What it may be at most.
    pub at_most: f64,
    /// Whether it holds.
    pub met: bool,
}

impl Condition {
    pub(super) fn at_most(what: &'static str, measured: f64, at_most: f64) -> Self {
        Self { what, measured, at_most, met: measured <= at_most }
    }
}

/// The thirds of a run.
pub(super) fn thirds(samples: &[Sample]) -> [Third; 3] {
    let third = samples.len() / 3;
    [0, 1, 2].map(|number| {
        let from = number * third;
        let to = if number == 2 { samples.len() } else { from + third };
        Third::of(&samples[from..to])
    })
}

impl Third {
    fn of(samples: &[Sample]) -> Self {
        let over = |figure: fn(&Sample) -> f64| mean(samples.iter().map(figure));
        let rate = |figure: fn(&Sample) -> f64, unit: fn(&Sample) -> f64| match samples {
            [first, .., last] => (figure(last) - figure(first)) / (unit(last) - unit(first)),
            _ => 0.0,
        };
        let part = samples.len().div_ceil(PARTS).max(1);
        let parts = samples.chunks(part).map(|some| mean(some.iter().map(|s| s.threshold)));
        let ratios = samples.iter().map(|s| s.disk as f64 / s.live as f64);
        Self {
            resident: over(|s| s.resident as f64),
            descriptors: over(|s| s.descriptors as f64),
            disk: over(|s| s.disk as f64),
            live: over(|s| s.live as f64),
            tables: Tables(std::array::from_fn(|table| {
                mean(samples.iter().map(|s| s.tables.0[table] as f64)) as u64
            })),
            worst_ratio: ratios.fold(0.0, f64::max),
            threshold: over(|s| s.threshold),
            threshold_spread: deviation(&parts.collect::<Vec<_>>()),
            requests_per_minute: 60.0 * rate(|s| s.requests as f64, |s| s.now),
            cpu: rate(|s| s.cpu, |s| s.seconds),
        }
    }
}

/// What follows from the samples of a node on this engine. The budget is in requests per minute.
pub(super) fn conditions(
    thirds: &[Third; 3],
    samples: &[Sample],
    store: Backend,
    budget: f64,
) -> Vec<Condition> {
    let [_, second, last] = thirds;
    let apart = |figure: fn(&Third) -> f64| (figure(last) / figure(second) - 1.0).abs();
    // τ follows what the sources do, so its mean differs from week to week also if nothing drifts.
    let spread = second.threshold_spread.max(last.threshold_spread) / second.threshold;
    let spent = match samples {
        [first, .., end] => {
            (end.requests - first.requests) as f64 / ((end.now - first.now) / 60.0) / budget
        }
        _ => f64::NAN,
    };
    vec![
        Condition::at_most("memory, last third against the second", apart(|t| t.resident), FLAT),
        Condition::at_most("descriptors, likewise", apart(|t| t.descriptors), FLAT),
        Condition::at_most(
            "τ, likewise; its spread, or 0.05",
            apart(|t| t.threshold),
            spread.max(FLAT),
        ),
        Condition::at_most(
            match store {
                Backend::Redb => "disk for each byte stored, mean of the last third",
                Backend::Sled => "disk beyond 64 MiB for each byte stored, mean of the last third",
            },
            (last.disk - store.unused_bytes() as f64).max(0.0) / last.live,
            DISK,
        ),
        Condition::at_most("requests for each that the budget allows", spent, SPENT),
    ]
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values.iter().copied());
    let squares = values.iter().map(|value| (value - middle).powi(2)).sum::<f64>();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(number: usize) -> Sample {
        let seconds = number as f64 * 10.0;
        Sample {
            seconds,
            now: seconds * 600.0,
            resident: 50_000_000,
            descriptors: 40,
            disk: 15_000_000,
            live: 10_000_000,
            tables: Tables::default(),
            threshold: if number.is_multiple_of(2) { 0.9 } else { 1.1 },
            requests: number as u64 * 500,
            refreshes: number as u64 * 500,
            cpu: seconds * 0.2,
        }
    }

    fn unmet(samples: &[Sample]) -> Vec<&'static str> {
        unmet_on(Backend::Redb, samples)
    }

    fn unmet_on(store: Backend, samples: &[Sample]) -> Vec<&'static str> {
        let all = conditions(&thirds(samples), samples, store, 5.0);
        all.into_iter().filter(|condition| !condition.met).map(|condition| condition.what).collect()
    }

    #[test]
    fn a_flat_run_meets_every_condition() {
        let samples: Vec<Sample> = (0..90).map(sample).collect();
        assert_eq!(unmet(&samples), Vec::<&str>::new());
        let [_, _, last] = thirds(&samples);
        assert!((last.threshold - 1.0).abs() < 0.01 && (last.cpu - 0.2).abs() < 1e-9, "{last:?}");
        assert!((last.requests_per_minute - 5.0).abs() < 1e-9, "{last:?}");
    }

    #[test]
    fn whatever_grows_is_found() {
        let with = |change: fn(&mut Sample, usize)| {
            let mut samples: Vec<Sample> = (0..90).map(sample).collect();
            samples.iter_mut().enumerate().for_each(|(number, sample)| change(sample, number));
            unmet(&samples).len()
        };
        assert_eq!(with(|s, n| s.resident += n as u64 * 200_000), 1);
        assert_eq!(with(|s, n| s.descriptors += n as u64 / 10), 1);
        assert_eq!(with(|s, n| s.threshold += n as f64 * 0.01), 1);
        assert_eq!(with(|s, n| s.disk += n as u64 * 100_000), 1);
        assert_eq!(with(|s, _| s.requests += s.requests / 10), 1);
    }

    #[test]
    fn a_file_of_sled_may_be_larger_by_what_it_does_not_use_again() {
        let unused = Backend::Sled.unused_bytes();
        let with = |store: Backend, more: u64| {
            let mut samples: Vec<Sample> = (0..90).map(sample).collect();
            samples.iter_mut().for_each(|sample| sample.disk += more);
            unmet_on(store, &samples).len()
        };
        assert_eq!((with(Backend::Sled, unused), with(Backend::Redb, unused)), (0, 1));
        assert_eq!(with(Backend::Sled, unused + 10_000_000), 1);
    }
}

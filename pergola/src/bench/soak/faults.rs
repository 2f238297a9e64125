//! What is wrong with a source, and when: drawn from the seed, for three hours at a time. Then it is well again.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Seconds that a fault lasts.
const SPELL: f64 = 3.0 * 3_600.0;
/// In so many spells of a hundred a source has a fault.
const FAULTY: u64 = 6;

/// What a source does instead of answering well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Fault {
    /// 500.
    Broken,
    /// 404.
    Missing,
    /// 429 with `Retry-After`.
    TooMany,
    /// 503 with `Retry-After`.
    Away,
    /// The answer breaks off in the middle.
    CutOff,
    /// No answer before the crawler gives up.
    Silent,
    /// A document that ends in the middle of a tag.
    Torn,
    /// A page instead of a feed.
    Page,
    /// 302 to another address, which answers well.
    Elsewhere,
}

impl Fault {
    const ALL: [Self; 9] = [
        Self::Broken,
        Self::Missing,
        Self::TooMany,
        Self::Away,
        Self::CutOff,
        Self::Silent,
        Self::Torn,
        Self::Page,
        Self::Elsewhere,
    ];

    /// The fault of a source at an instant, if it has one.
    pub(super) fn of(seed: u64, source: &str, now: f64) -> Option<Self> {
        // Not all sources begin a spell at the same time.
        let phase = (draw((seed, source)) % 1_000) as f64 / 1_000.0;
        let drawn = draw((seed, source, (now / SPELL + phase) as u64));
        let kind = (drawn / 100) as usize % Self::ALL.len();
        (drawn % 100 < FAULTY).then_some(Self::ALL[kind])
    }
}

/// A number that looks random and is the same for the same thing.
pub(super) fn draw(thing: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_fault_comes_and_goes_and_most_of_the_time_sources_are_well() {
        let (mut seen, mut faulty, mut all) = (HashSet::new(), 0, 0);
        for source in 0..50 {
            for hour in 0..600 {
                let name = format!("source-{source}");
                let fault = Fault::of(1, &name, 1.79e9 + f64::from(hour) * 3_600.0);
                assert_eq!(fault, Fault::of(1, &name, 1.79e9 + f64::from(hour) * 3_600.0));
                seen.extend(fault);
                faulty += usize::from(fault.is_some());
                all += 1;
            }
        }
        assert_eq!(seen.len(), Fault::ALL.len());
        let share = faulty as f64 / f64::from(all);
        assert!((share - FAULTY as f64 / 100.0).abs() < 0.01, "{share}");
    }
}

//! Chooses M of many channels to refresh now. The four policies of the paper are two ways to choose, each
//! with the rates of all items (content-free) or of novel items (content-based).

/// How to choose M channels by their importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The M most important.
    Greedy,
    /// M drawn at random, in proportion to their importance.
    Fair,
}

impl Choice {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Greedy => "greedy",
            Self::Fair => "fair",
        }
    }

    /// Chooses `most` channels, each at most once. `draw` returns random numbers in [0, 1), one for each
    /// channel of a fair choice. Channels without a positive importance come last; of equally important
    /// ones, the lower number comes first.
    pub fn choose(
        self,
        importance: &[f64],
        most: usize,
        mut draw: impl FnMut() -> f64,
    ) -> Vec<usize> {
        let mut keyed: Vec<(f64, usize)> = importance
            .iter()
            .enumerate()
            .map(|(channel, &importance)| {
                let importance = if importance > 0.0 { importance } else { f64::MIN_POSITIVE };
                let key = match self {
                    Self::Greedy => -importance,
                    // The smallest of exponential times with these rates is drawn in proportion to them.
                    Self::Fair => -(1.0 - draw()).ln() / importance,
                };
                (key, channel)
            })
            .collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if keyed.len() > most && most > 0 {
            keyed.select_nth_unstable_by(most - 1, order);
        }
        keyed.truncate(most);
        keyed.sort_unstable_by(order);
        keyed.into_iter().map(|(_, channel)| channel).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greedy_takes_the_most_important_and_never_one_twice() {
        let none = || unreachable!("a greedy choice draws nothing");
        assert_eq!(Choice::Greedy.choose(&[1.0, 3.0, 3.0, 2.0], 3, none), [1, 2, 3]);
        assert_eq!(Choice::Greedy.choose(&[0.0, f64::NAN, 1e-300], 9, none), [2, 0, 1]);
        assert_eq!(Choice::Greedy.choose(&[1.0], 0, none), Vec::<usize>::new());
    }

    #[test]
    fn fair_chooses_in_proportion_to_importance() {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut times = [0; 3];
        for _ in 0..10_000 {
            times[Choice::Fair.choose(&[1.0, 3.0, 6.0], 1, &mut draw)[0]] += 1;
        }
        for (times, expected) in times.into_iter().zip([1000, 3000, 6000]) {
            assert!(i32::abs(times - expected) < 200, "{times} of 10,000, expected {expected}");
        }
    }
}

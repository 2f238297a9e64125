//! How much one item usually changes a channel's profile, and which items change it more than that.

use serde::{Deserialize, Serialize};

use crate::Heard;

/// Items that a cohesion remembers; the oldest fade.
const MEMORY: u64 = 200;

/// Mean and deviation of the similarity between the profile before and after each item, maintained
/// item by item. A channel with a high cohesion keeps to its subject.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cohesion {
    items: u64,
    mean: f64,
    variance: f64,
}

impl Cohesion {
    /// Takes in the similarity of one item.
    pub fn add(&mut self, similarity: f64) {
        self.items += 1;
        // All alike while there are few, then a moving mean.
        let weight = 1.0 / self.items.min(MEMORY) as f64;
        let off = similarity - self.mean;
        self.mean += weight * off;
        self.variance = (1.0 - weight) * (self.variance + weight * off * off);
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// σ, with N − 1.
    pub fn deviation(&self) -> f64 {
        let items = self.items.min(MEMORY) as f64;
        if self.items < 2 { 0.0 } else { (self.variance.max(0.0) * items / (items - 1.0)).sqrt() }
    }

    /// Items taken in.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The variance, with N.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The cohesion with these parts; `None` if they are no mean and no variance.
    pub fn from_parts(items: u64, mean: f64, variance: f64) -> Option<Self> {
        (mean.is_finite() && variance.is_finite()).then_some(Self { items, mean, variance })
    }
}

/// The novelty filter: an item is novel unless its similarity ≥ cohesion + β·σ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Novelty {
    beta: f64,
}

/// Similarities this near to each other are equal: cosines of equal vectors differ from 1 by rounding.
const ROUNDING: f64 = 1e-9;

impl Default for Novelty {
    /// β = 0.1, which the paper found to save a third of the probes for a twentieth of the quality.
    fn default() -> Self {
        Self { beta: 0.1 }
    }
}

impl Novelty {
    /// A filter; a greater β lets more items pass. Not a number counts as 0.
    pub fn new(beta: f64) -> Self {
        Self { beta: if beta.is_nan() { 0.0 } else { beta } }
    }

    /// β.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Whether an item is novel, by what its channel heard when it came. While the window fills, every item
    /// is: a profile of two items cannot judge a third, and would call each next one more of the same.
    pub fn admits(&self, heard: &Heard) -> bool {
        let Heard { similarity, cohesion, filling } = heard;
        *filling || *similarity < cohesion.mean() + self.beta * cohesion.deviation() - ROUNDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_the_whole_series() {
        let mut cohesion = Cohesion::default();
        [0.0, 0.5, 0.7, 0.8].into_iter().for_each(|similarity| cohesion.add(similarity));
        assert!((cohesion.mean() - 0.5).abs() < 1e-12);
        // Squares .25 + 0 + .04 + .09 over three.
        assert!((cohesion.deviation() - (0.38f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn an_item_is_novel_when_it_changes_the_profile_more_than_usual() {
        let mut cohesion = Cohesion::default();
        [0.6, 0.8, 0.6, 0.8].into_iter().for_each(|similarity| cohesion.add(similarity));
        let deviation = (0.04f64 / 3.0).sqrt();
        let heard = |similarity| Heard { similarity, cohesion, filling: false };
        assert!(Novelty::new(0.0).admits(&heard(0.69)) && !Novelty::new(0.0).admits(&heard(0.71)));
        let edge = 0.7 + 0.5 * deviation;
        assert!(Novelty::new(0.5).admits(&heard(edge - 0.001)));
        assert!(!Novelty::new(0.5).admits(&heard(edge + 0.001)));
        assert!(!Novelty::new(-1.0).admits(&heard(0.69)));
    }

    #[test]
    fn everything_is_novel_while_the_window_fills_and_the_copies_of_a_robot_never_after() {
        let mut cohesion = Cohesion::default();
        (0..50).for_each(|_| cohesion.add(1.0));
        assert!(Novelty::default().admits(&Heard { similarity: 1.0, cohesion, filling: true }));
        assert!(!Novelty::default().admits(&Heard { similarity: 1.0, cohesion, filling: false }));
    }

    #[test]
    fn what_is_long_ago_fades() {
        let mut cohesion = Cohesion::default();
        (0..1000).for_each(|_| cohesion.add(0.2));
        (0..1000).for_each(|_| cohesion.add(0.8));
        assert!((cohesion.mean() - 0.8).abs() < 0.01, "{}", cohesion.mean());
    }
}

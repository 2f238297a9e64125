//! How much one item usually changes a channel's profile, and which items change it more than that.

use serde::{Deserialize, Serialize};

use crate::Heard;

/// Mean and deviation of the similarity between the profile before and after each item, maintained
/// item by item. A channel with a high cohesion keeps to its subject.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cohesion {
    items: u64,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Cohesion {
    /// Takes in the similarity of one item (the first one's is 0: there was no profile).
    pub fn add(&mut self, similarity: f64) {
        self.items += 1;
        let off = similarity - self.mean;
        self.mean += off / self.items as f64;
        self.squares += off * (similarity - self.mean);
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// σ, with N − 1.
    pub fn deviation(&self) -> f64 {
        if self.items < 2 { 0.0 } else { (self.squares.max(0.0) / (self.items - 1) as f64).sqrt() }
    }

    /// Items taken in.
    pub fn items(&self) -> u64 {
        self.items
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

    /// Whether an item is novel, by what its channel heard when it came. An item without any term says
    /// nothing, new or old, and is not novel unless it is the first.
    pub fn admits(&self, heard: &Heard) -> bool {
        let Heard { similarity, cohesion } = heard;
        if cohesion.items() <= 1 {
            return true;
        }
        *similarity < cohesion.mean() + self.beta * cohesion.deviation() - ROUNDING
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
        let heard = |similarity| Heard { similarity, cohesion };
        assert!(Novelty::new(0.0).admits(&heard(0.69)) && !Novelty::new(0.0).admits(&heard(0.71)));
        let edge = 0.7 + 0.5 * deviation;
        assert!(Novelty::new(0.5).admits(&heard(edge - 0.001)));
        assert!(!Novelty::new(0.5).admits(&heard(edge + 0.001)));
        assert!(!Novelty::new(-1.0).admits(&heard(0.69)));
    }

    #[test]
    fn the_first_item_is_novel_and_the_copies_of_a_robot_are_not() {
        let mut cohesion = Cohesion::default();
        cohesion.add(0.0);
        assert!(Novelty::default().admits(&Heard { similarity: 0.0, cohesion }));
        let mut cohesion = Cohesion::default();
        (0..50).for_each(|_| cohesion.add(1.0));
        assert!(!Novelty::default().admits(&Heard { similarity: 1.0, cohesion }));
    }
}

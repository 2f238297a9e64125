//! Which items change the profile of a channel more than usual.

use crate::cohesion::Cohesion;

/// The impact of one item on the profile of its channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// The similarity of the profile before and after the item.
    pub similarity: f64,
    /// The cohesion of the channel, including this item (unless the window was still filling).
    pub cohesion: Cohesion,
    /// Whether the window was not full yet; then every item changes the profile.
    pub filling: bool,
}

/// The novelty filter: an item is novel unless its similarity ≥ cohesion + β·σ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Novelty {
    beta: f64,
}

/// Tolerance for rounding: cosines of equal vectors are not exactly 1.
const ROUNDING: f64 = 1e-9;

impl Default for Novelty {
    /// β = 0.1. According to the paper, it saves a third of the refreshes and costs a twentieth of the
    /// quality.
    fn default() -> Self {
        Self { beta: 0.1 }
    }
}

impl Novelty {
    /// A larger β lets more items pass. NaN counts as 0.
    pub fn new(beta: f64) -> Self {
        Self { beta: if beta.is_nan() { 0.0 } else { beta } }
    }

    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Whether an item with this impact is novel. While the window fills every item is, because a profile
    /// of a few items cannot judge another.
    pub fn admits(&self, impact: &Impact) -> bool {
        let Impact { similarity, cohesion, filling } = impact;
        *filling || *similarity < cohesion.mean() + self.beta * cohesion.deviation() - ROUNDING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_novel_when_it_changes_the_profile_more_than_usual() {
        let mut cohesion = Cohesion::default();
        [0.6, 0.8, 0.6, 0.8].into_iter().for_each(|similarity| cohesion.add(similarity));
        let deviation = (0.04f64 / 3.0).sqrt();
        let impact = |similarity| Impact { similarity, cohesion, filling: false };
        assert!(
            Novelty::new(0.0).admits(&impact(0.69)) && !Novelty::new(0.0).admits(&impact(0.71))
        );
        let edge = 0.7 + 0.5 * deviation;
        assert!(Novelty::new(0.5).admits(&impact(edge - 0.001)));
        assert!(!Novelty::new(0.5).admits(&impact(edge + 0.001)));
        assert!(!Novelty::new(-1.0).admits(&impact(0.69)));
    }

    #[test]
    fn everything_is_novel_while_the_window_fills_and_copies_never_after() {
        let mut cohesion = Cohesion::default();
        (0..50).for_each(|_| cohesion.add(1.0));
        assert!(Novelty::default().admits(&Impact { similarity: 1.0, cohesion, filling: true }));
        assert!(!Novelty::default().admits(&Impact { similarity: 1.0, cohesion, filling: false }));
    }
}

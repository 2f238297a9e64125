//! How much one item usually changes the profile of a channel.

/// Items that count; older ones fade.
const MEMORY: u64 = 200;

/// Mean and deviation of the similarity between the profile before and after each item, updated item by
/// item. A channel with a high cohesion keeps to its subject.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cohesion {
    items: u64,
    mean: f64,
    variance: f64,
}

impl Cohesion {
    /// Adds the similarity of one item.
    pub fn add(&mut self, similarity: f64) {
        self.items += 1;
        // A plain mean while there are few items, then a moving one.
        let weight = 1.0 / self.items.min(MEMORY) as f64;
        let off = similarity - self.mean;
        self.mean += weight * off;
        self.variance = (1.0 - weight) * (self.variance + weight * off * off);
    }

    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation σ, with N − 1.
    pub fn deviation(&self) -> f64 {
        let items = self.items.min(MEMORY) as f64;
        if self.items < 2 { 0.0 } else { (self.variance.max(0.0) * items / (items - 1.0)).sqrt() }
    }

    /// The number of items.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_the_whole_series() {
        let mut cohesion = Cohesion::default();
        [0.0, 0.5, 0.7, 0.8].into_iter().for_each(|similarity| cohesion.add(similarity));
        assert!((cohesion.mean() - 0.5).abs() < 1e-12);
        // The squares .25 + 0 + .04 + .09, over three.
        assert!((cohesion.deviation() - (0.38f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn old_items_fade() {
        let mut cohesion = Cohesion::default();
        (0..1000).for_each(|_| cohesion.add(0.2));
        (0..1000).for_each(|_| cohesion.add(0.8));
        assert!((cohesion.mean() - 0.8).abs() < 0.01, "{}", cohesion.mean());
    }
}

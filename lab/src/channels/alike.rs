//! Refines the rate of a channel by the rates of similar channels: the product of rates and similarities.

use pergola_profile::{Channels, Neighbours};

/// Which similarities refine the rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refinement {
    /// None.
    Alone,
    /// Those of the nearest neighbours, without chance matches: the matrix of a node.
    Nearest,
    /// All, however weak: the matrix of the paper.
    Full,
}

/// The similarities surveyed so far.
pub(super) enum Alike {
    Nearest(Neighbours),
    Full(Matrix),
}

impl Alike {
    pub(super) fn new(refinement: Refinement, channels: usize) -> Option<Self> {
        match refinement {
            Refinement::Alone => None,
            Refinement::Nearest => Some(Self::Nearest(Neighbours::new(channels))),
            Refinement::Full => Some(Self::Full(Matrix::new(channels))),
        }
    }

    pub(super) fn survey(&mut self, channels: &Channels) {
        match self {
            Self::Nearest(neighbours) => neighbours.survey(channels),
            Self::Full(matrix) => matrix.survey(channels),
        }
    }

    pub(super) fn refine(&self, rates: &[f64]) -> Vec<f64> {
        match self {
            Self::Nearest(neighbours) => neighbours.refine(rates),
            Self::Full(matrix) => matrix.refine(rates),
        }
    }
}

/// The similarity of each pair, summed over the surveys.
pub(super) struct Matrix {
    rows: Vec<Vec<f64>>,
    surveys: f64,
}

impl Matrix {
    fn new(channels: usize) -> Self {
        Self { rows: vec![vec![0.0; channels]; channels], surveys: 0.0 }
    }

    fn survey(&mut self, channels: &Channels) {
        self.surveys += 1.0;
        let all = self.rows.len();
        for (channel, row) in self.rows.iter_mut().enumerate() {
            for found in channels.similar(channel as u32, all) {
                row[found.channel as usize] += found.score;
            }
        }
    }

    /// The product with the row-normalised matrix, 1 on its diagonal.
    fn refine(&self, rates: &[f64]) -> Vec<f64> {
        let refined = |(row, own): (&Vec<f64>, &f64)| {
            // Similarities are sums, so the diagonal 1 becomes the number of surveys.
            let of_others: f64 = row.iter().zip(rates).map(|(sum, rate)| sum * rate).sum();
            let weight = self.surveys + row.iter().sum::<f64>();
            if weight > 0.0 { (self.surveys * own + of_others) / weight } else { *own }
        };
        self.rows.iter().zip(rates).map(refined).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_matrix_spreads_rates_in_proportion_to_similarity() {
        let mut matrix = Matrix::new(3);
        assert_eq!(matrix.refine(&[4.0, 2.0, 7.0]), [4.0, 2.0, 7.0]);
        let mut channels = Channels::new(20);
        for _ in 0..3 {
            channels.add(0, "volcano erupts iceland");
            channels.add(1, "volcano erupts iceland");
            channels.add(2, "chess final draw");
        }
        matrix.survey(&channels);
        let refined = matrix.refine(&[4.0, 2.0, 7.0]);
        assert!(refined[..2].iter().all(|rate| (rate - 3.0).abs() < 1e-3), "{refined:?}");
        assert_eq!(refined[2], 7.0);
        // Half as similar on average: (4 + 2/2) / (1 + 1/2).
        for _ in 0..20 {
            channels.add(1, "opera tonight singers");
        }
        matrix.survey(&channels);
        let refined = matrix.refine(&[4.0, 2.0, 7.0]);
        assert!((refined[0] - 10.0 / 3.0).abs() < 1e-3, "{refined:?}");
    }
}

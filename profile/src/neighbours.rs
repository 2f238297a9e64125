//! Which channels are alike, as a sparse matrix, and what one channel's rate says about another's.
//!
//! The matrix of all pairs would be mostly small numbers and, for ten thousand channels, 800 MB. Each row
//! keeps its strongest entries only; the similarity of a pair is its mean over the surveys so far.

use crate::Channels;

/// Entries kept per channel.
const MOST: usize = 16;
/// Similarities below this are chance: common words.
const LEAST: f64 = 0.05;

/// Mean similarities between channels numbered from 0.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// For each channel its neighbours with the sum of their similarities over the surveys.
    rows: Vec<Vec<(u32, f64)>>,
    surveys: u32,
}

impl Neighbours {
    /// A matrix for channels 0 to `channels` − 1.
    pub fn new(channels: usize) -> Self {
        Self { rows: vec![Vec::new(); channels], surveys: 0 }
    }

    /// Takes in how similar the channels are now.
    pub fn survey(&mut self, channels: &Channels) {
        self.surveys += 1;
        for (channel, row) in self.rows.iter_mut().enumerate() {
            for found in channels.similar(channel as u32, MOST) {
                match row.iter_mut().find(|(other, _)| *other == found.channel) {
                    Some((_, sum)) => *sum += found.score,
                    None => row.push((found.channel, found.score)),
                }
            }
            row.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            row.truncate(MOST);
        }
    }

    /// A channel's neighbours with their mean similarity, most similar first.
    pub fn of(&self, channel: usize) -> impl Iterator<Item = (usize, f64)> {
        let surveys = f64::from(self.surveys.max(1));
        let row = self.rows.get(channel).map_or(&[][..], Vec::as_slice);
        row.iter()
            .map(move |&(other, sum)| (other as usize, sum / surveys))
            .filter(|(_, similarity)| *similarity >= LEAST)
    }

    /// Rates refined by those of similar channels: the product with the row-normalised matrix, 1 on its
    /// diagonal. A channel that is like no other keeps its rate.
    pub fn refine(&self, rates: &[f64]) -> Vec<f64> {
        let refined = |(channel, rate): (usize, &f64)| {
            let mut sum = *rate;
            let mut weight = 1.0;
            for (other, similarity) in self.of(channel) {
                sum += similarity * rates.get(other).copied().unwrap_or(0.0);
                weight += similarity;
            }
            sum / weight
        };
        rates.iter().enumerate().map(refined).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_channels_share_their_rates_and_others_keep_their_own() {
        let mut channels = Channels::new(20);
        for _ in 0..3 {
            channels.add(0, "volcano erupts iceland");
            channels.add(1, "volcano erupts iceland");
            channels.add(2, "chess final draw");
        }
        let mut neighbours = Neighbours::new(3);
        neighbours.survey(&channels);
        let of_first: Vec<(usize, f64)> = neighbours.of(0).collect();
        assert_eq!(of_first.len(), 1);
        assert!(of_first[0].0 == 1 && of_first[0].1 > 0.999);
        let refined = neighbours.refine(&[4.0, 2.0, 7.0]);
        assert!((refined[0] - 3.0).abs() < 1e-3 && (refined[1] - 3.0).abs() < 1e-3);
        assert_eq!(refined[2], 7.0);
        // Once alike, in two surveys: half as similar on average.
        for _ in 0..20 {
            channels.add(1, "opera tonight singers");
        }
        neighbours.survey(&channels);
        let mean = neighbours.of(0).next().unwrap().1;
        assert!((mean - 0.5).abs() < 1e-3, "{mean}");
    }
}

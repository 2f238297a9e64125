//! A sparse matrix of similar channels, and how the rate of one channel helps to estimate another.
//!
//! The full matrix would contain mostly small numbers and, for ten thousand channels, take 800 MB. So each
//! row keeps only its largest entries. The similarity of a pair is its mean over all surveys.

use crate::channels::Channels;

/// Entries kept per channel.
const MOST: usize = 16;
/// Lower similarities are caused by common words.
const LEAST: f64 = 0.05;

/// Mean similarities between channels with numbers from 0.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// The neighbours of each channel, with the sum of their similarities over the surveys.
    rows: Vec<Vec<(u32, f64)>>,
    surveys: u32,
}

impl Neighbours {
    pub fn new(channels: usize) -> Self {
        Self { rows: vec![Vec::new(); channels], surveys: 0 }
    }

    /// Adds the current similarities.
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

    /// The neighbours of a channel with their mean similarity, most similar first.
    pub fn of(&self, channel: usize) -> impl Iterator<Item = (usize, f64)> {
        let surveys = f64::from(self.surveys.max(1));
        let row = self.rows.get(channel).map_or(&[][..], Vec::as_slice);
        row.iter()
            .map(move |&(other, sum)| (other as usize, sum / surveys))
            .filter(|(_, similarity)| *similarity >= LEAST)
    }

    /// Refines rates by those of similar channels: the product with the row-normalised matrix, which has 1
    /// on its diagonal. A channel without neighbours keeps its rate.
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
    fn similar_channels_share_their_rates_and_others_keep_their_own() {
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
        // Similar in one of two surveys: half as similar on average.
        for _ in 0..20 {
            channels.add(1, "opera tonight singers");
        }
        neighbours.survey(&channels);
        let mean = neighbours.of(0).next().unwrap().1;
        assert!((mean - 0.5).abs() < 1e-3, "{mean}");
    }
}

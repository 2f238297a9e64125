//! Which segments to merge.
//!
//! Segments are in tiers by the number of their documents. When a tier has enough of them, they become one of a
//! higher tier. So a document is written few times, and a search reads few segments.

use crate::MOST_DOCUMENTS;

/// The tiers: below so many documents, and how many segments of it are merged.
const TIERS: [(usize, usize); 5] =
    [(50, 8), (300, 6), (2_000, 6), (10_000, 5), (MOST_DOCUMENTS / 2, 4)];

/// How large a segment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Its documents.
    pub documents: usize,
    /// Those of them that are known to be gone.
    pub gone: usize,
}

/// The segments to be merged next, by their places in the list, which is in the order of their age; none if all is
/// well. A segment of which a third is gone is written anew, alone.
pub fn to_merge(sizes: &[Size]) -> Vec<usize> {
    let mut below = 0;
    for (most, enough) in TIERS {
        let in_tier: Vec<usize> = (0..sizes.len())
            .filter(|place| (below..most).contains(&sizes[*place].documents))
            .collect();
        below = most;
        if in_tier.len() < enough {
            continue;
        }
        let mut documents = 0;
        let fit = in_tier.into_iter().take_while(|place| {
            documents += sizes[*place].documents;
            documents <= MOST_DOCUMENTS
        });
        return fit.take(enough).collect();
    }
    let mostly_gone = |size: &Size| size.gone > 0 && size.gone * 3 >= size.documents;
    sizes.iter().position(mostly_gone).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(documents: &[usize]) -> Vec<Size> {
        documents.iter().map(|&documents| Size { documents, gone: 0 }).collect()
    }

    #[test]
    fn enough_segments_of_a_tier_become_one() {
        assert_eq!(to_merge(&sizes(&[500; 5])), [0; 0]);
        assert_eq!(to_merge(&sizes(&[500; 6])), [0, 1, 2, 3, 4, 5]);
        let mixed = sizes(&[20_000, 4_000, 4_000, 500, 4_000, 4_000, 4_000, 9_000]);
        assert_eq!(to_merge(&mixed), [1, 2, 4, 5, 6]);
        assert_eq!(to_merge(&sizes(&[29_000, 29_000, 29_000, 29_000])), [0, 1]);
        assert_eq!(to_merge(&sizes(&[50_000; 20])), [0; 0]);
    }

    #[test]
    fn a_segment_of_which_much_is_gone_is_written_anew() {
        let mut all = sizes(&[50_000, 60_000]);
        all[1].gone = 19_000;
        assert_eq!(to_merge(&all), [0; 0]);
        all[1].gone = 20_000;
        assert_eq!(to_merge(&all), [1]);
        assert_eq!(to_merge(&[Size { documents: 0, gone: 0 }]), [0; 0]);
    }

    #[test]
    fn a_million_documents_that_come_in_small_parts_are_in_few_segments_and_written_few_times() {
        let (mut segments, mut written): (Vec<Size>, usize) = (Vec::new(), 0);
        for _ in 0..2_000 {
            segments.extend(sizes(&[500]));
            loop {
                let some = to_merge(&segments);
                if some.is_empty() {
                    break;
                }
                let documents = some.iter().map(|place| segments[*place].documents).sum();
                some.iter().rev().for_each(|place| {
                    segments.remove(*place);
                });
                segments.extend(sizes(&[documents]));
                written += documents;
            }
        }
        assert!(segments.len() < 45, "{segments:?}");
        assert!(written < 3_500_000, "{written}");
    }
}

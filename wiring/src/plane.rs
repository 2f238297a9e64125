//! The same rule between points of the plane, where its shapes can be seen: a source in the middle of the
//! unit square, points that arrive one after the other, each below the one with the least hops + α·distance.
//!
//! Little α makes a star, more α clusters whose sizes have a power-law tail, α about √points a random tree.
//!
//! Points are kept in cells and looked at from near to far; once no point of a ring of cells can be better
//! than what was found, none beyond can.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The most points that are grown.
pub const MOST_POINTS: usize = 10_000_000;

/// Points and whom each reads; the first is the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// From 0 to 1 both ways.
    pub points: Vec<(f64, f64)>,
    /// Below whom each is; the source is below itself.
    pub parents: Vec<u32>,
    /// From the source.
    pub hops: Vec<u32>,
}

/// Why no tree can be grown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum PlaneError {
    #[error("--points is {0}, but it must be from 1 to {MOST_POINTS}")]
    Points(usize),
    #[error("α is {0}, but it must be a number from 0 to 1000000")]
    Alpha(f64),
}

/// So many points, the source not counted, uniform in the unit square.
///
/// # Errors
/// When the number makes no sense.
pub fn scatter(count: usize, seed: u64) -> Result<Vec<(f64, f64)>, PlaneError> {
    if !(1..=MOST_POINTS).contains(&count) {
        return Err(PlaneError::Points(count));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let source = std::iter::once((0.5, 0.5));
    let others = std::iter::repeat_with(|| (random.random(), random.random()));
    Ok(source.chain(others.take(count)).collect())
}

impl Plane {
    /// Grows the tree of these points, of which the first is the source.
    ///
    /// # Errors
    /// When α makes no sense.
    pub fn grow(points: Vec<(f64, f64)>, alpha: f64) -> Result<Self, PlaneError> {
        if !(0.0..=1e6).contains(&alpha) {
            return Err(PlaneError::Alpha(alpha));
        }
        let mut cells = Cells::new(points.len());
        let mut plane =
            Self { parents: vec![0; points.len()], hops: vec![0; points.len()], points };
        for point in 1..plane.points.len() {
            let (parent, hops) = cells.parent(&plane, point, alpha);
            plane.parents[point] = parent;
            plane.hops[point] = hops + 1;
            cells.insert(plane.points[point], point as u32);
        }
        Ok(plane)
    }

    /// How many points are right below each.
    pub fn out_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.points.len()];
        self.parents.iter().skip(1).for_each(|&parent| degrees[parent as usize] += 1);
        degrees
    }

    fn cost(&self, parent: u32, point: usize, alpha: f64) -> f64 {
        let (a, b) = (self.points[parent as usize], self.points[point]);
        f64::from(self.hops[parent as usize]) + alpha * (a.0 - b.0).hypot(a.1 - b.1)
    }
}

/// Points by where they are; the source is in none.
struct Cells {
    across: usize,
    points: Vec<Vec<u32>>,
}

impl Cells {
    fn new(points: usize) -> Self {
        let across = ((points as f64 / 4.0).sqrt() as usize).max(1);
        Self { across, points: vec![Vec::new(); across * across] }
    }

    fn cell(&self, (x, y): (f64, f64)) -> (usize, usize) {
        let one = |at: f64| ((at * self.across as f64) as usize).min(self.across - 1);
        (one(x), one(y))
    }

    fn insert(&mut self, place: (f64, f64), point: u32) {
        let (column, row) = self.cell(place);
        self.points[row * self.across + column].push(point);
    }

    /// The best parent and its hops; ties to fewer hops, then to who came first.
    fn parent(&self, plane: &Plane, point: usize, alpha: f64) -> (u32, u32) {
        let mut best = (plane.cost(0, point, alpha), 0, 0);
        let (column, row) = self.cell(plane.points[point]);
        for ring in 0..self.across {
            // Whoever is in this ring is at least so far away and one hop from the source.
            let nearest = ring.saturating_sub(1) as f64 / self.across as f64;
            if 1.0 + alpha * nearest > best.0 {
                break;
            }
            self.each_of_ring((column, row), ring, |cell| {
                for &parent in &self.points[cell] {
                    let found =
                        (plane.cost(parent, point, alpha), plane.hops[parent as usize], parent);
                    if found < best {
                        best = found;
                    }
                }
            });
        }
        (best.2, best.1)
    }

    /// Shows the cells that are `ring` cells away.
    fn each_of_ring(&self, centre: (usize, usize), ring: usize, mut show: impl FnMut(usize)) {
        let (column, row) = (centre.0 as isize, centre.1 as isize);
        let (ring, across) = (ring as isize, self.across as isize);
        for y in (row - ring).max(0)..=(row + ring).min(across - 1) {
            let edge = (y - row).abs() == ring;
            let step = if edge || ring == 0 { 1 } else { 2 * ring as usize };
            for x in (column - ring..=column + ring).step_by(step) {
                if (0..across).contains(&x) {
                    show((y * across + x) as usize);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every point is compared with all before it.
    fn plainly(points: Vec<(f64, f64)>, alpha: f64) -> Plane {
        let mut plane = Plane { parents: vec![0], hops: vec![0], points };
        for point in 1..plane.points.len() {
            let all = (0..point as u32).map(|parent| {
                (plane.cost(parent, point, alpha), plane.hops[parent as usize], parent)
            });
            let best = all.min_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
            plane.parents.push(best.2);
            plane.hops.push(best.1 + 1);
        }
        plane
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn cells_find_the_parent_that_comparing_with_all_finds(
            seed: u64,
            count in 1_usize..300,
            alpha in prop::sample::select(vec![0.0, 0.7, 1.5, 4.0, 20.0, 100.0, 5000.0]),
        ) {
            let points = scatter(count, seed).unwrap();
            prop_assert_eq!(Plane::grow(points.clone(), alpha).unwrap(), plainly(points, alpha));
        }
    }

    #[test]
    fn without_weight_on_distance_the_tree_is_a_star() {
        let plane = Plane::grow(scatter(500, 1).unwrap(), 0.5).unwrap();
        assert_eq!(plane.out_degrees()[0], 500);
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(scatter(0, 1), Err(PlaneError::Points(0)));
        let error = Plane::grow(vec![(0.5, 0.5)], -1.0).unwrap_err();
        assert!(error.to_string().contains("α is -1"));
    }
}

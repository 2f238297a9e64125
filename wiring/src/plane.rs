//! The same rule for points in the plane, where its shapes can be seen. The source is in the middle of the
//! unit square. Points arrive one after the other, and each joins below the point with the least
//! hops + α·distance.
//!
//! A small α gives a star, a larger one clusters whose sizes have a power-law tail, and α ≈ √points a random
//! tree.
//!
//! A grid of cells holds the points. The search for a parent goes from the nearest cells outwards and ends
//! once no point of a ring of cells can be better than the best one found.

use rand::{Rng, RngExt};

/// The most points of one tree.
pub const MOST_POINTS: usize = 10_000_000;

/// A tree of points. The first point is the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Both coordinates are between 0 and 1.
    pub points: Vec<(f64, f64)>,
    /// The parent of each point. The source is its own parent.
    pub parents: Vec<u32>,
    /// Hops from the source.
    pub hops: Vec<u32>,
}

/// Why no tree can be grown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlaneError {
    #[error("--points is {0}, but it must be from 1 to {MOST_POINTS}")]
    Points(usize),
    #[error("α is {0}, but it must be a number from 0 to 1000000")]
    Alpha(f64),
}

/// The source and `count` points, uniformly distributed in the unit square.
///
/// # Errors
/// When the number is out of range.
pub fn scatter(count: usize, random: &mut impl Rng) -> Result<Vec<(f64, f64)>, PlaneError> {
    if !(1..=MOST_POINTS).contains(&count) {
        return Err(PlaneError::Points(count));
    }
    let source = std::iter::once((0.5, 0.5));
    let others = std::iter::repeat_with(|| (random.random(), random.random()));
    Ok(source.chain(others.take(count)).collect())
}

impl Plane {
    /// Grows the tree of these points. The first one is the source.
    ///
    /// # Errors
    /// When α is out of range.
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

    /// How many children each point has.
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

/// A grid of cells with the points in them. The source is in none.
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

    fn insert(&mut self, at: (f64, f64), point: u32) {
        let (column, row) = self.cell(at);
        self.points[row * self.across + column].push(point);
    }

    /// The best parent and its hops. Ties go to fewer hops, then to the earlier point.
    fn parent(&self, plane: &Plane, point: usize, alpha: f64) -> (u32, u32) {
        let mut best = (plane.cost(0, point, alpha), 0, 0);
        let (column, row) = self.cell(plane.points[point]);
        for ring in 0..self.across {
            // A point in this ring is at least this far away, and at least one hop from the source.
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

    /// Calls `show` with every cell whose column or row is `ring` cells away from the centre.
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
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Compares every point with all points before it.
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

    fn points(count: usize, seed: u64) -> Result<Vec<(f64, f64)>, PlaneError> {
        scatter(count, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn cells_find_the_parent_that_comparing_with_all_finds(
            seed: u64,
            count in 1_usize..300,
            alpha in prop::sample::select(vec![0.0, 0.7, 1.5, 4.0, 20.0, 100.0, 5000.0]),
        ) {
            let points = points(count, seed).unwrap();
            prop_assert_eq!(Plane::grow(points.clone(), alpha).unwrap(), plainly(points, alpha));
        }
    }

    #[test]
    fn without_weight_on_distance_the_tree_is_a_star() {
        let plane = Plane::grow(points(500, 1).unwrap(), 0.5).unwrap();
        assert_eq!(plane.out_degrees()[0], 500);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert_eq!(points(0, 1), Err(PlaneError::Points(0)));
        let error = Plane::grow(vec![(0.5, 0.5)], -1.0).unwrap_err();
        assert!(error.to_string().contains("α is -1"));
    }
}

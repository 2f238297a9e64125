//! The area of a chart's data, and the mapping from data to places on the page.

use crate::chart::Series;
use crate::drawing::Point;
use crate::range::Range;

/// Sizes that differ between a chart alone on its page and one among many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) text: f64,
    pub(super) title: f64,
    pub(super) marker: f64,
    pub(super) line: f64,
    /// A chart alone stands under the title of the page, so its own is not bold.
    pub(super) bold_title: bool,
}

impl Sizes {
    /// For the only chart of a page.
    pub(super) const LARGE: Self =
        Self { text: 13.0, title: 14.0, marker: 4.2, line: 1.9, bold_title: false };
    /// For one chart among several.
    pub(super) const SMALL: Self =
        Self { text: 12.0, title: 13.0, marker: 3.2, line: 1.6, bold_title: true };

    pub(super) fn line_height(&self) -> f64 {
        self.text * 1.4
    }
}

/// The area of the data and the axes along it.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
    pub(super) x: Range,
    pub(super) y: Range,
    pub(super) sizes: Sizes,
}

impl Plot {
    /// Where a point of data goes, maybe outside the area; none if it cannot be shown.
    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<Point> {
        Some((self.across(self.x.fraction(x)?), self.up(self.y.fraction(y)?)))
    }

    pub(super) fn across(&self, fraction: f64) -> f64 {
        self.left + fraction * (self.right - self.left)
    }

    pub(super) fn up(&self, fraction: f64) -> f64 {
        self.bottom - fraction * (self.bottom - self.top)
    }

    /// Whether a place lies in the area, its edge included.
    pub(super) fn contains(&self, (x, y): Point) -> bool {
        let near = 0.01;
        (self.left - near..=self.right + near).contains(&x)
            && (self.top - near..=self.bottom + near).contains(&y)
    }
}

/// Points of a series with their deviation, which is zero if unknown.
pub(super) fn with_deviations(series: &Series) -> impl Iterator<Item = (f64, f64, f64)> {
    series.points.iter().enumerate().map(|(index, (x, y))| {
        let deviation = series.deviations.get(index).copied().unwrap_or(0.0);
        (*x, *y, if deviation.is_finite() { deviation.abs() } else { 0.0 })
    })
}

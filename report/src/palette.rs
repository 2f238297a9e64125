//! Colours and markers. The palette is that of Okabe and Ito, which is safe for colour blindness; markers differ,
//! too, so that a black and white print is readable.

use super::drawing::{Colour, Fill, Point, Shape, Stroke};

/// Secondary text.
pub(super) const GREY: Colour = Colour(0x5c, 0x63, 0x6b);
/// Grid lines.
pub(super) const GRID: Colour = Colour(0xe3, 0xe6, 0xe9);
/// Lines between the steps of a logarithmic grid.
pub(super) const FAINT: Colour = Colour(0xf1, 0xf3, 0xf4);
/// The page.
pub(super) const WHITE: Colour = Colour(0xff, 0xff, 0xff);

/// Without yellow, which is invisible on white.
const PALETTE: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2), // blue
    Colour(0xd5, 0x5e, 0x00), // vermilion
    Colour(0x00, 0x9e, 0x73), // bluish green
    Colour(0xe6, 0x9f, 0x00), // orange
    Colour(0xcc, 0x79, 0xa7), // reddish purple
    Colour(0x56, 0xb4, 0xe9), // sky blue
    Colour(0x33, 0x33, 0x33), // black, softened
];

/// Corners of each marker on a circle of radius 1; none stands for the circle itself.
const MARKERS: [&[Point]; 8] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.4), (1.25, 0.85), (-1.25, 0.85)],
    &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    &[(0.0, 1.4), (-1.25, -0.85), (1.25, -0.85)],
    &cross(0.45, 1.3),
    &[(-1.4, 0.0), (0.85, -1.25), (0.85, 1.25)],
    &[(1.4, 0.0), (-0.85, -1.25), (-0.85, 1.25)],
];

/// An upright cross with arms `thick` wide (half) and `long` long.
const fn cross(thick: f64, long: f64) -> [Point; 12] {
    let (t, l) = (thick, long);
    [
        (-t, -l),
        (t, -l),
        (t, -t),
        (l, -t),
        (l, t),
        (t, t),
        (t, l),
        (-t, l),
        (-t, t),
        (-l, t),
        (-l, -t),
        (-t, -t),
    ]
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Appearance {
    pub(super) colour: Colour,
    /// Its number in the legend.
    pub(super) index: usize,
}

impl Appearance {
    /// The appearance of the series number `index`; 56 of them differ.
    pub(super) fn new(index: usize) -> Self {
        Self { colour: PALETTE[index % PALETTE.len()], index }
    }

    /// A marker with a white rim, or a hollow one.
    pub(super) fn marker(&self, centre: Point, radius: f64, hollow: bool, opacity: f64) -> Shape {
        let radius = if hollow { radius * 0.85 } else { radius };
        let (fill, stroke) = if hollow {
            (Fill { colour: WHITE, opacity: 1.0 }, Stroke::solid(self.colour, radius * 0.42))
        } else {
            (Fill { colour: self.colour, opacity }, Stroke::solid(WHITE, radius * 0.3))
        };
        let stroke = (opacity >= 1.0).then_some(stroke);
        let corners = MARKERS[self.index % MARKERS.len()];
        if corners.is_empty() {
            return Shape::Circle { centre, radius, fill: Some(fill), stroke };
        }
        let place = |(x, y): &Point| (centre.0 + x * radius, centre.1 + y * radius);
        let points = corners.iter().map(place).collect();
        Shape::Path { points, closed: true, fill: Some(fill), stroke }
    }

    /// A bar between two corners; neighbours in the legend differ in lightness, not only in hue.
    pub(super) fn bar(&self, from: Point, to: Point) -> Shape {
        let strength = [0.85, 0.3, 0.6][self.index % 3];
        let mix = |tone: u8| (255.0 - (255.0 - f64::from(tone)) * strength).round() as u8;
        let Colour(red, green, blue) = self.colour;
        let colour = Colour(mix(red), mix(green), mix(blue)); // opaque, so no grid shines through
        Shape::Path {
            points: vec![from, (to.0, from.1), to, (from.0, to.1)],
            closed: true,
            fill: Some(Fill { colour, opacity: 1.0 }),
            stroke: Some(Stroke::solid(self.colour, 0.9)),
        }
    }
}

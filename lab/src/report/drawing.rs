//! A finished drawing as plain data: shapes in page units, last one on top.
//!
//! Why data and not calls: both renderers draw exactly the same list, and tests can look at it.
//! Invariant: every coordinate is finite and every shape lies inside the page.

/// A place on the page: right, down.
pub(super) type Point = (f64, f64);

/// A page and what is on it.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub(super) width: f64,
    pub(super) height: f64,
    /// For those who cannot see the picture.
    pub(super) title: String,
    pub(super) shapes: Vec<Shape>,
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

/// The inside of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fill {
    pub(super) colour: Colour,
    pub(super) opacity: f64,
}

/// The outline of a shape, or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: Colour,
    pub(super) width: f64,
    /// Length of a dash and of the gap after it.
    pub(super) dash: Option<(f64, f64)>,
}

impl Stroke {
    pub(super) fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: None }
    }
}

/// One thing on the page.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Path { points: Vec<Point>, closed: bool, fill: Option<Fill>, stroke: Option<Stroke> },
    Circle { centre: Point, radius: f64, fill: Option<Fill>, stroke: Option<Stroke> },
    Text(Text),
}

impl Shape {
    pub(super) fn line(from: Point, to: Point, stroke: Stroke) -> Self {
        Self::polyline(vec![from, to], stroke)
    }

    pub(super) fn polyline(points: Vec<Point>, stroke: Stroke) -> Self {
        Self::Path { points, closed: false, fill: None, stroke: Some(stroke) }
    }
}

/// A line of text.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// On the base line, at the side that `anchor` names.
    pub(super) at: Point,
    pub(super) content: String,
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    /// Clockwise around `at`, in degrees.
    pub(super) angle: f64,
}

/// The side of a text that stays where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    /// Dark, upright, left-aligned.
    pub(super) fn new(at: Point, content: impl Into<String>, size: f64) -> Self {
        let (colour, anchor) = (super::looks::INK, Anchor::Start);
        Self { at, content: content.into(), size, bold: false, colour, anchor, angle: 0.0 }
    }

    pub(super) fn bold(self, bold: bool) -> Self {
        Self { bold, ..self }
    }

    pub(super) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(super) fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    pub(super) fn turned(self, angle: f64) -> Self {
        Self { angle, ..self }
    }
}

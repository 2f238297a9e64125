//! A finished drawing as plain data: shapes in page units, last one on top.
//!
//! Why data and not calls: both renderers draw exactly the same list, and tests can look at it.
//! Invariant: every coordinate is finite and every shape lies inside the page.

use crate::font;

/// The colour of text and axes.
pub(crate) const INK: Colour = Colour(0x26, 0x2b, 0x31);

/// A place on the page: right, down.
pub type Point = (f64, f64);

/// A page and what is on it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// From left to right, in page units.
    pub width: f64,
    /// From top to bottom, in page units.
    pub height: f64,
    /// For those who cannot see the picture.
    pub title: String,
    /// In drawing order, the last one on top.
    pub shapes: Vec<Shape>,
}

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// The inside of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Its colour.
    pub colour: Colour,
    /// From 0, nothing to be seen, to 1.
    pub opacity: f64,
}

/// The outline of a shape, or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// How thick it is.
    pub width: f64,
    /// Length of a dash and of the gap after it.
    pub dash: Option<(f64, f64)>,
    /// From 0, nothing to be seen, to 1.
    pub opacity: f64,
}

impl Stroke {
    /// Without gaps.
    pub fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: None, opacity: 1.0 }
    }

    /// The same stroke, more or less to be seen through.
    pub fn opaque(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// One thing on the page.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Lines from point to point.
    Path { points: Vec<Point>, closed: bool, fill: Option<Fill>, stroke: Option<Stroke> },
    /// Many thin lines that look alike; drawn as one, they cost little. Where they cross they are no darker.
    Threads { threads: Vec<Thread>, stroke: Stroke },
    /// A circle.
    Circle { centre: Point, radius: f64, fill: Option<Fill>, stroke: Option<Stroke> },
    /// A line of text.
    Text(Text),
}

impl Shape {
    /// A line between two points.
    pub fn line(from: Point, to: Point, stroke: Stroke) -> Self {
        Self::polyline(vec![from, to], stroke)
    }

    /// Lines from point to point.
    pub fn polyline(points: Vec<Point>, stroke: Stroke) -> Self {
        Self::Path { points, closed: false, fill: None, stroke: Some(stroke) }
    }
}

/// A line, straight or bent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Where it begins.
    pub from: Point,
    /// What it bends towards, if it does: the control point of a quadratic curve.
    pub towards: Option<Point>,
    /// Where it ends.
    pub to: Point,
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct Text {
    /// On the base line, at the side that `anchor` names.
    pub at: Point,
    /// What it says.
    pub content: String,
    /// Height of a line.
    pub size: f64,
    /// Heavier than usual.
    pub bold: bool,
    /// Its colour.
    pub colour: Colour,
    /// Which of its sides is at `at`.
    pub anchor: Anchor,
    /// Clockwise around `at`, in degrees.
    pub angle: f64,
}

/// The side of a text that stays where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left side.
    Start,
    /// The middle.
    Middle,
    /// The right side.
    End,
}

impl Text {
    /// Dark, upright, left-aligned.
    pub fn new(at: Point, content: impl Into<String>, size: f64) -> Self {
        let (colour, anchor) = (INK, Anchor::Start);
        Self { at, content: content.into(), size, bold: false, colour, anchor, angle: 0.0 }
    }

    /// How long it is, in the embedded face.
    pub fn width(&self) -> f64 {
        font::width(&self.content, self.size, self.bold)
    }

    /// The same text, heavier if `bold`.
    pub fn bold(self, bold: bool) -> Self {
        Self { bold, ..self }
    }

    /// The same text, held at another side.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same text in another colour.
    pub fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// The same text, turned by so many degrees.
    pub fn turned(self, angle: f64) -> Self {
        Self { angle, ..self }
    }
}

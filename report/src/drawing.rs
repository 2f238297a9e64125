//! A drawing as plain data: shapes in page units, the last one on top.
//!
//! It is data and not calls, so that both renderers draw exactly the same list and tests can inspect it.
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
    /// For screen readers.
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
    pub colour: Colour,
    /// From 0 (invisible) to 1.
    pub opacity: f64,
}

/// The outline of a shape, or a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub colour: Colour,
    pub width: f64,
    /// Length of a dash and of the gap after it.
    pub dash: Option<(f64, f64)>,
    /// From 0 (invisible) to 1.
    pub opacity: f64,
}

impl Stroke {
    /// Without gaps.
    pub fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: None, opacity: 1.0 }
    }

    /// The same stroke with this opacity.
    pub fn opaque(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// One thing on the page.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Lines from point to point.
    Path {
        points: Vec<Point>,
        closed: bool,
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    },
    /// Many equal thin lines, drawn as one path. Where they cross they are no darker.
    Threads {
        threads: Vec<Thread>,
        stroke: Stroke,
    },
    Circle {
        centre: Point,
        radius: f64,
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    },
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
    pub from: Point,
    /// The control point of a quadratic curve, if the line is bent.
    pub towards: Option<Point>,
    pub to: Point,
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct Text {
    /// On the base line, at the side that `anchor` names.
    pub at: Point,
    pub content: String,
    /// Height of a line.
    pub size: f64,
    pub bold: bool,
    pub colour: Colour,
    /// The side of the text that is at `at`.
    pub anchor: Anchor,
    /// Clockwise around `at`, in degrees.
    pub angle: f64,
}

/// A side of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Text {
    /// Dark, upright, left-aligned.
    pub fn new(at: Point, content: impl Into<String>, size: f64) -> Self {
        let (colour, anchor) = (INK, Anchor::Start);
        Self { at, content: content.into(), size, bold: false, colour, anchor, angle: 0.0 }
    }

    /// Its width in the embedded typeface.
    pub fn width(&self) -> f64 {
        font::width(&self.content, self.size, self.bold)
    }

    pub fn bold(self, bold: bool) -> Self {
        Self { bold, ..self }
    }

    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// The same text, turned by so many degrees.
    pub fn turned(self, angle: f64) -> Self {
        Self { angle, ..self }
    }
}

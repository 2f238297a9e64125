//! What a chart shows, without any pixels: experiments build these values, and `layout` places them.

/// One panel: axes and series.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Heading of the panel; may be empty if the report has one chart only.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// In the order of the legend; a name has the same colour in every chart of a report.
    pub series: Vec<Series>,
}

/// One direction of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is measured, with the unit.
    pub label: String,
    /// How values become lengths.
    pub scale: Scale,
    /// First and last value shown; fitted to the data if absent or impossible.
    pub range: Option<(f64, f64)>,
    /// Values are counted, not measured: no tick lies between two whole numbers.
    pub whole: bool,
}

impl Axis {
    /// An axis fitted to the data.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale, range: None, whole: false }
    }

    /// The same axis from `first` to `last`; what lies outside is cut off.
    pub fn within(self, first: f64, last: f64) -> Self {
        Self { range: Some((first, last)), ..self }
    }

    /// The same axis with ticks at whole numbers only, for counts (hops, items). It changes nothing on a
    /// logarithmic axis or one with names.
    pub fn counted(self) -> Self {
        Self { whole: true, ..self }
    }
}

/// How values become lengths.
#[derive(Clone, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences, equal lengths.
    Linear,
    /// Equal ratios, equal lengths; values that are not positive are left out.
    Log,
    /// The values 0, 1, 2, … stand for these names.
    Named(Vec<String>),
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its entry in the legend; an empty name has none.
    pub name: String,
    /// In drawing order; points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Half the length of a whisker at each point, by position; empty for none.
    pub deviations: Vec<f64>,
    /// How the points are shown.
    pub style: Style,
    /// Drawn stronger and above the others.
    pub emphasis: bool,
}

impl Series {
    /// A series without emphasis or deviations.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, deviations: Vec::new(), style, emphasis: false }
    }

    /// The same series, drawn stronger and above the others if `yes`.
    pub fn emphasised(self, yes: bool) -> Self {
        Self { emphasis: yes, ..self }
    }

    /// The same series with a whisker of y ± deviation at each point.
    pub fn with_deviations(self, deviations: Vec<f64>) -> Self {
        Self { deviations, ..self }
    }
}

/// How a series is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Points joined by a line.
    Line,
    /// A broken line with hollow markers, for references and limits.
    Dashed,
    /// Markers alone.
    Points,
    /// Each value holds until the next one.
    Steps,
    /// Bars from zero, centred on x; several series stand side by side.
    Bars,
}

//! One chart on the page: its texts, its axes and its data.

use super::axes;
use super::chart::{Chart, Style};
use super::drawing::{Anchor, Point, Shape, Text};
use super::font;
use super::marks;
use super::palette::{Appearance, GREY};
use super::plot::{Plot, Sizes, with_deviations};
use super::range::{Fit, Range, shows};

/// Room that title, labels and ticks take on each side of the data.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Insets {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Insets {
    /// The larger of both on every side.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// A chart with its limits decided and its texts broken into lines.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    chart: &'a Chart,
    x: Range,
    y: Range,
    sizes: Sizes,
    title: Vec<String>,
    x_label: Vec<String>,
    y_label: Vec<String>,
    legend_height: f64,
    y_steps: usize,
    height: f64,
}

/// Between the data and the label of the y axis.
const ABOVE_PLOT: f64 = 13.0;

impl<'a> Panel<'a> {
    /// Prepares a chart for a panel `width` wide whose data is `height` high, with room for a
    /// legend of its own.
    pub(super) fn new(
        chart: &'a Chart,
        (width, height): (f64, f64),
        legend_height: f64,
        sizes: Sizes,
    ) -> Self {
        let has_bars = chart.series.iter().any(|series| series.style == Style::Bars);
        let mut x = Range::new(&chart.x, shown(chart).map(|(x, ..)| x), Fit::Tight);
        if has_bars {
            x.widen(marks::bar_pitch(&x, chart) / 2.0);
        }
        let inside = |x_value| x.fraction(x_value).is_some_and(|f| (0.0..=1.0).contains(&f));
        let ends = |(_, y, spread): (f64, f64, f64)| [y - spread, y + spread];
        let values = shown(chart).filter(|(x, ..)| inside(*x)).flat_map(ends);
        let y_steps = ((height / 42.0) as usize).clamp(2, 8);
        let fit = if has_bars { Fit::FromZero } else { Fit::Round };
        let y = Range::new(&chart.y, values, fit(y_steps));
        let lines = |text: &str| font::wrap(text, sizes.text, false, width);
        let title = font::wrap(&chart.title, sizes.title, sizes.bold_title, width);
        let (x_label, y_label) = (lines(&chart.x.label), lines(&chart.y.label));
        Self { chart, x, y, sizes, title, x_label, y_label, legend_height, y_steps, height }
    }

    /// The room this panel needs around its data if it is `width` wide in all.
    pub(super) fn insets(&self, width: f64) -> Insets {
        let Sizes { text, title, .. } = self.sizes;
        let mut left = axes::y_tick_room(&self.y, self.y_steps, text);
        let x_ticks = axes::x_tick_room(&self.x, width - left, text);
        left = left.max(x_ticks.left);
        let line = self.sizes.line_height();
        let heading = self.title.len() as f64 * title * 1.4 + self.legend_height;
        Insets {
            left,
            top: heading + self.y_label.len() as f64 * line + ABOVE_PLOT,
            right: text * 1.3,
            bottom: x_ticks.below + self.x_label.len() as f64 * line,
        }
    }

    /// The area for data inside a panel at `origin`.
    pub(super) fn plot(&self, origin: Point, width: f64, insets: Insets) -> Plot {
        let top = origin.1 + insets.top;
        Plot {
            left: origin.0 + insets.left,
            top,
            right: origin.0 + width - insets.right,
            bottom: top + self.height,
            x: self.x.clone(),
            y: self.y.clone(),
            sizes: self.sizes,
        }
    }

    /// Where the legend of a panel at `top` begins.
    pub(super) fn legend_top(&self, top: f64) -> f64 {
        top + self.title.len() as f64 * self.sizes.title * 1.4
    }

    /// Draws title, axes, grid and data; `appearance` tells the appearance of a series by its name.
    pub(super) fn draw(
        &self,
        plot: &Plot,
        origin: Point,
        appearance: impl Fn(&str) -> Appearance,
        shapes: &mut Vec<Shape>,
    ) {
        self.draw_texts(plot, origin, shapes);
        axes::draw(plot, self.y_steps, shapes);
        if shown(self.chart).next().is_none() {
            let middle = (plot.across(0.5), plot.up(0.5));
            let text = Text::new(middle, "no data", self.sizes.text).coloured(GREY);
            shapes.push(Shape::Text(text.anchored(Anchor::Middle)));
        }
        marks::draw(plot, self.chart, appearance, shapes);
    }

    fn draw_texts(&self, plot: &Plot, (left, top): Point, shapes: &mut Vec<Shape>) {
        let Sizes { text, title, bold_title, .. } = self.sizes;
        let line = self.sizes.line_height();
        for (index, content) in self.title.iter().enumerate() {
            let at = (left, top + title * (1.0 + 1.4 * index as f64));
            shapes.push(Shape::Text(Text::new(at, content, title).bold(bold_title)));
        }
        for (above, content) in self.y_label.iter().rev().enumerate() {
            let at = (left, plot.top - ABOVE_PLOT - 2.0 - above as f64 * line);
            shapes.push(Shape::Text(Text::new(at, content, text).coloured(GREY)));
        }
        let ticks = axes::x_tick_room(&plot.x, plot.right - plot.left, text);
        let below = plot.bottom + ticks.below;
        for (index, content) in self.x_label.iter().enumerate() {
            let at = (plot.across(0.5), below + text * 1.1 + index as f64 * line);
            let label = Text::new(at, content, text).anchored(Anchor::Middle).coloured(GREY);
            shapes.push(Shape::Text(label));
        }
    }
}

/// Points of a chart that its axes can show, with their deviation.
fn shown(chart: &Chart) -> impl Iterator<Item = (f64, f64, f64)> {
    chart
        .series
        .iter()
        .flat_map(with_deviations)
        .filter(|(x, y, _)| shows(&chart.x.scale, *x) && shows(&chart.y.scale, *y))
}

//! Grid, ticks and their labels. Labels never touch: numbers get fewer ticks, names are tilted.

use super::drawing::{Anchor, INK, Point, Shape, Stroke, Text};
use super::font;
use super::label::Label;
use super::palette::{FAINT, GREY, GRID};
use super::plot::Plot;
use super::range::{Range, Tick};

/// The slope of names that do not fit side by side, in degrees.
const TILT: f64 = 32.0;
/// Names on an axis are cut at this width.
const LONGEST_NAME: f64 = 150.0;

/// The room that x ticks need below the axis, and left of the first of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TickRoom {
    pub(super) below: f64,
    pub(super) left: f64,
}

/// The room for the ticks of an x axis `width` wide.
pub(super) fn x_tick_room(range: &Range, width: f64, size: f64) -> TickRoom {
    let Some(slot) = tilted_slot(range, width, size) else {
        return TickRoom { below: size * 1.4 + 6.0, left: 0.0 };
    };
    let longest = widest(&range.ticks(1), size).min(LONGEST_NAME);
    let (sin, cos) = TILT.to_radians().sin_cos();
    TickRoom { below: longest * sin + size + 8.0, left: longest * cos - slot / 2.0 + size * sin }
}

/// The room for the labels of a y axis with about `steps` ticks.
pub(super) fn y_tick_room(range: &Range, steps: usize, size: f64) -> f64 {
    widest(&range.ticks(steps), size) + 10.0
}

/// Draws grid and axes of a plot.
pub(super) fn draw(plot: &Plot, y_steps: usize, shapes: &mut Vec<Shape>) {
    let Plot { left, top, right, bottom, .. } = *plot;
    let size = plot.sizes.text;
    let named = plot.x.names().is_some();
    let x_ticks = fitting_ticks(&plot.x, right - left, size);
    let y_ticks = plot.y.ticks(y_steps);
    for (labelled, stroke) in [(false, Stroke::solid(FAINT, 0.8)), (true, Stroke::solid(GRID, 0.9))]
    {
        for tick in x_ticks.iter().filter(|t| !named && t.label.is_some() == labelled) {
            let x = plot.across(tick.at);
            shapes.push(Shape::line((x, top), (x, bottom), stroke));
        }
        for tick in y_ticks.iter().filter(|t| t.label.is_some() == labelled) {
            let y = plot.up(tick.at);
            shapes.push(Shape::line((left, y), (right, y), stroke));
        }
    }
    for tick in &y_ticks {
        let at = (left - 7.0, plot.up(tick.at) + size * 0.35);
        place_label(tick.label.as_ref(), at, size, Anchor::End, shapes);
    }
    let tilted = tilted_slot(&plot.x, right - left, size).is_some();
    for tick in x_ticks.iter().filter(|tick| tick.label.is_some()) {
        let x = plot.across(tick.at);
        shapes.push(Shape::line((x, bottom), (x, bottom + 4.0), Stroke::solid(INK, 1.0)));
        match &tick.label {
            Some(name) if tilted => {
                let at = (x + size * 0.3, bottom + size + 4.0);
                let text = Text::new(at, font::cut(&name.text, size, LONGEST_NAME), size);
                shapes.push(Shape::Text(text.anchored(Anchor::End).turned(-TILT)));
            }
            label => {
                let at = (x, bottom + size + 7.0);
                place_label(label.as_ref(), at, size, Anchor::Middle, shapes);
            }
        }
    }
    if plot.y.names().is_none() {
        let base = plot.up(plot.y.base());
        shapes.push(Shape::line((left, base), (right, base), Stroke::solid(GREY, 0.9)));
    }
    shapes.push(Shape::line((left, bottom), (right, bottom), Stroke::solid(INK, 1.0)));
}

/// The width one name has on the axis, if the names are too long to stand upright.
fn tilted_slot(range: &Range, width: f64, size: f64) -> Option<f64> {
    let names = range.names()?;
    let slot = width / names.len().max(1) as f64;
    names.iter().any(|name| font::room(name, size, false) > slot - 6.0).then_some(slot)
}

/// As many ticks as the labels allow without touching.
fn fitting_ticks(range: &Range, width: f64, size: f64) -> Vec<Tick> {
    if range.names().is_some() {
        let mut ticks = range.ticks(1);
        if let Some(slot) = tilted_slot(range, width, size) {
            let every = (size * 1.2 / TILT.to_radians().sin() / slot).ceil().max(1.0) as usize;
            thin_labels(&mut ticks, every);
        }
        return ticks;
    }
    for wanted in (1..=((width / 55.0) as usize).clamp(2, 10)).rev() {
        let ticks = range.ticks(wanted);
        if !crowded(&ticks, width, size) {
            return ticks;
        }
    }
    // Rounder steps do not help: keep every other label, or every fourth.
    let mut ticks = range.ticks(1);
    while crowded(&ticks, width, size) {
        thin_labels(&mut ticks, 2);
    }
    ticks
}

/// Keeps one label of `every` so many.
fn thin_labels(ticks: &mut [Tick], every: usize) {
    let labelled = ticks.iter_mut().filter(|tick| tick.label.is_some()).enumerate();
    for (_, tick) in labelled.filter(|(index, _)| index % every != 0) {
        tick.label = None;
    }
}

fn crowded(ticks: &[Tick], width: f64, size: f64) -> bool {
    let mut free_from = f64::NEG_INFINITY;
    let mut labels = ticks.iter().filter_map(|t| Some((t.at * width, t.label.as_ref()?)));
    labels.any(|(x, label)| {
        let half = label_room(label, size) / 2.0;
        let touches = x - half < free_from;
        free_from = x + half + 8.0;
        touches
    })
}

fn widest(ticks: &[Tick], size: f64) -> f64 {
    let labels = ticks.iter().filter_map(|tick| tick.label.as_ref());
    labels.map(|label| label_room(label, size)).fold(0.0, f64::max)
}

fn label_room(label: &Label, size: f64) -> f64 {
    font::room(&label.text, size, false) + font::room(&label.exponent, size * 0.72, false)
}

fn place_label(
    label: Option<&Label>,
    at: Point,
    size: f64,
    anchor: Anchor,
    shapes: &mut Vec<Shape>,
) {
    let Some(Label { text, exponent }) = label else {
        return;
    };
    if exponent.is_empty() {
        shapes.push(Shape::Text(Text::new(at, text, size).anchored(anchor)));
        return;
    }
    let small = size * 0.72;
    let raised = font::width(exponent, small, false);
    let end = match anchor {
        Anchor::Start => at.0 + font::width(text, size, false),
        Anchor::Middle => at.0 + (font::width(text, size, false) - raised) / 2.0,
        Anchor::End => at.0 - raised,
    };
    let base = Text::new((end, at.1), text, size).anchored(Anchor::End);
    let power = Text::new((end + 0.5, at.1 - size * 0.4), exponent, small);
    shapes.extend([Shape::Text(base), Shape::Text(power)]);
}

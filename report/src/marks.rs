//! The data of a chart as shapes: lines, steps, markers, bars, whiskers, cut off at the edges of
//! the plot so that neither renderer needs to clip.

use std::collections::HashSet;

use super::chart::{Chart, Series, Style};
use super::drawing::{INK, Point, Shape, Stroke};
use super::palette::Appearance;
use super::plot::{Plot, with_deviations};
use super::range::Range;

/// More points than this are thinned to what the eye can tell apart.
const MANY_POINTS: usize = 2_000;
/// Bars over a few names do not grow into walls.
const WIDEST_BAR: f64 = 64.0;

/// Draws all series: bars first, then lines and markers, emphasised ones on top.
pub(super) fn draw(
    plot: &Plot,
    chart: &Chart,
    appearance: impl Fn(&str) -> Appearance,
    shapes: &mut Vec<Shape>,
) {
    let bars: Vec<&Series> = chart.series.iter().filter(|s| s.style == Style::Bars).collect();
    let pitch = bar_pitch(&plot.x, chart);
    for (slot, series) in bars.iter().enumerate() {
        draw_bars(plot, series, appearance(&series.name), pitch, (slot, bars.len()), shapes);
    }
    for emphasis in [false, true] {
        let layer = |s: &&Series| s.style != Style::Bars && s.emphasis == emphasis;
        for series in chart.series.iter().filter(layer) {
            draw_series(plot, series, appearance(&series.name), shapes);
        }
    }
}

/// Distance between neighbouring bars, as a fraction of the axis.
pub(super) fn bar_pitch(x: &Range, chart: &Chart) -> f64 {
    if let Some(names) = x.names() {
        return 1.0 / names.len().max(1) as f64;
    }
    let bars = chart.series.iter().filter(|s| s.style == Style::Bars);
    let mut at: Vec<f64> = bars.flat_map(|s| &s.points).filter_map(|p| x.fraction(p.0)).collect();
    at.sort_by(f64::total_cmp);
    let gaps = at.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 1e-9);
    gaps.fold(f64::INFINITY, f64::min).min(0.2)
}

/// The stroke of a series' line.
pub(super) fn line_stroke(series: &Series, appearance: Appearance, width: f64) -> Stroke {
    let width = if series.emphasis { width * 1.6 } else { width };
    let dash = (series.style == Style::Dashed).then_some((width * 3.6, width * 2.4));
    Stroke { dash, ..Stroke::solid(appearance.colour, width) }
}

fn draw_series(plot: &Plot, series: &Series, appearance: Appearance, shapes: &mut Vec<Shape>) {
    draw_whiskers(plot, series, appearance, 0.0, shapes);
    let places: Vec<Point> = series.points.iter().filter_map(|p| plot.place(*p)).collect();
    let line = match series.style {
        Style::Line | Style::Dashed => places.clone(),
        Style::Steps => steps(&places),
        Style::Points | Style::Bars => Vec::new(),
    };
    let stroke = line_stroke(series, appearance, plot.sizes.line);
    for run in clip(&thin(line), plot) {
        shapes.push(Shape::polyline(run, stroke));
    }
    let mut visible: Vec<Point> = places.into_iter().filter(|p| plot.contains(*p)).collect();
    if visible.len() > MANY_POINTS {
        let mut taken = HashSet::new();
        visible.retain(|(x, y)| taken.insert(((x * 2.0) as i64, (y * 2.0) as i64)));
    }
    let (every, offset) = match series.style {
        Style::Points => (1, 0),
        _ => marker_rhythm(visible.len(), plot.right - plot.left, appearance.index),
    };
    let (radius, opacity) = match visible.len() {
        ..=300 => (plot.sizes.marker, 1.0),
        301..=3_000 => (plot.sizes.marker * 0.65, 0.6),
        _ => (plot.sizes.marker * 0.45, 0.4),
    };
    let (radius, opacity) =
        if series.style == Style::Points { (radius, opacity) } else { (plot.sizes.marker, 1.0) };
    let radius = if series.emphasis { radius * 1.2 } else { radius };
    for place in visible.iter().skip(offset).step_by(every) {
        shapes.push(appearance.marker(*place, radius, series.style == Style::Dashed, opacity));
    }
}

/// Every how many points a line carries a marker, and at which it begins: all of them if there is
/// room, else a handful, set off from those of the other series.
fn marker_rhythm(points: usize, width: f64, index: usize) -> (usize, usize) {
    if points as f64 * 15.0 <= width {
        return (1, 0);
    }
    let every = (points as f64 * 70.0 / width).ceil().max(1.0) as usize;
    (every, every * (1 + index * 3 % 7) / 8)
}

fn draw_bars(
    plot: &Plot,
    series: &Series,
    appearance: Appearance,
    pitch: f64,
    (slot, slots): (usize, usize),
    shapes: &mut Vec<Shape>,
) {
    // A lone series over numbers is a histogram, whose bars nearly touch.
    let used = if slots == 1 && plot.x.names().is_none() { 0.92 } else { 0.76 };
    let pitch = pitch * (plot.right - plot.left);
    let widest = if plot.x.names().is_some() { WIDEST_BAR } else { f64::INFINITY };
    let width = (pitch * used / slots as f64).min(widest);
    let offset = (slot as f64 + 0.5 - slots as f64 / 2.0) * width;
    let base = plot.up(plot.y.base());
    let gap = if slots > 1 { (width * 0.04).min(1.0) } else { 0.0 };
    for (x, y) in series.points.iter().filter_map(|point| plot.place(*point)) {
        let left = (x + offset - width / 2.0 + gap).clamp(plot.left, plot.right);
        let right = (x + offset + width / 2.0 - gap).clamp(plot.left, plot.right);
        let end = y.clamp(plot.top, plot.bottom);
        if right > left && (end - base).abs() > 1e-6 {
            shapes.push(appearance.bar((left, base), (right, end)));
        }
    }
    draw_whiskers(plot, series, appearance, offset, shapes);
}

/// Lines from y − deviation to y + deviation with short ends, `offset` to the right of x.
fn draw_whiskers(
    plot: &Plot,
    series: &Series,
    appearance: Appearance,
    offset: f64,
    shapes: &mut Vec<Shape>,
) {
    let colour = if series.style == Style::Bars { INK } else { appearance.colour };
    let stroke = Stroke::solid(colour, 1.1);
    for (x, y, deviation) in with_deviations(series).filter(|(.., deviation)| *deviation > 0.0) {
        let Some((x, _)) = plot.place((x, y)).filter(|place| plot.contains(*place)) else {
            continue;
        };
        let height = |value| plot.up(plot.y.fraction(value).unwrap_or(0.0).clamp(0.0, 1.0));
        let (x, low, high) = (x + offset, height(y - deviation), height(y + deviation));
        let cap = plot.sizes.marker * 0.8;
        shapes.push(Shape::line((x, low), (x, high), stroke));
        for end in [low, high] {
            shapes.push(Shape::line((x - cap, end), (x + cap, end), stroke));
        }
    }
}

fn steps(places: &[Point]) -> Vec<Point> {
    let mut corners: Vec<Point> = Vec::with_capacity(places.len() * 2);
    for place in places {
        if let Some(last) = corners.last() {
            corners.push((place.0, last.1));
        }
        corners.push(*place);
    }
    corners
}

/// Of neighbours that share half a unit of width, keeps the first, lowest, highest and last.
fn thin(line: Vec<Point>) -> Vec<Point> {
    if line.len() <= MANY_POINTS {
        return line;
    }
    let mut thinned = Vec::new();
    for column in line.chunk_by(|a, b| (a.0 * 2.0).floor() == (b.0 * 2.0).floor()) {
        let by_height = |a: &&Point, b: &&Point| a.1.total_cmp(&b.1);
        let (low, high) = (column.iter().min_by(by_height), column.iter().max_by(by_height));
        let mut kept: Vec<Point> =
            [column.first(), low, high, column.last()].into_iter().flatten().copied().collect();
        kept.dedup();
        thinned.extend(kept);
    }
    thinned
}

/// The parts of a line inside the plot.
fn clip(line: &[Point], plot: &Plot) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut leaves = true;
    for pair in line.windows(2) {
        let Some((from, to)) = clip_segment(pair[0], pair[1], plot) else {
            leaves = true;
            continue;
        };
        match runs.last_mut() {
            Some(run) if !leaves => run.push(to),
            _ => runs.push(vec![from, to]),
        }
        leaves = to != pair[1];
    }
    runs
}

/// Cuts a segment at the four edges, one after the other.
fn clip_segment(from: Point, to: Point, plot: &Plot) -> Option<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let edges = [
        (-dx, from.0 - plot.left),
        (dx, plot.right - from.0),
        (-dy, from.1 - plot.top),
        (dy, plot.bottom - from.1),
    ];
    for (outward, room) in edges {
        if outward == 0.0 {
            if room < -1e-6 {
                return None;
            }
        } else if outward < 0.0 {
            enter = enter.max(room / outward);
        } else {
            leave = leave.min(room / outward);
        }
    }
    let at = |t: f64| (from.0 + t * dx, from.1 + t * dy);
    let start = if enter > 0.0 { at(enter) } else { from };
    let end = if leave < 1.0 { at(leave) } else { to };
    (enter <= leave).then_some((start, end))
}

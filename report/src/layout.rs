//! The page: title on top, then one large chart with its legend beside it, or a grid of small ones
//! with equal margins, so that they can be compared.

use std::collections::HashSet;

use super::chart::Chart;
use super::drawing::{Drawing, Shape, Text};
use super::font;
use super::legend::Legend;
use super::panel::{Insets, Panel};
use super::plot::Sizes;

const MARGIN: f64 = 26.0;
const GAP: f64 = 30.0;
const TITLE: f64 = 17.0;
const BELOW_LEGEND: f64 = 14.0;

/// Lays out `charts` under `title`.
pub(super) fn draw(title: &str, charts: &[Chart]) -> Drawing {
    let (columns, panel) = match charts.len() {
        0 | 1 => (1, (850.0, 390.0)),
        2 | 4 => (2, (440.0, 240.0)),
        3 | 5..=9 => (3, (370.0, 205.0)),
        _ => (4, (320.0, 180.0)),
    };
    let width = panel.0 * columns as f64 + GAP * (columns - 1) as f64;
    let mut shapes = Vec::new();
    let mut y = MARGIN;
    for line in font::wrap(title, TITLE, true, width) {
        let text = Text::new((MARGIN, y + TITLE * 0.8), line, TITLE).bold(true);
        shapes.push(Shape::Text(text));
        y += TITLE * 1.4;
    }
    y += 8.0;
    let bottom = match charts {
        [chart] => draw_single(chart, y, panel, &mut shapes),
        _ => draw_grid(charts, y, columns, panel, &mut shapes),
    };
    let (width, height) = (width + 2.0 * MARGIN, (bottom + MARGIN).ceil());
    Drawing { width, height, title: title.to_owned(), shapes }
}

/// Draws the only chart of a page from `y` on and returns where it ends.
fn draw_single(chart: &Chart, mut y: f64, size: (f64, f64), shapes: &mut Vec<Shape>) -> f64 {
    let (width, height) = size;
    let sizes = Sizes::LARGE;
    let panel = Panel::new(chart, size, 0.0, sizes);
    let mut insets = panel.insets(width);
    let beside = Legend::new([chart], sizes, width * 0.32);
    let fits_beside = beside.height() <= height;
    let legend = if fits_beside { beside } else { Legend::new([chart], sizes, width) };
    if fits_beside {
        insets = insets.max(panel.insets(width - legend.width()));
        insets.right = insets.right.max(legend.width() + 14.0);
    } else {
        y += legend.draw_above((MARGIN, y), width, shapes) + BELOW_LEGEND;
    }
    let plot = panel.plot((MARGIN, y), width, insets);
    panel.draw(&plot, (MARGIN, y), |name| legend.appearance(name), shapes);
    if fits_beside {
        legend.draw_beside(&plot, shapes);
    }
    plot.bottom + insets.bottom
}

/// Draws several charts from `y` on and returns where the last row ends. Charts that have series
/// in common share a legend above all of them; charts that have none get one each.
fn draw_grid(
    charts: &[Chart],
    mut y: f64,
    columns: usize,
    size: (f64, f64),
    shapes: &mut Vec<Shape>,
) -> f64 {
    let (sizes, width) = (Sizes::SMALL, size.0);
    let mut legends: Vec<Legend<'_>> = Vec::new();
    let shared = any_name_in_common(charts);
    if shared {
        let full_width = width * columns as f64 + GAP * (columns - 1) as f64;
        let legend = Legend::new(charts, sizes, full_width);
        y += legend.draw_above((MARGIN, y), full_width, shapes) + BELOW_LEGEND;
        legends.push(legend);
    } else {
        legends.extend(charts.iter().map(|chart| Legend::new([chart], sizes, width)));
    }
    let legend_of = |index: usize| &legends[if shared { 0 } else { index }];
    let panel_of = |(index, chart)| {
        let room = if shared { 0.0 } else { legend_of(index).height_above(width) };
        Panel::new(chart, size, room, sizes)
    };
    let panels: Vec<Panel<'_>> = charts.iter().enumerate().map(panel_of).collect();
    let needs = |panels: &[Panel<'_>]| {
        panels.iter().map(|panel| panel.insets(width)).fold(Insets::default(), Insets::max)
    };
    let Insets { left, right, .. } = needs(&panels);
    for (row, panels) in panels.chunks(columns).enumerate() {
        let insets = Insets { left, right, ..needs(panels) };
        for (column, panel) in panels.iter().enumerate() {
            let legend = legend_of(row * columns + column);
            let origin = (MARGIN + column as f64 * (width + GAP), y);
            let plot = panel.plot(origin, width, insets);
            panel.draw(&plot, origin, |name| legend.appearance(name), shapes);
            if !shared {
                legend.draw_above((origin.0, panel.legend_top(y)), width, shapes);
            }
        }
        y += insets.top + size.1 + insets.bottom + GAP;
    }
    y - GAP
}

fn any_name_in_common(charts: &[Chart]) -> bool {
    let mut known = HashSet::new();
    charts.iter().any(|chart| {
        let names: HashSet<&str> =
            chart.series.iter().map(|s| s.name.as_str()).filter(|name| !name.is_empty()).collect();
        let common = names.iter().any(|name| known.contains(name));
        known.extend(names);
        common
    })
}

//! Trees of points in the plane, side by side.

use pergola_report::drawing::{Drawing, Fill, Point, Shape, Stroke, Text, Thread};
use pergola_wiring::plane::Plane;

use super::hues::{GREY, INK, WHITE, hue};
use super::limit::{DrawError, check};
use crate::power_law;

const SIDE: f64 = 440.0;
const MARGIN: f64 = 24.0;
const CAPTION: f64 = 52.0;
/// The most lines that are drawn as one shape.
const BATCH: usize = 200;

/// Draws the tree for each α. All points below one reader of the source have one colour. Lines are thicker
/// the more points are below them, dots larger the more readers a point has.
///
/// # Errors
/// When there are more points than can be drawn.
pub fn planes(planes: &[(f64, Plane)]) -> Result<Drawing, DrawError> {
    let mut shapes = Vec::new();
    for (index, (alpha, plane)) in planes.iter().enumerate() {
        check(plane.points.len())?;
        let left = MARGIN + index as f64 * (SIDE + MARGIN);
        caption((left, MARGIN), *alpha, plane, &mut shapes);
        draw((left, MARGIN + CAPTION), plane, &mut shapes);
    }
    let width = MARGIN + planes.len() as f64 * (SIDE + MARGIN);
    let height = 2.0 * MARGIN + CAPTION + SIDE;
    Ok(Drawing { width, height, title: "Points in the plane".to_owned(), shapes })
}

fn caption((left, top): Point, alpha: f64, plane: &Plane, shapes: &mut Vec<Shape>) {
    let degrees = plane.out_degrees();
    let most = degrees.iter().max().copied().unwrap_or(0);
    let leaves = degrees.iter().filter(|&&degree| degree == 0).count();
    let tail = power_law::fit(&degrees);
    let exponent = tail.map_or(String::new(), |tail| format!(", exponent {:.2}", tail.exponent));
    let title = format!("α = {alpha}");
    let share = 100.0 * leaves as f64 / degrees.len() as f64;
    let below = format!("most readers {most}, leaves {share:.0} %{exponent}");
    shapes.push(Shape::Text(Text::new((left, top + 12.0), title, 16.0).bold(true)));
    shapes.push(Shape::Text(Text::new((left, top + 32.0), below, 12.0).coloured(GREY)));
}

fn draw((left, top): Point, plane: &Plane, shapes: &mut Vec<Shape>) {
    let place = |point: usize| {
        let (x, y) = plane.points[point];
        (left + x * SIDE, top + y * SIDE)
    };
    let count = plane.points.len();
    // A point comes after its parent, so colours are passed on in this order and sums in the reverse one.
    let mut turns = vec![0_u32; count];
    for point in 1..count {
        turns[point] = match plane.parents[point] {
            0 => {
                let (x, y) = plane.points[point];
                let turn = (y - 0.5).atan2(x - 0.5) / std::f64::consts::TAU;
                // Neighbours around the source get different colours.
                ((turn.rem_euclid(1.0) * 7.0).fract() * 48.0) as u32
            }
            parent => turns[parent as usize],
        };
    }
    let mut below = vec![1_u32; count];
    for point in (1..count).rev() {
        below[plane.parents[point] as usize] += below[point];
    }
    let mut lines: Vec<((u32, u32), Thread)> = (1..count)
        .map(|point| {
            let (from, to) = (place(plane.parents[point] as usize), place(point));
            ((below[point].ilog2() / 2, turns[point]), Thread { from, towards: None, to })
        })
        .collect();
    lines.sort_by_key(|(style, _)| *style);
    let star = f64::from(plane.out_degrees()[0]) / count as f64;
    for alike in lines.chunk_by(|a, b| a.0 == b.0) {
        let (thickness, turn) = alike[0].0;
        let opacity = if thickness == 0 { 0.75 - 0.5 * star } else { 0.85 };
        let width = 0.3 + 0.35 * f64::from(thickness);
        let stroke = Stroke::solid(hue(f64::from(turn) / 48.0), width).opaque(opacity);
        for batch in alike.chunks(BATCH) {
            let threads = batch.iter().map(|(_, thread)| *thread).collect();
            shapes.push(Shape::Threads { threads, stroke });
        }
    }
    let degrees = plane.out_degrees();
    for point in (1..count).filter(|&point| degrees[point] >= 8) {
        let radius = (0.45 * f64::from(degrees[point]).sqrt()).min(7.0);
        let fill = Some(Fill { colour: hue(f64::from(turns[point]) / 48.0), opacity: 1.0 });
        let stroke = Some(Stroke::solid(WHITE, 0.5));
        shapes.push(Shape::Circle { centre: place(point), radius, fill, stroke });
    }
    let fill = Some(Fill { colour: INK, opacity: 1.0 });
    let stroke = Some(Stroke::solid(WHITE, 1.0));
    shapes.push(Shape::Circle { centre: place(0), radius: 4.5, fill, stroke });
}

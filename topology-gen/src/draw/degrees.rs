//! Charts of the number of readers. With logarithmic axes a power law is a straight line.

use pergola_report::{Axis, Chart, Report, Scale, Series, Style, Table};
use pergola_wiring::graph::Link;
use pergola_wiring::mesh::Mesh;
use pergola_wiring::plane::Plane;

use crate::power_law;
use crate::stats::{out_degrees, tail_note};

/// The number of readers of all sources and feeds of a mesh.
pub fn degrees_of_mesh(mesh: &Mesh, links: &[Link]) -> Report {
    let (sources, feeds) = out_degrees(mesh, links);
    let degrees = [sources, feeds].concat();
    report(vec![chart(String::new(), &degrees)])
}

/// The number of readers of all points, one chart per α.
pub fn degrees_of_planes(planes: &[(f64, Plane)]) -> Report {
    let of_plane =
        |(alpha, plane): &(f64, Plane)| chart(format!("α = {alpha}"), &plane.out_degrees());
    report(planes.iter().map(of_plane).collect())
}

fn report(charts: Vec<Chart>) -> Report {
    Report {
        title: "Distribution of the number of readers".to_owned(),
        notes: Vec::new(),
        table: Table::default(),
        json: serde_json::Value::Null,
        charts,
    }
}

fn chart(title: String, degrees: &[u32]) -> Chart {
    let mut sorted: Vec<u32> = degrees.iter().copied().filter(|&degree| degree > 0).collect();
    sorted.sort_unstable();
    let all = degrees.len().max(1) as f64;
    let mut at_least = sorted.len();
    let mut points = Vec::new();
    for same in sorted.chunk_by(|a, b| a == b) {
        points.push((f64::from(same[0]), at_least as f64 / all));
        at_least -= same.len();
    }
    let mut series = vec![Series::new("counted", Style::Points, points)];
    let tail = power_law::fit(degrees);
    if let (Some(tail), Some(&most)) = (tail, sorted.last()) {
        let share = tail.values as f64 / all;
        let ends = [tail.from, most].map(|at| (f64::from(at), share * tail.at_least(at)));
        let name = format!("exponent {:.2}", tail.exponent);
        series.push(Series::new(name, Style::Line, ends.into()));
    }
    let title = if title.is_empty() { tail_note(tail.as_ref()) } else { title };
    Chart {
        title,
        x: Axis::new("at least this many readers", Scale::Log),
        y: Axis::new("share of sources and feeds", Scale::Log),
        series,
    }
}

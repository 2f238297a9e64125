//! `plane`: grows trees of points in the plane, as in the published figure.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use pergola_report::{Cell, Column, Report, Table, check_paths};
use pergola_topology::stats::Spread;
use pergola_topology::{draw, power_law};
use pergola_wiring::plane::{Plane, scatter};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::show::show;

#[derive(Debug, Args)]
pub(super) struct PlaneArgs {
    /// The number of points in the unit square, without the source in its middle.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    points: usize,
    /// The weight of distance against hops; repeat it to compare several.
    #[arg(long, value_name = "A", default_values_t = [4.0, 20.0, 100.0], allow_negative_numbers = true)]
    alpha: Vec<f64>,
    /// The random seed; the same seed gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Draw the trees, side by side, as .svg or .png.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the distribution of the number of readers, as .svg or .png.
    #[arg(long, value_name = "FILE")]
    degrees: Option<PathBuf>,
}

impl PlaneArgs {
    pub(super) fn run(&self, out: &mut impl Write) -> Result<()> {
        for path in [&self.plot, &self.degrees].into_iter().flatten() {
            check_paths(None, Some(path))?;
        }
        let points = scatter(self.points, &mut ChaCha8Rng::seed_from_u64(self.seed))?;
        let mut planes = Vec::with_capacity(self.alpha.len());
        for &alpha in &self.alpha {
            planes.push((alpha, Plane::grow(points.clone(), alpha)?));
        }
        if let Some(path) = &self.plot {
            draw::planes(&planes)?.write(path)?;
        }
        if let Some(path) = &self.degrees {
            draw::degrees_of_planes(&planes).write_plot(path)?;
        }
        show(&report(&planes), self.json, out)
    }
}

fn report(planes: &[(f64, Plane)]) -> Report {
    let (mut rows, mut json) = (Vec::new(), Vec::new());
    for (alpha, plane) in planes {
        let degrees = plane.out_degrees();
        let (all, hops) = (Spread::of(&degrees), Spread::of(&plane.hops));
        let share = |those: &dyn Fn(&u32) -> bool| {
            degrees.iter().filter(|degree| those(degree)).count() as f64 / degrees.len() as f64
        };
        let leaves = share(&|&degree| degree == 0);
        let of_source = f64::from(degrees[0]) / (degrees.len() - 1) as f64;
        let tail = power_law::fit(&degrees);
        let number = |value: f64, decimals| Cell::Number { value, decimals };
        rows.push(vec![
            number(*alpha, 1),
            Cell::Integer(all.most as i64),
            number(of_source, 4),
            number(leaves, 4),
            number(hops.mean, 2),
            Cell::Integer(hops.most as i64),
            tail.map_or(Cell::Empty, |tail| number(tail.exponent, 2)),
            tail.map_or(Cell::Empty, |tail| Cell::Integer(tail.from.into())),
            tail.map_or(Cell::Empty, |tail| number(tail.distance, 3)),
        ]);
        json.push(serde_json::json!({
            "alpha": alpha, "points": degrees.len() - 1, "max_out_degree": all.most,
            "source_share": of_source, "leaves": leaves, "mean_hops": hops.mean,
            "max_hops": hops.most, "tail": tail,
        }));
    }
    let columns = [
        "α",
        "most readers",
        "of the source",
        "leaves",
        "hops, mean",
        "hops, most",
        "exponent",
        "from",
        "distance",
    ];
    Report {
        title: format!("{} points in the plane", planes.first().map_or(0, |p| p.1.points.len() - 1)),
        notes: vec![
            "of the source: the share of all points that read the source directly; exponent: that of the \
             tail of the number of readers; from: where the tail begins; distance: the largest difference \
             between the fit and the counts."
                .to_owned(),
        ],
        table: Table { columns: columns.map(Column::right).into(), rows },
        json: serde_json::json!({ "rows": json }),
        charts: Vec::new(),
    }
}

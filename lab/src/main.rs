//! The lab's command line. Until experiments exist it draws one example page into a given folder.

mod report;

use std::path::Path;

use report::progress::Progress;
use report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table, check_paths};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let plots = ["example.svg", "example.png"].map(|name| Path::new(&folder).join(name));
    let table = Path::new(&folder).join("example.csv");
    check_paths(Some(&table), Some(&plots[0]))?;
    let report = example();
    let progress = Progress::new(plots.len() as u64, "plots");
    for plot in &plots {
        report.write_plot(plot)?;
        progress.step();
    }
    drop(progress);
    report.write_csv(&table)?;
    report.print_table(&mut std::io::stdout(), false)?;
    report.write_json(&mut std::io::stdout())?;
    Ok(())
}

fn example() -> Report {
    let strategies = ["2Steps", "Uniform"];
    let curve = |speed: f64| {
        (1..=20)
            .map(|b| (f64::from(b), 1.0 - (-f64::from(b) * speed).exp()))
            .collect::<Vec<_>>()
    };
    let names = Scale::Named(strategies.map(str::to_owned).into());
    let panel = |title: &str, x, y_scale, series| {
        let y = Axis::new("completeness", y_scale).within(0.01, 1.0);
        Chart {
            title: title.to_owned(),
            x: Axis::new("b", x),
            y,
            series,
        }
    };
    let pair = |styles: [Style; 2]| {
        let first = Series::new(strategies[0], styles[0], curve(0.3)).emphasised(true);
        vec![first, Series::new(strategies[1], styles[1], curve(0.1))]
    };
    let bars = Series::new("measured", Style::Bars, vec![(0.0, 0.9), (1.0, 0.6)]);
    Report {
        title: "Two strategies".to_owned(),
        notes: vec!["Made up.".to_owned()],
        table: Table {
            columns: vec![
                Column::left("strategy"),
                Column::right("b"),
                Column::right("figure"),
            ],
            rows: vec![
                vec![
                    Cell::Text(strategies[0].to_owned()),
                    Cell::Integer(10),
                    Cell::MeanDeviation {
                        mean: 0.95,
                        deviation: 0.02,
                        decimals: 3,
                    },
                ],
                vec![
                    Cell::Empty,
                    Cell::Empty,
                    Cell::Number {
                        value: 0.6,
                        decimals: 1,
                    },
                ],
            ],
        },
        json: serde_json::json!({ "rows": [] }),
        charts: vec![
            panel(
                "Lines",
                Scale::Linear,
                Scale::Linear,
                pair([Style::Line, Style::Dashed]),
            ),
            panel(
                "Steps and points",
                Scale::Log,
                Scale::Log,
                pair([Style::Steps, Style::Points]),
            ),
            panel(
                "Bars",
                names,
                Scale::Linear,
                vec![bars.with_deviations(vec![0.05, 0.1])],
            ),
        ],
    }
}

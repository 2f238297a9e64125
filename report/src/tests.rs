//! Reports as their readers meet them: text, files, pictures.

mod pictures;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A folder of its own for one test, gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pergola-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn mean(mean: f64, deviation: f64, decimals: usize) -> Cell {
    Cell::MeanDeviation { mean, deviation, decimals }
}

fn report() -> Report {
    let published = |value| Cell::Number { value, decimals: 2 };
    let rows = vec![
        vec![text("2Steps"), Cell::Integer(10), mean(0.507, 0.0211, 3), published(0.51)],
        vec![text("TopK, by utility"), Cell::Integer(100), mean(12.34, 10.5, 1), Cell::Empty],
        vec![text("Uniform"), Cell::Integer(-2), mean(f64::NAN, 0.0, 3), text("none")],
        vec![text("short row")],
    ];
    let columns = ["b", "completeness", "published"].map(Column::right);
    Report {
        title: "Table 4.1: six strategies".to_owned(),
        notes: vec!["50 seeds.".to_owned()],
        table: Table {
            columns: [Column::left("strategy")].into_iter().chain(columns).collect(),
            rows,
        },
        json: serde_json::json!({"rows": [{"strategy": "2Steps", "b": 10}]}),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("cost", Scale::Linear),
            y: Axis::new("completeness", Scale::Linear),
            series: vec![Series::new("2Steps", Style::Line, vec![(1.0, 0.2), (2.0, 0.8)])],
        }],
    }
}

fn printed(report: &Report, colour: bool) -> String {
    let mut out = Vec::new();
    report.print_table(&mut out, colour).unwrap();
    String::from_utf8(out).unwrap()
}

fn message(error: ReportError) -> String {
    error.to_string()
}

#[test]
fn figures_stand_with_their_points_under_each_other() {
    let expected = "\
Table 4.1: six strategies

strategy            b     completeness  published
────────────────  ───  ───────────────  ─────────
2Steps             10   0.507 ±  0.021       0.51
TopK, by utility  100  12.3   ± 10.5
Uniform            -2   –     ±  0.000       none
short row

50 seeds.
";
    assert_eq!(printed(&report(), false), expected);
}

#[test]
fn headings_of_a_wide_table_are_broken_to_fit_a_hundred_columns() {
    let mut wide = report();
    wide.table.columns =
        (0..8).map(|i| Column::right(format!("mean delay per feed {i}"))).collect();
    wide.table.rows = vec![vec![Cell::Number { value: 1234.5, decimals: 1 }; 8]];
    wide.notes = vec!["a note that goes on ".repeat(12)];
    let lines = printed(&wide, false);
    assert!(lines.lines().all(|line| line.chars().count() <= 100), "{lines}");
    assert!(lines.contains("1234.5  1234.5"), "{lines}");
}

#[test]
fn colours_appear_only_when_asked_for_and_change_nothing_else() {
    let (plain, coloured) = (printed(&report(), false), printed(&report(), true));
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains('\x1b'));
    let stripped = ["\x1b[0m", "\x1b[1m", "\x1b[2m"].iter().fold(coloured, |t, e| t.replace(e, ""));
    assert_eq!(stripped, plain);
}

#[test]
fn json_is_what_the_experiment_made() {
    let mut out = Vec::new();
    report().write_json(&mut out).unwrap();
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&out).unwrap(), report().json);
    assert!(out.ends_with(b"}\n"));
}

#[test]
fn csv_keeps_every_digit_and_gives_the_deviation_a_column() {
    let scratch = Scratch::new("csv");
    let path = scratch.file("table.csv");
    report().write_csv(&path).unwrap();
    let expected = "\
strategy,b,completeness,completeness deviation,published
2Steps,10,0.507,0.0211,0.51
\"TopK, by utility\",100,12.34,10.5,
Uniform,-2,,0,none
short row,,,,
";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_file_is_replaced_as_a_whole_and_nothing_stays_beside_it() {
    let scratch = Scratch::new("replace");
    let path = scratch.file("table.csv");
    fs::write(&path, "old content, longer than the new one\n".repeat(100)).unwrap();
    report().write_csv(&path).unwrap();
    assert!(fs::read_to_string(&path).unwrap().starts_with("strategy,b,"));
    assert_eq!(scratch.names(), ["table.csv"]);
}

#[test]
fn a_write_that_fails_leaves_nothing_behind() {
    let scratch = Scratch::new("failure");
    let name = "x".repeat(300) + ".csv"; // longer than any file system takes
    let error = report().write_csv(&scratch.file(&name)).unwrap_err();
    assert!(matches!(error, ReportError::Write { .. }), "{error:?}");
    assert!(message(error).contains(&name));
    assert_eq!(scratch.names(), [] as [&str; 0]);
}

#[test]
fn a_missing_folder_is_named() {
    let scratch = Scratch::new("folder");
    let path = scratch.file("nowhere").join("plot.svg");
    for error in [report().write_csv(&path), report().write_plot(&path)] {
        let said = message(error.unwrap_err());
        assert!(said.contains("there is no folder") && said.contains("nowhere\""), "{said}");
    }
}

#[test]
fn a_folder_is_not_accepted_as_a_file() {
    let scratch = Scratch::new("not-a-file");
    let error = report().write_csv(&scratch.0).unwrap_err();
    assert!(matches!(error, ReportError::NotAFile { .. }), "{error:?}");
}

#[test]
fn an_unknown_plot_format_is_refused_with_those_that_are_known() {
    for name in ["plot.pdf", "plot", ".svg"] {
        let said = message(report().write_plot(Path::new(name)).unwrap_err());
        assert_eq!(said, format!("cannot plot into {name:?}: its name must end in .svg or .png"));
    }
    assert!(check_paths(None, Some(Path::new("plot.txt"))).is_err());
    assert!(check_paths(Some(Path::new("t.csv")), Some(Path::new("PLOT.PNG"))).is_ok());
}

#[test]
fn a_report_without_charts_says_so_instead_of_drawing_an_empty_page() {
    let scratch = Scratch::new("no-charts");
    let bare = Report { charts: Vec::new(), ..report() };
    let error = bare.write_plot(&scratch.file("plot.svg")).unwrap_err();
    assert!(matches!(error, ReportError::NothingToDraw { .. }), "{error:?}");
}

#[test]
fn both_plot_formats_are_written_and_equal_reports_give_equal_bytes() {
    let scratch = Scratch::new("formats");
    for extension in ["svg", "png"] {
        let paths = ["a", "b"].map(|name| scratch.file(&format!("{name}.{extension}")));
        let [first, second] = paths.map(|path| {
            report().write_plot(&path).unwrap();
            fs::read(path).unwrap()
        });
        assert!(first == second && first.len() > 1000);
    }
    let svg = fs::read_to_string(scratch.file("a.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(fs::read(scratch.file("a.png")).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
}

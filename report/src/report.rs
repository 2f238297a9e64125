//! The result of an experiment, and the four ways to show it: table, JSON, CSV, plot.

use std::io::Write;
use std::path::Path;

use crate::chart::Chart;
use crate::error::ReportError;
use crate::files::{self, PlotFormat};
use crate::table::{self, Headings, Layout, Table};
use crate::{csv_file, layout};

/// Reports are laid out for terminals of this width; only wider cells exceed it.
const PAGE_WIDTH: usize = 100;

/// The result of one experiment.
#[derive(Clone, Debug)]
pub struct Report {
    /// Heading of the table and of the plot.
    pub title: String,
    /// Printed under the table.
    pub notes: Vec<String>,
    /// The figures, for people and for CSV.
    pub table: Table,
    /// The figures, for programs; the experiment decides their form.
    pub json: serde_json::Value,
    /// The plot: one chart fills the page, several become small multiples.
    pub charts: Vec<Chart>,
}

impl Report {
    /// Prints title, table and notes as plain text; `colour` adds terminal escapes.
    pub fn print_table(&self, out: &mut impl Write, colour: bool) -> Result<(), ReportError> {
        let layout = Layout { width: Some(PAGE_WIDTH), colour, headings: Headings::Ruled };
        let paint = |code: &str, line: &str| table::painted(line, code, colour) + "\n";
        let mut text = String::new();
        for line in table::wrap(&self.title, PAGE_WIDTH) {
            text += &paint("1", &line);
        }
        if !self.table.columns.is_empty() {
            text.push('\n');
        }
        text += &self.table.text(&layout);
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for line in self.notes.iter().flat_map(|note| table::wrap(note, PAGE_WIDTH)) {
            text += &paint("2", &line);
        }
        out.write_all(text.as_bytes()).map_err(ReportError::Print)
    }

    /// Prints the experiment's JSON, indented, with a newline at the end.
    pub fn write_json(&self, out: &mut impl Write) -> Result<(), ReportError> {
        writeln!(out, "{:#}", self.json).map_err(ReportError::Print)
    }

    /// Writes the table as CSV, in full precision; a mean with its deviation takes two columns.
    pub fn write_csv(&self, path: &Path) -> Result<(), ReportError> {
        let bytes = csv_file::bytes(&self.table)
            .map_err(|source| ReportError::Write { path: path.to_owned(), source })?;
        files::replace(path, &bytes)
    }

    /// Draws the charts into `path`, as SVG or PNG by its extension.
    pub fn write_plot(&self, path: &Path) -> Result<(), ReportError> {
        if self.charts.is_empty() {
            return Err(ReportError::NothingToDraw { title: self.title.clone() });
        }
        layout::draw(&self.title, &self.charts).write(path)
    }
}

/// Refuses paths that cannot be written; call it before a long run, not only after.
pub fn check_paths(csv: Option<&Path>, plot: Option<&Path>) -> Result<(), ReportError> {
    csv.map_or(Ok(()), files::check_target)?;
    plot.map_or(Ok(()), |path| PlotFormat::of(path).map(|_| ()))
}

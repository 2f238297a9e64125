//! What a computation returns, and the four ways to show it: table, JSON, CSV, plot; and drawings that
//! are no charts ([`drawing`]).
//!
//! Why apart: an experiment computes and says nothing about terminals, files or pixels, so its
//! result can be tested as data and every one looks alike.
//! Invariants: a file appears whole or not at all; equal reports give equal bytes; values that no
//! chart can show (not finite, or not positive on a logarithmic axis) are left out, never drawn.

mod axes;
mod chart;
pub mod drawing;
mod files;
mod film;
mod font;
mod label;
mod layout;
mod legend;
mod looks;
mod marks;
mod panel;
pub mod progress;
mod range;
mod raster;
mod svg;
mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use chart::{Axis, Chart, Scale, Series, Style};
pub use film::{Film, check_film};
pub use table::{Align, Cell, Column, Table};

/// The result of one experiment.
#[derive(Clone, Debug)]
pub struct Report {
    /// Heading of the table and of the plot.
    pub title: String,
    /// Lines printed under the table.
    pub notes: Vec<String>,
    /// The figures, for people and for CSV.
    pub table: Table,
    /// The figures, for programs; the experiment decides its form.
    pub json: serde_json::Value,
    /// The plot: one chart fills the page, several become small multiples.
    pub charts: Vec<Chart>,
}

impl Report {
    /// Prints title, table and notes as plain text; `colour` adds terminal escapes.
    pub fn print_table(&self, out: &mut impl Write, colour: bool) -> Result<(), ReportError> {
        let text = table::render(&self.title, &self.table, &self.notes, colour);
        out.write_all(text.as_bytes()).map_err(ReportError::Print)
    }

    /// Prints the experiment's JSON, indented, with a newline at the end.
    pub fn write_json(&self, out: &mut impl Write) -> Result<(), ReportError> {
        writeln!(out, "{:#}", self.json).map_err(ReportError::Print)
    }

    /// Writes the table as CSV, in full precision; a mean with its deviation takes two columns.
    pub fn write_csv(&self, path: &Path) -> Result<(), ReportError> {
        let bytes = table::csv_bytes(&self.table)
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

/// Refuses paths that can surely not be written; call it before a long run, not only after.
pub fn check_paths(csv: Option<&Path>, plot: Option<&Path>) -> Result<(), ReportError> {
    csv.map_or(Ok(()), files::check_target)?;
    plot.map_or(Ok(()), |path| plot_format(path).map(|_| ()))
}

/// How a plot is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlotFormat {
    /// Vector graphics, for the browser and for print.
    Svg,
    /// Pixels, at twice the nominal size.
    Png,
}

/// The format a path asks for, if a file can be there.
fn plot_format(path: &Path) -> Result<PlotFormat, ReportError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let format = match extension.as_deref() {
        Some("svg") => PlotFormat::Svg,
        Some("png") => PlotFormat::Png,
        _ => {
            return Err(ReportError::UnknownPlotFormat { path: path.to_owned() });
        }
    };
    files::check_target(path)?;
    Ok(format)
}

/// Why a report could not be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The plot's extension names no format we write.
    #[error("cannot plot into {path:?}: its name must end in .svg or .png")]
    UnknownPlotFormat {
        /// What was asked for.
        path: PathBuf,
    },
    /// A film is asked for in a format that does not move.
    #[error("cannot write a film into {path:?}: its name must end in .svg")]
    NoFilm {
        /// What was asked for.
        path: PathBuf,
    },
    /// The experiment has a table only.
    #[error("{title:?} draws no chart; use --csv or --json")]
    NothingToDraw {
        /// The report's title.
        title: String,
    },
    /// The folder of the file is missing.
    #[error("cannot write {path:?}: there is no folder {folder:?}")]
    MissingFolder {
        /// The file.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The path is a folder, or ends in no name.
    #[error("cannot write {path:?}: it is not the name of a file")]
    NotAFile {
        /// What was asked for.
        path: PathBuf,
    },
    /// The file could not be made or written.
    #[error("cannot write {path:?}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Standard output, or whatever was given in its place, refused the text.
    #[error("cannot print the report")]
    Print(#[source] io::Error),
}

#[cfg(test)]
mod tests;

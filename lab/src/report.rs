//! What an experiment returns, and the four ways to show it: table, JSON, CSV, plot.
//!
//! Why apart: an experiment computes and says nothing about terminals, files or pixels, so its
//! result can be tested as data and every experiment looks alike.
//! Invariants: a file appears whole or not at all; equal reports give equal bytes; values that no
//! chart can show (not finite, or not positive on a logarithmic axis) are left out, never drawn.

mod chart;
mod drawing;
mod files;
mod font;
mod looks;
pub(crate) mod progress;
mod raster;
mod svg;
mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) use chart::{Axis, Chart, Scale, Series, Style};
pub(crate) use table::{Cell, Column, Table};

/// The result of one experiment.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// Heading of the table and of the plot.
    pub(crate) title: String,
    /// Lines printed under the table.
    pub(crate) notes: Vec<String>,
    /// The figures, for people and for CSV.
    pub(crate) table: Table,
    /// The figures, for programs; the experiment decides its form.
    pub(crate) json: serde_json::Value,
    /// The plot: one chart fills the page, several become small multiples.
    pub(crate) charts: Vec<Chart>,
}

impl Report {
    /// Prints title, table and notes as plain text; `colour` adds terminal escapes.
    pub(crate) fn print_table(
        &self,
        out: &mut impl Write,
        colour: bool,
    ) -> Result<(), ReportError> {
        let text = table::render(&self.title, &self.table, &self.notes, colour);
        out.write_all(text.as_bytes()).map_err(ReportError::Print)
    }

    /// Prints the experiment's JSON, indented, with a newline at the end.
    pub(crate) fn write_json(&self, out: &mut impl Write) -> Result<(), ReportError> {
        writeln!(out, "{:#}", self.json).map_err(ReportError::Print)
    }

    /// Writes the table as CSV, in full precision; a mean with its deviation takes two columns.
    pub(crate) fn write_csv(&self, path: &Path) -> Result<(), ReportError> {
        let bytes = table::csv_bytes(&self.table).map_err(|source| ReportError::Write {
            path: path.to_owned(),
            source,
        })?;
        files::replace(path, &bytes)
    }
}

/// Why a report could not be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
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

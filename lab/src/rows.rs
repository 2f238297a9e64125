//! Rows of figures, for people and for programs: a table, and the same rows as JSON.

use serde_json::{Value, json};

use crate::report::{Cell, Chart, Column, Report, Table};

/// The rows of a report.
pub(crate) struct Rows {
    table: Table,
    json: Vec<Value>,
}

impl Rows {
    /// No rows yet: some columns of words, then some of figures.
    pub(crate) fn new<S: AsRef<str>>(words: &[&str], figures: &[S]) -> Self {
        let words = words.iter().map(|&name| Column::left(name));
        let figures = figures.iter().map(|name| Column::right(name.as_ref()));
        Self::with_columns(words.chain(figures).collect())
    }

    /// No rows yet under these columns.
    pub(crate) fn with_columns(columns: Vec<Column>) -> Self {
        Self { table: Table { columns, rows: Vec::new() }, json: Vec::new() }
    }

    /// Adds a row to the table.
    pub(crate) fn show(&mut self, cells: Vec<Cell>) {
        self.table.rows.push(cells);
    }

    /// Adds a row to the JSON.
    pub(crate) fn record(&mut self, row: Value) {
        self.json.push(row);
    }

    /// Adds a row to both.
    pub(crate) fn push(&mut self, cells: Vec<Cell>, row: Value) {
        self.show(cells);
        self.record(row);
    }

    /// The report of these rows. Its JSON is `more`, an object, with the rows added to it.
    pub(crate) fn report(
        self,
        title: impl Into<String>,
        notes: Vec<String>,
        charts: Vec<Chart>,
        mut more: Value,
    ) -> Report {
        more["rows"] = json!(self.json);
        Report { title: title.into(), notes, table: self.table, json: more, charts }
    }
}

//! The table of a report: aligned text for people, CSV for programs.
//!
//! Text rounds to the decimals a cell asks for and puts decimal points under each other; CSV keeps
//! every digit.

use std::fmt::Write;
use std::io;

/// Text is laid out for terminals of this width; only cells wider than that exceed it.
const PAGE_WIDTH: usize = 100;
const GAP: &str = "  ";

/// Columns and rows; a short row is filled with empty cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Headings.
    pub columns: Vec<Column>,
    /// Cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// Heading of a column.
#[derive(Clone, Debug)]
pub struct Column {
    /// What the cells mean, with the unit.
    pub name: String,
    /// Where cells and heading stand in the column.
    pub align: Align,
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left }
    }

    /// A column of figures.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Right }
    }
}

/// Where content stands in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For figures.
    Right,
}

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A word.
    Text(String),
    /// A count.
    Integer(i64),
    /// A measure.
    Number {
        /// In full precision.
        value: f64,
        /// Digits shown after the point.
        decimals: usize,
    },
    /// A measure repeated with several seeds, shown as `0.507 ± 0.021`.
    MeanDeviation {
        /// Over the seeds.
        mean: f64,
        /// Over the seeds.
        deviation: f64,
        /// Digits shown after the point, for both.
        decimals: usize,
    },
    /// Nothing to say.
    Empty,
}

/// A figure cut at its decimal point.
#[derive(Default)]
struct Figure {
    head: String,
    fraction: String,
}

impl Figure {
    fn new(value: f64, decimals: usize) -> Self {
        if !value.is_finite() {
            let head = if value.is_nan() {
                "–"
            } else if value < 0.0 {
                "-∞"
            } else {
                "∞"
            };
            return Self { head: head.to_owned(), fraction: String::new() };
        }
        let text = format!("{value:.decimals$}");
        let cut = text.find('.').unwrap_or(text.len());
        Self { head: text[..cut].to_owned(), fraction: text[cut..].to_owned() }
    }
}

/// Widths the figures of one column need before and after the point.
#[derive(Default)]
struct Places {
    head: usize,
    fraction: usize,
}

impl Places {
    fn include(&mut self, figure: &Figure) {
        self.head = self.head.max(width(&figure.head));
        self.fraction = self.fraction.max(width(&figure.fraction));
    }

    fn pad(&self, figure: &Figure) -> String {
        let Places { head, fraction } = *self;
        format!("{:>head$}{:<fraction$}", figure.head, figure.fraction)
    }
}

impl Cell {
    fn figures(&self) -> Option<(Figure, Option<Figure>)> {
        match *self {
            Cell::Text(_) | Cell::Empty => None,
            Cell::Integer(value) => {
                Some((Figure { head: value.to_string(), fraction: String::new() }, None))
            }
            Cell::Number { value, decimals } => Some((Figure::new(value, decimals), None)),
            Cell::MeanDeviation { mean, deviation, decimals } => {
                Some((Figure::new(mean, decimals), Some(Figure::new(deviation, decimals))))
            }
        }
    }

    /// The value in full precision; what is not finite has no digits and stays empty.
    fn exact(&self) -> String {
        let exact = |value: f64| {
            if value.is_finite() { value.to_string() } else { String::new() }
        };
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Integer(value) => value.to_string(),
            Cell::Number { value, .. } => exact(*value),
            Cell::MeanDeviation { mean, .. } => exact(*mean),
            Cell::Empty => String::new(),
        }
    }
}

impl Table {
    fn cell(&self, row: usize, column: usize) -> &Cell {
        self.rows[row].get(column).unwrap_or(&Cell::Empty)
    }

    /// The cells of one column as text, figures already padded to their common point.
    fn column_text(&self, column: usize) -> Vec<String> {
        let (mut mean, mut deviation, mut has_deviation) =
            (Places::default(), Places::default(), false);
        for row in 0..self.rows.len() {
            if let Some((value, spread)) = self.cell(row, column).figures() {
                mean.include(&value);
                if let Some(spread) = spread {
                    deviation.include(&spread);
                    has_deviation = true;
                }
            }
        }
        let text_of = |row| {
            let cell = self.cell(row, column);
            let Some((value, spread)) = cell.figures() else {
                return cell.exact();
            };
            let mut text = mean.pad(&value);
            match spread {
                Some(spread) => text += &format!(" ± {}", deviation.pad(&spread)),
                None if has_deviation => {
                    text += &" ".repeat(3 + deviation.head + deviation.fraction);
                }
                None => (),
            }
            text
        };
        (0..self.rows.len()).map(text_of).collect()
    }
}

/// Title, table and notes as text.
pub(super) fn render(title: &str, table: &Table, notes: &[String], colour: bool) -> String {
    let paint = |code: &str, line: &str| {
        if colour { format!("\x1b[{code}m{line}\x1b[0m\n") } else { format!("{line}\n") }
    };
    let columns: Vec<Vec<String>> =
        (0..table.columns.len()).map(|c| table.column_text(c)).collect();
    let content: Vec<usize> =
        columns.iter().map(|cells| cells.iter().map(|c| width(c)).max().unwrap_or(0)).collect();
    let mut widths: Vec<usize> =
        content.iter().zip(&table.columns).map(|(w, c)| (*w).max(width(&c.name))).collect();
    if full_width(&widths) > PAGE_WIDTH {
        for ((w, content), column) in widths.iter_mut().zip(&content).zip(&table.columns) {
            let longest_word = column.name.split_whitespace().map(width).max().unwrap_or(0);
            *w = longest_word.max(*content);
        }
    }
    let headings: Vec<Vec<String>> =
        table.columns.iter().zip(&widths).map(|(c, w)| wrap(&c.name, *w)).collect();
    let heading_lines = headings.iter().map(Vec::len).max().unwrap_or(0);

    let mut text = String::new();
    for line in wrap(title, PAGE_WIDTH) {
        text += &paint("1", &line);
    }
    if !table.columns.is_empty() {
        text.push('\n');
    }
    for line in 0..heading_lines {
        let cells = headings.iter().map(|lines| {
            let above = heading_lines - lines.len();
            if line < above { "" } else { lines[line - above].as_str() }
        });
        text += &paint("1", &join(cells, &widths, &table.columns));
    }
    if !table.columns.is_empty() {
        let rule: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        text += &paint("2", &rule.join(GAP));
    }
    for row in 0..table.rows.len() {
        let cells = columns.iter().map(|cells| cells[row].as_str());
        let _ = writeln!(text, "{}", join(cells, &widths, &table.columns));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for line in notes.iter().flat_map(|note| wrap(note, PAGE_WIDTH)) {
        text += &paint("2", &line);
    }
    text
}

/// The table as CSV; a column that holds a deviation is followed by one for it.
pub(super) fn csv_bytes(table: &Table) -> io::Result<Vec<u8>> {
    let deviates = |column: &usize| {
        (0..table.rows.len())
            .any(|row| matches!(table.cell(row, *column), Cell::MeanDeviation { .. }))
    };
    let split: Vec<bool> = (0..table.columns.len()).map(|c| deviates(&c)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (column, split) in table.columns.iter().zip(&split) {
        writer.write_field(&column.name)?;
        if *split {
            writer.write_field(format!("{} deviation", column.name))?;
        }
    }
    writer.write_record(None::<&[u8]>)?;
    for row in 0..table.rows.len() {
        for (column, split) in split.iter().enumerate() {
            let cell = table.cell(row, column);
            writer.write_field(cell.exact())?;
            if *split {
                let spread = match *cell {
                    Cell::MeanDeviation { deviation, .. } => deviation,
                    _ => f64::NAN,
                };
                writer.write_field(Cell::Number { value: spread, decimals: 0 }.exact())?;
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn join<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize], columns: &[Column]) -> String {
    let mut line = String::new();
    for ((cell, width), column) in cells.zip(widths).zip(columns) {
        let width = *width;
        match column.align {
            Align::Left => _ = write!(line, "{cell:<width$}{GAP}"),
            Align::Right => _ = write!(line, "{cell:>width$}{GAP}"),
        }
    }
    line.truncate(line.trim_end().len());
    line
}

fn full_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Breaks at spaces; a word longer than the line keeps a line of its own.
fn wrap(text: &str, limit: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.len() - 1;
        if lines[line].is_empty() {
            lines[line] += word;
        } else if width(&lines[line]) + 1 + width(word) <= limit {
            lines[line] = format!("{} {word}", lines[line]);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

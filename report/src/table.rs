//! Tables as aligned text, for reports and for command lines.
//!
//! A report (see [`Headings::Ruled`]) rounds figures to the decimals that a cell asks for and puts their points
//! under each other. A command line ([`Headings::Capitals`]) has words in most columns, cuts the long ones to fit
//! the terminal and gives some cells a colour:
//!
//! ```
//! use pergola_report::table::{Cell, Column, Headings, Layout, Table, Tone};
//!
//! let table = Table {
//!     columns: vec![Column::right("id"), Column::cut("title"), Column::left("state")],
//!     rows: vec![vec![Cell::count(12), Cell::text("A long title"), Cell::toned("ok", Tone::Good)]],
//! };
//! let layout = Layout { width: Some(17), colour: false, headings: Headings::Capitals };
//! assert_eq!(table.text(&layout), "ID  TITLE     STATE\n12  A long …  ok\n");
//! ```

use std::fmt::Display;

const GAP: &str = "  ";
/// A column that may be cut keeps this width.
const LEAST_WIDTH: usize = 8;

/// Columns and rows; a short row is filled with empty cells.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

/// Heading of a column, and how its cells are set.
#[derive(Clone, Debug)]
pub struct Column {
    /// What the cells mean, with the unit.
    pub name: String,
    pub align: Align,
    /// Whether long cells are cut where the line would not fit.
    pub cut: bool,
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left, cut: false }
    }

    /// A column of figures.
    pub fn right(name: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::left(name) }
    }

    /// A column of texts that may be cut.
    pub fn cut(name: impl Into<String>) -> Self {
        Self { cut: true, ..Self::left(name) }
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
    Text(String),
    /// A word that stands out in colour.
    Toned {
        text: String,
        tone: Tone,
    },
    Integer(i64),
    Number {
        value: f64,
        /// Digits shown after the point.
        decimals: usize,
    },
    /// A figure over several seeds, shown as `0.507 ± 0.021`.
    MeanDeviation {
        mean: f64,
        deviation: f64,
        /// Digits shown after the point, for both.
        decimals: usize,
    },
    Empty,
}

/// The colour of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Warning,
    Bad,
}

impl Tone {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Good => Some("32"),
            Self::Warning => Some("33"),
            Self::Bad => Some("31"),
        }
    }
}

/// How a table becomes text.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Characters in a line, if that is limited.
    pub width: Option<usize>,
    /// Whether terminal escapes are added.
    pub colour: bool,
    pub headings: Headings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headings {
    /// As written, above a rule; broken into lines where the table would be too wide.
    Ruled,
    /// In capitals, on one line.
    Capitals,
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

/// Widths that the figures of one column need before and after the point.
#[derive(Default)]
struct PointAlignment {
    head: usize,
    fraction: usize,
}

impl PointAlignment {
    fn include(&mut self, figure: &Figure) {
        self.head = self.head.max(width(&figure.head));
        self.fraction = self.fraction.max(width(&figure.fraction));
    }

    fn pad(&self, figure: &Figure) -> String {
        let Self { head, fraction } = *self;
        format!("{:>head$}{:<fraction$}", figure.head, figure.fraction)
    }
}

impl Cell {
    /// A word, or anything that can be written as one.
    pub fn text(text: impl Display) -> Self {
        Self::Text(text.to_string())
    }

    pub fn toned(text: impl Display, tone: Tone) -> Self {
        Self::Toned { text: text.to_string(), tone }
    }

    pub fn count(count: usize) -> Self {
        Self::Integer(count as i64)
    }

    pub fn number(value: f64, decimals: usize) -> Self {
        Self::Number { value, decimals }
    }

    fn tone(&self) -> Tone {
        match self {
            Self::Toned { tone, .. } => *tone,
            _ => Tone::Plain,
        }
    }

    fn figures(&self) -> Option<(Figure, Option<Figure>)> {
        match *self {
            Cell::Text(_) | Cell::Toned { .. } | Cell::Empty => None,
            Cell::Integer(value) => {
                Some((Figure { head: value.to_string(), fraction: String::new() }, None))
            }
            Cell::Number { value, decimals } => Some((Figure::new(value, decimals), None)),
            Cell::MeanDeviation { mean, deviation, decimals } => {
                Some((Figure::new(mean, decimals), Some(Figure::new(deviation, decimals))))
            }
        }
    }

    /// The value in full precision; empty if it is not finite.
    pub(crate) fn exact(&self) -> String {
        let exact = |value: f64| {
            if value.is_finite() { value.to_string() } else { String::new() }
        };
        match self {
            Cell::Text(text) | Cell::Toned { text, .. } => text.clone(),
            Cell::Integer(value) => value.to_string(),
            Cell::Number { value, .. } => exact(*value),
            Cell::MeanDeviation { mean, .. } => exact(*mean),
            Cell::Empty => String::new(),
        }
    }
}

impl Table {
    /// The cell at a row and a column; empty where a row is short.
    pub(crate) fn cell(&self, row: usize, column: usize) -> &Cell {
        self.rows[row].get(column).unwrap_or(&Cell::Empty)
    }

    /// The cells of one column as text, figures already padded to their common point.
    fn column_text(&self, column: usize) -> Vec<String> {
        let (mut mean, mut deviation, mut has_deviation) =
            (PointAlignment::default(), PointAlignment::default(), false);
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

    /// The table as aligned text, a line for each row. Decimal points stand under each other.
    pub fn text(&self, layout: &Layout) -> String {
        let cells: Vec<Vec<String>> =
            (0..self.columns.len()).map(|column| self.column_text(column)).collect();
        let widths = self.widths(&cells, layout);
        let mut text = self.heading(&widths, layout);
        for row in 0..self.rows.len() {
            let line = cells.iter().enumerate().map(|(column, cells)| {
                let code = self.cell(row, column).tone().code().filter(|_| layout.colour);
                (cells[row].as_str(), code)
            });
            text += &join(line, &widths, &self.columns);
            text.push('\n');
        }
        text
    }

    /// The width of each column: that of its widest cell, less where the line would be too long.
    fn widths(&self, cells: &[Vec<String>], layout: &Layout) -> Vec<usize> {
        let content = cells.iter().map(|cells| cells.iter().map(|cell| width(cell)).max());
        let content: Vec<usize> = content.map(Option::unwrap_or_default).collect();
        let with_heading = |heading: fn(&str) -> usize| -> Vec<usize> {
            let columns = content.iter().zip(&self.columns);
            columns.map(|(content, column)| (*content).max(heading(&column.name))).collect()
        };
        let mut widths = with_heading(width);
        let Some(most) = layout.width else { return widths };
        if full_width(&widths) > most && layout.headings == Headings::Ruled {
            widths = with_heading(longest_word);
        }
        while full_width(&widths) > most {
            let long = (0..widths.len()).filter(|&column| self.columns[column].cut);
            match long.max_by_key(|&column| widths[column]) {
                Some(widest) if widths[widest] > LEAST_WIDTH => widths[widest] -= 1,
                _ => break,
            }
        }
        widths
    }

    fn heading(&self, widths: &[usize], layout: &Layout) -> String {
        if self.columns.is_empty() {
            return String::new();
        }
        if layout.headings == Headings::Capitals {
            let names: Vec<String> =
                self.columns.iter().map(|column| column.name.to_uppercase()).collect();
            let names = names.iter().map(|name| (name.as_str(), None));
            return join(names, widths, &self.columns) + "\n";
        }
        let headings: Vec<Vec<String>> = self
            .columns
            .iter()
            .zip(widths)
            .map(|(column, most)| wrap(&column.name, *most))
            .collect();
        let lines = headings.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for line in 0..lines {
            let cells = headings.iter().map(|own| {
                // Headings of fewer lines stand at the bottom.
                let above = lines - own.len();
                (if line < above { "" } else { own[line - above].as_str() }, None)
            });
            text += &painted(&join(cells, widths, &self.columns), "1", layout.colour);
            text.push('\n');
        }
        let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
        text + &painted(&rule.join(GAP), "2", layout.colour) + "\n"
    }
}

/// Names and their values, one a line; a name whose value is empty is left out.
pub fn facts(facts: &[(&str, Cell)], colour: bool) -> String {
    let filled = facts.iter().map(|(name, cell)| (name, cell.exact(), cell.tone().code()));
    let filled: Vec<_> = filled.filter(|(_, text, _)| !text.is_empty()).collect();
    let widest = filled.iter().map(|(name, ..)| width(name)).max().unwrap_or(0);
    let line = |(name, text, code): &(&&str, String, Option<&str>)| {
        let text = code.map_or_else(|| text.clone(), |code| painted(text, code, colour));
        format!("{name:widest$}{GAP}{text}\n")
    };
    filled.iter().map(line).collect()
}

/// A line of cells, each with the code of its colour. A cell that is too long for a column that may be cut ends
/// in `…`.
fn join<'a>(
    cells: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    widths: &[usize],
    columns: &[Column],
) -> String {
    let mut line = String::new();
    for (((cell, code), &most), column) in cells.zip(widths).zip(columns) {
        let text: String = match column.cut && width(cell) > most {
            true => cell.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
            false => cell.to_owned(),
        };
        let pad = " ".repeat(most.saturating_sub(width(&text)));
        let text = code.map_or_else(|| text.clone(), |code| painted(&text, code, true));
        line += &match column.align {
            Align::Left => format!("{text}{pad}{GAP}"),
            Align::Right => format!("{pad}{text}{GAP}"),
        };
    }
    line.truncate(line.trim_end().len());
    line
}

/// The text, between terminal escapes if `colour`.
pub(crate) fn painted(text: &str, code: &str, colour: bool) -> String {
    if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

fn full_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn longest_word(text: &str) -> usize {
    text.split_whitespace().map(width).max().unwrap_or(0)
}

/// Breaks at spaces; a word longer than the line keeps a line of its own.
pub(crate) fn wrap(text: &str, limit: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let title = |text| Cell::text(text);
        Table {
            columns: vec![Column::right("id"), Column::cut("title"), Column::left("state")],
            rows: vec![
                vec![
                    Cell::text("1"),
                    title("A title that is much too long"),
                    Cell::toned("well", Tone::Good),
                ],
                vec![Cell::text("12"), title("Short"), Cell::text("new")],
            ],
        }
    }

    fn text(width: Option<usize>, colour: bool) -> String {
        table().text(&Layout { width, colour, headings: Headings::Capitals })
    }

    #[test]
    fn columns_are_aligned_under_headings_in_capitals() {
        let expected = "ID  TITLE                          STATE\n 1  A title that is much too long  \
                        well\n12  Short                          new\n";
        assert_eq!(text(None, false), expected);
    }

    #[test]
    fn columns_that_may_be_cut_are_cut_until_a_line_fits() {
        let text = text(Some(27), false);
        assert!(text.lines().all(|line| line.chars().count() <= 27), "{text}");
        assert!(text.contains("A title that is…  well"), "{text}");
    }

    #[test]
    fn no_column_is_cut_to_nothing() {
        assert!(text(Some(3), false).contains("A title…  well"), "{}", text(Some(3), false));
    }

    #[test]
    fn colours_change_no_alignment() {
        let (plain, coloured) = (text(Some(27), false), text(Some(27), true));
        assert!(!plain.contains('\x1b') && coloured.contains("\x1b[32mwell\x1b[0m"));
        assert_eq!(coloured.replace("\x1b[32m", "").replace("\x1b[0m", ""), plain);
    }

    #[test]
    fn facts_are_aligned_and_empty_ones_left_out() {
        let all = [
            ("name", Cell::text("alpha")),
            ("note", Cell::text("")),
            ("last error", Cell::toned("none", Tone::Good)),
        ];
        assert_eq!(facts(&all, false), "name        alpha\nlast error  none\n");
        assert!(facts(&all, true).ends_with("last error  \x1b[32mnone\x1b[0m\n"));
    }
}

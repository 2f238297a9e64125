//! Tables with aligned columns, cut to fit the terminal.

use super::{Screen, harmless};

/// Spaces between two columns.
const GAP: usize = 2;
/// The narrowest that a column is cut to.
const LEAST: usize = 8;

/// The colour of a cell on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Tone {
    /// No colour.
    Plain,
    /// Green: all is well.
    Good,
    /// Yellow: worth knowing.
    Warning,
    /// Red: needs attention.
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

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell in colour.
    pub(in crate::cli) fn toned(text: &str, tone: Tone) -> Self {
        Self { text: harmless(text), tone }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::toned(text.as_ref(), Tone::Plain)
    }
}

/// How a column is aligned and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Column {
    /// Left-aligned, never cut.
    Word(&'static str),
    /// Left-aligned, cut if it is too long.
    Text(&'static str),
    /// Right-aligned.
    Number(&'static str),
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Word(title) | Self::Text(title) | Self::Number(title) => title,
        }
    }
}

/// Rows under a header, or `nothing` if there are none.
pub(in crate::cli) fn table(
    screen: &Screen,
    columns: &[Column],
    rows: &[Vec<Cell>],
    nothing: &str,
) -> String {
    if rows.is_empty() {
        return format!("{nothing}\n");
    }
    let widths = widths(screen.width, columns, rows);
    let header: Vec<Cell> =
        columns.iter().map(|column| column.title().to_uppercase().into()).collect();
    let mut text = String::new();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for ((cell, column), width) in row.iter().zip(columns).zip(&widths) {
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&set(cell, *column, *width, screen.colours));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Names and values, a line each; empty values are left out.
pub(in crate::cli) fn facts(screen: &Screen, facts: &[(&str, Cell)]) -> String {
    let said = facts.iter().filter(|(_, cell)| !cell.text.is_empty());
    let widest = said.clone().map(|(name, _)| length(name)).max().unwrap_or(0);
    let line = |(name, cell): &(&str, Cell)| {
        let cell = set(cell, Column::Word(""), 0, screen.colours);
        format!("{name:widest$}  {cell}\n")
    };
    said.map(line).collect()
}

/// The widths of the columns: as wide as their contents, the widest texts cut until a line fits.
fn widths(most: Option<usize>, columns: &[Column], rows: &[Vec<Cell>]) -> Vec<usize> {
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|index| {
            let cells = rows.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| length(&cell.text)).max().unwrap_or(0);
            widest.max(length(columns[index].title()))
        })
        .collect();
    let Some(most) = most else { return widths };
    let all = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * (widths.len().max(1) - 1);
    while all(&widths) > most {
        let texts = (0..columns.len()).filter(|index| matches!(columns[*index], Column::Text(_)));
        match texts.max_by_key(|index| widths[*index]) {
            Some(widest) if widths[widest] > LEAST => widths[widest] -= 1,
            _ => break,
        }
    }
    widths
}

fn set(cell: &Cell, column: Column, width: usize, colours: bool) -> String {
    let mut text = cell.text.clone();
    if matches!(column, Column::Text(_)) && length(&text) > width {
        text = text.chars().take(width.saturating_sub(1)).chain(['…']).collect();
    }
    let pad = " ".repeat(width.saturating_sub(length(&text)));
    let shown = match cell.tone.code().filter(|_| colours) {
        Some(code) => format!("\x1b[{code}m{text}\x1b[0m"),
        None => text,
    };
    match column {
        Column::Number(_) => format!("{pad}{shown}"),
        _ => format!("{shown}{pad}"),
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] =
        [Column::Number("id"), Column::Text("title"), Column::Word("standing")];

    fn screen(width: Option<usize>, colours: bool) -> Screen {
        Screen { json: false, width, colours, now: 0.0 }
    }

    fn rows() -> Vec<Vec<Cell>> {
        vec![
            vec![
                "1".into(),
                "A title that is much too long".into(),
                Cell::toned("well", Tone::Good),
            ],
            vec!["12".into(), "Short".into(), "new".into()],
        ]
    }

    #[test]
    fn columns_are_aligned() {
        let text = table(&screen(None, false), &COLUMNS, &rows(), "");
        let expected = "ID  TITLE                          STANDING\n 1  A title that is much too long  \
                        well\n12  Short                          new\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn texts_are_cut_until_a_line_fits_the_terminal() {
        let text = table(&screen(Some(30), false), &COLUMNS, &rows(), "");
        assert!(text.lines().all(|line| line.chars().count() <= 30), "{text}");
        assert!(text.contains("A title that is…  well"), "{text}");
    }

    #[test]
    fn colours_change_no_alignment_and_are_left_out_where_they_are_not_wanted() {
        let plain = table(&screen(None, false), &COLUMNS, &rows(), "");
        let coloured = table(&screen(None, true), &COLUMNS, &rows(), "");
        assert!(!plain.contains('\x1b') && coloured.contains("\x1b[32mwell\x1b[0m"));
        assert_eq!(coloured.replace("\x1b[32m", "").replace("\x1b[0m", ""), plain);
    }

    #[test]
    fn an_empty_table_says_so() {
        assert_eq!(table(&screen(None, false), &COLUMNS, &[], "no sources"), "no sources\n");
    }
}

//! Tables and facts for the terminal. What strangers wrote is made harmless first.

use pergola_report::table::{self, Headings, Layout, Table};
pub(in crate::cli) use pergola_report::table::{Column, Tone};

use super::{Screen, harmless};

/// A harmless cell.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct Cell(table::Cell);

impl Cell {
    /// A cell in colour.
    pub(in crate::cli) fn toned(text: &str, tone: Tone) -> Self {
        Self(table::Cell::toned(harmless(text), tone))
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self(table::Cell::text(harmless(text.as_ref())))
    }
}

/// Rows under a header, cut to fit the terminal; or `nothing` if there are none.
pub(in crate::cli) fn table(
    screen: &Screen,
    columns: impl Into<Vec<Column>>,
    rows: impl IntoIterator<Item = Vec<Cell>>,
    nothing: &str,
) -> String {
    let bare = |row: Vec<Cell>| row.into_iter().map(|Cell(cell)| cell).collect();
    let rows: Vec<Vec<table::Cell>> = rows.into_iter().map(bare).collect();
    if rows.is_empty() {
        return format!("{nothing}\n");
    }
    let layout =
        Layout { width: screen.width, colour: screen.colours, headings: Headings::Capitals };
    Table { columns: columns.into(), rows }.text(&layout)
}

/// Names and values, a line each; empty values are left out.
pub(in crate::cli) fn facts<const N: usize>(screen: &Screen, facts: [(&str, Cell); N]) -> String {
    table::facts(&facts.map(|(name, Cell(cell))| (name, cell)), screen.colours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> [Column; 3] {
        [Column::right("id"), Column::cut("title"), Column::left("standing")]
    }

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
            vec!["12".into(), "Sh\x1bort".into(), "new".into()],
        ]
    }

    #[test]
    fn a_table_is_aligned_and_cut_to_fit_and_commands_no_terminal() {
        let text = table(&screen(None, false), columns(), rows(), "");
        let expected = "ID  TITLE                          STANDING\n 1  A title that is much too long  \
                        well\n12  Sh\u{fffd}ort                         new\n";
        assert_eq!(text, expected);
        let text = table(&screen(Some(30), true), columns(), rows(), "");
        assert!(text.contains("A title that is…  \x1b[32mwell\x1b[0m"), "{text}");
        assert_eq!(text.matches('\x1b').count(), 2, "{text}");
    }

    #[test]
    fn an_empty_table_says_so() {
        let none = Vec::<Vec<Cell>>::new();
        assert_eq!(table(&screen(None, false), columns(), none, "no sources"), "no sources\n");
    }
}

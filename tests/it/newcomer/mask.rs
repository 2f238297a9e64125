//! Replaces what differs from run to run: addresses, folders, times, sizes and random ids.

use regex::{Captures, Regex};

/// The site and the node as the transcript names them.
pub(super) const SITE: &str = "site.example:80";
pub(super) const NODE: &str = "node.example:80";

/// What to replace, and by what.
pub(super) struct Mask {
    real: Vec<(String, &'static str)>,
    rules: Vec<(Regex, &'static str)>,
    /// Random ids; the transcript numbers them, so that equal ones can be told from different ones.
    id: Regex,
    ids: Vec<String>,
}

impl Mask {
    /// `real`: what stands for something else in the transcript.
    pub(super) fn new(real: impl IntoIterator<Item = (String, &'static str)>) -> Self {
        let rule = |(pattern, shown)| (Regex::new(pattern).unwrap(), shown);
        let rules = [
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "YYYY-MM-DDThh:mm:ssZ"),
            (r"(\d{4}-\d\d-\d\d )?\d\d:\d\d UTC", "hh:mm UTC"),
            (r"\bin \d+ (s|min|h|days)\b", "in a while"),
            (r"\b\d+ (s|min) ago\b", "now"),
            (r"running for \d+ (s|min)", "running for a while"),
            (r"\b\d+(\.\d+)? (bytes|kB|MB|GB)\b", "N kB"),
            (r"\b\d\.\d+e-?\d+\b", "N"),
            (r"\b\d+(\.\d+)? %( ± \d+\.\d+)?", "N %"),
            (r"pergola \d+\.\d+\.\d+[-+.\w]*", "pergola VERSION"),
        ];
        let id = Regex::new(r"\b[0-9a-f]{16,}\b").unwrap();
        Self {
            real: real.into_iter().collect(),
            rules: rules.map(rule).into(),
            id,
            ids: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, real: String, shown: &'static str) {
        self.real.push((real, shown));
    }

    /// A text with the real addresses.
    pub(super) fn lift(&self, text: &str) -> String {
        let reveal = |text: String, (real, shown): &(String, &str)| text.replace(shown, real);
        self.real.iter().fold(text.to_owned(), reveal)
    }

    /// Output without what differs from run to run.
    pub(super) fn cover(&mut self, output: &str) -> String {
        let mut covered = String::new();
        for block in output.split_inclusive("\n\n") {
            let lines: Vec<&str> = block.lines().collect();
            covered.push_str(&self.cover_table(&lines));
        }
        covered
    }

    /// Covers each cell, and aligns the columns again. Lines without columns have one cell.
    fn cover_table(&mut self, lines: &[&str]) -> String {
        let starts = columns(lines);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in lines {
            let line: Vec<char> = line.chars().collect();
            let ends = starts[1..].iter().copied().chain([usize::MAX]);
            let cell = |(start, end): (usize, usize)| -> String {
                line[start.min(line.len())..end.min(line.len())].iter().collect()
            };
            let cells: Vec<String> = starts.iter().copied().zip(ends).map(cell).collect();
            rows.push(cells.iter().map(|cell| self.cover_cell(cell.trim_end())).collect());
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> =
            (0..starts.len()).map(|column| width(column).unwrap_or(0)).collect();
        let padded = |row: &Vec<String>| -> String {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        rows.iter().map(padded).collect()
    }

    fn cover_cell(&mut self, cell: &str) -> String {
        let hide = |text: String, (real, shown): &(String, &str)| text.replace(real, shown);
        let text = self.real.iter().fold(cell.to_owned(), hide);
        let apply = |text: String, (rule, shown): &(Regex, &str)| {
            rule.replace_all(&text, *shown).into_owned()
        };
        let text = self.rules.iter().fold(text, apply);
        let (id, ids) = (&self.id, &mut self.ids);
        let number = |found: &Captures<'_>| {
            let known = ids.iter().position(|id| *id == found[0]).unwrap_or_else(|| {
                ids.push(found[0].to_owned());
                ids.len() - 1
            });
            format!("ID-{}", known + 1)
        };
        id.replace_all(&text, number).into_owned()
    }
}

/// Where columns begin: after two or more blanks that are in every line.
fn columns(lines: &[&str]) -> Vec<usize> {
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut blank = vec![true; width];
    for line in lines {
        for (at, c) in line.chars().enumerate() {
            blank[at] &= c == ' ';
        }
    }
    let begins = |at: &usize| *at >= 2 && !blank[*at] && blank[at - 1] && blank[at - 2];
    std::iter::once(0).chain((0..width).filter(begins)).collect()
}

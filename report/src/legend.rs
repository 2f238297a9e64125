//! The names of the series, never on top of the data: at the ends of the lines if a chart is alone on its page,
//! otherwise in a block above all panels.

use super::chart::{Chart, Series, Style};
use super::drawing::{Point, Shape, Text};
use super::font;
use super::marks::line_stroke;
use super::palette::Appearance;
use super::plot::{Plot, Sizes};

const SWATCH_GAP: f64 = 8.0;
const ENTRY_GAP: f64 = 24.0;

/// One name per series; a name shared by several charts appears once.
#[derive(Debug)]
pub(super) struct Legend<'a> {
    names: Vec<&'a str>,
    entries: Vec<Entry<'a>>,
    sizes: Sizes,
    /// Width of the sample before a name.
    swatch: f64,
}

#[derive(Debug)]
struct Entry<'a> {
    series: &'a Series,
    appearance: Appearance,
    lines: Vec<String>,
}

/// Entries and where each begins.
type Row<'b, 'a> = Vec<(f64, &'b Entry<'a>)>;

impl<'a> Legend<'a> {
    /// The legend of all charts, names broken to fit `width`.
    pub(super) fn new(
        charts: impl IntoIterator<Item = &'a Chart>,
        sizes: Sizes,
        width: f64,
    ) -> Self {
        let all: Vec<&Series> = charts.into_iter().flat_map(|chart| &chart.series).collect();
        let swatch = if all.iter().copied().any(joined) { 28.0 } else { 14.0 };
        let mut legend = Self { names: Vec::new(), entries: Vec::new(), sizes, swatch };
        for series in all {
            if legend.names.contains(&series.name.as_str()) {
                continue;
            }
            let appearance = Appearance::new(legend.names.len());
            legend.names.push(&series.name);
            let room = width - swatch - SWATCH_GAP;
            let lines = font::wrap(&series.name, sizes.text, series.emphasis, room);
            if !lines.is_empty() {
                legend.entries.push(Entry { series, appearance, lines });
            }
        }
        legend
    }

    /// The appearance of the series with this name.
    pub(super) fn appearance(&self, name: &str) -> Appearance {
        Appearance::new(self.names.iter().position(|known| *known == name).unwrap_or(0))
    }

    /// Width of the widest entry; zero if there is none.
    pub(super) fn width(&self) -> f64 {
        self.entries.iter().map(|entry| self.entry_width(entry)).fold(0.0, f64::max)
    }

    /// Height of all entries below each other.
    pub(super) fn height(&self) -> f64 {
        self.entries.iter().map(|entry| self.entry_height(entry)).sum()
    }

    /// Draws the entries right of a plot, each as near to the end of its line as the others allow.
    pub(super) fn draw_beside(&self, plot: &Plot, shapes: &mut Vec<Shape>) {
        let mut placed: Vec<(f64, &Entry<'_>)> =
            self.entries.iter().map(|entry| (self.preferred_top(entry, plot), entry)).collect();
        // Lines that end together keep the order of the experiment.
        placed.sort_by(|a, b| (a.0 / 8.0).round().total_cmp(&(b.0 / 8.0).round()));
        let mut free_from = plot.top - self.line_height() / 2.0;
        for (top, entry) in &mut placed {
            *top = top.max(free_from);
            free_from = *top + self.entry_height(entry);
        }
        let mut free_to = plot.bottom + self.line_height() / 2.0;
        for (top, entry) in placed.iter_mut().rev() {
            *top = top.min(free_to - self.entry_height(entry));
            free_to = *top;
        }
        for (top, entry) in placed {
            self.draw_entry(entry, (plot.right + 14.0, top), shapes);
        }
    }

    /// Draws the entries in rows `width` wide and returns their height.
    pub(super) fn draw_above(&self, origin: Point, width: f64, shapes: &mut Vec<Shape>) -> f64 {
        let mut height = 0.0;
        for row in self.rows(width) {
            for (x, entry) in &row {
                self.draw_entry(entry, (origin.0 + x, origin.1 + height), shapes);
            }
            height += self.row_height(&row);
        }
        height
    }

    /// The height of the entries in rows `width` wide.
    pub(super) fn height_above(&self, width: f64) -> f64 {
        self.rows(width).iter().map(|row| self.row_height(row)).sum()
    }

    /// Breaks the entries into rows, in columns of equal width unless that costs a row.
    fn rows(&self, width: f64) -> Vec<Row<'_, 'a>> {
        let flowing = self.rows_with(width, |entry| self.entry_width(entry));
        let aligned = self.rows_with(width, |_| self.width());
        if flowing.len() > 1 && aligned.len() == flowing.len() { aligned } else { flowing }
    }

    fn rows_with(&self, width: f64, room: impl Fn(&Entry<'_>) -> f64) -> Vec<Row<'_, 'a>> {
        let mut rows: Vec<Row<'_, 'a>> = Vec::new();
        let mut x = 0.0;
        for entry in &self.entries {
            match rows.last_mut() {
                Some(row) if x + room(entry) <= width => row.push((x, entry)),
                _ => {
                    x = 0.0;
                    rows.push(vec![(x, entry)]);
                }
            }
            x += room(entry) + ENTRY_GAP;
        }
        rows
    }

    fn row_height(&self, row: &[(f64, &Entry<'_>)]) -> f64 {
        row.iter().map(|(_, entry)| self.entry_height(entry)).fold(0.0, f64::max)
    }

    fn preferred_top(&self, entry: &Entry<'_>, plot: &Plot) -> f64 {
        let places = entry.series.points.iter().filter_map(|point| plot.place(*point));
        match places.rev().find(|place| plot.contains(*place)) {
            Some((_, y)) if joined(entry.series) => y - self.entry_height(entry) / 2.0,
            _ => plot.top - self.line_height() / 2.0,
        }
    }

    fn draw_entry(&self, entry: &Entry<'_>, (x, top): Point, shapes: &mut Vec<Shape>) {
        let Entry { series, appearance, lines } = entry;
        let size = self.sizes.text;
        let middle = top + self.line_height() / 2.0;
        let centre = (x + self.swatch / 2.0, middle);
        let radius = self.sizes.marker;
        match series.style {
            Style::Bars => {
                let (half, tall) = (size * 0.55, size * 0.4);
                let (from, to) =
                    ((centre.0 - half, middle + tall), (centre.0 + half, middle - tall));
                shapes.push(appearance.bar(from, to));
            }
            Style::Points => shapes.push(appearance.marker(centre, radius, false, 1.0)),
            Style::Line | Style::Dashed | Style::Steps => {
                let stroke = line_stroke(series, *appearance, self.sizes.line);
                shapes.push(Shape::line((x, middle), (x + self.swatch, middle), stroke));
                shapes.push(appearance.marker(centre, radius, series.style == Style::Dashed, 1.0));
            }
        }
        for (index, line) in lines.iter().enumerate() {
            let baseline = middle + size * 0.35 + index as f64 * self.line_height();
            let text = Text::new((x + self.swatch + SWATCH_GAP, baseline), line, size);
            shapes.push(Shape::Text(text.bold(series.emphasis)));
        }
    }

    fn entry_width(&self, entry: &Entry<'_>) -> f64 {
        let bold = entry.series.emphasis;
        let widest = entry.lines.iter().map(|line| font::room(line, self.sizes.text, bold));
        self.swatch + SWATCH_GAP + widest.fold(0.0, f64::max)
    }

    fn entry_height(&self, entry: &Entry<'_>) -> f64 {
        entry.lines.len() as f64 * self.line_height() + self.sizes.text * 0.2
    }

    fn line_height(&self) -> f64 {
        self.sizes.text * 1.4
    }
}

/// Whether a line joins the points, so that the series has an end to put its name at.
fn joined(series: &Series) -> bool {
    !matches!(series.style, Style::Points | Style::Bars)
}

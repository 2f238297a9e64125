//! Draws a small mesh at work: sources on the left, feeds in columns by depth, and on every line what it has
//! carried.
//!
//! [`Figures`] holds the numbers that are shown. Positions do not depend on them, so several pictures of one
//! mesh can be compared or shown one after the other.

mod columns;

use pergola_report::drawing::{Anchor, Colour, Drawing, Fill, Point, Shape, Stroke, Text, Thread};
use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::mesh::Mesh;

use super::hues::{FAINT, GREY, INK, WHITE, hue};
use columns::{CARD, Columns, TOP};

/// The most sources or feeds that fit into columns.
pub const MOST_IN_COLUMNS: usize = 60;

const MARGIN: f64 = 24.0;
const LINE: f64 = 15.0;

/// The numbers that the picture shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The heading and the line below it.
    pub heading: [String; 2],
    /// One short text per source.
    pub sources: Vec<String>,
    /// Up to three lines per feed.
    pub feeds: Vec<Vec<String>>,
    /// One per link, in the order of the links.
    pub links: Vec<Flow>,
}

/// What a link has carried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// A few words. Shown only on links between feeds.
    pub label: String,
    /// The width of the line, from 0 to 1.
    pub share: f64,
    /// Highlights a link that has just carried something.
    pub lit: bool,
}

/// Draws a small mesh. Missing figures are left out. `None` for a mesh with more than [`MOST_IN_COLUMNS`]
/// sources or feeds.
pub fn flow(mesh: &Mesh, links: &[Link], figures: &Figures) -> Option<Drawing> {
    if mesh.sources.len().max(mesh.feeds.len()) > MOST_IN_COLUMNS {
        return None;
    }
    let columns = Columns::new(mesh, links);
    let (width, height) = (columns.width + MARGIN, columns.height + MARGIN);
    let mut page = Page { mesh, links, figures, columns, shapes: Vec::new() };
    page.heading();
    page.lines();
    page.sources();
    page.cards();
    page.labels();
    let title = match figures.heading[0].as_str() {
        "" => format!("A mesh of {} sources and {} feeds", mesh.sources.len(), mesh.feeds.len()),
        heading => heading.to_owned(),
    };
    Some(Drawing { width, height, title, shapes: page.shapes })
}

/// The colour of a feed in the picture, so that a legend can use it.
pub fn colour_of(mesh: &Mesh, feed: u32) -> Colour {
    hue(f64::from(feed) / mesh.feeds.len().max(1) as f64)
}

struct Page<'a> {
    mesh: &'a Mesh,
    links: &'a [Link],
    figures: &'a Figures,
    columns: Columns,
    shapes: Vec<Shape>,
}

impl Page<'_> {
    fn heading(&mut self) {
        let [title, below] = &self.figures.heading;
        self.text(Text::new((MARGIN, 32.0), title, 17.0).bold(true));
        self.text(Text::new((MARGIN, 52.0), below, 12.0).coloured(GREY));
        for depth in 1..=self.columns.deepest {
            let hops = if depth == 1 { "1 hop".to_owned() } else { format!("{depth} hops") };
            let x = self.columns.left_of(depth) + CARD.0 / 2.0;
            let at = (x, TOP - 14.0);
            self.text(Text::new(at, hops, 11.0).coloured(GREY).anchored(Anchor::Middle));
            let rule = Stroke::solid(FAINT, 1.0);
            self.shapes.push(Shape::line((x, TOP - 6.0), (x, self.columns.height), rule));
        }
    }

    fn lines(&mut self) {
        let none = Flow::default();
        for (number, link) in self.links.iter().enumerate() {
            let flow = self.figures.links.get(number).unwrap_or(&none);
            let direct = matches!(link.from, Vertex::Source(_));
            let colour = match link.from {
                Vertex::Source(_) => self.colour(link.to),
                Vertex::Feed(feed) => self.colour(feed),
            };
            let share = flow.share.clamp(0.0, 1.0);
            let width = if direct { 0.9 + 1.6 * share } else { 1.5 + 6.0 * share };
            let opacity = match (flow.lit, direct) {
                (true, _) => 0.95,
                (false, true) => 0.28,
                (false, false) => 0.42,
            };
            let stroke = Stroke::solid(colour, width).opaque(opacity);
            let path = self.columns.paths[number].clone();
            let threads = path.windows(2).flat_map(|pair| bend(pair[0], pair[1])).collect();
            self.shapes.push(Shape::Threads { threads, stroke });
        }
    }

    fn sources(&mut self) {
        for source in 0..self.mesh.sources.len() {
            let (x, y) = self.columns.sources[source];
            let reader = self.links.iter().find(|link| link.from == Vertex::Source(source as u32));
            let colour = reader.map_or(GREY, |link| self.colour(link.to));
            let half = 3.5;
            let points = [(-half, -half), (half, -half), (half, half), (-half, half)];
            self.shapes.push(Shape::Path {
                points: points.map(|(right, down)| (x + right, y + down)).into(),
                closed: true,
                fill: Some(Fill { colour, opacity: 1.0 }),
                stroke: None,
            });
            let name = &self.mesh.sources[source].name;
            let base = y + 3.6;
            let end = |x, text: &str| Text::new((x, base), text, 10.5).anchored(Anchor::End);
            if let Some(figure) = self.figures.sources.get(source) {
                self.text(end(x - 9.0, figure).coloured(GREY));
            }
            self.text(end(x - columns::FIGURE, name));
        }
    }

    fn cards(&mut self) {
        for feed in 0..self.mesh.feeds.len() {
            let (left, top) = self.columns.feeds[feed];
            let (width, height) = CARD;
            let colour = self.colour(feed as u32);
            self.block((left, top), (width, height), WHITE, Some(Stroke::solid(colour, 1.4)));
            self.block((left, top), (5.0, height), colour, None);
            let name = &self.mesh.feeds[feed].name;
            self.text(Text::new((left + 14.0, top + 20.0), name, 14.0).bold(true));
            let lines = self.figures.feeds.get(feed).cloned().unwrap_or_default();
            for (line, text) in lines.into_iter().take(3).enumerate() {
                let at = (left + 14.0, top + 37.0 + LINE * line as f64);
                let colour = if line == 0 { INK } else { GREY };
                self.text(Text::new(at, text, 11.0).coloured(colour));
            }
        }
    }

    /// Labels the lines between feeds in the middle of their last section.
    fn labels(&mut self) {
        for (number, link) in self.links.iter().enumerate() {
            let label = self.figures.links.get(number).map_or("", |flow| &flow.label);
            if label.is_empty() || matches!(link.from, Vertex::Source(_)) {
                continue;
            }
            let Some([.., from, to]) = self.columns.paths.get(number).map(Vec::as_slice) else {
                continue;
            };
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            let text = Text::new((middle.0, middle.1 + 3.5), label, 10.0);
            let wide = text.width() + 8.0;
            let corner = (middle.0 - wide / 2.0, middle.1 - 8.0);
            self.block(corner, (wide, 16.0), WHITE, None);
            self.text(text.anchored(Anchor::Middle));
        }
    }

    fn block(&mut self, (x, y): Point, (w, h): Point, colour: Colour, stroke: Option<Stroke>) {
        self.shapes.push(Shape::Path {
            points: vec![(x, y), (x + w, y), (x + w, y + h), (x, y + h)],
            closed: true,
            fill: Some(Fill { colour, opacity: 1.0 }),
            stroke,
        });
    }

    fn text(&mut self, text: Text) {
        self.shapes.push(Shape::Text(text));
    }

    fn colour(&self, feed: u32) -> Colour {
        colour_of(self.mesh, feed)
    }
}

/// A curve that is horizontal at both ends.
fn bend(from: Point, to: Point) -> [Thread; 2] {
    let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    let towards = |end: Point| Some(((end.0 + middle.0) / 2.0, end.1));
    [
        Thread { from, towards: towards(from), to: middle },
        Thread { from: middle, towards: towards(to), to },
    ]
}

#[cfg(test)]
mod tests;

//! Draws a graph as rings around its sources.

use pergola_report::drawing::{Anchor, Drawing, Fill, Point, Shape, Stroke, Text, Thread};
use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::mesh::{Mesh, Source};

use super::hues::{FAINT, GREY, INK, WHITE, hue};
use super::layout::{Layout, Polar};
use super::limit::{DrawError, check};
use crate::count::many;
use crate::stats::out_degrees;

/// The most lines that are drawn as one shape.
const BATCH: usize = 40;
const HEADING: f64 = 64.0;
const MARGIN: f64 = 24.0;
const LABEL: f64 = 10.0;
/// Up to this many sources are all labelled, unless their names are long.
const FEW_SOURCES: usize = 24;

/// Draws who reads from whom: sources in the middle, a ring for every hop, a colour per source. A strong line
/// leads to the parent that brings a feed most sources, faint ones to the others. Lines are thicker the more
/// sources they carry.
///
/// # Errors
/// When there are more feeds than can be drawn.
pub fn rings(mesh: &Mesh, links: &[Link]) -> Result<Drawing, DrawError> {
    check(mesh.feeds.len())?;
    let outer = match mesh.feeds.len() {
        ..=60 => 300.0,
        61..=1_000 => 420.0,
        _ => 560.0,
    };
    let layout = Layout::new(mesh, links, room_for_names(mesh) / outer);
    let mut page = Page { mesh, links, layout, outer, centre: (0.0, 0.0), shapes: Vec::new() };
    let labels = page.label_room() + MARGIN;
    let side = 2.0 * (outer + labels);
    page.centre = (side / 2.0, HEADING + outer + labels - MARGIN);
    page.heading();
    page.circles();
    page.lines();
    page.dots();
    page.names();
    let title = format!("A mesh of {} sources and {} feeds", mesh.sources.len(), mesh.feeds.len());
    let height = HEADING + side - MARGIN;
    Ok(Drawing { width: side, height, title, shapes: page.shapes })
}

/// The radius at which the names of sources fit inside their ring. 0 if there are many sources.
fn room_for_names(mesh: &Mesh) -> f64 {
    let names = mesh.sources.iter().take(FEW_SOURCES + 1).map(source_name);
    let longest = names.map(|text| text.width()).fold(0.0, f64::max);
    match mesh.sources.len() {
        ..=FEW_SOURCES => (longest + 12.0 + 1.6 * mesh.sources.len() as f64).min(130.0),
        _ => 0.0,
    }
}

fn source_name(source: &Source) -> Text {
    match source.unknown {
        true => Text::new((0.0, 0.0), format!("{} ?", source.name), LABEL).coloured(GREY),
        false => Text::new((0.0, 0.0), &source.name, LABEL).bold(true),
    }
}

struct Page<'a> {
    mesh: &'a Mesh,
    links: &'a [Link],
    layout: Layout,
    outer: f64,
    centre: Point,
    shapes: Vec<Shape>,
}

impl Page<'_> {
    fn place(&self, Polar { angle, radius, .. }: Polar) -> Point {
        let (sin, cos) = angle.sin_cos();
        let radius = radius * self.outer;
        (self.centre.0 + radius * sin, self.centre.1 - radius * cos)
    }

    fn polar(&self, vertex: Vertex) -> Polar {
        match vertex {
            Vertex::Source(source) => self.layout.sources[source as usize],
            Vertex::Feed(feed) => self.layout.feeds[feed as usize],
        }
    }

    fn heading(&mut self) {
        let (sources, feeds) = (self.mesh.sources.len(), self.mesh.feeds.len());
        let title = format!("{} and {}", many(sources, "source"), many(feeds, "feed"));
        let below = format!(
            "{}; strong lines bring a feed most; one ring per hop along them",
            many(self.links.len(), "subscription"),
        );
        self.shapes.push(Shape::Text(Text::new((MARGIN, 32.0), title, 17.0).bold(true)));
        self.shapes.push(Shape::Text(Text::new((MARGIN, 51.0), below, 12.0).coloured(GREY)));
    }

    /// Draws a faint circle at the outer edge of every band, with its label at the top.
    fn circles(&mut self) {
        let bands = self.layout.bands.clone();
        for (depth, edge) in bands.iter().enumerate().skip(1) {
            let stroke = Some(Stroke::solid(FAINT, 0.8));
            let (centre, radius) = (self.centre, edge * self.outer);
            self.shapes.push(Shape::Circle { centre, radius, fill: None, stroke });
            let wide = (edge - bands[depth - 1]) * self.outer;
            if wide > 13.0 {
                let at = (self.centre.0, self.centre.1 - radius + 11.0);
                let text = Text::new(at, depth.to_string(), 9.0).coloured(GREY);
                self.shapes.push(Shape::Text(text.anchored(Anchor::Middle)));
            }
        }
    }

    fn lines(&mut self) {
        // (strong, colour, thickness) and the line, so that lines of equal style become one shape.
        let mut lines: Vec<((bool, u32, u32), Thread)> = Vec::with_capacity(self.links.len());
        for link in self.links {
            let strong = self.layout.backbone.parents[link.to as usize] == link.from;
            let (from, to) = (self.polar(link.from), self.polar(Vertex::Feed(link.to)));
            let towards = match strong {
                // First along the radius, then to the side.
                true => Polar { radius: from.radius + 0.62 * (to.radius - from.radius), ..to },
                false => Polar {
                    angle: middle(from.angle, to.angle),
                    radius: (from.radius + to.radius) * 0.27,
                    room: 0.0,
                },
            };
            let [from, towards, to] = [from, towards, to].map(|place| self.place(place));
            let style = (strong, self.colour_of(link.from), link.sources.ilog2());
            lines.push((style, Thread { from, towards: Some(towards), to }));
        }
        lines.sort_by_key(|(style, _)| *style);
        let (feeds, others) = (self.mesh.feeds.len(), self.links.len() - self.mesh.feeds.len());
        let opacity = |count: usize, least: f64, most: f64, scale: f64| {
            (scale / (count as f64).max(1.0).sqrt()).clamp(least, most)
        };
        let strong_opacity = opacity(feeds, 0.3, 0.85, 24.0);
        let faint_opacity = opacity(others, 0.035, 0.4, 6.0);
        for alike in lines.chunk_by(|a, b| a.0 == b.0) {
            let (strong, turn, thickness) = alike[0].0;
            let opacity = if strong { strong_opacity } else { faint_opacity };
            let width = if strong { 0.5 } else { 0.4 } + 0.3 * f64::from(thickness);
            let stroke = Stroke::solid(hue(f64::from(turn) / 1000.0), width).opaque(opacity);
            for batch in alike.chunks(BATCH) {
                let threads = batch.iter().map(|(_, thread)| *thread).collect();
                self.shapes.push(Shape::Threads { threads, stroke });
            }
        }
    }

    /// The hue of a source or feed, in thousandths of the colour circle.
    fn colour_of(&self, vertex: Vertex) -> u32 {
        let turn = match vertex {
            Vertex::Source(source) => self.layout.source_turns[source as usize],
            Vertex::Feed(feed) => self.layout.turns[feed as usize],
        };
        (turn * 1000.0) as u32
    }

    fn dots(&mut self) {
        let (_, readers) = out_degrees(self.mesh, self.links);
        let small = (self.outer / (self.mesh.feeds.len() as f64).sqrt() * 0.13).clamp(0.7, 4.5);
        let mut order: Vec<usize> = (0..self.mesh.feeds.len()).collect();
        order.sort_by_key(|&feed| readers[feed]);
        for feed in order {
            let radius = small * (1.0 + 0.35 * f64::from(readers[feed]).sqrt().min(9.0));
            let colour = hue(f64::from(self.colour_of(Vertex::Feed(feed as u32))) / 1000.0);
            let rim = (radius > 2.0).then(|| Stroke::solid(WHITE, radius * 0.25));
            let fill = Some(Fill { colour, opacity: if radius > 2.0 { 1.0 } else { 0.75 } });
            let centre = self.place(self.layout.feeds[feed]);
            self.shapes.push(Shape::Circle { centre, radius, fill, stroke: rim });
        }
        let half = self.source_size();
        for source in 0..self.mesh.sources.len() {
            let (x, y) = self.place(self.layout.sources[source]);
            let points = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(right, down)| (x + half * right, y + half * down));
            // A source whose inputs are unknown is hollow and grey.
            let (colour, rim) = match self.mesh.sources[source].unknown {
                true => (WHITE, GREY),
                false => (hue(self.layout.source_turns[source]), INK),
            };
            self.shapes.push(Shape::Path {
                points: points.into(),
                closed: true,
                fill: Some(Fill { colour, opacity: 1.0 }),
                stroke: Some(Stroke::solid(rim, (half * 0.3).min(1.2))),
            });
        }
    }

    fn source_size(&self) -> f64 {
        let around = self.layout.bands[0] * self.outer * std::f64::consts::TAU;
        (around / self.mesh.sources.len() as f64 * 0.25).clamp(1.2, 6.0)
    }

    /// Writes names where there is room for them.
    fn names(&mut self) {
        let half = self.source_size() + 3.0;
        for source in 0..self.mesh.sources.len() {
            let place = self.layout.sources[source];
            let inside = place.radius * self.outer - half;
            let text = source_name(&self.mesh.sources[source]);
            if place.radius == 0.0 {
                let at = (self.centre.0, self.centre.1 + half + LABEL);
                let text = Text { at, ..text }.anchored(Anchor::Middle);
                self.shapes.push(Shape::Text(text));
                continue;
            }
            // There is less room towards the middle.
            if place.room * (inside - text.width()) > LABEL * 0.8 {
                self.name(place, -half, text);
            }
        }
        for feed in self.labelled().collect::<Vec<_>>() {
            let text = Text::new((0.0, 0.0), &self.mesh.feeds[feed].name, LABEL);
            self.name(self.layout.feeds[feed], 7.0, text);
        }
    }

    /// The feeds that are labelled: those without readers, if there is room.
    fn labelled(&self) -> impl Iterator<Item = usize> {
        let leaf = |&feed: &usize| {
            let mut below = self.layout.backbone.children(Vertex::Feed(feed as u32));
            below.next().is_none()
        };
        let room = |&feed: &usize| {
            let place = self.layout.feeds[feed];
            place.room * place.radius * self.outer > LABEL
        };
        (0..self.mesh.feeds.len()).filter(leaf).filter(room)
    }

    /// How far labels extend beyond the outermost ring.
    fn label_room(&self) -> f64 {
        let beyond = |feed: usize| {
            let text = Text::new((0.0, 0.0), &self.mesh.feeds[feed].name, LABEL);
            self.layout.feeds[feed].radius * self.outer + 9.0 + text.width() - self.outer
        };
        self.labelled().map(beyond).fold(0.0, f64::max)
    }

    /// Writes along the radius, `off` units outwards (inwards if negative), never upside down.
    fn name(&mut self, place: Polar, off: f64, text: Text) {
        let at = self.place(Polar { radius: place.radius + off / self.outer, ..place });
        let degrees = place.angle.to_degrees() - 90.0;
        let left = place.angle > std::f64::consts::PI;
        let (angle, outwards) =
            if left { (degrees + 180.0, Anchor::End) } else { (degrees, Anchor::Start) };
        let anchor = match (off < 0.0, outwards) {
            (true, Anchor::End) => Anchor::Start,
            (true, _) => Anchor::End,
            (false, anchor) => anchor,
        };
        // Moves the text by half the height of its letters, so that their middle is at the radius.
        let (sin, cos) = angle.to_radians().sin_cos();
        let down = text.size * 0.33;
        let at = (at.0 - down * sin, at.1 + down * cos);
        self.shapes.push(Shape::Text(Text { at, ..text }.anchored(anchor).turned(angle)));
    }
}

/// The angle halfway between two, on the shorter side.
fn middle(from: f64, to: f64) -> f64 {
    let half = (from + to) / 2.0;
    if (from - to).abs() > std::f64::consts::PI { half + std::f64::consts::PI } else { half }
}

//! A drawing of a mesh over time: nodes by hop from left to right, green if they are fresh.

use pergola_report::Film;
use pergola_report::drawing::{Anchor, Colour, Drawing, Fill, Point, Shape, Stroke, Text, Thread};

use super::wiring::Channel;
use super::{Mesh, Outcome, Settings};

/// A mesh, and the freshness of its nodes at some moments.
pub(crate) struct Picture {
    title: String,
    /// From 0 to 1 in both directions.
    places: Vec<Point>,
    /// Nodes in the fullest column.
    densest: usize,
    links: Vec<(usize, usize)>,
    /// When, in cycles, and the freshness of each node.
    moments: Vec<(f64, Vec<f64>)>,
}

const MARGIN: f64 = 24.0;
const GAP: f64 = 18.0;
const HEADING: f64 = 34.0;
const CAPTION: f64 = 16.0;
const SIZE: (f64, f64) = (220.0, 150.0);
const LARGE: (f64, f64) = (640.0, 400.0);
const ACROSS: usize = 4;
const INK: Colour = Colour(0x26, 0x2b, 0x31);
const LINE: Colour = Colour(0xb8, 0xbf, 0xc6);
/// From nothing held to everything held; they differ in lightness, too.
const STALE: Colour = Colour(0x8c, 0x1d, 0x0f);
const HALF: Colour = Colour(0xf3, 0xc9, 0x6b);
const FRESH: Colour = Colour(0x00, 0x8f, 0x68);

impl Picture {
    /// A mesh at `count` moments between two cycles.
    pub(crate) fn new(
        title: &str,
        mesh: &Mesh,
        settings: &Settings<'_>,
        outcome: &Outcome,
        span: (f64, f64),
        count: usize,
    ) -> Self {
        let (every, first) = (settings.sample_every(), settings.warmup as f64);
        let moment = |n: usize| {
            let wanted = span.0 + (span.1 - span.0) * n as f64 / (count - 1).max(1) as f64;
            let sample = ((wanted - first) / every).round() as usize;
            let sample = sample.clamp(1, settings.samples) - 1;
            let held = outcome.courses.iter().map(|course| course[sample]).collect();
            (first + (sample + 1) as f64 * every, held)
        };
        Self::of(title, mesh, (0..count).map(moment).collect())
    }

    /// A mesh at these moments, in cycles, with the share that each node holds.
    pub(crate) fn of(title: &str, mesh: &Mesh, mut moments: Vec<(f64, Vec<f64>)>) -> Self {
        moments.dedup_by(|a, b| a.0 == b.0);
        let (places, densest) = places(mesh);
        Self { title: title.to_owned(), places, densest, links: links(mesh), moments }
    }

    /// Small pictures side by side.
    pub(crate) fn frames(&self) -> Drawing {
        let rows = self.moments.len().div_ceil(ACROSS);
        let width = 2.0 * MARGIN + ACROSS as f64 * SIZE.0 + (ACROSS - 1) as f64 * GAP;
        let height = MARGIN + HEADING + rows as f64 * (SIZE.1 + CAPTION + GAP);
        let mut shapes = vec![self.heading()];
        self.legend(width - MARGIN, &mut shapes);
        for number in 0..self.moments.len() {
            let (column, row) = ((number % ACROSS) as f64, (number / ACROSS) as f64);
            let corner = (
                MARGIN + column * (SIZE.0 + GAP),
                MARGIN + HEADING + row * (SIZE.1 + CAPTION + GAP),
            );
            self.draw(number, corner, SIZE, &mut shapes);
        }
        Drawing { width, height, title: self.title.clone(), shapes }
    }

    /// The same pictures as a film.
    pub(crate) fn film(&self) -> Film {
        let (width, height) = (LARGE.0 + 2.0 * MARGIN, LARGE.1 + 2.0 * MARGIN + HEADING + CAPTION);
        let frame = |number| {
            let mut shapes = vec![self.heading()];
            self.legend(width - MARGIN, &mut shapes);
            self.draw(number, (MARGIN, MARGIN + HEADING), LARGE, &mut shapes);
            Drawing { width, height, title: self.title.clone(), shapes }
        };
        Film { frames: (0..self.moments.len()).map(frame).collect(), seconds: 0.5 }
    }

    fn heading(&self) -> Shape {
        Shape::Text(Text::new((MARGIN, MARGIN + 8.0), self.title.clone(), 15.0).bold(true))
    }

    /// What the colours mean, ending at `right`.
    fn legend(&self, right: f64, shapes: &mut Vec<Shape>) {
        let mut x = right;
        for (share, name) in [(1.0, "all held"), (0.5, "half"), (0.0, "nothing")] {
            let text = Text::new((x, MARGIN + 8.0), name, 11.0).anchored(Anchor::End);
            x -= text.width() + 9.0;
            shapes.push(Shape::Text(text));
            shapes.push(dot((x, MARGIN + 4.5), 4.5, share));
            x -= 14.0;
        }
    }

    fn draw(&self, moment: usize, corner: Point, size: (f64, f64), shapes: &mut Vec<Shape>) {
        let (cycle, held) = &self.moments[moment];
        let caption = Text::new((corner.0, corner.1 + 9.0), format!("cycle {cycle:.0}"), 11.0);
        shapes.push(Shape::Text(caption));
        let place = |node: usize| {
            let (x, y) = self.places[node];
            (corner.0 + 8.0 + x * (size.0 - 16.0), corner.1 + CAPTION + 6.0 + y * (size.1 - 12.0))
        };
        let thread = |&(from, to): &(usize, usize)| Thread {
            from: place(from),
            towards: None,
            to: place(to),
        };
        shapes.push(Shape::Threads {
            threads: self.links.iter().map(thread).collect(),
            stroke: Stroke::solid(LINE, 0.7),
        });
        let radius = (0.42 * size.1 / self.densest as f64).clamp(1.2, 9.0);
        shapes.extend(held.iter().enumerate().map(|(node, &held)| dot(place(node), radius, held)));
    }
}

fn dot(centre: Point, radius: f64, share: f64) -> Shape {
    let mix = |from: u8, to: u8, share: f64| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
    };
    let (from, to, part) =
        if share < 0.5 { (STALE, HALF, 2.0 * share) } else { (HALF, FRESH, 2.0 * share - 1.0) };
    let colour = Colour(mix(from.0, to.0, part), mix(from.1, to.1, part), mix(from.2, to.2, part));
    let stroke = (radius > 3.0).then(|| Stroke::solid(INK, 0.5));
    Shape::Circle { centre, radius, fill: Some(Fill { colour, opacity: 1.0 }), stroke }
}

/// Pairs of nodes of which one reads the other, each once.
fn links(mesh: &Mesh) -> Vec<(usize, usize)> {
    let mut links: Vec<(usize, usize)> = Vec::new();
    for feed in &mesh.wiring.feeds {
        let hosts = feed.inputs.iter().filter_map(|&input| mesh.wiring.host(input));
        let others = hosts.filter(|&host| host != feed.node);
        links.extend(others.map(|host| (host as usize, feed.node as usize)));
    }
    links.sort_unstable();
    links.dedup();
    links
}

/// Where nodes are drawn: a column for each depth, nodes with the same upstream together. Also the size of the
/// fullest column.
fn places(mesh: &Mesh) -> (Vec<Point>, usize) {
    let count = mesh.wiring.nodes.len();
    let mut above: Vec<Option<usize>> = vec![None; count];
    for feed in mesh.wiring.feeds.iter().filter(|feed| feed.studied) {
        for &input in &feed.inputs {
            if let Channel::Feed(_) = input
                && let Some(host) = mesh.wiring.host(input)
                && host != feed.node
            {
                above[feed.node as usize].get_or_insert(host as usize);
            }
        }
    }
    let deepest = mesh.depths.iter().copied().max().unwrap_or(1);
    let mut y = vec![0.5_f64; count];
    let mut densest = 1;
    for depth in 1..=deepest {
        let mut column: Vec<usize> =
            (0..count).filter(|&node| mesh.depths[node] == depth).collect();
        let key = |node: &usize| above[*node].map_or(0.0_f64, |above| y[above]);
        column.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        densest = densest.max(column.len());
        let room = column.len() as f64;
        for (at, node) in column.into_iter().enumerate() {
            y[node] = (at as f64 + 0.5) / room;
        }
    }
    let x = |node: usize| match deepest {
        1 => 0.5,
        _ => f64::from(mesh.depths[node] - 1) / f64::from(deepest - 1),
    };
    ((0..count).map(|node| (x(node), y[node])).collect(), densest)
}

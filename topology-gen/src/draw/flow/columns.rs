//! The positions of cards and lines: a column for every depth, and a free lane through every column that a
//! line passes.

use pergola_report::drawing::Point;
use pergola_wiring::graph::{Link, Vertex, depths};
use pergola_wiring::mesh::Mesh;

/// Width and height of a feed's card.
pub(super) const CARD: Point = (176.0, 78.0);
/// The top of the columns, below the heading.
pub(super) const TOP: f64 = 96.0;
/// The room for a source's figure, between its name and its mark.
pub(super) const FIGURE: f64 = 40.0;

/// The horizontal position of the marks of sources.
const SOURCES: f64 = 200.0;
const SOURCE_HEIGHT: f64 = 16.0;
/// The distance from one column to the next, and from the sources to the first column.
const STEP: f64 = 316.0;
const FIRST: f64 = 110.0;
/// The height of a lane, and the space between cards.
const LANE: f64 = 7.0;
const GAP: f64 = 22.0;

/// The positions of everything.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) deepest: usize,
    /// The marks of sources.
    pub(super) sources: Vec<Point>,
    /// The upper left corners of cards.
    pub(super) feeds: Vec<Point>,
    /// The points that each link passes through.
    pub(super) paths: Vec<Vec<Point>>,
}

/// What takes room in a column.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Card(usize),
    Lane(usize),
}

impl Columns {
    pub(super) fn new(mesh: &Mesh, links: &[Link]) -> Self {
        let depths: Vec<usize> =
            depths(mesh.feeds.len(), links).into_iter().map(|depth| depth as usize).collect();
        let deepest = depths.iter().copied().max().unwrap_or(1);
        let mut columns = Self {
            width: SOURCES + FIRST + STEP * (deepest - 1) as f64 + CARD.0,
            height: 0.0,
            deepest,
            sources: vec![(0.0, 0.0); mesh.sources.len()],
            feeds: vec![(0.0, 0.0); mesh.feeds.len()],
            paths: vec![Vec::new(); links.len()],
        };
        let rows = columns.place_sources(mesh, links, &depths);
        for (number, link) in links.iter().enumerate() {
            if let Vertex::Source(source) = link.from {
                columns.paths[number].push(columns.sources[source as usize]);
            }
        }
        let middle = TOP + rows / 2.0;
        for depth in 1..=deepest {
            columns.place(depth, links, &depths, middle);
        }
        let cards = columns.feeds.iter().map(|feed| feed.1 + CARD.1);
        let lanes = columns.paths.iter().flatten().map(|point| point.1 + LANE);
        columns.height = cards.chain(lanes).fold(TOP + rows, f64::max);
        columns
    }

    pub(super) fn left_of(&self, depth: usize) -> f64 {
        SOURCES + FIRST + STEP * (depth - 1) as f64
    }

    /// Puts the sources one below the other, those of one reader together. Returns their height.
    fn place_sources(&mut self, mesh: &Mesh, links: &[Link], depths: &[usize]) -> f64 {
        let first_reader = |source: u32| {
            let readers = links.iter().filter(|link| link.from == Vertex::Source(source));
            readers.map(|link| (depths[link.to as usize], link.to)).min()
        };
        let mut order: Vec<u32> = (0..mesh.sources.len() as u32).collect();
        // Sources without a reader come last.
        order.sort_by_key(|&source| {
            let (depth, reader) = first_reader(source).unwrap_or((usize::MAX, 0));
            (depth, reader, source)
        });
        for (row, &source) in order.iter().enumerate() {
            let y = TOP + SOURCE_HEIGHT * (row as f64 + 0.5);
            self.sources[source as usize] = (SOURCES, y);
        }
        SOURCE_HEIGHT * order.len() as f64
    }

    /// Places the cards of one column and the lanes of the lines that pass it, as near as possible to the
    /// height that their lines come from.
    fn place(&mut self, depth: usize, links: &[Link], depths: &[usize], middle: f64) {
        let left = self.left_of(depth);
        // A line that begins at a card of the column before leaves it on its right side.
        for (number, link) in links.iter().enumerate() {
            if let Vertex::Feed(feed) = link.from
                && depths[feed as usize] + 1 == depth
            {
                let (x, y) = self.feeds[feed as usize];
                self.paths[number].push((x + CARD.0, y + CARD.1 / 2.0));
            }
        }
        let begun = |from: Vertex| match from {
            Vertex::Source(_) => true,
            Vertex::Feed(feed) => depths[feed as usize] < depth,
        };
        let mut slots: Vec<(f64, Slot)> = Vec::new();
        for feed in (0..depths.len()).filter(|&feed| depths[feed] == depth) {
            let coming = links.iter().enumerate().filter(|(_, link)| link.to as usize == feed);
            let heights: Vec<f64> = coming
                .filter_map(|(number, link)| Some((self.paths[number].last()?.1, link)))
                .flat_map(|(y, link)| match link.from {
                    Vertex::Source(_) => vec![y],
                    // A feed has the weight of four sources, so that lines between feeds stay level.
                    Vertex::Feed(_) => vec![y; 4],
                })
                .collect();
            let mean = heights.iter().sum::<f64>() / heights.len().max(1) as f64;
            slots.push((if heights.is_empty() { middle } else { mean }, Slot::Card(feed)));
        }
        for (number, link) in links.iter().enumerate() {
            if depths[link.to as usize] > depth && begun(link.from) {
                let y = self.paths[number].last().map_or(middle, |point| point.1);
                slots.push((y, Slot::Lane(number)));
            }
        }
        slots.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (y, slot) in spread(&slots) {
            match slot {
                Slot::Card(feed) => {
                    self.feeds[feed] = (left, y - CARD.1 / 2.0);
                    for (number, link) in links.iter().enumerate() {
                        if link.to as usize == feed {
                            self.paths[number].push((left, y));
                        }
                    }
                }
                Slot::Lane(number) => self.paths[number].extend([(left, y), (left + CARD.0, y)]),
            }
        }
    }
}

fn room(slot: Slot) -> f64 {
    match slot {
        Slot::Card(_) => CARD.1 / 2.0 + GAP / 2.0,
        Slot::Lane(_) => LANE / 2.0,
    }
}

/// The final heights of slots that are sorted by the heights they ask for: each as near to that height as its
/// neighbours allow. Slots that would overlap form a group that moves as one (isotonic regression).
fn spread(slots: &[(f64, Slot)]) -> Vec<(f64, Slot)> {
    // The height of each slot if all are stacked without gaps.
    let mut before = 0.0;
    let offsets: Vec<f64> = slots
        .iter()
        .map(|&(_, slot)| {
            let middle = before + room(slot);
            before += 2.0 * room(slot);
            middle
        })
        .collect();
    // For each group the sum of the heights its slots ask for, relative to the stack, and their number.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for ((height, _), offset) in slots.iter().zip(&offsets) {
        groups.push((height - offset, 1));
        while let [.., above, below] = groups.as_slice()
            && above.0 / above.1 as f64 >= below.0 / below.1 as f64
        {
            let joined = (above.0 + below.0, above.1 + below.1);
            groups.truncate(groups.len() - 2);
            groups.push(joined);
        }
    }
    let means = groups.iter().flat_map(|&(sum, count)| {
        // Nothing is placed above the column.
        std::iter::repeat_n((sum / count as f64).max(TOP), count)
    });
    means
        .zip(offsets)
        .zip(slots)
        .map(|((mean, offset), &(_, slot))| (mean + offset, slot))
        .collect()
}

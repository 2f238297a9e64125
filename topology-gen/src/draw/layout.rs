//! The positions of sources and feeds: sources on a ring in the middle, feeds farther out with every hop,
//! each in the sector of its parent in the backbone.

use std::f64::consts::TAU;

use pergola_wiring::graph::{Link, Vertex};
use pergola_wiring::mesh::Mesh;

use crate::forest::Forest;

/// The gap at the top for the labels of the rings, as a share of the circle.
const GAP: f64 = 0.03;
/// More sources than this are not sorted by similarity.
const MANY_SOURCES: usize = 600;

/// A position by direction and by distance from the middle, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Polar {
    /// Clockwise from the top.
    pub(super) angle: f64,
    pub(super) radius: f64,
    /// The angle that is free around it.
    pub(super) room: f64,
}

/// The positions of all sources and feeds.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) sources: Vec<Polar>,
    pub(super) feeds: Vec<Polar>,
    /// The hue of each feed, from 0 to 1: that of the source at the root of its tree.
    pub(super) turns: Vec<f64>,
    pub(super) source_turns: Vec<f64>,
    /// Where the band of each depth begins, and where the last one ends.
    pub(super) bands: Vec<f64>,
    pub(super) backbone: Forest,
}

impl Layout {
    /// Lays out the mesh. The ring of sources, if there are several, has at least the radius `inner`.
    pub(super) fn new(mesh: &Mesh, links: &[Link], inner: f64) -> Self {
        let backbone = Forest::new(links);
        let order = alike(mesh);
        let walk = backbone.walk(order.iter().copied());
        let feeds = mesh.feeds.len();
        // The number of leaves below each feed (1 for a leaf), its depth, and the source at its root.
        let (mut leaves, mut depths) = (vec![0.0; feeds], vec![1_usize; feeds]);
        let mut source_leaves = vec![0.0; mesh.sources.len()];
        let mut roots = vec![0_u32; feeds];
        for &feed in &walk {
            match backbone.parents[feed as usize] {
                Vertex::Source(source) => roots[feed as usize] = source,
                Vertex::Feed(parent) => {
                    roots[feed as usize] = roots[parent as usize];
                    depths[feed as usize] = depths[parent as usize] + 1;
                }
            }
        }
        for &feed in walk.iter().rev() {
            let below: f64 = f64::max(leaves[feed as usize], 1.0);
            leaves[feed as usize] = below;
            match backbone.parents[feed as usize] {
                Vertex::Source(source) => source_leaves[source as usize] += below,
                Vertex::Feed(parent) => leaves[parent as usize] += below,
            }
        }
        let bands = bands(&depths, mesh.sources.len(), inner);
        // A little space between the sectors of sources.
        let air = (0.15 * feeds as f64 / mesh.sources.len() as f64).max(0.3);
        let all: f64 = source_leaves.iter().map(|below| below + air).sum();
        let angle = (1.0 - GAP) * TAU / all;
        let mut at = GAP / 2.0 * TAU;
        let mut sources = vec![Polar::default(); mesh.sources.len()];
        let mut source_turns = vec![0.0; mesh.sources.len()];
        let mut begins = vec![0.0; mesh.sources.len()];
        for (index, &source) in order.iter().enumerate() {
            let (source, room) = (source as usize, (source_leaves[source as usize] + air) * angle);
            let radius = if mesh.sources.len() == 1 { 0.0 } else { bands[0] };
            sources[source] = Polar { angle: at + room / 2.0, radius, room };
            // The mean of both keeps the hues of many small sectors and those of two large ones apart.
            let (number, place) = (index as f64 / order.len() as f64, (at + room / 2.0) / TAU);
            source_turns[source] = (number + place) / 2.0;
            begins[source] = at + air * angle / 2.0;
            at += room;
        }
        let mut layout = Self {
            sources,
            feeds: vec![Polar::default(); feeds],
            turns: roots.iter().map(|&root| source_turns[root as usize]).collect(),
            source_turns,
            bands,
            backbone,
        };
        layout.place_feeds(&walk, &leaves, &depths, angle, begins);
        layout
    }

    fn place_feeds(
        &mut self,
        walk: &[u32],
        leaves: &[f64],
        depths: &[usize],
        angle: f64,
        mut source_begins: Vec<f64>,
    ) {
        let mut begins = vec![0.0; self.feeds.len()];
        let mut in_band = vec![0_usize; self.bands.len()];
        depths.iter().for_each(|&depth| in_band[depth - 1] += 1);
        for (index, &feed) in walk.iter().enumerate() {
            let feed = feed as usize;
            let room = leaves[feed] * angle;
            let begin = match self.backbone.parents[feed] {
                Vertex::Source(source) => &mut source_begins[source as usize],
                Vertex::Feed(parent) => &mut begins[parent as usize],
            };
            let at = *begin;
            *begin += room;
            begins[feed] = at;
            let depth = depths[feed];
            let (from, to) = (self.bands[depth - 1], self.bands[depth]);
            // Many feeds fill the whole band, few its middle. Feeds with readers are farther in.
            let crowd = (in_band[depth - 1] as f64 / 150.0).min(1.0);
            let scattered = (index as f64 * 0.618_033_988_75).fract();
            let share = match leaves[feed] > 1.0 {
                true => 0.45 - crowd * 0.25 * (1.0 - scattered),
                false => 0.6 + crowd * 0.38 * (2.0 * scattered - 1.0),
            };
            let radius = from + (to - from) * share;
            self.feeds[feed] = Polar { angle: at + room / 2.0, radius, room };
        }
    }
}

/// Where the band of each depth begins. A band with more feeds is wider.
fn bands(depths: &[usize], sources: usize, inner: f64) -> Vec<f64> {
    let deepest = depths.iter().copied().max().unwrap_or(1);
    let mut counts = vec![0.0; deepest];
    depths.iter().for_each(|&depth| counts[depth - 1] += 1.0);
    let inner = match sources {
        1 => 0.02,
        _ => (0.13 + 0.014 * (sources as f64).sqrt()).min(0.27).max(inner),
    };
    let mut bands = vec![inner];
    for count in counts {
        let share = 0.3 / deepest as f64 + 0.7 * count / depths.len() as f64;
        bands.push(bands[bands.len() - 1] + (1.0 - inner) * share);
    }
    bands
}

/// The sources in an order in which neighbours publish about similar things: the next one is always the
/// nearest of those that are left.
fn alike(mesh: &Mesh) -> Vec<u32> {
    let mut left: Vec<u32> = (0..mesh.sources.len() as u32).collect();
    if left.len() > MANY_SOURCES {
        return left;
    }
    let profile = |source: u32| &mesh.sources[source as usize].profile;
    let mut order = vec![left.remove(0)];
    while let Some(&last) = order.last() {
        let distance = |source: u32| profile(last).distance(profile(source));
        let nearest =
            (0..left.len()).min_by(|&a, &b| distance(left[a]).total_cmp(&distance(left[b])));
        match nearest {
            Some(nearest) => order.push(left.remove(nearest)),
            None => break,
        }
    }
    order
}

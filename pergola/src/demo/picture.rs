//! The picture of the mesh: a page that shows what flows where, and updates itself.
//!
//! With a script it updates every second, without one every few seconds. It is drawn by the generator of
//! meshes; the page adds what came last and where each node has its own pages.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::State as Given;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pergola_topology::draw::{Figures, Flow, colour_of, flow};
use pergola_wiring::graph::Vertex;

use super::show::{brief, clock_time};
use super::watch::{Arrival, State};
use super::world::Stage;

/// Arrivals on the page.
const LATEST: usize = 12;

/// What the page shows now. Clones are handles to the same one.
#[derive(Clone, Default)]
pub(super) struct Board {
    shown: Arc<Mutex<Shown>>,
}

#[derive(Default)]
struct Shown {
    svg: String,
    latest: VecDeque<Arrival>,
    nodes: Vec<DrawnNode>,
    newsroom: String,
}

/// A node, where its pages are, and its colour.
#[derive(Clone)]
struct DrawnNode {
    name: String,
    base: String,
    colour: String,
}

pub(super) fn router(board: Board) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/live", get(live))
        .route("/mesh.svg", get(svg))
        .with_state(board)
}

impl Board {
    /// Shows what has come and how everything stands.
    pub(super) fn renew(&self, stage: &Stage, arrivals: &[Arrival], state: &State) {
        let svg = draw(stage, state);
        let mesh = &stage.wiring.mesh;
        let mut shown = self.lock();
        if shown.nodes.is_empty() {
            let places = mesh.feeds.iter().zip(stage.bases()).zip(0..);
            shown.nodes = places
                .map(|((feed, base), number)| {
                    let colour = colour_of(mesh, number);
                    let colour = format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2);
                    DrawnNode { name: feed.name.clone(), base, colour }
                })
                .collect();
            shown.newsroom = stage.newsroom_address.clone();
        }
        // Those that have come farthest tell most.
        let far = arrivals.iter().filter(|arrival| arrival.way.len() > 1);
        far.for_each(|arrival| shown.latest.push_front(arrival.clone()));
        shown.latest.truncate(LATEST);
        shown.svg = svg;
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(stage: &Stage, state: &State) -> String {
    let wiring = &stage.wiring;
    let most = |direct: bool| {
        let links = wiring.links.iter().zip(&state.links);
        let alike = links.filter(|(link, _)| matches!(link.from, Vertex::Source(_)) == direct);
        alike.map(|(_, state)| state.items).max().unwrap_or(0).max(1) as f64
    };
    let (direct, relayed) = (most(true), most(false));
    let flows = wiring.links.iter().zip(&state.links).map(|(link, state)| {
        let most = if matches!(link.from, Vertex::Source(_)) { direct } else { relayed };
        let age = state.median_age.map_or_else(String::new, |age| format!(", {}", brief(age)));
        let share = (state.items as f64 / most).sqrt();
        Flow { label: format!("{} items{age}", state.items), share, lit: state.lit }
    });
    let links: Vec<Flow> = flows.collect();
    let items_of = |source: usize| {
        let mut links = wiring.links.iter().zip(&state.links);
        let link = links.find(|(link, _)| link.from == Vertex::Source(source as u32));
        link.map_or_else(String::new, |(_, state)| state.items.to_string())
    };
    let feeds = state.nodes.iter().map(|node| {
        let age = node.median_age.map_or_else(String::new, |age| format!(", {} old", brief(age)));
        vec![
            format!("{} items{age}", node.items),
            format!("τ {:.1e}, {} requests", node.threshold, node.requests),
            match node.completeness {
                Some(share) => format!("complete {:.1} %, it thinks", 100.0 * share),
                None => "completeness not known yet".to_owned(),
            },
        ]
    });
    let figures = Figures {
        heading: [
            format!("{} sources, {} nodes", wiring.titles.len(), wiring.mesh.feeds.len()),
            format!(
                "{}, after {:.1} days: of {} items that somebody wants {} were delivered and {} lost, \
                 by {} requests",
                clock_time(state.at.unix()),
                state.lasted / 86_400.0,
                state.published,
                state.delivered,
                state.lost,
                state.requests
            ),
        ],
        sources: (0..wiring.titles.len()).map(items_of).collect(),
        feeds: feeds.collect(),
        links,
    };
    let mut named = wiring.mesh.clone();
    for (source, title) in named.sources.iter_mut().zip(&wiring.titles) {
        source.name.clone_from(title);
    }
    flow(&named, &wiring.links, &figures).map(|drawing| drawing.svg()).unwrap_or_default()
}

async fn page(Given(board): Given<Board>) -> impl IntoResponse {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Pergola: a small mesh at work" }
                noscript { meta http-equiv="refresh" content="3"; }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { (contents(&board.lock())) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    ([(CACHE_CONTROL, "no-store")], Html(page.into_string()))
}

async fn live(Given(board): Given<Board>) -> impl IntoResponse {
    ([(CACHE_CONTROL, "no-store")], Html(contents(&board.lock()).into_string()))
}

async fn svg(Given(board): Given<Board>) -> impl IntoResponse {
    let svg = board.lock().svg.clone();
    ([(CONTENT_TYPE, "image/svg+xml"), (CACHE_CONTROL, "no-store")], svg)
}

fn contents(shown: &Shown) -> Markup {
    html! {
        @if shown.svg.is_empty() {
            p { "The nodes are starting." }
        } @else {
            figure { (PreEscaped(&shown.svg)) }
        }
        div.columns {
            section {
                h2 { "Come by way of several nodes, just now" }
                @for arrival in &shown.latest {
                    article {
                        a href=(arrival.link) { (arrival.title) }
                        p.way {
                            (arrival.source)
                            @for stop in &arrival.way {
                                span.age { (brief(stop.age)) }
                                @let base = shown.nodes.iter().find(|node| node.name == stop.node);
                                a.stop href=[base.map(|node| &node.base)]
                                    style=(colour(shown, &stop.node)) { (stop.node) }
                            }
                        }
                    }
                }
                @if shown.latest.is_empty() { p { "Nothing so far; it takes a few seconds." } }
            }
            section {
                h2 { "Look closer" }
                @for node in &shown.nodes {
                    p {
                        a.stop href=(node.base) style=(colour(shown, &node.name)) { (node.name) }
                        " " a href={ (node.base) "/read" } { "Read" }
                        " " a href={ (node.base) "/feeds/" (node.name) ".atom" } { "Atom" }
                        " " a href={ (node.base) "/feeds/" (node.name) ".rss" } { "RSS" }
                        " " a href={ (node.base) "/feeds/" (node.name) ".json" } { "JSON" }
                        " " a href={ (node.base) "/metrics" } { "metrics" }
                    }
                }
                p {
                    a href=(shown.newsroom) { "the newsroom" } " with its sources, and "
                    a href={ (shown.newsroom) "/truth" } { "what they really published" }
                }
                p.soft {
                    "Widths are items, bright lines are in use, times are medians: how long items took \
                     over a line, how old they were at a node. Each source is asked by one node only, \
                     which passes on what it has. The wiring is that of topology-gen."
                }
            }
        }
    }
}

fn colour(shown: &Shown, name: &str) -> String {
    let node = shown.nodes.iter().find(|node| node.name == name);
    node.map_or_else(String::new, |node| format!("--own: {}", node.colour))
}

const STYLE: &str = include_str!("picture.css");

/// Updates the page every second while somebody views it.
const SCRIPT: &str = "setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch('/live');
    if (answer.ok) document.querySelector('main').innerHTML = await answer.text();
  } catch { document.title = 'Pergola: the demonstration has ended'; }
}, 1000);";

//! The nodes around this one: a picture, and the same facts as lists.

mod picture;

use maud::{Markup, html};
use pergola_api::neighbours::{Downstream, DownstreamKind, Neighbours, UpstreamFeed};
use pergola_feed::Timestamp;

use super::{in_path, percent};
use crate::assets;
use crate::frame::{Frame, Place, Viewer};
use crate::words::{counted, span, time};
pub use picture::{Drawn, Shape, picture};

/// A node that is read, with its feeds.
struct Upstream<'a> {
    name: &'a str,
    id: Option<&'a str>,
    feeds: Vec<&'a UpstreamFeed>,
}

/// The page of the mesh.
pub fn page(viewer: Viewer<'_>, around: &Neighbours) -> Markup {
    let content = html! {
        h1 { "Mesh" }
        p.away data-live-note hidden role="status" {}
        div data-live="mesh" { (live(around)) }
    };
    let live = assets::address("./", "live.js");
    let head = html! { script src=(live) data-live="./live?mesh=" defer {} };
    let frame = Frame { title: "Mesh", root: "./", place: Some(Place::Mesh), viewer };
    frame.page(head, content)
}

/// What changes while somebody looks at the page.
pub fn live(around: &Neighbours) -> Markup {
    let upstream = by_node(&around.upstream);
    html! {
        figure.mesh { (picture(&drawn(around, &upstream))) }
        (read(around, &upstream))
        (readers(&around.downstream))
    }
}

/// The feeds by the nodes that publish them.
fn by_node(feeds: &[UpstreamFeed]) -> Vec<Upstream<'_>> {
    let mut nodes: Vec<Upstream<'_>> = Vec::new();
    for feed in feeds {
        let id = feed.node.as_deref();
        let name = feed.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&feed.host);
        let same = |node: &&mut Upstream<'_>| match (node.id, id) {
            (Some(a), Some(b)) => a == b,
            (None, None) => node.name == name,
            _ => false,
        };
        match nodes.iter_mut().find(same) {
            Some(node) => node.feeds.push(feed),
            None => nodes.push(Upstream { name, id, feeds: vec![feed] }),
        }
    }
    nodes
}

fn kind(kind: DownstreamKind) -> &'static str {
    match kind {
        DownstreamKind::Reader => "named reader",
        DownstreamKind::Caller => "caller over gRPC",
        DownstreamKind::Subscriber => "WebSub subscriber",
    }
}

fn called(one: &Downstream) -> String {
    one.called.map_or_else(String::new, |ago| match ago {
        0..10 => "called just now".to_owned(),
        ago => format!("called {} ago", span(ago as f64)),
    })
}

/// "90.0 % complete, 99.0 % fresh", as far as it is known.
fn quality(complete: Option<f64>, fresh: Option<f64>) -> String {
    let told = |share: Option<f64>, word: &str| Some(format!("{} {word}", percent(Some(share?))));
    let known: Vec<String> =
        [told(complete, "complete"), told(fresh, "fresh")].into_iter().flatten().collect();
    if known.is_empty() { "quality not known yet".to_owned() } else { known.join(", ") }
}

/// What stands in the box of a node that is read.
fn lines_of(
    node: &Upstream<'_>,
    complete: Option<f64>,
    fresh: Option<f64>,
    age: Option<f64>,
) -> Vec<String> {
    let feeds = counted(node.feeds.len() as u64, "feed");
    let told = node.feeds.iter().any(|feed| feed.watched);
    let first = match (age, told) {
        (Some(age), _) => format!("{feeds}, {} on the way", span(age)),
        (None, true) => format!("{feeds}, tells at once"),
        (None, false) => format!("{feeds}, no items yet"),
    };
    let line = |share: Option<f64>, word: &str| Some(format!("{} {word}", percent(Some(share?))));
    let known = [line(complete, "complete"), line(fresh, "fresh")].into_iter().flatten();
    [first].into_iter().chain(known).collect()
}

/// What is drawn.
fn drawn(around: &Neighbours, upstream: &[Upstream<'_>]) -> Drawn {
    let mean = |values: Vec<f64>| match values.len() {
        0 => None,
        many => Some(values.iter().sum::<f64>() / many as f64),
    };
    let mut above: Vec<Shape> = upstream
        .iter()
        .map(|node| {
            let of = |value: fn(&UpstreamFeed) -> Option<f64>| {
                mean(node.feeds.iter().filter_map(|feed| value(feed)).collect())
            };
            let (complete, fresh, age) =
                (of(|feed| feed.completeness), of(|feed| feed.freshness), of(|feed| feed.age));
            Shape {
                name: node.name.to_owned(),
                lines: lines_of(node, complete, fresh, age),
                strong: node.feeds.iter().any(|feed| feed.direct),
            }
        })
        .collect();
    if around.plain_sources > 0 {
        let name = counted(around.plain_sources as u64, "other source");
        above.push(Shape { name, lines: vec!["over HTTP".to_owned()], strong: false });
    }
    let below = around.downstream.iter().map(|one| {
        let feeds = match one.feeds.len() {
            0 => "open feeds".to_owned(),
            some => counted(some as u64, "feed"),
        };
        let lines = [kind(one.kind).to_owned(), feeds, called(one)];
        let lines = lines.into_iter().filter(|line| !line.is_empty()).collect();
        Shape { name: one.name.clone(), lines, strong: one.called.is_some_and(|ago| ago < 600) }
    });
    Drawn { name: around.name.clone(), above, below: below.collect() }
}

fn read(around: &Neighbours, upstream: &[Upstream<'_>]) -> Markup {
    html! {
        section aria-labelledby="upstream" {
            h2 #upstream { "What this node reads" }
            @if upstream.is_empty() {
                p.soft { "No feed of another node yet. A source that a node publishes is recognised by itself; "
                    "in a query it is written " code { "PEER \"https://…\" FEED name" } "." }
            }
            @for node in upstream {
                article.card {
                    h3 { (node.name) }
                    @if let Some(id) = node.id { p.soft { "Node " code { (id) } } }
                    ul.rows {
                        @for feed in &node.feeds {
                            li {
                                a href={ "sources/" (feed.source) } { (feed.feed) }
                                p.soft {
                                    (quality(feed.completeness, feed.freshness)) ", "
                                    @if let Some(age) = feed.age { (span(age)) " on the way, " }
                                    (counted(feed.items, "item")) ", "
                                    @if feed.watched { "told at once" } @else { "asked" }
                                    @if feed.direct { " over gRPC" } @else { " over HTTP" }
                                    @if let Some(at) = feed.last {
                                        ", last " (time(Timestamp::from_unix(at.unix() as i64)))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if around.plain_sources > 0 {
                p.soft { a href="sources" { (counted(around.plain_sources as u64, "other source")) } " over HTTP." }
            }
        }
    }
}

fn readers(downstream: &[Downstream]) -> Markup {
    html! {
        section aria-labelledby="downstream" {
            h2 #downstream { "Who reads this node" }
            @if downstream.is_empty() {
                p.soft { "Nobody that the node knows of. Who fetches documents over HTTP is not recorded." }
            } @else {
                ul.rows.card {
                    @for one in downstream {
                        li {
                            strong { (one.name) }
                            p.soft {
                                (kind(one.kind))
                                @if one.called.is_some() { ", " (called(one)) }
                                @for (index, feed) in one.feeds.iter().enumerate() {
                                    @if index == 0 { ": " } @else { ", " }
                                    a href={ "feeds/" (in_path(feed)) } { (feed) }
                                }
                            }
                        }
                    }
                }
                p.soft { "Who fetches documents over HTTP is not recorded." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(node: Option<&str>, name: &str, feed: &str) -> UpstreamFeed {
        UpstreamFeed {
            source: 1,
            node: node.map(str::to_owned),
            name: Some(name.to_owned()),
            host: "peer.example".to_owned(),
            feed: feed.to_owned(),
            direct: true,
            watched: false,
            items: 7,
            completeness: Some(0.9),
            freshness: None,
            age: Some(2.0),
            last: None,
        }
    }

    #[test]
    fn feeds_of_one_node_are_drawn_together_and_names_do_no_harm() {
        let around = Neighbours {
            name: "here".to_owned(),
            id: "1".to_owned(),
            plain_sources: 3,
            upstream: vec![
                feed(Some("a"), "<b>", "One"),
                feed(Some("b"), "", "Two"),
                feed(Some("a"), "<b>", "Three"),
            ],
            downstream: vec![Downstream {
                kind: DownstreamKind::Reader,
                name: "<i>".to_owned(),
                feeds: vec!["One".to_owned()],
                called: Some(700),
            }],
        };
        let page = page(Viewer::Anybody, &around).into_string();
        assert!(page.contains("2 feeds") && page.contains("90.0 % complete"), "{page}");
        assert!(page.contains("&lt;b&gt;") && page.contains("&lt;i&gt;"));
        assert!(!page.contains("<b>") && !page.contains("<i>"));
        assert!(page.contains("peer.example") && page.contains("3 other sources"));
        assert!(page.contains("called 12 min ago"), "{page}");
    }
}

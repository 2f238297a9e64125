//! Graphs made of answers that are given here.

use std::collections::BTreeSet;

use pergola_wiring::graph::{Edge, Graph};
use pergola_wiring::mesh::Mesh;

use super::reads::{Upstream, reads};
use super::*;

fn source(url: &str, title: &str) -> Upstream {
    Upstream { url: url.to_owned(), title: title.to_owned(), ..Upstream::default() }
}

fn node(name: &str, feeds: Vec<Described>) -> Node {
    let origins = vec![format!("http://{name}:8080")];
    Node { id: format!("id-{name}"), name: name.to_owned(), origins, feeds }
}

fn feed(name: &str, statement: &str, upstreams: &[Upstream]) -> Described {
    let reads = reads(statement, upstreams);
    Described { name: name.to_owned(), keywords: vec![name.to_lowercase()], reads }
}

fn edges(mesh: &Mesh, graph: &Graph) -> Vec<String> {
    let shown = |edge: &Edge| {
        let (from, to) = (mesh.name(edge.from), &mesh.feeds[edge.to as usize].name);
        format!("{from}>{to} {} {}", mesh.sources[edge.source as usize].name, edge.hops)
    };
    graph.edges.iter().map(shown).collect()
}

#[test]
fn the_statement_of_a_feed_tells_what_it_reads() {
    let statement = r#"CREATE FEED F AS RETURN "http://a.example/rss" | FEED G |
        PEER "http://b:8080/" FEED H | "http://c:8080/feeds/K.atom" | "http://d.example/feeds/L";"#;
    let peer = Upstream {
        url: "http://c:8080/feeds/K.atom".to_owned(),
        node: "id-c".to_owned(),
        feed: "K".to_owned(),
        ..Upstream::default()
    };
    let peers = |url: &str, node: Option<&str>, feed: &str, certain| Read::Peer {
        url: url.to_owned(),
        node: node.map(str::to_owned),
        feed: feed.to_owned(),
        certain,
    };
    let title = Some("News".to_owned());
    let expected = BTreeSet::from([
        Read::Own("G".to_owned()),
        peers("http://b:8080/feeds/H.atom", None, "H", true),
        peers("http://c:8080/feeds/K.atom", Some("id-c"), "K", true),
        peers("http://d.example/feeds/L", None, "L", false),
        Read::Source { url: "http://a.example/rss".to_owned(), title },
    ]);
    let found = reads(statement, &[source("http://a.example/rss", "News"), peer]);
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
}

#[test]
fn a_list_stands_for_everything_that_is_crawled() {
    let found =
        reads("CREATE FEED F AS RETURN OPML \"all\";", &[source("http://a.example/rss", "")]);
    assert_eq!(found, [Read::Source { url: "http://a.example/rss".to_owned(), title: None }]);
}

#[test]
fn answers_of_nodes_become_a_graph() {
    let seen = Seen {
        nodes: vec![
            node(
                "a",
                vec![feed(
                    "World",
                    r#"CREATE FEED World AS RETURN "http://s.example/rss";"#,
                    &[source("http://s.example/rss", "wire")],
                )],
            ),
            node(
                "b",
                vec![
                    feed(
                        "News",
                        r#"CREATE FEED News AS RETURN PEER "http://a:8080" FEED World;"#,
                        &[],
                    ),
                    feed("Own", "CREATE FEED Own AS RETURN FEED News;", &[]),
                ],
            ),
        ],
        ..Seen::default()
    };
    let (mesh, graph) = seen.graph();
    assert_eq!(edges(&mesh, &graph), ["wire>World wire 1", "World>News wire 2", "News>Own wire 3"]);
    assert!(!mesh.sources[0].unknown);
    assert_eq!(mesh.feeds[2].node.as_deref(), Some("b"));
}

#[test]
fn a_subscription_has_an_edge_for_every_source_that_it_carries() {
    let both = r#"CREATE FEED All AS RETURN "http://s.example/1" | "http://s.example/2";"#;
    let seen = Seen {
        nodes: vec![
            node("a", vec![feed("All", both, &[])]),
            node(
                "b",
                vec![feed(
                    "Part",
                    r#"CREATE FEED Part AS RETURN PEER "http://a:8080" FEED All | "http://s.example/1";"#,
                    &[],
                )],
            ),
        ],
        ..Seen::default()
    };
    let (mesh, graph) = seen.graph();
    let expected = [
        "s.example-1>All s.example-1 1",
        "s.example-1>Part s.example-1 1",
        "All>Part s.example-1 2",
        "s.example-2>All s.example-2 1",
        "All>Part s.example-2 2",
    ];
    assert_eq!(edges(&mesh, &graph), expected);
    assert_eq!(graph.links().len(), 4);
}

#[test]
fn feeds_of_a_silent_node_become_unknown_sources() {
    let query = r#"CREATE FEED F AS RETURN PEER "http://gone:8080" FEED World | "http://x.example/feeds/blog";"#;
    let seen = Seen {
        nodes: vec![node("b", vec![feed("F", query, &[])])],
        silent: vec![("http://gone:8080".to_owned(), "no".to_owned())],
        notes: Vec::new(),
    };
    let (mesh, graph) = seen.graph();
    let sources: Vec<(&str, bool)> =
        mesh.sources.iter().map(|source| (source.name.as_str(), source.unknown)).collect();
    // The second URL only has the form of a node's, so it is an ordinary source.
    assert_eq!(sources, [("World", true), ("x.example-feeds-blog", false)]);
    assert_eq!(graph.edges.len(), 2);
}

#[test]
fn names_are_plain_and_unique() {
    let one = r#"CREATE FEED News AS RETURN "http://s.example/rss";"#;
    let seen = Seen {
        nodes: vec![
            node("My node!", vec![feed("News", one, &[source("http://s.example/rss", "News")])]),
            node(
                "b",
                vec![
                    feed("News", one, &[]),
                    feed("Größe", "CREATE FEED Größe AS RETURN FEED News;", &[]),
                ],
            ),
        ],
        ..Seen::default()
    };
    let (mesh, _) = seen.graph();
    let feeds: Vec<&str> = mesh.feeds.iter().map(|feed| feed.name.as_str()).collect();
    assert_eq!(feeds, ["My-node.News", "b.News", "Gr-e"]);
    assert_eq!(mesh.sources[0].name, "News");
    mesh.check_names().unwrap();
}

#[test]
fn feeds_without_a_source_are_connected_with_an_unknown_one() {
    let seen = Seen {
        nodes: vec![node(
            "a",
            vec![
                feed("Empty", "CREATE FEED Empty AS RETURN OPML \"all\";", &[]),
                // A cycle that no source leads to.
                feed("X", r#"CREATE FEED X AS RETURN PEER "http://a:8080" FEED Y;"#, &[]),
                feed("Y", r#"CREATE FEED Y AS RETURN FEED X;"#, &[]),
            ],
        )],
        ..Seen::default()
    };
    let (mesh, graph) = seen.graph();
    assert!(mesh.sources.iter().all(|source| source.unknown));
    assert!(
        mesh.feeds.iter().zip(0..).all(|(_, feed)| graph.edges.iter().any(|edge| edge.to == feed))
    );
    assert_eq!(graph.cycle(mesh.feeds.len()), Some(1));
}

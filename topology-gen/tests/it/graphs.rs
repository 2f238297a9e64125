//! Generated graphs: their format, their content, and that they are reproducible.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{Folder, MESH, json, printed};

fn names(list: &Value) -> HashSet<&str> {
    list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn a_synthetic_mesh_is_printed_as_sources_feeds_and_edges_that_are_trees() {
    let size =
        ["generate", "--sources", "20", "--feeds", "500", "--dictionary", "200", "--seed", "3"];
    let graph = json(&size);
    assert_eq!(keys(&graph), ["edges", "feeds", "sources"]);
    assert_eq!(keys(&graph["sources"][0]), ["keywords", "name"]);
    assert_eq!(keys(&graph["feeds"][0]), ["keywords", "name"]);
    assert_eq!(keys(&graph["edges"][0]), ["from", "hops", "source", "to"]);
    let (sources, feeds) = (names(&graph["sources"]), names(&graph["feeds"]));
    assert_eq!((sources.len(), feeds.len()), (20, 500));
    let edges = graph["edges"].as_array().unwrap();
    let mut hops: HashMap<(&str, &str), u64> = HashMap::new();
    for edge in edges {
        let (to, source) = (edge["to"].as_str().unwrap(), edge["source"].as_str().unwrap());
        assert!(feeds.contains(to) && sources.contains(source));
        let before = hops.insert((to, source), edge["hops"].as_u64().unwrap());
        assert_eq!(before, None, "{to} is twice in the tree of {source}");
    }
    for edge in edges {
        let (from, to) = (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap());
        let source = edge["source"].as_str().unwrap();
        let above = if from == source { 0 } else { hops[&(from, source)] };
        assert_eq!(hops[&(to, source)], above + 1, "{from} to {to} in the tree of {source}");
    }
    let wired: HashSet<&str> = edges.iter().map(|edge| edge["to"].as_str().unwrap()).collect();
    assert_eq!(wired, feeds);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_others() {
    let with = |seed: &str| {
        printed(&["generate", "--sources", "5", "--feeds", "200", "--seed", seed, "--json"])
    };
    assert_eq!(with("1"), with("1"));
    assert_ne!(with("1"), with("2"));
}

#[test]
fn keywords_of_a_feed_come_from_its_query() {
    let folder = Folder::new("query");
    let mesh = folder.write("mesh.toml", MESH);
    let graph = json(&["generate", &mesh]);
    assert_eq!(graph["feeds"][1]["keywords"], serde_json::json!(["ash", "wind"]));
    // In the form in which queries compare words, and without what the feed excludes.
    assert_eq!(graph["feeds"][2]["keywords"], serde_json::json!(["iceland"]));
}

#[test]
fn json_and_toml_give_the_same_graph() {
    let folder = Folder::new("formats");
    let toml = folder.write("mesh.toml", MESH);
    let value: toml::Value = toml::from_str(MESH).unwrap();
    let json = folder.write("mesh.json", &serde_json::to_string(&value).unwrap());
    assert_eq!(printed(&["generate", &toml, "--json"]), printed(&["generate", &json, "--json"]));
}

#[test]
fn a_folder_gets_the_graph_in_both_formats() {
    let folder = Folder::new("output");
    let mesh = folder.write("mesh.toml", MESH);
    let said = printed(&["generate", &mesh, "--output", &folder.at("graph")]);
    assert!(said.contains("subscriptions"), "{said}");
    assert_eq!(folder.names(), ["graph", "mesh.toml"]);
    let written = std::fs::read_to_string(folder.path().join("graph/graph.json")).unwrap();
    assert_eq!(written, printed(&["generate", &mesh, "--json"]));
    let dot = std::fs::read_to_string(folder.path().join("graph/graph.dot")).unwrap();
    assert!(dot.starts_with("digraph") && dot.contains("\"volcano-news\" -> \"everything\""));
}

#[test]
fn statistics_are_a_table_or_json() {
    let mesh = ["stats", "--sources", "10", "--feeds", "1000", "--seed", "2", "--nodes", "50"];
    let table = printed(&mesh);
    assert!(table.contains("leaves") && table.contains("exponent"), "{table}");
    let stats = json(&mesh);
    assert_eq!((stats["feeds"].as_u64(), stats["nodes"].as_u64()), (Some(1000), Some(50)));
    let worst = stats["reach"]["worst"].as_f64().unwrap();
    let kept = json(&[&mesh[..], &["--keep-reach"]].concat());
    assert!(worst < 1.0, "{worst}");
    assert_eq!(kept["reach"]["worst"].as_f64(), Some(1.0));
}

#[test]
fn limits_on_readers_and_depth_are_kept() {
    let limits = ["--fan-out", "3", "--depth", "6", "--radius", "1"];
    let graph = json(&[&["generate", "--sources", "2", "--feeds", "300"], &limits[..]].concat());
    let mut readers: HashMap<(&str, &str), u32> = HashMap::new();
    for edge in graph["edges"].as_array().unwrap() {
        let tree = (edge["from"].as_str().unwrap(), edge["source"].as_str().unwrap());
        *readers.entry(tree).or_default() += 1;
        assert!(edge["hops"].as_u64().unwrap() <= 6);
    }
    assert_eq!(readers.values().max(), Some(&3));
}

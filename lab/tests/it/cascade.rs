//! Meshes: what hops cost, what cooperation saves, and mistakes in what is asked for.

use std::fs;

use pergola_topology::graph_file::write_json;
use pergola_wiring::grow::{Rules, grow};
use pergola_wiring::synthetic::Synthetic;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::{Folder, lab, number, rows};

/// The row of a mode at a place.
fn at<'a>(rows: &'a [Value], mode: &str, place: &str) -> &'a Value {
    rows.iter()
        .find(|row| row["mode"] == mode && row["where"] == place)
        .unwrap_or_else(|| panic!("no row for {mode} at {place}"))
}

#[test]
fn hops_cost_completeness_and_time_and_cooperation_saves_both() {
    let modes = ["none", "hints", "watch", "archive", "notice", "notice+archive", "push"];
    let asked: Vec<&str> = modes.iter().flat_map(|mode| ["--mode", mode]).collect();
    let rows = rows(&[&["cascade", "--seeds", "3"], asked.as_slice()].concat());
    let figure =
        |mode: &str, hop: u64, figure: &str| number(at(&rows, mode, &format!("hop {hop}")), figure);
    // Every hop of plain pulling loses and delays.
    for hop in 2..=5 {
        for (name, sign) in [("completeness", -1.0), ("delay_mean", 1.0), ("freshness", -1.0)] {
            let (before, after) = (figure("none", hop - 1, name), figure("none", hop, name));
            assert!(sign * (after - before) > 0.0, "{name} at hop {hop}: {before}, then {after}");
        }
    }
    let delay = figure("none", 5, "delay_mean");
    assert!((5.0..8.0).contains(&delay), "plain pull at hop 5: {delay} cycles");
    // With paging nothing is lost after the first hop.
    for mode in ["archive", "notice+archive"] {
        for hop in 2..=5 {
            let lost = figure(mode, 1, "completeness") - figure(mode, hop, "completeness");
            assert!(lost.abs() < 0.002, "{mode} lost {lost} at hop {hop}");
        }
    }
    // Without a network between, whoever is told at once is as good as the first hop.
    for mode in ["watch", "push"] {
        for name in ["completeness", "delay_mean", "delay_median", "freshness"] {
            assert_eq!(figure(mode, 5, name), figure(mode, 1, name), "{mode}, {name}");
        }
    }
    for mode in ["hints", "notice"] {
        assert!(figure(mode, 5, "completeness") > figure("none", 5, "completeness"));
        assert!(figure(mode, 5, "freshness") > 1.3 * figure("none", 5, "freshness"), "{mode}");
    }
    // The first hop knows nothing of what follows.
    for mode in &modes[1..] {
        assert_eq!(figure(mode, 1, "delay_mean"), figure("none", 1, "delay_mean"), "{mode}");
    }
}

#[test]
fn hints_bring_items_through_five_hops_much_earlier_at_equal_cost() {
    for strategy in ["2Steps", "index"] {
        let rows = rows(&[
            "cascade",
            "--seeds",
            "3",
            "--decisions",
            "4",
            "--strategy",
            strategy,
            "--mode",
            "none",
            "--mode",
            "hints",
        ]);
        let ratio = |figure: &str| {
            number(at(&rows, "hints", "hop 5"), figure) / number(at(&rows, "none", "hop 5"), figure)
        };
        assert!(ratio("delay_median") < 0.6, "{strategy}: {}", ratio("delay_median"));
        assert!(ratio("delay_mean") < 0.6, "{strategy}: {}", ratio("delay_mean"));
        assert!((0.9..1.05).contains(&ratio("requests")), "{strategy}: {}", ratio("requests"));
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_a_network_that_draws_lots() {
    let run = |seed: &str| {
        let output = lab(&[
            "cascade",
            "--mesh",
            "diamond",
            "--delay",
            "20",
            "--loss",
            "0.1",
            "--outage",
            "1:120:140",
            "--warmup",
            "100",
            "--cycles",
            "100",
            "--collective",
            "--seeds",
            "2",
            "--seed",
            seed,
            "--json",
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn two_ways_help_where_a_node_on_one_is_away() {
    let complete = |mesh: &str| {
        let rows = rows(&[
            "cascade",
            "--mesh",
            mesh,
            "--relayed",
            "10",
            "--private",
            "5",
            "--outage",
            "1:200:260",
            "--warmup",
            "150",
            "--cycles",
            "200",
            "--mode",
            "none",
            "--seeds",
            "2",
        ]);
        number(at(&rows, "none", "hop 3"), "completeness")
    };
    let (chain, diamond) = (complete("chain:3"), complete("diamond"));
    assert!(diamond > chain + 0.1, "{chain} in a chain, {diamond} in a diamond");
}

#[test]
fn a_graph_of_topology_gen_is_played_node_by_node() {
    let folder = Folder::new("graph");
    let size = Synthetic { sources: 4, feeds: 7, dictionary: 30, coverage: 0.3, radius: 0.9 };
    let mesh = size.make(&mut ChaCha8Rng::seed_from_u64(5)).unwrap();
    let graph = grow(&mesh, &Rules::default()).unwrap();
    let mut bytes = Vec::new();
    write_json(&graph, &mesh, &mut bytes).unwrap();
    let path = folder.file("graph.json");
    fs::write(&path, bytes).unwrap();
    let (plot, frames, film, csv) =
        (folder.file("p.svg"), folder.file("f.png"), folder.file("m.svg"), folder.file("t.csv"));
    let rows = rows(&[
        "cascade",
        "--mesh",
        &path,
        "--feed-window",
        "50",
        "--mode",
        "archive",
        "--seeds",
        "1",
        "--plot",
        &plot,
        "--frames",
        &frames,
        "--film",
        &film,
        "--csv",
        &csv,
    ]);
    for feed in &mesh.feeds {
        let row = at(&rows, "archive", &feed.name);
        assert!(number(row, "completeness") > 0.5, "{row}");
        assert!(number(row, "delay_p95") >= number(row, "delay_median"), "{row}");
    }
    let svg = fs::read_to_string(&film).unwrap();
    assert!(svg.contains("<animate") && svg.ends_with("</svg>\n"));
    assert!(fs::read(&frames).unwrap().starts_with(b"\x89PNG"));
    assert!(fs::read_to_string(&plot).unwrap().contains("freshness"));
    assert!(fs::read_to_string(&csv).unwrap().contains("hop 1"));
}

#[test]
fn every_study_says_what_it_found_in_every_form() {
    for study in ["cascade-phase", "cascade-burst", "cascade-outage"] {
        let folder = Folder::new(study);
        let (plot, frames) = (folder.file("p.svg"), folder.file("f.svg"));
        let found = rows(&[study, "--seeds", "1", "--plot", &plot, "--frames", &frames]);
        assert!(found.len() >= 10, "{study}: {} rows", found.len());
        assert!(fs::read_to_string(&plot).unwrap().contains("τ by hop"), "{study}");
        assert!(fs::read_to_string(&frames).unwrap().contains("cycle "), "{study}");
    }
}

#[test]
fn the_wait_at_a_hop_is_the_phase_where_every_node_refreshes_once_a_cycle() {
    let rows = rows(&["cascade-phase", "--seeds", "1"]);
    for row in rows.iter().filter(|row| row["who"] == "every cycle, phase") {
        let hop: f64 = row["hop"].as_str().unwrap().parse().unwrap();
        let first = rows
            .iter()
            .find(|other| {
                other["who"] == row["who"]
                    && other["setting"] == row["setting"]
                    && other["hop"] == "1"
            })
            .unwrap();
        let waited = number(row, "delay_mean") - number(first, "delay_mean");
        let told = (hop - 1.0) * number(row, "setting");
        assert!((waited - told).abs() < 0.01, "{row}: waited {waited} instead of {told}");
    }
}

#[test]
fn a_large_mesh_says_how_much_happened() {
    let output =
        lab(&["cascade-scale", "--nodes", "60", "--sources", "300", "--days", "1", "--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(number(&json, "events") > number(&json, "delivered"));
    assert!(said.contains("million events in"), "{said}");
}

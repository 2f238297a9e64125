//! Mistakes that users make: a clear sentence, exit code 2, and nothing written.

use std::fs;

use crate::{Folder, lab};

/// Runs it, expects exit code 2 and nothing on standard output, and returns what it said.
fn refused(arguments: &[&str]) -> String {
    let output = lab(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?} said: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed something");
    assert!(!said.contains("panicked"), "{said}");
    said
}

fn trace(name: &str, items: &str) -> Folder {
    let folder = Folder::new(name);
    fs::write(folder.path().join("streams.tsv"), "stream_id\na\n").unwrap();
    fs::write(folder.path().join("items.tsv"), items).unwrap();
    folder
}

const GOOD: &str = "a\t5\t\tx\na\t700000\t\ty\n";

#[test]
fn an_unknown_experiment_is_answered_with_the_nearest_one() {
    let said = refused(&["table-4.2"]);
    assert!(said.contains("table-4.2") && said.contains("table-4.1"), "{said}");
}

#[test]
fn an_impossible_budget_is_refused_with_its_value() {
    let folder = trace("budget", GOOD);
    let path = folder.path().to_str().unwrap();
    for bad in ["0", "-1", "NaN", "inf"] {
        let said = refused(&["replay", "--trace", path, "--budget", bad]);
        assert!(said.contains(bad) && said.contains("finite number above 0"), "{said}");
    }
    let said = refused(&["replay", "--trace", path, "--query-share", "1.5"]);
    assert!(said.contains("query share is 1.5, but must be between 0 and 1"), "{said}");
    let said = refused(&["replay", "--trace", path, "--window", "0"]);
    assert!(said.contains("--window"), "{said}");
    let said = refused(&["replay", "--trace", path, "--model", "gama"]);
    assert!(said.contains("gama") && said.contains("gamma-dates"), "{said}");
}

#[test]
fn no_seeds_are_refused() {
    assert!(refused(&["table-4.1", "--seeds", "0"]).contains("--seeds"));
}

#[test]
fn a_trace_with_a_bad_line_is_refused_with_its_place() {
    let folder = trace("line", "a\t5\t\tx\na\tlater\t\ty\n");
    let said = refused(&["replay", "--trace", folder.path().to_str().unwrap()]);
    assert!(said.contains("items.tsv, line 2: time `later` is not a number"), "{said}");
    let folder = trace("order", "a\t5\t\tx\na\t4\t\ty\n");
    let said = refused(&["characterise", "--trace", folder.path().to_str().unwrap()]);
    assert!(said.contains("line 2: time 4 comes after 5 on line 1"), "{said}");
    let said = refused(&["replay", "--trace", "no/such/folder"]);
    assert!(said.contains("no/such/folder") && said.contains("No such file"), "{said}");
}

#[test]
fn a_plot_of_an_unknown_kind_is_refused_before_anything_is_computed() {
    let said = refused(&["table-4.1", "--plot", "table.gif"]);
    assert!(said.contains("table.gif") && said.contains(".svg or .png"), "{said}");
    let said = refused(&["figure-4.2-4.3", "--csv", "no/such/folder/out.csv"]);
    assert!(said.contains("no/such/folder"), "{said}");
}

#[test]
fn a_folder_that_holds_a_trace_is_not_overwritten() {
    let folder = trace("taken", GOOD);
    let said = refused(&["synthesise", folder.path().to_str().unwrap()]);
    assert!(said.contains("holds a trace already"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("items.tsv")).unwrap(), GOOD);
}

#[test]
fn an_impossible_mesh_is_refused_with_what_is_wrong() {
    let folder = Folder::new("meshes");
    let graph = |name: &str, text: &str| {
        let path = folder.file(name);
        fs::write(&path, text).unwrap();
        path
    };
    let cycle = r#"{"sources":[{"name":"s","keywords":["k"]}],
        "feeds":[{"name":"a","keywords":["k"]},{"name":"b","keywords":["k"]}],
        "edges":[{"from":"s","to":"a"},{"from":"a","to":"b"},{"from":"b","to":"a"}]}"#;
    for (mesh, told) in [
        ("chain:0", "chain:5"),
        ("tree:3", "tree:3x4"),
        ("tree:1000x9", "more than 100000 nodes"),
        ("no/graph.json", "no/graph.json"),
        (graph("text.json", "hello").as_str(), "is not a graph: expected value at line 1"),
        (graph("empty.json", r#"{"sources":[],"feeds":[],"edges":[]}"#).as_str(), "no sources"),
        (graph("cycle.json", cycle).as_str(), "in a cycle through feed `"),
        (folder.path().to_str().unwrap(), "cannot read"),
    ] {
        let said = refused(&["cascade", "--mesh", mesh]);
        assert!(said.contains(told), "{mesh}: {said}");
    }
    for (arguments, told) in [
        (["--mode", "hint"], "`hint` is no mode"),
        (["--loss", "1"], "share of refreshes lost is 1"),
        (["--delay", "-1"], "network delay in seconds is -1"),
        (["--budget", "0"], "budget is 0"),
        (["--highest-rate", "NaN"], "highest rate is NaN"),
        (["--outage", "1:5"], "1:500:540"),
        (["--outage", "9:5:6"], "node of an outage is 9"),
        (["--bursts", "0.5"], "at least 1 item"),
        (["--film", "film.png"], ".svg"),
        (["--frames", "frames.gif"], ".svg or .png"),
    ] {
        let said = refused(&["cascade", arguments[0], arguments[1]]);
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
}

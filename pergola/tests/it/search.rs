//! The benchmark of searches, small: it works, and the index is as small as it must be.

use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn a_small_benchmark_of_searches_finds_items_and_keeps_the_index_small() {
    let output = Command::new(env!("CARGO_BIN_EXE_pergola"))
        .args(["bench", "search", "--items", "6000", "--vocabulary", "20000"])
        .args(["--searches", "10", "--sources", "50", "--json"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let figure = |name: &str| report[name].as_f64().unwrap();
    assert_eq!(figure("items"), 6000.0);
    // That is a matter of the data, not of the machine.
    assert!(figure("size") > 0.05 && figure("size") <= 0.4, "{report}");
    let kinds = report["kinds"].as_array().unwrap();
    assert!(kinds.len() >= 5, "{report}");
    for kind in kinds {
        assert!(kind["p95"].as_f64().unwrap() > 0.0, "{kind}");
    }
    let found = |name: &str| {
        let kind = kinds.iter().find(|kind| kind["what"] == name).unwrap();
        kind["found"].as_f64().unwrap()
    };
    assert!(found("a common word") > 10.0, "{report}");
    assert!(found("a name of two words") >= 1.0, "{report}");
}

//! The benchmark of overload, made small: everything but its pace must hold, however busy the machine is.

use std::process::Command;

/// Sizes at which it takes seconds.
const SMALL: &str = "--connections 120 --slow 12 --storm 20 --items 1000 --sources 60 --watchers 40 \
                     --callbacks 40 --news-every 0.5 --idle 1 --seconds 3";

#[test]
fn a_small_overload_breaks_no_promise() {
    let output = Command::new(env!("CARGO_BIN_EXE_pergola"))
        .args(["--json", "bench", "overload"])
        .args(SMALL.split_whitespace())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let conditions = report["conditions"].as_array().unwrap();
    assert!(conditions.len() > 15, "{report:#}");
    for condition in conditions.iter().filter(|one| one["what"] != PACE) {
        assert_eq!(condition["kept"], true, "{condition:#}\n{told}");
    }
    let missed = conditions.iter().any(|condition| condition["kept"] == false);
    assert_eq!(output.status.success(), !missed, "the exit code says whether one was missed");
}

/// The condition that depends on what else the machine does.
const PACE: &str = "p99 of a normal reader, of that while idle";

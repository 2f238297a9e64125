//! The long run with faults, for some seconds: it works, and no item is lost or doubled.

use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn a_short_soak_loses_nothing_and_says_what_it_found() {
    let output = Command::new(env!("CARGO_BIN_EXE_pergola"))
        .args(["bench", "soak", "--minutes", "0.2", "--sources", "60", "--json"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let count = |place: &str| report.pointer(place).and_then(Value::as_u64).unwrap();
    assert_eq!((count("/items/lost"), count("/items/doubled")), (0, 0), "{told}");
    assert_eq!(report["readers"]["trouble"], serde_json::json!([]), "{told}");
    assert!(count("/items/came") > 100 && count("/items/faults") > 0, "{report}");
    for what in ["documents", "questions", "messages"] {
        assert!(count(&format!("/readers/{what}")) > 0, "{what}: {report}");
    }
    assert!(count("/guests") >= 5, "{report}");
    for sample in report["samples"].as_array().unwrap() {
        for figure in ["resident", "descriptors", "disk", "live"] {
            assert!(sample[figure].as_u64().unwrap() > 0, "{figure} in {sample}");
        }
    }
    // It is too short for the node to settle, but what it says of that must fit its end.
    let met = |condition: &Value| condition["met"].as_bool().unwrap();
    let all = report["conditions"].as_array().unwrap().iter().all(met);
    assert_eq!(output.status.code(), Some(if all { 0 } else { 1 }), "{told}");
}

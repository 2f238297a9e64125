//! The benchmark of pages, small: every page answers, and is as small as it must be.

use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn a_small_benchmark_of_pages_asks_for_every_page_and_finds_them_small() {
    let output = Command::new(env!("CARGO_BIN_EXE_pergola"))
        .args(["--json", "bench", "pages", "--items", "3000", "--sources", "250"])
        .args(["--feeds", "20", "--requests", "2"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    assert!(report["unread"].as_u64().unwrap() > 1_000, "{report}");
    let pages = report["pages"].as_array().unwrap();
    assert!(pages.len() > 40, "{report}");
    for page in pages {
        let bytes = page["bytes"].as_u64().unwrap();
        assert!(page["most_bytes"].as_u64().is_none_or(|most| bytes <= most), "{page}");
        assert!(page["gzip"].as_u64().unwrap() <= bytes + 32, "{page}");
        assert!(page["first"].as_f64().unwrap() > 0.0, "{page}");
    }
    // Time is a matter of the machine; the exit tells whether all of it was quick enough.
    let quick = pages.iter().all(|page| page["p95"].as_f64().unwrap() <= 50.0);
    assert_eq!(output.status.success(), quick, "{told}");
}

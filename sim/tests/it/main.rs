//! The command line of `pergola-sim`, as whoever types it sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::process::{Command, Output};

fn sim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pergola-sim")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_seed_is_run_twice_and_tells_what_it_did() {
    let told = sim(&["--seed", "3", "--hours", "1"]);
    let line = text(&told.stdout);
    assert!(told.status.success(), "{line}");
    assert!(line.starts_with("seed 3 passed: ") && line.contains(" items told, "), "{line}");
    assert_eq!(sim(&["--seed", "3", "--hours", "1"]).stdout, told.stdout);
}

#[test]
fn several_seeds_are_summed_up() {
    let told = sim(&["--seeds", "2", "--first", "5", "--hours", "1"]);
    let line = text(&told.stdout);
    assert!(told.status.success(), "{line}");
    assert!(line.starts_with("2 seeds from 5: 0 failed; "), "{line}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for wrong in [&["--seed", "3", "--seeds", "2"][..], &["--trace"], &["--seeds", "many"]] {
        let told = sim(wrong);
        assert_eq!(told.status.code(), Some(2), "{wrong:?}");
        assert!(text(&told.stderr).contains("error: "), "{wrong:?}: {}", text(&told.stderr));
    }
}

//! The lab as a user runs it: the binary, its output and its exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod cascade;
mod channels;
mod figures;
mod mistakes;
mod published;
mod replay;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `pergola-lab` with these arguments.
fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pergola-lab")).args(arguments).output().unwrap()
}

/// Runs it, expects success, and returns the rows of its JSON.
fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = lab(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["rows"].as_array().unwrap().clone()
}

/// A number of a row, by name.
fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or_else(|| panic!("no number `{name}` in {row}"))
}

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pergola-lab-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

//! The binary as a user runs it: its output and its exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue should fail at that line")]

mod bundle;
mod graphs;
mod mistakes;
mod pictures;
mod several;
mod wired;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `topology-gen` with these arguments.
fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_topology-gen")).args(arguments).output().unwrap()
}

/// Runs it, expects success, and returns what it printed.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it with `--json`, expects success, and returns what it printed.
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--json"]].concat())).unwrap()
}

/// A folder of its own for each test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("topology-gen-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// A path inside, as an argument.
    fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file and returns its path, as an argument.
    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.at(name)
    }

    /// The names of its files, hidden ones included.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Two sources, three feeds; one with a query, one with a whole CREATE FEED.
const MESH: &str = r#"
[[sources]]
name = "volcano-news"
url = "https://volcanoes.example.org/rss"
keywords = ["volcano", "eruption", "ash", "Iceland"]

[[sources]]
name = "weather"
keywords = ["storm", "ash", "wind"]

[[feeds]]
name = "everything"
keywords = ["volcano", "eruption", "ash", "iceland"]

[[feeds]]
name = "ash-clouds"
query = 'ITEM CONTAINS "ash" OR "wind"'

[[feeds]]
name = "islands"
query = '''
CREATE FEED Islands AS RETURN "https://volcanoes.example.org/rss"
WHERE ITEM CONTAINS "Iceland" AND NOT (TITLE CONTAINS "football");
'''
"#;

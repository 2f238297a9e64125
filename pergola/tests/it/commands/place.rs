//! Where the data is if nobody says so, and what is said where there is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::sandbox::Running;

const URL: &str = "https://example.org/rss";

/// A user with a home, who works in another folder.
struct User {
    home: TempDir,
    elsewhere: TempDir,
}

impl User {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), elsewhere: tempfile::tempdir().unwrap() }
    }

    fn data(&self) -> PathBuf {
        self.home.path().join(".local/share/pergola")
    }

    /// `pergola` without a word about where the data is.
    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pergola"));
        command.env_clear().env("HOME", self.home.path()).current_dir(folder);
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Exit code, output and errors of a command in the other folder.
    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } =
            self.command(self.elsewhere.path(), args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (status.code(), text(stdout), text(stderr))
    }

    /// Everything in both folders.
    fn files(&self) -> Vec<PathBuf> {
        fn below(folder: &Path, all: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    below(&path, all);
                }
                all.push(path);
            }
        }
        let mut all = Vec::new();
        below(self.home.path(), &mut all);
        below(self.elsewhere.path(), &mut all);
        all
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn a_command_finds_the_users_node_from_any_folder() {
    let user = User::new();
    let node = Running::start(user.command(user.home.path(), &["run", "--listen", "127.0.0.1:0"]));
    node.wait_for("node ready");
    let (code, status, said) = user.run(&["status", "--json"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(json(&status)["running"], true);
    assert!(user.data().join("node.json").exists());
    assert_eq!(fs::read_dir(user.elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_command_that_reads_makes_nothing_and_says_that_nothing_is_there() {
    let user = User::new();
    let commands: [&[&str]; 12] = [
        &["status"],
        &["source", "list"],
        &["source", "show", "1"],
        &["source", "remove", "1"],
        &["feed", "list"],
        &["feed", "show", "News"],
        &["feed", "tail", "News"],
        &["search", "iceland"],
        &["export"],
        &["backup", "pergola.backup"],
        &["healthcheck"],
        &["config", "unset", "crawl.allow_private"],
    ];
    for args in commands {
        let (code, out, said) = user.run(args);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}: {said}");
        assert!(said.contains(&user.data().display().to_string()), "{args:?}: {said}");
        assert!(said.contains("hint: `pergola run` starts "), "{args:?}: {said}");
    }
    assert_eq!(user.run(&["config", "show"]).0, Some(0));
    assert_eq!(user.run(&["feed", "create", " "]).0, Some(1));
    assert_eq!(user.files(), Vec::<PathBuf>::new());
}

#[test]
fn a_command_that_adds_something_says_where_it_is_kept() {
    let user = User::new();
    let (code, _, said) = user.run(&["source", "add", URL, "--no-refresh"]);
    assert_eq!(code, Some(0), "{said}");
    let place = user.data().display().to_string();
    assert!(said.starts_with("hint: no node is running; this is kept in "), "{said}");
    assert!(said.contains(&place) && said.contains("`pergola run`"), "{said}");
    let (_, listed, said) = user.run(&["source", "list", "--json"]);
    assert_eq!((json(&listed)["sources"][0]["url"].as_str(), said.as_str()), (Some(URL), ""));
}

#[test]
fn data_of_an_earlier_version_in_the_working_directory_is_still_used_and_that_is_said() {
    let user = User::new();
    let begun = user.run(&["--data", "pergola-data", "source", "add", URL, "--no-refresh"]);
    assert_eq!(begun.0, Some(0), "{begun:?}");
    let (code, listed, said) = user.run(&["source", "list", "--json"]);
    assert_eq!((code, json(&listed)["sources"][0]["url"].as_str()), (Some(0), Some(URL)));
    let note = json(&said)["note"].as_str().unwrap().to_owned();
    assert!(note.starts_with("the data is in ./pergola-data, where an earlier version"), "{note}");
    assert!(note.contains(&user.data().display().to_string()), "{note}");
    assert!(!user.data().exists());
    // Whoever names it has decided.
    assert_eq!(user.run(&["source", "list", "--data", "pergola-data"]).2, "");
}

#[test]
fn arguments_go_before_variables_and_those_before_the_file_and_that_before_the_usual_place() {
    let user = User::new();
    let shown = |command: &mut Command| {
        let Output { stdout, .. } = command.output().unwrap();
        json(&String::from_utf8(stdout).unwrap())["node"]["data"].as_str().unwrap().to_owned()
    };
    let show = &["config", "show", "--json"];
    let folder = user.elsewhere.path();
    assert_eq!(shown(&mut user.command(folder, show)), user.data().display().to_string());
    let xdg = user.home.path().join("xdg");
    let by_xdg = shown(user.command(folder, show).env("XDG_DATA_HOME", &xdg));
    assert_eq!(by_xdg, xdg.join("pergola").display().to_string());
    let by_service = shown(user.command(folder, show).env("STATE_DIRECTORY", "/var/lib/pergola"));
    assert_eq!(by_service, "/var/lib/pergola");
    fs::write(folder.join("pergola.toml"), "[node]\ndata = \"/by/file\"\n").unwrap();
    assert_eq!(shown(&mut user.command(folder, show)), "/by/file");
    let variable = ("PERGOLA_NODE__DATA", "/by/variable");
    assert_eq!(shown(user.command(folder, show).env(variable.0, variable.1)), "/by/variable");
    let mut argued = user.command(folder, &["config", "show", "--json", "--data", "/by/argument"]);
    assert_eq!(shown(argued.env(variable.0, variable.1)), "/by/argument");
}

#[test]
fn a_node_that_is_there_and_does_not_answer_is_named() {
    let user = User::new();
    let held = pergola_store::open(&user.data(), None, 1 << 20).unwrap();
    let (code, out, said) = user.run(&["source", "list"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{said}");
    assert!(said.contains("another pergola process uses "), "{said}");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let node = format!(r#"{{"address":"{closed}","pid":4242,"secure":false}}"#);
    fs::write(user.data().join("node.json"), node).unwrap();
    let (code, out, said) = user.run(&["source", "list"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{said}");
    let place = user.data().display().to_string();
    assert!(said.contains(&format!("process 4242 uses {place} and does not answer")), "{said}");
    drop(held);
}

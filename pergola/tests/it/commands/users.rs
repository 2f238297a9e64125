//! The people who read here, on the command line.

use std::fs::{self, File};
use std::process::Output;

use super::sandbox::Sandbox;

/// What must never be shown.
const PASSWORD: &str = "correct horse";

/// Runs a command that reads a password.
fn with_password(sandbox: &Sandbox, args: &[&str], password: &str) -> Output {
    let file = sandbox.path("password");
    fs::write(&file, password).unwrap();
    let args = [args, &["--password-stdin"]].concat();
    sandbox.command(&args).stdin(File::open(file).unwrap()).output().unwrap()
}

fn said(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    let text = format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(error));
    assert!(!text.contains(PASSWORD), "{text}");
    text
}

#[test]
fn users_are_added_changed_and_removed_whether_a_node_runs_or_not() {
    for sandbox in Sandbox::both() {
        assert!(sandbox.ok(&["user", "list"]).contains("no users"));
        let added = with_password(&sandbox, &["user", "add", "Ada"], &format!("{PASSWORD}\n"));
        assert_eq!(said(&added), "added Ada as admin\n", "the first one");
        let added = with_password(&sandbox, &["user", "add", "bob"], PASSWORD);
        assert_eq!(said(&added), "added bob as reader\n");
        let users = &sandbox.json(&["user", "list"])["users"];
        assert_eq!((&users[0]["name"], &users[0]["role"]), (&"Ada".into(), &"admin".into()));
        assert_eq!(users[1]["has_password"], true);
        let last = sandbox.fails(1, &["user", "role", "ada", "reader"]);
        assert!(last.contains("`Ada` is the only admin"), "{last}");
        assert_eq!(sandbox.ok(&["user", "role", "bob", "admin"]), "bob is admin from now on\n");
        let changed = with_password(&sandbox, &["user", "password", "bob"], "another horse");
        assert!(said(&changed).contains("bob has a new password"));
        let removed = sandbox.ok(&["user", "remove", "bob"]);
        assert!(
            removed.starts_with("removed bob with 0 subscriptions, 0 starred items"),
            "{removed}"
        );
        assert!(sandbox.fails(1, &["user", "remove", "bob"]).contains("there is no user `bob`"));
    }
}

#[test]
fn a_password_that_cannot_be_is_refused_and_adds_nobody() {
    let sandbox = Sandbox::begun();
    for (password, reason) in [
        ("short", "at least 10 characters"),
        ("", "must hold one line"),
        ("two lines\nof words\n", "must hold one line"),
    ] {
        let refused = with_password(&sandbox, &["user", "add", "ada"], password);
        assert_eq!(refused.status.code(), Some(1));
        assert!(said(&refused).contains(reason), "{password}");
    }
    assert!(sandbox.fails(2, &["user", "add", "ada"]).contains("--password-stdin"));
    assert!(sandbox.ok(&["user", "list"]).contains("no users"));
}
